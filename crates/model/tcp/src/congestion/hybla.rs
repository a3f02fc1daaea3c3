//! TCP Hybla (Caini and Firrincieli 2004, "TCP Hybla: a TCP enhancement for heterogeneous
//! networks"): a connection with a long round trip grows as fast as one with RTT₀ = 25 ms. With ρ =
//! RTT/RTT₀, the window grows by 2^ρ − 1 packets for each acknowledgement in slow start, and by
//! ρ²/cwnd later. As in Linux, an acknowledgement counts once, however many packets it
//! acknowledges; a window begins with ρ packets; and Hybla behaves like Reno in any recovery state
//! but open.

use super::{Acked, CongestionControl, Flow, RecoveryState};

/// RTT₀ in microseconds.
const REFERENCE_US: u64 = 25_000;
/// Upper bound of ρ, which keeps 2^ρ small enough for the arithmetic. It is our own: no paper has
/// one.
const RHO_MOST: u64 = 16;
/// Largest window in packets.
const CLAMP: u32 = 65_535;

/// Hybla's variables.
#[derive(Debug, Default)]
pub(crate) struct Hybla {
    /// ρ in eighths, at least one.
    rho8: u64,
    least_us: u64,
    /// Growth that the window has not taken yet, in 128ths of a packet.
    credit: u64,
}

impl Hybla {
    fn update(&mut self, flow: &Flow) {
        let srtt = flow.srtt.as_nanos() / 1000;
        self.rho8 = (srtt * 8 / REFERENCE_US).max(8);
        self.least_us = srtt;
    }
}

/// Returns 2^x in 128ths, with x in eighths. The eighths have a table, because straight lines
/// between powers of two would be wrong by 6 %.
fn power128(eighths: u64) -> u64 {
    const EIGHTHS: [u64; 8] = [128, 140, 152, 166, 181, 197, 215, 235];
    EIGHTHS[(eighths % 8) as usize] << (eighths / 8).min(RHO_MOST)
}

impl CongestionControl for Hybla {
    fn start(&mut self, flow: &mut Flow) {
        self.update(flow);
        // One packet of the reference connection corresponds to ρ packets.
        flow.cwnd_clamp = flow.cwnd_clamp.min(CLAMP);
        flow.cwnd = ((self.rho8 / 8) as u32).min(flow.cwnd_clamp);
    }

    fn reduce(&mut self, flow: &mut Flow) -> u32 {
        flow.half()
    }

    fn grow(&mut self, flow: &mut Flow, acked: u32) {
        let srtt = flow.srtt.as_nanos() / 1000;
        if self.least_us == 0 || srtt < self.least_us {
            self.update(flow);
        }
        if !flow.cwnd_limited {
            return;
        }
        if flow.state != RecoveryState::Open {
            flow.grow_as_reno(acked);
            return;
        }
        let slow = flow.in_slow_start();
        let each = if slow {
            power128(self.rho8) - 128
        } else {
            // ρ² / cwnd, with ρ² in 64ths.
            self.rho8 * self.rho8 * 2 / u64::from(flow.cwnd.max(1))
        };
        self.credit += each.max(u64::from(!slow));
        let more = (self.credit / 128).min(u64::from(u32::MAX)) as u32;
        self.credit %= 128;
        flow.cwnd = flow.cwnd.saturating_add(more);
        if slow {
            flow.cwnd = flow.cwnd.min(flow.ssthresh);
        }
        flow.cwnd = flow.cwnd.min(flow.cwnd_clamp);
    }

    fn acked(&mut self, flow: &mut Flow, _: &Acked) {
        if self.rho8 == 0 {
            self.update(flow);
        }
    }
}
