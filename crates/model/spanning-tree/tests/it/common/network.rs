//! Bridges, links with delays, and the addresses that the bridges have learned, in virtual time.

use std::collections::{BTreeMap, BTreeSet};

use netloom_spanning_tree::Bridge;
use netloom_units::{Duration, Time};

use super::legacy::Legacy;

/// A bridge of either kind.
pub enum Node {
    Rapid(Box<Bridge>),
    Legacy(Legacy),
}

/// One end of a link: a bridge and its port.
pub type End = (usize, usize);

#[derive(Debug, Clone)]
pub struct Link {
    pub ends: [End; 2],
    pub delay: Duration,
    pub up: bool,
    /// Number of times that the link has failed. Frames sent before a failure are lost.
    life: u32,
}

enum Event {
    Arrive { link: usize, end: usize, life: u32, frame: Vec<u8> },
}

pub struct Network {
    pub now: Time,
    pub nodes: Vec<Node>,
    pub links: Vec<Link>,
    /// The port of each host.
    pub hosts: Vec<End>,
    /// The port at which each bridge has learned each host, by (bridge, host).
    pub learned: BTreeMap<(usize, usize), usize>,
    /// Times at which each port has sent BPDUs.
    pub sent: BTreeMap<End, Vec<Time>>,
    /// Times of flushes, with their ports.
    pub flushes: Vec<(Time, End)>,
    /// Time at which the state or role of any port of a link last changed.
    pub changed: Time,
    /// Decides by its number whether a frame is lost.
    pub loses: Option<Box<dyn FnMut(u64) -> bool>>,
    carried: u64,
    queue: BTreeMap<(Time, u64), Event>,
    sequence: u64,
    states: BTreeMap<End, (bool, bool)>,
    /// Periods in which frames could go round in circles.
    pub loops: Vec<(Time, Time)>,
    looping: Option<Time>,
}

impl Node {
    pub fn forwards(&self, port: usize) -> bool {
        match self {
            Self::Rapid(bridge) => bridge.forwards(port),
            Self::Legacy(bridge) => bridge.forwards(port),
        }
    }
    pub fn learns(&self, port: usize) -> bool {
        match self {
            Self::Rapid(bridge) => bridge.learns(port),
            Self::Legacy(bridge) => bridge.learns(port),
        }
    }
    fn deadline(&self) -> Option<Time> {
        match self {
            Self::Rapid(bridge) => bridge.next_deadline(),
            Self::Legacy(bridge) => bridge.next_deadline(),
        }
    }
}

impl Network {
    pub fn new(nodes: Vec<Node>) -> Self {
        Self {
            now: Time::ZERO,
            nodes,
            links: Vec::new(),
            hosts: Vec::new(),
            learned: BTreeMap::new(),
            sent: BTreeMap::new(),
            flushes: Vec::new(),
            changed: Time::ZERO,
            loses: None,
            carried: 0,
            queue: BTreeMap::new(),
            sequence: 0,
            states: BTreeMap::new(),
            loops: Vec::new(),
            looping: None,
        }
    }

    pub fn rapid(&self, node: usize) -> &Bridge {
        match &self.nodes[node] {
            Node::Rapid(bridge) => bridge,
            Node::Legacy(_) => panic!("bridge {node} is a legacy one"),
        }
    }

    pub fn legacy(&self, node: usize) -> &Legacy {
        match &self.nodes[node] {
            Node::Legacy(bridge) => bridge,
            Node::Rapid(_) => panic!("bridge {node} is not a legacy one"),
        }
    }

    /// Adds a link. The ports of its ends must exist.
    pub fn link(&mut self, ends: [End; 2], delay: Duration) -> usize {
        self.links.push(Link { ends, delay, up: true, life: 0 });
        self.links.len() - 1
    }

    pub fn set_link(&mut self, link: usize, up: bool) {
        self.links[link].up = up;
        self.links[link].life += 1;
        for (node, port) in self.links[link].ends {
            self.with(node, |node, now| match node {
                Node::Rapid(bridge) => bridge.enable(now, port, up),
                Node::Legacy(bridge) => bridge.enable(now, port, up),
            });
        }
        self.changed = self.now;
    }

