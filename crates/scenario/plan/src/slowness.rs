//! How long packets may take: bounds for the timers of kernels, of tools and of the end of a run,
//! which must not give up before an answer can have come. Not here: how long they do take.

use std::collections::{HashMap, VecDeque};

use netloom_link::{Direction, PipeConfig, QueueLimit};
use netloom_scenario::{InterfaceIndex, Link, Scenario, TimelineAction};
use netloom_units::{Duration, Size};

use crate::topology::Topology;

/// Bytes of the longest ordinary frame on a line.
const FRAME: u64 = 1538;
/// Packets that the default limit of queues admits, and time for which it does.
const DEFAULT: (u64, Duration) = (50, Duration::from_millis(100));

/// Returns an upper bound of the time that a packet takes from any node to any other over the
/// delays of links, as the scenario and its timeline have them. The routing may take any way that
/// has at most twice as many links as the furthest node is away.
pub fn slowest_way(scenario: &Scenario) -> Duration {
    bound(scenario, |scenario, link| most_delay(scenario, link, Direction::BOTH))
}

/// Returns an upper bound as [`slowest_way`] does, where `now` returns the delay that a link has at
/// present, if it is known.
pub fn slowest_way_now(scenario: &Scenario, now: impl Fn(&Link) -> Option<Duration>) -> Duration {
    bound(scenario, |scenario, link| {
        now(link).unwrap_or_else(|| most_delay(scenario, link, Direction::BOTH))
    })
}

/// Bounds of the time for which what was sent may arrive when a run ends, however fast or slow its
/// links are.
const SHORTEST_DRAIN: Duration = Duration::from_secs(2);
const LONGEST_DRAIN: Duration = Duration::from_secs(60);

/// Returns how long receivers take what is under way when a run ends, in emulated and simulated
/// runs alike: the time of the slowest way, full queues included, from 2 s to 60 s.
pub fn drain_time(scenario: &Scenario) -> Duration {
    slowest_way_with_queues(scenario).clamp(SHORTEST_DRAIN, LONGEST_DRAIN)
}

/// Returns an upper bound as [`slowest_way`] does, with the time in all queues if they are full.
fn slowest_way_with_queues(scenario: &Scenario) -> Duration {
    bound(scenario, |scenario, link| {
        let queue = drain(&link.forward).max(drain(&link.reverse));
        most_delay(scenario, link, Direction::BOTH) + queue
    })
}

/// Returns the sum of the slowest links that fit on a way.
fn bound(scenario: &Scenario, slowness: impl Fn(&Scenario, &Link) -> Duration) -> Duration {
    let mut slow: Vec<Duration> =
        scenario.links.iter().map(|link| slowness(scenario, link)).collect();
    slow.sort_unstable_by(|a, b| b.cmp(a));
    let sum = |sum: Duration, slow: &Duration| sum + *slow;
    slow.iter().take(2 * furthest(scenario)).fold(Duration::ZERO, sum)
}

/// Returns the largest number of links from a first node to any other, over the parts of the
/// network.
fn furthest(scenario: &Scenario) -> usize {
    let mut neighbours: HashMap<&str, Vec<&str>> = HashMap::new();
    for [a, b] in scenario.links.iter().map(|link| &link.endpoints) {
        neighbours.entry(&a.node).or_default().push(&b.node);
        neighbours.entry(&b.node).or_default().push(&a.node);
    }
    let (mut far, mut distances) = (0, HashMap::new());
    for node in &scenario.nodes {
        if distances.contains_key(node.name.as_str()) {
            continue;
        }
        distances.insert(node.name.as_str(), 0);
        let mut next = VecDeque::from([node.name.as_str()]);
        while let Some(here) = next.pop_front() {
            let distance = distances[here];
            far = far.max(distance);
            for there in neighbours.get(here).into_iter().flatten() {
                distances.entry(there).or_insert_with(|| {
                    next.push_back(there);
                    distance + 1
                });
            }
        }
    }
    far
}

/// Returns the longest delay that the given directions of a link ever have.
fn most_delay(
    scenario: &Scenario,
    link: &Link,
    directions: impl IntoIterator<Item = Direction>,
) -> Duration {
    let changes = scenario.timeline.iter().filter_map(|event| match &event.action {
        TimelineAction::SetLink { link: changed, change, .. } if *changed == link.name => {
            change.delay.as_ref()
        }
        _ => None,
    });
    let pipe = |direction| match direction {
        Direction::Forward => &link.forward,
        Direction::Reverse => &link.reverse,
    };
    let now = directions.into_iter().map(|direction| &pipe(direction).delay);
    now.chain(changes).map(|delay| delay.most()).max().unwrap_or_default()
}

