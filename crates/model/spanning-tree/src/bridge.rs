//! The bridge, which joins ports to a tree: its inputs, outputs and deadlines. Not here: the
//! behaviour of a port (`information`, `transitions`, `topology`, `transmission`).

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::mem::take;

use netloom_units::Time;

use crate::port::BridgePort;
use crate::transitions::{Effects, Surroundings};
use crate::{
    Bpdu, BridgeConfig, BridgeId, BridgeTimes, FRAME_BYTES, PathCost, PortPriority, PortView,
    Times, Vector,
};

/// Largest number of ports of a bridge: port numbers have 12 bits, and 0 is not used (§9.2.7).
const MAX_PORTS: u16 = 4095;

/// Largest number of steps of one port in one evaluation. It is far more than the machines take, so
/// that a fault in them cannot hang the caller.
const MAX_STEPS: usize = 64;

/// A bridge cannot have a port with this number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a bridge has no port {0}; with a spanning tree its ports are 0 to 4094")]
pub struct PortError(usize);

/// One bridge that runs the rapid spanning tree protocol, by default with the standard's
/// recommended times (table 17-1): hello 2 s, max age 20 s, forward delay 15 s. The migrate time is
/// 3 s, and a port sends at most 6 BPDUs per second.
///
/// Call [`handle_timeout`](Self::handle_timeout) at [`next_deadline`](Self::next_deadline). After
/// that, and after each other call that takes `now`, send the frames that
/// [`poll_transmit`](Self::poll_transmit) returns, forget the addresses at the ports that
/// [`poll_flush`](Self::poll_flush) returns, and ask which ports [`learn`](Self::learns) and
/// [`forward`](Self::forwards). Times must never decrease.
#[derive(Debug)]
pub struct Bridge {
    pub(crate) id: BridgeId,
    pub(crate) own_times: BridgeTimes,
    /// The bridge's root priority vector (§17.18.6).
    pub(crate) root: Vector,
    pub(crate) root_port: Option<usize>,
    /// designatedTimes.
    pub(crate) times: Times,
    pub(crate) ports: BTreeMap<usize, BridgePort>,
    /// Ports whose state machines must run.
    pub(crate) dirty: BTreeSet<usize>,
    /// Ports that may have something to send, or a new deadline.
    touched: BTreeSet<usize>,
    reselect: bool,
    /// Ports that keep others from agreeing, and from becoming the root port.
    unsettled: BTreeSet<usize>,
    retiring: BTreeSet<usize>,
    deadlines: BTreeSet<(Time, usize)>,
    /// Time at which all ports send hellos.
    hello: Option<Time>,
    frames: VecDeque<(usize, [u8; FRAME_BYTES])>,
    flushes: BTreeSet<usize>,
}

impl Bridge {
    /// Returns a bridge without ports.
    pub fn new(config: impl Into<BridgeConfig>) -> Self {
        let BridgeConfig { id, times } = config.into();
        Self {
            id,
            own_times: times,
            root: Vector { root: id, cost: 0, bridge: id, port: 0 },
            root_port: None,
            times: times.of_root(),
            ports: BTreeMap::new(),
            dirty: BTreeSet::new(),
            touched: BTreeSet::new(),
            reselect: false,
            unsettled: BTreeSet::new(),
            retiring: BTreeSet::new(),
            deadlines: BTreeSet::new(),
            hello: None,
            frames: VecDeque::new(),
            flushes: BTreeSet::new(),
        }
    }

