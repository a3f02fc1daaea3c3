//! Checks whether a machine is still the one that was measured, by everything that changes how much
//! it bears.

use std::fmt::{Debug, Display};

use netloom_api::machine::Machine;

/// Largest relative difference of a frequency or of an amount of memory that does not count as
/// real: frequencies are measured at boot, and the kernel takes a little memory for itself.
const TOLERANCE: f64 = 0.02;

/// Differences between `now` and `then` that affect how much the machine bears, a sentence each.
pub fn differences(then: &Machine, now: &Machine) -> Vec<String> {
    let MachineParts { exact, near } = parts(then, now);
    let changed = exact.into_iter().filter(|(_, then, now)| then != now);
    let shifted = near.into_iter().filter(|(_, then, now)| !is_near(*then, *now));
    let changed = changed.map(|(what, then, now)| sentence(what, &then, &now));
    let shifted = shifted.map(|(what, then, now)| sentence(what, &rounded(then), &rounded(now)));
    changed.chain(shifted).collect()
}

struct MachineParts {
    exact: Vec<(&'static str, String, String)>,
    near: Vec<(&'static str, Option<f64>, Option<f64>)>,
}

fn parts(then: &Machine, now: &Machine) -> MachineParts {
    let text = |text: &Option<String>| text.clone().unwrap_or_else(|| UNKNOWN.into());
    let exact = vec![
        ("NetLoom", then.netloom.clone(), now.netloom.clone()),
        ("the kernel", then.kernel.clone(), now.kernel.clone()),
        ("the architecture", then.architecture.clone(), now.architecture.clone()),
        ("the processor", text(&then.processor), text(&now.processor)),
        ("the number of processors", then.processors.to_string(), now.processors.to_string()),
        ("the clock source", text(&then.clock_source), text(&now.clock_source)),
        ("the frequency governor", text(&then.frequency_governor), text(&now.frequency_governor)),
    ];
    let frequency = |machine: &Machine| machine.frequency_mhz.map(f64::from);
    let memory = |machine: &Machine| machine.memory_bytes.map(|bytes| bytes as f64 / MIB);
    let near = vec![
        ("the processor's frequency in MHz", frequency(then), frequency(now)),
        ("the memory in MiB", memory(then), memory(now)),
    ];
    MachineParts { exact, near }
}

const UNKNOWN: &str = "unknown";
const MIB: f64 = 1_048_576.0;

fn is_near(then: Option<f64>, now: Option<f64>) -> bool {
    match (then, now) {
        (Some(then), Some(now)) => (then - now).abs() <= TOLERANCE * then.max(now),
        (then, now) => then == now,
    }
}

fn rounded(value: Option<f64>) -> String {
    value.map_or_else(|| UNKNOWN.into(), |value| format!("{value:.0}"))
}

fn sentence(what: &str, then: &(impl Display + Debug), now: &impl Display) -> String {
    format!("{what} was {then} and is {now}")
}
