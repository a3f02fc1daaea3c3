//! The verdict on a simulated run: no machine can disturb virtual time.

use netloom_monitor::{Coverage, Judgement, Overhead, SignalKind, Verdict};
use netloom_units::{Duration, Time};

/// Why a simulated run is valid, as it stands in the coverage of each signal.
const WHY: &str = "virtual time: the machine cannot show";

/// The verdict on a run that ended at `to`, whose figures count from `warm_up` on.
pub fn verdict(warm_up: Duration, to: Time) -> Verdict {
    let coverage = |signal| Coverage {
        signal,
        observed: true,
        probes: vec![WHY.into()],
        blind_spots: Vec::new(),
        threshold: None,
    };
    Verdict {
        judgement: Judgement::Valid,
        findings: Vec::new(),
        from: Time::ZERO,
        settled: Time::ZERO + warm_up,
        to,
        signals: Vec::new(),
        coverage: SignalKind::ALL.map(coverage).into(),
        overhead: Overhead::default(),
    }
}
