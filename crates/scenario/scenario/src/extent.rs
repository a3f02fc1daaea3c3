//! Properties of a whole scenario: its size, whether it is random, and how many neighbours its
//! interfaces have.

use std::collections::{HashMap, HashSet};
use std::fmt;

use netloom_link::PipeConfig;
use netloom_units::Duration;
use netloom_units::readable::counted;

use crate::layer2::{InterfaceIndex, Layer2};
use crate::snapshot::Snapshot;
use crate::spec::{Endpoint, NodeKind, Scenario, TimelineAction, Traffic, Transport, When};

/// What a scenario consists of. Media are not nodes, and what joins a member to its medium is no
/// link, although both are kept as such.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Number of nodes that are no media.
    pub nodes: usize,
    /// Number of shared media.
    pub media: usize,
    /// Number of links between nodes.
    pub links: usize,
}

/// As in "3 nodes and 2 links".
impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let nodes = counted(self.nodes, "node");
        let links = counted(self.links, "link");
        let media = match self.media {
            1 => "1 medium".into(),
            more => format!("{more} media"),
        };
        match (self.media, self.links) {
            (0, _) => write!(f, "{nodes} and {links}"),
            (_, 0) => write!(f, "{nodes} and {media}"),
            _ => write!(f, "{nodes}, {media} and {links}"),
        }
    }
}

/// The sysctl that sets a node's congestion control.
const CONTROL: &str = "net.ipv4.tcp_congestion_control";
/// Congestion controls whose behaviour depends on random numbers: phases, back-offs, and of `lp`
/// which of two clocks is ahead.
const CONTROLS_THAT_DRAW: [&str; 4] = ["bbr", "bbr3", "cdg", "lp"];

impl Scenario {
    /// Returns the numbers of nodes, media and links.
    pub fn size(&self) -> Size {
        let is_medium: HashMap<&str, bool> =
            self.nodes.iter().map(|node| (node.name.as_str(), node.medium.is_some())).collect();
        let media = is_medium.values().filter(|is_medium| **is_medium).count();
        let leads_to_medium = |node: &str| is_medium.get(node).copied().unwrap_or_default();
        let ends = self.links.iter().map(|link| &link.endpoints[1].node);
        let to_media = ends.filter(|node| leads_to_medium(node)).count();
        Size { nodes: self.nodes.len() - media, media, links: self.links.len() - to_media }
    }

    /// Whether anything depends on the seed: links, shared media, traffic, or changes of the
    /// timeline. Congestion controls that draw random numbers do so in simulations.
    pub fn is_random(&self) -> bool {
        let pipes = self.modelled_links().flat_map(|link| [&link.forward, &link.reverse]);
        let changed = self.timeline.iter().any(|event| match &event.action {
            _ if matches!(event.when, Some(When::Fails(_))) => true,
            TimelineAction::SetLink { change, .. } => {
                let mut config = PipeConfig::default();
                change.apply_to(&mut config);
                config.is_random()
            }
            TimelineAction::SetNode { .. }
            | TimelineAction::Run { .. }
            | TimelineAction::Route { .. }
            | TimelineAction::SetMedia { .. }
            | TimelineAction::SetStation { .. } => false,
        });
        let sent = self.traffic.iter().any(|entry| {
            entry.model.is_random(&entry.sizes) || entry.to.len() > 1 || self.controls_draw(entry)
        });
        let air = self.nodes.iter().any(|node| node.medium.is_some());
        changed || sent || air || pipes.into_iter().any(PipeConfig::is_random)
    }

    /// Whether the congestion control of an entry over TCP draws random numbers: its own, or one
    /// that a node has.
    fn controls_draw(&self, entry: &Traffic) -> bool {
        let Transport::Tcp { congestion_control, .. } = &entry.transport else { return false };
        let own = congestion_control.iter();
        let of_nodes = self.nodes.iter().filter_map(|node| node.sysctls.get(CONTROL));
        own.chain(of_nodes).any(|name| CONTROLS_THAT_DRAW.contains(&name.as_str()))
    }

