//! What is kept of losses and their repair, beside the scoreboard. Not here: the transitions, which
//! are in `endpoint/repair.rs`.

use netloom_units::Time;

use crate::prr::Prr;
use crate::rack::Rack;

/// A probe of a tail loss that is not yet answered (RFC 8985 §7.4).
#[derive(Debug, Clone, Copy)]
pub(crate) struct TailProbe {
    /// SND.NXT when it was sent.
    pub end: u64,
    /// Whether it was a retransmission: then its answer may hide a loss.
    pub resent: bool,
}

/// Loss recovery's variables.
#[derive(Debug)]
pub(crate) struct Recovery {
    pub rack: Rack,
    pub prr: Prr,
    /// The recovery ends when everything up to here is acknowledged (RecoveryPoint).
    pub point: u64,
    /// Degree of reordering in packets, `tcp_reordering` at first: the duplicate threshold (RFC
    /// 5681 §3.2, RFC 8985's RACK.dupthresh).
    pub reordering: u32,
    /// SND.UNA when the present reduction began; `None` if it cannot be undone.
    pub undo_from: Option<u64>,
    /// Retransmissions since then that no DSACK has shown to be spurious; `None` before the first.
    pub undo_resent: Option<u32>,
    /// When the first retransmission of the episode went out.
    pub first_resent: Option<Time>,
    /// Timeouts in a row, and when the first of them was.
    pub timeouts: u32,
    pub silent_since: Option<Time>,
    /// Doublings of the timeout.
    pub backoff: u32,
    /// F-RTO looks for a spurious timeout (RFC 5682).
    pub frto: bool,
    /// F-RTO sends new data before it retransmits more.
    pub hold: bool,
    pub probe: Option<TailProbe>,
    /// Packets retransmitted so far.
    pub resent_total: u64,
}

impl Recovery {
    pub fn new(reordering: u32) -> Self {
        Self {
            rack: Rack::default(),
            prr: Prr::default(),
            point: 0,
            reordering,
            undo_from: None,
            undo_resent: None,
            first_resent: None,
            timeouts: 0,
            silent_since: None,
            backoff: 0,
            frto: false,
            hold: false,
            probe: None,
            resent_total: 0,
        }
    }

    /// A packet was retransmitted at `now`: Eifel's RetransmitTS (RFC 3522 §3.2, step 2), and one
    /// more to be reported by a DSACK (RFC 3708 §3).
    pub fn count_resent(&mut self, now: Time) {
        self.first_resent.get_or_insert(now);
        self.undo_resent = Some(self.undo_resent.unwrap_or(0) + 1);
        self.resent_total += 1;
    }

    /// The reduction that begins now can be undone.
    pub fn allow_undo(&mut self, una: u64, resent: u32) {
        self.undo_from = Some(una);
        self.undo_resent = (resent > 0).then_some(resent);
    }

    /// A DSACK for sequence numbers up to `end` came: one retransmission was spurious (RFC 3708
    /// §3).
    pub fn see_duplicate(&mut self, end: u64) {
        let Some(from) = self.undo_from else { return };
        if let Some(resent) = &mut self.undo_resent
            && end > from
        {
            *resent = resent.saturating_sub(1);
        }
    }

    /// Whether all retransmissions of the episode were spurious.
    pub fn all_spurious(&self) -> bool {
        self.undo_resent == Some(0)
    }
}
