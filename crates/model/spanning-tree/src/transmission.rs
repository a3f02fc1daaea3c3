//! The BPDUs that a port sends (§17.26). Not here: their rate limit (`budget`), the times of hellos
//! (`bridge`), and bytes (`bpdu`).

use netloom_units::Time;

use crate::port::{BridgePort, Role};
use crate::{Bpdu, Config, Flags, MessageRole, Times};

impl BridgePort {
    /// Handles a hello: information that must not be forgotten is sent again (TRANSMIT_PERIODIC).
    pub(crate) fn greet(&mut self, now: Time) {
        self.new_info |=
            self.role == Role::Designated || self.role == Role::Root && self.tc_while.runs(now);
    }

    /// Returns the BPDU to send now, if there is one and the limit allows it.
    pub(crate) fn transmit(&mut self, now: Time, times: Times) -> Option<Bpdu> {
        let ready = self.has_to_send(now) && self.budget.take(now);
        if !ready {
            return None;
        }
        self.new_info = false;
        self.counters.sent += 1;
        let bpdu = match (self.send_rstp, self.role) {
            (true, _) => Bpdu::Rst(self.rst(now, times)),
            (false, Role::Root) => return Some(Bpdu::Tcn),
            (false, _) => Bpdu::Config(self.config(now, times)),
        };
        self.tc_ack = false;
        Some(bpdu)
    }

    /// Returns the time until which a BPDU is held back.
    pub(crate) fn waits_to_send(&self, now: Time) -> Option<Time> {
        self.has_to_send(now).then_some(self.budget.drains())
    }

    /// Whether there is something to send. To a legacy bridge, only hellos and notifications are
    /// sent.
    fn has_to_send(&self, now: Time) -> bool {
        let listener = match self.role {
            Role::Disabled => false,
            Role::Designated => true,
            Role::Root => self.send_rstp || self.tc_while.runs(now),
            Role::Alternate | Role::Backup => self.send_rstp,
        };
        self.new_info && listener
    }

    /// Implements txRstp (§17.21.20).
    fn rst(&self, now: Time, times: Times) -> Config {
        Config {
            flags: Flags {
                topology_change: self.tc_while.runs(now),
                proposal: self.proposing,
                learning: self.learn,
                forwarding: self.forward,
                agreement: self.agree,
                acknowledgement: false,
            },
            role: match self.role {
                Role::Root => MessageRole::Root,
                Role::Designated => MessageRole::Designated,
                Role::Alternate | Role::Backup => MessageRole::Alternate,
                Role::Disabled => MessageRole::Unknown,
            },
            vector: self.designated,
            times,
        }
    }

    /// Implements txConfig (§17.21.19).
    fn config(&self, now: Time, times: Times) -> Config {
        let flags = Flags {
            topology_change: self.tc_while.runs(now),
            acknowledgement: self.tc_ack,
            ..Flags::default()
        };
        Config { flags, role: MessageRole::Designated, vector: self.designated, times }
    }
}
