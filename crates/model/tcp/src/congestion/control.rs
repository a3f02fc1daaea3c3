//! The trait of congestion controls. Not here: the controls, and which there are (`super`).

use std::fmt;

use super::flow::{Acked, CongestionEvent, Flow, RecoveryState};
use crate::rate::RateSample;

/// The use of ECN by a congestion control.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EcnUse {
    /// ECN as configured. A mark counts as a loss (RFC 3168).
    Classic,
    /// ECN is always requested, even pure acknowledgements are marked as ECN-capable, and each mark
    /// is echoed (RFC 8257 §3).
    Accurate,
    /// As accurate, by packets that ask for low latency: ECT(1) (RFC 9331 §4.1).
    LowLatency,
}

/// A congestion control. The endpoint calls it with its [`Flow`]; where the flow is mutable, the
/// control may change its window. Default methods are those of a control that reacts to losses and
/// does not pace.
pub trait CongestionControl: fmt::Debug + Send {
    /// Called when the connection is established.
    fn start(&mut self, flow: &mut Flow) {
        let _ = flow;
    }

    /// Returns the slow-start threshold after a congestion event (a loss, a mark, a timeout).
    fn reduce(&mut self, flow: &mut Flow) -> u32;

    /// Lets the window grow, after `acked` packets were acknowledged. Called while nothing is being
    /// repaired, or while the losses of a timeout are (slow start). It is also called when the
    /// application limits the sending rate: see [`Flow::cwnd_limited`].
    fn grow(&mut self, flow: &mut Flow, acked: u32);

    /// Returns the window after an undone reduction (RFC 4015).
    fn undo(&mut self, flow: &mut Flow) -> u32 {
        flow.cwnd.max(flow.prior_cwnd)
    }

    /// Called when packets were acknowledged or SACKed.
    fn acked(&mut self, flow: &mut Flow, sample: &Acked) {
        let _ = (flow, sample);
    }

    /// Called before the state of recovery changes from [`Flow::state`] to `state`.
    fn state_changes(&mut self, flow: &mut Flow, state: RecoveryState) {
        let _ = (flow, state);
    }

    /// Called for each event.
    fn event(&mut self, flow: &mut Flow, event: CongestionEvent) {
        let _ = (flow, event);
    }

    /// Sets the window and the pacing rate after each acknowledgement, in place of `grow` and of
    /// proportional rate reduction. Returns `true` if it did.
    fn control(&mut self, flow: &mut Flow, sample: &RateSample) -> bool {
        let _ = (flow, sample);
        false
    }

    /// Whether [`control`](Self::control) sets the window.
    fn sets_window(&self) -> bool {
        false
    }

    /// Whether packets are spread over time by [`Flow::pacing_rate`].
    fn paces(&self) -> bool {
        false
    }

    /// Returns the use of ECN.
    fn ecn(&self) -> EcnUse {
        EcnUse::Classic
    }

    /// Returns the smallest burst in packets, if it differs from the configuration's.
    fn min_burst(&self, flow: &Flow) -> Option<u32> {
        let _ = flow;
        None
    }

    /// Number of windows that the send buffer holds.
    fn send_buffer_windows(&self) -> u32 {
        2
    }
}

/// The method by which CUBIC leaves slow start.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum HyStart {
    /// Slow start ends only at a loss.
    Off,
    /// By trains of acknowledgements and by delay, as in Linux.
    #[default]
    Linux,
    /// HyStart++ (RFC 9406).
    PlusPlus,
}