    /// Adds port `port`, enabled, or replaces it. Its number on the wire is `port` + 1, and its
    /// link is point-to-point. An `edge` port (AdminEdge) forwards at once, until it receives a
    /// BPDU. Other ports forward at once if no BPDU has arrived for 3 s. The first port starts the
    /// bridge's hellos.
    ///
    /// # Errors
    /// If `port` is above 4094.
    pub fn add_port(
        &mut self,
        now: Time,
        port: usize,
        cost: PathCost,
        priority: PortPriority,
        edge: bool,
    ) -> Result<(), PortError> {
        let number = u16::try_from(port).ok().filter(|index| *index < MAX_PORTS);
        let number = number.ok_or(PortError(port))? + 1;
        self.remove_port(now, port);
        self.hello.get_or_insert(now + self.own_times.hello());
        self.ports.insert(port, BridgePort::new(self.id, number, cost, priority, edge));
        self.enable(now, port, true);
        Ok(())
    }

    /// Removes port `port`, if there is one.
    pub fn remove_port(&mut self, now: Time, port: usize) {
        self.enable(now, port, false);
        self.ports.remove(&port);
        if self.ports.is_empty() {
            self.hello = None;
        }
    }

    /// Records whether the link at `port` is up (portEnabled).
    pub fn enable(&mut self, now: Time, port: usize, enabled: bool) {
        self.handle_timeout(now);
        match self.ports.get_mut(&port) {
            Some(state) if enabled && !state.enabled => state.enable(now),
            Some(state) if !enabled && state.enabled => {
                state.disable();
                self.frames.retain(|(of, _)| *of != port);
            }
            _ => return,
        }
        self.reselect(now, port);
    }

    /// Sets the cost of the path through `port`.
    pub fn set_cost(&mut self, now: Time, port: usize, cost: PathCost) {
        self.handle_timeout(now);
        if let Some(state) = self.ports.get_mut(&port) {
            state.cost = cost;
            self.reselect(now, port);
        }
    }

    /// Receives a whole Ethernet frame on `port`, for which [`is_bpdu`](crate::is_bpdu) holds. A
    /// BPDU that is not valid is counted and changes nothing.
    pub fn receive(&mut self, now: Time, port: usize, frame: &[u8]) {
        self.handle_timeout(now);
        let Some(state) = self.ports.get_mut(&port) else { return };
        let Some(bpdu) = Bpdu::decode(frame).ok().filter(|_| state.enabled) else {
            state.counters.ignored += 1;
            return;
        };
        state.counters.received += 1;
        self.reselect |= state.hear(now, &bpdu);
        self.dirty.insert(port);
        self.run(now);
    }

    /// Does everything that is due at `now`.
    pub fn handle_timeout(&mut self, now: Time) {
        while let Some(&(at, index)) = self.deadlines.first().filter(|(at, _)| *at <= now) {
            self.deadlines.remove(&(at, index));
            if let Some(port) = self.ports.get_mut(&index) {
                port.scheduled = None;
                self.reselect |= port.age(now);
                self.dirty.insert(index);
            }
        }
        self.greet(now);
        self.run(now);
    }

    /// Returns the time at which something is next due, if anything is.
    pub fn next_deadline(&self) -> Option<Time> {
        let port = self.deadlines.first().map(|(at, _)| *at);
        [port, self.hello].into_iter().flatten().min()
    }

    /// Returns the next frame to send, and its port: a whole Ethernet frame without check sequence.
    pub fn poll_transmit(&mut self) -> Option<(usize, [u8; FRAME_BYTES])> {
        self.frames.pop_front()
    }

    /// Returns the next port at which all learned addresses must be forgotten (fdbFlush).
    pub fn poll_flush(&mut self) -> Option<usize> {
        self.flushes.pop_first()
    }

    /// Whether addresses are learned from frames that arrive at `port`.
    pub fn learns(&self, port: usize) -> bool {
        self.ports.get(&port).is_some_and(|port| port.learn)
    }

    /// Whether frames may enter and leave through `port`.
    pub fn forwards(&self, port: usize) -> bool {
        self.ports.get(&port).is_some_and(|port| port.forward)
    }

    /// Returns the observable state of `port`.
    pub fn port(&self, port: usize) -> Option<PortView> {
        self.ports.get(&port).map(BridgePort::view)
    }

