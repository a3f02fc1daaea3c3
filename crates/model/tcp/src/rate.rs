//! Delivery-rate sampling (draft-cheng-iccrg-delivery-rate-estimation-00, whose algorithm
//! draft-cardwell-ccwg-bbr-00 §4.5.2.3 repeats): the rate at which the network delivered packets
//! between a packet's transmission and its acknowledgement. Not here: how a congestion control uses
//! it.

use netloom_units::{Duration, Time};

use crate::sent::{Sent, Stamp};

/// A sample of the delivery rate, from one acknowledgement.
#[derive(Debug, Clone, Copy, Default)]
pub struct RateSample {
    /// Number of packets delivered over [`interval`](Self::interval). `None` if no packet was newly
    /// acknowledged, or if the interval is too short to be true.
    pub delivered: Option<u32>,
    /// The longer of the times over which these packets were sent and acknowledged.
    pub interval: Duration,
    /// Total number of packets delivered when the sampled packet was sent.
    pub prior_delivered: u64,
    /// Number of packets in flight when the sampled packet was sent.
    pub prior_in_flight: u32,
    /// Number of packets over the interval that arrived with congestion-experienced marks.
    pub delivered_ce: u32,
    /// Number of packets lost over the interval.
    pub lost_since: u32,
    /// Whether the application sent too little to fill the path.
    pub app_limited: bool,
    /// Number of packets that this acknowledgement acknowledges or SACKs.
    pub newly_delivered: u32,
    /// Number of packets newly deemed lost.
    pub newly_lost: u32,
    /// Number of packets in flight before this acknowledgement.
    pub flight_before: u32,
    /// Round-trip time of the newest packet. `None` if it was retransmitted.
    pub rtt: Option<Duration>,
}

impl RateSample {
    /// Returns the delivery rate in bytes per second, for packets of `mss` bytes.
    pub fn bytes_per_second(&self, mss: u32) -> Option<u64> {
        let bytes = u128::from(self.delivered?) * u128::from(mss) * 1_000_000_000;
        let rate = bytes.checked_div(u128::from(self.interval.as_nanos()))?;
        Some(u64::try_from(rate).unwrap_or(u64::MAX))
    }
}

/// The connection's variables ("C.") and those of the current acknowledgement ("rs.").
#[derive(Debug, Default)]
pub(crate) struct RateSampler {
    pub delivered: u64,
    pub delivered_ce: u64,
    pub lost: u64,
    delivered_at: Time,
    first_sent_at: Time,
    /// The count of delivered packets at which the application-limited phase ends. 0 for none.
    app_limited: u64,
    newest: Option<(Stamp, Time, bool)>,
    newest_order: u64,
    /// The latest usable sample, for TCP_INFO: packets, the time that they took, and whether the
    /// application limited them.
    latest: (u32, Duration, bool),
}

impl RateSampler {
    /// Returns the stamp of a packet that is sent at `now` (§3.3.1).
    pub fn stamp(&mut self, now: Time, in_flight: u32) -> Stamp {
        if in_flight == 0 {
            self.first_sent_at = now;
            self.delivered_at = now;
        }
        Stamp {
            delivered: self.delivered,
            delivered_ce: self.delivered_ce,
            lost: self.lost,
            in_flight,
            delivered_at: self.delivered_at,
            first_sent_at: self.first_sent_at,
            app_limited: self.app_limited != 0,
        }
    }

    /// Records that `packet` is delivered (§3.3.2, UpdateRateSample).
    pub fn deliver(&mut self, packet: &Sent, now: Time) {
        self.delivered += 1;
        self.delivered_at = now;
        if self.newest.is_none() || packet.order > self.newest_order {
            self.newest = Some((packet.stamp, packet.sent_at, packet.ever_resent));
            self.newest_order = packet.order;
            self.first_sent_at = packet.sent_at;
        }
    }

    /// Records that the application leaves the path idle from now on (§3.4).
    pub fn limit_by_application(&mut self, in_flight: u32) {
        self.app_limited = (self.delivered + u64::from(in_flight)).max(1);
    }

    pub const fn app_limited(&self) -> bool {
        self.app_limited != 0
    }

    /// Returns the sample of the current acknowledgement (§3.3.3, GenerateRateSample).
    pub fn sample(&mut self, now: Time, least_rtt: Option<Duration>) -> RateSample {
        if self.app_limited != 0 && self.delivered > self.app_limited {
            self.app_limited = 0;
        }
        let Some((stamp, sent_at, resent)) = self.newest.take() else {
            return RateSample::default();
        };
        let sending = sent_at.since(stamp.first_sent_at);
        let acknowledging = self.delivered_at.since(stamp.delivered_at);
        let interval = sending.max(acknowledging);
        let delivered = (self.delivered - stamp.delivered) as u32;
        // An interval shorter than the path's round trip is not reliable: the packets had been
        // acknowledged already when a retransmission arrived (GenerateRateSample: "no reliable
        // sample").
        let true_interval = least_rtt.is_none_or(|least| interval >= least);
        let sample = RateSample {
            delivered: (true_interval && interval > Duration::ZERO).then_some(delivered),
            interval,
            prior_delivered: stamp.delivered,
            prior_in_flight: stamp.in_flight,
            delivered_ce: (self.delivered_ce - stamp.delivered_ce) as u32,
            lost_since: (self.lost - stamp.lost) as u32,
            app_limited: stamp.app_limited,
            rtt: (!resent).then(|| now.since(sent_at)),
            ..RateSample::default()
        };
        self.keep(&sample);
        sample
    }

    /// Keeps the sample for reports, unless the application limited it and it is no faster than the
    /// latest. BBR's filter has this rule for such samples (draft-cardwell-ccwg-bbr-00 §4.5.4).
    fn keep(&mut self, sample: &RateSample) {
        let Some(delivered) = sample.delivered else { return };
        let (before, over, _) = self.latest;
        let faster = u128::from(delivered) * u128::from(over.as_nanos())
            >= u128::from(before) * u128::from(sample.interval.as_nanos());
        if !sample.app_limited || faster {
            self.latest = (delivered, sample.interval, sample.app_limited);
        }
    }

    /// Returns the latest delivery rate in bytes per second, for packets of `mss` bytes.
    pub fn bytes_per_second(&self, mss: u32) -> u64 {
        let (delivered, over, _) = self.latest;
        let bytes = u128::from(delivered) * u128::from(mss) * 1_000_000_000;
        bytes.checked_div(u128::from(over.as_nanos())).unwrap_or(0) as u64
    }
}
