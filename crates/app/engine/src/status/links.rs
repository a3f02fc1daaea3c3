//! Traffic that links have carried, as counted by the data plane or, for direct links, by the
//! kernel.

use anyhow::{Result, anyhow, ensure};
use netloom_api::state::{DirectPipe, DirectStatistics, LinkStatus, ModelledPipe, PipeStatus};
use netloom_course::PipeLook;
use netloom_dataplane::PipeStatus as Pipe;
use netloom_link::{Count, Window};
use netloom_nodes::{InterfaceState, Traffic};
use netloom_scenario::Link;
use netloom_units::Time;

use crate::deployment::Deployment;
use crate::interfaces::InterfaceStates;
use crate::live::Live;

/// Returns the links that this machine carries with the statistics of their pipes, since their
/// start or over `window`, in the order of the scenario.
pub fn links(
    live: &Live,
    deployment: &Deployment,
    window: Option<Window>,
) -> Result<Vec<LinkStatus>> {
    let mut pipes = live.pipes(window)?;
    let ends = match window {
        None => live.direct_ends(deployment)?,
        // The kernel counts only from the beginning.
        Some(_) => InterfaceStates::new(),
    };
    let at = live.dataplane.now();
    let mut links = Vec::with_capacity(deployment.mine.scenario.links.len());
    for link in &deployment.mine.scenario.links {
        let [forward, reverse] = match link.direct {
            true => direct_pipes(deployment, link, &ends, at),
            false => pipes.take(deployment, &link.name)?.map(modelled_pipe),
        };
        links.push(LinkStatus {
            name: link.name.clone(),
            endpoints: link.endpoints.clone(),
            forward,
            reverse,
        });
    }
    Ok(links)
}

/// Returns a look at the links that this machine carries, in the order of the scenario.
pub fn looks(live: &Live, deployment: &Deployment) -> Result<Vec<[PipeLook; 2]>> {
    let glances = live.dataplane.glances()?;
    let ends = live.direct_ends(deployment)?;
    let at = live.dataplane.now();
    let glance = |link: &Link| -> Result<[PipeLook; 2]> {
        if link.direct {
            let pipes = direct_pipes(deployment, link, &ends, at);
            return Ok(pipes.each_ref().map(PipeLook::from));
        }
        // Both pipes of a link are there, and they come in the order of their identities.
        let id = deployment.modelled(&link.name)?;
        let first = glances.partition_point(|(pipe, _)| pipe.link < id);
        let missing = || anyhow!("the data plane does not have link `{}`", link.name);
        let pair: &[_; 2] = glances[first..].first_chunk().ok_or_else(missing)?;
        ensure!(pair.iter().all(|(pipe, _)| pipe.link == id), missing());
        Ok(pair.map(|(_, glance)| PipeLook::Modelled(glance)))
    };
    deployment.mine.scenario.links.iter().map(glance).collect()
}

fn modelled_pipe(pipe: Pipe) -> PipeStatus {
    let Pipe { config, statistics, .. } = pipe;
    PipeStatus::Modelled(Box::new(ModelledPipe { config, statistics }))
}

/// Returns both directions of a direct link at `at`, since the network was up.
fn direct_pipes(
    deployment: &Deployment,
    link: &Link,
    ends: &InterfaceStates,
    at: Time,
) -> [PipeStatus; 2] {
    let counted = link.endpoints.each_ref().map(|end| {
        let before = deployment.direct_at_start.get(end).cloned().unwrap_or_default();
        ends.get(end).map(|now| Counted::between(&before, now))
    });
    let [a, b] = &counted;
    [(a, b), (b, a)].map(|(from, to)| {
        let both = from.as_ref().zip(to.as_ref());
        let statistics = both.map(|(from, to)| carried(from, to, at));
        PipeStatus::Direct(DirectPipe { statistics })
    })
}

/// The counts of an interface over a time.
struct Counted {
    sent: Count,
    received: Count,
    dropped: u64,
    dropped_received: u64,
}

impl Counted {
    /// Returns the counts between two reads. An interface that was made anew meanwhile may have
    /// counted less.
    fn between(before: &InterfaceState, now: &InterfaceState) -> Self {
        let count = |before: Traffic, now: Traffic| Count {
            frames: now.frames.saturating_sub(before.frames),
            bytes: now.bytes.saturating_sub(before.bytes),
        };
        Self {
            sent: count(before.sent, now.sent),
            received: count(before.received, now.received),
            dropped: now.dropped.saturating_sub(before.dropped),
            dropped_received: now.dropped_received.saturating_sub(before.dropped_received),
        }
    }
}

fn carried(from: &Counted, to: &Counted, at: Time) -> DirectStatistics {
    DirectStatistics {
        since: Time::ZERO,
        at,
        offered: from.sent,
        delivered: to.received,
        dropped_frames: from.dropped + to.dropped_received,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_direction_is_counted_at_both_of_its_ends_from_the_start() {
        let end = |sent, received, dropped, dropped_received| InterfaceState {
            sent: Traffic { frames: sent, bytes: sent * 100 },
            received: Traffic { frames: received, bytes: received * 100 },
            dropped,
            dropped_received,
            ..InterfaceState::default()
        };
        let from = Counted::between(&end(1, 1, 1, 1), &end(11, 4, 2, 17));
        let to = Counted::between(&end(2, 2, 2, 2), &end(6, 10, 34, 4));
        let counted = carried(&from, &to, Time::ZERO);
        assert_eq!(counted.offered, Count { frames: 10, bytes: 1000 });
        assert_eq!(counted.delivered, Count { frames: 8, bytes: 800 });
        assert_eq!(counted.dropped_frames, 1 + 2);
    }
}
