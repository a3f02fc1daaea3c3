//! Prague (draft-briscoe-iccrg-prague-congestion-control): a scalable congestion control for
//! queues with a low-latency side (L4S, RFC 9330). It is DCTCP (RFC 8257) with what RFC 9331 §4
//! demands of a sender on the Internet:
//!
//! | demand (RFC 9331) | here |
//! |---|---|
//! | packets are ECT(1) (§4.1) | [`EcnUse::LowLatency`] |
//! | feedback of each mark (§4.2) | as DCTCP's receivers give it |
//! | a response in proportion to the marks (§4.3) | DCTCP's: cwnd·(1 − α/2) once per round trip |
//! | losses count as in classic controls (§4.3) | half of the window |
//! | no advantage of short round trips (§4.3) | below 25 ms, growth and reductions are those of 25 ms |
//! | no bursts (§4.3, "ought to") | paced |
//!
//! Sub-packet windows, the fall-back to classic behaviour at classic ECN queues, and the draft's
//! delay before it becomes independent of the round trip are not here. This file was written from
//! memory of the draft (docs/tcp.md).

use netloom_units::{Duration, Time};

use super::dctcp::Marked;
use super::{CongestionControl, CongestionEvent, EcnUse, Flow, RecoveryState};

/// The round trip that shorter ones are treated as (the draft's RTT_virt).
const VIRTUAL_RTT: Duration = Duration::from_millis(25);
/// Unit of growth: a thousandth of a packet for each round trip.
const PACKET: u64 = 1000;

/// Prague's variables.
#[derive(Debug, Default)]
pub(crate) struct Prague {
    marked: Marked,
    /// Time of the latest reduction that marks caused.
    reduced_at: Option<Time>,
    /// Growth that the window has not taken yet, in thousandths of a packet times the window.
    credit: u64,
    /// The congestion window before the latest reduction.
    before: u32,
}

impl Prague {
    /// Halves the window after a loss.
    fn halve(&mut self, flow: &mut Flow) {
        self.before = flow.cwnd;
        flow.ssthresh = flow.half();
    }
}

/// Returns growth per round trip in thousandths of a packet. A rate grows by a packet per round
/// trip in each round trip: of round trips of 25 ms in place of those of `srtt`, fewer pass, and
/// each counts for less.
fn growth(srtt: Duration) -> u64 {
    let (srtt, least) = (u128::from(srtt.as_nanos()), u128::from(VIRTUAL_RTT.as_nanos()));
    let share = u128::from(PACKET) * srtt * srtt / (least * least);
    (share as u64).clamp(1, PACKET)
}

impl CongestionControl for Prague {
    fn start(&mut self, flow: &mut Flow) {
        self.marked.begin_window(flow);
    }

    fn reduce(&mut self, flow: &mut Flow) -> u32 {
        self.before = flow.cwnd;
        // A round trip that is shorter than 25 ms has only its share of the reductions.
        let soon = self.reduced_at.is_some_and(|at| flow.now.since(at) < VIRTUAL_RTT);
        if soon {
            return flow.cwnd.max(2);
        }
        self.reduced_at = Some(flow.now);
        self.marked.reduced(flow.cwnd)
    }

    fn grow(&mut self, flow: &mut Flow, acked: u32) {
        if !flow.cwnd_limited {
            return;
        }
        let left = if flow.in_slow_start() { flow.slow_start(acked) } else { acked };
        if left > 0 && !flow.in_slow_start() {
            flow.avoid_by(&mut self.credit, growth(flow.srtt), left);
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
        EcnUse::LowLatency
    }

    fn paces(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(millis: u64) -> Duration {
        Duration::from_millis(millis)
    }

    #[test]
    fn short_round_trips_grow_by_their_share() {
        assert_eq!([25, 50, 200].map(|millis| growth(ms(millis))), [PACKET; 3]);
        // Half the round trip: half as much of half the growth.
        assert_eq!(growth(Duration::from_micros(12_500)), PACKET / 4);
        assert_eq!(growth(ms(5)), PACKET / 25);
        assert_eq!(growth(Duration::ZERO), 1);
    }

    /// α is 1 at first. Within 25 ms of a reduction, marks cause no further one.
    #[test]
    fn reductions_are_a_virtual_round_trip_apart() {
        let (mut prague, mut flow) = (Prague::default(), Flow::new(10, u64::MAX));
        flow.cwnd = 100;
        flow.now = Time::from_nanos(1_000_000_000);
        assert_eq!(prague.reduce(&mut flow), 50);
        flow.now += ms(24);
        assert_eq!(prague.reduce(&mut flow), 100);
        flow.now += ms(1);
        assert_eq!(prague.reduce(&mut flow), 50);
    }
}
