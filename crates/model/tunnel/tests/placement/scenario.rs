//! Networks, and what happens to them from outside.

use netloom_link::{Discipline, PipeChange, PipeConfig, least_propagation};
use netloom_units::{Duration, Stream};

/// Delay that a link needs in both directions to be cut.
pub const LEAST: Duration = Duration::from_micros(300);

/// Properties of pipes. Some have no delay, and are not cut.
pub const PROPERTIES: [&str; 26] = [
    r#"{"delay":"3ms"}"#,
    r#"{"rate":"10Mbit/s","delay":"500us"}"#,
    r#"{"rate":"2Mbit/s","delay":"1ms","queue":{"limit":"5packets"}}"#,
    r#"{"rate":"2Mbit/s","delay":"1ms","loss":"10%"}"#,
    r#"{"delay":"1ms","loss":{"gilbert_elliott":{"p":"10%","r":"30%","bad":"90%"}}}"#,
    concat!(
        r#"{"rate":"5Mbit/s","delay":"1ms","loss":{"four_state":{"p13":"10%","p31":"30%","#,
        r#""p32":"10%","p23":"20%","p14":"5%"}}}"#,
    ),
    r#"{"rate":"5Mbit/s","delay":"1ms","loss":{"pattern":"0010110"}}"#,
    r#"{"rate":"5Mbit/s","delay":"1ms","loss":{"every":3}}"#,
    r#"{"delay":"4ms","jitter":"2ms"}"#,
    r#"{"delay":"4ms","jitter":{"pattern":["1ms","-1ms","0s"]}}"#,
    r#"{"delay":"9ms","jitter":{"normal":"1ms","correlation":"50%"}}"#,
    r#"{"rate":"9Mbit/s","delay":"9ms","jitter":{"pareto":"1ms"}}"#,
    r#"{"rate":"5Mbit/s","delay":"2ms","reorder":{"probability":"20%","extra_delay":"1ms"}}"#,
    r#"{"delay":"2ms","jitter":"1ms","reorder":{"probability":"0%"}}"#,
    r#"{"rate":"5Mbit/s","delay":"2ms","reorder":{"probability":"50%","gap":3}}"#,
    r#"{"rate":"5Mbit/s","delay":"2ms","duplicate":"20%","jitter":"500us"}"#,
    r#"{"rate":"3Mbit/s","delay":"2ms","corrupt":"20%"}"#,
    r#"{"delay":"2ms","ber":0.0001,"bit_errors":"drop"}"#,
    r#"{"delay":"2ms","ber":0.0001,"bit_errors":"flip","duplicate":"10%"}"#,
    r#"{"rate":"4Mbit/s","delay":"2ms","background":[{"cbr":{"rate":"1Mbit/s"},"size":"500B"}]}"#,
    concat!(
        r#"{"rate":{"schedule":[{"at":"0s","rate":"9Mbit/s"},{"at":"7ms","rate":"1Mbit/s"},"#,
        r#"{"at":"20ms","rate":"4Mbit/s"}]},"delay":"1ms"}"#,
    ),
    concat!(
        r#"{"rate":"9Mbit/s","delay":{"schedule":[{"at":"0s","delay":"3ms"},"#,
        r#"{"at":"9ms","delay":"500us"},{"at":"30ms","delay":"2ms"}]}}"#,
    ),
    r#"{"rate":"1Gbit/s","delay":"2ms"}"#,
    r#"{"delay":"1ms","framing":"ethernet"}"#,
    r#"{"rate":"8Mbit/s"}"#,
    r#"{"rate":"8Mbit/s","delay":"50us"}"#,
];

/// Changes of pipes while frames are in them.
pub const CHANGES: [&str; 12] = [
    r#"{"state":"down"}"#,
    r#"{"state":"up"}"#,
    r#"{"state":"up"}"#,
    r#"{"state":"down","in_flight":"deliver"}"#,
    r#"{"state":"down","in_flight":"drop"}"#,
    r#"{"delay":"6ms"}"#,
    r#"{"delay":"700us","jitter":"none"}"#,
    r#"{"rate":"3Mbit/s"}"#,
    r#"{"delay":"2ms","jitter":"1ms"}"#,
    r#"{"loss":"20%"}"#,
    r#"{"queue":{"limit":"3packets"}}"#,
    r#"{"queue":{"discipline":{"prio":{"classes":[{"match":{"dscp":2}},{}]}}}}"#,
];

