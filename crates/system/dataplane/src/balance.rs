//! Load balancing: when links move to another worker, and which. One core is left to programs in
//! nodes until the workers have more to do than their cores can bear and that core idles. Then a
//! spare worker, which has no links before, takes some, and returns them when the load has been low
//! for a while. Pure. Not here: how links move (`rewiring`), and their placement at the start
//! (`partition`).

use netloom_fabric::LinkId;
use netloom_units::{Duration, Time};

use crate::worker_id::WorkerId;

/// Share of a CPU from which on a worker is saturated and cannot keep to its times.
const SATURATED: f64 = 0.9;
/// Share of a CPU below which one worker can do the work of two.
const CALM: f64 = 0.5;
/// Number of consecutive looks in which a worker must be saturated, and in which the load must be
/// low.
const SATURATED_LOOKS: u32 = 2;
const CALM_LOOKS: u32 = 8;
/// Least number of busy links for each of two workers. The exchange of frames between two workers
/// costs more than a single worker: in a chain of links, two workers pay off from six to eight
/// links on (`benches/scale/hops.py`).
pub(crate) const WORTH: usize = 4;
/// A link with less than this part of a worker's frames does not count as busy.
const BUSY_PART: u64 = 64;

/// Load of a worker.
#[derive(Debug, Clone, Default)]
pub(crate) struct Load {
    /// Loads of its links.
    pub links: Vec<LinkLoad>,
    /// Whether events of their frames are being logged, which needs one order for each pipe.
    pub logs: bool,
}

/// Load that a link caused since the last request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct LinkLoad {
    pub link: LinkId,
    /// Number of frames that entered its pipes.
    pub frames: u64,
    /// Whether it may move: all its ends are devices that work.
    pub may_move: bool,
}

/// Next step of load balancing.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Step {
    /// Start measuring the load of this worker's links.
    Measure(WorkerId),
    /// Move this part of the first worker's load to the second.
    Rebalance { from: WorkerId, to: WorkerId, part: f64 },
    /// Move all links of the first worker to the second.
    Return { from: WorkerId, to: WorkerId },
}

/// State of load balancing.
#[derive(Debug)]
pub(crate) struct Rebalancing {
    pub balance: Balance,
    /// Number of cores that this process may use.
    pub cores: usize,
    /// The spare worker, if there is one.
    pub spare: Option<WorkerId>,
    /// Time of the last look, and what each worker had spent by then: CPU time, and how much of it
    /// waiting awake.
    pub last: Option<(Time, Vec<(Duration, Duration)>)>,
}

impl Rebalancing {
    pub fn new(cores: usize, spare: Option<WorkerId>) -> Self {
        Self { balance: Balance::default(), cores, spare, last: None }
    }
}

/// Decides from the load of the workers what to do next.
#[derive(Debug, Default)]
pub(crate) struct Balance {
    saturated: Option<(WorkerId, u32)>,
    calm: u32,
}

impl Balance {
    /// Returns the next step. `busy` is the CPU time of each worker since the last look, as a share
    /// of a CPU; `spare` is the spare worker, if there is one, and `lent` is whether it has links
    /// now. `idle` is the machine's unused CPU time, as a share of one CPU.
    pub fn look(
        &mut self,
        busy: &[f64],
        spare: Option<WorkerId>,
        lent: bool,
        idle: f64,
    ) -> Option<Step> {
        let of = |worker: WorkerId| busy[worker.index()];
        let by_load = |a: &WorkerId, b: &WorkerId| of(*a).total_cmp(&of(*b));
        let workers = WorkerId::first(busy.len());
        let most = workers.clone().max_by(by_load)?;
        let least = workers.filter(|worker| *worker != most).min_by(by_load)?;
        if of(most) < SATURATED {
            self.saturated = None;
            return self.calm(busy, spare.filter(|_| lent));
        }
        self.calm = 0;
        // Another worker helps only if a CPU is free.
        if of(least) > of(most) / 2.0 || idle < of(most) / 4.0 {
            self.saturated = None;
            return None;
        }
        let looks = match self.saturated {
            Some((worker, looks)) if worker == most => looks + 1,
            _ => 1,
        };
        if looks < SATURATED_LOOKS {
            self.saturated = Some((most, looks));
            return Some(Step::Measure(most));
        }
        self.saturated = None;
        let part = (of(most) - of(least)) / (2.0 * of(most));
        Some(Step::Rebalance { from: most, to: least, part })
    }

    fn calm(&mut self, busy: &[f64], lent: Option<WorkerId>) -> Option<Step> {
        let from = lent?;
        let of = |worker: WorkerId| busy[worker.index()];
        let others = WorkerId::first(busy.len()).filter(|worker| *worker != from);
        let to = others.min_by(|a, b| of(*a).total_cmp(&of(*b)))?;
        let is_calm = of(from) + of(to) < CALM;
        self.calm = if is_calm { self.calm + 1 } else { 0 };
        if self.calm < CALM_LOOKS {
            return None;
        }
        self.calm = 0;
        Some(Step::Return { from, to })
    }
}

/// Chooses links of a worker that carry about this `part` of its frames. The links are consecutive,
/// from the end, or from the beginning if the links of the receiving worker are `before` these.
/// Empty if moving them does not pay off.
pub(crate) fn rebalancing(links: &[LinkLoad], part: f64, before: bool) -> Vec<LinkId> {
    let all: u64 = links.iter().map(|link| link.frames).sum();
    let wanted = (all as f64 * part) as u64;
    let mut sorted: Vec<LinkLoad> = links.to_vec();
    sorted.sort_unstable_by_key(|link| link.link);
    if !before {
        sorted.reverse();
    }
    let (mut going, mut frames) = (vec![], 0);
    for link in sorted.into_iter().filter(|link| link.may_move) {
        // Exceeding the wanted part by more than half of this link would be too much.
        if 2 * frames + link.frames > 2 * wanted {
            break;
        }
        frames += link.frames;
        going.push(link);
    }
    let is_busy = |link: &&LinkLoad| link.frames > all / BUSY_PART;
    let busy = going.iter().filter(is_busy).count();
    let stay = links.iter().filter(is_busy).count() - busy;
    if busy < WORTH || stay < WORTH {
        return vec![];
    }
    going.into_iter().map(|link| link.link).collect()
}

