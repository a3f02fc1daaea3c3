//! Ends of links outside the experiment: devices of the machine that are made, or borrowed, or
//! beside which others are made. All of them are given back.
//!
//! | module | contents |
//! |---|---|
//! | `borrowed` | the state of the machine that must be restored, for the record |
//! | `nat` | addresses translated by the machine's firewall |
//!
//! Devices that the engine reads by a packet socket are in a network namespace of their own, so
//! that the machine's network stack neither answers nor sends there. Only a TAP for a virtual
//! machine, which must find it, stays with the machine.

mod borrowed;
mod nat;

use std::fs::{self, File};
use std::os::fd::AsRawFd;
use std::sync::Arc;
use std::{io, thread};

use netlink_packet_route::RouteNetlinkMessage;
use netlink_packet_route::link::{
    InfoData, InfoKind, InfoMacVlan, LinkAttribute, LinkInfo, LinkMessage, MacVlanMode, State,
};
use netloom_plan::{OutsidePlan, Plan};
use netloom_ports::PacketDevice;
use netloom_scenario::Outside;
use nix::net::if_::if_nametoindex;

use crate::books::layout::OUTSIDE;
use crate::books::ledger::Ledger;
use crate::books::made::Thing;
use crate::books::ours::Ours;
use crate::books::record::Record;
use crate::device::Attachment;
use crate::stack::netlink::{Netlink, Request};
use crate::{Device, NodeError, stack::netns, stack::requests, stack::tap};

pub use borrowed::may_have_ipv6_behind;
pub(crate) use borrowed::{check, check_change, give_back};

fn failed(end: &OutsidePlan, action: &str, source: io::Error) -> NodeError {
    NodeError::Outside { end: end.end.to_string(), action: action.into(), source }
}

/// Makes or borrows all ends of links outside. Records everything that must be given back.
pub(crate) fn make(ledger: &Ledger, plan: &Plan) -> Result<Vec<Device>, NodeError> {
    let record = ledger.record();
    plan.outside.iter().map(|end| make_end(ledger, end, &record)).collect()
}

/// Makes or borrows one end for an existing network, without checks.
pub(crate) fn add(ledger: &Ledger, end: &OutsidePlan) -> Result<Device, NodeError> {
    ledger.change(|record| record.borrowed.take(end))?;
    make_end(ledger, end, &ledger.record()).inspect_err(|_| {
        // The first error is the one to report. Entries that stay in the record are handled with
        // the experiment.
        let _ = take_away(ledger, end);
    })
}

/// Gives back everything of the machine that one end has. The caller closes the descriptor, and
/// whatever ends with it.
pub(crate) fn take_away(ledger: &Ledger, end: &OutsidePlan) -> Result<(), NodeError> {
    let mut borrowed = ledger.record().borrowed;
    let ours = Ours::of(ledger);
    borrowed.give_back_end(&ours, end).map_err(|e| failed(end, "give the device back", e))?;
    ledger.change(|record| record.borrowed = borrowed)
}

fn make_end(ledger: &Ledger, end: &OutsidePlan, record: &Record) -> Result<Device, NodeError> {
    let borrowed = &record.borrowed;
    let device = match end.kind {
        Outside::Host | Outside::Nat => of_machine(end)?,
        Outside::Tap => for_virtual_machine(ledger, end)?,
        Outside::Macvlan | Outside::Device => {
            let namespace = ensure_namespace(ledger).map_err(|error| {
                let path = ledger.layout().namespace(OUTSIDE);
                NodeError::system(format!("make namespace {}", path.display()), error)
            })?;
            apart(end, borrowed.name_beside(end), &namespace)?
        }
    };
    if end.kind == Outside::Nat {
        let experiment = ledger.layout().experiment();
        nat::translate(experiment, &record.mark, end)
            .and_then(|()| {
                let (v4, v6) = (&borrowed.forwarding, borrowed.forwards_ipv6_for_us());
                nat::bound(experiment, &record.mark, v4, v6)
            })
            .and_then(|()| match ledger.layout().is_rootless() {
                true => nat::hear_no_strangers(experiment, &record.mark),
                false => Ok(()),
            })
            .map_err(|error| NodeError::system("set up address translation (nf_tables)", error))?;
        borrowed.forward(end)?;
    }
    Ok(device)
}

/// Returns the namespace of devices that the engine reads, and makes it for the first one.
fn ensure_namespace(ledger: &Ledger) -> io::Result<Arc<File>> {
    if let Ok(namespace) = ledger.namespace(OUTSIDE) {
        return Ok(namespace);
    }
    // On a thread of its own, which ends in the namespace.
    thread::scope(|scope| {
        let thread = thread::Builder::new().spawn_scoped(scope, || make_namespace(ledger))?;
        thread.join().unwrap_or_else(|_| Err(io::Error::other("a thread has panicked")))
    })?;
    ledger.namespace(OUTSIDE)
}

