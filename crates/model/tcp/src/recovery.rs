//! The state of loss recovery, beside the scoreboard. Not here: its transitions, which are in
//! `endpoint/repair.rs`.

use netloom_units::Time;

use crate::prr::Prr;
use crate::rack::Rack;

/// A probe of a tail loss that has not been answered yet (RFC 8985 §7.4).
#[derive(Debug, Clone, Copy)]
pub(crate) struct TailProbe {
    /// SND.NXT when the probe was sent.
    pub end: u64,
    /// Whether the probe was a retransmission. Its answer may then hide a loss.
    pub resent: bool,
}

/// Loss recovery's variables.
#[derive(Debug)]
pub(crate) struct Recovery {
    pub rack: Rack,
    pub prr: Prr,
    /// Position at which the recovery ends, once everything up to it is acknowledged
    /// (RecoveryPoint).
    pub point: u64,
    /// Degree of reordering in packets, initially `tcp_reordering`. It is the duplicate threshold
    /// (RFC 5681 §3.2, RFC 8985's RACK.dupthresh).
    pub reordering: u32,
    /// SND.UNA when the current reduction began. `None` if it cannot be undone.
    pub undo_from: Option<u64>,
    /// Number of retransmissions since then that no DSACK has shown to be spurious. `None` before
    /// the first.
    pub undo_resent: Option<u32>,
    /// Time of the first retransmission of the episode.
    pub first_resent: Option<Time>,
    /// Number of timeouts in a row, and the time of the first of them.
    pub timeouts: u32,
    pub silent_since: Option<Time>,
    /// Number of times that the timeout has been doubled.
    pub backoff: u32,
    /// Whether F-RTO is checking for a spurious timeout (RFC 5682).
    pub frto: bool,
    /// Whether F-RTO sends new data before it retransmits more.
    pub hold: bool,
    pub probe: Option<TailProbe>,
    /// Number of packets retransmitted so far.
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

    /// Records that a packet was retransmitted at `now`: sets Eifel's RetransmitTS (RFC 3522 §3.2,
    /// step 2), and counts one more retransmission that a DSACK may report (RFC 3708 §3).
    pub fn count_resent(&mut self, now: Time) {
        self.first_resent.get_or_insert(now);
        self.undo_resent = Some(self.undo_resent.unwrap_or(0) + 1);
        self.resent_total += 1;
    }

    /// Allows the reduction that begins now to be undone.
    pub fn allow_undo(&mut self, una: u64, resent: u32) {
        self.undo_from = Some(una);
        self.undo_resent = (resent > 0).then_some(resent);
    }

    /// Handles a DSACK for sequence numbers up to `end`: one retransmission was spurious (RFC 3708
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
