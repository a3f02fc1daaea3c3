//! Two networks that a link joins: they deliver and drop what one network would, at the same times,
//! however long announcements are on their way, and whatever is cut meanwhile.

use std::collections::BTreeMap;

use netloom_fabric::testing::{TestFrame, TestMemory};
use netloom_fabric::{
    Link, LinkEnd, LinkId, Loss, Misdirected, Network, Observer, PipeId, PipeSlot, PortId,
    SegmentId,
};
use netloom_link::{
    Announced, Cut, Delivery, Direction, DropReason, FrameEvent, Pipe, PipeChange, PipeConfig,
    PipeStatistics, Stream,
};
use netloom_units::{Duration, Time};
use proptest::prelude::*;

/// The link that joins the two networks.
const CROSSING: LinkId = LinkId(2);

const PROPERTIES: [&str; 6] = [
    r#"{"delay":"3ms"}"#,
    r#"{"rate":"2Mbit/s","delay":"1ms","queue":{"limit":"5packets"}}"#,
    r#"{"delay":"4ms","jitter":"2ms","loss":"10%"}"#,
    r#"{"rate":"5Mbit/s","delay":"2ms","duplicate":"20%","reorder":{"probability":"20%"}}"#,
    r#"{"rate":"3Mbit/s","delay":"2ms","corrupt":"5%","queue":{"discipline":"codel"}}"#,
    r#"{"rate":"4Mbit/s","delay":"2ms","background":[{"cbr":{"rate":"1Mbit/s"},"size":"500B"}]}"#,
];

const CHANGES: [&str; 6] = [
    r#"{"state":"down"}"#,
    r#"{"state":"up"}"#,
    r#"{"state":"down","in_flight":"deliver"}"#,
    r#"{"state":"down","in_flight":"drop"}"#,
    r#"{"delay":"6ms"}"#,
    r#"{"delay":"500us"}"#,
];

/// What happens to a pair of networks from outside.
#[derive(Debug, Clone)]
enum Input {
    /// A frame of some bytes enters at a port, for another one, or for all.
    Send { from: u32, to: Option<u32>, bytes: usize },
    /// The directions of the crossing link are changed.
    Change { both: bool, change: usize },
}

/// Everything that can be observed of networks, in an order that does not depend on their number.
#[derive(Debug, PartialEq)]
struct Seen {
    /// Frames that left by ports.
    delivered: Vec<(Time, u32, u64, Vec<u8>)>,
    arrived: Vec<(PipeId, Time, String)>,
    dropped: Vec<(PipeId, Time, &'static str)>,
    log: Vec<(PipeId, Time, String)>,
    lost: u64,
    statistics: Vec<PipeStatistics>,
}

#[derive(Debug, Default)]
struct Watcher {
    arrived: Vec<(PipeId, Time, String)>,
    dropped: Vec<(PipeId, Time, &'static str)>,
    log: Vec<(PipeId, FrameEvent)>,
    lost: u64,
}

impl Observer<TestFrame> for Watcher {
    fn dropped(&mut self, pipe: PipeSlot, at: Time, reason: DropReason, _: &TestFrame) {
        self.dropped.push((pipe.id, at, reason.name()));
    }

    fn delivered(&mut self, pipe: PipeSlot, delivery: &Delivery<TestFrame>) {
        self.arrived.push((pipe.id, delivery.release, format!("{:?}", delivery.passage)));
    }

    fn forwarded(&mut self, pipe: PipeSlot, delivery: &Delivery<TestFrame>) {
        self.delivered(pipe, delivery);
    }

    fn lost(&mut self, _: PipeSlot, _: Loss, frames: u64) {
        self.lost += frames;
    }

