//! Frames in VLANs: switches that know them, and interfaces with sub-interfaces. Not here: the rules
//! (`netloom-link`), tags in frames (`netloom-ports`), and switches that know no VLANs (`switch`), whose
//! frames pass here never.

use netloom_link::{Classified, Delivery, Forward, PortVlans, Tag, Vid, VlanBridge, VlanDrops};
use netloom_ports::Frame;
use netloom_units::{Duration, Time};

use crate::VlanPortStatus;
use crate::carried::Carried;
use crate::fabric::Fabric;
use crate::switch::{NO_LANE, addresses};
use crate::tree::Admission;
use crate::watch::Loss;

/// What a lane begins or ends at where tags matter.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Tagged {
    /// A port of a switch that knows VLANs.
    Port { switch: usize, port: usize },
    /// An interface with sub-interfaces.
    Interfaces(usize),
}

/// A switch that knows VLANs; each port has the lane that leads out of it, and counts what it refuses.
#[derive(Debug)]
pub(crate) struct VlanSwitch {
    number: usize,
    /// Where its spanning tree is, if it runs one.
    pub tree: Option<usize>,
    bridge: VlanBridge,
    ports: Vec<Port>,
}

#[derive(Debug)]
struct Port {
    lane: usize,
    dropped: VlanDrops,
}

/// The devices of an interface and its sub-interfaces, as indices of ports.
#[derive(Debug)]
pub(crate) struct Interfaces {
    pub untagged: usize,
    /// By VLAN number.
    pub vlans: Vec<(u16, usize)>,
}

impl VlanSwitch {
    /// The wiring's switch of that number, without a port.
    pub fn new(number: usize) -> Self {
        Self { number, tree: None, bridge: VlanBridge::default(), ports: Vec::new() }
    }

    /// Its number in the wiring.
    pub fn number(&self) -> usize {
        self.number
    }

    /// Adds a port out of which `lane` leads; the port's number.
    pub fn add_port(&mut self, vlans: PortVlans, lane: usize) -> usize {
        let new = Port { lane, dropped: VlanDrops::default() };
        match self.ports.iter().position(|port| port.lane == NO_LANE) {
            Some(port) => {
                self.ports[port] = new;
                self.bridge.replace_port(port, vlans);
                port
            }
            None => {
                self.ports.push(new);
                self.bridge.add_port(vlans)
            }
        }
    }

    /// Takes the link from `port`; what the port was told, and whether another port still has a link.
    pub fn remove_port(&mut self, port: usize) -> (PortVlans, bool) {
        self.forget(port);
        self.ports[port].lane = NO_LANE;
        let vlans = self.bridge.ports()[port].clone();
        (vlans, self.ports.iter().any(|port| port.lane != NO_LANE))
    }

    /// Forgets what is behind `port`.
    pub fn forget(&mut self, port: usize) {
        self.bridge.forget_port(port);
    }
}

impl Fabric {
    /// A frame from a sub-interface enters the link `lane` with the tag of its VLAN.
    #[inline(never)]
    pub fn enter_tagged(&mut self, lane: usize, vlan: Vid, now: Time, frame: Frame) {
        // What is no frame gets no tag: it might become one.
        let tagged = match frame.shape() {
            Ok(_) => self.pool.push_tag(frame, vlan.number()),
            Err(_) => Some(frame),
        };
        match tagged {
            Some(frame) => self.enter(lane, now, now, frame),
            None => self.lost(lane, Loss::NoMemory, 1),
        }
    }

    /// A frame leaves its link where tags matter.
    #[inline(never)]
    pub fn arrive(&mut self, lane: usize, place: Tagged, delivery: Delivery<Carried>) {
        match place {
            Tagged::Port { switch, port } => self.forward_in_vlan(lane, switch, port, delivery),
            Tagged::Interfaces(index) => self.hand_over_by_tag(lane, index, delivery),
        }
    }

