//! How a port takes on its role and starts to forward: port role and state transitions (§17.29,
//! §17.30). Not here: the selection of the role (`roles`).

use netloom_units::{Duration, Time};

use crate::Times;
use crate::port::{BridgePort, MIGRATE_TIME, Role};

/// The state of the bridge that a port depends on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Surroundings {
    /// Whether every other port is in step with the root's information (allSynced).
    pub(crate) all_synced: bool,
    /// Whether no other port was the root port a short while ago (reRooted).
    pub(crate) re_rooted: bool,
    /// designatedTimes.
    pub(crate) times: Times,
}

/// The requests of a port to its bridge.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Effects {
    /// setSyncTree.
    pub(crate) sync: bool,
    /// setReRootTree.
    pub(crate) re_root: bool,
    /// setTcPropTree.
    pub(crate) topology_change: bool,
    /// The addresses learned at the port must be forgotten.
    pub(crate) flush: bool,
}

impl BridgePort {
    /// Runs the port's machines until nothing changes.
    pub(crate) fn step(&mut self, now: Time, around: Surroundings) -> Effects {
        let mut effects = Effects::default();
        self.detect_edge(now);
        if self.role != self.selected_role {
            self.change_role(now, around.times);
        }
        while match self.role {
            Role::Disabled => self.run_blocked(),
            Role::Root => self.run_root(now, around, &mut effects),
            Role::Designated => self.run_designated(now, around.times),
            Role::Alternate | Role::Backup => {
                self.run_blocked() || self.run_alternate(around, &mut effects)
            }
        } {}
        self.run_topology(now, around.times, &mut effects);
        effects
    }

    /// Changes the role. Timers that the standard holds while a port has a role are started when it
    /// leaves that role.
    fn change_role(&mut self, now: Time, times: Times) {
        match self.role {
            Role::Disabled => self.fd_while.start(now, times.max_age()),
            Role::Root => self.rr_while.start(now, times.forward_delay()),
            Role::Designated => {}
            Role::Alternate | Role::Backup => {
                self.fd_while.start(now, self.forward_delay(times));
            }
        }
        if self.role == Role::Backup {
            self.rb_while.start(now, times.hello() + times.hello());
        }
        self.role = self.selected_role;
        if matches!(self.role, Role::Disabled | Role::Alternate | Role::Backup) {
            (self.learn, self.forward) = (false, false);
        }
    }

    /// Implements DISABLED_PORT and ALTERNATE_PORT: such a port complies at once with any request
    /// to be in step.
    fn run_blocked(&mut self) -> bool {
        let changes = self.sync || self.re_root || !self.synced;
        (self.sync, self.re_root, self.synced) = (false, false, true);
        self.rr_while.stop();
        changes
    }

    fn run_alternate(&mut self, around: Surroundings, effects: &mut Effects) -> bool {
        if self.proposed && !self.agree {
            self.proposed = false;
            effects.sync = true;
        } else if around.all_synced && !self.agree || self.proposed && self.agree {
            self.proposed = false;
            self.agree = true;
            self.new_info = true;
        } else {
            return false;
        }
        true
    }

    fn run_root(&mut self, now: Time, around: Surroundings, effects: &mut Effects) -> bool {
        let rapid = around.re_rooted && !self.rb_while.runs(now);
        if self.proposed && !self.agree {
            self.proposed = false;
            effects.sync = true;
        } else if around.all_synced && !self.agree || self.proposed && self.agree {
            (self.proposed, self.sync) = (false, false);
            self.agree = true;
            self.new_info = true;
        } else if !self.forward && !self.re_root {
            self.re_root = true;
            effects.re_root = true;
        } else if self.forward && self.re_root {
            self.re_root = false;
        } else if !self.forward && (rapid || !self.fd_while.runs(now)) {
            self.advance(now, around.times);
        } else {
            return false;
        }
        true
    }

    fn run_designated(&mut self, now: Time, times: Times) -> bool {
        let retiring = self.re_root && self.rr_while.runs(now);
        let discarding = !self.learn && !self.forward;
        let may_forward = self.agreed || self.edge || !self.fd_while.runs(now);
        if !self.forward && !self.agreed && !self.proposing && !self.edge {
            self.proposing = true;
            self.edge_delay_while.start(now, MIGRATE_TIME);
            self.new_info = true;
        } else if (discarding || self.agreed || self.edge) && !self.synced
            || self.sync && self.synced
        {
            self.rr_while.stop();
            (self.synced, self.sync) = (true, false);
        } else if self.re_root && !self.rr_while.runs(now) {
            self.re_root = false;
        } else if (self.sync || retiring || self.disputed) && !self.edge && !discarding {
            (self.learn, self.forward, self.disputed) = (false, false, false);
            self.fd_while.start(now, self.forward_delay(times));
        } else if !self.forward && may_forward && !retiring && !self.sync {
            self.advance(now, times);
            self.agreed |= self.forward && self.send_rstp;
        } else {
            return false;
        }
        true
    }

    /// Moves from discarding to learning, or from learning to forwarding.
    fn advance(&mut self, now: Time, times: Times) {
        if self.learn {
            self.forward = true;
            self.fd_while.stop();
        } else {
            self.learn = true;
            self.fd_while.start(now, self.forward_delay(times));
        }
    }

    /// Returns the time after which a port leaves a state that only time ends (forwardDelay,
    /// §17.20.5).
    fn forward_delay(&self, times: Times) -> Duration {
        if self.send_rstp { times.hello() } else { times.forward_delay() }
    }
}
