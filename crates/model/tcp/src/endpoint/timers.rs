//! The timers of a connection and their effects. The timers of retransmission, tail-loss probe,
//! reordering and zero-window probe exclude each other, as in Linux. Not here: the timers of
//! acknowledgements (`receiver/acks.rs`), and the consequences of a loss (`repair`).

use netloom_units::{Duration, Time};

use super::timer_set::Retransmit;
use super::{Endpoint, State};
use crate::event::CloseReason;
use crate::receiver::acks::DELAY_MAX;
use crate::recovery::TailProbe;

/// PTO without a sample of the round-trip time (RFC 8985 §7.2).
const FIRST_PROBE: Duration = Duration::from_secs(1);

impl Endpoint {
    pub(super) fn timers_expire(&mut self, now: Time) {
        if self.timers.lifetime.is_some_and(|at| at <= now) {
            self.timers.lifetime = None;
            self.lifetime_is_over();
        }
        self.timers.paced = self.timers.paced.filter(|at| *at > now);
        let rto = self.rtt.timeout(0);
        self.rcv.acks.compression_is_over(now);
        self.rcv.acks.delay_is_over(now, rto);
        if let Some((what, at)) = self.timers.retransmit
            && at <= now
        {
            self.timers.retransmit = None;
            match what {
                Retransmit::Timeout => self.retransmission_timeout(now),
                Retransmit::TailProbe => self.probe_tail(now),
                Retransmit::Reordering => self.reordering_timeout(now),
                Retransmit::Window => self.probe_window(now),
            }
        }
    }

    fn lifetime_is_over(&mut self) {
        if self.state == State::FinWait2 {
            self.end(CloseReason::Finished);
        }
        self.state = State::Closed;
    }

    /// Handles the expired RTO (RFC 6298 §5.4 to 5.6).
    fn retransmission_timeout(&mut self, now: Time) {
        if self.snd.sent.is_empty() {
            return;
        }
        if self.has_timed_out(now) {
            self.end(CloseReason::TimedOut);
            return;
        }
        if self.state.synchronized() {
            self.enter_loss(now);
            self.recovery.backoff += 1;
        } else {
            self.snd.syn_due = true;
            let linear = self.state == State::SynSent;
            let free = if linear { self.config.syn_linear_timeouts } else { 0 };
            self.recovery.backoff += u32::from(self.recovery.timeouts >= free);
        }
        self.recovery.timeouts += 1;
        self.recovery.silent_since.get_or_insert(now);
        self.set_timeout(now);
    }

    /// Whether the other end has been silent for so long that the connection is given up. The limit
    /// is the time that `tcp_retries2` timeouts would take, starting with the least one (ip-sysctl:
    /// 924.6 s by default), or `tcp_syn_retries` SYNs (RFC 9293 §3.8.3).
    fn has_timed_out(&self, now: Time) -> bool {
        let config = &self.config;
        match self.state {
            State::SynSent => self.recovery.timeouts >= config.syn_retries,
            State::SynReceived => self.recovery.timeouts >= config.synack_retries,
            _ => {
                let Some(since) = self.recovery.silent_since else { return false };
                let base = config.rto_min.as_nanos().max(1);
                let most = config.rto_max.as_nanos();
                // The first timeout has already passed when the silence begins.
                let waits = (1..=config.retries2).map(|n| (base << n.min(40)).min(most));
                now.since(since).as_nanos() >= waits.sum()
            }
        }
    }

    pub(super) fn set_timeout(&mut self, now: Time) {
        let rto = self.rtt.timeout(self.recovery.backoff);
        let at = self.ticks.expiry(now, rto);
        self.timers.retransmit = Some((Retransmit::Timeout, at));
    }

    /// Sets the timer after new data or an acknowledgement: for a tail-loss probe if one is useful,
    /// else for the timeout, which runs from `from`.
    pub(super) fn arm_retransmit(&mut self, now: Time, from: Time) {
        if self.snd.sent.is_empty() {
            self.timers.retransmit = None;
            return;
        }
        let rto = self.rtt.timeout(self.recovery.backoff);
        let left = (from + rto).since(now);
        let delay = self.probe_delay().map(|probe| probe.min(left));
        let (what, delay) = match delay {
            Some(delay) => (Retransmit::TailProbe, delay),
            None => (Retransmit::Timeout, left.max(self.ticks.one())),
        };
        self.timers.retransmit = Some((what, self.ticks.expiry(now, delay)));
    }

