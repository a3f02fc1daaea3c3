//! Turns scenario and devices into the wiring of the data plane.

use std::collections::HashMap;

use anyhow::{Result, anyhow};
use netloom_dataplane::{End, LinkWiring, Wiring};
use netloom_fabric::{LinkEnd, LinkId};
use netloom_link::Vid;
use netloom_nodes::{Attachment, Device};
use netloom_plan::{Ends, Wire};
use netloom_ports::{FrameBuffer, FrameDevice, Losses, PacketDevice, Tap, fitted};
use netloom_scenario::{Endpoint, Interface, Link, Node};

use crate::deployment::Deployment;
use crate::live::LostOutside;

/// Most frames that wait in a TAP device.
const QUEUE: usize = 1000;

/// Devices that belong to no link, by node and interface.
pub type Loose = HashMap<(String, String), Box<dyn FrameDevice>>;

/// Opens a device that the engine holds as one that carries every frame. For a device of the
/// machine, also returns the count of its losses.
pub fn open(device: Device) -> Result<(Box<dyn FrameDevice>, Option<Losses>)> {
    let (device, losses): (Box<dyn FrameDevice>, _) = match device.attachment {
        Attachment::Tap => (Box::new(Tap::from_fd(device.fd)), None),
        Attachment::TapOfSingles => (Box::new(Tap::of_single_frames(device.fd)), None),
        Attachment::TapOfWireFrames => (Box::new(Tap::of_wire_frames(device.fd)), None),
        Attachment::Packet => {
            let device = PacketDevice::from_fd(device.fd);
            let losses = device.losses()?;
            (Box::new(device), Some(losses))
        }
    };
    Ok((fitted(device), losses))
}

/// Returns the wiring of the data plane: every link of the scenario that is not direct, with the
/// devices at its ends; and the counts of losses at devices of the machine.
pub fn wire(deployment: &Deployment, devices: Vec<Device>) -> Result<(Wiring, LostOutside)> {
    let mut loose = Loose::new();
    let lost_outside = LostOutside::default();
    for device in devices {
        let (node, interface) = (device.node.clone(), device.interface.clone());
        let (device, lost) = open(device)?;
        let end = Endpoint { node: node.clone(), interface: interface.clone() };
        if let Some(lost) = lost {
            lost_outside.watch(end, lost);
        }
        loose.insert((node, interface), device);
    }
    let nodes = Nodes::of(deployment);
    let links = deployment.modelled_links().map(|(id, link)| nodes.wire(id, link, &mut loose));
    let links = links.collect::<Result<_>>()?;
    Ok((Wiring { links }, lost_outside))
}

/// The nodes of a network, by which the ends of links are found.
pub struct Nodes<'a> {
    deployment: &'a Deployment,
    by_name: HashMap<&'a str, &'a Node>,
    ends: Ends<'a>,
}

impl<'a> Nodes<'a> {
    /// Returns the nodes of `deployment`.
    pub fn of(deployment: &'a Deployment) -> Self {
        let named = |node: &'a Node| (node.name.as_str(), node);
        let all = deployment.around();
        let by_name = all.scenario.nodes.iter().map(named).collect();
        let ends = Ends::of(&all.scenario, &all.plan);
        Self { deployment, by_name, ends }
    }

    /// Wires a link with its ends, which are taken out of `devices`.
    pub fn wire(&self, id: LinkId, link: &Link, devices: &mut Loose) -> Result<LinkWiring> {
        Ok(LinkWiring {
            id,
            name: link.name.clone(),
            ends: self.ends(link, devices)?,
            pipes: [
                self.deployment.resolved(&link.name, link.forward.clone())?,
                self.deployment.resolved(&link.name, link.reverse.clone())?,
            ],
            mtus: link.endpoints.each_ref().map(|end| self.mtu(end)),
            peer: self.deployment.peer(link),
        })
    }

    /// Returns the MTU of the interface or port at an end of a link.
    pub fn mtu(&self, Endpoint { node, interface }: &Endpoint) -> Option<u32> {
        self.by_name.get(node.as_str())?.mtu(interface)
    }

    /// Returns the ends of a link, taken out of `devices`.
    pub fn ends(&self, link: &Link, devices: &mut Loose) -> Result<[End; 2]> {
        let [a, b] = &link.endpoints;
        Ok([self.end(a, b, devices)?, self.end(b, a, devices)?])
    }

    fn end(&self, here: &Endpoint, there: &Endpoint, devices: &mut Loose) -> Result<End> {
        let Endpoint { node, interface } = here;
        if !self.deployment.is_here(node) {
            let found = self.by_name.get(node.as_str());
            return Ok(End::Away { is_segment: found.is_some_and(|node| node.kind.is_segment()) });
        }
        let end = match (self.at(here), self.at(there)) {
            (Some(here), Some(there)) => self.ends.link_end(here, there)?,
            _ => LinkEnd::Port(interface.as_str()),
        };
        end.try_map(|interface| {
            let device = devices.remove(&(node.clone(), interface.into()));
            let mut device =
                device.ok_or_else(|| anyhow!("no device was made for {node}:{interface}"))?;
            forget_what_waits(&mut *device);
            Ok(device)
        })
    }

    fn at<'e>(&'e self, Endpoint { node, interface }: &'e Endpoint) -> Option<Wire<'e>> {
        let found = self.by_name.get(node.as_str())?;
        let number = self.deployment.number(node).unwrap_or_default();
        Some(Wire { node: found, number, interface })
    }

    /// Puts the devices at the ends of a link back into `devices`.
    pub fn unwire(&self, link: &Link, ends: [End; 2], devices: &mut Loose) {
        for (Endpoint { node, interface }, end) in link.endpoints.iter().zip(ends) {
            let mut put = |interface: &str, device| {
                devices.insert((node.clone(), interface.into()), device);
            };
            match end {
                End::Port(device) => put(interface, device),
                End::Trunk { untagged, vlans } => {
                    put(interface, untagged);
                    for (vlan, device) in vlans {
                        let mut names = self.subinterfaces(node, interface);
                        if let Some((_, name)) = names.find(|(tag, _)| *tag == vlan) {
                            put(name, device);
                        }
                    }
                }
                End::Segment(_) | End::Away { .. } => {}
            }
        }
    }

    fn interfaces(&self, node: &str) -> impl Iterator<Item = &'a Interface> {
        self.by_name.get(node).into_iter().flat_map(|node| &node.interfaces)
    }

    fn subinterfaces(&self, node: &str, of: &str) -> impl Iterator<Item = (Vid, &'a str)> {
        self.interfaces(node).filter_map(move |interface| {
            let sub = interface.subinterface.as_ref().filter(|sub| sub.of == of)?;
            Some((sub.vlan, interface.name.as_str()))
        })
    }
}

/// Drops the frames that a node has sent while its interface led nowhere, as an unplugged cable
/// does. Most are the kernel's reports of multicast groups as interfaces come up. A thousand nodes
/// on one segment would receive them four thousand times each.
fn forget_what_waits(device: &mut dyn FrameDevice) {
    let mut buffer = FrameBuffer::default();
    // The queue holds no more than that. A broken device fails when it is used.
    for _ in 0..QUEUE {
        if !device.receive(&mut buffer).unwrap_or(false) {
            return;
        }
    }
}
