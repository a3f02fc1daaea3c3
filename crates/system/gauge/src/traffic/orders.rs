//! What is sent and by which protocol, and what is reported of it.

use serde::{Deserialize, Serialize};

/// A protocol, over IPv4.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Protocol {
    /// Each write is a datagram.
    Udp,
    /// All writes go over one connection.
    Tcp,
}

/// Order to send.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Send {
    /// The protocol.
    pub protocol: Protocol,
    /// The receiver's host name.
    pub to: String,
    /// Its port.
    pub port: u16,
    /// Length of each write, in bytes.
    pub payload: usize,
    /// Number of writes a second.
    pub pace: f64,
    /// Duration, in seconds.
    pub seconds: f64,
}

/// Report of a sender.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Sent {
    /// Number of writes that the pace asked for.
    pub planned: u64,
    /// Number of writes that were made in time.
    pub writes: u64,
}

/// Report of a receiver.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Received {
    /// Bytes of payload, without the datagrams that end a UDP flow.
    pub bytes: u64,
}

/// Report on round trips.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// Number of questions that were answered.
    pub answered: u64,
    /// The median round trip, in nanoseconds.
    pub p50_ns: u64,
}
