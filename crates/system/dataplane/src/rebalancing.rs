//! Moves links of overloaded workers to others while the data plane runs. Not here: the decision
//! (`balance`), and the move itself (`rewiring`).

use std::sync::PoisonError;

use netloom_units::Duration;

use crate::balance::{LinkLoad, Load, Step, rebalancing, share};
use crate::handle::{Dataplane, Location};
use crate::worker_id::WorkerId;
use crate::{DataplaneError, Limits, Watch};

/// Links that should move to another worker.
#[derive(Debug)]
pub struct Overload(Step);

/// Result of [`Dataplane::rebalance`].
#[derive(Debug)]
pub struct Rebalanced {
    /// Number of links that have moved. If it is 0, nothing has changed.
    pub links: usize,
    /// The watch that reports to a monitor from now on.
    pub watch: Option<Watch>,
    /// Why links that should have moved are back where they were.
    pub refused: Option<DataplaneError>,
}

impl Rebalanced {
    fn nothing() -> Self {
        Self { links: 0, watch: None, refused: None }
    }
}

impl Dataplane {
    /// Checks the load of the workers since the last call: whether links should move from an
    /// overloaded worker to another, or back from the spare one. `idle` is the machine's unused CPU
    /// time since then, as a share of one CPU. To be called a few times per second; it does not
    /// wake the workers.
    ///
    /// # Errors
    /// A worker has ended.
    pub fn overload(&self, idle: f64) -> Result<Option<Overload>, DataplaneError> {
        // The data is replaced as a whole, or counts looks, so a poisoned lock does no harm.
        let mut rebalancing = self.rebalancing.lock().unwrap_or_else(PoisonError::into_inner);
        let now = self.now();
        let spent: Option<Vec<_>> =
            self.workers.iter().map(|worker| worker.stats.spent()).collect();
        // A worker has not begun, or has ended, which the next command detects.
        let Some(spent) = spent.filter(|spent| spent.len() > 1) else { return Ok(None) };
        let Some((then, before)) = rebalancing.last.replace((now, spent.clone())) else {
            return Ok(None);
        };
        let since = |(now, before): (&(Duration, Duration), &(Duration, Duration))| {
            (now.0.saturating_sub(before.0), now.1.saturating_sub(before.1))
        };
        let busy: Vec<f64> = spent
            .iter()
            .zip(&before)
            .map(since)
            .map(|(cpu, waited)| share(cpu, waited, now.since(then)))
            .collect();
        let spare = rebalancing.spare;
        let lent = self.placed().any(|at| Some(at.worker) == spare);
        let step = rebalancing.balance.look(&busy, spare, lent, idle);
        if let Some(Step::Measure(worker)) = step {
            // Start counting now: earlier load does not count.
            self.ask(worker, |worker| worker.shard().take_load())?;
            return Ok(None);
        }
        Ok(step.map(Overload))
    }

    /// Moves links, with the frames in them and their captures, if that pays off. With limits, and
    /// if links move, a new watch replaces the previous one.
    ///
    /// # Errors
    /// A worker has ended, or the machine refuses what a monitor needs. The monitor then receives
    /// nothing.
    pub fn rebalance(
        &mut self,
        overload: Overload,
        watch: Option<Limits>,
    ) -> Result<Rebalanced, DataplaneError> {
        let (from, to) = match overload.0 {
            Step::Rebalance { from, to, .. } | Step::Return { from, to } => (from, to),
            Step::Measure(_) => return Ok(Rebalanced::nothing()),
        };
        let Load { links, logs } = self.ask(from, |worker| worker.shard().take_load())?;
        let links = match overload.0 {
            // The log keeps the order of a pipe's events only within one worker.
            _ if logs => vec![],
            Step::Rebalance { part, .. } => rebalancing(&links, part, self.lies_before(to, from)),
            _ => links
                .iter()
                .filter(|link| link.may_move)
                .map(|LinkLoad { link, .. }| *link)
                .collect(),
        };
        if links.is_empty() {
            return Ok(Rebalanced::nothing());
        }
        let (watch, refused) = self.bring_to(to, &links, watch)?;
        Ok(Rebalanced { links: if refused.is_some() { 0 } else { links.len() }, watch, refused })
    }

