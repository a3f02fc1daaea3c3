//! Contention during the times in which frames or programs suffered.

use crate::bound::Span;
use crate::report::SignalReport;
use crate::signal::SignalKind;
use crate::words::{heaviest, of_machine, subject};

/// Signals that explain why something suffered.
const CAUSES: [SignalKind; 9] = [
    SignalKind::Cpu,
    SignalKind::Steal,
    SignalKind::MemoryIn,
    SignalKind::MemoryOut,
    SignalKind::Disk,
    SignalKind::RunQueue,
    SignalKind::Pressure,
    SignalKind::NetInternal,
    SignalKind::NetExternal,
];

/// Number of causes that are named.
const NAMED: usize = 2;

/// The longest contentions of `machines` during the times `bad`, and the parties that caused them,
/// as the end of a sentence. On a single machine, signals and `machines` have no name.
pub(crate) fn meanwhile(signals: &[SignalReport], bad: &[Span], machines: &[String]) -> String {
    let in_bad_times = |report: &SignalReport| {
        let counted = report.counted().map(|episode| {
            let span = Span { from: episode.from, to: episode.to };
            if crate::bound::overlap(&[span], bad) { episode.held.as_nanos().max(1) } else { 0 }
        });
        counted.sum::<u64>()
    };
    let is_there = |report: &&SignalReport| {
        CAUSES.contains(&report.signal)
            && report.machine.as_ref().is_none_or(|machine| machines.contains(machine))
    };
    let causes = signals.iter().filter(is_there);
    let causes = causes.map(|report| (in_bad_times(report), report));
    let mut causes: Vec<_> = causes.filter(|(held, _)| *held > 0).collect();
    causes.sort_by_key(|(held, _)| std::cmp::Reverse(*held));
    let named = causes.iter().take(NAMED).map(|(_, report)| {
        let who = heaviest(&report.shares);
        let who = who.strip_prefix("; ").map_or_else(String::new, |who| format!(" ({who})"));
        let machine = of_machine(report.machine.as_deref());
        format!("{}{machine}{who}", subject(report.signal, &report.on))
    });
    let named: Vec<String> = named.collect();
    if named.is_empty() { String::new() } else { format!("; meanwhile {}", named.join(", ")) }
}