/// Makes a namespace in which the kernel sends nothing by itself.
fn make_namespace(ledger: &Ledger) -> io::Result<()> {
    ledger.create_namespace(OUTSIDE)?;
    for which in ["all", "default"] {
        match fs::write(format!("/proc/sys/net/ipv6/conf/{which}/disable_ipv6"), "1") {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    Ok(())
}

fn device(end: &OutsidePlan, fd: std::os::fd::OwnedFd, attachment: Attachment) -> Device {
    let (node, interface) = (end.end.node.clone(), end.end.interface.clone());
    Device { node, interface, fd, attachment }
}

/// Makes a TAP in the machine's namespace that ends with its descriptor.
fn of_machine(end: &OutsidePlan) -> Result<Device, NodeError> {
    let fd = tap::create_passing(&end.device).map_err(|e| failed(end, "make the device", e))?;
    if end.kind == Outside::Nat {
        let index = index(end)?;
        apply(end, vec![in_group(index, end)])?;
    }
    configure(end)?;
    Ok(device(end, fd, Attachment::Tap))
}

/// Sets MTU and addresses, and sets the device up.
fn configure(end: &OutsidePlan) -> Result<(), NodeError> {
    let (index, name) = (index(end)?, end.device.as_str());
    let mut all = vec![mtu(index, end), requests::up(index, name)];
    all.extend(end.addresses.iter().map(|prefix| requests::address(index, name, *prefix)));
    apply(end, all)
}

fn index(end: &OutsidePlan) -> Result<u32, NodeError> {
    if_nametoindex(end.device.as_str()).map_err(|e| failed(end, "find the device", e.into()))
}

/// Puts the device into the group of devices behind which addresses are translated, which all
/// experiments share.
fn in_group(index: u32, end: &OutsidePlan) -> Request {
    let mut message = LinkMessage::default();
    message.header.index = index;
    message.attributes = vec![LinkAttribute::Group(nat::GROUP)];
    let words = format!("put {} into the group {}", end.device, nat::GROUP);
    Request::new(RouteNetlinkMessage::SetLink(message), move || words.clone())
}

fn mtu(index: u32, end: &OutsidePlan) -> Request {
    let mut message = LinkMessage::default();
    message.header.index = index;
    message.attributes = vec![LinkAttribute::Mtu(end.mtu), LinkAttribute::OperState(State::Up)];
    let words = format!("set the MTU of {} to {}", end.device, end.mtu);
    Request::new(RouteNetlinkMessage::SetLink(message), move || words.clone())
}

fn apply(end: &OutsidePlan, requests: Vec<Request>) -> Result<(), NodeError> {
    let mut netlink = Netlink::open().map_err(|e| failed(end, "open a netlink socket", e))?;
    netlink.apply(requests).map_err(|refused| failed(end, &refused.what, refused.source))
}

/// Makes a TAP that stays until it is removed. The engine has the kernel's side of it.
fn for_virtual_machine(ledger: &Ledger, end: &OutsidePlan) -> Result<Device, NodeError> {
    let name = &end.device;
    let note = || {
        let index = if_nametoindex(name.as_str())?;
        ledger.note(Thing::Device { name: name.clone(), index })
    };
    drop(tap::create_noted(name, note).map_err(|error| failed(end, "make the device", error))?);
    // The machine takes no part in this traffic.
    for (file, value) in [
        (format!("ipv6/conf/{name}/disable_ipv6"), "1"),
        (format!("ipv4/conf/{name}/arp_ignore"), "8"),
    ] {
        match fs::write(format!("/proc/sys/net/{file}"), value) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                return Err(failed(end, "keep the machine's network stack away", error));
            }
            _ => {}
        }
    }
    configure(end)?;
    let fd =
        PacketDevice::open(name).map_err(|error| failed(end, "open a packet socket", error))?;
    Ok(device(end, fd, Attachment::Packet))
}

/// Puts a device into the namespace of such devices: a new one with the name `new`, or else one of
/// the machine's.
fn apart(end: &OutsidePlan, new: Option<&str>, namespace: &File) -> Result<Device, NodeError> {
    let below = index(end)?;
    let (name, request) = match new {
        Some(name) => (name, macvlan(end, below, name, namespace)),
        None => (end.device.as_str(), requests::move_to(below, &end.device, namespace)),
    };
    apply(end, vec![request])?;
    let attach = || {
        let index = if_nametoindex(name)?;
        let mut netlink = Netlink::open()?;
        netlink.apply(vec![requests::up(index, name)]).map_err(|refused| refused.source)?;
        PacketDevice::open(name)
    };
    let fd =
        netns::inside(namespace, attach).map_err(|e| failed(end, "attach to the device", e))?;
    Ok(device(end, fd, Attachment::Packet))
}

/// Makes a device beside the one with index `below`, with the Ethernet address of the node's
/// interface.
fn macvlan(end: &OutsidePlan, below: u32, name: &str, namespace: &File) -> Request {
    let mut message = LinkMessage::default();
    message.attributes = vec![
        LinkAttribute::IfName(name.into()),
        LinkAttribute::Link(below),
        LinkAttribute::Mtu(end.mtu),
        LinkAttribute::NetNsFd(namespace.as_raw_fd()),
    ];
    message.attributes.extend(end.peer_mac.map(|mac| LinkAttribute::Address(mac.0.to_vec())));
    message.attributes.push(LinkAttribute::LinkInfo(vec![
        LinkInfo::Kind(InfoKind::MacVlan),
        LinkInfo::Data(InfoData::MacVlan(vec![InfoMacVlan::Mode(MacVlanMode::Bridge)])),
    ]));
    let words = format!("make a macvlan beside {}", end.device);
    Request::new(RouteNetlinkMessage::NewLink(message), move || words.clone())
}