/// Queue disciplines with parameters that make them act often.
pub const DISCIPLINES: [&str; 14] = [
    r#"{"fifo":{"drop":"head"}}"#,
    r#"{"red":{"weight":0.5,"min":"1packet","max":"4packets"}}"#,
    r#"{"red":{"weight":0.5,"min":"1packet","max":"9packets","adaptive":true}}"#,
    r#"{"codel":{"target":"10us","interval":"50us"}}"#,
    r#"{"fq_codel":{"flows":3,"quantum":"256B","target":"0ns","interval":"100us"}}"#,
    r#"{"pie":{"target":"1us","update":"100us","max_burst":"0ns","alpha":500,"beta":500}}"#,
    r#"{"step":{"mark_at":"1packet"}}"#,
    r#"{"dualpi2":{"target":"1us","update":"100us","alpha":500,"beta":500,"step":"1us"}}"#,
    r#"{"drr":{"flows":2,"quantum":"256B"}}"#,
    r#"{"drr":{"classes":[{"match":{"dscp":1},"weight":9},{"match":{"dscp":2}}]}}"#,
    r#"{"wf2q+":{"flows":2}}"#,
    r#"{"wf2q+":{"classes":[{"match":{"dscp":1},"weight":9},{"match":{"dscp":2}}]}}"#,
    r#"{"prio":{"classes":[{"match":{"dscp":2}},{},{"match":{"dscp":1}}]}}"#,
    r#"{"prio":{"classes":[{"match":{"dscp":2},"most":"1Mbit/s"},{"match":{"dscp":1}}]}}"#,
];

/// What switches are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Switching {
    /// They know no VLANs.
    Plain,
    /// They run a spanning tree.
    Tree,
    /// They know VLANs. All links are trunks, whose native VLAN is 1, and every other host has an
    /// interface in VLAN 10 too, of the number of the host and [`TAGGED`].
    Vlans,
}

/// Number of a host's tagged port, less that of the host.
pub const TAGGED: u32 = 1000;

/// A network of switches and hosts, and its inputs, each with the time since the last one in ns.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Number of switches, which are the first nodes. All others are hosts, but for media.
    pub switches: u32,
    pub switching: Switching,
    /// Nodes that are shared media.
    pub media: Vec<u32>,
    pub links: Vec<LinkPlan>,
    pub inputs: Vec<(u64, Input)>,
    pub logged: bool,
}

/// A link, and the configurations of its pipes.
#[derive(Debug, Clone)]
pub struct LinkPlan {
    pub nodes: [u32; 2],
    pub pipes: [PipeConfig; 2],
}

/// What happens from outside.
#[derive(Debug, Clone)]
pub enum Input {
    /// A frame with this payload enters at a host, for another one, or for all: at its tagged port
    /// if it is so and the host has one, and as a super-frame if its wire frames have a payload.
    Send { from: u32, to: Option<u32>, flow: u8, bytes: usize, tagged: bool, piece: Option<u16> },
    /// One direction of a link is changed, or both.
    Change { link: u32, both: bool, change: usize },
}

impl Input {
    /// A frame without a tag.
    pub fn send(from: u32, to: Option<u32>, flow: u8, bytes: usize) -> Self {
        Self::Send { from, to, flow, bytes, tagged: false, piece: None }
    }
}

impl Scenario {
    fn of_links(
        switches: u32,
        links: Vec<LinkPlan>,
        inputs: Vec<(u64, Input)>,
        logged: bool,
    ) -> Self {
        Self { switches, switching: Switching::Plain, media: Vec::new(), links, inputs, logged }
    }

    /// Adds a medium with some stations, and joins it to a switch by an access point.
    pub fn add_medium(&mut self, switch: u32, stations: u32) {
        let medium = self.nodes() as u32;
        let wired = || [config("{}"), config("{}")];
        self.media.push(medium);
        // The access point comes first, so that all are where it is.
        let at = |node| if node == 0 { [switch, medium] } else { [medium, medium + node] };
        let links = (0..=stations).map(|node| LinkPlan { nodes: at(node), pipes: wired() });
        self.links.extend(links);
    }

    /// Returns the nodes that send: neither switches nor media.
    pub fn hosts(&self) -> Vec<u32> {
        let nodes = self.switches..self.nodes() as u32;
        nodes.filter(|node| !self.media.contains(node)).collect()
    }

    /// Whether a host has a tagged port beside its own.
    pub fn has_tagged(&self, host: u32) -> bool {
        let is_wireless = self.media.first().is_some_and(|medium| host >= *medium);
        self.switching == Switching::Vlans && host.is_multiple_of(2) && !is_wireless
    }

    /// Two hosts at a link. One sends frames, one a millisecond.
    pub fn of_one_link(properties: &str, frames: usize) -> Self {
        let link = LinkPlan { nodes: [0, 1], pipes: [config(properties), config(properties)] };
        let send = |_| (1_000_000, Input::send(0, Some(1), 0, 1200));
        let inputs = (0..frames).map(send).collect();
        Self::of_links(0, vec![link], inputs, true)
    }

    /// A tree of switches, with hosts. Each node but the first is linked to an earlier switch, as
    /// `links` say: a number for the switch, and properties for each direction.
    pub fn tree(switches: u32, hosts: u32, links: &[(u32, [usize; 2])], logged: bool) -> Self {
        let link = |node: u32| {
            let (choice, properties) = &links[(node as usize - 1) % links.len()];
            let parent = choice % node.min(switches);
            LinkPlan {
                nodes: [parent, node],
                pipes: properties.map(|properties| config(PROPERTIES[properties])),
            }
        };
        let links = (1..switches + hosts).map(link).collect();
        Self::of_links(switches, links, Vec::new(), logged)
    }