    pub fn with(&mut self, node: usize, action: impl FnOnce(&mut Node, Time)) {
        action(&mut self.nodes[node], self.now);
        self.collect(node);
    }

    /// Advances time to `until`.
    pub fn run_until(&mut self, until: Time) {
        for node in 0..self.nodes.len() {
            self.collect(node);
        }
        loop {
            let timeout = self.nodes.iter().enumerate();
            let timeout = timeout.filter_map(|(node, n)| Some((n.deadline()?, node))).min();
            let arrival = self.queue.first_key_value().map(|(key, _)| *key);
            let arrives = arrival.is_some_and(|(at, _)| timeout.is_none_or(|(t, _)| at <= t));
            if arrives {
                let (at, sequence) = arrival.unwrap();
                if at > until {
                    break;
                }
                self.now = at;
                let event = self.queue.remove(&(at, sequence)).unwrap();
                self.happen(event);
            } else if let Some((at, node)) = timeout.filter(|(at, _)| *at <= until) {
                assert!(at >= self.now, "a deadline has passed");
                self.now = at;
                self.with(node, |node, now| match node {
                    Node::Rapid(bridge) => {
                        bridge.handle_timeout(now);
                        let next = bridge.next_deadline();
                        assert!(next.is_none_or(|next| next > now), "due again at once");
                    }
                    Node::Legacy(bridge) => bridge.handle_timeout(now),
                });
            } else {
                break;
            }
        }
        self.now = until;
    }

    fn happen(&mut self, Event::Arrive { link, end, life, frame }: Event) {
        let Link { ends, up, life: current, .. } = &self.links[link];
        if !up || life != *current {
            return;
        }
        let (node, port) = ends[end];
        self.with(node, |node, now| match node {
            Node::Rapid(bridge) => bridge.receive(now, port, &frame),
            Node::Legacy(bridge) => bridge.receive(now, port, &frame),
        });
    }

    /// Takes what a bridge has to send and to flush.
    fn collect(&mut self, node: usize) {
        loop {
            let next = match &mut self.nodes[node] {
                Node::Rapid(bridge) => bridge.poll_transmit().map(|(port, f)| (port, f.to_vec())),
                Node::Legacy(bridge) => bridge.poll_transmit(),
            };
            let Some((port, frame)) = next else { break };
            self.sent.entry((node, port)).or_default().push(self.now);
            self.carry((node, port), frame);
        }
        while let Some(port) = match &mut self.nodes[node] {
            Node::Rapid(bridge) => bridge.poll_flush(),
            Node::Legacy(_) => None,
        } {
            self.flushes.push((self.now, (node, port)));
            self.learned.retain(|(at, _), behind| (*at, *behind) != (node, port));
        }
        self.look();
    }

    fn carry(&mut self, from: End, frame: Vec<u8>) {
        let links = self.links.iter().enumerate();
        let Some((link, end)) = links
            .flat_map(|(l, link)| [(l, 0, link), (l, 1, link)])
            .find_map(|(l, end, link)| (link.up && link.ends[1 - end] == from).then_some((l, end)))
        else {
            return;
        };
        self.carried += 1;
        if self.loses.as_mut().is_some_and(|loses| loses(self.carried)) {
            return;
        }
        let Link { delay, life, .. } = self.links[link];
        self.sequence += 1;
        let event = Event::Arrive { link, end, life, frame };
        self.queue.insert((self.now + delay, self.sequence), event);
    }

    /// Records changes, and the periods in which frames could go round.
    fn look(&mut self) {
        let mut same = true;
        for link in &self.links {
            for (node, port) in link.ends {
                let state = (self.nodes[node].learns(port), self.nodes[node].forwards(port));
                same &= self.states.insert((node, port), state) == Some(state);
            }
        }
        if !same {
            self.changed = self.now;
            match (self.has_loop(), self.looping) {
                (true, None) => self.looping = Some(self.now),
                (false, Some(since)) => {
                    self.loops.push((since, self.now));
                    self.looping = None;
                }
                _ => {}
            }
        }
    }

