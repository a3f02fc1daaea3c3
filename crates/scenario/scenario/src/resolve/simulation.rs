//! Options of runs in virtual time.

use netloom_document::Diagnostic;
use netloom_units::Duration;

use super::report::Report;
use crate::raw::{RawCount, RawNumber, RawReroute, RawScenario};
use crate::spec::{SimulationOptions, Threads};

/// Tick rates that kernels can be built with, in Hz.
const HZ: std::ops::RangeInclusive<u32> = 100..=1000;

pub(super) fn resolve(scenario: &RawScenario, report: &mut Report<'_>) -> SimulationOptions {
    let raw = &scenario.simulation;
    if let Some(hz) = raw.tcp.hz.as_ref().filter(|hz| !HZ.contains(&hz.value)) {
        let message = format!("no kernel has {} ticks a second", hz.value);
        let help = format!("`hz` is from {} to {}", HZ.start(), HZ.end());
        report.error(Diagnostic::error(hz.span, message).with_help(help));
    }
    SimulationOptions {
        processes: raw.processes.map(|RawCount(number)| number),
        threads: match raw.threads {
            None => Threads::default(),
            Some(RawNumber::Auto) => Threads::Auto,
            Some(RawNumber::Of(number)) => Threads::Of(number),
        },
        cells: match raw.cells {
            None | Some(RawNumber::Auto) => None,
            Some(RawNumber::Of(number)) => Some(number),
        },
        tcp_hz: raw.tcp.hz.as_ref().map(|hz| hz.value),
        reroute: reroute(scenario, report),
    }
}

/// Returns the time after which routes follow a change. Events that change single routes are then
/// errors.
fn reroute(raw: &RawScenario, report: &mut Report<'_>) -> Option<Duration> {
    let Some(RawReroute::After(after)) = raw.simulation.reroute else { return None };
    for event in raw.timeline.iter().filter(|event| event.route.is_some()) {
        let span = report.key(event.id, &["route"]).unwrap_or(event.span);
        let message = "a route cannot change by itself where all routes follow what is down";
        let help = "leave out this event, or `reroute` of `simulation`";
        report.error(Diagnostic::error(span, message).with_help(help));
    }
    Some(after)
}
