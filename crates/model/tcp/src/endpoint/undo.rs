//! Undoes reductions that were not justified: the retransmissions were spurious, as shown by DSACKs
//! (RFC 3708), timestamps (RFC 3522, RFC 4015) or F-RTO (RFC 5682). Which state tries which method
//! follows Sarolahti and Kuznetsov 2002, §3.3 †. Not here: the code that detects spurious
//! retransmissions.

use super::Endpoint;
use crate::congestion::RecoveryState as S;

impl Endpoint {
    /// Whether everything retransmitted since the reduction had already arrived.
    fn may_undo(&self) -> bool {
        self.recovery.undo_from.is_some()
            && (self.recovery.all_spurious() || self.answers_the_original())
    }

    /// Eifel: whether the acknowledgement echoes a timestamp from before the first retransmission
    /// (RFC 3522 §3.2, step 5).
    pub(super) fn answers_the_original(&self) -> bool {
        let Some((echo, first)) = self.flow.timestamp_echo.zip(self.recovery.first_resent) else {
            return false;
        };
        let first = (first.as_nanos() / 1_000_000) as u32;
        self.negotiated.timestamps && (echo.wrapping_sub(first) as i32) < 0
    }

    /// Restores the window and the threshold (RFC 4015 §3). The whole window is restored, not the
    /// flight size: pacing or the acknowledgements' clock spreads what is sent next.
    fn undo_reduction(&mut self, unmark: bool) {
        if unmark {
            self.snd.sent.unmark_losses();
        }
        if self.flow.prior_ssthresh > 0 {
            self.flow.cwnd = self.control.undo(&mut self.flow);
            if self.flow.prior_ssthresh > self.flow.ssthresh {
                self.flow.ssthresh = self.flow.prior_ssthresh;
                self.negotiated.reduced = false;
            }
        }
        self.recovery.undo_from = None;
    }

    /// Undoes the reduction at the recovery point, if possible. Returns `true` if the state must
    /// stay until more is acknowledged.
    pub(super) fn undo_recovery(&mut self) -> bool {
        if self.may_undo() {
            self.undo_reduction(false);
        }
        if self.snd.una == self.recovery.point && !self.negotiated.sack {
            // Duplicates of retransmitted packets would begin another recovery (RFC 6582 §4).
            self.recovery.first_resent = None;
            return true;
        }
        self.recovery.frto = false;
        if self.flow.state == S::Loss {
            self.change_state(S::Open);
        }
        false
    }

    /// Undoes the reduction in fast recovery, after a partial acknowledgement.
    pub(super) fn undo_partial(&mut self) -> bool {
        if self.recovery.undo_from.is_none() || !self.answers_the_original() {
            return false;
        }
        // The cause was reordering: the packets are on their way. The state stays until the
        // retransmissions are answered, too, so that their duplicates do not look like another
        // loss.
        if self.snd.sent.resent() > 0 {
            return true;
        }
        self.undo_reduction(true);
        self.change_state(S::Open);
        true
    }

    /// Undoes the reduction if DSACKs have reported everything that was retransmitted (RFC 3708
    /// §3).
    pub(super) fn undo_by_duplicates(&mut self) -> bool {
        let undo = self.recovery.undo_from.is_some() && self.recovery.all_spurious();
        if undo {
            self.undo_reduction(false);
        }
        undo
    }

    /// Undoes the reduction after a timeout. `certain` is whether F-RTO has found it spurious (RFC
    /// 5682 §3.1, step 3b).
    pub(super) fn undo_loss(&mut self, certain: bool) -> bool {
        if !certain && !self.may_undo() {
            return false;
        }
        self.undo_reduction(true);
        self.recovery.timeouts = 0;
        if certain || self.negotiated.sack {
            self.change_state(S::Open);
            self.recovery.frto = false;
        }
        true
    }
}
