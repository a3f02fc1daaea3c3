//! Symbiotic runs: their real hosts, and what cannot be combined with them.

use netloom_document::{Diagnostic, Span};
use netloom_units::Duration;

use super::links::LinkDraft;
use super::nodes::NodeDraft;
use super::report::Report;
use crate::raw::{RawPeriod, RawReroute, RawScenario};
use crate::spec::{CalibrationMethod, Process, Symbiosis, Traffic};

/// Shortest and longest period that a scenario may choose.
const PERIODS: [Duration; 2] = [Duration::from_millis(50), Duration::from_secs(60)];

/// Default period.
const PERIOD: Duration = Duration::from_secs(1);

/// Resolves the options of a symbiotic run.
pub(super) fn resolve(raw: &RawScenario, report: &mut Report<'_>) -> Option<Symbiosis> {
    let asked = &raw.symbiosis.as_ref()?.value;
    let written = asked.period.as_ref();
    let period = match written.map(|period| period.value) {
        None => Some(PERIOD),
        Some(RawPeriod::Auto) => None,
        Some(RawPeriod::Of(period)) => Some(period),
    };
    let [least, most] = PERIODS;
    let out_of_range = period.filter(|period| !(least..=most).contains(period));
    if let Some((period, written)) = out_of_range.zip(written) {
        let message = format!("pipes cannot be calibrated every {period}");
        let help = format!("`period` is from {least} to {most}, or `auto`");
        report.error(Diagnostic::error(written.span, message).with_help(help));
    }
    if asked.calibration == CalibrationMethod::CrossTraffic {
        let contracts = asked.downscale.as_ref().filter(|downscale| downscale.value);
        without_effect("downscale: true", contracts.map(|downscale| downscale.span), report);
        without_effect("loss", asked.loss.as_ref().map(|loss| loss.span), report);
    }
    let downscale = asked.downscale.as_ref().map(|downscale| downscale.value);
    Some(Symbiosis {
        period,
        calibration: asked.calibration,
        downscale: downscale.unwrap_or(asked.calibration == CalibrationMethod::Md1),
        loss: asked.loss.as_ref().map(|loss| loss.value).unwrap_or_default(),
        twins: asked.twins,
    })
}

fn without_effect(what: &str, span: Option<Span>, report: &mut Report<'_>) {
    let Some(span) = span else { return };
    let message = format!("`{what}` cannot be with `calibration: cross_traffic`");
    let help = "leave it out: each link of the network keeps its own pipes, whose queues decide \
                what is lost";
    report.error(Diagnostic::error(span, message).with_help(help));
}

/// Reports what a symbiotic run does not support.
pub(super) fn check(
    raw: &RawScenario,
    nodes: &[NodeDraft<'_>],
    links: &[LinkDraft<'_>],
    processes: &[Process],
    traffic: &[Traffic],
    report: &mut Report<'_>,
) {
    if raw.symbiosis.is_none() {
        return;
    }
    let key = report.key_in_file(&["symbiosis"]).unwrap_or(Span::START);
    let real = nodes.iter().filter(|node| !node.is_simulated() && node.kind.has_stack()).count();
    if !nodes.iter().any(NodeDraft::is_simulated) {
        let message = "a symbiotic run needs simulated nodes, and there is none";
        let help = "give `simulated: true` to all nodes in which nothing is to run, as in \
                    `defaults: { node: { simulated: true } }`; or leave `symbiosis` out";
        report.error(Diagnostic::error(key, message).with_help(help));
    } else if real < 2 {
        let message = "a symbiotic run needs two real hosts, between which real packets go";
        let help = "give `simulated: false` to the nodes whose programs are real";
        report.error(Diagnostic::error(key, message).with_help(help));
    }
    if let Some(RawReroute::After(_)) = raw.simulation.reroute {
        let span = report.key_in_file(&["simulation", "reroute"]).unwrap_or(key);
        let message = "routes cannot follow what is down in a symbiotic run";
        let help = "leave `reroute` out: the ways between real hosts stay as planned";
        report.error(Diagnostic::error(span, message).with_help(help));
    }
    if nodes.iter().any(NodeDraft::is_simulated) {
        links.iter().for_each(|link| between_real(link, nodes, report));
    }
    let simulated =
        |name: &str| nodes.iter().any(|node| node.is_simulated() && node.name.value == name);
    for (raw, resolved) in raw.processes.iter().zip(processes) {
        if let Some(named) = named_in(resolved, &simulated) {
            let message = format!(
                "process `{}` names `{named}`, which is simulated: no real packet comes to it",
                resolved.name
            );
            let help = "leave `symbiosis` out for a hybrid run, in which real packets cross the \
                        simulation; or say what the process sends as `traffic`";
            report.error(Diagnostic::warning(raw.span, message).with_help(help));
        }
    }
    for (raw, resolved) in raw.traffic.iter().zip(traffic) {
        let all = || resolved.from.iter().chain(&resolved.to);
        let here = all().filter(|node| simulated(node)).count();
        if here > 0 && here < all().count() {
            let message = format!(
                "traffic `{}` goes between simulated and real nodes, which cannot be in a \
                 symbiotic run",
                resolved.name
            );
            let help = "send it between nodes that are all simulated, or all real";
            report.error(Diagnostic::error(raw.span, message).with_help(help));
        }
    }
}

/// Reports links between real hosts: real hosts communicate only through the simulated network.
fn between_real(link: &LinkDraft<'_>, nodes: &[NodeDraft<'_>], report: &mut Report<'_>) {
    let Some(ends) = &link.ends else { return };
    if ends.iter().any(|end| nodes[end.node].is_simulated()) {
        return;
    }
    let [a, b] = ends.each_ref().map(|end| end.node_name);
    let message = format!("link `{}` joins `{a}` and `{b}`, of which none is simulated", link.name);
    let help = "in a symbiotic run each link has a simulated end: put a simulated router between \
                them";
    report.error(Diagnostic::error(link.endpoints_span(), message).with_help(help));
}

/// Returns a simulated node whose name is a word of a process' command.
fn named_in(process: &Process, simulated: &dyn Fn(&str) -> bool) -> Option<String> {
    let of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    let argv = process.command.argv();
    let mut words = argv.iter().flat_map(|word| word.split(|c| !of_name(c)));
    words.find(|word| simulated(word)).map(Into::into)
}
