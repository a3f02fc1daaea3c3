//! Divides traffic and the workers' CPU time over nodes. A node's part of the traffic follows from
//! the bytes of its pipes. Its part of a worker's CPU time follows from the frames that the worker
//! handled for it. A frame that leaves a switch belongs to the nodes that sent into that switch, or
//! into others joined to it, in proportion to what they sent meanwhile.

use std::collections::{BTreeMap, HashMap};

use netloom_dataplane::{PipeWork, Watch, Work};
use netloom_link::JoinedSwitches;
use netloom_monitor::{Divided, Observation, Party, SignalKind};
use netloom_units::{Duration, Time};

use super::meter::process_time;
use crate::deployment::Deployment;

/// Time between two looks, if there are few pipes.
const PERIOD: Duration = Duration::from_millis(100);
/// Number of pipes that one period suffices for: reading them takes some 0.1 ms. With more, looks
/// are proportionally rarer.
const PIPES: usize = 10_000;
/// Number of active parties that one period suffices for: reporting them takes as long.
const PARTIES: usize = 50;

/// Divides traffic and CPU time over nodes.
pub struct Forwarding {
    /// Ends of each pipe, by [`PipeId::index`]. `None` where there is no pipe.
    pipes: Vec<Option<Ends>>,
    /// Whether traffic is tested: it is not if no rate is too high.
    is_traffic_tested: bool,
    due: Time,
    last: Time,
    /// The engine's CPU time at the last look.
    engine: Duration,
}

/// The ends at which a pipe begins and leads to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Ends {
    from: End,
    to: End,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    Node(u32),
    /// Joined switches, by the index of the first of them in the scenario.
    Segment(usize),
}

/// Traffic and CPU time, by party.
#[derive(Debug, Default, PartialEq)]
struct Sums {
    bytes: BTreeMap<Party, u64>,
    cpu_ns: BTreeMap<Party, u64>,
}

impl Forwarding {
    /// Starts at `now`.
    pub fn new(deployment: &Deployment, now: Time) -> Self {
        Self {
            pipes: ends(deployment),
            is_traffic_tested: deployment
                .mine
                .scenario
                .monitor
                .criteria
                .net_internal
                .rate
                .is_some(),
            due: now,
            last: now,
            engine: process_time(),
        }
    }

    /// Looks, if it is due, or if this is the `last` look.
    pub fn look(
        &mut self,
        now: Time,
        last: bool,
        watch: &mut Watch,
        sink: &mut dyn FnMut(Observation),
    ) {
        if !last && now < self.due {
            return;
        }
        let over = now.since(std::mem::replace(&mut self.last, now));
        let mut sums = Sums::default();
        let mut workers = Duration::ZERO;
        for work in watch.work() {
            workers += work.cpu_time;
            sums.add(&work, &self.pipes);
        }
        let engine = process_time();
        let spent = engine.saturating_sub(std::mem::replace(&mut self.engine, engine));
        // CPU time that no worker spent, or that was spent for nobody, is the engine's own.
        let own = spent.saturating_sub(workers).as_nanos();
        *sums.cpu_ns.entry(Party::Engine).or_default() += own;
        let periods = (self.pipes.len().div_ceil(PIPES)).max(sums.cpu_ns.len().div_ceil(PARTIES));
        self.due = now + Duration::from_nanos(PERIOD.as_nanos() * periods as u64);
        sums.report(over, self.is_traffic_tested, sink);
    }
}

