//! Sentences for findings and signals, with units that people read.

use super::SignalReport;
use crate::signal::{Resource, Share, SignalKind};

/// Formats a value of a signal with its unit, for people.
pub fn quantity(signal: SignalKind, value: f64) -> String {
    let three_digits = |value: f64, unit: &str| {
        let decimals = if value.abs() >= 100.0 { 0 } else { 3 };
        let text = format!("{value:.decimals$}");
        let text =
            if decimals > 0 { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        format!("{text} {unit}").trim_end().to_string()
    };
    match signal {
        SignalKind::Lateness | SignalKind::Cpu | SignalKind::Disk | SignalKind::Timeline => {
            three_digits(value / 1e6, "ms")
        }
        SignalKind::UnmodelledDrop => three_digits(value, "frames"),
        SignalKind::Buffers => three_digits(value, "packets"),
        SignalKind::NetInternal | SignalKind::NetExternal => three_digits(value / 1e6, "Mbit/s"),
        SignalKind::MemoryIn | SignalKind::MemoryOut => three_digits(value, "pages/s"),
        SignalKind::RunQueue
        | SignalKind::Steal
        | SignalKind::Pressure
        | SignalKind::Divergence => three_digits(value * 100.0, "%"),
        SignalKind::Simulation => three_digits(value, "periods"),
        SignalKind::Application => three_digits(value, ""),
    }
}

/// Describes a contention: signal and resource, value, times, and parties.
pub(crate) fn contended(report: &SignalReport) -> String {
    let signal = report.signal;
    let episodes = report.counted().count();
    let first = report.counted().next().map_or(0.0, |episode| episode.from.as_secs_f64());
    let peaks = report.counted().map(|episode| episode.peak);
    let peak = match signal {
        // The sum of all, because looks are so far apart that each may be an episode of its own.
        SignalKind::Buffers => peaks.sum(),
        _ => peaks.fold(f64::MIN, f64::max),
    };
    let limit = report
        .threshold
        .map_or_else(String::new, |threshold| format!(" (limit {})", quantity(signal, threshold)));
    let times = match episodes {
        1 => format!("at {first:.3} s"),
        n => format!("{n} times, first at {first:.3} s"),
    };
    let held = match report.on {
        Resource::Losses { .. }
        | Resource::Buffer { .. }
        | Resource::Events
        | Resource::MissedEvents
        | Resource::Periods
        | Resource::LostPeriods
        | Resource::FlowDelay
        | Resource::FlowThroughput => String::new(),
        _ => format!(", for {:.3} s in all", report.held.as_secs_f64()),
    };
    let what = subject(signal, &report.on);
    format!("{what}: {}{limit}, {times}{held}{}", quantity(signal, peak), heaviest(&report.shares))
}

pub(crate) fn subject(signal: SignalKind, on: &Resource) -> String {
    format!("{} on {on}", signal.name().replace('_', " "))
}

/// The heaviest parties, as the end of a sentence.
pub(crate) fn heaviest(shares: &[Share]) -> String {
    let parts = shares.iter().take(3).map(|s| format!("{} {:.0} %", s.who, s.share * 100.0));
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() { String::new() } else { format!("; {}", parts.join(", ")) }
}
