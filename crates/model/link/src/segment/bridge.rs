//! A VLAN-aware switch (IEEE 802.1Q): the VLAN of a frame, the ports by which it leaves, and its
//! tag there. Not here: frames. Whoever owns the switch reads and writes their tags.

use netloom_units::Time;

use super::{Forward, LearningTable, MacKey, PortVlans, Tag, Vid, VlanDrop};

/// A switch that learns addresses in each VLAN separately and never lets a frame leave its VLAN.
///
/// Call [`receive`](Self::receive) with the tag and addresses of a frame. If it returns
/// [`Forward::Flood`], the frame leaves by every other port that [`carries`](Self::carries) its
/// VLAN. At each port it leaves with the tag that [`tag_out`](Self::tag_out) returns.
#[derive(Debug, Default)]
pub struct VlanBridge {
    table: LearningTable,
    ports: Vec<PortVlans>,
}

/// The VLAN of a frame, and its priority.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Classified {
    /// The VLAN.
    pub vlan: Vid,
    /// Tag of the frame where it needs one: of this VLAN, with the priority of the tag with which
    /// the frame arrived.
    tag: Tag,
}

impl VlanBridge {
    /// Adds a port and returns its number.
    pub fn add_port(&mut self, vlans: PortVlans) -> usize {
        self.ports.push(vlans);
        self.ports.len() - 1
    }

    /// Sets the VLANs of `port`, to which another link was connected, and forgets the addresses
    /// behind it.
    pub fn replace_port(&mut self, port: usize, vlans: PortVlans) {
        self.forget_port(port);
        self.ports[port] = vlans;
    }

    /// Receives a frame on `port`, tagged or not. Returns its VLAN and where it goes. The source is
    /// behind that port from now on, in that VLAN.
    ///
    /// # Errors
    /// The port refuses the frame. Nothing is learned then.
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

    /// The treatment of tags at each port.
    pub fn ports(&self) -> &[PortVlans] {
        &self.ports
    }

    /// Forgets every address behind `port`, in all VLANs, as when its link goes down.
    pub fn forget_port(&mut self, port: usize) {
        self.table.forget_port(port);
    }
}
