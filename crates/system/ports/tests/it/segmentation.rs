//! Cutting of super-frames into wire frames: compared with golden bytes, and for any super-frame.

use std::io;
use std::os::fd::BorrowedFd;
use std::time::Duration;

use netloom_ports::memory::MemoryDevice;
use netloom_ports::{
    Capabilities, Carrier, Frame, FrameBuffer, FrameDevice, GsoKind, Malformed, Offload, Pool,
    SendError, Shape, SuperFrame, VirtioHeader, checksum, fitted, memory, split,
};
use proptest::collection::vec;
use proptest::prelude::*;

const PATTERN_PRIME: usize = 251;

/// Description of a super-frame to be built.
#[derive(Debug, Clone)]
struct Packet {
    udp: bool,
    ipv6: bool,
    vlan_tags: usize,
    /// Length of the IP options, a multiple of four bytes.
    ip_options: usize,
    tcp_options: usize,
    flags: u8,
    sequence: u32,
    identification: u16,
    payload: usize,
    gso_size: u16,
    ecn: bool,
}

const EXAMPLE: Packet = Packet {
    udp: false,
    ipv6: false,
    vlan_tags: 0,
    ip_options: 0,
    tcp_options: 12,
    flags: 0x98 | 0x01, // CWR, ACK, PSH, FIN
    sequence: 0xffff_fff0,
    identification: 0xffff,
    payload: 2500,
    gso_size: 1000,
    ecn: true,
};

impl Packet {
    fn network(&self) -> usize {
        14 + 4 * self.vlan_tags
    }

    fn transport(&self) -> usize {
        self.network() + if self.ipv6 { 40 } else { 20 + self.ip_options }
    }

    fn payload_at(&self) -> usize {
        self.transport() + if self.udp { 8 } else { 20 + self.tcp_options }
    }

    fn checksum_offset(&self) -> usize {
        if self.udp { 6 } else { 16 }
    }

    fn header(&self) -> VirtioHeader {
        VirtioHeader {
            needs_checksum: true,
            gso: Some(match (self.udp, self.ipv6) {
                (true, _) => GsoKind::Udp,
                (false, true) => GsoKind::TcpV6,
                (false, false) => GsoKind::TcpV4,
            }),
            ecn: self.ecn,
            header_len: self.payload_at() as u16,
            gso_size: self.gso_size,
            checksum_start: self.transport() as u16,
            checksum_offset: self.checksum_offset() as u16,
        }
    }

    /// The bytes of wire frame number `index`, which carries the payload `range`, with a partial
    /// checksum.
    fn bytes(&self, range: std::ops::Range<usize>, index: usize) -> Vec<u8> {
        let (first, last) = (range.start == 0, range.end == self.payload);
        let mut bytes = vec![2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2];
        for _ in 0..self.vlan_tags {
            bytes.extend([0x81, 0x00, 0x00, 0x07]);
        }
        bytes.extend(if self.ipv6 { [0x86, 0xdd] } else { [0x08, 0x00] });
        let after_network = self.payload_at() - self.transport() + range.len();
        self.push_network(&mut bytes, index, after_network);
        if self.udp {
            bytes.extend([0x10, 0x00, 0x20, 0x00]);
            bytes.extend((after_network as u16).to_be_bytes());
            bytes.extend([0, 0]);
        } else {
            let mut flags = self.flags;
            flags &= if last { 0xff } else { !0x09 };
            flags &= if first { 0xff } else { !0x80 };
            bytes.extend([0x10, 0x00, 0x20, 0x00]);
            bytes.extend(self.sequence.wrapping_add(range.start as u32).to_be_bytes());
            bytes.extend([0, 0, 0, 9, ((20 + self.tcp_options) as u8 / 4) << 4, flags]);
            bytes.extend([0xff, 0xff, 0, 0, 0, 0]);
            bytes.extend((0..self.tcp_options).map(|_| 1));
        }
        let partial = self.pseudo_sum(&bytes, after_network).to_be_bytes();
        let at = self.transport() + self.checksum_offset();
        bytes[at..at + 2].copy_from_slice(&partial);
        bytes.extend(range.map(|index| (index % PATTERN_PRIME) as u8));
        bytes
    }

