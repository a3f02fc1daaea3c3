//! The states of recovery (Sarolahti and Kuznetsov 2002, §3.2): the effects of an acknowledgement
//! or a timeout, the packets deemed lost, and the changes of the window. Not here: the undoing of a
//! reduction (`undo`), and the retransmissions themselves (`transmit`).

use netloom_units::{Duration, Time};

use super::Endpoint;
use super::acknowledge::AckOutcome;
use super::timer_set::Retransmit;
use crate::config::LossDetection;
use crate::congestion::{CongestionEvent, RecoveryState as S};
use crate::rack::{Conditions, mark_at_timeout};

impl Endpoint {
    /// Handles an acknowledgement that arrived while packets were in flight.
    pub(super) fn repair(&mut self, now: Time, mut outcome: AckOutcome) {
        let lost_before = self.rate.lost;
        let reducing = matches!(self.flow.state, S::Reduced | S::Recovery);
        self.recovery.hold = false;
        self.answer_probe(&outcome);
        let alert = outcome.duplicate || outcome.sacked > 0 || outcome.echo || outcome.dsack;
        if alert || self.flow.state != S::Open {
            self.step(now, &outcome);
        }
        outcome.lost = (self.rate.lost - lost_before) as u32;
        self.control_window(now, &outcome, reducing);
        self.rearm_after(now, &outcome);
        if self.snd.unblock(&self.config) {
            self.events.push(crate::event::Event::Writable);
        }
    }

    /// Sets the timer after an acknowledgement (RFC 6298 §5.2 and 5.3, RFC 8985 §7.2).
    fn rearm_after(&mut self, now: Time, outcome: &AckOutcome) {
        if self.snd.sent.is_empty() {
            self.timers.retransmit = None;
            if self.snd.has_unsent() && self.snd.window == 0 {
                self.watch_window(now);
            }
            return;
        }
        let reordering = self.timers.is_set_for(Retransmit::Reordering);
        let probing = self.timers.is_set_for(Retransmit::TailProbe);
        if (outcome.advanced && !reordering) || (outcome.sacked > 0 && probing) {
            self.arm_retransmit(now, now);
        } else if self.timers.retransmit.is_none() {
            self.set_timeout(now);
        }
    }

    /// Handles the answer to the probe of a tail loss (TLP_process_ack, RFC 8985 §7.4.2).
    fn answer_probe(&mut self, outcome: &AckOutcome) {
        let Some(probe) = self.recovery.probe else { return };
        if self.snd.una < probe.end {
            return;
        }
        if !probe.resent || outcome.dsack {
            self.recovery.probe = None;
        } else if self.snd.una > probe.end {
            // The probe has repaired a loss, so the network is congested.
            self.recovery.probe = None;
            self.enter_reduction(outcome.delivered);
            self.end_reduction();
            self.change_state(S::Open);
        } else if outcome.duplicate && outcome.sacked == 0 {
            // The other end received both packets: the probe was not needed.
            self.recovery.probe = None;
        }
    }

    fn step(&mut self, now: Time, outcome: &AckOutcome) {
        if outcome.echo {
            // The network is congested, so the reduction must not be undone (RFC 4015 §3).
            self.flow.prior_ssthresh = 0;
        }
        self.notice_reneging(outcome);
        let at_the_point = self.flow.state != S::Open && self.snd.una >= self.recovery.point;
        if at_the_point && self.leave_at_the_point() {
            return;
        }
        match self.flow.state {
            S::Recovery => self.step_in_recovery(now, outcome),
            S::Loss => {
                self.step_in_loss(outcome);
                if self.flow.state != S::Open {
                    self.detect_losses(now);
                    return;
                }
                self.step_elsewhere(now, outcome);
            }
            _ => self.step_elsewhere(now, outcome),
        }
    }

    /// Detects reneging: the other end has dropped data that it had announced, because the packet
    /// at SND.UNA was SACKed (RFC 2018 §8).
    fn notice_reneging(&mut self, outcome: &AckOutcome) {
        let reneged = self.snd.sent.first().is_some_and(|packet| packet.sacked);
        if outcome.advanced && reneged {
            self.snd.sent.unmark_sacks();
        }
    }

