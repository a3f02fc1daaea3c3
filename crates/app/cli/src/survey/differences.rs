//! What machines do not have in common. Each is a variable of the experiment.

use std::collections::BTreeMap;

use netloom_units::readable::first_of;

use super::Report;
use crate::finding::{Check, State};

/// Parameters of the kernel whose differences follow from the memory or are random.
const OWN: [&str; 5] = ["tcp_mem", "udp_mem", "secret", "fastopen_key", "nf_conntrack"];
/// Most parameters that are named.
const MOST: usize = 8;

/// Returns a note for each thing in which machines differ. `reports` are by name.
pub fn differences(reports: &[(&str, &Report)]) -> Vec<Check> {
    let mut found = Vec::new();
    let mut compare = |what: &str, of: &dyn Fn(&Report) -> Option<String>, is: &str| {
        let values = reports.iter().map(|(name, report)| (*name, of(report)));
        found.extend(difference(what, values, is));
    };
    compare("architecture", &|of| Some(of.machine.architecture.clone()), "");
    compare("kernel", &|of| Some(of.machine.kernel.clone()), "");
    let control = |of: &Report| of.machine.tcp_congestion_control.clone();
    compare("congestion control", &control, "; `sysctl -w net.ipv4.tcp_congestion_control=…`");
    let programs = all(reports, |report| &report.programs);
    for program in programs {
        let of = |report: &Report| {
            let digest = report.programs.get(program).cloned().flatten();
            Some(digest.map_or_else(|| "missing".into(), |digest| digest[..12].to_owned()))
        };
        let is = " (SHA-256); install the same build on all";
        compare(&format!("program {program}"), &of, is);
    }
    let differs = |name: &&String| {
        let mut values = reports.iter().map(|(_, report)| report.parameters.get(*name));
        let first = values.next();
        let is_own = OWN.iter().any(|part| name.contains(part));
        !is_own && values.any(|value| Some(value) != first)
    };
    // A machine without namespaces has none.
    let has_some = reports.iter().all(|(_, report)| !report.parameters.is_empty());
    let parameters = all(reports, |report| &report.parameters);
    let differing: Vec<&String> = parameters.into_iter().filter(differs).collect();
    for name in differing.iter().take(if has_some { MOST } else { 0 }) {
        compare(name, &|of| of.parameters.get(*name).cloned(), "");
    }
    if differing.len() > MOST && has_some {
        let names: Vec<String> = differing[MOST..].iter().map(|name| (*name).clone()).collect();
        found.push(Check::new("more parameters", State::Note, first_of(&names)));
    }
    found
}

/// Returns the keys that any of the machines has, each once, in order.
fn all<'r, T>(
    reports: &[(&str, &'r Report)],
    of: impl Fn(&'r Report) -> &'r BTreeMap<String, T>,
) -> Vec<&'r String>
where
    T: 'r,
{
    let mut keys: Vec<&String> = reports.iter().flat_map(|(_, report)| of(report).keys()).collect();
    keys.sort_unstable();
    keys.dedup();
    keys
}

fn difference<'n>(
    what: &str,
    values: impl Iterator<Item = (&'n str, Option<String>)>,
    is: &str,
) -> Option<Check> {
    let mut by_value: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (name, value) in values {
        let value = value.unwrap_or_else(|| "absent".into());
        by_value.entry(value).or_default().push(name.to_owned());
    }
    let of = |(value, names): (&String, &Vec<String>)| format!("{value} on {}", first_of(names));
    let all: Vec<String> = by_value.iter().map(of).collect();
    (all.len() > 1).then(|| Check::new(what, State::Note, format!("{}{is}", all.join("; "))))
}
