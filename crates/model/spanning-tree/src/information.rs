//! The reaction of a port to received BPDUs: the receive, protocol migration, bridge detection and
//! port information machines (§17.23 to §17.25, §17.27). Not here: the role that follows (`roles`).

use std::mem::take;

use netloom_units::Time;

use crate::port::{BridgePort, Info, MIGRATE_TIME, TopologyFlags};
use crate::{Bpdu, Config, MessageRole, Times, Vector};

impl BridgePort {
    /// Handles a link that comes up: earlier information becomes void, and the port waits for BPDUs
    /// of other bridges.
    pub(crate) fn enable(&mut self, now: Time) {
        self.enabled = true;
        self.edge = self.admin_edge;
        self.info = Info::Aged;
        self.edge_delay_while.start(now, MIGRATE_TIME);
        self.mdelay_while.start(now, MIGRATE_TIME);
    }

    /// Handles a link that goes down.
    pub(crate) fn disable(&mut self) {
        self.enabled = false;
        self.info = Info::Disabled;
        self.edge = false;
        self.send_rstp = true;
        (self.proposing, self.proposed) = (false, false);
        (self.agree, self.agreed) = (false, false);
        (self.disputed, self.new_info) = (false, false);
        self.received_flags = TopologyFlags::default();
        self.tc_ack = false;
        self.tc_while.stop();
    }

    /// Handles a received BPDU. Returns whether roles must be selected again.
    pub(crate) fn hear(&mut self, now: Time, bpdu: &Bpdu) -> bool {
        self.edge = false;
        self.edge_delay_while.start(now, MIGRATE_TIME);
        self.migrate(now, matches!(bpdu, Bpdu::Rst(_)));
        match bpdu {
            Bpdu::Rst(config) | Bpdu::Config(config) => self.hear_config(now, config),
            Bpdu::Tcn => {
                self.received_flags.notification = true;
                false
            }
        }
    }

    /// Switches to the neighbour's version, at most once per migrate time (§17.24).
    fn migrate(&mut self, now: Time, rstp: bool) {
        if self.send_rstp != rstp && !self.mdelay_while.runs(now) {
            self.send_rstp = rstp;
            self.mdelay_while.start(now, MIGRATE_TIME);
        }
    }

    /// Implements rcvInfo and the states that it leads to (§17.21.8, §17.27).
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

    /// Whether the neighbour's message can be an answer to the port's latest information. The
    /// standard does not check this: there, an earlier agreement of the neighbour also applies to
    /// information that it receives later. Frames then go round in circles while information about
    /// a lost root does.
    fn answers(&self, config: &Config) -> bool {
        !self.new_info && config.vector.root == self.vector.root
    }

    /// Implements SUPERIOR_DESIGNATED: the neighbour is closer to the root, or sends new
    /// information about itself.
    fn record(&mut self, now: Time, config: &Config, times: Times) {
        (self.agreed, self.proposing) = (false, false);
        self.proposed |= config.flags.proposal;
        self.note_topology(config);
        self.agree &= self.info == Info::Received && config.vector <= self.vector;
        (self.vector, self.times) = (config.vector, times);
        self.info = Info::Received;
        self.start_ageing(now);
    }

    /// Implements updtRcvdInfoWhile (§17.21.23): information lasts for three hellos of the
    /// neighbour, or not at all if its age has reached the maximum.
    fn start_ageing(&mut self, now: Time) {
        if self.times.aged().message_age > self.times.max_age {
            self.info = Info::Aged;
        } else {
            let hello = self.times.hello();
            self.rcvd_info_while.start(now, hello + hello + hello);
        }
    }

    /// Ages the received information. Returns whether it has just become too old, so that roles
    /// must be selected again.
    pub(crate) fn age(&mut self, now: Time) -> bool {
        let aged = self.info == Info::Received && !self.rcvd_info_while.runs(now);
        if aged {
            self.info = Info::Aged;
        }
        aged
    }

    /// Implements UPDATE: the bridge's own information is the best on this link (§17.27).
    pub(crate) fn update(&mut self, times: Times) {
        (self.proposing, self.proposed) = (false, false);
        self.agreed &= self.info == Info::Mine && self.designated <= self.vector;
        self.synced &= self.agreed;
        (self.vector, self.times) = (self.designated, times);
        self.info = Info::Mine;
        self.new_info = true;
    }

    fn note_topology(&mut self, config: &Config) {
        self.received_flags.change |= config.flags.topology_change;
        self.received_flags.acknowledgement |= config.flags.acknowledgement;
    }

    /// Takes the received topology information, and whether other ports passed on a change.
    pub(crate) fn take_received_flags(&mut self) -> (TopologyFlags, bool) {
        (take(&mut self.received_flags), take(&mut self.propagate))
    }

    /// Whether the port may become an edge port if it receives nothing.
    pub(crate) fn may_be_edge(&self) -> bool {
        self.enabled && self.send_rstp && self.proposing && !self.edge
    }

    /// Makes the port an edge port if it has received nothing for long enough, so that no bridge
    /// seems to be behind it (AutoEdge, §17.25).
    pub(crate) fn detect_edge(&mut self, now: Time) {
        if self.may_be_edge() && !self.edge_delay_while.runs(now) {
            self.edge = true;
        }
    }

    /// Returns the path to the root over this port's link, if a neighbour has sent information.
    pub(crate) fn root_path(&self) -> Option<Vector> {
        (self.info == Info::Received).then(|| self.vector.plus(self.cost))
    }
}
