//! Westwood+ (Mascolo, Casetti, Gerla, Sanadidi and Wang 2001; Grieco and Mascolo 2004): after a
//! loss the window becomes what the measured bandwidth and the least round-trip time hold. Growth
//! is Reno's.

use netloom_units::{Duration, Time};

use super::{Acked, CongestionControl, CongestionEvent, Flow};

/// A sample covers a round trip, 50 ms at least.
const LEAST_SAMPLE: Duration = Duration::from_millis(50);

/// Westwood's variables. Bandwidths in bytes per second.
#[derive(Debug, Default)]
pub(crate) struct Westwood {
    first: u64,
    bandwidth: u64,
    bytes: u64,
    since: Time,
    /// Round-trip times in ns; 0 before any.
    latest_rtt: u64,
    least_rtt: u64,
    started: bool,
}

impl Westwood {
    /// Filters twice: 7/8 of the old value each time.
    fn sample(&mut self, bandwidth: u64) {
        if self.bandwidth == 0 && self.first == 0 {
            self.first = bandwidth;
            self.bandwidth = bandwidth;
        } else {
            self.first = (7 * self.first + bandwidth) / 8;
            self.bandwidth = (7 * self.bandwidth + self.first) / 8;
        }
    }

    fn close_sample(&mut self, now: Time) {
        let passed = now.since(self.since);
        let whole = Duration::from_nanos(self.latest_rtt).max(LEAST_SAMPLE);
        if self.latest_rtt > 0 && passed > whole {
            self.sample(
                (u128::from(self.bytes) * 1_000_000_000 / u128::from(passed.as_nanos())) as u64,
            );
            self.bytes = 0;
            self.since = now;
        }
    }

    /// What the path holds, in packets.
    fn pipe(&self, mss: u32) -> u32 {
        let bytes = u128::from(self.bandwidth) * u128::from(self.least_rtt) / 1_000_000_000;
        ((bytes / u128::from(mss.max(1))) as u32).max(2)
    }
}

impl CongestionControl for Westwood {
    fn start(&mut self, flow: &mut Flow) {
        self.since = flow.now;
        self.started = true;
    }

    fn reduce(&mut self, flow: &mut Flow) -> u32 {
        self.pipe(flow.mss)
    }

    fn grow(&mut self, flow: &mut Flow, acked: u32) {
        if flow.cwnd_limited {
            flow.grow_as_reno(acked);
        }
    }

    fn acked(&mut self, _: &mut Flow, sample: &Acked) {
        if let Some(rtt) = sample.rtt.map(|rtt| rtt.as_nanos().max(1)) {
            self.latest_rtt = rtt;
            if self.least_rtt == 0 || rtt < self.least_rtt {
                self.least_rtt = rtt;
            }
        }
    }

    fn event(&mut self, flow: &mut Flow, event: CongestionEvent) {
        match event {
            CongestionEvent::Acknowledged { packets, .. } => {
                self.bytes += u64::from(packets) * u64::from(flow.mss);
                self.close_sample(flow.now);
            }
            CongestionEvent::ReductionComplete => {
                flow.ssthresh = self.pipe(flow.mss);
                flow.cwnd = flow.ssthresh;
            }
            CongestionEvent::Timeout => {
                flow.ssthresh = self.pipe(flow.mss);
                // The path may have changed.
                self.least_rtt = 0;
            }
            _ => {}
        }
    }
}
