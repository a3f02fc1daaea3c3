//! What a congestion control sees of a connection, and what it sets. Not here: how the connection
//! comes to it.

use netloom_units::{Duration, Time};

/// The state of loss recovery, by Linux's names (Sarolahti and Kuznetsov 2002, §3.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum RecoveryState {
    /// Nothing is wrong.
    #[default]
    Open,
    /// Something was SACKed or acknowledged twice: reordering or a loss.
    Disorder,
    /// The window is being reduced because of a mark.
    Reduced,
    /// Losses are being repaired.
    Recovery,
    /// The retransmission timer expired.
    Loss,
}

impl RecoveryState {
    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Disorder => "disorder",
            Self::Reduced => "cwr",
            Self::Recovery => "recovery",
            Self::Loss => "loss",
        }
    }
}

/// What a congestion control may want to know, beside acknowledgements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CongestionEvent {
    /// The first packet goes out while none is in flight.
    TransmitStart,
    /// The window was restarted after an idle time.
    WindowRestart,
    /// A reduction is complete: the window has reached the threshold.
    ReductionComplete,
    /// The retransmission timer expired.
    Timeout,
    /// A segment came with a congestion-experienced mark.
    MarkReceived,
    /// A segment came without one.
    UnmarkedReceived,
    /// An acknowledgement came; whether it echoes a mark, whether it acknowledges new data.
    Acknowledged {
        /// ECE is set.
        echo: bool,
        /// Packets that it newly acknowledges or SACKs.
        packets: u32,
    },
}

/// An acknowledgement, as [`CongestionControl::acked`](super::CongestionControl::acked) gets it.
#[derive(Debug, Clone, Copy)]
pub struct Acked {
    /// Packets that are newly acknowledged cumulatively.
    pub packets: u32,
    /// Round-trip time of the newest packet; `None` if only retransmissions are acknowledged.
    pub rtt: Option<Duration>,
    /// Packets that were in flight when the newest one was sent.
    pub in_flight: u32,
}

/// The connection as a congestion control sees it.
#[derive(Debug, Clone)]
pub struct Flow {
    /// The time of the call.
    pub now: Time,
    /// Congestion window in packets.
    pub cwnd: u32,
    /// Packets acknowledged since the window grew last (RFC 3465).
    pub cwnd_count: u32,
    /// Slow-start threshold in packets; `u32::MAX` before the first reduction.
    pub ssthresh: u32,
    /// Bound of the window.
    pub cwnd_clamp: u32,
    /// The window before the latest reduction.
    pub prior_cwnd: u32,
    /// The threshold before the latest reduction.
    pub prior_ssthresh: u32,
    /// Whether the congestion window, not the application, limits what is in flight.
    pub cwnd_limited: bool,
    /// Whether it did at any time of the present round.
    pub(crate) cwnd_limited_in_round: bool,
    /// Most packets in flight in the latest window.
    pub peak_in_flight: u32,
    /// The window of the start, in packets.
    pub initial_cwnd: u32,
    /// Payload of a full packet in bytes.
    pub mss: u32,
    /// Packets in flight.
    pub in_flight: u32,
    /// Smoothed round-trip time; zero before the first sample.
    pub srtt: Duration,
    /// The least round-trip time of the past minutes; `None` before the first sample.
    pub least_rtt: Option<Duration>,
    /// Position of the first byte that is not acknowledged.
    pub una: u64,
    /// Position of the next byte to send.
    pub nxt: u64,
    /// Packets delivered so far.
    pub delivered: u64,
    /// Packets of them that came with a mark.
    pub delivered_ce: u64,
    /// Packets deemed lost so far.
    pub lost: u64,
    /// The state of recovery.
    pub state: RecoveryState,
    /// Pacing rate in bytes per second; also sizes bursts of controls that do not pace.
    pub pacing_rate: u64,
    /// Bound of the pacing rate.
    pub max_pacing_rate: u64,
    /// Whether the application leaves the path idle at present.
    pub app_limited: bool,
    /// Set by a control that keeps the path from being full itself: samples of the delivery rate
    /// count as limited by the application until what is in flight now is acknowledged.
    pub sampling_limited: bool,
    /// The milliseconds echoed by the latest segment, where it has timestamps.
    pub timestamp_echo: Option<u32>,
    /// The sender's clock of the latest segment, where it has timestamps.
    pub timestamp_value: Option<u32>,
}

