//! Machines with an underlay between them, in virtual time.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use netloom_fabric::testing::TestFrame;
use netloom_fabric::{
    Link, LinkEnd, LinkId, PipeId, PipeSlot, PortId, SegmentId, SegmentPort, StationPort,
    SwitchPort, TreeSettings,
};
use netloom_link::{
    Cut, Direction, Frame as _, Header, LogEncoder, LogEntry, LogHeader, MacKey, Pipe,
    PipeStatistics, Stream,
};
use netloom_medium::{
    MediumConfig, MediumSetup, Phy, Point, Setting, StationConfig, StationId, Trajectory,
};
use netloom_spanning_tree::{BridgeId, Priority};
use netloom_tunnel::{Path, PipeCount, PipeCut, Receiver, Sender};
use netloom_units::{Duration, Time};

use crate::common::Keyed;
use crate::machine::{Clock, Machine, TestNetwork, announced_by, header_of, record_of};
use crate::scenario::{CHANGES, Input, Scenario, Switching, TAGGED, change};
use crate::underlay::{Conditions, Datagram, Underlay};

/// The clocks of the machines. None is slower than the first one.
const CLOCKS: [Clock; 3] = [
    Clock { offset: 0, ppm: 0 },
    Clock { offset: 100_000_000_000_000, ppm: 40 },
    Clock { offset: -3_600_500_000_000, ppm: 83_333 },
];

/// Machines.
#[derive(Debug)]
pub struct World {
    machines: Vec<Machine>,
    /// The machine of each node.
    place: Vec<usize>,
    /// The machine at each end of each link.
    homes: Vec<[usize; 2]>,
    underlay: Underlay,
    now: Time,
    counted: Time,
    delivered: Vec<Received>,
    /// Frames that were sent to another machine and that came from there, by pipe and sequence.
    sent: BTreeSet<(PipeId, u64)>,
    came: BTreeSet<(PipeId, u64)>,
    /// Hosts that have a tagged port.
    tagged: BTreeSet<u32>,
    late: Vec<(PipeId, Duration)>,
    losses: Vec<(PipeId, u64)>,
}

/// A frame that reached a host.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Received {
    pub at: Time,
    pub port: u32,
    pub number: u64,
    pub bytes: Vec<u8>,
    pub header: Option<Header>,
}

/// Everything that can be observed of the model, in an order that does not depend on machines.
#[derive(Debug, PartialEq)]
pub struct Seen {
    pub delivered: Vec<Received>,
    pub arrived: Vec<(PipeId, Time, u64, bool)>,
    pub dropped: Vec<(PipeId, Time, &'static str)>,
    /// The frame log, in its binary form, and the logs of media.
    pub logs: Vec<u8>,
    pub air: Vec<(u32, Vec<u8>)>,
    pub lost: u64,
    pub statistics: BTreeMap<PipeId, PipeStatistics>,
}

/// What a run shows.
#[derive(Debug)]
pub struct Outcome {
    pub seen: Seen,
    /// Pipes between machines.
    pub cut: Vec<PipeId>,
    /// Number of frames that came from other machines.
    pub crossed: usize,
    /// Number of datagrams that overtook others.
    pub overtaken: u64,
    /// Frames that came after their release, in order.
    pub late: Vec<(PipeId, Duration)>,
    /// Frames that the receivers counted as lost, by pipe and sequence, in order.
    pub losses: Vec<(PipeId, u64)>,
    /// Frames that were sent and did not come.
    pub missing: Vec<(PipeId, u64)>,
}

impl Seen {
    /// # Panics
    /// If anything differs.
    pub fn assert_equals(&self, other: &Self) {
        assert_eq!(self.delivered.len(), other.delivered.len(), "frames delivered");
        for (one, many) in self.delivered.iter().zip(&other.delivered) {
            assert_eq!(one, many, "delivered on one machine, and on several");
        }
        for (one, many) in self.arrived.iter().zip(&other.arrived) {
            assert_eq!(one, many, "arrived on one machine, and on several");
        }
        assert_eq!(self, other);
    }
}

impl World {
    /// Divides a scenario's network among machines, as `place` says for each node. A link that
    /// cannot be cut keeps its second end where its first one is.
    pub fn new(
        scenario: &Scenario,
        machines: usize,
        place: &[usize],
        conditions: Conditions,
    ) -> Self {
        let mut place = place[..scenario.nodes()].to_vec();
        let mut homes = Vec::new();
        for (number, link) in scenario.links.iter().enumerate() {
            let [near, far] = link.nodes.map(|node| node as usize);
            if !scenario.may_be_cut(number) {
                place[far] = place[near];
            }
            homes.push([place[near], place[far]]);
        }
        let machine = |me| machine(me, machines, &homes, &conditions);
        let machines = (0..machines).map(machine).collect();
        let mut world = Self {
            machines,
            place,
            homes,
            underlay: Underlay::new(conditions),
            now: Time::ZERO,
            counted: Time::ZERO,
            delivered: Vec::new(),
            sent: BTreeSet::new(),
            came: BTreeSet::new(),
            tagged: scenario
                .hosts()
                .into_iter()
                .filter(|host| scenario.has_tagged(*host))
                .collect(),
            late: Vec::new(),
            losses: Vec::new(),
        };
        (0..scenario.links.len()).for_each(|link| world.join(scenario, link));
        world
    }

