//! Decides how much may be sent: the congestion window and whether it is used, restarts after idle
//! periods, pacing, and the sizes of bursts and of the send buffer. Not here: the segments
//! (`transmit`).

use netloom_units::{Duration, Time};

use super::Endpoint;
use crate::config::LEAST_MSS;
use crate::congestion::CongestionEvent;

/// The longest burst in bytes: the amount that segmentation offload takes at once. Recorded:
/// `gso_max_size` of `ip -d link`.
const LONGEST_BURST: u64 = 65_536;
/// Number of bursts per second on a long path (`tcp_tso_rtt_log` of ip-sysctl: "tso_packet_size =
/// sk->sk_pacing_rate / 1024").
const BURSTS_PER_SECOND: u64 = 1024;
/// An echoed timestamp that is older than this many milliseconds (4.6 hours) does not measure the
/// path. The limit is far above any RTO (RFC 6298 §2.5) and far below a wrap of the clock (RFC 7323
/// §5.4).
const LONGEST_ECHO: u32 = 1 << 24;
/// Nanoseconds in a second.
const NANOS: u64 = 1_000_000_000;

impl Endpoint {
    /// Updates the values that congestion controls read.
    pub(super) fn refresh_flow(&mut self, now: Time) {
        let in_flight = self.in_flight();
        let flow = &mut self.flow;
        flow.now = now;
        flow.in_flight = in_flight;
        flow.mss = self.snd.mss;
        flow.una = self.snd.una;
        flow.nxt = self.snd.nxt;
        flow.srtt = self.rtt.smoothed();
        flow.least_rtt = self.rtt.least();
        flow.delivered = self.rate.delivered;
        flow.delivered_ce = self.rate.delivered_ce;
        flow.lost = self.rate.lost;
    }

    /// Sets the pacing rate of controls that set none: twice the window per round trip in slow
    /// start, 1.2 times the window later (`tcp_pacing_ss_ratio`, `tcp_pacing_ca_ratio` of
    /// ip-sysctl: "current_rate = cwnd * mss / srtt"). It determines the size of bursts where
    /// nothing is paced.
    pub(super) fn update_pacing_rate(&mut self) {
        let flow = &mut self.flow;
        let ratio = if flow.in_slow_start() {
            self.config.pacing_slow_start_ratio
        } else {
            self.config.pacing_avoidance_ratio
        };
        let bytes = u64::from(flow.cwnd) * u64::from(flow.mss) * u64::from(ratio) / 100;
        // The product does not overflow with up to 18 GB in flight.
        let rate = bytes.saturating_mul(NANOS).checked_div(flow.srtt.as_nanos());
        flow.pacing_rate = rate.unwrap_or(u64::MAX).min(flow.max_pacing_rate);
    }

    pub(super) fn tune_send_buffer(&mut self) {
        let windows = self.control.send_buffer_windows();
        self.snd.tune_buffer(&self.config, self.flow.cwnd, windows);
    }

    /// Returns the packets in a burst: a millisecond of the pacing rate, more on short paths, at
    /// least two (`tcp_min_tso_segs`, and `tcp_tso_rtt_log`: "distance = min_rtt_usec /
    /// (2^tcp_tso_rtt_log)", "tso_packet_size += gso_max_size >> distance"), at most 64 KB.
    pub(super) fn burst(&self) -> u32 {
        let mut bytes = self.flow.pacing_rate / BURSTS_PER_SECOND;
        let log = self.config.tso_rtt_log;
        if let Some(least) = self.rtt.least()
            && log > 0
        {
            let steps = (least.as_nanos() / 1000) >> log;
            if steps < 32 {
                bytes = bytes.saturating_add(LONGEST_BURST >> steps);
            }
        }
        let bound = LONGEST_BURST.min(u64::from(self.config.limit_output_bytes)) as u32;
        let least = self.control.min_burst(&self.flow).unwrap_or(self.config.min_tso_segments);
        let packets = bytes.min(u64::from(bound)) as u32 / self.snd.mss;
        packets.max(least).min(bound / self.snd.mss).max(1)
    }

    /// Whether it is better to wait for the next acknowledgement than to send `packets` packets
    /// now, because a longer burst is cheaper. The rule is ours: a burst is a millisecond long, so
    /// it may wait for an acknowledgement that is due within one. A burst that takes a third of the
    /// window does not wait (`tcp_tso_win_divisor`), and repairs do not either.
    pub(super) fn waits_for_burst(&self, now: Time, packets: u32, burst: u32) -> bool {
        use crate::congestion::RecoveryState::Recovery;
        if packets >= burst || self.flow.state >= Recovery || self.flow.in_flight == 0 {
            return false;
        }
        let window = self.flow.cwnd.min(self.snd.window / self.snd.mss.max(1));
        let divisor = self.config.tso_window_divisor;
        if divisor > 0 && packets >= window / divisor {
            return false;
        }
        let Some(first) = self.snd.sent.first() else { return false };
        let due = first.sent_at + self.rtt.smoothed();
        due <= now + Duration::from_nanos(NANOS / BURSTS_PER_SECOND)
    }

