//! The use of the congestion window.

use netloom_units::Time;

/// Records whether the window was used up in the current round (RFC 7661's idea, as Linux
/// implements it).
#[derive(Debug, Default)]
pub(crate) struct Usage {
    /// The round ends when this position is acknowledged.
    pub(super) round_end: u64,
    /// Largest number of packets in flight since the window last limited them, and the time at
    /// which it last did.
    pub(super) used: u32,
    pub(super) limited_at: Time,
    /// Time at which the window was last restarted after an idle period.
    pub(super) restarted_at: Time,
    /// Whether anything was sent since the window was last validated.
    pub unvalidated: bool,
}
