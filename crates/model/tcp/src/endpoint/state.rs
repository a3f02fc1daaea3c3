//! The states of a connection.

/// The states of a connection (RFC 9293 §3.3.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum State {
    /// No connection.
    Closed,
    /// Waits for a SYN.
    Listen,
    /// Has sent a SYN.
    SynSent,
    /// Has sent and received a SYN.
    SynReceived,
    /// Data is sent in both directions.
    Established,
    /// Has sent a FIN.
    FinWait1,
    /// Has sent a FIN, which is acknowledged.
    FinWait2,
    /// Has received a FIN.
    CloseWait,
    /// Has sent and received a FIN. Its own FIN is not acknowledged.
    Closing,
    /// Has received a FIN, then sent one.
    LastAck,
    /// Waits until the network holds no more packets of the connection.
    TimeWait,
}

impl State {
    /// Whether both ends have each other's sequence numbers.
    pub const fn synchronized(self) -> bool {
        !matches!(self, Self::Closed | Self::Listen | Self::SynSent | Self::SynReceived)
    }

    /// Whether payload may still arrive.
    pub(super) const fn receives(self) -> bool {
        matches!(self, Self::Established | Self::FinWait1 | Self::FinWait2)
    }

    /// Whether payload may still be sent, for the first time or again.
    pub(super) const fn sends(self) -> bool {
        matches!(
            self,
            Self::Established | Self::CloseWait | Self::FinWait1 | Self::Closing | Self::LastAck
        )
    }

    /// Returns the name in reports, as in `ss`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Closed => "closed",
            Self::Listen => "listen",
            Self::SynSent => "syn-sent",
            Self::SynReceived => "syn-recv",
            Self::Established => "estab",
            Self::FinWait1 => "fin-wait-1",
            Self::FinWait2 => "fin-wait-2",
            Self::CloseWait => "close-wait",
            Self::Closing => "closing",
            Self::LastAck => "last-ack",
            Self::TimeWait => "time-wait",
        }
    }
}
