//! Scalable TCP (Kelly 2003, "Scalable TCP: Improving performance in highspeed wide area networks",
//! §3): the window grows by 0.01 packets for each one acknowledged, and shrinks by an eighth at a
//! loss.

use super::{CongestionControl, Flow};

/// 1/a: packets acknowledged per packet of growth, unless the window is smaller.
const ACKED_PER_PACKET: u32 = 100;

/// Scalable TCP has no state of its own.
#[derive(Debug)]
pub(crate) struct Scalable;

impl CongestionControl for Scalable {
    fn reduce(&mut self, flow: &mut Flow) -> u32 {
        (flow.cwnd - flow.cwnd / 8).max(2)
    }

    fn grow(&mut self, flow: &mut Flow, acked: u32) {
        if !flow.cwnd_limited {
            return;
        }
        let left = if flow.in_slow_start() { flow.slow_start(acked) } else { acked };
        if left > 0 && !flow.in_slow_start() {
            flow.avoid(flow.cwnd.min(ACKED_PER_PACKET), left);
        }
    }
}
