//! A switch that knows VLANs (IEEE 802.1Q): which VLAN a frame is in, which ports it leaves by, and with
//! which tag. Not here: frames; whoever owns the switch reads and writes their tags.

use netloom_units::Time;

use super::{Forward, LearningTable, MacKey, PortVlans, Tag, Vid, VlanDrop};

/// A switch that learns addresses in each VLAN by itself, and never lets a frame leave its VLAN.
///
/// Call [`receive`](Self::receive) with what a frame says; where it answers [`Forward::Flood`], the
/// frame leaves by every other port that [`carries`](Self::carries) its VLAN. Out of each port it goes
/// with the tag that [`tag_out`](Self::tag_out) says.
#[derive(Debug, Default)]
pub struct VlanBridge {
    table: LearningTable,
    ports: Vec<PortVlans>,
}

/// The VLAN that a frame is in, and its priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Classified {
    /// The VLAN.
    pub vlan: Vid,
    /// The tag where it needs one: of this VLAN, with the priority that the frame came with.
    tag: Tag,
}

impl VlanBridge {
    /// Adds a port; its number.
    pub fn add_port(&mut self, vlans: PortVlans) -> usize {
        self.ports.push(vlans);
        self.ports.len() - 1
    }

    /// Another link is at `port`: tells it anew what to do, and forgets what was behind it.
    pub fn replace_port(&mut self, port: usize, vlans: PortVlans) {
        self.forget_port(port);
        self.ports[port] = vlans;
    }

    /// A frame has come in by `port`, tagged or not: the VLAN that it is in, and where it goes. Its
    /// source is behind that port from now on, in that VLAN.
    ///
    /// # Errors
    /// If the port refuses it; nothing is learned then.
    pub fn receive(
        &mut self,
        now: Time,
        port: usize,
        tag: Option<Tag>,
        (source, destination): (MacKey, MacKey),
    ) -> Result<(Classified, Forward), VlanDrop> {
        let vlan = self.ports[port].classify(tag)?;
        let (source, destination) = (source.in_vlan(vlan), destination.in_vlan(vlan));
        let tag = tag.unwrap_or_default().moved_to(vlan);
        Ok((Classified { vlan, tag }, self.table.forward(now, port, source, destination)))
    }

    /// Whether frames of `vlan` leave by `port`.
    pub fn carries(&self, port: usize, vlan: Vid) -> bool {
        self.ports[port].carries(vlan)
    }

    /// The tag with which a frame leaves by `port`.
    pub fn tag_out(&self, port: usize, frame: Classified) -> Option<Tag> {
        (self.ports[port].untagged() != Some(frame.vlan)).then_some(frame.tag)
    }

    /// What the ports do with tags.
    pub fn ports(&self) -> &[PortVlans] {
        &self.ports
    }

    /// Forgets every address behind `port`, in all VLANs, as when its link goes down.
    pub fn forget_port(&mut self, port: usize) {
        self.table.forget_port(port);
    }
}
