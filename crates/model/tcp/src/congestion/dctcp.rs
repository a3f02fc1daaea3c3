//! DCTCP (RFC 8257): the averaged fraction α of marked packets determines the reduction, to cwnd·(1
//! − α/2). A loss halves the window. Growth is Reno's. Packets are counted where the RFC counts
//! bytes.

use super::{CongestionControl, CongestionEvent, EcnUse, Flow, RecoveryState};

/// Unit of α and of fractions: a millionth. It is fine enough for α to fall to nothing (§4.2 uses
/// real numbers).
const ONE: u64 = 1_000_000;
/// 1/g, for the gain g = 1/16 (§4.2: the value that the RFC recommends).
const GAIN_DIVISOR: u64 = 16;

/// The averaged fraction of marked packets (§3.3).
#[derive(Debug)]
pub(super) struct Marked {
    /// DCTCP.Alpha.
    alpha: u64,
    /// DCTCP.WindowEnd.
    window_end: u64,
    /// Packets delivered, and packets delivered with a mark, at the start of the window of data.
    delivered: u64,
    marked: u64,
}

impl Default for Marked {
    fn default() -> Self {
        // α is 1 at first, so that the first mark halves the window (§3.3).
        Self { alpha: ONE, window_end: 0, delivered: 0, marked: 0 }
    }
}

impl Marked {
    pub fn begin_window(&mut self, flow: &Flow) {
        self.window_end = flow.nxt;
        self.delivered = flow.delivered;
        self.marked = flow.delivered_ce;
    }

    /// Handles an acknowledgement, which may be the last of a window of data.
    pub fn acknowledged(&mut self, flow: &Flow) {
        if flow.una > self.window_end {
            self.update(flow);
        }
    }

    /// Updates α at the end of a window of data: M = marked/delivered, α ← (1 − g) α + g M (§3.3).
    fn update(&mut self, flow: &Flow) {
        let delivered = flow.delivered - self.delivered;
        let marked = flow.delivered_ce - self.marked;
        let fraction = (marked * ONE / delivered.max(1)).min(ONE);
        self.alpha = (self.alpha * (GAIN_DIVISOR - 1) + fraction) / GAIN_DIVISOR;
        self.begin_window(flow);
    }

    /// Returns cwnd · (1 − α/2) (§3.4), but at least two packets (RFC 5681 §3.1).
    pub fn reduced(&self, cwnd: u32) -> u32 {
        let less = u64::from(cwnd) * self.alpha / (2 * ONE);
        (cwnd - less as u32).max(2)
    }
}

/// DCTCP's variables.
#[derive(Debug, Default)]
pub(crate) struct Dctcp {
    marked: Marked,
    /// The congestion window before the latest reduction.
    before: u32,
}

impl Dctcp {
    /// Halves the window after a loss, as any other TCP does (§3.5, RFC 5681 §3.1).
    fn halve(&mut self, flow: &mut Flow) {
        self.before = flow.cwnd;
        flow.ssthresh = flow.half();
    }
}

impl CongestionControl for Dctcp {
    fn start(&mut self, flow: &mut Flow) {
        self.marked.begin_window(flow);
    }

    fn reduce(&mut self, flow: &mut Flow) -> u32 {
        self.before = flow.cwnd;
        self.marked.reduced(flow.cwnd)
    }

    fn grow(&mut self, flow: &mut Flow, acked: u32) {
        if flow.cwnd_limited {
            flow.grow_as_reno(acked);
        }
    }

    fn undo(&mut self, flow: &mut Flow) -> u32 {
        flow.cwnd.max(self.before)
    }

    fn state_changes(&mut self, flow: &mut Flow, state: RecoveryState) {
        if state == RecoveryState::Recovery && flow.state != RecoveryState::Recovery {
            self.halve(flow);
        }
    }

    fn event(&mut self, flow: &mut Flow, event: CongestionEvent) {
        match event {
            CongestionEvent::Acknowledged { .. } => self.marked.acknowledged(flow),
            CongestionEvent::Timeout => self.halve(flow),
            _ => {}
        }
    }

    fn ecn(&self) -> EcnUse {
        EcnUse::Accurate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn alpha_follows_the_fraction_of_marks() {
        let (mut dctcp, mut flow) = (Dctcp::default(), Flow::new(10, u64::MAX));
        flow.cwnd = 100;
        assert_eq!(dctcp.reduce(&mut flow), 50);
        let mut window = |marked: u64| {
            flow.delivered += 100;
            flow.delivered_ce += marked;
            dctcp.marked.update(&flow);
            dctcp.marked.alpha
        };
        // (1 − 1/16) · 1 + 1/16 · 0.2
        assert_eq!(window(20), 950_000);
        for _ in 0..400 {
            window(20);
        }
        assert!(window(20).abs_diff(200_000) < 20, "{}", window(20));
        for _ in 0..400 {
            window(0);
        }
        assert!(window(0) < 20, "{}", window(0));
    }
}
