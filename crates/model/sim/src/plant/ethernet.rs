//! Packets in Ethernet frames, which switches and classifying queues need: the frames, and the
//! memory of a [`netloom_fabric::Network`]. Not here: links without switches or classifying queues,
//! which carry bare packets.

use std::borrow::Cow;
use std::net::IpAddr;
use std::sync::Arc;

use netloom_fabric::{Frame, Malformed, Memory};
use netloom_link::{Dscp, FrameInfo, Header, Tag};

use crate::packet::ETHERNET;
use crate::{AddressBook, Packet, bytes};

/// Bytes of the two addresses at the beginning of a frame.
const ADDRESSES: usize = 12;
/// The value that a VLAN tag begins with (IEEE 802.1Q).
const TPID: u16 = 0x8100;
/// Bytes of a VLAN tag.
const TAG: u32 = 4;

/// An Ethernet frame that carries a packet, or a frame that a switch made itself.
#[derive(Debug, Clone)]
pub struct EthernetFrame {
    tag: Option<Tag>,
    content: Content,
}

#[derive(Debug, Clone)]
enum Content {
    Packet {
        /// Destination and source.
        addresses: [u8; ADDRESSES],
        packet: Packet,
        /// Source and destination addresses of the packet.
        ends: [IpAddr; 2],
    },
    /// All bytes of the frame, which is a BPDU.
    Bytes(Arc<[u8]>),
}

impl EthernetFrame {
    /// Returns a frame from one interface to another. `ends` are the packet's addresses.
    pub fn new(source: [u8; 6], destination: [u8; 6], packet: Packet, ends: [IpAddr; 2]) -> Self {
        let mut addresses = [0; ADDRESSES];
        addresses[..6].copy_from_slice(&destination);
        addresses[6..].copy_from_slice(&source);
        Self { tag: None, content: Content::Packet { addresses, packet, ends } }
    }

    /// Returns the packet in the frame if the frame is for `address`. An interface ignores other
    /// frames.
    pub fn packet_for(self, address: [u8; 6]) -> Option<Packet> {
        match self.content {
            Content::Packet { addresses, packet, .. } => {
                (addresses[..6] == address).then_some(packet)
            }
            Content::Bytes(_) => None,
        }
    }

    /// Returns the bytes of the frame that a capture shows: the headers of a packet, or all of a
    /// switch's own frame.
    pub fn headers(&self, book: &AddressBook) -> Vec<u8> {
        let (addresses, rest) = match &self.content {
            Content::Packet { addresses, packet, .. } => {
                (&addresses[..], Cow::Owned(bytes::of(packet, book)))
            }
            Content::Bytes(all) => (&all[..ADDRESSES], Cow::Borrowed(&all[ADDRESSES..])),
        };
        let tag = self.tag.map(|tag| [TPID.to_be_bytes(), tag.0.to_be_bytes()].concat());
        [addresses, &tag.unwrap_or_default(), &rest].concat()
    }

    /// Length of the frame on the wire, in bytes.
    pub(crate) fn bytes(&self) -> u32 {
        let tag = if self.tag.is_some() { TAG } else { 0 };
        tag + match &self.content {
            Content::Packet { packet, .. } => packet.bytes + ETHERNET,
            // Frames that switches make are short.
            Content::Bytes(bytes) => u32::try_from(bytes.len()).unwrap_or(u32::MAX - TAG),
        }
    }
}

impl netloom_link::Frame for EthernetFrame {
    fn header(&self) -> Option<Header> {
        let Content::Packet { packet, ends, .. } = &self.content else { return None };
        Some(packet.header_between(*ends))
    }

    fn tag_bytes(&self) -> u32 {
        if self.tag.is_some() { TAG } else { 0 }
    }

    fn mark_congestion(&mut self) {
        if let Content::Packet { packet, .. } = &mut self.content {
            packet.mark_congestion();
        }
    }

    fn remark(&mut self, dscp: Dscp) {
        if let Content::Packet { packet, .. } = &mut self.content {
            packet.remark(dscp);
        }
    }

    fn flip_bits(&mut self, bits: &[u64]) {
        match &mut self.content {
            Content::Packet { packet, .. } => packet.flip_bits(bits),
            Content::Bytes(bytes) => {
                let mut flipped = bytes.to_vec();
                let tag = if self.tag.is_some() { TAG as usize } else { 0 };
                for bit in bits {
                    let at = (bit / 8) as usize;
                    let at = if at < ADDRESSES { at } else { at.saturating_sub(tag) };
                    if let Some(byte) = flipped.get_mut(at) {
                        *byte ^= 0x80 >> (bit % 8);
                    }
                }
                *bytes = flipped.into();
            }
        }
    }

    fn duplicate(&self) -> Self {
        self.clone()
    }
}

impl Frame for EthernetFrame {
    fn info(&self) -> Result<FrameInfo, Malformed> {
        Ok(FrameInfo::single(self.bytes()))
    }

    fn start(&self) -> &[u8] {
        match &self.content {
            Content::Packet { addresses, .. } => addresses,
            // A BPDU behind a tag is not one.
            Content::Bytes(bytes) if self.tag.is_some() => &bytes[..ADDRESSES],
            Content::Bytes(bytes) => bytes,
        }
    }

    fn tag(&self) -> Option<Tag> {
        self.tag
    }
}

/// Memory of Ethernet frames. Only the machine's memory limits it.
#[derive(Debug, Default)]
pub struct FrameMemory;

impl Memory for FrameMemory {
    type Frame = EthernetFrame;

    fn frame_of(&mut self, bytes: &[u8]) -> Option<EthernetFrame> {
        let content = Content::Bytes(bytes.into());
        (bytes.len() >= ETHERNET as usize).then_some(EthernetFrame { tag: None, content })
    }

    fn admit(&mut self, _: &mut EthernetFrame) -> bool {
        true
    }

    fn recycle(&mut self, _: EthernetFrame) {}

    fn push_tag(&mut self, frame: EthernetFrame, tag: Tag) -> Option<EthernetFrame> {
        self.set_tag(frame, Some(tag))
    }

    fn set_tag(&mut self, frame: EthernetFrame, tag: Option<Tag>) -> Option<EthernetFrame> {
        Some(EthernetFrame { tag, ..frame })
    }

    fn with_tag(&mut self, frame: &EthernetFrame, tag: Option<Tag>) -> Option<EthernetFrame> {
        Some(EthernetFrame { tag, content: frame.content.clone() })
    }

    fn split(
        &mut self,
        frame: EthernetFrame,
        _together: u32,
        pieces: &mut Vec<(FrameInfo, Option<EthernetFrame>)>,
    ) {
        // Each frame is a single one.
        pieces.push((FrameInfo::single(frame.bytes()), Some(frame)));
    }
}