    fn settled(&mut self, pipe: PipeSlot, state: &mut Pipe<TestFrame>) {
        let events = std::iter::from_fn(|| state.poll_event());
        self.log.extend(events.map(|event| (pipe.id, event)));
    }
}

type TestNetwork = Network<TestMemory, Watcher>;

/// One network, or two that a link joins.
struct World {
    networks: Vec<TestNetwork>,
    now: Time,
    delivered: Vec<(Time, u32, u64, Vec<u8>)>,
    /// Frames between the networks: when the announcement comes, to which network, by which pipe.
    coming: Vec<(Time, usize, PipeId, Announced<TestFrame>)>,
    cuts: Vec<(usize, PipeId, Cut)>,
    /// Which network makes a change first, and how much later the other one makes it.
    skew: (usize, Duration),
    /// How long announcements take, in percent of the time until the release.
    transport: u64,
}

impl World {
    /// Two hosts at a switch, the crossing link, and two hosts at another switch. Without
    /// `switches`, only the first hosts are there, and the crossing link joins them.
    fn new(networks: usize, switches: bool, properties: &str, logged: bool) -> Self {
        let network = || Network::new(TestMemory::default(), Watcher::default());
        let networks: Vec<TestNetwork> = (0..networks).map(|_| network()).collect();
        let (now, transport) = (Time::ZERO, 0);
        let (coming, cuts, skew) = (vec![], vec![], (1, Duration::ZERO));
        let mut world = Self { networks, now, delivered: vec![], coming, cuts, skew, transport };
        let local = r#"{"rate":"10Mbit/s","delay":"100us"}"#;
        let switch = |number| LinkEnd::switch(SegmentId(number));
        let port = |number| LinkEnd::Port(PortId(number));
        if !switches {
            world.join(CROSSING, [port(0), port(2)], properties, logged);
            return world;
        }
        world.join(LinkId(0), [port(0), switch(1)], local, logged);
        world.join(LinkId(1), [port(1), switch(1)], local, logged);
        world.join(CROSSING, [switch(1), switch(2)], properties, logged);
        world.join(LinkId(3), [port(2), switch(2)], local, logged);
        world.join(LinkId(4), [port(3), switch(2)], local, logged);
        world
    }

    fn join(&mut self, id: LinkId, ends: [LinkEnd; 2], properties: &str, logged: bool) {
        let mut config = PipeConfig::default();
        change(properties).apply_to(&mut config);
        let pipe = |direction| {
            let stream = Stream::of_pipe(7, &format!("l{}", id.0), direction);
            let mut pipe = Pipe::new(config.clone(), stream, Time::ZERO);
            pipe.record_events(logged);
            pipe
        };
        let pipes = || Direction::BOTH.map(pipe);
        let away = |end: &LinkEnd| LinkEnd::Away { is_segment: end.segment_port().is_some() };
        let [a, b] = ends;
        match &mut self.networks[..] {
            [first, second] if id == CROSSING => {
                let (far, near) = (away(&b), away(&a));
                first.join(id, Link { ends: [a, far], pipes: pipes() }, Time::ZERO);
                second.join(id, Link { ends: [near, b], pipes: pipes() }, Time::ZERO);
            }
            [first, second] => {
                let here = if id < CROSSING { first } else { second };
                here.join(id, Link { ends: [a, b], pipes: pipes() }, Time::ZERO);
            }
            all => all[0].join(id, Link { ends: [a, b], pipes: pipes() }, Time::ZERO),
        }
    }

    /// The network of a port.
    fn home(&mut self, port: u32) -> &mut TestNetwork {
        let last = self.networks.len() - 1;
        &mut self.networks[if port < 2 { 0 } else { last }]
    }

    /// Does everything that is due now.
    fn settle(&mut self) {
        let mut is_idle = false;
        while !is_idle {
            is_idle = true;
            let now = self.now;
            let coming = std::mem::take(&mut self.coming).into_iter();
            let (due, later): (Vec<_>, Vec<_>) = coming.partition(|(at, ..)| *at <= now);
            self.coming = later;
            for (_, to, pipe, announced) in due {
                self.networks[to].announce(pipe, announced).expect("the link is there");
                is_idle = false;
            }
            for (to, pipe, cut) in std::mem::take(&mut self.cuts) {
                self.networks[to].announce_cut(pipe, cut).expect("the link is there");
                is_idle = false;
            }
            for (from, network) in self.networks.iter_mut().enumerate() {
                while let Some(delivered) = network.poll(now) {
                    let bytes = delivered.delivery.frame.bytes().to_vec();
                    let number = delivered.delivery.passage.number;
                    self.delivered.push((now, delivered.port.0, number, bytes));
                }
                is_idle &= !network.has_work();
                while let Some((pipe, cut)) = network.poll_cut() {
                    self.cuts.push((1 - from, pipe.id, cut));
                    is_idle = false;
                }
                while let Some((pipe, announced)) = network.poll_sent() {
                    let left = announced.delivery.release.since(now).as_nanos();
                    let at = now + Duration::from_nanos(left * self.transport / 100);
                    self.coming.push((at, 1 - from, pipe.id, announced));
                    is_idle = false;
                }
            }
        }
    }

    fn run_until(&mut self, until: Time) {
        loop {
            self.settle();
            let next = self.networks.iter_mut().filter_map(Network::next_deadline);
            let next = next.chain(self.coming.iter().map(|(at, ..)| *at)).min();
            match next.filter(|next| *next <= until) {
                Some(next) => self.now = self.now.max(next),
                None => break,
            }
        }
        self.now = until;
        self.settle();
    }

