//! The interfaces of a node with a kernel of its own, in its network namespace: TAP devices of the
//! engine like those of every node, but without addresses. The user-mode kernel takes their frames.

use std::fs;
use std::io;

use netloom_plan::NodePlan;

use super::messages;
use crate::device::Attachment;
use crate::stack::configure::{LOOPBACK, interface_index, make_taps};
use crate::stack::interface::KERNEL_DEVICE;
use crate::stack::netlink::{Netlink, Refused};
use crate::stack::{own_proc, requests, tap};
use crate::{Device, NodeError};

/// Parameters that keep the machine's own IPv6 away from the node's interfaces.
const NO_IPV6: [&str; 2] =
    ["/proc/sys/net/ipv6/conf/default/disable_ipv6", "/proc/sys/net/ipv6/conf/all/disable_ipv6"];

/// Creates the devices in the calling thread's network namespace.
pub(crate) fn wire(node: &NodePlan) -> Result<Vec<Device>, NodeError> {
    let failed = |action: String, source: io::Error| NodeError::in_node(&node.name, action, source);
    for path in NO_IPV6.into_iter().filter(|path| fs::exists(path).unwrap_or(false)) {
        own_proc::write(path, "1").map_err(|error| failed(format!("write {path}"), error))?;
    }
    let devices = make_taps(node, Attachment::TapOfSingles)?;
    let device = KERNEL_DEVICE;
    tap::create_plain(device).map_err(|error| failed(format!("create {device}"), error))?;
    let index = interface_index(&node.name, device)?;
    let mut requests = vec![requests::up(LOOPBACK, "lo"), requests::single_frames(index, device)];
    requests.push(requests::up(index, device));
    requests.push(requests::address(index, device, messages::addresses()[0]));
    for interface in &node.interfaces {
        let index = interface_index(&node.name, &interface.name)?;
        requests.push(requests::properties(index, interface));
        // The machine's kernel must not answer on these interfaces.
        requests.push(requests::no_neighbours(index, &interface.name));
        requests.push(requests::up(index, &interface.name));
    }
    let mut netlink =
        Netlink::open().map_err(|error| failed("open a netlink socket".into(), error))?;
    netlink.apply(requests).map_err(|Refused { what, source }| failed(what, source))?;
    Ok(devices)
}
