//! Orders to small pipes, period after period, in virtual time. In each case, the expected
//! calibration is computed by hand.

use std::sync::Arc;

use netloom_link::EarlyLoss;
use netloom_sim::{Fragment, Sent};
use netloom_simulate::symbiosis::{Calibrators, Large, Metadata, Order, Shrunk, paths};
use netloom_symbiosis::formula;
use netloom_units::{Duration, Probability, Time};

/// Time in seconds that 1514 bytes plus the Ethernet overhead take at 10 Mbit/s.
const FRAME: f64 = 1538.0 * 8.0 / 1e7;

const NETWORK: &str = "name: network
symbiosis: { period: 1s }
topology:
  defaults: { node: { simulated: true, ipv6: none }, link: { delay: 2ms } }
  nodes:
    h1: { simulated: false }
    h2: { simulated: false }
    r1: { kind: router }
    r2: { kind: router }
    s1:
    s2:
  links:
    - { endpoints: [h1, r1] }
    - name: middle
      endpoints: [r1, r2]
      rate: 10Mbit/s
      delay: 10ms
      queue: { limit: 20packets }
    - { endpoints: [r2, h2] }
    - { endpoints: [s1, r1] }
    - { endpoints: [r2, s2] }
";

/// The loop without its real side.
struct Loop {
    large: Large,
    shrunk: Shrunk,
    calibrators: Calibrators,
    number: u64,
}

impl Loop {
    fn new(more: &str) -> Self {
        let loaded = netloom_scenario::load(&format!("{NETWORK}{more}")).expect("a scenario");
        let plan = Arc::new(netloom_plan::plan(&loaded.scenario).expect("a plan"));
        let (large, shrunk) = Large::new(&loaded.scenario, &plan).expect("a symbiotic network");
        let calibrators = Calibrators::new(&loaded.scenario, &shrunk);
        Self { large, shrunk, calibrators, number: 0 }
    }

    /// Runs a period in which h1 sends `datagrams` full datagrams to h2 at its middle. Returns the
    /// order to the small pipe from h1 to h2.
    fn period(&mut self, datagrams: usize) -> Order {
        let address = |host: u32| {
            let mut all = self.shrunk.addresses.iter();
            all.find(|(_, place)| **place == host).map(|(address, _)| *address)
        };
        let sent = Sent {
            at: Time::ZERO + Duration::from_millis(1000 * self.number + 500),
            interface: 0,
            ends: [0, 1].map(|host| address(host).expect("an address")),
            bytes: 1500,
            protocol: 17,
            ports: [5000, 53],
            hop_limit: 64,
            traffic_class: 0,
            dont_fragment: true,
            fragment: Fragment::default(),
        };
        self.number += 1;
        let sent = vec![(0, sent); datagrams];
        let metadata = Metadata { sent, ..Metadata::default() };
        let reports = self.large.period(&metadata, &|| false).expect("no loop").expect("reports");
        let mut orders = self.calibrators.orders(&reports);
        let way = paths(&self.shrunk, &reports, &orders, self.large.now());
        let way = way.iter().find(|way| (&*way.from, &*way.to) == ("h1", "h2")).expect("a way");
        let place = self.shrunk.pipes.iter().position(|pipe| pipe.ends == ["h1", "h2"]);
        let order = orders.swap_remove(place.expect("a small pipe"));
        assert_eq!(way.time_ns, (order.calibration.time * 1e9).round() as u64);
        assert!((way.loss - order.calibration.loss).abs() < 1e-12);
        order
    }
}

fn near(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6 * b.abs()
}

/// Whether nothing was sent and nothing waits: W is a frame's transmission, and nothing is lost.
fn is_idle(order: &Order) -> bool {
    let calibration = &order.calibration;
    near(calibration.time, FRAME)
        && near(calibration.rate, 1.0 / FRAME)
        && (order.offered, order.lost, order.left) == (0, 0, 0)
        && calibration.departures == 0.0
        && calibration.loss == 0.0
        && calibration.backlog == Duration::ZERO
        && calibration.losses == EarlyLoss::NONE
}

#[test]
fn a_host_without_traffic_sees_the_idle_network() {
    let mut idle = Loop::new("");
    for _ in 0..3 {
        let order = idle.period(0);
        assert!(is_idle(&order), "{order:?}");
        assert_eq!(order.calibration.delay, Duration::from_millis(14));
    }
}

