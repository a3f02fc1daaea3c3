//! One node's network stack: kernel parameters, devices, addresses, routes. Everything here works
//! on the network namespace of the calling thread. How the kernel is told is in `requests`.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs;
use std::io;
use std::os::fd::OwnedFd;

use netloom_plan::{InterfacePlan, NodePlan, RoutePlan};
use nix::net::if_::if_nametoindex;

use crate::netlink::{Netlink, Refused, Request};
use crate::network::Attachment;
use crate::{Device, NodeError, requests, rootless, tap};

/// The index of `lo` in every network namespace.
const LOOPBACK: u32 = 1;
/// RFC 8200, section 5.
const MINIMUM_IPV6_MTU: u32 = 1280;

/// Sets the parameters of `node` that its devices inherit, for devices that are made before the node is
/// configured.
pub(crate) fn prepare(node: &NodePlan) -> Result<(), NodeError> {
    apply_sysctls(node, false).map(drop)
}

/// Sets up everything that `node` says, with `routes`, and returns its devices in the order of its
/// interfaces. Those of direct links must be there.
pub(crate) fn configure(node: &NodePlan, routes: &[RoutePlan]) -> Result<Vec<Device>, NodeError> {
    let failed = |action: String, source: io::Error| NodeError::in_node(&node.name, action, source);
    let refused = |refused: Refused| failed(refused.what, refused.source);
    // Parameters of a device must wait for the device; all others, which it inherits, must not.
    let later = apply_sysctls(node, false)?;
    let mut devices = vec![];
    let mut requests = vec![requests::up(LOOPBACK, "lo")];
    requests.extend(node.loopback.iter().map(|prefix| requests::address(LOOPBACK, "lo", *prefix)));
    for interface in &node.interfaces {
        let name = &interface.name;
        if interface.direct_peer.is_none() {
            let fd = tap::create(name).map_err(|error| failed(format!("create {name}"), error))?;
            devices.push(device(node, name, fd));
        }
        requests.extend(interface_requests(interface, interface_index(node, name)?));
    }
    let mut netlink =
        Netlink::open().map_err(|error| failed("open a netlink socket".into(), error))?;
    netlink.apply(requests).map_err(refused)?;
    if later {
        apply_sysctls(node, true)?;
    }
    netlink.apply(route_requests(node, routes)?).map_err(refused)?;
    Ok(devices)
}

/// There may be thousands of routes, over a few interfaces.
fn route_requests<'a>(node: &NodePlan, routes: &'a [RoutePlan]) -> Result<Vec<Request>, NodeError> {
    let mut indices: HashMap<&'a str, u32> = HashMap::new();
    let request = |plan: &'a RoutePlan| {
        let index = match plan.interface.as_deref() {
            None => None,
            Some(name) => Some(match indices.get(name) {
                Some(index) => *index,
                None => *indices.entry(name).or_insert(interface_index(node, name)?),
            }),
        };
        Ok(requests::route(plan, index))
    };
    routes.iter().map(request).collect()
}

/// Brings an interface up with its addresses. Its link-local address is made here, where the
/// kernel would make one: the kernel's own is usable only after its background work has looked for
/// duplicates, or decided not to.
fn interface_requests(interface: &InterfacePlan, index: u32) -> Vec<Request> {
    let name = &interface.name;
    let link_local = interface.mtu >= MINIMUM_IPV6_MTU && has_link_local(name);
    let mut requests = vec![requests::properties(index, interface)];
    if link_local {
        requests.push(requests::automatic_link_local(index, name, false));
    }
    requests.push(requests::up(index, name));
    if link_local {
        requests.push(requests::address(index, name, requests::link_local(interface.mac)));
        requests.push(requests::automatic_link_local(index, name, true));
    }
    requests.extend(interface.addresses.iter().map(|p| requests::address(index, name, *p)));
    requests
}

/// Whether the interface is to have IPv6, and a link-local address from its MAC address.
fn has_link_local(interface: &str) -> bool {
    ["disable_ipv6", "addr_gen_mode"].iter().all(|parameter| {
        let path = format!("/proc/sys/net/ipv6/conf/{interface}/{parameter}");
        fs::read_to_string(path).is_ok_and(|value| value.trim() == "0")
    })
}

