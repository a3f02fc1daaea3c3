//! Values and parties of signals, as people read them.

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
        SignalKind::Lateness
        | SignalKind::Cpu
        | SignalKind::Disk
        | SignalKind::Timeline
        | SignalKind::Clock
        | SignalKind::Tunnel
        | SignalKind::ChangeLate => three_digits(value / 1e6, "ms"),
        SignalKind::UnmodelledDrop => three_digits(value, "frames"),
        SignalKind::Buffers => three_digits(value, "packets"),
        SignalKind::NetInternal | SignalKind::NetExternal => three_digits(value / 1e6, "Mbit/s"),
        SignalKind::MemoryIn | SignalKind::MemoryOut => three_digits(value, "pages/s"),
        SignalKind::RunQueue
        | SignalKind::Steal
        | SignalKind::Pressure
        | SignalKind::Divergence => three_digits(value * 100.0, "%"),
        SignalKind::Simulation => three_digits(value, "periods"),
        SignalKind::MachineLost => three_digits(value, "machines"),
        SignalKind::Application => three_digits(value, ""),
    }
}

pub(crate) fn subject(signal: SignalKind, on: &Resource) -> String {
    format!("{} on {on}", signal.name().replace('_', " "))
}

/// The machine of something, as the end of a name; empty if there is only one machine.
pub(crate) fn of_machine(machine: Option<&str>) -> String {
    machine.map_or_else(String::new, |machine| format!(" of machine {machine}"))
}

/// The heaviest parties, as the end of a sentence.
pub(crate) fn heaviest(shares: &[Share]) -> String {
    let parts = shares.iter().take(3).map(|s| format!("{} {:.0} %", s.who, s.share * 100.0));
    let parts: Vec<String> = parts.collect();
    if parts.is_empty() { String::new() } else { format!("; {}", parts.join(", ")) }
}
