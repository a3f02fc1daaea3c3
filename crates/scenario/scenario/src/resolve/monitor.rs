//! Criteria of the monitor.

use netloom_document::Diagnostic;
use netloom_monitor::{Criteria, Purpose};
use netloom_units::Duration;

use super::links::LinkDraft;
use super::report::Report;
use crate::raw::RawScenario;
use crate::spec::{Monitor, Traffic, Transport};

/// Returns what a run is for that does not say so.
pub(super) fn purpose(expects: bool, traffic: &[Traffic]) -> Purpose {
    let is_tcp = |entry: &Traffic| matches!(entry.transport, Transport::Tcp { .. });
    match traffic {
        [] if expects => Purpose::Functional,
        [] => Purpose::Delay,
        some if some.iter().all(is_tcp) => Purpose::Throughput,
        _ => Purpose::Delay,
    }
}

/// Resolves the criteria. `by_default` is what the run is for if it does not say so.
pub(super) fn resolve(
    scenario: &RawScenario,
    links: &[LinkDraft<'_>],
    by_default: Purpose,
    report: &mut Report<'_>,
) -> Monitor {
    let raw = &scenario.monitor;
    let mut criteria = Criteria::default();
    if let Some(given) = &raw.criteria {
        criteria = given.value.clone();
        for problem in criteria.problems() {
            report.error(Diagnostic::error(given.span, problem));
        }
    }
    let enabled = raw.enabled.unwrap_or(true);
    let others = [
        ("on_contention", raw.on_contention.as_ref().map(|given| given.span)),
        ("warm_up", raw.warm_up.as_ref().map(|given| given.span)),
        ("criteria", raw.criteria.as_ref().map(|given| given.span)),
        ("trust", scenario.trust.as_ref().map(|given| given.span)),
    ];
    for (key, span) in others.into_iter().filter(|_| !enabled) {
        if let Some(span) = span {
            let message =
                format!("`{key}` has no effect, for `enabled: false` says that nothing is watched");
            let help = "leave out one of the two";
            report.error(Diagnostic::error(span, message).with_help(help));
        }
    }
    let delays =
        links.iter().flat_map(|link| [link.forward.delay.nominal(), link.reverse.delay.nominal()]);
    let smallest = delays.filter(|delay| *delay > Duration::ZERO).min();
    let given = scenario.trust.as_ref().map(|given| given.value.clone());
    let trust = given.unwrap_or_default().resolved(by_default, &criteria, smallest);
    Monitor {
        enabled,
        on_contention: raw.on_contention.as_ref().map(|given| given.value).unwrap_or_default(),
        warm_up: raw.warm_up.as_ref().map_or(Duration::ZERO, |given| given.value.0),
        criteria: criteria.resolved(&trust),
        trust,
    }
}