impl Sums {
    /// Adds the work of one worker. Joined switches always have the same worker.
    fn add(&mut self, work: &Work, pipes: &[Option<Ends>]) {
        let mut bytes = Divisible::default();
        let mut frames = Divisible::default();
        for PipeWork { pipe, frames: handled, bytes: left } in &work.pipes {
            let Some(Some(Ends { from, to })) = pipes.get(pipe.index()) else { continue };
            frames.add(*from, *handled);
            match (from, to) {
                (End::Node(node), End::Segment(segment)) => {
                    bytes.sent_into(*segment, *node, *left);
                    frames.sent_into(*segment, *node, *handled);
                }
                // These frames have not left for a node yet.
                (End::Segment(_), End::Segment(_)) => {}
                (from, End::Node(_)) => bytes.add(*from, *left),
            }
        }
        for (party, amount) in bytes.by_party() {
            *self.bytes.entry(party).or_default() += amount;
        }
        let frames = frames.by_party();
        let all: u128 = frames.values().map(|frames| u128::from(*frames)).sum();
        let time = work.cpu_time.as_nanos();
        let mut rest = time;
        for (party, frames) in frames.into_iter().filter(|(party, _)| *party != Party::Unattributed)
        {
            // At most the whole time.
            let part = (u128::from(time) * u128::from(frames) / all.max(1)) as u64;
            rest -= part;
            *self.cpu_ns.entry(party).or_default() += part;
        }
        *self.cpu_ns.entry(Party::Engine).or_default() += rest;
    }

    fn report(self, over: Duration, is_traffic_tested: bool, sink: &mut dyn FnMut(Observation)) {
        let mut used = |of, divides, sums: BTreeMap<Party, u64>| {
            for (party, amount) in sums.into_iter().filter(|(_, amount)| *amount > 0) {
                sink(Observation::Used { of, divides, party, amount, over });
            }
        };
        used(SignalKind::Cpu, Divided::Engine, self.cpu_ns);
        if is_traffic_tested {
            used(SignalKind::NetInternal, Divided::Unattributed, self.bytes);
        }
    }
}

/// Amounts of nodes, and of segments. The latter are divided over the nodes that sent into them.
#[derive(Debug, Default)]
struct Divisible {
    nodes: BTreeMap<u32, u64>,
    segments: BTreeMap<usize, u64>,
    sent_into: BTreeMap<usize, BTreeMap<u32, u64>>,
}

impl Divisible {
    fn add(&mut self, end: End, amount: u64) {
        match end {
            End::Node(node) => *self.nodes.entry(node).or_default() += amount,
            End::Segment(segment) => *self.segments.entry(segment).or_default() += amount,
        }
    }

    fn sent_into(&mut self, segment: usize, node: u32, amount: u64) {
        *self.sent_into.entry(segment).or_default().entry(node).or_default() += amount;
    }

    /// Returns all amounts by party. Frames from a segment into which nobody sent meanwhile are
    /// unattributed.
    fn by_party(&self) -> BTreeMap<Party, u64> {
        let mut parties: BTreeMap<Party, u64> =
            self.nodes.iter().map(|(node, amount)| (Party::Node(*node), *amount)).collect();
        for (segment, amount) in &self.segments {
            let senders = self.sent_into.get(segment);
            let all: u128 = senders.into_iter().flatten().map(|(_, sent)| u128::from(*sent)).sum();
            let mut rest = *amount;
            for (node, sent) in senders.into_iter().flatten().filter(|_| all > 0) {
                // At most the whole amount.
                let part = (u128::from(*amount) * u128::from(*sent) / all) as u64;
                rest -= part;
                *parties.entry(Party::Node(*node)).or_default() += part;
            }
            *parties.entry(Party::Unattributed).or_default() += rest;
        }
        parties
    }
}

/// Returns the ends of every pipe, by its index.
fn ends(deployment: &Deployment) -> Vec<Option<Ends>> {
    // Links may end at nodes of other machines.
    let scenario = &deployment.whole.scenario;
    let numbers: HashMap<&str, usize> =
        scenario.nodes.iter().enumerate().map(|(number, n)| (n.name.as_str(), number)).collect();
    let is_switch = |number: usize| scenario.nodes[number].kind.is_segment();
    let links: Vec<[usize; 2]> = deployment
        .modelled_links()
        .map(|(_, link)| link.endpoints.each_ref().map(|end| numbers[end.node.as_str()]))
        .collect();
    let mut joined = joined(scenario.nodes.len(), &links, is_switch);
    let mut end = |number: usize| match is_switch(number) {
        true => End::Segment(joined.first_of(number)),
        false => End::Node(deployment.number(&scenario.nodes[number].name).unwrap_or(u32::MAX)),
    };
    let mut both = |link: &[usize; 2]| {
        let [one, other] = link.map(&mut end);
        [Ends { from: one, to: other }, Ends { from: other, to: one }]
    };
    let last = deployment.links.values().max();
    let mut pipes = vec![None; last.map_or(0, |link| 2 * link.index() + 2)];
    for ((id, _), link) in deployment.modelled_links().zip(&links) {
        let place = 2 * id.index();
        pipes[place..place + 2].copy_from_slice(&both(link).map(Some));
    }
    pipes
}

