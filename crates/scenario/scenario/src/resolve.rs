//! From what the user typed to what NetLoom runs on: defaults filled in, references checked. Every
//! fault is reported with its place, and as many as there are in one go; what only follows from a
//! fault that was reported already is not.
//!
//! Not here: addresses and routes that nobody gave (`plan` decides those).

mod addresses;
mod bad_file;
mod congestion;
mod constellations;
mod direct;
mod drawing;
mod expect;
mod interfaces;
mod limits;
mod links;
mod measure;
mod media;
mod monitor;
mod names;
mod neighbours;
mod nodes;
mod outside;
mod own_kernel;
mod pipes;
mod placement;
mod processes;
mod properties;
mod ranges;
mod references;
mod report;
mod routes;
mod segments;
mod services;
mod simulated;
mod simulation;
mod small;
mod software;
mod stations;
mod symbiosis;
mod timeline;
mod traffic;
mod trees;
mod vlans;
mod waiting;

pub use names::{check_experiment_name, check_machine_name};
pub(crate) use properties::resolve as resolve_properties;
pub(crate) use ranges::names_of;

use std::collections::HashSet;

use netloom_document::{Diagnostic, NodeId, Span, Tree};
use netloom_units::Duration;

use crate::files::Files;
use crate::raw::RawScenario;
use crate::spec::{Places, Scenario, Workers};
use references::References;
use report::Report;

/// Resolves `raw`, which was decoded from `tree` without the nodes in `pruned`, and whose files are
/// among `files`. The scenario is complete only if no finding is an error.
pub(crate) fn resolve(
    raw: &mut RawScenario,
    tree: &Tree,
    pruned: &HashSet<NodeId>,
    files: &mut Files<'_>,
) -> (Scenario, Vec<Diagnostic>) {
    let mut report = Report::new(tree, pruned).with_levels(raw.lint.clone());
    properties::complete(raw, files, &mut report);
    ranges::expand(&mut raw.topology, &mut report);
    let expanded = constellations::complete(raw, files, &mut report);
    media::complete(&mut raw.topology, &mut report);
    outside::complete(&mut raw.topology);
    let raw = &*raw;
    let name = name(raw, &mut report);
    duration(raw, &mut report);
    let mut nodes = nodes::drafts(&raw.topology, &mut report);
    let templates = software::resolve(&mut nodes, files, &mut report);
    let links = links::drafts(&raw.topology, &mut nodes, &mut report);
    interfaces::resolve(&raw.topology, &mut nodes, &links, &mut report);
    services::at_interfaces(&mut nodes, &templates, &mut report);
    media::resolve(raw, &mut nodes, &links, files, &mut report);
    outside::check(&nodes, &links, &mut report);
    outside::set_addresses(&mut nodes, &links, &mut report);
    vlans::check(&nodes, &links, &mut report);
    let segments = segments::find(&nodes, &links, &mut report);
    addresses::check(&nodes, &segments, &mut report);
    neighbours::check(&nodes, &segments, &templates, &mut report);
    routes::check(&mut nodes, &mut report);
    let group_limits = limits::of_groups(&raw.topology, &nodes, &mut report);
    limits::check_published(&nodes, &mut report);
    let references = References::new(raw, &nodes, &links);
    direct::check(raw, &nodes, &links, &references, &mut report);
    pipes::check(raw, &links, &references, &mut report);
    small::check(raw, &nodes, &links, &references, &mut report);
    waiting::check(raw, &nodes, &links, &references, &mut report);
    placement::check(&nodes, &links, &mut report);
    let processes = processes::resolve(raw, &references, &mut report);
    simulated::check(raw, &nodes, &links, &processes, &mut report);
    own_kernel::check(raw, &nodes, &links, &mut report);
    let traffic = traffic::resolve(raw, &references, files, &mut report);
    congestion::check(raw, &nodes, files, &mut report);
    symbiosis::check(raw, &nodes, &links, &processes, &traffic, &mut report);
    let drawing = drawing::resolve(raw, &references, files, &mut report);
    let expect = expect::resolve(raw, &processes, &mut report);
    let mut timeline = timeline::resolve(raw, &references, &mut report);
    timeline.extend(expanded.timeline);
    let measure = measure::resolve(&raw.measure, &links, &references, &mut report);
    let purpose = monitor::purpose(!expect.is_empty(), &traffic);
    let monitor = monitor::resolve(raw, &links, purpose, &mut report);
    let scenario = Scenario {
        name,
        seed: raw.seed,
        dilation: raw.time.dilation,
        nodes: nodes.iter().map(nodes::NodeDraft::finish).collect(),
        total_limits: limits::total(&raw.topology),
        neighbours: raw.topology.neighbours,
        group_limits,
        origin: raw.topology.origin,
        constellations: expanded.constellations,
        links: links.iter().filter_map(links::LinkDraft::finish).collect(),
        timeline,
        processes,
        traffic,
        expect,
        measure,
        monitor,
        workers: Workers { dedicated_cpus: raw.workers.dedicated_cpus },
        placement: placement::options(raw, &mut report),
        drawing,
        simulation: simulation::resolve(raw, &mut report),
        symbiosis: symbiosis::resolve(raw, &mut report),
        templates,
        duration: raw.duration.as_ref().map(|duration| duration.value.0),
        places: Places::default(),
    };
    trees::check(&nodes, &scenario, &mut report);
    effort(raw, &scenario, &mut report);
    (scenario, report.finish())
}

/// Steps of a simulation that take something like a day.
const MANY_STEPS: f64 = 1e11;

/// Warns of a run that would take a simulator for ever.
fn effort(raw: &RawScenario, scenario: &Scenario, report: &mut Report<'_>) {
    let steps = scenario.simulated_steps();
    if steps < MANY_STEPS {
        return;
    }
    let span = raw.duration.as_ref().map(|duration| duration.span);
    let span = span.or_else(|| report.key_in_file(&["traffic"])).unwrap_or(Span::START);
    // A microsecond for each.
    let days = steps / 1e6 / 86_400.0;
    let time = if days < 730.0 {
        format!("{days:.0} days")
    } else if days < 3.65e8 {
        format!("{:.0} years", days / 365.25)
    } else {
        format!("{:.0e} years", days / 365.25)
    };
    let message = format!(
        "this run is about {steps:.0e} frames and samples long: simulated at a million a second, \
         it would take {time}"
    );
    let help = "take a shorter `duration`, less traffic or a longer `measure.interval`";
    report.error(Diagnostic::warning(span, message).with_help(help));
}

fn name(raw: &RawScenario, report: &mut Report<'_>) -> String {
    let Some(name) = &raw.name else {
        report.missing(
            report.root(),
            Span::START,
            "name",
            "name the experiment, like `name: hello`",
        );
        return String::new();
    };
    names::check(names::EXPERIMENT, &name.value, name.span, report);
    name.value.clone()
}

fn duration(raw: &RawScenario, report: &mut Report<'_>) {
    if let Some(duration) = raw.duration.as_ref().filter(|length| length.value.0 == Duration::ZERO)
    {
        report.error(
            Diagnostic::error(duration.span, "a run of no duration does nothing")
                .with_help("leave `duration` out to run until every process has ended"),
        );
    }
}
