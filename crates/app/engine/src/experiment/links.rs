//! What links have carried, and what passes their ends: by the data plane, or, of direct links, by the
//! kernel.

use std::collections::HashMap;

use anyhow::{Result, anyhow, bail};
use netloom_api::state::{DirectPipe, DirectStatistics, LinkStatus, ModelledPipe, PipeStatus};
use netloom_dataplane::{Capture, PipeStatus as Pipe};
use netloom_fabric::LinkId;
use netloom_link::{Count, Window};
use netloom_nodes::{InterfaceState, Traffic};
use netloom_scenario::{Endpoint, Link};
use netloom_units::Time;

use super::{Experiment, Live, unknown};
use crate::drawn::Drawn;
use crate::overflow::{Look, look};

impl Experiment {
    /// All links with the statistics of their pipes, since they began or in `window`, in the order of
    /// the scenario.
    pub fn links(&self, window: Option<Window>) -> Result<Vec<LinkStatus>> {
        let (drawn, pipes, ends, at) = self.with_live(|live| {
            let drawn = self.drawn();
            let pipes = match window {
                None => live.dataplane.pipes(),
                Some(window) => live.dataplane.recent_pipes(window),
            };
            let ends = match window {
                None => direct_ends(&drawn, live)?,
                // The kernel counts from the beginning only.
                Some(_) => Look::new(),
            };
            Ok((drawn, pipes?, ends, live.dataplane.now()))
        })?;
        let mut pipes = by_link(pipes);
        let mut links = Vec::with_capacity(drawn.scenario.links.len());
        for link in &drawn.scenario.links {
            let [forward, reverse] = match link.direct {
                true => direct_pipes(&drawn, link, &ends, at),
                false => {
                    let pair = pipes.remove(&modelled(&drawn, &link.name)?);
                    pair.ok_or_else(|| missing(&link.name))?.map(modelled_pipe)
                }
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

    /// Captures the frames at an interface from now on; with `drops` also those that its link drops.
    pub fn capture(&self, interface: &Endpoint, drops: bool) -> Result<Capture> {
        let at = |link: &Link| link.endpoints.iter().position(|endpoint| endpoint == interface);
        let drawn = self.drawn();
        let found = drawn.scenario.links.iter().find_map(|link| Some((link, at(link)?)));
        let (link, end) = found.ok_or_else(|| no_interface(&drawn, interface))?;
        if link.direct {
            if drops {
                bail!(
                    "link `{}` is direct, so what it drops cannot be captured: the kernel only counts it; \
                     capture without drops",
                    link.name
                );
            }
            return self.with_live(|live| {
                let socket = live.network.packet_socket(&interface.node, &interface.interface)?;
                Ok(live.dataplane.capture_interface(socket))
            });
        }
        self.with_live(|live| {
            let link = modelled(&self.drawn(), &link.name)?;
            Ok(match drops {
                true => live.dataplane.capture_with_drops(link, end)?,
                false => live.dataplane.capture(link, end)?,
            })
        })
    }
}

/// The two pipes of each link.
pub(super) fn by_link(pipes: Vec<Pipe>) -> HashMap<LinkId, [Pipe; 2]> {
    let mut pipes = pipes.into_iter();
    // In the order of their identities.
    let pair = || Some([pipes.next()?, pipes.next()?]);
    std::iter::from_fn(pair).map(|pair| (pair[0].id.link, pair)).collect()
}

/// The error where the data plane does not have a link of the scenario.
pub(super) fn missing(name: &str) -> anyhow::Error {
    anyhow!("the data plane does not have link `{name}` of the scenario")
}

fn modelled_pipe(pipe: Pipe) -> PipeStatus {
    let Pipe { config, statistics, .. } = pipe;
    PipeStatus::Modelled(Box::new(ModelledPipe { config, statistics }))
}

/// The identity of a link in the data plane; an error says why there is none.
pub(super) fn modelled(drawn: &Drawn, name: &str) -> Result<LinkId> {
    drawn.links.get(name).copied().ok_or_else(|| match drawn.scenario.link(name) {
        Some(_) => anyhow!(
            "link `{name}` is direct: a pair of kernel devices, whose frames the engine does not see; \
             leave out `direct: true` in the scenario for a link that the engine carries"
        ),
        None => unknown("link", name, drawn.scenario.links.iter().map(|link| link.name.as_str())),
    })
}

fn no_interface(drawn: &Drawn, interface: &Endpoint) -> anyhow::Error {
    let ends = drawn.scenario.links.iter().flat_map(|link| &link.endpoints);
    let all: Vec<String> = ends.map(ToString::to_string).collect();
    unknown("interface", &interface.to_string(), all.iter().map(String::as_str))
}

/// Both directions of a direct link at `at`, since its devices were made.
fn direct_pipes(drawn: &Drawn, link: &Link, ends: &Look, at: Time) -> [PipeStatus; 2] {
    let counted = link.endpoints.each_ref().map(|end| {
        let before = drawn.direct_at_start.get(end).cloned().unwrap_or_default();
        ends.get(end).map(|now| Counted::between(&before, now))
    });
    let [a, b] = &counted;
    [(a, b), (b, a)].map(|(from, to)| {
        let both = from.as_ref().zip(to.as_ref());
        let statistics = both.map(|(from, to)| carried(from, to, at));
        PipeStatus::Direct(DirectPipe { statistics })
    })
}

/// What the ends of direct links have to say.
pub(super) fn direct_ends(drawn: &Drawn, live: &Live) -> Result<Look> {
    let ends = drawn.direct_ends();
    if ends.is_empty() { Ok(Look::new()) } else { look(&live.network, &ends) }
}

/// What an interface has counted meanwhile.
struct Counted {
    sent: Count,
    received: Count,
    dropped: u64,
    dropped_received: u64,
}

impl Counted {
    /// From one look to another. An interface that was made anew meanwhile may have counted less.
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
