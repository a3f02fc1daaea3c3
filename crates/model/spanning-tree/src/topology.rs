//! Detects and reports changes of the topology at a port (§17.31). Not here: learned addresses.

use netloom_units::{Duration, Time};

use crate::Times;
use crate::port::{BridgePort, Role, Topology};
use crate::transitions::Effects;

impl BridgePort {
    pub(crate) fn run_topology(&mut self, now: Time, times: Times, effects: &mut Effects) {
        while let Some(next) = self.next_topology() {
            self.topology = next;
            match next {
                Topology::Inactive => effects.flush = true,
                Topology::Learning => drop(self.take_received_flags()),
                Topology::Active => {
                    self.start_telling(now, times);
                    self.new_info = true;
                    effects.topology_change = true;
                }
            }
        }
        self.pass_on(now, times, effects);
    }

    fn next_topology(&self) -> Option<Topology> {
        let in_tree = matches!(self.role, Role::Root | Role::Designated);
        match self.topology {
            Topology::Inactive if self.learn => Some(Topology::Learning),
            Topology::Learning if in_tree && self.forward && !self.edge => Some(Topology::Active),
            Topology::Learning if !in_tree && !self.learn => Some(Topology::Inactive),
            Topology::Active if !in_tree || self.edge => Some(Topology::Learning),
            _ => None,
        }
    }

    /// Passes on topology changes that neighbours and other ports have reported.
    fn pass_on(&mut self, now: Time, times: Times, effects: &mut Effects) {
        let (flags, propagate) = self.take_received_flags();
        if self.topology != Topology::Active {
            return;
        }
        if flags.notification {
            self.start_telling(now, times);
        }
        if flags.notification || flags.change {
            self.tc_ack |= self.role == Role::Designated;
            effects.topology_change = true;
        }
        if propagate {
            self.start_telling(now, times);
            effects.flush = true;
        }
        if flags.acknowledgement {
            self.tc_while.stop();
        }
    }

    /// Implements newTcWhile (§17.21.7).
    fn start_telling(&mut self, now: Time, times: Times) {
        if self.tc_while.runs(now) {
            return;
        }
        if self.send_rstp {
            self.tc_while.start(now, times.hello() + Duration::from_secs(1));
            self.new_info = true;
        } else {
            self.tc_while.start(now, times.max_age() + times.forward_delay());
        }
    }
}