/// Returns how long a full queue needs to empty.
fn drain(config: &PipeConfig) -> Duration {
    let Some(rate) = config.rate.nominal() else { return Duration::ZERO };
    let packets = |packets: u64| rate.time_for(Size::from_bytes(FRAME.saturating_mul(packets)));
    match config.queue.limit {
        QueueLimit::Default => packets(DEFAULT.0).max(DEFAULT.1),
        QueueLimit::Packets(limit) => packets(limit.into()),
        QueueLimit::Bytes(size) => rate.time_for(size),
        QueueLimit::Time(time) => time,
    }
}

/// Returns the longest time that a neighbour's answer takes, by interface.
pub(crate) fn slowest_neighbours(topology: &Topology<'_>) -> HashMap<InterfaceIndex, Duration> {
    let mut slowest = HashMap::new();
    let scenario = topology.scenario;
    let names: HashMap<(&str, &str), Duration> = scenario
        .links
        .iter()
        .flat_map(|link| {
            let there = most_delay(scenario, link, [Direction::Forward]);
            let both = there + most_delay(scenario, link, [Direction::Reverse]);
            link.endpoints.each_ref().map(|end| ((&*end.node, &*end.interface), both))
        })
        .collect();
    for port in topology.segments.iter().flatten() {
        let node = topology.node(port.node);
        let own = names.get(&(node.name.as_str(), node.interfaces[port.interface].name.as_str()));
        let crossings = topology.crossings(*port).into_iter();
        let there = crossings.map(|crossing| Duration::from_nanos(crossing.delay)).max();
        let there = there.unwrap_or_default();
        slowest.insert(*port, (there + there).max(own.copied().unwrap_or_default()));
    }
    slowest
}

#[cfg(test)]
mod tests {
    use super::*;

    fn load(links: &str, more: &str) -> Scenario {
        let nodes = "nodes: { a: , b: , c: , d: , s: { kind: switch } }";
        let text = format!("{{ name: x, topology: {{ {nodes}, links: [{links}] }} {more} }}");
        netloom_scenario::load(&text).unwrap().scenario
    }

    fn link(a: &str, b: &str, delay: &str) -> String {
        format!("{{ endpoints: [{a}, {b}], delay: {delay} }}, ")
    }

    #[test]
    fn no_way_is_slower_than_its_slowest_links() {
        let millis = Duration::from_millis;
        let one = load(&link("a", "b", "700ms"), "");
        assert_eq!(slowest_way(&one), millis(700));
        // A ring: the long way round has three links.
        let ring = ["1s", "20ms", "30ms", "40ms"];
        let ends = [("a", "b"), ("b", "c"), ("c", "d"), ("d", "a")];
        let ring: String = ends.iter().zip(ring).map(|((a, b), delay)| link(a, b, delay)).collect();
        assert!(slowest_way(&load(&ring, "")) >= millis(1070));
        assert_eq!(slowest_way(&load("", "")), Duration::ZERO);
    }

    #[test]
    fn what_the_timeline_sets_and_queues_count() {
        let later = ", timeline: [{ at: 1s, link: a--b, set: { delay: 5s } }]";
        let slow = load(&link("a", "b", "1ms, rate: 10kbit/s"), later);
        assert_eq!(slowest_way(&slow), Duration::from_secs(5));
        // Fifty packets of 1538 bytes take 1.2304 s each.
        let queue = Duration::from_nanos(1_230_400_000 * 50);
        assert_eq!(slowest_way_with_queues(&slow), Duration::from_secs(5) + queue);
    }

    #[test]
    fn kernels_wait_for_neighbours_across_slow_links_and_switches() {
        let links = link("a", "b", "1600ms") + &link("c", "s", "900ms") + &link("s", "d", "900ms");
        let scenario = load(&links, "");
        let plan = crate::plan(&scenario).unwrap();
        let every = |node: &str, family: &str| {
            let node = plan.node(node).unwrap();
            let interface = &node.interfaces[0].name;
            let key = format!("net.{family}.neigh.{interface}.retrans_time_ms");
            node.sysctls.get(&key).cloned()
        };
        for family in ["ipv4", "ipv6"] {
            assert_eq!(every("a", family), Some("1600".into()));
            assert_eq!(every("b", family), Some("1600".into()));
            assert_eq!(every("c", family), Some("1800".into()));
        }
        let near = crate::plan(&load(&link("a", "b", "100ms"), "")).unwrap();
        let keys = near.node("a").unwrap().sysctls.keys();
        assert_eq!(keys.filter(|key| key.contains("neigh")).count(), 0);
    }
}
