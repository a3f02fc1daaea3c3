//! Real nodes joined to a simulated network. The real nodes `a` and `b` and the simulated host `h`
//! are all at the simulated router `r`.

use etherparse::{
    Icmpv4Type, Icmpv6Type, NetSlice, PacketBuilder, SlicedPacket, TransportSlice, icmpv4,
};
use netloom_sim::{Cell, InterfaceId, Leaving, Origin, Refused};
use netloom_units::{Duration, Time};

use crate::common::{Sketch, at, whole};

const A: InterfaceId = InterfaceId { node: 0, interface: 0 };
const B: InterfaceId = InterfaceId { node: 2, interface: 0 };
/// The router at the link of `a`.
const ROUTER: [u8; 6] = [2, 0, 0, 0, 0, 2];
/// Properties of a link that takes 10 ms.
const SLOW: &str = r#"{"delay":"10ms"}"#;

/// Returns the network. `links` are the properties of the links to `a`, `b` and `h`; `mtu` is the
/// MTU of the link to `b`.
fn joined(links: [&str; 3], mtu: u32) -> Cell {
    let mut sketch = Sketch::new(1);
    let [a, r] = [("a", false), ("r", true)].map(|(name, forwards)| sketch.node(name, forwards));
    let [b, h] = ["b", "h"].map(|name| sketch.node(name, false));
    sketch.link([a, r], links[0]);
    sketch.link_with_mtu([b, r], links[1], mtu);
    sketch.link([h, r], links[2]);
    sketch.default_route(h, 0);
    for real in [a, b] {
        sketch.network.nodes[real as usize].real = true;
    }
    let mut simulation = whole(sketch.network, Vec::new());
    simulation.cells.remove(0)
}

fn v4(from: &str, to: &str) -> etherparse::PacketBuilderStep<etherparse::IpHeaders> {
    PacketBuilder::ipv4(octets(from), octets(to), 64)
}

fn octets(text: &str) -> [u8; 4] {
    text.parse::<std::net::Ipv4Addr>().expect("an address").octets()
}

fn built<T>(payload: &[u8], write: impl FnOnce(&mut Vec<u8>, &[u8]) -> Result<(), T>) -> Vec<u8> {
    let mut packet = Vec::new();
    assert!(write(&mut packet, payload).is_ok());
    packet
}

fn echo(from: &str, to: &str, payload: &[u8]) -> Vec<u8> {
    built(payload, |into, payload| v4(from, to).icmpv4_echo_request(7, 9).write(into, payload))
}

fn datagram(from: &str, to: &str, payload: &[u8]) -> Vec<u8> {
    built(payload, |into, payload| v4(from, to).udp(5000, 53).write(into, payload))
}

/// Sends `packet` from `a` at 5 ms and returns everything that leaves afterwards.
fn after(cell: &mut Cell, packet: &[u8]) -> Vec<Leaving> {
    cell.advance(at(5)).expect("no loop");
    cell.enter(A, ROUTER, packet).expect("it is taken");
    cell.advance(at(1000)).expect("no loop");
    cell.take_leaving()
}

fn only(leaving: Vec<Leaving>) -> Leaving {
    assert_eq!(leaving.len(), 1, "{leaving:?}");
    leaving.into_iter().next().expect("one")
}

/// Parses the packet and checks all of its checksums.
fn right(packet: &[u8]) -> SlicedPacket<'_> {
    let sliced = SlicedPacket::from_ip(packet).expect("a packet");
    match (&sliced.net, &sliced.transport) {
        (Some(NetSlice::Ipv4(ip)), transport) => {
            let header = ip.header().to_header();
            assert_eq!(header.header_checksum, header.calc_header_checksum());
            match transport {
                Some(TransportSlice::Icmpv4(icmp)) => {
                    let right = icmp.icmp_type().calc_checksum(icmp.payload());
                    assert_eq!(icmp.checksum(), right);
                }
                Some(TransportSlice::Tcp(tcp)) => {
                    let right = tcp.to_header().calc_checksum_ipv4(&header, tcp.payload());
                    assert_eq!(Ok(tcp.checksum()), right);
                }
                _ => {}
            }
        }
        (Some(NetSlice::Ipv6(ip)), Some(TransportSlice::Icmpv6(icmp))) => {
            let header = ip.header();
            assert!(icmp.is_checksum_valid(header.source(), header.destination()));
        }
        _ => {}
    }
    sliced
}

#[test]
fn a_simulated_host_answers_a_ping_with_its_bytes() {
    let mut cell = joined([SLOW; 3], 1500);
    let leaving = only(after(&mut cell, &echo("10.0.0.1", "10.0.2.1", b"these bytes")));
    assert_eq!((leaving.at, leaving.time), (A, at(5 + 40)));
    let packet = right(&leaving.packet);
    let Some(TransportSlice::Icmpv4(icmp)) = packet.transport else { panic!("{packet:?}") };
    let Icmpv4Type::EchoReply(header) = icmp.icmp_type() else { panic!("{icmp:?}") };
    assert_eq!((header.id, header.seq, icmp.payload()), (7, 9, &b"these bytes"[..]));
}