    /// Returns the number of neighbours of all interfaces together, where the neighbours of an
    /// interface are the others that it reaches on layer 2. Networks beyond ends of links to the
    /// outside are not counted. On a medium, neighbours are the stations within reach, and the
    /// largest number at several times of the run counts. There, nodes that move also have the
    /// neighbours of the minute before, which the kernel keeps. Where the reach is unknown, all
    /// members are neighbours.
    pub fn neighbours(&self) -> u64 {
        let interfaces = self.nodes.iter().enumerate().flat_map(|(node, of)| {
            let names = of.interfaces.iter().enumerate();
            names.map(move |(interface, it)| {
                ((of.name.as_str(), it.name.as_str()), InterfaceIndex { node, interface })
            })
        });
        let ports: HashMap<(&str, &str), InterfaceIndex> = interfaces.collect();
        let port = |end: &Endpoint| ports.get(&(&*end.node, &*end.interface)).copied();
        let ends = self.links.iter().map(|link| {
            let [a, b] = &link.endpoints;
            Some([port(a)?, port(b)?])
        });
        let nodes = self.nodes.iter().map(|node| (node.kind.is_segment(), &node.interfaces[..]));
        let layer2 = Layer2::new(nodes, ends);
        let names = self.media();
        let joining = self.links.iter().filter_map(|link| {
            let medium = names.get(link.endpoints[1].node.as_str())?;
            Some((port(&link.endpoints[0])?, *medium))
        });
        let media: HashMap<InterfaceIndex, usize> = joining.collect();
        let reach = self.reaches(&names);
        let mut counted = HashSet::new();
        let mut neighbours = 0;
        for port in ports.into_values() {
            if !self.nodes[port.node].kind.has_stack() || !counted.insert(port) {
                continue;
            }
            let others = layer2.reached(port, (), |(), _, _| ());
            let others: HashSet<InterfaceIndex> =
                others.into_iter().map(|(other, ())| other).collect();
            let members = others.len() as u64 + u64::from(!others.contains(&port));
            let reach = media.get(&port).and_then(|medium| reach.get(medium));
            neighbours += match reach {
                // Interfaces behind a switch that is a station hear everything that the station
                // hears.
                Some(Reach { stations, pairs }) if *stations == members => 2 * pairs,
                _ => members * (members - 1),
            };
            counted.extend(others);
        }
        neighbours
    }

    /// Returns the indices of all media among the nodes, by name.
    fn media(&self) -> HashMap<&str, usize> {
        let nodes = self.nodes.iter().enumerate();
        let media = nodes.filter(|(_, node)| node.kind == NodeKind::Medium);
        media.map(|(number, node)| (node.name.as_str(), number)).collect()
    }

    /// Counts the stations that hear each other on each medium whose reach is known.
    fn reaches(&self, media: &HashMap<&str, usize>) -> HashMap<usize, Reach> {
        let reaches = |medium: usize| {
            let of = self.nodes[medium].medium.as_ref();
            of.is_some_and(|medium| medium.config.reach(None).is_some())
        };
        let known = media.values().filter(|medium| reaches(**medium));
        let mut all: HashMap<usize, Reach> =
            known.map(|medium| (*medium, Reach::default())).collect();
        for link in &self.links {
            let medium = media.get(link.endpoints[1].node.as_str());
            if let Some(reach) = medium.and_then(|medium| all.get_mut(medium)) {
                reach.stations += 1;
            }
        }
        if all.is_empty() {
            return all;
        }
        let end = self.duration.unwrap_or(Duration::from_secs(600)).as_nanos();
        let moves = self.nodes.iter().any(|node| node.mobility.is_some());
        // Nine samples either way: those of a thousand nodes take most of a second.
        let (steps, looks) = if moves { (STEPS_OF_MOVING, LOOKS) } else { (STEPS, 1) };
        for step in steps {
            let at = Duration::from_nanos(end / 8 * step);
            for (medium, pairs) in self.pairs_until(at, looks) {
                if let Some(reach) = all.get_mut(&medium) {
                    reach.pairs = reach.pairs.max(pairs.len() as u64);
                }
            }
        }
        all
    }

    /// Returns the pairs of stations on each medium that hear each other at a time, or did at one
    /// of the other `looks` in the minute before.
    fn pairs_until(&self, at: Duration, looks: u64) -> HashMap<usize, HashSet<(usize, usize)>> {
        let mut pairs: HashMap<usize, HashSet<(usize, usize)>> = HashMap::new();
        for look in 0..looks {
            let before = Duration::from_nanos(KEPT.as_nanos() / (LOOKS - 1) * look);
            if before > at {
                break;
            }
            let Ok(then) = Snapshot::new(self, at.saturating_sub(before)) else { continue };
            for (medium, pair) in then.hears {
                pairs.entry(medium).or_default().insert(pair);
            }
        }
        pairs
    }
}