    fn push_network(&self, bytes: &mut Vec<u8>, index: usize, after: usize) {
        let protocol = if self.udp { 17 } else { 6 };
        if self.ipv6 {
            bytes.extend([0x60, 0, 0, 0]);
            bytes.extend((after as u16).to_be_bytes());
            bytes.extend([protocol, 64]);
            bytes.extend((0..32).map(|byte| 0x20 + byte));
            return;
        }
        let start = bytes.len();
        let header = 20 + self.ip_options;
        bytes.extend([0x40 | (header / 4) as u8, 0]);
        bytes.extend(((header + after) as u16).to_be_bytes());
        bytes.extend(self.identification.wrapping_add(index as u16).to_be_bytes());
        bytes.extend([0x40, 0, 64, protocol, 0, 0, 10, 0, 0, 1, 10, 0, 0, 2]);
        bytes.extend((0..self.ip_options).map(|_| 1));
        let sum = !checksum::sum(&bytes[start..]);
        bytes[start + 10..start + 12].copy_from_slice(&sum.to_be_bytes());
    }

    fn pseudo_sum(&self, bytes: &[u8], length: usize) -> u16 {
        let at = self.network();
        let addresses = if self.ipv6 { &bytes[at + 8..at + 40] } else { &bytes[at + 12..at + 20] };
        let protocol = if self.udp { 17u64 } else { 6 };
        checksum::fold(u64::from(checksum::sum(addresses)) + protocol + length as u64)
    }

    fn wire_frames(&self) -> Vec<Vec<u8>> {
        let step = usize::from(self.gso_size);
        (0..self.payload.div_ceil(step))
            .map(|index| self.bytes(index * step..((index + 1) * step).min(self.payload), index))
            .collect()
    }
}

/// Makes a frame of `bytes` as if the engine had received it.
fn received(header: &VirtioHeader, bytes: &[u8], pool: &mut Pool) -> Frame {
    let (mut device, peer) = memory::pair(1).unwrap();
    assert!(peer.send_with(header, bytes));
    let mut buffer = FrameBuffer::default();
    assert!(device.receive(&mut buffer).unwrap());
    pool.take(&mut buffer).unwrap()
}

fn super_frame(packet: &Packet, pool: &mut Pool) -> (Frame, SuperFrame) {
    let frame = received(&packet.header(), &packet.bytes(0..packet.payload, 0), pool);
    match frame.shape().unwrap() {
        Shape::Super(layout) => (frame, layout),
        Shape::Single(_) => panic!("not a super-frame"),
    }
}

fn pool() -> Pool {
    Pool::new(1 << 28)
}

#[test]
fn tcp_over_ipv4_against_golden_bytes() {
    let mut pool = pool();
    let (frame, layout) = super_frame(&EXAMPLE, &mut pool);
    assert_eq!((layout.frames(), layout.full(), layout.last()), (3, 1066, 566));
    let pieces: Vec<_> = (0..3).map(|i| split(&frame, &layout, i, 1, &mut pool).unwrap()).collect();
    // Total length 1052, identification 0xffff; sequence 0xfffffff0; CWR and ACK.
    assert_eq!(pieces[0].start()[14..26], hex("4500 041c ffff 4000 4006 22da"));
    assert_eq!(pieces[0].start()[34..54], hex("1000 2000 fffffff0 00000009 8090 ffff 1811 0000"));
    // Identification and sequence wrap; ACK only.
    assert_eq!(pieces[1].start()[14..26], hex("4500 041c 0000 4000 4006 22da"));
    assert_eq!(pieces[1].start()[34..54], hex("1000 2000 000003d8 00000009 8010 ffff 1811 0000"));
    // The last piece: 500 bytes, ACK, PSH and FIN.
    assert_eq!(pieces[2].start()[14..26], hex("4500 0228 0001 4000 4006 24cd"));
    assert_eq!(pieces[2].start()[34..54], hex("1000 2000 000007c0 00000009 8019 ffff 161d 0000"));
    for piece in &pieces {
        let header = piece.header();
        assert_eq!((header.gso, header.gso_size, header.ecn), (None, 0, false));
        assert!(header.needs_checksum && header.checksum_start == 34);
    }
}

fn hex(text: &str) -> Vec<u8> {
    let digits: Vec<u32> = text.chars().filter_map(|digit| digit.to_digit(16)).collect();
    digits.chunks(2).map(|pair| (pair[0] * 16 + pair[1]) as u8).collect()
}

#[test]
fn a_piece_of_several_segments_is_a_smaller_super_frame() {
    let mut pool = pool();
    let (frame, layout) = super_frame(&EXAMPLE, &mut pool);
    let first = split(&frame, &layout, 0, 2, &mut pool).unwrap();
    let last = split(&frame, &layout, 2, 2, &mut pool).unwrap();
    assert!(first.header().ecn && first.is_super());
    assert_eq!((first.header().gso_size, first.header().header_len), (1000, 66));
    assert!(!last.is_super());
    let Shape::Super(inner) = first.shape().unwrap() else { panic!("not a super-frame") };
    assert_eq!((inner.frames(), inner.last()), (2, 1066));
}

