//! DCTCP (RFC 8257): the fraction of marked packets, averaged, sets the reduction: cwnd·(1 − α/2).
//! A loss halves the window. Growth is Reno's.

use super::{CongestionControl, CongestionEvent, EcnUse, Flow, RecoveryState};

/// α has 1024 parts.
const ONE: u64 = 1024;
/// g = 1/16.
const GAIN_SHIFT: u32 = 4;

/// DCTCP's variables (RFC 8257 §3.3).
#[derive(Debug)]
pub(crate) struct Dctcp {
    alpha: u64,
    window_end: u64,
    delivered: u64,
    marked: u64,
    /// The window before the latest reduction.
    before: u32,
}

impl Default for Dctcp {
    fn default() -> Self {
        // α = 1: the first mark halves.
        Self { alpha: ONE, window_end: 0, delivered: 0, marked: 0, before: 0 }
    }
}

impl Dctcp {
    fn begin_window(&mut self, flow: &Flow) {
        self.window_end = flow.nxt;
        self.delivered = flow.delivered;
        self.marked = flow.delivered_ce;
    }

    /// α ← (1 − g) α + g F at the end of a window of data.
    fn update(&mut self, flow: &Flow) {
        let delivered = flow.delivered - self.delivered;
        let marked = flow.delivered_ce - self.marked;
        // A part of α below the gain is forgotten, so that it reaches zero.
        self.alpha -= (self.alpha >> GAIN_SHIFT).max(u64::from(self.alpha > 0));
        if marked > 0 {
            let fraction = (marked << 10) / delivered.max(1);
            self.alpha = (self.alpha + (fraction >> GAIN_SHIFT)).min(ONE);
        }
        self.begin_window(flow);
    }

    fn halve(&mut self, flow: &mut Flow) {
        self.before = flow.cwnd;
        flow.ssthresh = flow.half();
    }
}

impl CongestionControl for Dctcp {
    fn start(&mut self, flow: &mut Flow) {
        self.begin_window(flow);
    }

    fn reduce(&mut self, flow: &mut Flow) -> u32 {
        self.before = flow.cwnd;
        let less = (u64::from(flow.cwnd) * self.alpha) >> 11;
        (flow.cwnd - less as u32).max(2)
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
            CongestionEvent::Acknowledged { .. } if flow.una > self.window_end => {
                self.update(flow);
            }
            CongestionEvent::Timeout => self.halve(flow),
            _ => {}
        }
    }

    fn ecn(&self) -> EcnUse {
        EcnUse::Accurate
    }
}