    /// Leaves the state, now that everything up to the recovery point is acknowledged. Returns
    /// `true` if the state stays for now.
    fn leave_at_the_point(&mut self) -> bool {
        match self.flow.state {
            S::Loss => false,
            S::Reduced => {
                // One packet more must be acknowledged. Until the one with CWR arrives, the other
                // end echoes the mark, and the echo would count as another one (RFC 3168 §6.1.2).
                if self.snd.una > self.recovery.point {
                    self.end_reduction();
                    self.change_state(S::Open);
                }
                false
            }
            S::Recovery => {
                self.snd.duplicates = 0;
                if self.undo_recovery() {
                    return true;
                }
                self.end_reduction();
                self.change_state(S::Open);
                false
            }
            S::Open | S::Disorder => false,
        }
    }

    fn step_in_recovery(&mut self, now: Time, outcome: &AckOutcome) {
        if outcome.advanced {
            if self.undo_partial() {
                return;
            }
            if !self.negotiated.sack {
                // NewReno: the next gap begins here (RFC 6582 §3.2, step 3).
                let first = self.snd.sent.first_id();
                self.mark_lost(first);
            }
        }
        if self.undo_by_duplicates() {
            self.try_open(outcome);
            return;
        }
        self.detect_losses(now);
    }

    fn step_in_loss(&mut self, outcome: &AckOutcome) {
        let recovered = self.snd.una >= self.recovery.point;
        if outcome.advanced && self.undo_loss(false) {
            return;
        }
        if self.recovery.frto {
            // A packet arrived that was sent before the timeout and not retransmitted since, so the
            // timeout was spurious (RFC 5682 §3.1, step 3b). Without SACK, this can be judged only
            // after new data was sent: the data that one acknowledgement covers may have arrived
            // before (§2.1, step 3b).
            let tested = self.negotiated.sack || self.snd.nxt > self.recovery.point;
            if outcome.original && tested && self.undo_loss(true) {
                return;
            }
            if self.snd.nxt > self.recovery.point {
                // Step 3a: the new data arrived before data that is still missing.
                if outcome.sacked > 0 || outcome.duplicate {
                    self.recovery.frto = false;
                }
            } else if outcome.advanced && !recovered {
                self.recovery.point = self.snd.nxt;
                // Step 2b: new data, if there is any, distinguishes the two cases.
                if self.snd.unsent() > 0 && self.snd.window_end() > self.snd.nxt {
                    self.recovery.hold = true;
                    return;
                }
                self.recovery.frto = false;
            }
        }
        if recovered {
            self.snd.duplicates = 0;
            self.undo_recovery();
            return;
        }
        if !self.negotiated.sack && outcome.advanced {
            self.snd.duplicates = 0;
        }
    }

    /// Handles an acknowledgement in the states Open, Disorder and Reduced.
    fn step_elsewhere(&mut self, now: Time, outcome: &AckOutcome) {
        if !self.negotiated.sack && outcome.advanced {
            self.snd.duplicates = 0;
        }
        if self.flow.state <= S::Disorder {
            self.undo_by_duplicates();
        }
        self.detect_losses(now);
        if !self.is_time_to_recover() {
            self.try_open(outcome);
            return;
        }
        self.enter_recovery(outcome.echo, outcome.delivered);
    }

    fn is_time_to_recover(&self) -> bool {
        self.snd.sent.lost() > 0
    }

    /// Sets the state, now that no packet is deemed lost.
    fn try_open(&mut self, outcome: &AckOutcome) {
        if outcome.echo && self.flow.state < S::Reduced {
            self.enter_reduction(outcome.delivered);
        }
        if self.flow.state == S::Reduced {
            return;
        }
        let disorder = self.snd.sacked() > 0
            || self.snd.sent.lost() > 0
            || (self.recovery.undo_from.is_some() && self.snd.sent.resent() > 0);
        let state = if disorder { S::Disorder } else { S::Open };
        if self.flow.state != state {
            self.change_state(state);
            self.recovery.point = self.snd.nxt;
        }
    }

    /// Marks lost packets, and sets the timer for packets that may be lost.
    pub(super) fn detect_losses(&mut self, now: Time) {
        if !self.negotiated.sack {
            // Three duplicates show a loss (RFC 5681 §3.2).
            if self.flow.state < S::Recovery
                && self.snd.duplicates >= self.recovery.reordering.max(1)
            {
                let first = self.snd.sent.first_id();
                self.mark_lost(first);
            }
            return;
        }
        if self.config.recovery == LossDetection::DuplicateThreshold {
            self.detect_by_count();
            return;
        }
        let conditions = self.conditions();
        let rack = &mut self.recovery.rack;
        let (lost, until) = rack.detect(&mut self.snd.sent, now, conditions);
        self.rate.lost += u64::from(lost);
        if let Some(until) = until {
            let at = self.ticks.expiry(now, until.since(now));
            self.timers.retransmit = Some((Retransmit::Reordering, at));
        } else if self.timers.is_set_for(Retransmit::Reordering) {
            self.timers.retransmit = None;
        }
    }

