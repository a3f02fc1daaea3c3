//! The state of a port (§17.19), its deadline, and its observable part. Not here: changes of the
//! state (`information`, `transitions`, `topology`, `transmission`).

use netloom_units::{Duration, Time};

use crate::budget::Budget;
use crate::timer::Timer;
use crate::{BridgeId, PathCost, PortPriority, Times, Vector};

/// Time that a port waits for BPDUs before it assumes that no bridge, or no bridge of another
/// version, is behind it (table 17-1).
pub(crate) const MIGRATE_TIME: Duration = Duration::from_secs(3);

/// The role of a port in the tree (§17.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// The port's link is down.
    Disabled,
    /// The port leads to the root.
    Root,
    /// The link behind it reaches the root through it.
    Designated,
    /// The port is another path to the root, kept for the case that the current one fails.
    Alternate,
    /// The port is another path to a link for which this bridge is designated.
    Backup,
}

/// The treatment of frames by a port (§7.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PortState {
    /// Frames are dropped.
    Discarding,
    /// Source addresses are learned, and frames are dropped.
    Learning,
    /// Source addresses are learned, and frames are forwarded.
    Forwarding,
}

/// The BPDUs that a port has counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PortCounters {
    /// Valid BPDUs received.
    pub received: u64,
    /// BPDUs that were malformed, of another protocol, or received while the port was disabled.
    pub ignored: u64,
    /// BPDUs sent.
    pub sent: u64,
}

/// The observable state of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortView {
    /// Role of the port in the tree.
    pub role: Role,
    /// Treatment of frames by the port.
    pub state: PortState,
    /// Cost of the path through it.
    pub cost: PathCost,
    /// Priority of the port among several ports of the same cost.
    pub priority: PortPriority,
    /// Whether no bridge is assumed to be behind it (operEdge).
    pub edge: bool,
    /// Whether it uses version 0, because its neighbour is a legacy bridge.
    pub legacy: bool,
    /// The best information on its link, from its neighbour or from the bridge itself.
    pub vector: Vector,
    /// Counters of the port.
    pub counters: PortCounters,
}

/// The source of a port's vector (infoIs).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Info {
    Disabled,
    Aged,
    Mine,
    Received,
}

/// Topology information from a BPDU, until the port has processed it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct TopologyFlags {
    pub(crate) change: bool,
    pub(crate) notification: bool,
    pub(crate) acknowledgement: bool,
}

/// State of a port's topology change machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Topology {
    /// No addresses are learned at it.
    Inactive,
    /// Addresses are learned at it, but it is not part of the tree between bridges.
    Learning,
    /// The port is part of that tree.
    Active,
}

/// A port. Fields that stand for variables of §17.19 have the standard's names.
#[derive(Debug)]
pub(crate) struct BridgePort {
    pub(crate) id: u16,
    pub(crate) cost: PathCost,
    pub(crate) priority: PortPriority,
    pub(crate) enabled: bool,
    pub(crate) role: Role,
    pub(crate) selected_role: Role,
    pub(crate) learn: bool,
    pub(crate) forward: bool,
    pub(crate) admin_edge: bool,
    pub(crate) edge: bool,
    pub(crate) send_rstp: bool,

    pub(crate) info: Info,
    /// portPriority and portTimes.
    pub(crate) vector: Vector,
    pub(crate) times: Times,
    /// designatedPriority.
    pub(crate) designated: Vector,

    pub(crate) proposing: bool,
    pub(crate) proposed: bool,
    pub(crate) agree: bool,
    pub(crate) agreed: bool,
    pub(crate) sync: bool,
    pub(crate) synced: bool,
    pub(crate) re_root: bool,
    pub(crate) disputed: bool,
    pub(crate) new_info: bool,

    pub(crate) topology: Topology,
    pub(crate) received_flags: TopologyFlags,
    /// tcProp.
    pub(crate) propagate: bool,
    pub(crate) tc_ack: bool,

