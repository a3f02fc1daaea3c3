//! NewReno: additive increase, multiplicative decrease (RFC 5681; Jacobson 1988, "Congestion
//! avoidance and control"). Repair is the endpoint's work (RFC 6582 without SACK).

use super::{CongestionControl, Flow};

/// NewReno has no state of its own.
#[derive(Debug)]
pub(crate) struct Reno;

impl CongestionControl for Reno {
    fn reduce(&mut self, flow: &mut Flow) -> u32 {
        flow.half()
    }

    fn grow(&mut self, flow: &mut Flow, acked: u32) {
        if flow.cwnd_limited {
            flow.grow_as_reno(acked);
        }
    }
}