    /// Compares the packets sent with the window, once no more can be sent. `limited` is whether
    /// the congestion window was the reason. RFC 2861 §3.2, "after sending a data segment": T_prev
    /// is `limited_at`, W_used is `used`.
    pub(super) fn validate_window(&mut self, now: Time, limited: bool) {
        let out = self.snd.sent.len();
        let flow = &mut self.flow;
        let new_round = self.snd.una >= self.usage.round_end;
        if new_round || limited || (!flow.cwnd_limited_in_round && out > flow.peak_in_flight) {
            flow.cwnd_limited_in_round = limited;
            flow.peak_in_flight = out;
            self.usage.round_end = self.snd.nxt;
        }
        flow.update_limited();
        if flow.cwnd_limited {
            self.usage.used = 0;
            self.usage.limited_at = now;
            return;
        }
        self.usage.used = self.usage.used.max(out);
        let idle = now.since(self.usage.limited_at);
        let rto = self.rtt.timeout(self.recovery.backoff);
        if self.config.slow_start_after_idle && idle >= rto && !self.control.sets_window() {
            self.forget_unused(now);
        }
    }

    /// Gives up half of the unused window, after the application has not used it for a timeout (RFC
    /// 2861 §3.2). The restart window remains (RFC 5681 §4.1).
    fn forget_unused(&mut self, now: Time) {
        use crate::congestion::RecoveryState::Open;
        let blocked = self.snd.blocked;
        let flow = &mut self.flow;
        if flow.state == Open && !blocked {
            let used = self.usage.used.max(flow.initial_cwnd);
            if used < flow.cwnd {
                flow.ssthresh = current_threshold(flow.cwnd, flow.ssthresh);
                flow.cwnd = (flow.cwnd + used) / 2;
            }
            self.usage.used = 0;
        }
        self.usage.limited_at = now;
    }

    /// Restarts the window when data is written after an idle period (RFC 5681 §4.1, RFC 2861): it
    /// is halved once for each timeout that has passed.
    pub(super) fn restart_after_idle(&mut self, now: Time) {
        if !self.snd.sent.is_empty() || self.flow.sent_at == Time::ZERO {
            return;
        }
        // The halving takes effect only once. The time of the last payload stays, because controls
        // measure the pause from it.
        let idle = now.since(self.flow.sent_at.max(self.usage.restarted_at));
        let rto = self.rtt.timeout(self.recovery.backoff);
        if !self.config.slow_start_after_idle || idle <= rto || self.control.sets_window() {
            return;
        }
        self.control.event(&mut self.flow, CongestionEvent::WindowRestart);
        let flow = &mut self.flow;
        flow.ssthresh = current_threshold(flow.cwnd, flow.ssthresh);
        let restart = flow.initial_cwnd.min(flow.cwnd);
        let halvings = (idle.as_nanos() / rto.as_nanos().max(1)).min(31) as u32;
        flow.cwnd = (flow.cwnd >> halvings).max(restart);
        self.usage.restarted_at = now;
        self.usage.limited_at = now;
        self.usage.used = 0;
    }

    /// Reduces the packet size after the path turned out to take less. Packets that are too long
    /// are lost.
    pub(super) fn shrink_packets(&mut self, mtu: u16) {
        let headers = self.config.network_header + 20;
        let mss = mtu.saturating_sub(headers).max(LEAST_MSS);
        if u32::from(mss) >= self.snd.path_mss {
            return;
        }
        self.snd.path_mss = u32::from(mss);
        self.snd.size_packets(self.negotiated.option_bytes());
        let bound = self.snd.mss;
        let too_long: Vec<u64> = self
            .snd
            .sent
            .iter()
            .filter(|(_, packet)| packet.len > bound && !packet.sacked)
            .map(|(id, _)| id)
            .collect();
        for id in too_long {
            self.snd.sent.mark_lost(id);
        }
        self.flow.mss = bound;
    }

    /// Returns the clock of timestamps: milliseconds from an origin that is the connection's own
    /// (RFC 7323 §5.4).
    pub(super) fn clock(&self, now: Time) -> u32 {
        ((now.as_nanos() / 1_000_000) as u32).wrapping_add(self.clock_offset())
    }

    pub(super) fn clock_offset(&self) -> u32 {
        self.snd.sequence.wire(0) | 1
    }

    /// Returns the time since this end sent the timestamp `echo`.
    pub(super) fn since_echo(&self, now: Time, echo: u32) -> Duration {
        self.since_relative_echo(now, echo.wrapping_sub(self.clock_offset()))
    }

    pub(super) fn since_relative_echo(&self, now: Time, echo: u32) -> Duration {
        let passed = ((now.as_nanos() / 1_000_000) as u32).wrapping_sub(echo);
        Duration::from_millis(u64::from(passed.clamp(1, LONGEST_ECHO)))
    }
}

/// Returns the threshold that keeps three quarters of the current window (RFC 2861 §3.2: "ssthresh
/// = max(ssthresh, 3*cwnd/4)").
fn current_threshold(cwnd: u32, ssthresh: u32) -> u32 {
    if cwnd < ssthresh { ssthresh } else { ssthresh.max(cwnd / 2 + cwnd / 4) }
}
