//! One node's network stack: kernel parameters, devices, addresses, routes. Everything here works
//! on the network namespace of the calling thread.

use std::fs;
use std::io;
use std::net::IpAddr;
use std::os::fd::OwnedFd;

use netlink_packet_route::address::{
    AddressAttribute, AddressHeaderFlags, AddressMessage, AddressScope,
};
use netlink_packet_route::link::{LinkAttribute, LinkFlags, LinkMessage};
use netlink_packet_route::route::{
    RouteAddress, RouteAttribute, RouteHeader, RouteMessage, RouteProtocol, RouteScope, RouteType,
    RouteVia,
};
use netlink_packet_route::{AddressFamily, RouteNetlinkMessage};
use netloom_plan::{InterfacePlan, NodePlan, RoutePlan};
use netloom_scenario::IpPrefix;
use nix::net::if_::if_nametoindex;

use crate::netlink::{Netlink, Refused, Request};
use crate::{Device, NodeError, tap};

/// The index of `lo` in every network namespace.
const LOOPBACK: u32 = 1;

/// Sets up everything that `node` says, and returns its devices in the order of its interfaces.
pub(crate) fn configure(node: &NodePlan) -> Result<Vec<Device>, NodeError> {
    let failed = |action: String, source: io::Error| NodeError::in_node(&node.name, action, source);
    let refused = |refused: Refused| failed(refused.what, refused.source);
    // Parameters of a device must wait for the device; all others, which it inherits, must not.
    let later = apply_sysctls(node, false)?;
    let mut devices = vec![];
    let mut requests = vec![up(LOOPBACK, "lo")];
    requests.extend(node.loopback.iter().map(|prefix| address(LOOPBACK, "lo", *prefix)));
    for interface in &node.interfaces {
        let name = &interface.name;
        let fd = tap::create(name).map_err(|error| failed(format!("create {name}"), error))?;
        let index = interface_index(node, name)?;
        requests.push(properties(index, interface));
        requests.push(up(index, name));
        requests.extend(interface.addresses.iter().map(|prefix| address(index, name, *prefix)));
        devices.push(device(node, name, fd));
    }
    let mut netlink =
        Netlink::open().map_err(|error| failed("open a netlink socket".into(), error))?;
    netlink.apply(requests).map_err(refused)?;
    if later {
        apply_sysctls(node, true)?;
    }
    let routes: Result<Vec<Request>, NodeError> =
        node.routes.iter().map(|plan| route(node, plan)).collect();
    netlink.apply(routes?).map_err(refused)?;
    Ok(devices)
}

fn device(node: &NodePlan, interface: &str, fd: OwnedFd) -> Device {
    Device { node: node.name.clone(), interface: interface.into(), fd }
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
        match fs::write(sysctl_path(key), value) {
            Err(error) if !all && error.kind() == io::ErrorKind::NotFound => missing = true,
            Err(error) => {
                let action = format!("set {key} to `{value}`");
                return Err(NodeError::in_node(&node.name, action, error));
            }
            Ok(()) => {}
        }
    }
    Ok(missing)
}

fn belongs_to_node(key: &str) -> bool {
    key.starts_with("net") && sysctl_path(key).starts_with("/proc/sys/net/") && !key.contains("..")
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

/// MAC address and MTU, which must be set before the interface is up to hold for its link-local
/// address.
fn properties(index: u32, interface: &InterfacePlan) -> Request {
    let mut message = LinkMessage::default();
    message.header.index = index;
    message.attributes = vec![
        LinkAttribute::Address(interface.mac.0.to_vec()),
        LinkAttribute::Mtu(interface.mtu),
        LinkAttribute::TxQueueLen(1000),
    ];
    let (name, mac, mtu) = (interface.name.clone(), interface.mac, interface.mtu);
    Request::new(RouteNetlinkMessage::SetLink(message), move || {
        format!("set MAC address {mac} and MTU {mtu} of {name}")
    })
}

fn up(index: u32, name: &str) -> Request {
    let mut message = LinkMessage::default();
    message.header.index = index;
    message.header.flags = LinkFlags::Up;
    message.header.change_mask = LinkFlags::Up;
    let name = name.to_owned();
    Request::new(RouteNetlinkMessage::SetLink(message), move || format!("bring up {name}"))
}

fn address(index: u32, name: &str, prefix: IpPrefix) -> Request {
    let mut message = AddressMessage::default();
    let (ip, length) = parts(prefix);
    message.header.family = family(ip);
    message.header.prefix_len = length;
    message.header.index = index;
    message.header.scope = AddressScope::Universe;
    message.attributes = vec![AddressAttribute::Local(ip), AddressAttribute::Address(ip)];
    match prefix {
        IpPrefix::V4(prefix) if length < 31 => {
            let host_bits = u32::MAX >> length;
            let broadcast = (prefix.address.to_bits() | host_bits).into();
            message.attributes.push(AddressAttribute::Broadcast(broadcast));
        }
        IpPrefix::V4(_) => {}
        IpPrefix::V6(_) => {
            message.header.flags = AddressHeaderFlags::Nodad;
        }
    }
    let name = name.to_owned();
    Request::new(RouteNetlinkMessage::NewAddress(message), move || {
        format!("add address {prefix} to {name}")
    })
}

fn route(node: &NodePlan, plan: &RoutePlan) -> Result<Request, NodeError> {
    let (to, length) = parts(plan.to);
    let mut message = RouteMessage::default();
    message.header.address_family = family(to);
    message.header.destination_prefix_length = length;
    message.header.table = RouteHeader::RT_TABLE_MAIN;
    message.header.protocol = RouteProtocol::Static;
    message.header.kind = RouteType::Unicast;
    let on_link = plan.via.is_none() && to.is_ipv4();
    message.header.scope = if on_link { RouteScope::Link } else { RouteScope::Universe };
    message.attributes.push(RouteAttribute::Destination(RouteAddress::from(to)));
    message.attributes.extend(plan.via.map(|via| match via {
        IpAddr::V6(via) if to.is_ipv4() => RouteAttribute::Via(RouteVia::Inet6(via)),
        via => RouteAttribute::Gateway(RouteAddress::from(via)),
    }));
    if let Some(name) = &plan.interface {
        message.attributes.push(RouteAttribute::Oif(interface_index(node, name)?));
    }
    message.attributes.extend(plan.metric.map(RouteAttribute::Priority));
    let plan = plan.clone();
    Ok(Request::new(RouteNetlinkMessage::NewRoute(message), move || describe(&plan)))
}

fn describe(route: &RoutePlan) -> String {
    let via = route.via.map_or(String::new(), |via| format!(" via {via}"));
    let interface = route.interface.as_ref().map_or(String::new(), |name| format!(" on {name}"));
    format!("add route to {}{via}{interface}", route.to)
}

fn parts(prefix: IpPrefix) -> (IpAddr, u8) {
    match prefix {
        IpPrefix::V4(prefix) => (prefix.address.into(), prefix.length),
        IpPrefix::V6(prefix) => (prefix.address.into(), prefix.length),
    }
}

fn family(ip: IpAddr) -> AddressFamily {
    if ip.is_ipv4() { AddressFamily::Inet } else { AddressFamily::Inet6 }
}
