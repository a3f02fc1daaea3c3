//! A frame as the link model and the fabric use it: headers for classification, congestion marks,
//! bit errors, and tags; and the memory of frames. Not here: the bytes themselves
//! (`netloom-ports`).

use etherparse::{LaxNetSlice, LaxSlicedPacket, TransportSlice};
use netloom_fabric::{Malformed, Memory};
use netloom_link::{Dscp, Ecn, FrameInfo, Header, Tag};
use netloom_ports::{Frame, FrameBuffer, HEADER_BYTES, Pool, Shape, VirtioHeader, split};

/// A frame in a pipe.
#[derive(Debug)]
pub struct PipeFrame(pub Frame);

impl netloom_link::Frame for PipeFrame {
    fn header(&self) -> Option<Header> {
        let packet = LaxSlicedPacket::from_ethernet(self.0.start()).ok()?;
        let (source, destination, protocol, traffic_class, fragmented) = match packet.net? {
            LaxNetSlice::Ipv4(ip) => {
                let header = ip.header();
                let class = header.dcp().value() << 2 | header.ecn().value();
                let addresses = (header.source_addr().into(), header.destination_addr().into());
                let fragmented = header.is_fragmenting_payload();
                (addresses.0, addresses.1, ip.payload().ip_number.0, class, fragmented)
            }
            LaxNetSlice::Ipv6(ip) => {
                let header = ip.header();
                let addresses = (header.source_addr().into(), header.destination_addr().into());
                let fragmented = ip.is_payload_fragmented();
                let class = header.traffic_class();
                (addresses.0, addresses.1, ip.payload().ip_number.0, class, fragmented)
            }
            _ => return None,
        };
        let (source_port, destination_port) = match packet.transport {
            Some(TransportSlice::Tcp(tcp)) if !fragmented => {
                (tcp.source_port(), tcp.destination_port())
            }
            Some(TransportSlice::Udp(udp)) if !fragmented => {
                (udp.source_port(), udp.destination_port())
            }
            _ => (0, 0),
        };
        Some(Header {
            source,
            destination,
            protocol,
            source_port,
            destination_port,
            dscp: traffic_class >> 2,
            ecn: Ecn::from_bits(traffic_class),
        })
    }

    fn tag_bytes(&self) -> u32 {
        self.0.tag_bytes() as u32
    }

    fn mark_congestion(&mut self) {
        self.0.mark_congestion();
    }

    fn remark(&mut self, dscp: Dscp) {
        self.0.remark(dscp.value());
    }

    fn flip_bits(&mut self, bits: &[u64]) {
        self.0.finish_checksum();
        self.0.flip_bits(bits);
    }

    fn duplicate(&self) -> Self {
        Self(self.0.duplicate())
    }
}

impl netloom_fabric::Frame for PipeFrame {
    #[inline]
    fn info(&self) -> Result<FrameInfo, Malformed> {
        match self.0.shape() {
            Ok(Shape::Single(length)) => Ok(FrameInfo::single(length)),
            Ok(Shape::Super(layout)) => {
                Ok(FrameInfo::coalesced(layout.frames(), layout.full(), layout.last()))
            }
            Err(_) => Err(Malformed),
        }
    }

    #[inline]
    fn start(&self) -> &[u8] {
        self.0.start()
    }

    #[inline]
    fn tag(&self) -> Option<Tag> {
        self.0.tag().map(Tag)
    }
}

/// Memory of frames.
#[derive(Debug)]
pub(crate) struct FrameMemory(Pool);

impl FrameMemory {
    /// Creates memory for at most `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self(Pool::new(limit))
    }

    /// Converts the content of a device's buffer to a frame, if there is memory for it.
    #[inline]
    pub fn take(&mut self, buffer: &mut FrameBuffer) -> Option<PipeFrame> {
        self.0.take(buffer).map(PipeFrame)
    }

    /// Returns a frame with this virtio-net header and these bytes, if there is memory for it.
    #[inline]
    pub fn frame_of_parts(
        &mut self,
        header: &[u8; HEADER_BYTES],
        bytes: &[u8],
    ) -> Option<PipeFrame> {
        self.0.frame_with(&VirtioHeader::decode(header), bytes).map(PipeFrame)
    }

    /// Recycles a frame that has left the network.
    #[inline]
    pub fn give_back(&mut self, frame: PipeFrame) {
        self.0.recycle(frame.0);
    }
}

