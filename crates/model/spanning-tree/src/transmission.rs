//! What a port says, and how often it may (§17.26). Not here: hellos' times (`bridge`), bytes
//! (`bpdu`).

use netloom_units::{Duration, Time};

use crate::port::{Port, Role};
use crate::{Bpdu, Config, Flags, MessageRole, Times};

/// TxHoldCount: BPDUs that a port may send in a second (table 17-1).
const HOLD_COUNT: u8 = 6;

/// What each BPDU keeps from being sent again, once it is drained.
const DRAIN: Duration = Duration::from_secs(1);

/// How many BPDUs a port has sent of late (txCount): one is forgotten each second.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Budget {
    count: u8,
    drains: Time,
}

impl Budget {
    /// Takes one, if there is one left.
    fn take(&mut self, now: Time) -> bool {
        while self.count > 0 && self.drains <= now {
            self.count -= 1;
            self.drains += DRAIN;
        }
        if self.count == 0 {
            self.drains = now + DRAIN;
        }
        let left = self.count < HOLD_COUNT;
        self.count += u8::from(left);
        left
    }
}

impl Port {
    /// A hello is due: says again what must not be forgotten (TRANSMIT_PERIODIC).
    pub(crate) fn greet(&mut self, now: Time) {
        self.new_info |=
            self.role == Role::Designated || self.role == Role::Root && self.tc_while.runs(now);
    }

    /// What is to be said now, if anything is and may be.
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

    /// Until when something to be said is held back.
    pub(crate) fn waits_to_send(&self, now: Time) -> Option<Time> {
        self.has_to_send(now).then_some(self.budget.drains)
    }

    /// To a legacy bridge there is nothing to say but hellos and notifications.
    fn has_to_send(&self, now: Time) -> bool {
        let listener = match self.role {
            Role::Disabled => false,
            Role::Designated => true,
            Role::Root => self.send_rstp || self.tc_while.runs(now),
            Role::Alternate | Role::Backup => self.send_rstp,
        };
        self.new_info && listener
    }

    /// txRstp (§17.21.20).
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

    /// txConfig (§17.21.19).
    fn config(&self, now: Time, times: Times) -> Config {
        let flags = Flags {
            topology_change: self.tc_while.runs(now),
            acknowledgement: self.tc_ack,
            ..Flags::default()
        };
        Config { flags, role: MessageRole::Designated, vector: self.designated, times }
    }
}