    /// Whether one worker's links have lower numbers than the other's, on average.
    fn lies_before(&self, one: WorkerId, other: WorkerId) -> bool {
        let of = |worker: WorkerId| {
            let mine = self.locations.iter().filter(|(_, at)| at.worker == worker);
            let (count, sum) = mine.fold((0, 0), |(n, sum), (link, _)| (n + 1, sum + link.index()));
            (count > 0).then(|| sum as f64 / f64::from(count))
        };
        matches!((of(one), of(other)), (Some(one), Some(other)) if one < other)
    }

    fn placed(&self) -> impl Iterator<Item = &Location> {
        self.locations.values()
    }

    /// Returns the number of workers without the spare one.
    pub(crate) fn regular_workers(&self) -> usize {
        let rebalancing = self.rebalancing.lock().unwrap_or_else(PoisonError::into_inner);
        self.workers.len() - usize::from(rebalancing.spare.is_some())
    }

    /// Sets for all workers whether a core is free for them to wait awake on.
    pub(crate) fn note_places(&self) {
        let rebalancing = self.rebalancing.lock().unwrap_or_else(PoisonError::into_inner);
        let has_links = |worker: &WorkerId| self.placed().any(|at| at.worker == *worker);
        let active = WorkerId::first(self.workers.len()).filter(has_links).count().max(1);
        self.workers
            .iter()
            .for_each(|worker| worker.stats.set_may_spin(rebalancing.cores > active));
    }
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use netloom_fabric::{LinkId, PipeId};
    use netloom_link::{Direction, PipeConfig};
    use netloom_ports::memory::{self, MemoryPeer};

    use super::*;
    use crate::{End, LinkWiring, Options, Wiring};

    const LINKS: usize = 16;
    /// Enough time for any machine.
    const PATIENCE: Duration = Duration::from_secs(30);

    /// Starts links with a delay of 200 ms, half of them on each of two workers.
    fn start() -> (Dataplane, Vec<[MemoryPeer; 2]>) {
        let mut peers = vec![];
        let end = || {
            let (device, peer) = memory::pair(64).unwrap();
            (End::Port(Box::new(device)), peer)
        };
        let links = (0..LINKS as u32).map(|number| {
            let ((a, left), (b, right)) = (end(), end());
            peers.push([left, right]);
            let pipe = PipeConfig {
                delay: netloom_units::Duration::from_millis(200).into(),
                ..PipeConfig::default()
            };
            let pipes = [pipe.clone(), pipe];
            let (id, name, ends) = (LinkId(number), format!("l{number}"), [a, b]);
            LinkWiring { id, name, ends, pipes, mtus: [None; 2], peer: None }
        });
        let wiring = Wiring { links: links.collect() };
        let options = Options { workers: Some(2), ..Options::default() };
        (Dataplane::start(wiring, options).unwrap(), peers)
    }