fn device(node: &NodePlan, interface: &str, fd: OwnedFd) -> Device {
    Device { node: node.name.clone(), interface: interface.into(), fd, attachment: Attachment::Tap }
}

fn interface_index(node: &NodePlan, name: &str) -> Result<u32, NodeError> {
    if_nametoindex(name)
        .map_err(|errno| NodeError::in_node(&node.name, format!("find interface {name}"), errno))
}

/// Writes the parameters. Those that do not exist are an error, or with `all` unset, reported by
/// returning true: they may come with the devices.
fn apply_sysctls(node: &NodePlan, all: bool) -> Result<bool, NodeError> {
    let mut missing = false;
    for (key, value) in &node.sysctls {
        if !belongs_to_node(key) {
            let why = io::Error::new(
                io::ErrorKind::InvalidInput,
                "it belongs to the whole machine; a node has parameters that begin with `net.`",
            );
            return Err(NodeError::in_node(&node.name, format!("set {key}"), why));
        }
        match fs::write(sysctl_path(key), possible_value(key, value).as_ref()) {
            Err(error) if !all && error.kind() == io::ErrorKind::NotFound => missing = true,
            // Not a matter of who we are: some parameters are for the machine's own stack only.
            Err(error) if error.raw_os_error() == Some(libc::EPERM) => {
                let why = io::Error::other(format!(
                    "{error}; this machine does not allow it in a network namespace (congestion \
                     control must be in net.ipv4.tcp_allowed_congestion_control of the machine)"
                ));
                return Err(NodeError::in_node(&node.name, format!("set {key} to `{value}`"), why));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                let why = io::Error::other(
                    "a node has no such parameter; some belong to the whole machine, and some are \
                     hidden from ordinary users (docs/rootless.md)",
                );
                return Err(NodeError::in_node(&node.name, format!("set {key} to `{value}`"), why));
            }
            Err(error) => {
                let action = format!("set {key} to `{value}`");
                return Err(NodeError::in_node(&node.name, action, error));
            }
            Ok(()) => {}
        }
    }
    Ok(missing)
}

/// The value, but of groups that may send pings only those that there are: the kernel takes no others,
/// and an ordinary user's namespace has few.
fn possible_value<'v>(key: &str, value: &'v str) -> Cow<'v, str> {
    match (key, value.split_once(char::is_whitespace)) {
        ("net.ipv4.ping_group_range", Some((first, last))) => {
            let last_known = rootless::last_group();
            let last = last.trim().parse().map(|last: u32| last.min(last_known));
            last.map_or(value.into(), |last| format!("{first} {last}").into())
        }
        _ => value.into(),
    }
}

/// Whether the parameter is one of the network stack; `..` would lead elsewhere.
fn belongs_to_node(key: &str) -> bool {
    let path = sysctl_path(key);
    path.starts_with("/proc/sys/net/") && !path.contains("..")
}

/// As `sysctl` reads keys: `net.ipv4.conf.eth0/1.proxy_arp` is the `proxy_arp` of `eth0.1`, and a
/// key whose first separator is a slash is a path.
fn sysctl_path(key: &str) -> String {
    let is_path = key.find(['.', '/']).is_some_and(|at| key.as_bytes()[at] == b'/');
    let swap = |c| match c {
        '.' if !is_path => '/',
        '/' if !is_path => '.',
        c => c,
    };
    format!("/proc/sys/{}", key.chars().map(swap).collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_as_sysctl_does() {
        for (key, path) in [
            ("net.ipv4.ip_forward", "/proc/sys/net/ipv4/ip_forward"),
            ("net/ipv4/conf/eth0.1/proxy_arp", "/proc/sys/net/ipv4/conf/eth0.1/proxy_arp"),
            ("net.ipv4.conf.eth0/1.proxy_arp", "/proc/sys/net/ipv4/conf/eth0.1/proxy_arp"),
        ] {
            assert_eq!(sysctl_path(key), path);
            assert!(belongs_to_node(key));
        }
    }

    #[test]
    fn keys_of_the_machine_are_told_apart() {
        for key in ["kernel.panic", "network.x", "net", "net/../kernel/panic", "net.ipv4.//x"] {
            assert!(!belongs_to_node(key), "{key}");
        }
    }
}
