//! The congestion controls that a scenario names, and whether the kernels of its nodes have them.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;

use netloom_scenario::{Kernel, Node, Scenario, Transport};
use netloom_traffic::Model;
use nix::errno::Errno;
use nix::sys::socket::sockopt::TcpCongestion;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, setsockopt, socket};

/// The kernel's list of those that are loaded.
const LOADED: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";
/// Parameter of nodes with the control of their connections.
const SYSCTL: &str = "net.ipv4.tcp_congestion_control";
/// Controls that kernels of nodes' own have, built in or as modules.
const OF_OWN_KERNELS: &str = "bbr bic cdg cubic dctcp highspeed htcp hybla illinois lp nv reno \
                              scalable vegas veno westwood yeah";

/// A congestion control that a kernel lacks.
#[derive(Debug, PartialEq, Eq)]
pub struct Missing {
    /// Its name.
    pub control: String,
    /// Who asks for it, in words.
    pub by: String,
    /// What is wrong, and what to do.
    pub why: String,
}

/// Returns the congestion controls that nodes are to use and lack, those of traffic if it is to
/// run.
pub fn missing(scenario: &Scenario, runs: bool) -> Vec<Missing> {
    missing_of(scenario, runs, &mut has)
}

fn missing_of(
    scenario: &Scenario,
    runs: bool,
    machine_has: &mut dyn FnMut(&str) -> bool,
) -> Vec<Missing> {
    let mut known = BTreeMap::new();
    let mut missing = Vec::new();
    for (control, by, node) in wanted(scenario, runs) {
        let own = node.kernel == Kernel::Own;
        let has = *known.entry((control, own)).or_insert_with(|| match own {
            true => OF_OWN_KERNELS.split_whitespace().any(|name| name == control),
            false => machine_has(control),
        });
        if has {
            continue;
        }
        let why = match own {
            true => format!("its own kernel has {OF_OWN_KERNELS}"),
            false => format!(
                "the machine's kernel lacks it: load it (`modprobe tcp_{control}`), or give \
                 `{}` a kernel of its own (`kernel: own`)",
                node.name
            ),
        };
        let found = Missing { control: control.into(), by, why };
        if !missing.contains(&found) {
            missing.push(found);
        }
    }
    missing
}

/// Returns the controls that real nodes set, each with who asks for it and a node that sets it.
fn wanted(scenario: &Scenario, runs: bool) -> Vec<(&str, String, &Node)> {
    let mut all = Vec::new();
    for node in scenario.nodes.iter().filter(|node| node.kind.has_stack() && !node.simulated) {
        if let Some(control) = node.sysctls.get(SYSCTL) {
            all.push((control.as_str(), format!("`{SYSCTL}` of `{}`", node.name), node));
        }
    }
    for entry in scenario.traffic.iter().filter(|_| runs) {
        let Transport::Tcp { congestion_control: Some(control), .. } = &entry.transport else {
            continue;
        };
        // Receivers set it too. All but these do without.
        let both = matches!(entry.model, Model::Http(_)) || control == "dctcp";
        let ends = entry.from.iter().chain(both.then_some(&entry.to).into_iter().flatten());
        let names: BTreeSet<&String> = ends.collect();
        let nodes = names.into_iter().filter_map(|name| scenario.node(name));
        for node in nodes.filter(|node| !node.simulated) {
            all.push((control.as_str(), format!("traffic `{}`", entry.name), node));
        }
    }
    all
}

/// Whether the machine's kernel has a control, loaded or as a module that it can load.
fn has(control: &str) -> bool {
    let loaded = fs::read_to_string(LOADED).unwrap_or_default();
    if loaded.split_whitespace().any(|name| name == control) {
        return true;
    }
    let stream = socket(AddressFamily::Inet, SockType::Stream, SockFlag::SOCK_CLOEXEC, None);
    let Ok(stream) = stream else { return true };
    match setsockopt(&stream, TcpCongestion, &OsString::from(control)) {
        // It is there, and root of a node may use it.
        Ok(()) | Err(Errno::EPERM) => true,
        Err(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scenario(text: &str) -> Scenario {
        netloom_scenario::load(text).unwrap().scenario
    }

    #[test]
    fn kernels_are_asked_for_what_their_nodes_take() {
        let scenario = scenario(
            "name: x\nduration: 9s\ntopology:\n  nodes:\n    a:\n    b:\n    \
               own: { kernel: own }\n    \
               set: { sysctls: { net.ipv4.tcp_congestion_control: vegas } }\n  links:\n    \
               - { endpoints: [a, b] }\n    - { endpoints: [own, b] }\n    \
               - { endpoints: [set, b] }\n\
             traffic:\n  \
               - { name: both, from: own, to: b, tcp: { congestion_control: dctcp }, bulk: {} }\n  \
               - { name: one, from: own, to: b, tcp: { congestion_control: htcp }, bulk: {} }\n  \
               - { name: here, from: a, to: b, tcp: { congestion_control: cubic }, bulk: {} }\n  \
               - { name: no, from: own, to: b, tcp: { congestion_control: bbr3 }, bulk: {} }\n",
        );
        let found = missing_of(&scenario, true, &mut |control| control == "cubic");
        let found: Vec<_> = found.iter().map(|one| (&*one.control, &*one.by)).collect();
        assert_eq!(
            found,
            [
                ("vegas", "`net.ipv4.tcp_congestion_control` of `set`"),
                ("dctcp", "traffic `both`"),
                ("bbr3", "traffic `no`"),
            ]
        );
    }
}