/// Returns the part of `time` for which a thread had a CPU and did not only wait, as a share.
pub(crate) fn share(cpu: Duration, waited: Duration, time: Duration) -> f64 {
    cpu.saturating_sub(waited).as_secs_f64() / time.as_secs_f64().max(1e-9)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn looks(balance: &mut Balance, busy: &[f64], lent: bool, idle: f64, times: u32) -> Vec<Step> {
        let spare = Some(WorkerId::at(busy.len() - 1));
        (0..times).filter_map(|_| balance.look(busy, spare, lent, idle)).collect()
    }

    #[test]
    fn a_saturated_worker_is_relieved_once_it_was_measured() {
        let mut balance = Balance::default();
        let steps = looks(&mut balance, &[0.97, 0.0], false, 1.0, 2);
        assert_eq!(
            steps,
            [
                Step::Measure(WorkerId(0)),
                Step::Rebalance { from: WorkerId(0), to: WorkerId(1), part: 0.5 }
            ],
            "half of it, to a worker that has nothing to do"
        );
        // The measurement has been used.
        assert_eq!(looks(&mut balance, &[0.97, 0.0], false, 1.0, 1), [Step::Measure(WorkerId(0))]);
    }

    #[test]
    fn no_links_move_where_that_would_not_help() {
        let mut balance = Balance::default();
        assert_eq!(looks(&mut balance, &[0.85, 0.0], false, 1.0, 9), []);
        assert_eq!(looks(&mut balance, &[0.97, 0.6], false, 1.0, 9), [], "both have much to do");
        assert_eq!(looks(&mut balance, &[0.97, 0.0], false, 0.1, 9), [], "no CPU is left");
        assert_eq!(looks(&mut balance, &[0.97], false, 1.0, 9), [], "there is nobody else");
        // A different worker each time.
        for _ in 0..4 {
            assert_eq!(
                looks(&mut balance, &[0.97, 0.1], false, 1.0, 1),
                [Step::Measure(WorkerId(0))]
            );
            assert_eq!(
                looks(&mut balance, &[0.1, 0.97], false, 1.0, 1),
                [Step::Measure(WorkerId(1))]
            );
        }
    }

    #[test]
    fn the_spare_worker_returns_its_links_after_a_while_of_low_load() {
        let mut balance = Balance::default();
        assert_eq!(looks(&mut balance, &[0.2, 0.3, 0.1], true, 1.0, CALM_LOOKS - 1), []);
        assert_eq!(looks(&mut balance, &[0.6, 0.7, 0.1], true, 1.0, 1), [], "it begins anew");
        assert_eq!(looks(&mut balance, &[0.2, 0.3, 0.1], true, 1.0, CALM_LOOKS - 1), []);
        let steps = looks(&mut balance, &[0.2, 0.3, 0.1], true, 1.0, 1);
        assert_eq!(steps, [Step::Return { from: WorkerId(2), to: WorkerId(0) }]);
        assert_eq!(looks(&mut balance, &[0.2, 0.3, 0.0], false, 1.0, 3 * CALM_LOOKS), []);
    }

    fn loads(frames: &[u64]) -> Vec<LinkLoad> {
        let load = |(link, frames): (u32, &u64)| LinkLoad {
            link: LinkId(link),
            frames: *frames,
            may_move: true,
        };
        (0..).zip(frames).map(load).collect()
    }

    fn gone(links: &[LinkLoad], part: f64, upwards: bool) -> Vec<u32> {
        rebalancing(links, part, upwards).into_iter().map(|link| link.0).collect()
    }

    #[test]
    fn links_that_go_follow_each_other_and_carry_about_that_part() {
        let chain = loads(&[1000; 10]);
        assert_eq!(gone(&chain, 0.5, false), [9, 8, 7, 6, 5]);
        assert_eq!(gone(&chain, 0.5, true), [0, 1, 2, 3, 4]);
        assert_eq!(gone(&chain, 0.4, true), [0, 1, 2, 3]);
        let uneven = loads(&[3000, 3000, 3000, 3000, 0, 1000, 0, 5000, 3000, 3000]);
        assert_eq!(gone(&uneven, 0.5, false), [9, 8, 7, 6, 5, 4], "idle ones come along");
    }

    #[test]
    fn few_busy_links_stay_together() {
        assert_eq!(gone(&loads(&[1000; 7]), 0.5, false), [0; 0]);
        let mostly_idle = [&[1000; 6][..], &[1; 20]].concat();
        assert_eq!(gone(&loads(&mostly_idle), 0.5, false), [0; 0]);
        assert_eq!(gone(&loads(&[0; 20]), 0.5, false), [0; 0]);
    }

    #[test]
    fn links_that_may_not_move_stay() {
        let mut chain = loads(&[1000; 12]);
        chain[11].may_move = false;
        chain[9].may_move = false;
        assert_eq!(gone(&chain, 0.5, false), [10, 8, 7, 6, 5, 4]);
        chain.iter_mut().for_each(|link| link.may_move = false);
        assert_eq!(gone(&chain, 0.5, false), [0; 0]);
    }
}