    fn conditions(&self) -> Conditions {
        Conditions {
            reordering: self.recovery.reordering,
            recovering: self.flow.state >= S::Recovery,
            least_rtt: self.rtt.least().unwrap_or(Duration::ZERO),
            srtt: self.rtt.smoothed(),
        }
    }

    /// Marks packets by RFC 6675 §4, IsLost: a packet is lost if as many packets as the threshold
    /// have overtaken it.
    fn detect_by_count(&mut self) {
        let threshold = self.recovery.reordering as usize;
        let overtakers: Vec<u64> = {
            let sacked = self.snd.sent.iter().rev().filter(|(_, packet)| packet.sacked);
            sacked.map(|(id, _)| id).take(threshold).collect()
        };
        if overtakers.len() < threshold {
            return;
        }
        let Some(bound) = overtakers.last().copied() else { return };
        let first = self.snd.sent.first_id();
        for id in first..bound {
            let waits = self.snd.sent.get(id).is_some_and(|packet| !packet.lost && !packet.sacked);
            if waits {
                self.mark_lost(id);
            }
        }
    }

    fn mark_lost(&mut self, id: u64) {
        self.rate.lost += u64::from(self.snd.sent.mark_lost(id));
        self.snd.bound_duplicates();
    }

    /// Repairs losses that the timer, not an acknowledgement, has shown.
    pub(super) fn repair_after_timer(&mut self, now: Time) {
        if self.flow.state < S::Recovery && self.is_time_to_recover() {
            self.enter_recovery(false, 0);
        }
        if self.flow.state == S::Recovery {
            let in_flight = self.in_flight();
            let threshold = self.flow.ssthresh;
            // Nothing was delivered, but the first retransmission is sent nevertheless.
            self.flow.cwnd = self.recovery.prr.window(0, in_flight, threshold, false).max(1);
        }
        self.set_timeout(now);
    }

    /// Begins fast recovery (RFC 6675 §5, step 4), with an acknowledgement that delivered
    /// `delivered` packets.
    fn enter_recovery(&mut self, echo: bool, delivered: u32) {
        self.recovery.undo_from = None;
        self.recovery.undo_resent = None;
        if self.flow.state < S::Reduced {
            let resent = self.snd.sent.resent();
            self.recovery.allow_undo(self.snd.una, resent);
            if !echo {
                self.flow.prior_ssthresh = self.threshold_now();
            }
            self.begin_reduction(delivered);
        } else {
            self.recovery.allow_undo(self.snd.una, self.snd.sent.resent());
        }
        self.recovery.point = self.snd.nxt;
        self.change_state(S::Recovery);
    }

    /// Returns the threshold to restore if the reduction is undone: pipe_prev, the larger one of
    /// the flight size and the threshold (RFC 4015 §3).
    fn threshold_now(&self) -> u32 {
        self.flow.ssthresh.max(self.snd.sent.len())
    }

    /// Reduces the window after a mark was echoed. Nothing is retransmitted (RFC 3168 §6.1.2).
    pub(super) fn enter_reduction(&mut self, delivered: u32) {
        self.flow.prior_ssthresh = 0;
        if self.flow.state < S::Reduced {
            self.recovery.undo_from = None;
            self.begin_reduction(delivered);
            self.recovery.point = self.snd.nxt;
            self.change_state(S::Reduced);
        }
    }

    fn begin_reduction(&mut self, delivered: u32) {
        self.recovery.point = self.snd.nxt;
        self.recovery.probe = None;
        self.flow.cwnd_count = 0;
        self.flow.prior_cwnd = self.flow.cwnd;
        // RecoverFS of RFC 9937: SND.NXT − SND.UNA, without the packets SACKed before, and with
        // those that this acknowledgement delivers.
        let flight = self.snd.sent.len().saturating_sub(self.snd.sacked()) + delivered;
        self.recovery.prr.begin(flight);
        self.flow.ssthresh = self.control.reduce(&mut self.flow);
        self.negotiated.reduced = self.negotiated.ecn_on();
    }

    /// Ends the reduction: the window is at the threshold (RFC 6937 §3, last step).
    pub(super) fn end_reduction(&mut self) {
        let reducing = self.recovery.undo_from.is_some() || self.flow.state == S::Reduced;
        if self.flow.ssthresh < u32::MAX && reducing {
            self.flow.cwnd = self.flow.ssthresh;
            self.control.event(&mut self.flow, CongestionEvent::ReductionComplete);
        }
    }