    fn join(&mut self, scenario: &Scenario, number: usize) {
        let plan = &scenario.links[number];
        let id = LinkId(number as u32);
        let homes = self.homes[number];
        for (me, machine) in self.machines.iter_mut().enumerate() {
            if !homes.contains(&me) {
                continue;
            }
            let end = |end: usize| {
                let [node, other] = [plan.nodes[end], plan.nodes[1 - end]];
                let is_switch = node < scenario.switches;
                match homes[end] == me {
                    _ if scenario.media.contains(&node) => station(scenario, node, other),
                    false => LinkEnd::Away { is_segment: is_switch },
                    true if is_switch => switch_port(node, scenario.switching),
                    true => host(scenario, node),
                }
            };
            let pipes = Direction::BOTH.map(|direction| {
                let stream = Stream::of_pipe(7, &format!("l{number}"), direction);
                let config = plan.pipes[direction.index()].clone();
                let mut pipe = Pipe::new(config, stream, Time::ZERO);
                pipe.record_events(scenario.logged);
                pipe
            });
            machine.network.join(id, Link { ends: [end(0), end(1)], pipes }, Time::ZERO);
        }
    }

    pub fn now(&self) -> Time {
        self.now
    }

    pub fn run_until(&mut self, until: Time) {
        loop {
            self.settle();
            let networks = self.machines.iter_mut();
            let next = networks.filter_map(|machine| machine.network.next_deadline());
            let next = next.chain(self.underlay.next_arrival()).min();
            match next.filter(|next| *next <= until) {
                Some(next) => self.now = self.now.max(next),
                None => break,
            }
        }
        self.now = until;
        self.settle();
    }

    pub fn put(&mut self, input: &Input) {
        let now = self.now;
        match input {
            Input::Send { from, to, flow, bytes, tagged, piece } => {
                let to = to.map_or([0xff; 6], mac);
                let frame = TestFrame::between(mac(*from), to, *bytes).in_pieces(*piece);
                let frame = match header_of(*flow) {
                    Some(header) => frame.with_header(header),
                    None => frame,
                };
                let home = self.place[*from as usize];
                let port =
                    if *tagged && self.tagged.contains(from) { *from + TAGGED } else { *from };
                self.machines[home].network.offer(PortId(port), now, frame);
            }
            Input::Change { link, both, change: number } => {
                let pipe = |direction| PipeId { link: LinkId(*link), direction };
                let pipes = Direction::BOTH.map(pipe);
                let pipes = &pipes[..if *both { 2 } else { 1 }];
                let changes: Vec<_> =
                    pipes.iter().map(|pipe| (*pipe, change(CHANGES[*number]))).collect();
                // The last machine makes a cut before the others.
                let machines = self.machines.iter_mut().rev();
                machines.for_each(|machine| machine.network.change(now, &changes));
            }
        }
        self.settle();
        self.exchange_counts();
    }