#[test]
fn in_ipv6_too() {
    let mut cell = joined([SLOW; 3], 1500);
    let ends = ["fd00::1", "fd00:0:0:2::1"]
        .map(|end| end.parse::<std::net::Ipv6Addr>().expect("an address").octets());
    let request = built(b"these bytes", |into, payload| {
        PacketBuilder::ipv6(ends[0], ends[1], 64).icmpv6_echo_request(7, 9).write(into, payload)
    });
    let leaving = only(after(&mut cell, &request));
    let packet = right(&leaving.packet);
    let Some(TransportSlice::Icmpv6(icmp)) = packet.transport else { panic!("{packet:?}") };
    let Icmpv6Type::EchoReply(header) = icmp.icmp_type() else { panic!("{icmp:?}") };
    assert_eq!((header.id, header.seq, icmp.payload()), (7, 9, &b"these bytes"[..]));
}

#[test]
fn what_goes_from_one_real_node_to_another_is_the_same_but_for_its_hops() {
    let mut cell = joined([SLOW; 3], 1500);
    let sent = datagram("10.0.0.1", "10.0.1.1", b"hello");
    let Leaving { at: place, time, origin, packet } = only(after(&mut cell, &sent));
    assert_eq!((place, time), (B, at(25)));
    assert_eq!(origin, Some(Origin { by: A, at: at(5) }));
    right(&packet);
    let mut expected = sent;
    expected[8] -= 1;
    expected[10..12].copy_from_slice(&packet[10..12]);
    assert_eq!(packet, expected);
}

#[test]
fn an_error_of_no_hops_left_contains_the_packet() {
    let mut cell = joined([SLOW; 3], 1500);
    let mut sent = datagram("10.0.0.1", "10.0.1.1", b"hello");
    sent[8] = 1;
    let leaving = only(after(&mut cell, &sent));
    let packet = right(&leaving.packet);
    let Some(TransportSlice::Icmpv4(icmp)) = packet.transport else { panic!("{packet:?}") };
    assert!(matches!(icmp.icmp_type(), Icmpv4Type::TimeExceeded(_)));
    let quoted = icmp.payload();
    assert_eq!((&quoted[20..], quoted.len()), (&sent[20..], sent.len()));
    // The source is the router, at its interface there.
    assert_eq!(&leaving.packet[12..16], &octets("10.0.0.2"));
}

#[test]
fn a_host_without_listeners_refuses() {
    let mut cell = joined([SLOW; 3], 1500);
    let leaving = only(after(&mut cell, &datagram("10.0.0.1", "10.0.2.1", b"hello")));
    let packet = right(&leaving.packet);
    let Some(TransportSlice::Icmpv4(icmp)) = packet.transport else { panic!("{packet:?}") };
    let Icmpv4Type::DestinationUnreachable(what) = icmp.icmp_type() else { panic!("{icmp:?}") };
    assert_eq!(what, icmpv4::DestUnreachableHeader::Port);

    let mut cell = joined([SLOW; 3], 1500);
    let syn = built(&[], |into, payload| {
        v4("10.0.0.1", "10.0.2.1").tcp(4000, 80, 1000, 500).syn().write(into, payload)
    });
    let leaving = only(after(&mut cell, &syn));
    let packet = right(&leaving.packet);
    let Some(TransportSlice::Tcp(tcp)) = packet.transport else { panic!("{packet:?}") };
    assert!(tcp.rst() && tcp.ack() && !tcp.syn());
    assert_eq!(
        (tcp.acknowledgment_number(), tcp.source_port(), tcp.destination_port()),
        (1001, 80, 4000)
    );
}

#[test]
fn packets_are_fragmented_or_refused_where_a_link_is_too_short_for_them() {
    let payload: Vec<u8> = (0..1372).map(|byte| byte as u8).collect();
    let mut sent = datagram("10.0.0.1", "10.0.1.1", &payload);
    let mut cell = joined([SLOW; 3], 600);
    // Clear the "do not fragment" flag.
    sent[6] &= !0x40;
    let parts = after(&mut cell, &sent);
    assert_eq!(parts.len(), 3, "{parts:?}");
    let mut data: Vec<u8> = Vec::new();
    for Leaving { packet, .. } in &parts {
        right(packet);
        assert!(packet.len() <= 600);
        let offset = usize::from(u16::from_be_bytes([packet[6] & 0x1f, packet[7]])) * 8;
        assert_eq!(offset, data.len());
        data.extend(&packet[20..]);
    }
    assert_eq!(data, &sent[20..]);

    let mut cell = joined([SLOW; 3], 600);
    sent[6] |= 0x40;
    let leaving = only(after(&mut cell, &sent));
    let packet = right(&leaving.packet);
    let Some(TransportSlice::Icmpv4(icmp)) = packet.transport else { panic!("{packet:?}") };
    let Icmpv4Type::DestinationUnreachable(what) = icmp.icmp_type() else { panic!("{icmp:?}") };
    assert_eq!(what, icmpv4::DestUnreachableHeader::FragmentationNeeded { next_hop_mtu: 600 });
}

