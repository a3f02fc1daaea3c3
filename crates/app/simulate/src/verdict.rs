//! The verdict on a simulated run: no machine can disturb virtual time.

use netloom_monitor::{Bound, Coverage, Judgement, Overhead, SignalKind, Verdict};
use netloom_scenario::Monitor;
use netloom_units::Time;

/// The reason why a simulated run is valid, for the coverage of each signal.
const WHY: &str = "virtual time: the machine cannot show";

/// Returns the verdict on a run that ended at `to`.
pub fn verdict(monitor: &Monitor, to: Time) -> Verdict {
    let coverage = |signal| Coverage {
        signal,
        machine: None,
        observed: true,
        probes: vec![WHY.into()],
        blind_spots: Vec::new(),
        threshold: None,
    };
    Verdict {
        judgement: Judgement::Valid,
        links: Judgement::Valid,
        programs: Judgement::Valid,
        findings: Vec::new(),
        from: Time::ZERO,
        settled: Time::ZERO + monitor.warm_up,
        to,
        trust: monitor.trust.clone(),
        bound: Bound::default(),
        bad: Vec::new(),
        signals: Vec::new(),
        coverage: SignalKind::ALL.map(coverage).into(),
        overhead: Overhead::default(),
    }
}
