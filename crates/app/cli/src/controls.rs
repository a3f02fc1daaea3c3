//! The congestion controls that a scenario names, and whether the kernels of its nodes have them.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsString;
use std::fs;

use netloom_scenario::{Kernel, Node, Scenario, Transport};
use netloom_traffic::Model;
use netloom_units::readable::first_of;
use nix::errno::Errno;
use nix::sys::socket::sockopt::TcpCongestion;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, setsockopt, socket};

/// The kernel's list of those that are loaded.
const LOADED: &str = "/proc/sys/net/ipv4/tcp_available_congestion_control";
/// The kernel's list of those that network namespaces may have as their default. Only the machine's
/// own namespace has it.
const ALLOWED: &str = "/proc/sys/net/ipv4/tcp_allowed_congestion_control";
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
    /// Who asks for it, in words: the first ones, and how many more.
    pub by: String,
    /// What is wrong, and what to do.
    pub why: String,
}

/// Returns the congestion controls that nodes are to use and lack, those of traffic if it is to
/// run.
pub fn missing(scenario: &Scenario, runs: bool) -> Vec<Missing> {
    let allowed = fs::read_to_string(ALLOWED).ok();
    missing_of(scenario, runs, allowed.as_deref(), &mut has)
}

/// Returns the congestion controls that real nodes set.
pub fn named(scenario: &Scenario) -> BTreeSet<&str> {
    wanted(scenario, true).into_iter().map(|wanted| wanted.control).collect()
}

/// `allowed` are those that nodes may have as their default, if that is known.
fn missing_of(
    scenario: &Scenario,
    runs: bool,
    allowed: Option<&str>,
    machine_has: &mut dyn FnMut(&str) -> bool,
) -> Vec<Missing> {
    let mut known = BTreeMap::new();
    let mut missing: Vec<(Missing, (bool, bool), Vec<String>)> = Vec::new();
    for Wanted { control, by, node, as_default } in wanted(scenario, runs) {
        let own = node.kernel == Kernel::Own;
        let has = *known.entry((control, own)).or_insert_with(|| match own {
            true => in_list(OF_OWN_KERNELS, control),
            false => machine_has(control),
        });
        let refused = allowed.filter(|list| as_default && !own && !in_list(list, control));
        let why = match (own, refused) {
            (true, _) if !has => format!("its own kernel has {OF_OWN_KERNELS}"),
            (false, _) if !has => format!(
                "the machine's kernel lacks it: load it (`modprobe tcp_{control}`), or give \
                 `{}` a kernel of its own (`kernel: own`)",
                node.name
            ),
            (false, Some(list)) => format!(
                "the machine allows nodes only {} as their default: allow it (`sysctl -w \
                 net.ipv4.tcp_allowed_congestion_control=\"{} {control}\"`), give `{}` a kernel \
                 of its own (`kernel: own`), or name it where it is used (`tcp: \
                 {{congestion_control: {control}}}` of traffic)",
                list.trim(),
                list.trim(),
                node.name
            ),
            _ => continue,
        };
        let kind = (own, has);
        let same = |one: &&mut (Missing, _, _)| one.0.control == control && one.1 == kind;
        match missing.iter_mut().find(same) {
            Some((_, _, users)) if users.contains(&by) => {}
            Some((_, _, users)) => users.push(by),
            None => {
                let found = Missing { control: control.into(), by: String::new(), why };
                missing.push((found, kind, vec![by]));
            }
        }
    }
    missing.into_iter().map(|(found, _, users)| Missing { by: first_of(&users), ..found }).collect()
}

fn in_list(list: &str, control: &str) -> bool {
    list.split_whitespace().any(|name| name == control)
}

/// A congestion control that a real node sets.
struct Wanted<'s> {
    control: &'s str,
    /// Who asks for it, in words.
    by: String,
    node: &'s Node,
    /// Whether it is the node's default, and not that of some of its connections.
    as_default: bool,
}

/// Returns the controls that real nodes set.
fn wanted(scenario: &Scenario, runs: bool) -> Vec<Wanted<'_>> {
    let mut all = Vec::new();
    for node in scenario.nodes.iter().filter(|node| node.kind.has_stack() && !node.simulated) {
        if let Some(control) = node.sysctls.get(SYSCTL) {
            let by = format!("`{SYSCTL}` of `{}`", node.name);
            all.push(Wanted { control, by, node, as_default: true });
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
            let by = format!("traffic `{}`", entry.name);
            all.push(Wanted { control, by, node, as_default: false });
        }
    }
    all
}

/// Whether the machine's kernel has a control, loaded or as a module that it can load.
fn has(control: &str) -> bool {
    let loaded = fs::read_to_string(LOADED).unwrap_or_default();
    if in_list(&loaded, control) {
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
        let found = missing_of(&scenario, true, None, &mut |control| control == "cubic");
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

    /// A kernel has controls that only programs with privileges of the machine may choose for a
    /// whole namespace. Programs of a node may choose them for their connections.
    #[test]
    fn a_nodes_default_is_one_that_the_machine_allows() {
        let scenario = scenario(
            "name: x\nduration: 9s\ntopology:\n  tcp: cubic\n  nodes: { a: , b: }\n  links:\n    \
               - { endpoints: [a, b] }\n\
             traffic:\n  \
               - { name: here, from: a, to: b, tcp: { congestion_control: vegas }, bulk: {} }\n",
        );
        let missing = |allowed: &str| missing_of(&scenario, true, Some(allowed), &mut |_| true);
        let refused = missing("reno bbr\n");
        assert_eq!(refused.len(), 1);
        assert_eq!(refused[0].by, format!("`{SYSCTL}` of `a`, `{SYSCTL}` of `b`"));
        let way = "sysctl -w net.ipv4.tcp_allowed_congestion_control=\"reno bbr cubic\"";
        assert!(refused[0].why.contains(way), "{}", refused[0].why);
        assert_eq!(missing("reno cubic\n"), []);
    }
}