    fn put(&mut self, input: &Input) {
        let now = self.now;
        match input {
            Input::Send { from, to, bytes } => {
                let to = to.map_or([0xff; 6], mac);
                let frame = TestFrame::between(mac(*from), to, *bytes);
                self.home(*from).offer(PortId(*from), now, frame);
            }
            Input::Change { both, change: number } => {
                let pipes = Direction::BOTH.map(|direction| PipeId { link: CROSSING, direction });
                let pipes = &pipes[..if *both { 2 } else { 1 }];
                self.change(pipes, &change(CHANGES[*number]));
            }
        }
        self.settle();
    }

    /// Changes the crossing link. Each network changes both ends that it has, one of them first; a
    /// single network changes each direction when the network does in which it begins.
    fn change(&mut self, pipes: &[PipeId], change: &PipeChange) {
        let (first, later) = self.skew;
        for (turn, network) in [first, 1 - first].into_iter().enumerate() {
            let begins = |pipe: &&PipeId| pipe.direction.index() == network;
            let (here, pipes): (usize, Vec<PipeId>) = match self.networks.len() {
                1 => (0, pipes.iter().filter(begins).copied().collect()),
                _ => (network, pipes.to_vec()),
            };
            let changes: Vec<_> = pipes.iter().map(|pipe| (*pipe, change.clone())).collect();
            self.networks[here].change(self.now, &changes);
            if turn == 0 && later > Duration::ZERO {
                self.run_until(self.now + later);
            }
        }
    }