    /// Sets the timer after new data. The timeout runs from the first packet in flight and does not
    /// restart (RFC 6298 §5.1). A tail-loss probe does restart, but comes no later than the timeout
    /// (RFC 8985 §7.2).
    pub(super) fn arm_after_sending(&mut self, now: Time, idle: bool) {
        if idle || self.timers.retransmit.is_none() {
            self.arm_retransmit(now, now);
            return;
        }
        let replaces = self.timers.is_set_for(Retransmit::Timeout)
            || self.timers.is_set_for(Retransmit::TailProbe);
        if replaces && self.probe_delay().is_some() {
            let first = self.snd.sent.first().map_or(now, |packet| packet.sent_at);
            self.arm_retransmit(now, first);
        }
    }

    /// Returns PTO (TLP_calc_PTO, RFC 8985 §7.2): two round trips, plus the longest delay of an
    /// acknowledgement (TLP.max_ack_delay) if only one packet is in flight. `None` if no probe is
    /// due: losses are being repaired, packets are SACKed, or a probe is under way.
    fn probe_delay(&self) -> Option<Duration> {
        use crate::congestion::RecoveryState::{Open, Reduced};
        let calm = matches!(self.flow.state, Open | Reduced);
        let probing = self.recovery.probe.is_some();
        if !self.config.tail_loss_probe || !self.negotiated.sack || !calm || probing {
            return None;
        }
        if self.snd.sent.sacked() > 0 || !self.state.sends() {
            return None;
        }
        if !self.rtt.measured() {
            return Some(FIRST_PROBE);
        }
        let twice = self.rtt.smoothed() + self.rtt.smoothed();
        let alone = self.snd.sent.len() == 1;
        Some(if alone { twice + DELAY_MAX } else { twice })
    }

    /// TLP_send_probe (RFC 8985 §7.3).
    fn probe_tail(&mut self, now: Time) {
        if self.snd.sent.is_empty() || self.recovery.probe.is_some() {
            self.set_timeout(now);
            return;
        }
        let fresh = self.snd.unsent() > 0 && self.snd.window_end() > self.snd.nxt;
        self.recovery.probe = Some(TailProbe { end: self.snd.nxt, resent: !fresh });
        self.snd.probe_due = true;
        // The timeout counts from the last transmission, which is the probe (§7.3).
        self.set_timeout(now);
    }

    /// Handles the end of RACK's reordering window (RFC 8985 §6.2, step 5).
    fn reordering_timeout(&mut self, now: Time) {
        let before = self.in_flight();
        self.detect_losses(now);
        if self.in_flight() != before || self.snd.sent.lost() > 0 {
            self.repair_after_timer(now);
        }
        if self.timers.retransmit.is_none() {
            self.set_timeout(now);
        }
    }

    /// Starts to probe a window that lets nothing be sent (RFC 9293 §3.8.6.1).
    pub(super) fn watch_window(&mut self, now: Time) {
        if self.timers.retransmit.is_none() && self.snd.sent.is_empty() && self.snd.has_unsent() {
            let delay = self.rtt.timeout(self.recovery.backoff);
            self.timers.retransmit = Some((Retransmit::Window, self.ticks.expiry(now, delay)));
        }
    }

    fn probe_window(&mut self, now: Time) {
        if !self.snd.sent.is_empty() || !self.snd.has_unsent() {
            return;
        }
        // "Exponentially between successive probes" (RFC 9293 §3.8.6.1). The timeout is bounded.
        self.recovery.backoff = (self.recovery.backoff + 1).min(self.config.retries2);
        self.snd.force = true;
        let delay = self.rtt.timeout(self.recovery.backoff);
        self.timers.retransmit = Some((Retransmit::Window, self.ticks.expiry(now, delay)));
    }
}