    /// A frame reaches a switch that knows VLANs. It enters the next pipe at the time it left the last.
    fn forward_in_vlan(
        &mut self,
        lane: usize,
        switch: usize,
        port: usize,
        delivery: Delivery<Carried>,
    ) {
        let unseen = self.pass(lane, &delivery);
        let Delivery { frame: Carried(frame), info, release, .. } = delivery;
        let admission = match self.vlan_switches[switch].tree {
            Some(tree) => self.admit(tree, port, release, (&frame, &info)),
            None => Admission::Forwarded,
        };
        if admission == Admission::Kept {
            return self.pool.recycle(frame);
        }
        let VlanSwitch { bridge, ports, tree, .. } = &mut self.vlan_switches[switch];
        let leads_out = |out| tree.is_none_or(|tree| self.trees.forwards(tree, out));
        // The shape was checked on entry: there is an Ethernet header.
        let addresses = addresses(frame.start());
        match bridge.receive(release, port, frame.tag().map(Tag), addresses) {
            Err(reason) => {
                ports[port].dropped.add(reason, &info);
                self.pool.recycle(frame);
            }
            Ok(_) if admission == Admission::Learned => self.pool.recycle(frame),
            Ok((_, Forward::Filter)) => self.pool.recycle(frame),
            Ok((_, Forward::Port(out))) if !leads_out(out) => self.pool.recycle(frame),
            Ok((class, Forward::Port(out))) => {
                let (lane, tag) = (ports[out].lane, bridge.tag_out(out, class));
                match self.pool.set_tag(frame, tag.map(|tag| tag.0)) {
                    Some(frame) => self.send_on(lane, release, unseen, frame),
                    None => self.lost(lane, Loss::NoMemory, 1),
                }
            }
            Ok((class, Forward::Flood)) => {
                self.flood((switch, port), class, (release, unseen), frame)
            }
        }
    }

    /// `frame`, which has come in by a port of a switch, leaves by all others that carry its VLAN. Where it
    /// gets the same tag, or none, it shares its memory.
    fn flood(
        &mut self,
        (switch, port): (usize, usize),
        class: Classified,
        (at, unseen): (Time, Duration),
        frame: Frame,
    ) {
        let mut forms: [Option<Frame>; 2] = [None, None];
        for out in 0..self.vlan_switches[switch].ports.len() {
            let VlanSwitch { bridge, ports, tree, .. } = &self.vlan_switches[switch];
            let carries = ports[out].lane != NO_LANE
                && bridge.carries(out, class.vlan)
                && tree.is_none_or(|tree| self.trees.forwards(tree, out));
            if out == port || !carries {
                continue;
            }
            let (lane, tag) = (ports[out].lane, bridge.tag_out(out, class));
            let form = &mut forms[usize::from(tag.is_some())];
            if form.is_none() {
                *form = self.pool.with_tag(&frame, tag.map(|tag| tag.0));
            }
            match form.as_ref().map(Frame::duplicate) {
                Some(copy) => self.send_on(lane, at, unseen, copy),
                None => self.lost(lane, Loss::NoMemory, 1),
            }
        }
        forms.into_iter().flatten().for_each(|form| self.pool.recycle(form));
        self.pool.recycle(frame);
    }

    /// A frame leaves its link at an interface with sub-interfaces: its tag says to which it goes.
    fn hand_over_by_tag(&mut self, lane: usize, index: usize, delivery: Delivery<Carried>) {
        let now = self.leave(lane, &delivery);
        let Interfaces { untagged, vlans } = &self.interfaces[index];
        let tag = delivery.frame.0.tag().map(|tag| Tag(tag).vlan());
        let Some((_, port)) = vlans.iter().find(|(vlan, _)| Some(*vlan) == tag) else {
            return self.send(lane, *untagged, now, delivery);
        };
        let (port, Delivery { frame: Carried(frame), info, passage, release }) = (*port, delivery);
        match self.pool.set_tag(frame, None) {
            Some(frame) => {
                let delivery = Delivery { frame: Carried(frame), info, passage, release };
                self.send(lane, port, now, delivery);
            }
            None => self.lost(lane, Loss::NoMemory, 1),
        }
    }

    /// What every port of switches that know VLANs is told and has refused.
    pub fn vlan_ports(&self) -> Vec<VlanPortStatus> {
        let switches = self.vlan_switches.iter();
        let ports = switches.flat_map(|switch| switch.ports.iter().zip(switch.bridge.ports()));
        let ports = ports.filter(|(port, _)| port.lane != NO_LANE);
        let status = |(port, vlans): (&Port, &PortVlans)| {
            // The lane out of a port begins at the end that the port is.
            let id = self.lanes[port.lane].id;
            let (link, end) = (id.link, id.direction);
            VlanPortStatus { link, end, vlans: vlans.clone(), dropped: port.dropped }
        };
        ports.map(status).collect()
    }
}
