//! Super-frames as a kernel hands them over, split by the engine, compared byte by byte with the
//! same super-frames split by the kernel. A packet socket in the sending host sends each through
//! its TAP interface twice, once with offloads and once without. The frames that arrive at the far
//! end are compared.

use std::io;
use std::mem;
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::Duration;

use crate::common::*;
use crate::lab::{INTERFACE, Namespace, available};
use etherparse::{PacketBuilder, TransportSlice, VlanId};
use netloom_dataplane::{Dataplane, End, LinkWiring};
use netloom_fabric::SegmentId;
use netloom_ports::memory::MemoryPeer;
use netloom_ports::{GsoKind, VirtioHeader, checksum};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};

/// An address that nobody else has, which distinguishes frames of the test from the kernel's own.
const SOURCE: [u8; 6] = [2, 0, 0, 0, 0xaa, 1];
const DESTINATION: [u8; 6] = [2, 0, 0, 0, 0xaa, 2];
const VLAN: u16 = 42;
const SEGMENT: u16 = 1400;
/// Ten full segments and a short one.
const PAYLOAD: usize = 10 * SEGMENT as usize + 123;

/// Two paddings and a timestamp.
const OPTIONS: [u8; 12] = [1, 1, 8, 10, 1, 2, 3, 4, 5, 6, 7, 8];

/// Splits everything: a queue limited in packets.
const CUTTING: &str = r#"{"rate":"10Gbit/s","queue":{"limit":"1000packets"}}"#;
const WHOLE: &str = "{}";

/// A super-frame to be sent.
struct SuperFrame {
    name: &'static str,
    header: VirtioHeader,
    bytes: Vec<u8>,
}

#[test]
fn the_engine_cuts_super_frames_as_the_kernel_does() {
    if !available("the_engine_cuts_super_frames_as_the_kernel_does") {
        return;
    }
    for frame in super_frames() {
        let name = frame.name;
        let whole = Host::new(WHOLE).pass(&frame);
        if frame.header.gso == Some(GsoKind::Udp) && whole.len() > 1 {
            println!("skipped: {name}: this kernel hands over no UDP super-frames");
            continue;
        }
        let sent: Vec<_> = whole.iter().map(|(header, _)| header.gso).collect();
        assert_eq!(sent, [frame.header.gso], "{name}: the engine gets it in one piece");
        let by_engine = wire(Host::new(CUTTING).pass(&frame));
        let unassisted = Host::new(WHOLE);
        unassisted.namespace.leave_nothing_to_the_interface().unwrap();
        let by_kernel = wire(unassisted.pass(&frame));
        assert_eq!(by_kernel.len(), 11, "{name}: the kernel has cut it");
        compare(name, &by_engine, &by_kernel);
        // A switch adds or removes the tag before the engine splits the frame.
        let retagged: Vec<_> = by_kernel.iter().map(|bytes| with_other_tag(bytes)).collect();
        compare(name, &wire(Host::behind_switch(&frame).pass(&frame)), &retagged);
    }
}

fn compare(name: &str, by_engine: &[Vec<u8>], by_kernel: &[Vec<u8>]) {
    assert_eq!(by_engine.len(), by_kernel.len(), "{name}");
    for (number, (engine, kernel)) in by_engine.iter().zip(by_kernel).enumerate() {
        assert_eq!(engine, kernel, "{name}: frame {number}");
    }
}

fn is_tagged(bytes: &[u8]) -> bool {
    bytes[12..14] == [0x81, 0]
}

/// Returns `bytes` without their tag, or with one if they have none.
fn with_other_tag(bytes: &[u8]) -> Vec<u8> {
    match is_tagged(bytes) {
        true => [&bytes[..12], &bytes[16..]].concat(),
        false => [&bytes[..12], &[0x81, 0, 0, VLAN as u8], &bytes[12..]].concat(),
    }
}