impl Flow {
    pub(crate) const fn new(initial_cwnd: u32, max_pacing_rate: u64) -> Self {
        Self {
            now: Time::ZERO,
            cwnd: initial_cwnd,
            cwnd_count: 0,
            ssthresh: u32::MAX,
            cwnd_clamp: u32::MAX,
            prior_cwnd: 0,
            prior_ssthresh: u32::MAX,
            cwnd_limited: false,
            cwnd_limited_in_round: false,
            peak_in_flight: 0,
            initial_cwnd,
            mss: 536,
            in_flight: 0,
            srtt: Duration::ZERO,
            least_rtt: None,
            una: 0,
            nxt: 0,
            delivered: 0,
            delivered_ce: 0,
            lost: 0,
            state: RecoveryState::Open,
            pacing_rate: u64::MAX,
            max_pacing_rate,
            app_limited: false,
            sampling_limited: false,
            timestamp_echo: None,
            timestamp_value: None,
        }
    }

    /// Whether the window may grow: it limits what is in flight, or, in slow start, it is less than
    /// twice what is (RFC 7661 §4.2 and draft-ietf-ccwg-ratelimited-increase §3 bound the window by
    /// what was in flight in this spirit; the peak of a round is to be recorded, see docs/tcp.md).
    pub(crate) const fn update_limited(&mut self) {
        let slow = self.in_slow_start() && self.cwnd < 2 * self.peak_in_flight;
        self.cwnd_limited = self.cwnd_limited_in_round || slow;
    }

    /// Whether the window is below the slow-start threshold (RFC 5681 §3.1).
    pub const fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Slow start: one packet more for each acknowledged one, up to the threshold; what is left of
    /// `acked` then (RFC 5681 §3.1, RFC 3465 without its limit).
    pub fn slow_start(&mut self, acked: u32) -> u32 {
        let cwnd = self.cwnd.saturating_add(acked).min(self.ssthresh);
        let left = acked - cwnd.saturating_sub(self.cwnd).min(acked);
        self.cwnd = cwnd.min(self.cwnd_clamp);
        left
    }

    /// Congestion avoidance: one packet more for every `per_packet` acknowledged ones (RFC 5681
    /// §3.1, equation 3, by RFC 3465).
    pub fn avoid(&mut self, per_packet: u32, acked: u32) {
        let per_packet = per_packet.max(1);
        // Credits of a time when fewer were needed.
        if self.cwnd_count >= per_packet {
            self.cwnd_count = 0;
            self.cwnd += 1;
        }
        self.cwnd_count += acked;
        if self.cwnd_count >= per_packet {
            let steps = self.cwnd_count / per_packet;
            self.cwnd_count -= steps * per_packet;
            self.cwnd = self.cwnd.saturating_add(steps);
        }
        self.cwnd = self.cwnd.min(self.cwnd_clamp);
    }

    /// Congestion avoidance by `alpha` thousandths of a packet in a round trip: α/cwnd for each
    /// acknowledged packet. `credit` keeps what is left of a packet, times the window.
    pub fn avoid_by(&mut self, credit: &mut u64, alpha: u64, acked: u32) {
        *credit = credit.saturating_add(alpha.saturating_mul(acked.into()));
        let packet = 1000 * u64::from(self.cwnd.max(1));
        let more = *credit / packet;
        *credit %= packet;
        let more = u32::try_from(more).unwrap_or(u32::MAX);
        self.cwnd = self.cwnd.saturating_add(more).min(self.cwnd_clamp);
    }

    /// Growth of Reno, which others fall back to.
    pub fn grow_as_reno(&mut self, acked: u32) {
        let left = if self.in_slow_start() { self.slow_start(acked) } else { acked };
        if left > 0 && !self.in_slow_start() {
            self.avoid(self.cwnd, left);
        }
    }

    /// Half the window, two packets at least (RFC 5681 §3.1, equation 4).
    pub const fn half(&self) -> u32 {
        if self.cwnd / 2 < 2 { 2 } else { self.cwnd / 2 }
    }
}
