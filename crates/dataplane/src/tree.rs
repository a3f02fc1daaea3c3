//! Switches that run a spanning tree: their BPDUs between links and the protocol, and which ports forward. Not here:
//! the protocol (`netloom-spanning-tree`), and where a frame goes that a port lets in (`switch`, `vlan`).

use netloom_link::{FrameInfo, LinkState};
use netloom_ports::Frame;
use netloom_spanning_tree::{Bridge, BridgeId, PathCost, is_bpdu};
use netloom_units::{Duration, Time};

use crate::fabric::{Fabric, Place};
use crate::timers::Timers;
use crate::vlan::Tagged;
use crate::watch::Loss;
use crate::{TreePortStatus, TreeWorth};

/// Group addresses that a bridge of a spanning tree keeps to itself, but for their last four bits (IEEE 802.1D-2004,
/// table 7-10).
const RESERVED: [u8; 5] = [0x01, 0x80, 0xc2, 0x00, 0x00];

/// The trees' part of switches.
#[derive(Debug, Default)]
pub(crate) struct Trees {
    trees: Vec<Tree>,
    /// Places of those that have gone.
    free: Vec<usize>,
    timers: Timers,
}

/// One switch's.
#[derive(Debug)]
struct Tree {
    bridge: Bridge,
    switch: TreeSwitch,
    ports: Vec<TreePort>,
    /// Up to when the bridge knows what has happened: frames of two links may come a little out of order.
    known: Time,
}

/// The switch that a tree is of, by its place.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TreeSwitch {
    Plain(usize),
    Vlan(usize),
}

/// A port, with the lane that leads out of it, if it has a link.
#[derive(Debug, Clone, Copy, Default)]
struct TreePort {
    lane: Option<usize>,
    worth: TreeWorth,
    /// As the bridge said last.
    learns: bool,
    forwards: bool,
    discarded: u64,
}

/// What a port does with a frame that comes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admission {
    /// It goes on.
    Forwarded,
    /// It goes nowhere, but shows where its sender is.
    Learned,
    /// It goes nowhere.
    Kept,
}

impl Trees {
    /// A tree for a switch; its place.
    pub fn add(&mut self, id: BridgeId, switch: TreeSwitch) -> usize {
        let tree = Tree { bridge: Bridge::new(id), switch, ports: Vec::new(), known: Time::ZERO };
        match self.free.pop() {
            Some(place) => {
                self.trees[place] = tree;
                place
            }
            None => {
                self.trees.push(tree);
                self.timers.grow(self.trees.len());
                self.trees.len() - 1
            }
        }
    }

    /// The tree of a switch that has gone.
    pub fn remove(&mut self, tree: usize) {
        self.timers.forget(tree);
        self.free.push(tree);
    }

    /// What the way through `port` is worth, which has no link yet.
    pub fn set_worth(&mut self, tree: usize, port: usize, worth: TreeWorth) {
        self.trees[tree].port(port).worth = worth;
    }

    /// Whether frames go out of `port`.
    pub fn forwards(&self, tree: usize, port: usize) -> bool {
        self.trees[tree].ports.get(port).is_some_and(|port| port.forwards)
    }

    /// When one of them is due next.
    pub fn next(&mut self) -> Option<Time> {
        self.timers.next()
    }
}

impl Tree {
    /// Time has come to `at`, if it was not there before.
    fn advance(&mut self, at: Time) -> Time {
        self.known = self.known.max(at);
        self.known
    }

    fn port(&mut self, port: usize) -> &mut TreePort {
        if self.ports.len() <= port {
            self.ports.resize(port + 1, TreePort::default());
        }
        &mut self.ports[port]
    }
}

impl Fabric {
    /// When something is due next.
    #[inline]
    pub fn next_due(&mut self) -> Option<Time> {
        let due = self.timers.next();
        match self.trees.next() {
            None => due,
            tree => due.into_iter().chain(tree).min(),
        }
    }

    /// Does what trees have to do at `now`.
    #[inline]
    pub fn grow_trees(&mut self, now: Time) {
        while let Some(tree) = self.trees.timers.pop_due(now) {
            let at = self.trees.trees[tree].advance(now);
            self.trees.trees[tree].bridge.handle_timeout(at);
            self.follow(tree, at);
        }
    }

    /// What `port` of a switch does with a frame that comes in at `at`.
    pub fn admit(
        &mut self,
        tree: usize,
        port: usize,
        at: Time,
        (frame, info): (&Frame, &FrameInfo),
    ) -> Admission {
        let state = &mut self.trees.trees[tree];
        let start = frame.start();
        if start.starts_with(&RESERVED) && start[RESERVED.len()] < 0x10 {
            let at = state.advance(at);
            if is_bpdu(start) {
                state.bridge.receive(at, port, start);
                self.follow(tree, at);
            }
            return Admission::Kept;
        }
        let port = &mut state.ports[port];
        if port.forwards {
            return Admission::Forwarded;
        }
        port.discarded += u64::from(info.frames());
        if port.learns { Admission::Learned } else { Admission::Kept }
    }

