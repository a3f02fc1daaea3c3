//! Flows as all cells know them. Not here: their senders (`sender`), and descriptions of flows
//! (`flow`).

use netloom_tcp::Config;
use netloom_traffic::{Exchanges, Transfer};
use netloom_units::Time;

use crate::AddressId;

/// The data of a flow that all cells share.
#[derive(Debug)]
pub(crate) struct Flow {
    pub name: String,
    pub from: u32,
    pub to: Vec<AddressId>,
    pub v6: bool,
    pub kind: Kind,
    pub start: Time,
    pub until: Option<Time>,
    pub background: bool,
    pub traffic_class: u8,
    /// Source port of the flow's datagrams.
    pub source_port: u16,
}

/// The kind of traffic of a flow. The traffic model is not here: the flow's sender has it.
#[derive(Debug)]
pub(crate) enum Kind {
    Ping,
    Udp { port: u16 },
    Tcp(Box<Tcp>),
    Twins(Box<Config>),
}

/// The data that both ends of a flow's connections share.
#[derive(Debug)]
pub(crate) struct Tcp {
    pub port: u16,
    pub sender: Config,
    pub receivers: Vec<Config>,
    /// Whether connections that have ended are forgotten.
    pub is_many: bool,
    /// The requests to the servers, and whether all go over one connection.
    pub http: Option<(Exchanges, bool)>,
}

impl Flow {
    /// Time at which a transfer begins.
    pub fn start_of(&self, transfer: &Transfer) -> Time {
        self.start + transfer.at.since(Time::ZERO)
    }

    /// Whether something may still begin at this time.
    pub fn allows(&self, at: Time) -> bool {
        self.until.is_none_or(|until| at < until)
    }
}