    /// Does everything that is due now.
    fn settle(&mut self) {
        let mut is_idle = false;
        while !is_idle {
            is_idle = true;
            for datagram in self.underlay.arrived(self.now) {
                self.receive(datagram);
            }
            for me in 0..self.machines.len() {
                let network = &mut self.machines[me].network;
                while let Some(delivered) = network.poll(self.now) {
                    let frame = delivered.delivery.frame;
                    self.delivered.push(Received {
                        at: self.now,
                        port: delivered.port.0,
                        number: delivered.delivery.passage.number,
                        bytes: frame.bytes().to_vec(),
                        header: frame.header(),
                    });
                }
                is_idle &= !network.has_work();
                is_idle &= !self.flush(me);
            }
            is_idle &= self.underlay.next_arrival().is_none_or(|at| at > self.now);
        }
    }

    /// Sends the frames that have left lines to other machines. Returns whether there were any.
    fn flush(&mut self, me: usize) -> bool {
        let Machine { network, clock, senders, .. } = &mut self.machines[me];
        let before = self.sent.len();
        while let Some((PipeSlot { id, .. }, cut)) = network.poll_cut() {
            let Cut { number, at } = cut;
            let cut = PipeCut { pipe: id.index() as u32, number, at: clock.stamp(at) };
            let to = self.homes[id.link.index()][1 - id.direction.index()];
            for bytes in senders[to].cuts(&[cut]).datagrams() {
                self.underlay.send(self.now, me, to, bytes);
            }
        }
        while let Some((PipeSlot { id, .. }, announced)) = network.poll_sent() {
            let record = record_of(id, &announced, *clock);
            let to = self.homes[id.link.index()][1 - id.direction.index()];
            senders[to].push(&record, [announced.delivery.frame.bytes(), &[]]);
            for sequence in record.sequence..record.sequence + u64::from(record.frames) {
                assert!(self.sent.insert((id, sequence)), "{id}: {sequence} was sent twice");
            }
        }
        for (to, sender) in senders.iter_mut().enumerate() {
            let burst = sender.finish();
            let datagrams = burst.datagrams();
            datagrams.for_each(|bytes| self.underlay.send(self.now, me, to, bytes));
        }
        self.sent.len() > before
    }

    fn receive(&mut self, datagram: Datagram) {
        let Datagram { from, to, mut bytes, .. } = datagram;
        let clock = self.machines[from].clock;
        let Machine { network, receivers, .. } = &mut self.machines[to];
        // A duplicate is refused.
        let _ = receivers[from].datagram(&mut bytes, |record, frame| {
            let pipe = PipeId::from_index(record.pipe);
            for sequence in record.sequence..record.sequence + u64::from(record.frames) {
                assert!(self.came.insert((pipe, sequence)), "{pipe}: {sequence} came twice");
            }
            let announced = announced_by(record, frame, clock);
            let release = announced.delivery.release;
            if self.now > release {
                self.late.push((pipe, self.now.since(release)));
            }
            network.announce(pipe, announced).expect("the link is there");
        });
        while let Some(PipeCut { pipe, number, at }) = receivers[from].next_cut() {
            let cut = Cut { number, at: clock.time_at(at) };
            network.announce_cut(PipeId::from_index(pipe), cut).expect("the link is there");
        }
        self.note_losses(from, to);
    }

    fn note_losses(&mut self, from: usize, to: usize) {
        while let Some(loss) = self.machines[to].receivers[from].next_loss() {
            let pipe = PipeId::from_index(loss.pipe);
            self.losses.extend((loss.first..loss.first + loss.frames).map(|frame| (pipe, frame)));
        }
    }