/// Times at which positions are sampled, in eighths of the run: where nodes move by the timeline
/// at most, and where they have a mobility.
const STEPS: &[u64] = &[0, 1, 2, 3, 4, 5, 6, 7, 8];
const STEPS_OF_MOVING: &[u64] = &[1, 4, 8];
/// Time for which the kernel keeps a neighbour of which it has not heard again (`gc_stale_time`),
/// and the number of samples within it.
const KEPT: Duration = Duration::from_secs(60);
const LOOKS: u64 = 3;

/// Stations of a medium, and how many pairs of them hear each other.
#[derive(Debug, Clone, Copy, Default)]
struct Reach {
    stations: u64,
    pairs: u64,
}

#[cfg(test)]
mod tests {
    use crate::load;

    fn scenario(topology: &str) -> crate::Scenario {
        let text = format!("name: n\ntopology:\n{topology}");
        load(&text).unwrap_or_else(|found| panic!("{}", found.render("n", &text))).scenario
    }

    #[test]
    fn neighbours_are_interfaces_that_hear_each_other() {
        let line = "  nodes: { a: , b: , c: , d: { kind: switch } }\n  links:\n";
        let lan = "    - { endpoints: [a, d] }\n    - { endpoints: [b, d] }\n    \
                   - { endpoints: [c, d] }\n";
        assert_eq!(scenario(&format!("{line}{lan}")).neighbours(), 6);
        let pair = "    - { endpoints: [a, b] }\n    - { endpoints: [b, c] }\n";
        assert_eq!(scenario(&format!("{line}{lan}{pair}")).neighbours(), 6 + 2 + 2);
    }

    #[test]
    fn neighbours_on_a_medium_are_those_within_its_reach() {
        let air = |more: &str| {
            let air = format!(
                "  media: {{ air: {{ propagation: {{ range: {{ reach: 100m }} }}, members: [n] }} }}
  groups: {{ n: {{}} }}
  nodes:
    a: {{ group: n, position: [0m, 0m] }}
    b: {{ group: n, position: [90m, 0m] }}
    c: {{ group: n, position: [180m, 0m]{more} }}
"
            );
            scenario(&air).neighbours()
        };
        assert_eq!(air(""), 4);
        // A node that comes nearer is heard by both others.
        assert_eq!(air(", mobility: { waypoints: [{ to: [0m, 0m], speed: 1m/s }] }"), 6);
    }

    #[test]
    fn who_moves_has_the_neighbours_of_the_last_minute() {
        let air = |speed: &str| {
            let mobility =
                format!("mobility: {{ waypoints: [{{ to: [300m, 0m], speed: {speed} }}] }}");
            let air = format!(
                "  media: {{ air: {{ propagation: {{ range: {{ reach: 100m }} }}, members: [n] }} }}
  groups: {{ n: {{}} }}
  nodes:
    a: {{ group: n, position: [0m, 0m] }}
    b: {{ group: n, position: [300m, 0m] }}
    c: {{ group: n, position: [0m, 0m], {mobility} }}
"
            );
            scenario(&air).neighbours()
        };
        assert_eq!(air("4m/s"), 4);
        assert_eq!(air("1m/s"), 2);
    }

    #[test]
    fn properties_with_random_draws_are_random_and_others_are_not() {
        let with = |properties: &str| {
            let link = format!("    - {{ endpoints: [a, b]{properties} }}\n");
            scenario(&format!("  nodes: {{ a: , b: }}\n  links:\n{link}")).is_random()
        };
        for fixed in [
            "",
            ", delay: 5ms, rate: 1Mbit/s, queue: { discipline: codel }",
            ", rate: 1Mbit/s, queue: { discipline: step }",
            ", rate: 1Mbit/s, queue: { discipline: dualpi2 }",
            ", rate: 1Mbit/s, queue: { discipline: prio }",
            ", loss: { every: 3 }",
            ", jitter: { pattern: [1ms, 0ms] }",
        ] {
            assert!(!with(fixed), "{fixed}");
        }
        for drawn in [
            ", loss: 1%",
            ", forward: { jitter: 1ms }",
            ", ber: 1e-6",
            ", duplicate: 1%",
            ", corrupt: 1%",
            ", rate: 1Mbit/s, queue: { discipline: red }",
            ", delay: 5ms, reorder: { probability: 25% }",
        ] {
            assert!(with(drawn), "{drawn}");
        }
    }
}