/// There is other traffic, and the host sends nothing: W is the mean backlog plus the time that a
/// frame takes on the line. Evenly spaced frames at half of the line's rate leave a backlog of less
/// than a frame.
#[test]
fn a_host_without_traffic_would_wait_for_others() {
    let mut others = Loop::new(
        "traffic: [{ name: other, from: s1, to: s2, udp: {}, cbr: { rate: 5Mbit/s }, for: 9s }]\n",
    );
    others.period(0);
    let order = others.period(0);
    let backlog = order.calibration.time - FRAME;
    assert!((0.0..FRAME).contains(&backlog), "{order:?}");
    assert_eq!((order.offered, order.calibration.loss), (0, 0.0));
}

/// After a minute of silence, 40 full datagrams arrive at once. One is on the line, 20 wait, and
/// the others are lost. They spend 1 to 21 transmission times there.
#[test]
fn a_burst_after_a_minute_of_silence() {
    let mut network = Loop::new("");
    for _ in 0..60 {
        assert!(is_idle(&network.period(0)));
    }
    let burst = network.period(40);
    let calibration = &burst.calibration;
    assert_eq!((burst.offered, burst.lost, burst.left), (40, 19, 21));
    assert!(near(calibration.time, 11.0 * FRAME), "{calibration:?}");
    assert_eq!(calibration.departures, 21.0);
    assert!(near(calibration.loss, 19.0 / 40.0));
    assert_eq!(calibration.losses, EarlyLoss::Positions((21..40).collect()));
    assert!(near(calibration.rate, formula::service_rate(11.0 * FRAME, 21.0)));
    // Everything has been delivered at the end of the period.
    assert_eq!(calibration.backlog, Duration::ZERO);
    // For five seconds, only its losses are used as the share of losses. Then they are forgotten.
    let share = EarlyLoss::Systematic(Probability::new(19.0 / 40.0).expect("a share"));
    for _ in 0..4 {
        let after = network.period(0).calibration;
        assert!(near(after.time, FRAME) && near(after.loss, 19.0 / 40.0), "{after:?}");
        assert_eq!(after.losses, share);
    }
    assert!(is_idle(&network.period(0)));
}

/// A link on the path is cut in the third period, and repaired in the fifth.
#[test]
fn a_pruned_link_that_is_cut_loses_all_until_it_is_mended() {
    let mut network = Loop::new(
        "timeline:
  - { at: 2500ms, link: middle, state: down }
  - { at: 4500ms, link: middle, state: up }
",
    );
    let all = EarlyLoss::Systematic(Probability::new(1.0).expect("a share"));
    for period in 0..6 {
        let calibration = network.period(10).calibration;
        let is_down = (2..4).contains(&period);
        assert_eq!(calibration.loss == 1.0, is_down, "{period}: {calibration:?}");
        assert_eq!(calibration.losses == all, is_down, "{period}: {calibration:?}");
    }
}

/// The free rate of a path is the rate that others leave of its narrowest link. The host's own
/// traffic does not count.
#[test]
fn a_path_has_free_what_others_leave() {
    let mut network = Loop::new(
        "traffic:
  - { name: other, from: s1, to: s2, udp: {}, cbr: { rate: 4Mbit/s }, size: 1500B, for: 9s }
",
    );
    network.period(0);
    let metadata = Metadata::default();
    let reports = network.large.period(&metadata, &|| false).expect("no loop").expect("reports");
    let orders = network.calibrators.orders(&reports);
    let ways = paths(&network.shrunk, &reports, &orders, network.large.now());
    let free = |from: &str| {
        let way = ways.iter().find(|way| way.from == from).expect("a way");
        way.free_bits_per_second.expect("the line has a rate") as f64
    };
    // A full frame has 1514 bytes, and takes 1538 on the wire.
    let whole = 1514.0 * 8.0 / FRAME;
    assert!(near(free("h2"), whole), "{ways:?}");
    let share = free("h1") / whole;
    assert!((0.55..0.62).contains(&share), "{share}: {ways:?}");
    assert_eq!(ways[0].at, Some(Time::ZERO + Duration::from_secs(2)));
    assert_eq!(ways[0].delay_ns, 14_000_000);
}