/// Returns the switches among the nodes, joined by the links between them.
fn joined(nodes: usize, links: &[[usize; 2]], is_switch: impl Fn(usize) -> bool) -> JoinedSwitches {
    let mut joined = JoinedSwitches::new(nodes);
    for [one, other] in links.iter().filter(|link| link.iter().all(|end| is_switch(*end))) {
        joined.join(*one, *other);
    }
    joined
}

#[cfg(test)]
mod tests {
    use netloom_fabric::{LinkId, PipeId};
    use netloom_link::Direction;

    use super::*;

    const A: Party = Party::Node(0);
    const B: Party = Party::Node(1);
    const SWITCH: End = End::Segment(2);

    fn from(from: End, to: End) -> [Option<Ends>; 2] {
        [Some(Ends { from, to }), Some(Ends { from: to, to: from })]
    }

    fn work(cpu_ns: u64, pipes: &[(usize, u64, u64)]) -> Work {
        let pipe = |(index, frames, bytes): &(usize, u64, u64)| PipeWork {
            pipe: PipeId { link: LinkId(*index as u32 / 2), direction: Direction::BOTH[index % 2] },
            frames: *frames,
            bytes: *bytes,
        };
        let pipes = pipes.iter().map(pipe).collect();
        Work { cpu_time: Duration::from_nanos(cpu_ns), pipes }
    }

    #[test]
    fn the_sender_of_a_pipe_is_the_node_at_its_beginning() {
        let pipes = from(End::Node(0), End::Node(1));
        let mut sums = Sums::default();
        sums.add(&work(1001, &[(0, 3, 4500), (1, 1, 60)]), &pipes);
        assert_eq!(sums.bytes, [(A, 4500), (B, 60)].into());
        // The remainder is the engine's.
        assert_eq!(sums.cpu_ns, [(A, 750), (B, 250), (Party::Engine, 1)].into());
    }

    #[test]
    fn what_leaves_a_switch_is_of_those_who_sent_into_it() {
        let pipes = [from(End::Node(0), SWITCH), from(End::Node(1), SWITCH)].concat();
        let mut sums = Sums::default();
        // Each frame crosses two pipes, and counts where it leaves for a node.
        sums.add(&work(800, &[(0, 3, 3000), (1, 1, 1000), (2, 1, 1000), (3, 3, 3000)]), &pipes);
        assert_eq!(sums.bytes, [(A, 3000), (B, 1000), (Party::Unattributed, 0)].into());
        assert_eq!(sums.cpu_ns, [(A, 600), (B, 200), (Party::Engine, 0)].into());
        // Frames that were already on their way.
        let mut sums = Sums::default();
        sums.add(&work(100, &[(1, 2, 500)]), &pipes);
        assert_eq!(sums.bytes, [(Party::Unattributed, 500)].into());
        assert_eq!(sums.cpu_ns, [(Party::Engine, 100)].into());
    }
    #[test]
    fn switches_that_are_joined_are_one_segment() {
        // 0, 1, 4 and 5 are switches; 0 and 4 are joined through 1, and 5 stands by itself.
        let is_switch = |number| [0, 1, 4, 5].contains(&number);
        let links = [[0, 2], [0, 1], [4, 1], [3, 4], [5, 3]];
        let mut joined = joined(6, &links, is_switch);
        assert_eq!([0, 1, 4, 5].map(|switch| joined.first_of(switch)), [0, 0, 0, 5]);
    }
}
