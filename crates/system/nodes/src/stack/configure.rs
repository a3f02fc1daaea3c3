//! Creates one node's network stack: devices, addresses, routes. Everything here affects the
//! network namespace of the calling thread. `requests` and `sysctl` contain the requests to the
//! kernel, `changing` later changes.

use std::collections::HashMap;
use std::io;

use netloom_plan::{InterfacePlan, NodePlan, RoutePlan};
use nix::net::if_::if_nametoindex;

use crate::device::Attachment;
use crate::stack::netlink::{Netlink, Refused, Request};
use crate::stack::{own_proc, requests, sysctl, tap, turns};
use crate::{Device, NodeError};

/// Index of `lo` in every network namespace.
pub(crate) const LOOPBACK: u32 = 1;
/// Smallest MTU of IPv6 in bytes (RFC 8200, section 5).
pub(crate) const MINIMUM_IPV6_MTU: u32 = 1280;

/// Sets the parameters of `node` that its devices inherit, for devices that are created before the
/// node is configured.
pub(crate) fn prepare(node: &NodePlan) -> Result<(), NodeError> {
    sysctl::set_all(node, false).map(drop)
}

/// Configures everything in `node`, with `routes`, and returns its devices in the order of its
/// interfaces. Devices of direct links must exist already.
pub(crate) fn configure(node: &NodePlan, routes: &[RoutePlan]) -> Result<Vec<Device>, NodeError> {
    // Parameters of a device can be set only after it exists; all others are inherited, and must be
    // set before.
    let later = sysctl::set_all(node, false)?;
    let devices = make_taps(node, Attachment::Tap)?;
    set_up(node, routes, later)?;
    Ok(devices)
}

/// Creates the devices of `node` whose other end the engine holds, in the order of its interfaces.
pub(crate) fn make_taps(node: &NodePlan, attachment: Attachment) -> Result<Vec<Device>, NodeError> {
    let carried = node.interfaces.iter().filter(|interface| interface.direct_peer.is_none());
    let make = |interface: &InterfacePlan| {
        let name = &interface.name;
        let failed = |error| NodeError::in_node(&node.name, format!("create {name}"), error);
        let _turn = turns::take();
        let fd = tap::create_for(interface).map_err(failed)?;
        let attachment = if interface.offloads { attachment } else { Attachment::TapOfWireFrames };
        Ok(Device { node: node.name.clone(), interface: name.clone(), fd, attachment })
    };
    carried.map(make).collect()
}

/// Configures existing devices of `node`, with `routes`. `later` is whether parameters of devices
/// are still to be set.
pub(crate) fn set_up(node: &NodePlan, routes: &[RoutePlan], later: bool) -> Result<(), NodeError> {
    let failed = |action: String, source: io::Error| NodeError::in_node(&node.name, action, source);
    let refused = |refused: Refused| failed(refused.what, refused.source);
    let mut requests = vec![requests::up(LOOPBACK, "lo")];
    requests.extend(node.loopback.iter().map(|prefix| requests::address(LOOPBACK, "lo", *prefix)));
    for interface in &node.interfaces {
        let index = interface_index(&node.name, &interface.name)?;
        requests.extend(interface_requests(&node.name, interface, index)?);
    }
    let mut netlink =
        Netlink::open().map_err(|error| failed("open a netlink socket".into(), error))?;
    netlink.apply(requests).map_err(refused)?;
    if later {
        sysctl::set_all(node, true)?;
    }
    let mut indices = Indices::of(&node.name);
    let indices: Vec<Option<u32>> =
        routes.iter().map(|route| indices.of_route(route)).collect::<Result<_, _>>()?;
    // There may be thousands of routes, so each request is created when it is sent.
    let requests = routes.iter().zip(indices).map(|(route, index)| requests::route(route, index));
    netlink.apply(requests).map_err(refused)?;
    introduce(node, &mut netlink)
}

/// Makes the neighbours known that the node knows from the start: at interfaces without IPv6, those
/// of IPv4.
fn introduce(node: &NodePlan, netlink: &mut Netlink) -> Result<(), NodeError> {
    if node.neighbours.is_empty() {
        return Ok(());
    }
    let mut found: HashMap<&str, (u32, bool)> = HashMap::new();
    for InterfacePlan { name, .. } in &node.interfaces {
        let path = format!("/proc/sys/net/ipv6/conf/{name}/disable_ipv6");
        let has_v6 = own_proc::read(&path).is_ok_and(|value| value.trim() == "0");
        found.insert(name, (interface_index(&node.name, name)?, has_v6));
    }
    let requests = node.neighbours.iter().filter_map(|neighbour| {
        let (index, has_v6) = found.get(neighbour.interface.as_str())?;
        let is_possible = *has_v6 || neighbour.address.is_ipv4();
        is_possible.then(|| requests::neighbour(*index, neighbour))
    });
    let failed = |refused: Refused| NodeError::in_node(&node.name, refused.what, refused.source);
    netlink.apply(requests).map_err(failed)
}

/// The indices of a node's interfaces, cached because thousands of routes may use a few of them.
pub(crate) struct Indices<'a> {
    node: &'a str,
    known: HashMap<&'a str, u32>,
}

impl<'a> Indices<'a> {
    /// Indices of `node`, in whose namespace the calling thread is.
    pub fn of(node: &'a str) -> Self {
        Self { node, known: HashMap::new() }
    }

    /// Returns the index of the interface that a route names, if it names one.
    pub fn of_route(&mut self, route: &'a RoutePlan) -> Result<Option<u32>, NodeError> {
        let Some(name) = route.interface.as_deref() else { return Ok(None) };
        if let Some(index) = self.known.get(name) {
            return Ok(Some(*index));
        }
        let index = interface_index(self.node, name)?;
        self.known.insert(name, index);
        Ok(Some(index))
    }
}

/// Returns the requests that bring an interface up with its addresses. Its link-local address is
/// set here, if the kernel would set one: the kernel's own becomes usable only after background
/// work has checked for duplicates, or skipped the check.
pub(crate) fn interface_requests(
    node: &str,
    interface: &InterfacePlan,
    index: u32,
) -> Result<Vec<Request>, NodeError> {
    let name = &interface.name;
    let link_local = interface.mtu >= MINIMUM_IPV6_MTU && has_link_local(node, name)?;
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
    Ok(requests)
}

/// Whether the interface has IPv6 and a link-local address from its MAC address.
pub(crate) fn has_link_local(node: &str, interface: &str) -> Result<bool, NodeError> {
    for parameter in ["disable_ipv6", "addr_gen_mode"] {
        let path = format!("/proc/sys/net/ipv6/conf/{interface}/{parameter}");
        match own_proc::read(&path) {
            Ok(value) if value.trim() == "0" => {}
            Ok(_) => return Ok(false),
            // The kernel has no IPv6.
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
            Err(error) => return Err(NodeError::in_node(node, format!("read {path}"), error)),
        }
    }
    Ok(true)
}

pub(crate) fn interface_index(node: &str, name: &str) -> Result<u32, NodeError> {
    if_nametoindex(name)
        .map_err(|errno| NodeError::in_node(node, format!("find interface {name}"), errno))
}
