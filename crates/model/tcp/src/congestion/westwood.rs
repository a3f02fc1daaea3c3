//! Westwood+ (Mascolo, Casetti, Gerla, Sanadidi and Wang 2001, "TCP Westwood: Bandwidth estimation
//! for enhanced transport over wireless links"; Grieco and Mascolo 2004, "Performance evaluation
//! and comparison of Westwood+, New Reno, and Vegas TCP congestion control"): after a loss the
//! window becomes the product of the measured bandwidth and the least round-trip time. The
//! bandwidth is sampled once per round trip and filtered with 0.9 of the old value. Growth is
//! Reno's.

use netloom_units::Time;

use super::{Acked, CongestionControl, CongestionEvent, Flow};

/// Westwood's variables. Bandwidths are in bytes per second.
#[derive(Debug, Default)]
pub(crate) struct Westwood {
    bandwidth: u64,
    bytes: u64,
    since: Time,
    /// Round-trip times in ns. 0 before any sample.
    latest_rtt: u64,
    least_rtt: u64,
    started: bool,
}

impl Westwood {
    /// b̂ₖ = 0.9 b̂ₖ₋₁ + 0.1 bₖ. The first sample is taken as it is.
    fn sample(&mut self, bandwidth: u64) {
        let first = self.bandwidth == 0;
        self.bandwidth = if first { bandwidth } else { (9 * self.bandwidth + bandwidth) / 10 };
    }

    fn close_sample(&mut self, now: Time) {
        let passed = now.since(self.since);
        if self.latest_rtt > 0 && passed.as_nanos() >= self.latest_rtt {
            self.sample(
                (u128::from(self.bytes) * 1_000_000_000 / u128::from(passed.as_nanos())) as u64,
            );
            self.bytes = 0;
            self.since = now;
        }
    }

    /// Returns the number of packets that the path holds.
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
            CongestionEvent::Timeout => flow.ssthresh = self.pipe(flow.mss),
            _ => {}
        }
    }
}