    /// Sends what was sent, if the last time was long enough ago that what came later than that
    /// does not come any more.
    fn exchange_counts(&mut self) {
        if self.now < self.counted + Duration::from_millis(5) {
            return;
        }
        self.counted = self.now;
        for from in 0..self.machines.len() {
            for to in 0..self.machines.len() {
                for bytes in self.counts(from, to) {
                    self.underlay.send(self.now, from, to, &bytes);
                }
            }
        }
    }

    /// Returns datagrams of counts.
    fn counts(&mut self, from: usize, to: usize) -> Vec<Vec<u8>> {
        let Machine { network, senders, .. } = &mut self.machines[from];
        let pipes = network.pipes(0).filter(|(PipeSlot { id, .. }, _)| {
            let homes = self.homes[id.link.index()];
            let [near, far] = [id.direction.index(), 1 - id.direction.index()];
            from != to && homes[near] == from && homes[far] == to
        });
        let count = |(slot, pipe): (PipeSlot, &mut Pipe<TestFrame>)| PipeCount {
            pipe: slot.id.index() as u32,
            sent: pipe.wire_frames_sent(),
        };
        let counts: Vec<PipeCount> = pipes.map(count).collect();
        senders[to].counts(&counts).datagrams().map(<[u8]>::to_vec).collect()
    }

    /// Ends the run.
    pub fn outcome(mut self) -> Outcome {
        for from in 0..self.machines.len() {
            for to in 0..self.machines.len() {
                for mut bytes in self.counts(from, to) {
                    let receiver = &mut self.machines[to].receivers[from];
                    receiver.datagram(&mut bytes, |_, _| {}).expect("the counts are sound");
                }
                self.machines[to].receivers[from].settle();
                self.note_losses(from, to);
                self.check_tallies(from, to);
            }
        }
        self.losses.sort();
        let pipe = |(link, homes): (usize, &[usize; 2])| {
            let link = LinkId(link as u32);
            let pipes = Direction::BOTH.map(|direction| PipeId { link, direction });
            (homes[0] != homes[1]).then_some(pipes)
        };
        Outcome {
            cut: self.homes.iter().enumerate().filter_map(pipe).flatten().collect(),
            crossed: self.came.len(),
            overtaken: self.underlay.overtaken,
            late: std::mem::take(&mut self.late),
            losses: std::mem::take(&mut self.losses),
            missing: self.sent.difference(&self.came).copied().collect(),
            seen: self.seen(),
        }
    }

    /// Each frame that was sent has come or is lost.
    fn check_tallies(&mut self, from: usize, to: usize) {
        let tallies: Vec<_> = self.machines[to].receivers[from].tallies().collect();
        for (pipe, tally) in tallies {
            let pipe = PipeId::from_index(pipe);
            let network = &mut self.machines[from].network;
            let (_, state) = network.pipe(pipe).expect("it begins there");
            let sent = state.wire_frames_sent();
            assert_eq!((sent, tally.missing), (tally.received + tally.lost, 0), "{pipe}");
        }
    }