impl Memory for FrameMemory {
    type Frame = PipeFrame;

    fn frame_of(&mut self, bytes: &[u8]) -> Option<PipeFrame> {
        self.0.frame_of(bytes).map(PipeFrame)
    }

    #[inline]
    fn admit(&mut self, frame: &mut PipeFrame) -> bool {
        self.0.admit(&mut frame.0)
    }

    #[inline]
    fn recycle(&mut self, frame: PipeFrame) {
        self.0.recycle(frame.0);
    }

    fn push_tag(&mut self, frame: PipeFrame, tag: Tag) -> Option<PipeFrame> {
        self.0.push_tag(frame.0, tag.0).map(PipeFrame)
    }

    fn set_tag(&mut self, frame: PipeFrame, tag: Option<Tag>) -> Option<PipeFrame> {
        self.0.set_tag(frame.0, tag.map(|tag| tag.0)).map(PipeFrame)
    }

    fn with_tag(&mut self, frame: &PipeFrame, tag: Option<Tag>) -> Option<PipeFrame> {
        self.0.with_tag(&frame.0, tag.map(|tag| tag.0)).map(PipeFrame)
    }

    fn split(
        &mut self,
        frame: PipeFrame,
        together: u32,
        pieces: &mut Vec<(FrameInfo, Option<PipeFrame>)>,
    ) {
        let Ok(Shape::Super(layout)) = frame.0.shape() else {
            unreachable!("only super-frames are longer than one wire frame")
        };
        let (frames, full, last) = (layout.frames(), layout.full(), layout.last());
        for first in (0..frames).step_by(together as usize) {
            let count = together.min(frames - first);
            let length = if first + count == frames { last } else { full };
            let piece = split(&frame.0, &layout, first, count, &mut self.0);
            pieces.push((FrameInfo::coalesced(count, full, length), piece.map(PipeFrame)));
        }
        self.0.recycle(frame.0);
    }
}

#[cfg(test)]
mod tests {
    use etherparse::PacketBuilder;
    use netloom_link::Frame as _;
    use netloom_ports::{FrameBuffer, HEADER_BYTES, Pool};

    use super::*;

    fn carried(bytes: &[u8]) -> PipeFrame {
        let mut buffer = FrameBuffer::default();
        buffer.room().0[HEADER_BYTES..HEADER_BYTES + bytes.len()].copy_from_slice(bytes);
        buffer.set_filled(HEADER_BYTES + bytes.len());
        PipeFrame(Pool::new(1 << 20).take(&mut buffer).expect("there is memory"))
    }

    #[test]
    fn the_headers_of_a_udp_packet_are_parsed() {
        let mut bytes = Vec::new();
        PacketBuilder::ethernet2([2; 6], [4; 6])
            .ipv4([10, 0, 0, 1], [10, 0, 0, 2], 64)
            .udp(1000, 53)
            .write(&mut bytes, b"question")
            .unwrap();
        bytes[15] = 46 << 2 | 2;
        let header = carried(&bytes).header().expect("an IP packet");
        assert_eq!((header.source.to_string(), header.protocol), ("10.0.0.1".into(), 17));
        assert_eq!((header.source_port, header.destination_port), (1000, 53));
        assert_eq!((header.dscp, header.ecn), (46, Ecn::Capable0));
    }

    #[test]
    fn a_frame_that_is_not_ip_has_none() {
        let mut arp = [0; 60];
        (arp[12], arp[13]) = (8, 6);
        assert_eq!(carried(&arp).header(), None);
    }
}