    fn frame(number: u8) -> Vec<u8> {
        let mut bytes = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2, 0x88, 0xb5];
        bytes.resize(60, number);
        bytes
    }

    /// Returns the number of frames that entered each link's forward pipe, once there are `wanted`
    /// in total.
    fn offered(dataplane: &Dataplane, wanted: u64) -> Vec<u64> {
        let deadline = Instant::now() + PATIENCE;
        loop {
            let pipes = dataplane.pipes().unwrap();
            assert_eq!(pipes.len(), 2 * LINKS, "each pipe is somewhere");
            let forward = pipes.iter().filter(|pipe| pipe.id.direction == Direction::Forward);
            let frames: Vec<u64> = forward.map(|pipe| pipe.statistics.offered.frames).collect();
            if frames.iter().sum::<u64>() == wanted {
                return frames;
            }
            assert!(Instant::now() < deadline, "{frames:?} instead of {wanted}");
        }
    }

    fn homes(dataplane: &Dataplane) -> Vec<usize> {
        dataplane.placed().map(|at| at.worker.index()).collect()
    }

    #[test]
    fn links_move_with_their_frames_counts_and_captures() {
        let (mut dataplane, peers) = start();
        let in_order: Vec<usize> = (0..LINKS).map(|link| link / (LINKS / 2)).collect();
        assert_eq!(homes(&dataplane), in_order);
        let mut capture = dataplane.capture(LinkId(7), 0).unwrap();
        peers.iter().for_each(|[left, _]| assert!(left.send(&frame(1))));
        offered(&dataplane, LINKS as u64);
        let half = Overload(Step::Rebalance { from: WorkerId(0), to: WorkerId(1), part: 0.5 });
        let relieved = dataplane.rebalance(half, None).unwrap();
        assert_eq!((relieved.links, relieved.watch.is_none()), (4, true));
        assert_eq!(homes(&dataplane), [[0; 4].as_slice(), &[1; 12]].concat(), "neighbours");
        // Frames that were on their way arrive, and further ones are counted as before.
        peers.iter().for_each(|[left, _]| assert!(left.send(&frame(2))));
        for [_, right] in &peers {
            assert_eq!(right.receive(PATIENCE), Some(frame(1)));
            assert_eq!(right.receive(PATIENCE), Some(frame(2)));
        }
        assert_eq!(offered(&dataplane, 2 * LINKS as u64), [2; LINKS]);
        let seen: Vec<_> = (0..2).map(|_| capture.recv_timeout(PATIENCE).unwrap().bytes).collect();
        assert_eq!(seen, [frame(1), frame(2)]);
        // All links return, and changes reach them.
        let back = Overload(Step::Return { from: WorkerId(1), to: WorkerId(0) });
        assert_eq!(dataplane.rebalance(back, None).unwrap().links, 12);
        assert_eq!(homes(&dataplane), [0; LINKS]);
        let sooner = serde_json::from_str(r#"{"delay":"0ms"}"#).unwrap();
        dataplane
            .change(&[(PipeId { link: LinkId(15), direction: Direction::Forward }, sooner)])
            .unwrap();
        assert!(peers[15][0].send(&frame(3)));
        assert_eq!(peers[15][1].receive(PATIENCE), Some(frame(3)));
        assert_eq!(dataplane.stop().len(), 2 * LINKS);
    }

    #[test]
    fn a_monitor_sees_all_links_wherever_they_are() {
        let (mut dataplane, peers) = start();
        let limits = Limits {
            tolerance: netloom_units::Duration::from_secs(1),
            needed: netloom_units::Duration::from_secs(1),
            pause: netloom_units::Duration::from_secs(1),
        };
        let _before = dataplane.watch(limits).unwrap();
        peers.iter().for_each(|[left, _]| assert!(left.send(&frame(1))));
        offered(&dataplane, LINKS as u64);
        let half = Overload(Step::Rebalance { from: WorkerId(0), to: WorkerId(1), part: 0.5 });
        let mut watch = dataplane.rebalance(half, Some(limits)).unwrap().watch.unwrap();
        for [left, right] in &peers {
            assert!(left.send(&frame(2)) && right.receive(PATIENCE).is_some());
            assert!(right.receive(PATIENCE).is_some());
        }
        let mut worked: Vec<usize> =
            watch.work().flat_map(|work| work.pipes).map(|pipe| pipe.pipe.link.index()).collect();
        worked.sort_unstable();
        assert_eq!(worked, (0..LINKS).collect::<Vec<_>>());
    }

    #[test]
    fn few_busy_links_stay() {
        let (mut dataplane, peers) = start();
        peers[..6].iter().for_each(|[left, _]| assert!(left.send(&frame(1))));
        offered(&dataplane, 6);
        let half = Overload(Step::Rebalance { from: WorkerId(0), to: WorkerId(1), part: 0.5 });
        assert_eq!(dataplane.rebalance(half, None).unwrap().links, 0);
    }
}