    pub(super) fn change_state(&mut self, state: S) {
        if self.flow.state != state {
            if self.flow.state >= S::Recovery && state < S::Reduced {
                self.recovery.rack.recovery_ended();
                self.recovery.first_resent = None;
            }
            self.control.state_changes(&mut self.flow, state);
            self.flow.state = state;
        }
    }

    /// Handles the expired retransmission timer: every packet that it proves lost is sent again,
    /// slowly (RFC 5681 §3.1, RFC 8985 §6.3).
    pub(super) fn enter_loss(&mut self, now: Time) {
        let state = self.flow.state;
        let fresh = state < S::Recovery;
        let conditions = self.conditions();
        let lost = if self.negotiated.sack && self.config.recovery == LossDetection::Rack {
            mark_at_timeout(&self.recovery.rack, &mut self.snd.sent, now, conditions)
        } else {
            self.mark_all()
        };
        self.snd.duplicates = 0;
        self.rate.lost += u64::from(lost);
        self.refresh_flow(now);
        // The reduction is made once per window of data, and not again for a packet that timed out
        // before (RFC 5681 §3.1, below equation 4).
        let repeated = state == S::Loss && self.recovery.timeouts > 0;
        if state <= S::Disorder || self.snd.una >= self.recovery.point || !repeated && !fresh {
            self.flow.prior_ssthresh = self.threshold_now();
            self.flow.prior_cwnd = self.flow.cwnd;
            self.flow.ssthresh = self.control.reduce(&mut self.flow);
            self.control.event(&mut self.flow, CongestionEvent::Timeout);
            let resent = self.snd.sent.resent();
            self.recovery.allow_undo(self.snd.una, resent);
        }
        // The loss window of one segment (RFC 5681 §3.1), plus the packets that are not deemed lost
        // (RFC 8985 §6.3).
        self.flow.cwnd = self.in_flight() + 1;
        self.flow.cwnd_count = 0;
        self.change_state(S::Loss);
        self.recovery.point = self.snd.nxt;
        self.recovery.probe = None;
        self.recovery.hold = false;
        self.negotiated.reduced = self.negotiated.ecn_on();
        // F-RTO does not start after a fast recovery, whose retransmissions may still be answered
        // (RFC 5682 §2.1, step 1).
        self.recovery.frto = self.config.frto && (fresh || self.recovery.timeouts > 0);
    }

    /// Without RACK, marks all packets that are not SACKed (RFC 6675 §5.1).
    fn mark_all(&mut self) -> u32 {
        let ids = self.snd.sent.first_id()..self.snd.sent.next_id();
        ids.map(|id| u32::from(self.snd.sent.mark_lost(id))).sum()
    }

    /// Updates the window after an acknowledgement. `reducing` is whether a reduction was under way
    /// before.
    fn control_window(&mut self, now: Time, outcome: &AckOutcome, reducing: bool) {
        self.refresh_flow(now);
        let mut sample = self.rate.sample(now, self.rtt.least());
        sample.newly_delivered = outcome.delivered;
        sample.newly_lost = outcome.lost;
        sample.flight_before = outcome.flight_before;
        self.flow.app_limited = self.rate.app_limited();
        if self.control.control(&mut self.flow, &sample) {
            if std::mem::take(&mut self.flow.sampling_limited) {
                self.rate.limit_by_application(self.in_flight());
            }
            self.tune_send_buffer();
            return;
        }
        if matches!(self.flow.state, S::Reduced | S::Recovery) {
            // SafeACK (RFC 9937): the acknowledgement makes progress and shows no new loss.
            let safe = outcome.advanced && outcome.lost == 0;
            let (in_flight, threshold) = (self.in_flight(), self.flow.ssthresh);
            if outcome.delivered > 0 {
                let prr = &mut self.recovery.prr;
                self.flow.cwnd = prr.window(outcome.delivered, in_flight, threshold, safe);
            }
        } else if outcome.advanced && !reducing {
            // The window grows only if new data is acknowledged (RFC 5681 §3.1). PRR has already
            // counted what the acknowledgement that ends a recovery covers: the window is then the
            // threshold (RFC 6675 §5.1, RFC 9937).
            self.flow.update_limited();
            self.control.grow(&mut self.flow, outcome.packets);
        }
        self.tune_send_buffer();
        self.update_pacing_rate();
    }
}
