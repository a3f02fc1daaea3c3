//! What a port knows (§17.19), when something is due at it, and what it shows. Not here: what
//! happens to it (`information`, `transitions`, `topology`, `transmission`).

use netloom_units::{Duration, Time};

use crate::timer::Timer;
use crate::topology::Topology;
use crate::transmission::Budget;
use crate::{BridgeId, PathCost, PortPriority, Times, Vector};

/// How long a port listens before it believes that no bridge, or no other version, is behind it
/// (table 17-1).
pub(crate) const MIGRATE_TIME: Duration = Duration::from_secs(3);

/// What a port is to the tree (§17.7).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Its link is down.
    Disabled,
    /// It leads to the root.
    Root,
    /// Through it, what is behind it reaches the root.
    Designated,
    /// Another way to the root, kept for when the present one fails.
    Alternate,
    /// Another way to a link that this bridge is designated for.
    Backup,
}

/// What a port does with frames (§7.4).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PortState {
    /// It throws them away.
    Discarding,
    /// It learns where they come from and throws them away.
    Learning,
    /// It learns and forwards.
    Forwarding,
}

/// What a port has counted, in BPDUs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PortCounters {
    /// Understood.
    pub received: u64,
    /// Malformed, of another protocol, or come while the port was disabled.
    pub ignored: u64,
    /// Sent.
    pub sent: u64,
}

/// A port as it is seen from outside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PortView {
    /// What it is to the tree.
    pub role: Role,
    /// What it does with frames.
    pub state: PortState,
    /// What the way through it costs.
    pub cost: PathCost,
    /// How much it is wanted, of several that cost the same.
    pub priority: PortPriority,
    /// Whether no bridge is believed to be behind it (operEdge).
    pub edge: bool,
    /// Whether it speaks to a legacy bridge, in version 0.
    pub legacy: bool,
    /// The best that is known at its link, from its neighbour or from the bridge itself.
    pub vector: Vector,
    /// What it has counted.
    pub counters: PortCounters,
}

/// Where a port's vector comes from (infoIs).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Info {
    Disabled,
    Aged,
    Mine,
    Received,
}

/// What a BPDU has told of the topology, until the port has noticed it.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Heard {
    pub(crate) change: bool,
    pub(crate) notification: bool,
    pub(crate) acknowledgement: bool,
}

/// A port; names are the standard's, where a field stands for a variable of §17.19.
#[derive(Debug)]
pub(crate) struct Port {
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
    pub(crate) heard: Heard,
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
    /// Its entry among the bridge's deadlines.
    pub(crate) scheduled: Option<Time>,
}

impl Port {
    /// A disabled port of bridge `bridge`.
    pub(crate) fn new(
        bridge: BridgeId,
        number: u16,
        cost: PathCost,
        priority: PortPriority,
        admin_edge: bool,
    ) -> Self {
        // The first four bits are the priority's (§9.2.7).
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
            heard: Heard::default(),
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

    /// Whether the port keeps no other from agreeing (its part of allSynced, §17.20.3).
    pub(crate) fn settled(&self) -> bool {
        self.role == self.selected_role && (self.synced || self.role == Role::Root)
    }

    /// Whether the port was a root port a short while ago and may still forward (its part of
    /// reRooted, §17.20.10).
    pub(crate) fn retiring(&self, now: Time) -> bool {
        self.role != Role::Root && self.rr_while.runs(now)
    }

    /// Whether it waits to hear that all are synced, or that former roots have retired.
    pub(crate) fn waits(&self) -> bool {
        match self.role {
            Role::Root => !self.agree || !self.forward,
            Role::Alternate | Role::Backup => !self.agree,
            Role::Disabled | Role::Designated => false,
        }
    }

    /// When time alone next changes what the port does; hellos are the bridge's.
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