    fn seen(mut self) -> Seen {
        let now = self.now;
        let mut statistics = BTreeMap::new();
        let (mut arrived, mut dropped, mut log, mut lost) = (vec![], vec![], vec![], 0);
        let mut air = Vec::new();
        for (me, machine) in self.machines.iter_mut().enumerate() {
            machine.network.count_arrivals(now);
            let parts = machine.network.take_air_logs(now).into_iter();
            air.extend(parts.map(|part| (part.medium.0, part.bytes)));
            for (PipeSlot { id, .. }, pipe) in machine.network.pipes(0) {
                // The account of a pipe is where it begins.
                if self.homes[id.link.index()][id.direction.index()] == me {
                    statistics.insert(id, pipe.statistics(now));
                }
            }
            let watcher = machine.network.observer_mut();
            arrived.append(&mut watcher.arrived);
            dropped.append(&mut watcher.dropped);
            log.append(&mut watcher.log);
            lost += watcher.lost;
        }
        // Frames that arrive at the same time at different places have no order.
        self.delivered.sort_by_key(|frame| (frame.at, frame.port));
        arrived.sort_by_key(|(pipe, at, ..)| (*at, *pipe));
        dropped.sort_by_key(|(pipe, at, _)| (*at, *pipe));
        log.sort_by_key(|(pipe, _)| *pipe);
        air.sort();
        let names = (0..2 * self.homes.len()).map(|pipe| format!("p{pipe}"));
        let header = LogHeader { zero_unix_ns: 0, pipes: names.collect() };
        let mut logs = Vec::new();
        let mut encoder = LogEncoder::new(&header, &mut logs);
        for (pipe, event) in log {
            encoder.encode(&LogEntry::Frame(pipe.index() as u32, event), &mut logs);
        }
        Seen { delivered: self.delivered, arrived, dropped, logs, air, lost, statistics }
    }
}

/// A machine without links. Only pipes that are cut come from others.
fn machine(me: usize, machines: usize, homes: &[[usize; 2]], conditions: &Conditions) -> Machine {
    let path = |from: usize, to: usize| Path { session: 99, number: (3 * from + to) as u32 };
    let sender = |to| {
        let segment = conditions.lengths.of(me, to);
        Sender::new(path(me, to), segment, Keyed(me as u64)).expect("a length that is allowed")
    };
    let receiver = |from: usize| {
        let pipes = (0..2 * homes.len() as u32).filter(move |pipe| {
            let PipeId { link, direction } = PipeId::from_index(*pipe);
            let homes = homes[link.index()];
            from != me && homes[direction.index()] == from && homes[1 - direction.index()] == me
        });
        Receiver::new(path(from, me), Keyed(from as u64), pipes)
    };
    Machine {
        network: TestNetwork::new(Default::default(), Default::default()),
        clock: CLOCKS[me],
        senders: (0..machines).map(sender).collect(),
        receivers: (0..machines).map(receiver).collect(),
    }
}

/// Returns a port of a switch.
fn switch_port(node: u32, switching: Switching) -> LinkEnd {
    let bridge = (switching == Switching::Tree)
        .then(|| BridgeId::new(Priority::default(), mac(100 + node)).into());
    let trunk = r#"{"trunk":{"allowed":"all","native":1}}"#;
    let vlans = (switching == Switching::Vlans)
        .then(|| serde_json::from_str(trunk).unwrap_or_else(|error| panic!("{trunk}: {error}")));
    let (switch, tree) = (SegmentId(node), TreeSettings::default());
    LinkEnd::Segment(SwitchPort { switch, vlans, bridge, tree }.into())
}

/// Returns the end of a link at a host.
fn host(scenario: &Scenario, node: u32) -> LinkEnd {
    let untagged = PortId(node);
    if !scenario.has_tagged(node) {
        return LinkEnd::Port(untagged);
    }
    let vlan = "10".parse().expect("a VLAN");
    LinkEnd::Trunk { untagged, vlans: vec![(vlan, PortId(node + TAGGED))] }
}

/// Returns the end of a link at a medium, whose other end is at a host, or at the switch that is
/// its access point.
fn station(scenario: &Scenario, medium: u32, node: u32) -> LinkEnd {
    let setting = Setting { name: format!("air{medium}"), seed: 1, ..Setting::default() };
    let config = MediumConfig::new(Phy::B);
    let access_point = node < scenario.switches;
    let name = format!("s{node}");
    let station = StationPort {
        medium: SegmentId(medium),
        setup: Arc::new(MediumSetup { config, setting, logged: true }),
        station: StationId(node),
        address: (!access_point).then(|| MacKey::new(mac(node))),
        config: StationConfig { name, access_point, ..StationConfig::default() },
        moves: Trajectory::fixed(Point::ZERO),
    };
    LinkEnd::Segment(SegmentPort::Station(Box::new(station)))
}

fn mac(host: u32) -> [u8; 6] {
    [2, 0, 0, 0, 0, host as u8]
}
