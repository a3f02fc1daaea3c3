//! The view that a congestion control has of a connection: the values that it reads and those that
//! it sets. Not here: how the connection obtains them.

use netloom_units::{Duration, Time};

/// State of loss recovery, with Linux's names (Sarolahti and Kuznetsov 2002, §3.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default)]
pub enum RecoveryState {
    /// There is no sign of loss or congestion.
    #[default]
    Open,
    /// Packets were SACKed or acknowledged twice: a sign of reordering or a loss.
    Disorder,
    /// The window is being reduced because of a mark.
    Reduced,
    /// Losses are being repaired.
    Recovery,
    /// The retransmission timer expired.
    Loss,
}

impl RecoveryState {
    /// Returns the name in reports.
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

/// Events that are reported to a congestion control, beside acknowledgements.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CongestionEvent {
    /// The first packet is sent while none is in flight.
    TransmitStart,
    /// The window was restarted after an idle period.
    WindowRestart,
    /// A reduction is complete: the window has reached the slow-start threshold.
    ReductionComplete,
    /// The retransmission timer expired.
    Timeout,
    /// A segment arrived with a congestion-experienced mark.
    MarkReceived,
    /// A segment arrived without such a mark.
    UnmarkedReceived,
    /// An acknowledgement arrived.
    Acknowledged {
        /// Whether ECE is set: it echoes a mark.
        echo: bool,
        /// Number of packets that it newly acknowledges or SACKs.
        packets: u32,
    },
}

/// An acknowledgement, as it is reported to
/// [`CongestionControl::acked`](super::CongestionControl::acked).
#[derive(Debug, Clone, Copy)]
pub struct Acked {
    /// Number of packets newly acknowledged cumulatively.
    pub packets: u32,
    /// Round-trip time of the newest packet. `None` if only retransmissions are acknowledged.
    pub rtt: Option<Duration>,
    /// Number of packets in flight when the newest packet was sent.
    pub in_flight: u32,
}

/// A connection as a congestion control sees it.
#[derive(Debug, Clone)]
pub struct Flow {
    /// Time of the current call.
    pub now: Time,
    /// Congestion window in packets.
    pub cwnd: u32,
    /// Packets acknowledged since the window last grew (RFC 3465).
    pub cwnd_count: u32,
    /// Slow-start threshold in packets. `u32::MAX` before the first reduction.
    pub ssthresh: u32,
    /// Upper bound of the window.
    pub cwnd_clamp: u32,
    /// The window before the latest reduction.
    pub prior_cwnd: u32,
    /// The slow-start threshold before the latest reduction.
    pub prior_ssthresh: u32,
    /// Whether the congestion window, rather than the application, limits the packets in flight.
    pub cwnd_limited: bool,
    /// Whether the window limited them at any time of the current round.
    pub(crate) cwnd_limited_in_round: bool,
    /// Largest number of packets in flight in the latest window.
    pub peak_in_flight: u32,
    /// The initial window, in packets.
    pub initial_cwnd: u32,
    /// Payload of a full packet in bytes.
    pub mss: u32,
    /// Number of packets in flight.
    pub in_flight: u32,
    /// Smoothed round-trip time. Zero before the first sample.
    pub srtt: Duration,
    /// Least round-trip time of the past minutes. `None` before the first sample.
    pub least_rtt: Option<Duration>,
    /// Position of the first byte that is not acknowledged.
    pub una: u64,
    /// Position of the next byte to send.
    pub nxt: u64,
    /// Number of packets delivered so far.
    pub delivered: u64,
    /// Number of packets delivered with a mark so far.
    pub delivered_ce: u64,
    /// Number of packets deemed lost so far.
    pub lost: u64,
    /// The state of recovery.
    pub state: RecoveryState,
    /// Pacing rate in bytes per second. It also determines the size of bursts for controls that do
    /// not pace.
    pub pacing_rate: u64,
    /// Upper bound of the pacing rate.
    pub max_pacing_rate: u64,
    /// Time at which payload was last sent, whether for the first time or again. At
    /// [`TransmitStart`](CongestionEvent::TransmitStart) that is the time before the pause, so the
    /// connection has been idle since then. [`Time::ZERO`] before the first payload.
    pub sent_at: Time,
    /// Whether the application currently leaves the path idle.
    pub app_limited: bool,
    /// Set by a control that itself keeps the path from being full. Samples of the delivery rate
    /// then count as limited by the application, until everything in flight now is acknowledged.
    pub sampling_limited: bool,
    /// The milliseconds that the latest segment's timestamp echoed, if it has timestamps.
    pub timestamp_echo: Option<u32>,
    /// The sender's clock in the latest segment, if it has timestamps.
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
            sent_at: Time::ZERO,
            app_limited: false,
            sampling_limited: false,
            timestamp_echo: None,
            timestamp_value: None,
        }
    }

    /// Updates whether the window may grow: it may if it limits the packets in flight or, in slow
    /// start, if it is less than twice their peak. (RFC 7661 §4.2 and
    /// draft-ietf-ccwg-ratelimited-increase §3 also bound the window by what was in flight. The
    /// peak of a round is still to be recorded, see docs/tcp.md.)
    pub(crate) const fn update_limited(&mut self) {
        let slow = self.in_slow_start() && self.cwnd < 2 * self.peak_in_flight;
        self.cwnd_limited = self.cwnd_limited_in_round || slow;
    }

    /// Whether the window is below the slow-start threshold (RFC 5681 §3.1).
    pub const fn in_slow_start(&self) -> bool {
        self.cwnd < self.ssthresh
    }

    /// Grows the window as in slow start: by one packet for each one acknowledged, up to the
    /// threshold. Returns the rest of `acked` (RFC 5681 §3.1; RFC 3465 without its limit).
    pub fn slow_start(&mut self, acked: u32) -> u32 {
        let cwnd = self.cwnd.saturating_add(acked).min(self.ssthresh);
        let left = acked - cwnd.saturating_sub(self.cwnd).min(acked);
        self.cwnd = cwnd.min(self.cwnd_clamp);
        left
    }

    /// Grows the window as in congestion avoidance: by one packet for every `per_packet`
    /// acknowledged (RFC 5681 §3.1, equation 3, with RFC 3465).
    pub fn avoid(&mut self, per_packet: u32, acked: u32) {
        let per_packet = per_packet.max(1);
        // Credit from a time at which growth took fewer packets.
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

    /// Grows the window as in congestion avoidance, by `alpha` thousandths of a packet per round
    /// trip: α/cwnd for each packet acknowledged. `credit` keeps the rest, in thousandths of a
    /// packet times the window.
    pub fn avoid_by(&mut self, credit: &mut u64, alpha: u64, acked: u32) {
        *credit = credit.saturating_add(alpha.saturating_mul(acked.into()));
        let packet = 1000 * u64::from(self.cwnd.max(1));
        let more = *credit / packet;
        *credit %= packet;
        let more = u32::try_from(more).unwrap_or(u32::MAX);
        self.cwnd = self.cwnd.saturating_add(more).min(self.cwnd_clamp);
    }

    /// Grows the window as Reno does. Other controls fall back to this.
    pub fn grow_as_reno(&mut self, acked: u32) {
        let left = if self.in_slow_start() { self.slow_start(acked) } else { acked };
        if left > 0 && !self.in_slow_start() {
            self.avoid(self.cwnd, left);
        }
    }

    /// Returns half the window, but at least two packets (RFC 5681 §3.1, equation 4).
    pub const fn half(&self) -> u32 {
        if self.cwnd / 2 < 2 { 2 } else { self.cwnd / 2 }
    }
}
