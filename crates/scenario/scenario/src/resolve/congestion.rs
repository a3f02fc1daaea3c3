//! Names of congestion controls: those of traffic over TCP, and those among kernel parameters.
//!
//! Not here: whether the machine's kernel has the module (the engine finds out).

use netloom_document::{Diagnostic, Entries, Span};
use netloom_tcp::Algorithm;

use super::nodes::NodeDraft;
use super::report::Report;
use crate::dialect::similar;
use crate::files::Files;
use crate::raw::{RawScenario, ScalarText};

/// Kernel parameter that names the congestion control of a node's connections.
pub(super) const SYSCTL: &str = "net.ipv4.tcp_congestion_control";

/// Congestion control of simulated nodes without one of their own.
const SIMULATED: Algorithm = Algorithm::Cubic;

/// Reports names that belong neither to a congestion control of Linux or of the simulation, nor to
/// one that a module has added to the machine's kernel.
pub(super) fn check(
    raw: &RawScenario,
    nodes: &[NodeDraft<'_>],
    files: &mut Files<'_>,
    report: &mut Report<'_>,
) {
    check_default(raw, nodes, files, report);
    let topology = &raw.topology;
    let kinds = &topology.kinds;
    let mut named = Vec::new();
    let layers = [&topology.defaults.node.rest, &kinds.host, &kinds.router];
    let groups = topology.groups.iter().map(|(_, group)| &group.rest);
    let nodes = topology.nodes.iter().map(|(_, node)| &node.rest);
    for layer in layers.into_iter().chain(groups).chain(nodes) {
        named.extend(in_sysctls(&layer.sysctls));
    }
    for entry in &raw.traffic {
        let tcp = entry.value.head.tcp.as_ref();
        let control = tcp.and_then(|tcp| tcp.value.congestion_control.as_ref());
        named.extend(control.map(|control| (control.value.as_str(), control.span)));
    }
    named.extend(topology.tcp.as_ref().map(|tcp| (tcp.value.as_str(), tcp.span)));
    for (name, span) in named {
        if !is_linux(name) && !files.congestion_controls().iter().any(|known| known == name) {
            report.error(unknown(name, span, files.congestion_controls()));
        }
    }
}

/// Reports that the machine decides which congestion control connections have, if that is not the
/// one of simulated runs.
fn check_default(
    raw: &RawScenario,
    nodes: &[NodeDraft<'_>],
    files: &mut Files<'_>,
    report: &mut Report<'_>,
) {
    let by_default = |node: &&NodeDraft<'_>| {
        node.kind.has_stack()
            && !node.is_simulated()
            && node.kernel().is_shared()
            && !node.props.sysctls.contains_key(SYSCTL)
    };
    let Some(node) = nodes.iter().find(by_default) else { return };
    let of_traffic = raw.traffic.iter().find_map(|entry| {
        let tcp = entry.value.head.tcp.as_ref()?;
        tcp.value.congestion_control.is_none().then_some(tcp.span)
    });
    // Programs of nodes run in no simulation.
    let Some(span) = of_traffic else { return };
    let Some(machine) = files.congestion_control() else { return };
    if machine == SIMULATED.name() {
        return;
    }
    let message = format!(
        "the machine decides that TCP of `{}` is `{machine}`; simulated, it is `{}`",
        node.name.value,
        SIMULATED.name()
    );
    let help = format!(
        "write `tcp: {}` or `tcp: {machine}` under `topology`, for the same everywhere",
        SIMULATED.name()
    );
    report.error(Diagnostic::warning(span, message).with_help(help));
}

fn in_sysctls(sysctls: &Entries<ScalarText>) -> Option<(&str, Span)> {
    let mut all = sysctls.iter();
    let (key, value) = all.find(|(key, _)| key.value == SYSCTL)?;
    Some((value.0.trim(), key.span))
}

fn is_linux(name: &str) -> bool {
    Algorithm::ALL.iter().any(|known| known.name() == name)
}

fn unknown(name: &str, span: Span, machine: &[String]) -> Diagnostic {
    let linux = Algorithm::ALL.iter().map(|known| known.name());
    let others = machine.iter().map(String::as_str).filter(|name| !is_linux(name));
    let all: Vec<&str> = linux.chain(others).collect();
    let meant = similar(name, all.iter().copied());
    let meant = meant.map(|meant| format!("did you mean `{meant}`? ")).unwrap_or_default();
    let help = format!(
        "{meant}there are {}; one of a kernel module counts once the module is loaded",
        all.join(", ")
    );
    Diagnostic::error(span, format!("there is no congestion control `{name}`")).with_help(help)
}