    /// Returns the links that frames can pass: both ends forward.
    pub fn active(&self) -> Vec<usize> {
        let forwards = |(node, port): End| self.nodes[node].forwards(port);
        let links = self.links.iter().enumerate();
        links
            .filter(|(_, link)| link.up && link.ends.iter().all(|end| forwards(*end)))
            .map(|(index, _)| index)
            .collect()
    }

    pub fn has_loop(&self) -> bool {
        let mut parents: Vec<usize> = (0..self.nodes.len()).collect();
        self.active().into_iter().any(|link| {
            let [(a, _), (b, _)] = self.links[link].ends;
            !join(&mut parents, a, b)
        })
    }

    /// Returns the bridges that can be reached from `from` over links that are up, or only over
    /// those that frames can pass.
    pub fn reached(&self, from: usize, only_active: bool) -> BTreeSet<usize> {
        let active: BTreeSet<usize> = self.active().into_iter().collect();
        let mut reached = BTreeSet::from([from]);
        loop {
            let before = reached.len();
            for (index, link) in self.links.iter().enumerate() {
                let usable = if only_active { active.contains(&index) } else { link.up };
                let [(a, _), (b, _)] = link.ends;
                if usable && (reached.contains(&a) || reached.contains(&b)) {
                    reached.extend([a, b]);
                }
            }
            if reached.len() == before {
                return reached;
            }
        }
    }

    /// Returns, for each bridge and host, the port at which frames of the host arrive now.
    pub fn ways(&self) -> BTreeMap<(usize, usize), usize> {
        let mut ways = BTreeMap::new();
        for (host, (node, port)) in self.hosts.iter().enumerate() {
            let mut open = Vec::new();
            if self.nodes[*node].forwards(*port) {
                open.push((*node, *port));
            }
            while let Some((node, port)) = open.pop() {
                if ways.insert((node, host), port).is_some() {
                    continue;
                }
                for link in self.active() {
                    let ends = self.links[link].ends;
                    for (near, far) in [(ends[0], ends[1]), (ends[1], ends[0])] {
                        if near.0 == node && near.1 != port {
                            open.push(far);
                        }
                    }
                }
            }
        }
        ways
    }

    /// Makes every host send a frame to all, so that all bridges learn where it is.
    pub fn speak(&mut self) {
        let ways = self.ways();
        self.learned.extend(ways);
    }

    /// Returns the longest period in which frames could go round.
    pub fn longest_loop(&self) -> Duration {
        assert!(self.looping.is_none(), "frames go round for good: {}", self.describe());
        let lengths = self.loops.iter().map(|(from, to)| to.since(*from));
        lengths.max().unwrap_or_default()
    }

    /// Checks that no port sends more BPDUs in a second than TxHoldCount.
    pub fn check_rate(&self) {
        for times in self.sent.values() {
            for window in times.windows(7) {
                assert!(
                    window[6].since(window[0]) >= Duration::from_secs(1),
                    "7 BPDUs in a second"
                );
            }
        }
    }

    pub fn describe(&self) -> String {
        let mut text = String::new();
        for link in &self.links {
            text += &format!("\n{:?} {} {}:", link.ends, link.delay, link.up);
            for (node, port) in link.ends {
                match &self.nodes[node] {
                    Node::Rapid(bridge) => {
                        let view = bridge.port(port).unwrap();
                        text += &format!(" {:?} {:?} {}", view.role, view.state, view.vector.root);
                    }
                    Node::Legacy(bridge) => text += &format!(" legacy {}", bridge.forwards(port)),
                }
            }
        }
        text
    }
}

/// Joins the sets of `a` and `b`. Returns whether they were separate.
pub fn join(parents: &mut [usize], a: usize, b: usize) -> bool {
    let find = |parents: &[usize], mut node: usize| {
        while parents[node] != node {
            node = parents[node];
        }
        node
    };
    let (a, b) = (find(parents, a), find(parents, b));
    parents[a] = b;
    a != b
}