/// TCP and UDP over IPv4 and IPv6, tagged and not; TCP with options, FIN and PSH, and CWR.
fn super_frames() -> Vec<SuperFrame> {
    let ethernet = || PacketBuilder::ethernet2(SOURCE, DESTINATION);
    let vlan = || ethernet().single_vlan(VlanId::try_new(VLAN).unwrap());
    let (v4, v6) = (([10, 9, 0, 1], [10, 9, 0, 2], 64), ([0xfd; 16], [0xfe; 16], 64));
    // Its sequence numbers wrap around.
    let port = (1000, 2000, u32::MAX - 2000, 500);
    macro_rules! tcp {
        ($below:expr) => {{
            let tcp = $below.tcp(port.0, port.1, port.2, port.3).ack(77).psh().fin();
            written(|bytes, payload| {
                tcp.options_raw(&OPTIONS).unwrap().write(bytes, payload).unwrap();
            })
        }};
    }
    macro_rules! udp {
        ($below:expr) => {{
            let udp = $below.udp(1000, 2000);
            written(|bytes, payload| udp.write(bytes, payload).unwrap())
        }};
    }
    let (tcp4, tcp6) = (GsoKind::TcpV4, GsoKind::TcpV6);
    let mut frames = vec![
        super_frame("TCP, IPv4", tcp4, tcp!(ethernet().ipv4(v4.0, v4.1, v4.2))),
        super_frame("TCP, IPv6", tcp6, tcp!(ethernet().ipv6(v6.0, v6.1, v6.2))),
        super_frame("TCP, IPv4, tagged", tcp4, tcp!(vlan().ipv4(v4.0, v4.1, v4.2))),
        super_frame("TCP, IPv6, tagged", tcp6, tcp!(vlan().ipv6(v6.0, v6.1, v6.2))),
        super_frame("UDP, IPv4", GsoKind::Udp, udp!(ethernet().ipv4(v4.0, v4.1, v4.2))),
        super_frame("UDP, IPv6", GsoKind::Udp, udp!(ethernet().ipv6(v6.0, v6.1, v6.2))),
        super_frame("UDP, IPv4, tagged", GsoKind::Udp, udp!(vlan().ipv4(v4.0, v4.1, v4.2))),
    ];
    for name in ["TCP, IPv4, CWR", "TCP, IPv6, CWR"] {
        let from = usize::from(name.contains("IPv6"));
        let SuperFrame { mut header, mut bytes, .. } =
            SuperFrame { name, header: frames[from].header, bytes: frames[from].bytes.clone() };
        header.ecn = true;
        bytes[usize::from(header.checksum_start) + 13] |= 0x80;
        frames.push(SuperFrame { name, header, bytes });
    }
    frames
}

fn written(write: impl FnOnce(&mut Vec<u8>, &[u8])) -> Vec<u8> {
    let payload: Vec<u8> = (0..PAYLOAD).map(|index| (index % 251) as u8).collect();
    let mut bytes = Vec::new();
    write(&mut bytes, &payload);
    bytes
}

/// Returns `bytes` with a partial checksum, as a kernel leaves it to the device.
fn super_frame(name: &'static str, gso: GsoKind, mut bytes: Vec<u8>) -> SuperFrame {
    let (protocol, offset, header) = match gso {
        GsoKind::Udp => (17, 6, 8),
        _ => (6, 16, 20 + OPTIONS.len()),
    };
    let start = bytes.len() - PAYLOAD - header;
    let ipv4 = bytes[start - 20] == 0x45;
    let addresses = if ipv4 { start - 8..start } else { start - 32..start };
    let length = bytes.len() - start;
    let sum = u64::from(checksum::sum(&bytes[addresses])) + protocol + length as u64;
    bytes[start + offset..][..2].copy_from_slice(&checksum::fold(sum).to_be_bytes());
    let header = VirtioHeader {
        needs_checksum: true,
        gso: Some(gso),
        ecn: false,
        header_len: (start + header) as u16,
        gso_size: SEGMENT,
        checksum_start: start as u16,
        checksum_offset: offset as u16,
    };
    SuperFrame { name, header, bytes }
}

/// Returns wire frames with complete checksums.
fn wire(frames: Vec<(VirtioHeader, Vec<u8>)>) -> Vec<Vec<u8>> {
    let finished = frames.into_iter().map(|(header, mut bytes)| {
        assert_eq!(header.gso, None);
        checksum::finish(&header, &mut bytes);
        bytes
    });
    finished.collect()
}

/// A host with a TAP interface, and a link from there to a device in memory.
struct Host {
    namespace: Namespace,
    socket: OwnedFd,
    peer: MemoryPeer,
    _dataplane: Dataplane,
}