    /// Four switches in a ring with a chord, which run a spanning tree, and a host at each. Links
    /// between switches are cut and come back.
    pub fn of_a_ring(inputs: usize) -> Self {
        let between = [[0, 1], [1, 2], [2, 3], [0, 3], [0, 2]];
        let slow = config(r#"{"rate":"10Mbit/s","delay":"1ms"}"#);
        let fast = config(r#"{"rate":"20Mbit/s","delay":"2ms","jitter":"1ms"}"#);
        let link = |nodes| LinkPlan { nodes, pipes: [slow.clone(), fast.clone()] };
        let hosts = (0..4).map(|switch| [switch, 4 + switch]);
        let links = between.into_iter().chain(hosts).map(link).collect();
        let mut random = Stream::new(12, "inputs");
        let mut below = |bound: u64| random.below(bound);
        let input = |_| {
            let input = match below(40) {
                0 => Input::Change { link: below(5) as u32, both: true, change: below(2) as usize },
                number => {
                    let from = 4 + below(4) as u32;
                    let to = (number > 4).then(|| 4 + below(4) as u32);
                    Input::send(from, to, below(6) as u8, below(1400) as usize)
                }
            };
            (below(4_000_000), input)
        };
        // The tree is there after some seconds.
        let first = (8_000_000_000, Input::send(4, None, 0, 100));
        let inputs = std::iter::once(first).chain((0..inputs).map(input)).collect();
        Self { switching: Switching::Tree, ..Self::of_links(4, links, inputs, true) }
    }

    /// Every property and every discipline at hosts of three switches, and all changes.
    pub fn of_everything(inputs: usize) -> Self {
        let disciplines = DISCIPLINES.map(|discipline| {
            let mut config = config(r#"{"rate":"2Mbit/s","delay":"1ms"}"#);
            let discipline = serde_json::from_str::<Discipline>(discipline);
            config.queue.discipline = discipline.expect("a valid discipline");
            config
        });
        let configs = PROPERTIES.map(config).into_iter().chain(disciplines);
        let backbone = (1..3).map(|node| LinkPlan {
            nodes: [node - 1, node],
            pipes: [config(r#"{"delay":"800us"}"#), config(r#"{"delay":"1ms","jitter":"200us"}"#)],
        });
        let host = |(node, config): (usize, PipeConfig)| LinkPlan {
            nodes: [node as u32 % 3, node as u32 + 3],
            pipes: [config.clone(), config],
        };
        let links: Vec<LinkPlan> = backbone.chain(configs.enumerate().map(host)).collect();
        let mut random = Stream::new(11, "inputs");
        let mut below = |bound: u64| random.below(bound);
        let inputs = (0..inputs).map(|_| {
            let host = |number: u64| 3 + number as u32;
            let hosts = links.len() as u64 - 2;
            let input = match below(20) {
                0 => Input::Change {
                    link: below(links.len() as u64) as u32,
                    both: below(2) == 0,
                    change: below(CHANGES.len() as u64) as usize,
                },
                number => {
                    let from = host(below(hosts));
                    let to = (number > 1).then(|| host(below(hosts)));
                    let flow = below(6) as u8;
                    let (bytes, piece) = match number {
                        18 => (below(6_000) as usize, Some(100 + below(1348) as u16)),
                        _ => (below(1400) as usize, None),
                    };
                    Input::Send { from, to, flow, bytes, tagged: number % 2 == 0, piece }
                }
            };
            (below(200_000), input)
        });
        let inputs = inputs.collect();
        Self { switching: Switching::Vlans, ..Self::of_links(3, links, inputs, true) }
    }

    pub fn nodes(&self) -> usize {
        let nodes = self.links.iter().flat_map(|link| link.nodes);
        nodes.max().map_or(0, |last| last as usize + 1)
    }

    /// Returns a machine for each node, by lot.
    pub fn scattered(&self, machines: u64) -> Vec<usize> {
        let mut random = Stream::new(machines, "machines");
        (0..self.nodes()).map(|_| random.below(machines) as usize).collect()
    }

    /// Whether the two ends of a link may be on different machines: a frame takes long enough,
    /// whatever happens.
    pub fn may_be_cut(&self, link: usize) -> bool {
        let mut pipes = self.links[link].pipes.clone();
        let long =
            |pipes: &[PipeConfig; 2]| pipes.iter().all(|config| least_propagation(config) >= LEAST);
        long(&pipes)
            && self.inputs.iter().all(|(_, input)| {
                if let Input::Change { link: changed, both, change: number } = input
                    && *changed as usize == link
                {
                    let pipes = &mut pipes[..if *both { 2 } else { 1 }];
                    pipes.iter_mut().for_each(|config| change(CHANGES[*number]).apply_to(config));
                }
                long(&pipes)
            })
    }
}

pub fn change(text: &str) -> PipeChange {
    serde_json::from_str(text).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn config(text: &str) -> PipeConfig {
    let mut config = PipeConfig::default();
    change(text).apply_to(&mut config);
    config
}
