//! Builds networks from short descriptions.

use netloom_fabric::{LinkEnd, LinkId, PipeId, PortId};
use netloom_link::{Direction, IpPrefix, PipeChange, PipeConfig, Stream};
use netloom_sim::{
    Arrival, Arrivals, Change, FlowKind, FlowSpec, FlowTotals, Interface, InterfaceId, Link,
    Network, Node, NodeChange, Route, Simulation, TcpFlow, TcpWork,
};
use netloom_tcp::Config;
use netloom_traffic::{Model, Receivers};
use netloom_units::{Duration, Time};

/// A network under construction. Each link is an IP network of its own, `10.0.LINK.0/24`.
#[derive(Default)]
pub struct Sketch {
    pub network: Network,
}

impl Sketch {
    pub fn new(seed: u64) -> Self {
        Self { network: Network { seed, ..Network::default() } }
    }

    pub fn node(&mut self, name: &str, forwards: bool) -> u32 {
        self.network.nodes.push(Node { name: name.into(), forwards, ..Node::default() });
        self.network.nodes.len() as u32 - 1
    }

    /// Joins two nodes. On this link the first has the address `.1`, the second `.2`; in IPv6,
    /// `fd00::LINK:1` and so on.
    pub fn link(&mut self, ends: [u32; 2], properties: &str) -> LinkId {
        self.link_with_mtu(ends, properties, 1500)
    }

    pub fn link_with_mtu(&mut self, ends: [u32; 2], properties: &str, mtu: u32) -> LinkId {
        let number = self.network.links.len() as u32;
        let mut config = PipeConfig::default();
        change(properties).apply_to(&mut config);
        let mut ids = Vec::new();
        let ports = [0u8, 1].map(|end| {
            let host = end + 1;
            let addresses = vec![
                prefix(&format!("10.{}.{}.{host}/24", number / 256, number % 256)),
                prefix(&format!("fd00:0:0:{number:x}::{host}/64")),
            ];
            let mac = [2, 0, (number >> 8) as u8, number as u8, 0, host];
            let node = ends[usize::from(end)];
            let interfaces = &mut self.network.nodes[node as usize].interfaces;
            interfaces.push(Interface { mac, mtu, addresses });
            let id = InterfaceId { node, interface: interfaces.len() as u32 - 1 };
            ids.push(id);
            self.network.ports.push(id);
            LinkEnd::Port(PortId(self.network.ports.len() as u32 - 1))
        });
        self.network.segments.push(ids);
        let (name, pipes) = (format!("l{number}"), [config.clone(), config]);
        self.network.links.push(Link {
            name,
            ends: ports,
            pipes,
            mtus: [None; 2],
            logged: true,
            taps: [vec![], vec![]],
        });
        LinkId(number)
    }

    /// Adds a default route of `node` through the far end of its `interface`, in both address
    /// families.
    pub fn default_route(&mut self, node: u32, interface: u32) {
        for to in ["0.0.0.0/0", "::/0"] {
            self.route(node, to, interface);
        }
    }

    /// Adds a route through the far end of an interface.
    pub fn route(&mut self, node: u32, to: &str, interface: u32) {
        let to = prefix(to);
        let v6 = matches!(to, IpPrefix::V6(_));
        let here = InterfaceId { node, interface };
        let segment = self.network.segments.iter().find(|segment| segment.contains(&here));
        let other = segment.and_then(|segment| segment.iter().find(|id| **id != here));
        let other = other.expect("the interface has a link");
        let far = &self.network.nodes[other.node as usize].interfaces[other.interface as usize];
        let mut addresses = far.addresses.iter().map(|address| address.address());
        let via = addresses.find(|address| address.is_ipv6() == v6);
        let route = Route { to, via, interface: Some(interface), metric: 0 };
        self.network.nodes[node as usize].routes.push(route);
    }

    /// Returns two hosts at the ends of a chain of routers. `links` go from one end to the other.
    pub fn chain(seed: u64, links: &[&str]) -> (Self, u32, u32) {
        let mut sketch = Self::new(seed);
        let last = links.len();
        let nodes: Vec<u32> =
            (0..=last).map(|place| sketch.node(&format!("n{place}"), place % last != 0)).collect();
        for (place, properties) in links.iter().enumerate() {
            sketch.link([nodes[place], nodes[place + 1]], properties);
        }
        for (place, node) in nodes.iter().enumerate() {
            // Interface 0 of every node but the first leads back.
            if place > 0 && place < last {
                for link in 0..place {
                    sketch.route(*node, &format!("10.0.{link}.0/24"), 0);
                    sketch.route(*node, &format!("fd00:0:0:{link:x}::/64"), 0);
                }
                sketch.default_route(*node, 1);
            } else {
                sketch.default_route(*node, 0);
            }
        }
        (sketch, nodes[0], nodes[last])
    }

