//! Whole networks in virtual time: chains of switches, VLANs, trunks, spanning trees, loops, and
//! links that are inserted and removed.

use std::collections::{BTreeMap, BTreeSet};

use netloom_fabric::testing::{TestFrame, TestMemory};
use netloom_fabric::{
    Frame as _, Link, LinkEnd, LinkId, Loss, Network, Observer, PipeId, PipeSlot, PortId,
    SegmentId, SwitchPort, TreeSettings, receiver_mtus,
};
use netloom_link::{Direction, Pipe, PipeChange, PipeConfig, PortVlans, Stream};
use netloom_spanning_tree::{BridgeId, PortState, Priority, Role, is_bpdu};
use netloom_units::{Duration, Time};
use proptest::prelude::*;

const BROADCAST: [u8; 6] = [0xff; 6];

/// Frames that left a network: time, port and bytes.
type Received = Vec<(Time, PortId, Vec<u8>)>;

#[derive(Debug, Default)]
struct Losses(BTreeMap<&'static str, u64>);

impl<F> Observer<F> for Losses {
    fn lost(&mut self, _: PipeSlot, loss: Loss, frames: u64) {
        let name = match loss {
            Loss::Malformed => "malformed",
            Loss::NoMemory => "no memory",
            Loss::Unplugged => "unplugged",
        };
        *self.0.entry(name).or_default() += frames;
    }
}

/// A network under test, with the frames that have left it.
struct Bench {
    network: Network<TestMemory, Losses>,
    now: Time,
    received: Received,
    links: u32,
}

impl Bench {
    fn new() -> Self {
        let network = Network::new(TestMemory::default(), Losses::default());
        Self { network, now: Time::ZERO, received: Vec::new(), links: 0 }
    }

    fn join(&mut self, ends: [LinkEnd; 2], properties: &str) -> LinkId {
        let id = LinkId(self.links);
        self.links += 1;
        let mut config = PipeConfig::default();
        change(properties).apply_to(&mut config);
        let name = format!("l{}", id.0);
        let pipe =
            |direction| Pipe::new(config.clone(), Stream::of_pipe(7, &name, direction), self.now);
        self.network.join(id, Link { ends, pipes: Direction::BOTH.map(pipe) }, self.now);
        id
    }

    fn poll(&mut self) {
        while let Some(delivered) = self.network.poll(self.now) {
            let bytes = delivered.delivery.frame.bytes().to_vec();
            self.received.push((self.now, delivered.port, bytes));
        }
    }

    /// Runs the network until `until`, but stops if frames hop for ever.
    fn run_until(&mut self, until: Time) {
        for _ in 0..1_000_000 {
            self.poll();
            let due = self.network.next_deadline().filter(|due| *due <= until);
            match (self.network.has_work(), due) {
                (true, _) => {}
                (false, Some(due)) => self.now = self.now.max(due),
                (false, None) => {
                    self.now = until;
                    return;
                }
            }
        }
        panic!("it does not come to rest");
    }

    fn run_for(&mut self, millis: u64) {
        self.run_until(self.now + Duration::from_millis(millis));
    }

    fn send(&mut self, port: u32, frame: TestFrame) {
        self.network.offer(PortId(port), self.now, frame);
        self.poll();
    }

    /// Returns the ports that have received anything but BPDUs since the last call, once for each
    /// frame.
    fn receivers(&mut self) -> Vec<u32> {
        let received = std::mem::take(&mut self.received);
        let frames = received.into_iter().filter(|(_, _, bytes)| !is_bpdu(bytes));
        let mut ports: Vec<u32> = frames.map(|(_, port, _)| port.0).collect();
        ports.sort_unstable();
        ports
    }
}

/// Host 1 and host 2 at a switch, with these MTUs: host 1, its port, the port of host 2, host 2.
/// Returns whether a frame of `bytes` from host 1 reaches host 2.
fn passes_a_switch(mtus: [u32; 4], bytes: usize) -> bool {
    let mut bench = Bench::new();
    let [a, here, there, b] = mtus.map(Some);
    for (end, mtus) in [(port(1), [a, here]), (port(2), [b, there])] {
        let link = bench.join([end, switch(1)], "{}");
        for (direction, mtu) in Direction::BOTH.into_iter().zip(receiver_mtus([false, true], mtus))
        {
            bench.network.set_receiver_mtu(bench.now, PipeId { link, direction }, mtu);
        }
    }
    let mut frame = vec![0; bytes];
    frame[..6].copy_from_slice(&BROADCAST);
    frame[6..12].copy_from_slice(&mac(1));
    frame[12] = 0x88;
    frame[13] = 0xb5;
    bench.send(1, TestFrame::of_bytes(&frame));
    bench.run_for(1);
    bench.receivers() == [2]
}

#[test]
fn ports_of_switches_have_an_mtu_in_both_directions() {
    for (mtus, expected) in [
        ([9000, 9000, 9000, 9000], true),
        ([9000, 9000, 9000, 1500], false),
        ([9000, 9000, 1500, 9000], false),
        ([9000, 1500, 9000, 9000], false),
        // A host sends what its own stack lets through.
        ([1500, 9000, 9000, 9000], true),
    ] {
        assert_eq!(passes_a_switch(mtus, 8000), expected, "{mtus:?}");
        assert!(passes_a_switch(mtus, 1514), "{mtus:?}");
    }
}

/// A switch forgets who was behind a port whose host has its interface down, as at a cut.
#[test]
fn an_end_that_is_down_is_a_cut_for_its_switch() {
    let mut bench = Bench::new();
    let links = [1, 2, 3].map(|host| bench.join([port(host), switch(1)], "{}"));
    let frame = |to: u32, from: u32| {
        let mut bytes = vec![0; 60];
        bytes[..6].copy_from_slice(&mac(to));
        bytes[6..12].copy_from_slice(&mac(from));
        bytes[12] = 0x88;
        bytes[13] = 0xb5;
        TestFrame::of_bytes(&bytes)
    };
    let reached = |bench: &mut Bench| {
        bench.send(2, frame(1, 2));
        bench.run_for(1);
        bench.receivers()
    };
    bench.send(1, frame(9, 1));
    bench.run_for(1);
    bench.receivers();
    assert_eq!(reached(&mut bench), [1]);
    bench.network.set_end(bench.now, links[0], 0, false);
    assert_eq!(reached(&mut bench), [1, 3]);
    bench.network.set_end(bench.now, links[0], 0, true);
    bench.send(1, frame(9, 1));
    bench.run_for(1);
    bench.receivers();
    assert_eq!(reached(&mut bench), [1]);
}

fn change(text: &str) -> PipeChange {
    serde_json::from_str(text).expect("a valid change")
}

fn mac(host: u32) -> [u8; 6] {
    [2, 0, 0, 0, 0, host as u8]
}

fn port(port: u32) -> LinkEnd {
    LinkEnd::Port(PortId(port))
}

fn switch(switch: u32) -> LinkEnd {
    LinkEnd::switch(SegmentId(switch))
}

fn vlan(switch: u32, text: &str) -> LinkEnd {
    let vlans: PortVlans = serde_json::from_str(text).expect("a port");
    let (switch, tree) = (SegmentId(switch), TreeSettings::default());
    LinkEnd::Segment(SwitchPort { switch, vlans: Some(vlans), bridge: None, tree }.into())
}

fn tree(switch: u32) -> LinkEnd {
    let bridge = Some(BridgeId::new(Priority::default(), mac(100 + switch)).into());
    let (switch, tree) = (SegmentId(switch), TreeSettings::default());
    LinkEnd::Segment(SwitchPort { switch, vlans: None, bridge, tree }.into())
}

#[test]
fn delays_add_up_through_switches_and_addresses_are_learned() {
    let mut bench = Bench::new();
    bench.join([port(1), switch(0)], r#"{"delay":"1ms"}"#);
    bench.join([switch(0), switch(1)], r#"{"delay":"20ms"}"#);
    bench.join([switch(1), port(2)], r#"{"delay":"300ms"}"#);
    bench.join([switch(1), port(3)], r#"{"delay":"7ms"}"#);
    bench.send(1, TestFrame::between(mac(1), mac(2), 50));
    bench.run_for(1000);
    let at = |millis| Time::ZERO + Duration::from_millis(millis);
    let when: Vec<_> = bench.received.iter().map(|(at, port, _)| (*at, port.0)).collect();
    assert_eq!(when, [(at(28), 3), (at(321), 2)], "nobody knows where 2 is");
    bench.received.clear();
    bench.send(2, TestFrame::between(mac(2), mac(1), 50));
    bench.run_for(1000);
    assert_eq!(bench.receivers(), [1]);
    bench.send(1, TestFrame::between(mac(1), mac(2), 50));
    bench.run_for(1000);
    assert_eq!(bench.receivers(), [2]);
}

#[test]
fn frames_stay_in_their_vlan_and_a_trunk_tells_them_apart() {
    let mut bench = Bench::new();
    for (host, id) in [(1, 10), (2, 10), (3, 20)] {
        bench.join([port(host), vlan(0, &format!(r#"{{"access":{id}}}"#))], "{}");
    }
    // The router's interface, and its sub-interfaces in both VLANs.
    let [ten, twenty] = ["10", "20"].map(|id| id.parse().expect("a VLAN"));
    let trunk =
        LinkEnd::Trunk { untagged: PortId(4), vlans: vec![(ten, PortId(5)), (twenty, PortId(6))] };
    bench.join([trunk, vlan(0, r#"{"trunk":{"allowed":"all"}}"#)], r#"{"delay":"1ms"}"#);
    bench.send(1, TestFrame::between(mac(1), BROADCAST, 50));
    bench.run_for(10);
    assert!(bench.received.iter().all(|(_, _, bytes)| bytes.len() == 64), "no tag is left");
    assert_eq!(bench.receivers(), [2, 5]);
    bench.send(6, TestFrame::between(mac(6), BROADCAST, 50));
    bench.run_for(10);
    assert_eq!(bench.receivers(), [3]);
    bench.send(4, TestFrame::between(mac(4), BROADCAST, 50));
    bench.run_for(10);
    assert_eq!(bench.receivers(), [0; 0], "a trunk without a native VLAN refuses untagged frames");
    let refused: Vec<_> = bench
        .network
        .segment_ends()
        .filter_map(|end| Some((end.link.0, end.status.vlan?.1)))
        .filter(|(_, drops)| drops.untagged.frames > 0)
        .map(|(link, drops)| (link, drops.untagged.frames))
        .collect();
    assert_eq!(refused, [(3, 1)]);
}

/// A ring of switches with spanning trees, and a host at each.
fn ring(switches: u32) -> Bench {
    let mut bench = Bench::new();
    for number in 0..switches {
        bench.join([tree(number), tree((number + 1) % switches)], r#"{"rate":"1Gbit/s"}"#);
    }
    for number in 0..switches {
        bench.join([port(number), tree(number)], "{}");
    }
    bench
}

#[test]
fn a_ring_with_a_tree_carries_each_frame_once_whatever_is_cut() {
    const SWITCHES: u32 = 5;
    let mut bench = ring(SWITCHES);
    bench.run_for(30_000);
    let everybody_but = |host| (0..SWITCHES).filter(|port| *port != host).collect::<Vec<_>>();
    for cut in 0..SWITCHES {
        let down = |state: &str| {
            let pipe = |direction| PipeId { link: LinkId(cut), direction };
            let set = change(&format!(r#"{{"state":"{state}"}}"#));
            Direction::BOTH.map(|direction| (pipe(direction), set.clone()))
        };
        for state in ["down", "up"] {
            bench.network.change(bench.now, &down(state));
            bench.run_for(30_000);
            bench.receivers();
            for host in 0..SWITCHES {
                bench.send(host, TestFrame::between(mac(host), BROADCAST, 50));
                bench.run_for(10);
                assert_eq!(bench.receivers(), everybody_but(host), "{cut} {state}");
            }
        }
    }
    let states = bench.network.segment_ends().filter_map(|end| end.status.tree);
    let waiting = states.filter(|tree| tree.port.state != PortState::Forwarding);
    let roles: Vec<Role> = waiting.map(|tree| tree.port.role).collect();
    assert_eq!(roles, [Role::Alternate], "one port keeps the ring open");
}

#[test]
fn a_loop_of_switches_keeps_nobody_from_everything_else() {
    let mut bench = Bench::new();
    bench.join([port(1), switch(0)], "{}");
    bench.join([switch(0), switch(1)], "{}");
    bench.join([switch(1), switch(0)], "{}");
    bench.send(1, TestFrame::between(mac(1), BROADCAST, 50));
    // Each round ends, and another one always follows.
    for _ in 0..100 {
        bench.poll();
        assert!(bench.network.has_work());
    }
    let slot = bench.network.pipe_from(PortId(1));
    assert!(bench.network.part(slot.id.link, bench.now).is_some());
    bench.network.drop_hops();
    assert!(!bench.network.has_work());
    assert!(bench.network.observer().0["unplugged"] > 0);
}

#[test]
fn what_finds_no_memory_is_counted() {
    let mut bench = Bench::new();
    for host in 0..4 {
        bench.join([port(host), switch(0)], "{}");
    }
    bench.network.memory().room = 2;
    bench.send(0, TestFrame::between(mac(0), BROADCAST, 50));
    bench.run_for(1);
    assert_eq!(bench.receivers(), [1, 2]);
    bench.send(0, TestFrame::of_bytes(&[0; 13]));
    let lost: Vec<_> = bench.network.observer().0.clone().into_iter().collect();
    assert_eq!(lost, [("malformed", 1), ("no memory", 1)]);
}

/// Two hosts at each of three switches in a row, with links that lose, jitter and queue.
fn row() -> Bench {
    let mut bench = Bench::new();
    let lossy = r#"{"rate":"5Mbit/s","delay":"3ms","jitter":"1ms","loss":"5%",
        "queue":{"limit":"20packets"}}"#;
    for host in 0..6 {
        bench.join([port(host), switch(host / 2)], lossy);
    }
    bench.join([switch(0), switch(1)], lossy);
    bench.join([switch(1), switch(2)], lossy);
    bench
}

/// Returns the frames that leave the network if frames arrive at these intervals in µs, and the
/// driver also polls it at other times.
fn outcome(arrivals: &[(u64, u32, u32)], looks: &BTreeSet<u64>) -> Received {
    let mut bench = row();
    let mut looks = looks.iter().map(|micros| Time::ZERO + Duration::from_micros(*micros));
    let mut next_look = looks.next();
    let mut at = Time::ZERO;
    for (gap, from, to) in arrivals {
        at += Duration::from_micros(*gap);
        while let Some(look) = next_look.filter(|look| *look < at) {
            bench.run_until(look);
            next_look = looks.next();
        }
        bench.run_until(at);
        bench.send(*from, TestFrame::between(mac(*from), mac(*to), 400));
    }
    bench.run_for(10_000);
    bench.received
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn what_happens_does_not_depend_on_when_somebody_looks(
        arrivals in prop::collection::vec((0u64..3000, 0u32..6, 0u32..6), 1..200),
        looks in prop::collection::btree_set(0u64..300_000, 0..100),
    ) {
        let once = outcome(&arrivals, &BTreeSet::new());
        prop_assert_eq!(&once, &outcome(&arrivals, &BTreeSet::new()), "nor on chance");
        prop_assert_eq!(once, outcome(&arrivals, &looks));
    }

    /// Hosts at switches and links between switches, at random. Some are removed again.
    #[test]
    fn a_broadcast_reaches_who_is_joined_and_nobody_else(
        hosts in prop::collection::vec((0u32..5, any::<bool>()), 1..20),
        // Each switch is joined to one with a lower number, so there are no loops.
        trunks in prop::collection::vec((any::<bool>(), any::<bool>()), 4),
    ) {
        let mut bench = Bench::new();
        let mut kept = Vec::new();
        let mut joined = [false; 4];
        let mut gone = Vec::new();
        for (number, (at, goes)) in (0u32..).zip(&hosts) {
            let link = bench.join([port(number), switch(*at)], r#"{"delay":"2ms"}"#);
            if *goes { gone.push(link) } else { kept.push((number, *at)) }
        }
        for (number, (comes, goes)) in (0u32..).zip(&trunks) {
            if *comes {
                let link = bench.join([switch(number), switch(number + 1)], "{}");
                if *goes { gone.push(link) } else { joined[number as usize] = true }
            }
        }
        for (number, _) in (0..).zip(&hosts) {
            bench.send(number, TestFrame::between(mac(number), BROADCAST, 50));
        }
        bench.now += Duration::from_millis(1);
        for link in gone {
            prop_assert!(bench.network.part(link, bench.now).is_some());
            prop_assert!(!bench.network.has(link));
        }
        bench.run_for(100);
        bench.receivers();
        let reaches = |a: u32, b: u32| (a.min(b)..a.max(b)).all(|trunk| joined[trunk as usize]);
        for (sender, at) in &kept {
            bench.send(*sender, TestFrame::between(mac(*sender), BROADCAST, 50));
            bench.run_for(100);
            let others = kept.iter().filter(|(host, there)| host != sender && reaches(*at, *there));
            let wanted: Vec<u32> = others.map(|(host, _)| *host).collect();
            prop_assert_eq!(bench.receivers(), wanted);
        }
        let trunks = joined.iter().filter(|joined| **joined).count();
        prop_assert_eq!(bench.network.links().count(), kept.len() + trunks);
    }
}

#[test]
fn a_link_comes_back_with_its_frames() {
    let mut bench = Bench::new();
    let id = bench.join([port(0), port(1)], r#"{"delay":"100ms"}"#);
    bench.send(0, TestFrame::between(mac(0), mac(1), 50));
    bench.run_for(50);
    let link = bench.network.part(id, bench.now).expect("the link");
    assert_eq!(bench.network.next_deadline(), None);
    bench.network.join(LinkId(9), link, bench.now);
    bench.run_for(100);
    let received: Vec<_> =
        bench.received.iter().map(|(at, port, _)| (at.as_nanos(), port.0)).collect();
    assert_eq!(received, [(100_000_000, 1)]);
    assert!(
        bench.received[0].2.len() == 64 && TestFrame::of_bytes(&bench.received[0].2).info().is_ok()
    );
}

/// Records by how much frames may have left earlier, from each pipe.
#[derive(Debug, Default)]
struct Shifts(Vec<(PipeId, Duration)>);

impl<F> Observer<F> for Shifts {
    fn delivered(&mut self, pipe: PipeSlot, delivery: &netloom_link::Delivery<F>) {
        self.0.push((pipe.id, delivery.passage.shift));
    }

    fn forwarded(&mut self, pipe: PipeSlot, delivery: &netloom_link::Delivery<F>) {
        self.0.push((pipe.id, delivery.passage.shift));
    }
}

/// Builds a network of two hosts, at ports 0 and 1, with `ends` between their links.
fn between(ends: [LinkEnd; 2], properties: &str) -> Network<TestMemory, Shifts> {
    let mut network = Network::new(TestMemory::default(), Shifts::default());
    let mut config = PipeConfig::default();
    change(properties).apply_to(&mut config);
    for (number, end) in (0..).zip(ends) {
        let pipe = |direction| {
            let stream = Stream::of_pipe(7, &format!("l{number}"), direction);
            Pipe::new(config.clone(), stream, Time::ZERO)
        };
        let link =
            Link { ends: [LinkEnd::Port(PortId(number)), end], pipes: Direction::BOTH.map(pipe) };
        network.join(LinkId(number), link, Time::ZERO);
    }
    network
}

/// Returns two stations of a medium, or a station and an access point.
fn stations(access_point: bool) -> [LinkEnd; 2] {
    use netloom_medium::{MediumConfig, MediumSetup, Phy, Point, Setting, StationConfig};
    let setting = Setting { name: "air".into(), seed: 1, ..Setting::default() };
    let config = MediumConfig::new(Phy::B);
    let setup = std::sync::Arc::new(MediumSetup { config, setting, logged: false });
    [0, 1].map(|number| {
        let access_point = access_point && number == 1;
        let name = format!("s{number}");
        LinkEnd::Segment(netloom_fabric::SegmentPort::Station(Box::new(
            netloom_fabric::StationPort {
                medium: SegmentId(9),
                setup: setup.clone(),
                station: netloom_medium::StationId(number),
                address: Some(netloom_link::MacKey::new(mac(number))),
                config: StationConfig { name, access_point, ..StationConfig::default() },
                moves: netloom_medium::Trajectory::fixed(Point::ZERO),
            },
        )))
    })
}

/// Whatever a frame passes, it may have left earlier by what it may have been there earlier: in
/// front of every kind of segment, behind it, and at every port.
#[test]
fn every_segment_keeps_the_uncertainty_of_arrivals() {
    let port = |vlans: Option<&str>, bridge: bool| {
        LinkEnd::Segment(
            SwitchPort {
                switch: SegmentId(9),
                vlans: vlans.map(|text| serde_json::from_str::<PortVlans>(text).unwrap()),
                bridge: bridge.then(|| BridgeId::new(Priority::default(), mac(200)).into()),
                tree: TreeSettings::default(),
            }
            .into(),
        )
    };
    let access = Some(r#"{"access": 7}"#);
    let kinds = [
        ("switch", [port(None, false), port(None, false)]),
        ("VLANs", [port(access, false), port(access, false)]),
        ("tree", [port(None, true), port(None, true)]),
        ("tree and VLANs", [port(access, true), port(access, true)]),
        ("medium", stations(false)),
        ("access point", stations(true)),
    ];
    let late = Duration::from_millis(40);
    for (name, ends) in kinds {
        for (from, to) in [(0, 1), (1, 0)] {
            let mut network = between(ends.clone(), r#"{"delay": "1ms"}"#);
            // Long enough for ports to forward, and for a station to join.
            let at = Time::ZERO + Duration::from_secs(60);
            let settle = |network: &mut Network<TestMemory, Shifts>, until: Time| {
                let mut left = 0;
                loop {
                    while let Some(delivered) = network.poll(until) {
                        left += usize::from(delivered.port == PortId(to));
                    }
                    if !network.has_work() {
                        break left;
                    }
                }
            };
            settle(&mut network, at);
            network.observer_mut().0.clear();
            network.set_uncertainty(late);
            network.offer(PortId(from), at, TestFrame::between(mac(from), mac(to), 100));
            network.set_uncertainty(Duration::ZERO);
            let left = settle(&mut network, at + Duration::from_secs(1));
            let path = [
                PipeId { link: LinkId(from), direction: Direction::Forward },
                PipeId { link: LinkId(to), direction: Direction::Reverse },
            ];
            let shifts = &network.observer().0;
            assert!(left >= 1, "{name}: no frame from {from} to {to}");
            for pipe in path {
                let of = shifts.iter().filter(|(id, _)| *id == pipe).map(|(_, shift)| *shift);
                assert_eq!(of.max(), Some(late), "{name}: {pipe:?}, from {from}");
            }
        }
    }
}