#[test]
fn a_host_puts_fragments_together_before_it_answers() {
    let payload: Vec<u8> = (0..1400).map(|byte| byte as u8).collect();
    let whole = echo("10.0.0.1", "10.0.2.1", &payload);
    let mut cell = joined([SLOW; 3], 1500);
    cell.advance(at(5)).expect("no loop");
    for (from, to) in [(800, whole.len() - 20), (0, 800)] {
        let mut part = whole[..20].to_vec();
        part.extend(&whole[20..][from..to]);
        let length = (20 + to - from) as u16;
        part[2..4].copy_from_slice(&length.to_be_bytes());
        let more = if to == 800 { 0x2000 } else { 0 };
        part[6..8].copy_from_slice(&((from / 8) as u16 | more).to_be_bytes());
        cell.enter(A, ROUTER, &part).expect("it is taken");
    }
    cell.advance(at(1000)).expect("no loop");
    let leaving = only(cell.take_leaving());
    let packet = right(&leaving.packet);
    let Some(TransportSlice::Icmpv4(icmp)) = packet.transport else { panic!("{packet:?}") };
    assert_eq!(icmp.payload(), payload);
}

#[test]
fn bits_that_a_link_flips_are_flipped() {
    let noisy = r#"{"delay":"10ms","ber":1e-3,"bit_errors":"flip"}"#;
    // Bits are flipped on the way to the router, and on the way to the real node itself.
    for links in [[noisy, SLOW, SLOW], [SLOW, noisy, SLOW]] {
        flips(joined(links, 1500));
    }
}

fn flips(mut cell: Cell) {
    let sent = datagram("10.0.0.1", "10.0.1.1", &[0; 100]);
    cell.advance(at(5)).expect("no loop");
    for _ in 0..200 {
        cell.enter(A, ROUTER, &sent).expect("it is taken");
    }
    cell.advance(at(1000)).expect("no loop");
    let leaving = cell.take_leaving();
    let ones =
        |leaving: &Leaving| -> u32 { leaving.packet[28..].iter().map(|b| b.count_ones()).sum() };
    let flipped: u32 = leaving.iter().map(ones).sum();
    // About one in a thousand of 200 · 800 bits is flipped, less those of packets whose headers
    // suffered.
    assert!((60..200).contains(&flipped), "{flipped}");
    assert!(leaving.len() < 200, "no header suffered");
}

#[test]
fn what_is_for_many_or_leads_nowhere_disturbs_nobody() {
    let mut cell = joined([SLOW; 3], 1500);
    assert_eq!(after(&mut cell, &datagram("10.0.0.1", "224.0.0.5", b"hello")), []);
    let mut cell = joined([SLOW; 3], 1500);
    assert_eq!(cell.enter(A, ROUTER, b"not a packet"), Err(Refused::Malformed));
    let mut short = datagram("10.0.0.1", "10.0.1.1", b"hello");
    short.pop();
    assert_eq!(cell.enter(A, ROUTER, &short), Err(Refused::Malformed));
    // No host has this address, so there is no route.
    let leaving = only(after(&mut cell, &datagram("10.0.0.1", "198.51.100.7", b"hello")));
    let packet = right(&leaving.packet);
    let Some(TransportSlice::Icmpv4(icmp)) = packet.transport else { panic!("{packet:?}") };
    let Icmpv4Type::DestinationUnreachable(what) = icmp.icmp_type() else { panic!("{icmp:?}") };
    assert_eq!(what, icmpv4::DestUnreachableHeader::Network);
}

#[test]
fn too_many_strangers_are_refused() {
    let mut cell = joined([SLOW; 3], 1500);
    let mut refused = 0;
    for number in 0..70_000u32 {
        let to = std::net::Ipv4Addr::from_bits(0xc612_0000 + number).to_string();
        let packet = datagram("10.0.0.1", &to, b"");
        refused += u32::from(cell.enter(A, ROUTER, &packet) == Err(Refused::TooManyAddresses));
    }
    assert_eq!(refused, 70_000 - (1 << 16));
}

#[test]
fn it_is_known_when_something_may_leave() {
    let mut cell = joined([SLOW; 3], 1500);
    let exits = cell.exits();
    assert_eq!(cell.next_leaving(&exits), None);
    cell.advance(at(5)).expect("no loop");
    cell.enter(A, ROUTER, &datagram("10.0.0.1", "10.0.1.1", b"hello")).expect("it is taken");
    // The packet is on its way to the router, which is not an exit.
    assert_eq!(cell.next_leaving(&exits), None);
    cell.advance(at(15)).expect("no loop");
    let next = cell.next_leaving(&exits);
    assert_eq!(next, Some(Time::ZERO + Duration::from_millis(25)));
}
