//! The states of recovery (Sarolahti and Kuznetsov 2002, §3.2): what an acknowledgement or a
//! timeout changes, what is deemed lost, and what becomes of the window. Not here: undoing a
//! reduction (`undo`), the retransmissions themselves (`transmit`).

use netloom_units::{Duration, Time};

use super::Endpoint;
use super::acknowledge::Outcome;
use super::timers::Retransmit;
use crate::config::LossDetection;
use crate::congestion::{CongestionEvent, RecoveryState as S};
use crate::rack::{Conditions, mark_at_timeout};

impl Endpoint {
    /// An acknowledgement came, while something was in flight.
    pub(super) fn repair(&mut self, now: Time, mut outcome: Outcome) {
        let lost_before = self.rate.lost;
        self.recovery.hold = false;
        self.answer_probe(&outcome);
        let alert = outcome.duplicate || outcome.sacked > 0 || outcome.echo || outcome.dsack;
        if alert || self.flow.state != S::Open {
            self.step(now, &outcome);
        }
        outcome.lost = (self.rate.lost - lost_before) as u32;
        self.control_window(now, &outcome);
        self.rearm_after(now, &outcome);
        if self.snd.unblock(&self.config) {
            self.events.push(crate::event::Event::Writable);
        }
    }

    /// The timer after an acknowledgement (RFC 6298 §5.2 and 5.3, RFC 8985 §7.2).
    fn rearm_after(&mut self, now: Time, outcome: &Outcome) {
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

    /// The probe of a tail loss is answered (RFC 8985 §7.4.2).
    fn answer_probe(&mut self, outcome: &Outcome) {
        let Some(probe) = self.recovery.probe else { return };
        if self.snd.una < probe.end {
            return;
        }
        if !probe.resent || outcome.dsack {
            self.recovery.probe = None;
        } else if self.snd.una > probe.end {
            // The probe has repaired a loss: the network is congested.
            self.recovery.probe = None;
            self.enter_reduction();
            self.end_reduction();
            self.change_state(S::Open);
        } else if !outcome.duplicate && outcome.sacked == 0 && !outcome.advanced {
            self.recovery.probe = None;
        }
    }

    fn step(&mut self, now: Time, outcome: &Outcome) {
        if outcome.echo {
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
                    self.detect_losses(now, false);
                    return;
                }
                self.step_elsewhere(now, outcome);
            }
            _ => self.step_elsewhere(now, outcome),
        }
    }

    /// The other end drops what it has announced (RFC 2018 §8).
    fn notice_reneging(&mut self, outcome: &Outcome) {
        let reneged = self.snd.sent.first().is_some_and(|packet| packet.sacked);
        if outcome.advanced && reneged {
            self.snd.sent.unmark_sacks();
        }
    }

    /// Everything up to the recovery point is acknowledged. `true` if the state stays for now.
    fn leave_at_the_point(&mut self) -> bool {
        match self.flow.state {
            S::Loss => false,
            S::Reduced => {
                // One packet more: the other end must have received the one that says so.
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

    fn step_in_recovery(&mut self, now: Time, outcome: &Outcome) {
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
        self.detect_losses(now, false);
    }

    fn step_in_loss(&mut self, outcome: &Outcome) {
        let recovered = self.snd.una >= self.recovery.point;
        if outcome.advanced && self.undo_loss(false) {
            return;
        }
        if self.recovery.frto {
            // Something arrived that was sent before the timeout: it was spurious (RFC 5682 §3.1,
            // step 3b).
            if outcome.original && self.undo_loss(true) {
                return;
            }
            if self.snd.nxt > self.recovery.point {
                if outcome.sacked > 0 || outcome.duplicate {
                    self.recovery.frto = false;
                }
            } else if outcome.advanced && !recovered {
                self.recovery.point = self.snd.nxt;
                // Step 2b: new data, if there is any, tells the two cases apart.
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

    /// Open, Disorder, Reduced.
    fn step_elsewhere(&mut self, now: Time, outcome: &Outcome) {
        if !self.negotiated.sack && outcome.advanced {
            self.snd.duplicates = 0;
        }
        if self.flow.state <= S::Disorder {
            self.undo_by_duplicates();
        }
        self.detect_losses(now, false);
        if !self.is_time_to_recover() {
            self.try_open(outcome);
            return;
        }
        self.enter_recovery(outcome.echo);
    }

    fn is_time_to_recover(&self) -> bool {
        self.snd.sent.lost() > 0
    }

    /// Nothing is lost: what state is that?
    fn try_open(&mut self, outcome: &Outcome) {
        if outcome.echo && self.flow.state < S::Reduced {
            self.enter_reduction();
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

    /// Marks what is lost; sets the timer for what may be.
    pub(super) fn detect_losses(&mut self, now: Time, timer: bool) {
        if !self.negotiated.sack {
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
        let (lost, next) = rack.detect(&mut self.snd.sent, now, conditions, timer);
        self.rate.lost += u64::from(lost);
        if let Some(next) = next {
            let wait = next.since(now) + self.ticks.one() + self.ticks.one();
            let at = self.ticks.expiry(now, wait);
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

    /// RFC 6675 §4, IsLost: as many packets as the threshold have overtaken it.
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

    /// The timer, not an acknowledgement, has shown losses.
    pub(super) fn repair_after_timer(&mut self, now: Time) {
        if self.flow.state < S::Recovery && self.is_time_to_recover() {
            self.enter_recovery(false);
        }
        if self.flow.state == S::Recovery {
            let in_flight = self.in_flight();
            let threshold = self.flow.ssthresh;
            self.flow.cwnd = self.recovery.prr.window(0, in_flight, threshold, false).max(1);
        }
        self.set_timeout(now);
    }

    /// Fast recovery begins (RFC 6675 §5, step 4).
    fn enter_recovery(&mut self, echo: bool) {
        self.recovery.undo_from = None;
        self.recovery.undo_resent = None;
        if self.flow.state < S::Reduced {
            let resent = self.snd.sent.resent();
            self.recovery.allow_undo(self.snd.una, resent);
            if !echo {
                self.flow.prior_ssthresh = self.threshold_now();
            }
            self.begin_reduction();
        } else {
            self.recovery.allow_undo(self.snd.una, self.snd.sent.resent());
        }
        self.recovery.point = self.snd.nxt;
        self.change_state(S::Recovery);
    }

    /// The threshold to come back to if the reduction is undone.
    fn threshold_now(&self) -> u32 {
        if self.flow.in_slow_start() {
            self.flow.ssthresh
        } else {
            self.flow.ssthresh.max(self.flow.cwnd / 2 + self.flow.cwnd / 4)
        }
    }

    /// A mark was echoed: the window shrinks, nothing is repaired (RFC 3168 §6.1.2).
    pub(super) fn enter_reduction(&mut self) {
        self.flow.prior_ssthresh = 0;
        if self.flow.state < S::Reduced {
            self.recovery.undo_from = None;
            self.begin_reduction();
            self.recovery.point = self.snd.nxt;
            self.change_state(S::Reduced);
        }
    }

    fn begin_reduction(&mut self) {
        self.recovery.point = self.snd.nxt;
        self.recovery.probe = None;
        self.flow.cwnd_count = 0;
        self.flow.prior_cwnd = self.flow.cwnd;
        self.recovery.prr.begin(self.flow.cwnd);
        self.flow.ssthresh = self.control.reduce(&mut self.flow);
        self.negotiated.reduced = self.negotiated.ecn_on();
    }

    /// The reduction is over: the window is at the threshold (RFC 6937 §3, last step).
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

    /// The retransmission timer expired: everything that it proves lost goes out again, slowly
    /// (RFC 5681 §3.1, RFC 8985 §6.3).
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
        let repeated = state == S::Loss && self.recovery.timeouts > 0;
        if state <= S::Disorder || self.snd.una >= self.recovery.point || !repeated && !fresh {
            self.flow.prior_ssthresh = self.threshold_now();
            self.flow.prior_cwnd = self.flow.cwnd;
            self.flow.ssthresh = self.control.reduce(&mut self.flow);
            self.control.event(&mut self.flow, CongestionEvent::Timeout);
            let resent = self.snd.sent.resent();
            self.recovery.allow_undo(self.snd.una, resent);
        }
        self.flow.cwnd = self.in_flight() + 1;
        self.flow.cwnd_count = 0;
        if state <= S::Disorder && self.snd.sent.sacked() >= self.config.reordering {
            self.recovery.reordering = self.recovery.reordering.min(self.config.reordering);
        }
        self.change_state(S::Loss);
        self.recovery.point = self.snd.nxt;
        self.recovery.probe = None;
        self.recovery.hold = false;
        self.negotiated.reduced = self.negotiated.ecn_on();
        self.recovery.frto = self.config.frto && (fresh || self.recovery.timeouts > 0);
    }

    fn mark_all(&mut self) -> u32 {
        let ids = self.snd.sent.first_id()..self.snd.sent.next_id();
        ids.map(|id| u32::from(self.snd.sent.mark_lost(id))).sum()
    }

    /// What becomes of the window.
    fn control_window(&mut self, now: Time, outcome: &Outcome) {
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
            let safe = outcome.advanced && outcome.lost == 0;
            let (in_flight, threshold) = (self.in_flight(), self.flow.ssthresh);
            if outcome.delivered > 0 {
                let prr = &mut self.recovery.prr;
                self.flow.cwnd = prr.window(outcome.delivered, in_flight, threshold, safe);
            }
        } else if self.may_grow(outcome) {
            self.flow.update_limited();
            self.control.grow(&mut self.flow, outcome.packets);
        }
        self.tune_send_buffer();
        self.update_pacing_rate();
    }

    /// Whether the acknowledgement lets the window grow: it acknowledges something; on a path that
    /// reorders, a SACK is enough.
    fn may_grow(&self, outcome: &Outcome) -> bool {
        if self.recovery.reordering > self.config.reordering {
            outcome.delivered > 0
        } else {
            outcome.advanced
        }
    }
}