    /// The link at `lane` and the next has come, or has changed: the trees at its ends hear of it.
    pub fn tell_trees(&mut self, lane: usize, now: Time) {
        let pair = [lane, lane + 1];
        let is_cut =
            pair.iter().all(|lane| self.lanes[*lane].pipe.config().state == LinkState::Down);
        for lane in pair {
            let Some((tree, port)) = self.tree_of(self.lanes[lane].source) else { continue };
            let rate = self.lanes[lane].pipe.config().rate.nominal();
            let by_rate = PathCost::of_rate(rate.map(|rate| rate.bits_per_second()));
            let leads_to_switch = !matches!(
                self.lanes[lane].target,
                Place::Device(_) | Place::Tagged(Tagged::Interfaces(_))
            );
            let state = &mut self.trees.trees[tree];
            let at = state.advance(now);
            let TreeWorth { cost, priority } = state.port(port).worth;
            let cost = cost.unwrap_or(by_rate);
            let known = state.bridge.port(port);
            if state.port(port).lane.replace(lane).is_none() {
                // The scenario has as many ports as a bridge may have at most.
                let _ = state.bridge.add_port(at, port, cost, priority, !leads_to_switch);
            } else if known.is_some_and(|known| known.cost != cost) {
                state.bridge.set_cost(at, port, cost);
            }
            state.bridge.enable(at, port, !is_cut);
            self.follow(tree, at);
        }
    }

    /// A link has left `port` of a switch; without others, its tree goes, too. Who the switch is, and what the way
    /// was worth.
    pub fn leave_tree(
        &mut self,
        tree: usize,
        port: usize,
        has_others: bool,
    ) -> (BridgeId, TreeWorth) {
        let now = self.clock.now();
        let state = &mut self.trees.trees[tree];
        let TreePort { worth, .. } = std::mem::take(state.port(port));
        let (at, id) = (state.advance(now), state.bridge.id());
        state.bridge.remove_port(at, port);
        if has_others {
            self.follow(tree, at);
        } else {
            self.trees.remove(tree);
        }
        (id, worth)
    }

    /// What every port of switches that run a spanning tree is to the tree.
    pub fn tree_ports(&self) -> Vec<TreePortStatus> {
        let ports = self.trees.trees.iter().flat_map(|tree| {
            let (root, cost, _) = tree.bridge.root();
            tree.ports.iter().enumerate().filter_map(
                move |(number, TreePort { lane, discarded, .. })| {
                    // The lane out of a port begins at the end that the port is.
                    let id = self.lanes[(*lane)?].id;
                    Some(TreePortStatus {
                        link: id.link,
                        end: id.direction,
                        port: tree.bridge.port(number)?,
                        bridge: tree.bridge.id(),
                        root: (root, cost),
                        discarded: *discarded,
                    })
                },
            )
        });
        ports.collect()
    }

    /// The tree and the port there of what is at the end of a link.
    fn tree_of(&self, place: Place) -> Option<(usize, usize)> {
        let (tree, port) = match place {
            Place::Switch { switch, port } => (self.switches[switch].tree, port),
            Place::Tagged(Tagged::Port { switch, port }) => (self.vlan_switches[switch].tree, port),
            Place::Device(_) | Place::Tagged(Tagged::Interfaces(_)) => (None, 0),
        };
        Some((tree?, port))
    }

    /// Does what a bridge says at `at`: forgets addresses, sends BPDUs, and has it wake up in time.
    fn follow(&mut self, tree: usize, at: Time) {
        let Tree { bridge, switch, ports, .. } = &mut self.trees.trees[tree];
        while let Some(port) = bridge.poll_flush() {
            match *switch {
                TreeSwitch::Plain(switch) => self.switches[switch].forget(port),
                TreeSwitch::Vlan(switch) => self.vlan_switches[switch].forget(port),
            }
        }
        let mut frames = Vec::new();
        while let Some((port, bytes)) = bridge.poll_transmit() {
            frames.extend(ports.get(port).and_then(|port| port.lane).map(|lane| (lane, bytes)));
        }
        for (number, port) in ports.iter_mut().enumerate() {
            (port.learns, port.forwards) = (bridge.learns(number), bridge.forwards(number));
        }
        if let Some(deadline) = bridge.next_deadline() {
            // In the future, so that no fault there can hang a worker.
            self.trees.timers.schedule(tree, deadline.max(at + Duration::from_nanos(1)));
        }
        for (lane, bytes) in frames {
            match self.pool.frame_of(&bytes) {
                Some(frame) => self.send_on(lane, at, Duration::ZERO, frame),
                None => self.lost(lane, Loss::NoMemory, 1),
            }
        }
    }
}
