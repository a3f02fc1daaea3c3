//! Whether a scenario has what a metric asks for.

use netloom_scenario::{Diagnostic, Scenario, Traffic, Transport, similar};
use netloom_sweep::{Measure, Metric, Mode, Of, Sweep};

/// Returns a finding for each metric that no run of the scenario can have.
pub fn missing(sweep: &Sweep, scenario: &Scenario) -> Vec<Diagnostic> {
    let wrong = sweep.metrics.iter().filter_map(|metric| of(metric, sweep.mode, scenario).err());
    wrong.collect()
}

fn of(metric: &Metric, mode: Mode, scenario: &Scenario) -> Result<(), Diagnostic> {
    let refuse = |message: String, help: String| {
        Err(Diagnostic::error(metric.at, format!("`{}`: {message}", metric.name)).with_help(help))
    };
    match &metric.of {
        Of::Flow { flow, measure } => {
            let names: Vec<&str> = scenario.traffic.iter().map(|one| one.name.as_str()).collect();
            let named = flow.as_deref().or_else(|| (names.len() == 1).then(|| names[0]));
            let Some(name) = named else {
                let help = "name one, as in `{flow: NAME, measure: goodput}` or `goodput@NAME`";
                return refuse(format!("the scenario has {} flows", names.len()), help.into());
            };
            // Of several flows of an entry, each has a number.
            let entry = name.rsplit_once('.').map(|(entry, _)| entry);
            let is_it = |one: &&Traffic| one.name == name || Some(one.name.as_str()) == entry;
            match scenario.traffic.iter().find(is_it) {
                None => refuse(format!("there is no flow `{name}`"), nearest(name, names)),
                Some(one) if is_missing(&one.transport, *measure) => {
                    let (measure, name) = (measure.name(), &one.name);
                    let message = format!("`{name}` is TCP, which has no `{measure}`");
                    refuse(message, "take its `goodput`, or that measure of a pipe".into())
                }
                Some(_) => Ok(()),
            }
        }
        Of::Pipe { pipe, .. } => {
            let link = pipe.rsplit_once('/').map_or(pipe.as_str(), |(link, _)| link);
            let names = scenario.links.iter().map(|link| link.name.as_str());
            match scenario.link(link) {
                Some(_) => Ok(()),
                None => refuse(format!("there is no link `{link}`"), nearest(link, names)),
            }
        }
        Of::Json { .. } | Of::Reported(_) if mode == Mode::Simulate => {
            let help = "emulate, or take a measure of `traffic` or of a pipe";
            refuse("a simulated run has no processes".into(), help.into())
        }
        Of::Json { process, .. } => {
            let names = scenario.processes.iter().map(|process| process.name.as_str());
            match scenario.processes.iter().find(|one| one.name == *process) {
                None => refuse(format!("there is no process `{process}`"), nearest(process, names)),
                Some(one) if one.nodes.len() > 1 => {
                    let message = format!("`{process}` runs in {} nodes", one.nodes.len());
                    refuse(message, "give each its own process".into())
                }
                Some(_) => Ok(()),
            }
        }
        Of::Reported(_) | Of::Summary(_) => Ok(()),
    }
}

/// Whether a flow has no such measure: TCP repeats losses, and nobody times its segments.
fn is_missing(transport: &Transport, measure: Measure) -> bool {
    let is_tcp = matches!(transport, Transport::Tcp { .. });
    is_tcp && matches!(measure, Measure::Loss | Measure::Jitter) || measure == Measure::Load
}

fn nearest<'n>(name: &str, names: impl IntoIterator<Item = &'n str>) -> String {
    let names: Vec<&str> = names.into_iter().collect();
    match similar(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if names.is_empty() => "the scenario has none".into(),
        None => format!("there are `{}`", names.join("`, `")),
    }
}
