//! What a port makes of what it hears: receive, protocol migration, bridge detection and port
//! information machines (§17.23 to §17.25, §17.27). Not here: the role that follows (`roles`).

use std::mem::take;

use netloom_units::Time;

use crate::port::{Heard, Info, MIGRATE_TIME, Port};
use crate::{Bpdu, Config, MessageRole, Times, Vector};

impl Port {
    /// The link comes up: what the port knows is void, and it listens for other bridges.
    pub(crate) fn enable(&mut self, now: Time) {
        self.enabled = true;
        self.edge = self.admin_edge;
        self.info = Info::Aged;
        self.edge_delay_while.start(now, MIGRATE_TIME);
        self.mdelay_while.start(now, MIGRATE_TIME);
    }

    /// The link goes down.
    pub(crate) fn disable(&mut self) {
        self.enabled = false;
        self.info = Info::Disabled;
        self.edge = false;
        self.send_rstp = true;
        (self.proposing, self.proposed) = (false, false);
        (self.agree, self.agreed) = (false, false);
        (self.disputed, self.new_info) = (false, false);
        self.heard = Heard::default();
        self.tc_ack = false;
        self.tc_while.stop();
    }

    /// A BPDU has come; whether roles are to be selected again.
    pub(crate) fn hear(&mut self, now: Time, bpdu: &Bpdu) -> bool {
        self.edge = false;
        self.edge_delay_while.start(now, MIGRATE_TIME);
        self.migrate(now, matches!(bpdu, Bpdu::Rst(_)));
        match bpdu {
            Bpdu::Rst(config) | Bpdu::Config(config) => self.hear_config(now, config),
            Bpdu::Tcn => {
                self.heard.notification = true;
                false
            }
        }
    }

    /// Speaks the neighbour's version, at most one change each migrate time (§17.24).
    fn migrate(&mut self, now: Time, rstp: bool) {
        if self.send_rstp != rstp && !self.mdelay_while.runs(now) {
            self.send_rstp = rstp;
            self.mdelay_while.start(now, MIGRATE_TIME);
        }
    }

    /// rcvInfo and the states that it leads to (§17.21.8, §17.27).
    fn hear_config(&mut self, now: Time, config: &Config) -> bool {
        let received = self.info == Info::Received;
        let times = config.times.recorded();
        match config.role {
            MessageRole::Designated
                if received && (config.vector, times) == (self.vector, self.times) =>
            {
                self.proposed |= config.flags.proposal;
                self.note_topology(config);
                self.start_ageing(now);
            }
            MessageRole::Designated
                if config.vector < self.vector
                    || received && config.vector.same_source(&self.vector) =>
            {
                self.record(now, config, times);
                return true;
            }
            MessageRole::Designated if config.flags.learning => {
                self.disputed = true;
                self.agreed = false;
            }
            MessageRole::Root | MessageRole::Alternate if config.vector >= self.vector => {
                if self.answers(config) {
                    self.agreed = config.flags.agreement;
                    self.proposing &= !self.agreed;
                }
                self.note_topology(config);
            }
            _ => {}
        }
        false
    }

    /// Whether the neighbour can have heard what the port has to say now. The standard does not
    /// ask: there, what a neighbour agreed to before counts for what it is told next, and frames go
    /// round while information on a lost root does.
    fn answers(&self, config: &Config) -> bool {
        !self.new_info && config.vector.root == self.vector.root
    }

    /// SUPERIOR_DESIGNATED: the neighbour is closer to the root, or says something new of itself.
    fn record(&mut self, now: Time, config: &Config, times: Times) {
        (self.agreed, self.proposing) = (false, false);
        self.proposed |= config.flags.proposal;
        self.note_topology(config);
        self.agree &= self.info == Info::Received && config.vector <= self.vector;
        (self.vector, self.times) = (config.vector, times);
        self.info = Info::Received;
        self.start_ageing(now);
    }

    /// updtRcvdInfoWhile (§17.21.23): three hellos of the neighbour, or none for information that
    /// is as old as it may be.
    fn start_ageing(&mut self, now: Time) {
        if self.times.aged().message_age > self.times.max_age {
            self.info = Info::Aged;
        } else {
            let hello = self.times.hello();
            self.rcvd_info_while.start(now, hello + hello + hello);
        }
    }

    /// Whether what was heard has just become too old, so that roles are to be selected again.
    pub(crate) fn age(&mut self, now: Time) -> bool {
        let aged = self.info == Info::Received && !self.rcvd_info_while.runs(now);
        if aged {
            self.info = Info::Aged;
        }
        aged
    }

    /// UPDATE: the bridge's own information is the best at this link (§17.27).
    pub(crate) fn update(&mut self, times: Times) {
        (self.proposing, self.proposed) = (false, false);
        self.agreed &= self.info == Info::Mine && self.designated <= self.vector;
        self.synced &= self.agreed;
        (self.vector, self.times) = (self.designated, times);
        self.info = Info::Mine;
        self.new_info = true;
    }

    fn note_topology(&mut self, config: &Config) {
        self.heard.change |= config.flags.topology_change;
        self.heard.acknowledgement |= config.flags.acknowledgement;
    }

    /// Takes what was heard of the topology, and what other ports passed on.
    pub(crate) fn take_heard(&mut self) -> (Heard, bool) {
        (take(&mut self.heard), take(&mut self.propagate))
    }

    /// Whether silence makes it an edge port.
    pub(crate) fn may_be_edge(&self) -> bool {
        self.enabled && self.send_rstp && self.proposing && !self.edge
    }

    /// Believes that no bridge is behind the port, after silence (AutoEdge, §17.25).
    pub(crate) fn detect_edge(&mut self, now: Time) {
        if self.may_be_edge() && !self.edge_delay_while.runs(now) {
            self.edge = true;
        }
    }

    /// What the port would be told of the root over its link, if its neighbour told it.
    pub(crate) fn root_path(&self) -> Option<Vector> {
        (self.info == Info::Received).then(|| self.vector.plus(self.cost))
    }
}
