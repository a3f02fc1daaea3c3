//! Networks, and what happens to them from outside.

use netloom_link::{Discipline, PipeChange, PipeConfig, least_propagation};
use netloom_units::{Duration, Stream};

/// Delay that a link needs in both directions to be cut.
pub const LEAST: Duration = Duration::from_micros(300);

/// Properties of pipes. Some have no delay, and are not cut.
pub const PROPERTIES: [&str; 22] = [
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

/// A network of switches and hosts, and its inputs, each with the time since the last one in ns.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Number of switches, which are the first nodes. All other nodes are hosts.
    pub switches: u32,
    /// Whether the switches run a spanning tree.
    pub has_tree: bool,
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
    /// A frame with this payload enters at a host, for another one, or for all.
    Send { from: u32, to: Option<u32>, flow: u8, bytes: usize },
    /// One direction of a link is changed, or both.
    Change { link: u32, both: bool, change: usize },
}

impl Scenario {
    /// Two hosts at a link. One sends frames, one a millisecond.
    pub fn of_one_link(properties: &str, frames: usize) -> Self {
        let link = LinkPlan { nodes: [0, 1], pipes: [config(properties), config(properties)] };
        let send = |_| (1_000_000, Input::Send { from: 0, to: Some(1), flow: 0, bytes: 1200 });
        let inputs = (0..frames).map(send).collect();
        Self { switches: 0, has_tree: false, links: vec![link], inputs, logged: true }
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
        Self { switches, has_tree: false, links, inputs: Vec::new(), logged }
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
                number => Input::Send {
                    from: 4 + below(4) as u32,
                    to: (number > 4).then(|| 4 + below(4) as u32),
                    flow: below(6) as u8,
                    bytes: below(1400) as usize,
                },
            };
            (below(4_000_000), input)
        };
        // The tree is there after some seconds.
        let first = (8_000_000_000, Input::Send { from: 4, to: None, flow: 0, bytes: 100 });
        let inputs = std::iter::once(first).chain((0..inputs).map(input)).collect();
        Self { switches: 4, has_tree: true, links, inputs, logged: true }
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
                number => Input::Send {
                    from: host(below(hosts)),
                    to: (number > 1).then(|| host(below(hosts))),
                    flow: below(6) as u8,
                    bytes: below(1400) as usize,
                },
            };
            (below(200_000), input)
        });
        let inputs = inputs.collect();
        Self { switches: 3, has_tree: false, links, inputs, logged: true }
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
