//! The timers that are set. Not here: their effects (`timers`).

use netloom_units::Time;

/// The purpose for which the retransmission timer is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Retransmit {
    /// RTO (RFC 6298 §5).
    Timeout,
    /// A probe for a loss at the tail (RFC 8985 §7).
    TailProbe,
    /// The end of the time that packets which may only be reordered have (RFC 8985 §6.2, step 5).
    Reordering,
    /// A probe of the other end's closed window (RFC 9293 §3.8.6.1).
    Window,
}

/// The timers that are set.
#[derive(Debug, Default)]
pub(crate) struct Timers {
    pub retransmit: Option<(Retransmit, Time)>,
    /// End of TIME-WAIT, or of FIN-WAIT-2 of a closed socket.
    pub lifetime: Option<Time>,
    /// Time at which the packet that pacing holds back may be sent.
    pub paced: Option<Time>,
}

/// Returns the earlier of two deadlines, if there is any.
#[inline]
pub(super) fn earlier(one: Option<Time>, other: Option<Time>) -> Option<Time> {
    match (one, other) {
        (Some(one), Some(other)) => Some(one.min(other)),
        (one, None) => one,
        (None, other) => other,
    }
}

impl Timers {
    #[inline]
    pub fn next(&self) -> Option<Time> {
        let retransmit = self.retransmit.map(|(_, at)| at);
        earlier(earlier(retransmit, self.lifetime), self.paced)
    }

    pub fn is_set_for(&self, what: Retransmit) -> bool {
        self.retransmit.is_some_and(|(set, _)| set == what)
    }
}