    /// Returns the identifier of this bridge.
    pub fn id(&self) -> BridgeId {
        self.id
    }

    /// Returns the root, the cost of the path to it, and the port that leads to it. The port is
    /// `None` at the root itself.
    pub fn root(&self) -> (BridgeId, u32, Option<usize>) {
        (self.root.root, self.root.cost, self.root_port)
    }

    fn reselect(&mut self, now: Time, port: usize) {
        self.reselect = true;
        self.dirty.insert(port);
        self.run(now);
    }

    /// Sends hellos if they are due. All ports send hellos at the same time. A late hello does not
    /// make the next one earlier.
    fn greet(&mut self, now: Time) {
        let Some(due) = self.hello.filter(|due| *due <= now) else { return };
        let period = self.own_times.hello();
        let next = due + period;
        self.hello = Some(if next > now { next } else { now + period });
        for (index, port) in &mut self.ports {
            port.greet(now);
            self.touched.insert(*index);
        }
    }

    /// Runs the state machines of ports that have changed, until nothing changes any more. Then
    /// sends.
    fn run(&mut self, now: Time) {
        for _ in 0..MAX_STEPS * (1 + self.ports.len()) {
            if take(&mut self.reselect) {
                self.select_roles();
                self.count_all(now);
            }
            let Some(index) = self.dirty.pop_first() else { break };
            self.step(now, index);
        }
        debug_assert!(self.dirty.is_empty(), "the machines do not come to rest");
        for index in take(&mut self.touched) {
            self.transmit(now, index);
        }
    }

    fn step(&mut self, now: Time, index: usize) {
        let around = Surroundings {
            all_synced: self.unsettled.is_empty(),
            re_rooted: self.retiring.is_empty(),
            times: self.times,
        };
        let Some(port) = self.ports.get_mut(&index) else { return };
        let effects = port.step(now, around);
        self.touched.insert(index);
        self.count(now, index);
        self.apply(index, effects);
        if (!around.all_synced && self.unsettled.is_empty())
            || (!around.re_rooted && self.retiring.is_empty())
        {
            let waiting = self.ports.iter().filter(|(_, port)| port.waits());
            self.dirty.extend(waiting.map(|(index, _)| *index));
        }
    }

    fn apply(&mut self, by: usize, effects: Effects) {
        if effects.flush {
            self.flushes.insert(by);
        }
        if !(effects.sync || effects.re_root || effects.topology_change) {
            return;
        }
        for (index, port) in &mut self.ports {
            port.sync |= effects.sync;
            port.re_root |= effects.re_root;
            port.propagate |= effects.topology_change && *index != by;
            self.dirty.insert(*index);
        }
    }

    fn count_all(&mut self, now: Time) {
        let ports: Vec<usize> = self.ports.keys().copied().collect();
        for index in ports {
            self.count(now, index);
        }
    }

    /// Updates the sets of ports that others wait for.
    fn count(&mut self, now: Time, index: usize) {
        let port = self.ports.get(&index);
        put(&mut self.unsettled, index, port.is_some_and(|port| !port.settled()));
        put(&mut self.retiring, index, port.is_some_and(|port| port.retiring(now)));
    }

    fn transmit(&mut self, now: Time, index: usize) {
        let Some(port) = self.ports.get_mut(&index) else { return };
        if let Some(bpdu) = port.transmit(now, self.times) {
            self.frames.push_back((index, bpdu.encode(self.id.address())));
        }
        let deadline = port.deadline(now);
        if port.scheduled != deadline {
            self.deadlines.extend(deadline.map(|at| (at, index)));
            if let Some(at) = port.scheduled {
                self.deadlines.remove(&(at, index));
            }
            port.scheduled = deadline;
        }
    }
}

fn put(set: &mut BTreeSet<usize>, index: usize, is_in: bool) {
    if is_in {
        set.insert(index);
    } else {
        set.remove(&index);
    }
}