impl Host {
    fn new(text: &str) -> Self {
        Self::wired(|near, far| vec![link("l", [near, far], text)])
    }

    /// Puts a switch between the two that removes the tag from `frame`, or adds one, followed by a
    /// link that splits.
    fn behind_switch(frame: &SuperFrame) -> Self {
        let port = |text: String| {
            End::vlan_port(SegmentId(0), serde_json::from_str(&text).expect("a port"))
        };
        let native = format!(r#"{{"trunk":{{"allowed":"all","native":{VLAN}}}}}"#);
        let leaving = match is_tagged(&frame.bytes) {
            true => format!(r#"{{"access":{VLAN}}}"#),
            false => format!(r#"{{"trunk":{{"allowed":{VLAN}}}}}"#),
        };
        Self::wired(|near, far| {
            let first = link("near", [near, port(native)], WHOLE);
            vec![first, link("far", [port(leaving), far], CUTTING)]
        })
    }

    fn wired(links: impl FnOnce(End, End) -> Vec<LinkWiring>) -> Self {
        let namespace = Namespace::new().unwrap();
        let tap = namespace.add_tap(1).unwrap();
        let (far, peer) = device();
        let links = links(End::Port(Box::new(tap)), far);
        let wiring = wiring(links);
        let _dataplane = Dataplane::start(wiring, options()).unwrap();
        let socket = namespace.run(packet_socket);
        Self { namespace, socket, peer, _dataplane }
    }

    /// Sends `frame` and returns the frames that arrive, with their virtio-net headers.
    fn pass(&self, frame: &SuperFrame) -> Vec<(VirtioHeader, Vec<u8>)> {
        let raw = [&frame.header.encode()[..], &frame.bytes].concat();
        // SAFETY: the kernel reads the buffer, which outlives the call.
        let sent =
            unsafe { libc::send(self.socket.as_raw_fd(), raw.as_ptr().cast(), raw.len(), 0) };
        let error = io::Error::last_os_error();
        assert_eq!(sent, raw.len() as isize, "{}: {error}", frame.name);
        let mut arrived: Vec<(VirtioHeader, Vec<u8>)> = Vec::new();
        while arrived.iter().map(|frame| self.payload(frame)).sum::<usize>() < PAYLOAD {
            let next = self.peer.receive_with(PATIENCE).expect("all of the super-frame");
            if next.1[6..12] == SOURCE {
                arrived.push(next);
            }
        }
        assert!(self.peer.receive_with(Duration::ZERO).is_none_or(|next| next.1[6..12] != SOURCE));
        arrived
    }

    fn payload(&self, (_, bytes): &(VirtioHeader, Vec<u8>)) -> usize {
        let packet = etherparse::LaxSlicedPacket::from_ethernet(bytes).unwrap();
        match packet.transport.expect("TCP or UDP") {
            TransportSlice::Tcp(tcp) => tcp.payload().len(),
            TransportSlice::Udp(udp) => udp.payload().len(),
            _ => 0,
        }
    }
}

/// Opens a packet socket with virtio-net headers on the interface, in the thread's namespace.
fn packet_socket() -> OwnedFd {
    const PACKET_VNET_HDR: libc::c_int = 15;
    let flags = SockFlag::SOCK_CLOEXEC;
    let socket = socket(AddressFamily::Packet, SockType::Raw, flags, None).unwrap();
    let on: libc::c_int = 1;
    // SAFETY: all zeros is a valid address.
    let mut address: libc::sockaddr_ll = unsafe { mem::zeroed() };
    address.sll_family = libc::AF_PACKET as u16;
    address.sll_ifindex = nix::net::if_::if_nametoindex(INTERFACE).unwrap() as i32;
    // SAFETY: the kernel reads the integer and the address, which outlive the calls, with the given
    // lengths.
    let outcome = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_PACKET,
            PACKET_VNET_HDR,
            (&raw const on).cast(),
            mem::size_of_val(&on) as u32,
        ) | libc::bind(
            socket.as_raw_fd(),
            (&raw const address).cast(),
            mem::size_of_val(&address) as u32,
        )
    };
    assert_eq!(outcome, 0, "{}", io::Error::last_os_error());
    socket
}