    fn seen(mut self) -> Seen {
        let now = self.now;
        let mut counted = BTreeMap::new();
        let last = self.networks.len() - 1;
        let mut all = Watcher::default();
        for (place, network) in self.networks.iter_mut().enumerate() {
            network.count_arrivals(now);
            for (PipeSlot { id, .. }, pipe) in network.pipes(0) {
                // The account of a pipe is where it begins.
                let home = if id.direction == Direction::Forward { 0 } else { last };
                if id.link != CROSSING || home == place {
                    counted.insert(id, pipe.statistics(now));
                }
            }
            let watcher = network.observer_mut();
            all.arrived.append(&mut watcher.arrived);
            all.dropped.append(&mut watcher.dropped);
            all.log.append(&mut watcher.log);
            all.lost += watcher.lost;
        }
        let log = all.log.into_iter().map(|(pipe, event)| (pipe, event.at, format!("{event:?}")));
        let mut seen = Seen {
            delivered: self.delivered,
            arrived: all.arrived,
            dropped: all.dropped,
            log: log.collect(),
            lost: all.lost,
            statistics: counted.into_values().collect(),
        };
        seen.delivered.sort();
        seen.arrived.sort();
        seen.dropped.sort();
        seen.log.sort();
        seen
    }
}

fn change(text: &str) -> PipeChange {
    serde_json::from_str(text).expect("a valid change")
}

fn mac(port: u32) -> [u8; 6] {
    [2, 0, 0, 0, 0, port as u8]
}

/// Returns what happens in one network or two.
fn run(mut world: World, inputs: &[(u64, Input)], transport: u64) -> Seen {
    world.transport = transport;
    for (gap, input) in inputs {
        world.run_until(world.now + Duration::from_nanos(*gap));
        world.put(input);
    }
    world.run_until(world.now + Duration::from_millis(500));
    world.seen()
}

fn inputs(switches: bool) -> impl Strategy<Value = Vec<(u64, Input)>> {
    let ports: Vec<u32> = if switches { vec![0, 1, 2, 3] } else { vec![0, 2] };
    let port = prop::sample::select(ports);
    let to = prop::option::of(port.clone());
    let send =
        (port, to, 46usize..1400).prop_map(|(from, to, bytes)| Input::Send { from, to, bytes });
    let change = (any::<bool>(), 0..CHANGES.len());
    let change = change.prop_map(|(both, change)| Input::Change { both, change });
    let input = prop_oneof![8 => send, 1 => change];
    prop::collection::vec((0u64..1_500_000, input), 1..150)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn cuts_that_two_networks_make_at_different_times_are_those_of_the_beginning(
        inputs in inputs(false),
        properties in prop::sample::select(PROPERTIES.to_vec()),
        transport in 0u64..=100,
        skew in (0usize..2, (0u64..3000).prop_map(Duration::from_micros)),
    ) {
        let [one, two] = [1, 2].map(|networks| {
            let world = World::new(networks, false, properties, true);
            run(World { skew, ..world }, &inputs, transport)
        });
        // Frames may be late where the far end waits for the other one's word, but no others
        // arrive, and none is lost.
        prop_assert_eq!(one.arrived, two.arrived);
        prop_assert_eq!((one.dropped, one.log, one.lost), (two.dropped, two.log, two.lost));
        prop_assert_eq!(one.statistics, two.statistics);
    }

    #[test]
    fn two_networks_do_what_one_does(
        (switches, inputs) in any::<bool>().prop_flat_map(|with| (Just(with), inputs(with))),
        properties in prop::sample::select(PROPERTIES.to_vec()),
        logged in any::<bool>(),
        transport in 0u64..=100,
    ) {
        let world = |networks| World::new(networks, switches, properties, logged);
        let one = run(world(1), &inputs, 0);
        prop_assert_eq!(one, run(world(2), &inputs, transport));
    }
}

#[test]
fn a_cut_drops_what_is_between_the_networks() {
    let mut world = World::new(2, false, r#"{"delay":"3ms"}"#, false);
    let send = Input::Send { from: 0, to: Some(2), bytes: 100 };
    let at = |micros| Time::ZERO + Duration::from_micros(micros);
    world.transport = 50;
    for micros in [0, 500, 1000, 2500] {
        world.run_until(at(micros));
        world.put(&send);
    }
    // One has arrived, one arrives now, one was announced, and one announcement is on its way.
    world.run_until(at(3500));
    world.put(&Input::Change { both: true, change: 3 });
    world.put(&Input::Change { both: true, change: 1 });
    world.run_until(at(3600));
    world.put(&send);
    world.run_until(at(10_000));
    let seen = world.seen();
    let times: Vec<Time> = seen.delivered.iter().map(|(time, ..)| *time).collect();
    assert_eq!(times, [at(3000), at(3500), at(6600)]);
    let forward = PipeId { link: CROSSING, direction: Direction::Forward };
    assert_eq!(seen.dropped, vec![(forward, at(3500), "down"); 2]);
    assert_eq!(seen.statistics[0].delivered.frames, 3);
}

#[test]
fn the_sender_wakes_when_frames_leave_its_line_and_not_when_they_arrive() {
    let mut world = World::new(2, false, r#"{"rate":"8Mbit/s","delay":"3ms"}"#, false);
    world.put(&Input::Send { from: 0, to: Some(2), bytes: 986 });
    let [first, second] = &mut world.networks[..] else { panic!("there are two") };
    let line_end = first.next_deadline().expect("it is on the line");
    assert!(first.poll(line_end).is_none());
    let (pipe, announced) = first.poll_sent().expect("it has left the line");
    assert_eq!(announced.delivery.passage.serialized, line_end);
    assert_eq!(first.next_deadline(), None);
    let release = line_end + Duration::from_millis(3);
    assert_eq!((announced.delivery.release, announced.cuts), (release, 0));
    second.announce(pipe.id, announced).expect("the link is there");
    assert_eq!(second.next_deadline(), Some(release));
    assert_eq!(second.poll(release).expect("it is due").port, PortId(2));
}

#[test]
fn a_frame_for_a_link_that_is_not_there_is_refused_and_one_for_a_removed_link_is_lost() {
    let mut world = World::new(2, false, r#"{"delay":"3ms"}"#, false);
    let send = Input::Send { from: 0, to: Some(2), bytes: 100 };
    world.put(&send);
    let [first, second] = &mut world.networks[..] else { panic!("there are two") };
    let parted = second.part(CROSSING, Time::ZERO).expect("it is there");
    assert_eq!(parted.ends, [LinkEnd::Away { is_segment: false }, LinkEnd::Port(PortId(2))]);
    assert_eq!(second.observer().lost, 1);
    first.offer(PortId(0), Time::ZERO, TestFrame::of_bytes(&[0; 100]));
    assert!(first.poll(Time::ZERO).is_none());
    let (pipe, announced) = first.poll_sent().expect("it has no rate");
    assert_eq!(second.announce(pipe.id, announced), Err(Misdirected));
    // A link that comes back counts its cuts on.
    second.join(CROSSING, parted, Time::ZERO);
    first.offer(PortId(0), Time::ZERO, TestFrame::of_bytes(&[0; 100]));
    assert!(first.poll(Time::ZERO).is_none());
    let (pipe, announced) = first.poll_sent().expect("it has no rate");
    // Its own pipes do not come from elsewhere.
    let back = PipeId { direction: Direction::Reverse, ..pipe.id };
    let copy = Announced {
        delivery: Delivery { frame: TestFrame::of_bytes(&[0; 14]), ..announced.delivery },
        sequence: 0,
        cuts: 0,
    };
    assert_eq!(second.announce(back, copy), Err(Misdirected));
}
