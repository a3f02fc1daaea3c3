//! Samples of flows over time, reduced like those of pipes.

use std::collections::BTreeMap;

use netloom_api::flow::FlowStatus;
use netloom_units::{Duration, Time};

use crate::curves::{Curve, Timed, step};

/// Largest number of flows that are drawn.
pub(crate) const DRAWN: usize = 6;

/// What a flow had brought at one time since its beginning, and its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct FlowSample {
    /// Time of the sample.
    pub time: Time,
    /// Bytes of payload that had arrived.
    pub received_bytes: u64,
    /// Packets that had arrived; none over TCP.
    pub received_packets: u64,
    /// Sum of their delays, in ns.
    pub delay_sum_ns: u64,
    /// Congestion window, in packets.
    pub cwnd: Option<u64>,
    /// Smoothed round-trip time, in ns.
    pub srtt_ns: Option<u64>,
}

impl Timed for FlowSample {
    fn time(&self) -> Time {
        self.time
    }
}

/// Samples of the flows that brought most.
#[derive(Debug, Default)]
pub struct FlowCurves {
    step: Duration,
    flows: BTreeMap<String, Curve<FlowSample>>,
}

impl FlowCurves {
    /// Creates curves of those of `flows` that are drawn, in a run that ended at `ended`.
    pub fn new(ended: Time, flows: &[FlowStatus]) -> Self {
        let mut drawn: Vec<&FlowStatus> =
            flows.iter().filter(|flow| flow.received.bytes > 0).collect();
        drawn.sort_by_key(|flow| std::cmp::Reverse(flow.received.bytes));
        drawn.truncate(DRAWN);
        let flows = drawn.into_iter().map(|flow| (flow.name.clone(), Curve::default()));
        Self { step: step(ended), flows: flows.collect() }
    }

    /// Adds the next sample of a flow. Samples of other flows are ignored.
    pub fn add(&mut self, flow: &str, sample: FlowSample) {
        if let Some(curve) = self.flows.get_mut(flow) {
            curve.add(sample, self.step);
        }
    }

    pub(crate) fn all(&self) -> impl Iterator<Item = (&str, &Curve<FlowSample>)> {
        self.flows.iter().map(|(name, curve)| (name.as_str(), curve))
    }
}