/// Headers that the kernel never makes.
#[test]
fn hostile_headers_are_rejected() {
    let good = EXAMPLE.header();
    let bytes = EXAMPLE.bytes(0..EXAMPLE.payload, 0);
    let shape = |header: VirtioHeader, bytes: &[u8]| {
        received(&header, bytes, &mut pool()).shape().unwrap_err()
    };
    assert_eq!(shape(VirtioHeader { gso_size: 0, ..good }, &bytes), Malformed::SegmentSize(0));
    let unknown = VirtioHeader { gso: Some(GsoKind::Unknown(3)), ..good };
    assert_eq!(shape(unknown, &bytes), Malformed::Kind(3));
    assert_eq!(shape(VirtioHeader { needs_checksum: false, ..good }, &bytes), Malformed::Checksum);
    assert_eq!(shape(VirtioHeader { checksum_offset: 17, ..good }, &bytes), Malformed::Checksum);
    assert_eq!(shape(VirtioHeader { checksum_start: 38, ..good }, &bytes), Malformed::Headers);
    assert_eq!(shape(VirtioHeader { checksum_start: 65_535, ..good }, &bytes), Malformed::Headers);
    assert_eq!(shape(good, &bytes[..66]), Malformed::Headers, "no payload");
    assert_eq!(shape(good, &bytes[..40]), Malformed::Headers);
    assert_eq!(shape(good, &bytes[..10]), Malformed::Runt);
    let mut fragment = bytes.clone();
    fragment[20] |= 0x20;
    assert_eq!(shape(good, &fragment), Malformed::Headers);
    let mut other_protocol = bytes;
    other_protocol[23] = 17;
    assert_eq!(shape(good, &other_protocol), Malformed::Headers);
}

/// A device without some offloads.
struct Simple(MemoryDevice, Offload);

impl FrameDevice for Simple {
    fn capabilities(&self) -> Capabilities {
        Capabilities { offload: self.1 }
    }

    fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.0.fd()
    }

    fn receive(&mut self, into: &mut FrameBuffer) -> io::Result<bool> {
        self.0.receive(into)
    }

    fn send(&mut self, frame: &Frame) -> Result<(), SendError> {
        self.0.send(frame)
    }

    fn carrier(&self) -> Option<Box<dyn Carrier>> {
        self.0.carrier()
    }
}

/// Frames that leave a device with that offload when `frame` is sent through the stage in front of
/// it.
fn through(offload: Offload, frame: &Frame) -> Vec<(VirtioHeader, Vec<u8>)> {
    let (device, peer) = memory::pair(1000).unwrap();
    fitted(Box::new(Simple(device, offload))).send(frame).unwrap();
    std::iter::from_fn(|| peer.receive_with(Duration::ZERO)).collect()
}

#[test]
fn a_device_gets_what_it_takes() {
    let mut pool = pool();
    let (frame, _) = super_frame(&EXAMPLE, &mut pool);
    let whole = through(Offload::Segmentation, &frame);
    assert_eq!(whole, [(EXAMPLE.header(), frame.to_vec())]);
    let cut = through(Offload::Checksum, &frame);
    assert!(cut.iter().all(|(header, _)| header.gso.is_none() && header.needs_checksum));
    let bytes: Vec<_> = cut.iter().map(|(_, bytes)| bytes.clone()).collect();
    assert_eq!(bytes, EXAMPLE.wire_frames());
    let finished = through(Offload::None, &frame);
    let by_hand = cut.iter().map(|(header, bytes)| {
        let mut bytes = bytes.clone();
        checksum::finish(header, &mut bytes);
        (VirtioHeader::default(), bytes)
    });
    assert_eq!(finished, by_hand.collect::<Vec<_>>());
    // A frame that is not a super-frame.
    let (header, bytes) = &cut[0];
    let single = received(header, bytes, &mut pool);
    assert_eq!(through(Offload::Checksum, &single), cut[..1]);
    assert_eq!(through(Offload::None, &single), finished[..1]);
    assert!(single.header().needs_checksum, "the sender's frame is as it was");
}