    pub(crate) edge_delay_while: Timer,
    pub(crate) fd_while: Timer,
    pub(crate) mdelay_while: Timer,
    pub(crate) rb_while: Timer,
    pub(crate) rcvd_info_while: Timer,
    pub(crate) rr_while: Timer,
    pub(crate) tc_while: Timer,

    pub(crate) budget: Budget,
    pub(crate) counters: PortCounters,
    /// The port's entry in the bridge's deadlines.
    pub(crate) scheduled: Option<Time>,
}

impl BridgePort {
    /// Returns a disabled port of bridge `bridge`.
    pub(crate) fn new(
        bridge: BridgeId,
        number: u16,
        cost: PathCost,
        priority: PortPriority,
        admin_edge: bool,
    ) -> Self {
        // The first four bits are the priority (§9.2.7).
        let id = u16::from(priority.get()) << 8 | number;
        let vector = Vector { root: bridge, cost: 0, bridge, port: id };
        Self {
            id,
            cost,
            priority,
            enabled: false,
            role: Role::Disabled,
            selected_role: Role::Disabled,
            learn: false,
            forward: false,
            admin_edge,
            edge: false,
            send_rstp: true,
            info: Info::Disabled,
            vector,
            times: Times::DEFAULT,
            designated: vector,
            proposing: false,
            proposed: false,
            agree: false,
            agreed: false,
            sync: false,
            synced: true,
            re_root: false,
            disputed: false,
            new_info: false,
            topology: Topology::Inactive,
            received_flags: TopologyFlags::default(),
            propagate: false,
            tc_ack: false,
            edge_delay_while: Timer::default(),
            fd_while: Timer::default(),
            mdelay_while: Timer::default(),
            rb_while: Timer::default(),
            rcvd_info_while: Timer::default(),
            rr_while: Timer::default(),
            tc_while: Timer::default(),
            budget: Budget::default(),
            counters: PortCounters::default(),
            scheduled: None,
        }
    }

    pub(crate) fn view(&self) -> PortView {
        PortView {
            role: self.role,
            state: match (self.learn, self.forward) {
                (_, true) => PortState::Forwarding,
                (true, false) => PortState::Learning,
                (false, false) => PortState::Discarding,
            },
            cost: self.cost,
            priority: self.priority,
            edge: self.edge,
            legacy: !self.send_rstp,
            vector: self.vector,
            counters: self.counters,
        }
    }

    /// Whether the port does not keep any other from agreeing (its part of allSynced, §17.20.3).
    pub(crate) fn settled(&self) -> bool {
        self.role == self.selected_role && (self.synced || self.role == Role::Root)
    }

    /// Whether the port was a root port a short while ago and may still forward (its part of
    /// reRooted, §17.20.10).
    pub(crate) fn retiring(&self, now: Time) -> bool {
        self.role != Role::Root && self.rr_while.runs(now)
    }

    /// Whether the port waits until all ports are synced, or until former root ports have retired.
    pub(crate) fn waits(&self) -> bool {
        match self.role {
            Role::Root => !self.agree || !self.forward,
            Role::Alternate | Role::Backup => !self.agree,
            Role::Disabled | Role::Designated => false,
        }
    }

    /// Returns the time at which the port's behaviour next changes without other events. Hellos are
    /// the bridge's business.
    pub(crate) fn deadline(&self, now: Time) -> Option<Time> {
        let on_the_way = matches!(self.role, Role::Root | Role::Designated) && !self.forward;
        let timers = [
            (self.info == Info::Received).then_some(self.rcvd_info_while),
            self.may_be_edge().then_some(self.edge_delay_while),
            on_the_way.then_some(self.fd_while),
            (on_the_way && self.role == Role::Root).then_some(self.rb_while),
            Some(self.rr_while),
        ];
        let timers = timers.into_iter().flatten().filter(|timer| timer.runs(now)).map(Timer::end);
        timers.chain(self.waits_to_send(now)).min()
    }
}