    pub fn change_at(&mut self, millis: u64, link: LinkId, properties: &str) {
        let changes =
            Direction::BOTH.map(|direction| (PipeId { link, direction }, change(properties)));
        let at = Time::ZERO + Duration::from_millis(millis);
        self.network.timeline.push(Change {
            at,
            changes: changes.to_vec(),
            route: None,
            node: None,
            media: vec![],
            routes: None,
        });
    }
}

/// Returns a change of a node.
pub fn node_at(millis: u64, node: u32, change: NodeChange) -> Change {
    let (changes, node) = (vec![], Some((node, change)));
    Change { at: at(millis), changes, media: vec![], route: None, node, routes: None }
}

pub fn change(text: &str) -> PipeChange {
    serde_json::from_str(text).expect("a valid change")
}

pub fn prefix(text: &str) -> IpPrefix {
    text.parse().expect("a prefix")
}

pub fn at(millis: u64) -> Time {
    Time::ZERO + Duration::from_millis(millis)
}

/// Returns a flow of echo requests from a node: one at once, and then one every `every_ms`.
pub fn ping(from: u32, to: &str, count: u32, every_ms: u64, payload: u32) -> FlowSpec {
    let sent: Vec<_> =
        (0..u64::from(count)).map(|number| ((number * every_ms * 1_000_000, payload), 0)).collect();
    flow(from, to, FlowKind::Ping { arrivals: Box::new(Sent(sent.into_iter())) })
}

/// Returns a flow of datagrams, given by their times in ns and their lengths in bytes.
pub fn datagrams(from: u32, to: &str, sent: Vec<(u64, u32)>) -> FlowSpec {
    datagrams_in_turn(from, &[to], sent)
}

/// Returns a flow of datagrams like those of [`datagrams`], to several addresses in turn.
pub fn datagrams_in_turn(from: u32, to: &[&str], sent: Vec<(u64, u32)>) -> FlowSpec {
    let places = (0..to.len() as u32).cycle();
    let arrivals = Box::new(Sent(sent.into_iter().zip(places).collect::<Vec<_>>().into_iter()));
    let to = to.iter().map(|to| to.parse().expect("an address")).collect();
    FlowSpec { to, ..flow(from, "0.0.0.0", FlowKind::Udp { port: 9, arrivals }) }
}

/// Returns a flow over TCP that follows a model for 300 ms, with random numbers of its own.
pub fn over_tcp(from: u32, to: &str, port: u16, model: &str) -> FlowSpec {
    let model: Model = serde_json::from_str(model).expect("a model");
    let stream = Stream::new(7, &format!("{from} {port}"));
    let receivers = Receivers::new(&stream, 1);
    let work = match &model {
        Model::Http(http) => TcpWork::Http {
            exchanges: http.exchanges(&stream).expect("no files"),
            persistent: http.persistent,
            receivers,
        },
        model => {
            let transfers = model.transfers(&stream).expect("it has transfers");
            TcpWork::Transfers { transfers, receivers }
        }
    };
    let (sender, receivers) = (Config::default(), vec![Config::default()]);
    let tcp = TcpFlow { port, work, sender, receivers };
    let name = format!("over tcp {port}");
    FlowSpec { name, until: Some(at(300)), ..flow(from, to, FlowKind::Tcp(Box::new(tcp))) }
}

/// Returns a flow that starts at time zero and has no time limit.
pub fn flow(from: u32, to: &str, kind: FlowKind) -> FlowSpec {
    FlowSpec {
        name: "flow".into(),
        from,
        to: vec![to.parse().expect("an address")],
        kind,
        start: Time::ZERO,
        until: None,
        background: false,
        traffic_class: 0,
    }
}

#[derive(Debug)]
struct Sent(std::vec::IntoIter<((u64, u32), u32)>);

impl Arrivals for Sent {
    fn next(&mut self) -> Option<Arrival> {
        let ((at, payload), to) = self.0.next()?;
        Some(Arrival { after: Duration::from_nanos(at), payload, to })
    }
}

/// Returns a simulation in one cell.
pub fn whole(network: Network, flows: Vec<FlowSpec>) -> Simulation {
    Simulation::new(network, flows, 1)
}

/// Returns the counts of a flow in a simulation of one cell.
pub fn counted(simulation: &Simulation, flow: u32) -> FlowTotals {
    simulation.counts(flow).next().unwrap_or_default()
}
