//! How a run in virtual time is made.

use super::report::Report;
use crate::diagnostic::Diagnostic;
use crate::raw::{RawNumber, RawSimulation};
use crate::spec::{SimulationOptions, Threads};

/// What kernels are built with.
const HZ: std::ops::RangeInclusive<u32> = 100..=1000;

pub(super) fn resolve(raw: &RawSimulation, report: &mut Report<'_>) -> SimulationOptions {
    if let Some(hz) = raw.tcp.hz.as_ref().filter(|hz| !HZ.contains(&hz.value)) {
        let message = format!("no kernel has {} ticks a second", hz.value);
        let help = format!("`hz` is from {} to {}", HZ.start(), HZ.end());
        report.error(Diagnostic::error(hz.span, message).with_help(help));
    }
    SimulationOptions {
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
    }
}