#[test]
fn pieces_that_a_device_has_no_room_for_are_an_error() {
    let (frame, _) = super_frame(&EXAMPLE, &mut pool());
    let (device, peer) = memory::pair(2).unwrap();
    let mut device = fitted(Box::new(Simple(device, Offload::None)));
    assert!(matches!(device.send(&frame), Err(SendError::Full)));
    let left = std::iter::from_fn(|| peer.receive(Duration::ZERO)).count();
    assert_eq!(left, 2, "the first two of three were taken");
}

fn packet() -> impl Strategy<Value = Packet> {
    let kind = (any::<bool>(), any::<bool>(), 0usize..3, 0usize..4, 0usize..10);
    let tcp = (any::<u8>(), any::<u32>(), any::<u16>(), any::<bool>());
    (kind, tcp, 1usize..65_000, 200u16..9000).prop_map(
        |(
            (udp, ipv6, vlan_tags, ip, tcp),
            (flags, sequence, identification, ecn),
            payload,
            gso_size,
        )| Packet {
            udp,
            ipv6,
            vlan_tags,
            ip_options: ip * 4,
            tcp_options: tcp * 4,
            flags,
            sequence,
            identification,
            payload,
            gso_size,
            ecn,
        },
    )
}

/// Whether the finished checksum of `frame` is right.
fn verifies(packet: &Packet, frame: &Frame) -> bool {
    let mut bytes = frame.to_vec();
    checksum::finish(&frame.header(), &mut bytes);
    let length = bytes.len() - packet.transport();
    let sum = u64::from(checksum::sum(&bytes[packet.transport()..]))
        + u64::from(packet.pseudo_sum(&bytes, length));
    checksum::fold(sum) == 0xffff
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// Each wire frame is the one that the sender itself would have sent, and its checksum is
    /// right.
    #[test]
    fn pieces_are_the_frames_that_an_unassisted_sender_makes(packet in packet()) {
        let mut pool = pool();
        let (frame, layout) = super_frame(&packet, &mut pool);
        let expected = packet.wire_frames();
        prop_assert_eq!(layout.frames() as usize, expected.len());
        for (index, expected) in expected.iter().enumerate() {
            let piece = split(&frame, &layout, index as u32, 1, &mut pool).unwrap();
            prop_assert_eq!(&piece.to_vec(), expected, "frame {}", index);
            prop_assert!(verifies(&packet, &piece));
            let last = index + 1 == layout.frames() as usize;
            let length = if last { layout.last() } else { layout.full() };
            prop_assert_eq!(piece.len(), length as usize);
            pool.recycle(piece);
        }
    }

    /// Cutting in two steps gives the same frames as cutting in one.
    #[test]
    fn pieces_of_pieces_are_pieces(packet in packet(), together in 1u32..20) {
        let mut pool = pool();
        let (frame, layout) = super_frame(&packet, &mut pool);
        let mut wire = Vec::new();
        for first in (0..layout.frames()).step_by(together as usize) {
            let piece = split(&frame, &layout, first, together, &mut pool).unwrap();
            match piece.shape().unwrap() {
                Shape::Single(_) => wire.push(piece.to_vec()),
                Shape::Super(inner) => wire.extend((0..inner.frames()).map(|index| {
                    split(&piece, &inner, index, 1, &mut pool).unwrap().to_vec()
                })),
            }
        }
        prop_assert_eq!(wire, packet.wire_frames());
    }

    /// No bytes of a sender make the engine fail: a frame is rejected, or it can be cut.
    #[test]
    fn any_bytes_are_rejected_or_cut(
        header in any::<[u8; 10]>(),
        kind in prop_oneof![Just(1u8), Just(4), Just(5), any::<u8>()],
        mut bytes in vec(any::<u8>(), 0..3000),
        likely in any::<bool>(),
        flip in (0usize..80, any::<u8>()),
    ) {
        let mut header = VirtioHeader::decode(&header);
        header.gso = VirtioHeader::decode(&[1, kind, 0, 0, 0, 0, 0, 0, 0, 0]).gso;
        if likely {
            // A valid super-frame with one byte changed.
            header = EXAMPLE.header();
            bytes = EXAMPLE.bytes(0..EXAMPLE.payload, 0);
            bytes[flip.0] = flip.1;
        }
        let mut pool = pool();
        let frame = received(&header, &bytes, &mut pool);
        if let Ok(Shape::Super(layout)) = frame.shape() {
            for first in [0, layout.frames() - 1, layout.frames(), u32::MAX / 70_000] {
                let piece = split(&frame, &layout, first, 3, &mut pool).unwrap();
                prop_assert!(piece.len() <= frame.len());
            }
        }
    }
}
