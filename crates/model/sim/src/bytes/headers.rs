//! The bytes of a packet's headers, as captures show them. The data of applications is not
//! modelled: checksums are computed for a payload of zeros, and nothing is written behind the
//! headers. Not here: Ethernet headers (`plant::ethernet`).

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use etherparse::{
    EtherType, Icmpv4Header, Icmpv4Type, Icmpv6Header, Icmpv6Type, IpDscp, IpEcn, IpFragOffset,
    IpNumber, Ipv4Header, Ipv6FlowLabel, Ipv6Header, TcpHeader, TcpOptionElement, UdpHeader,
};
use netloom_tcp::{SackBlocks, Segment};

use crate::packet::{Body, Error, ErrorKind, Flags, Fragment};
use crate::{AddressBook, Packet};

/// Zeros; longer than the payload of any packet.
static PAYLOAD: [u8; 65_536] = [0; 65_536];

/// Returns the EtherType and all headers of a packet whose addresses are in `book`.
pub(crate) fn of(packet: &Packet, book: &AddressBook) -> Vec<u8> {
    let ends = [packet.source, packet.destination].map(|id| book.address(id));
    let ether_type = if packet.is_v6() { EtherType::IPV6 } else { EtherType::IPV4 };
    let ip = Ip {
        ends,
        bytes: packet.bytes,
        protocol: packet.protocol(),
        hop_limit: packet.hop_limit,
        traffic_class: packet.traffic_class,
        flags: packet.flags,
        fragment: packet.fragment,
        flow_label: match &packet.body {
            Body::Raw(raw) => raw.flow_label(),
            _ => 0,
        },
    };
    let mut all = ether_type.0.to_be_bytes().to_vec();
    all.extend(ip.header());
    if let Body::Raw(raw) = &packet.body {
        all.extend(packet.carried(raw));
        return all;
    }
    if matches!(packet.body, Body::Twin(_)) {
        return all;
    }
    if packet.fragment.is_part() {
        all.extend(of_fragment(packet));
        return all;
    }
    let carried = packet.bytes.saturating_sub(packet.header_bytes());
    let (start, mut transport) = transport(packet, (ends, book), carried);
    if packet.flags.has(Flags::DAMAGED) {
        // The simulator does not record which bits were flipped. A wrong checksum shows that some
        // were.
        transport[start] ^= 0xff;
    }
    all.extend(transport);
    all
}

/// Returns all bytes of an IP packet. The data of simulated nodes' applications is zeros.
pub(crate) fn whole(packet: &Packet, book: &AddressBook) -> Vec<u8> {
    let mut all = of(packet, book).split_off(size_of::<u16>());
    all.resize(packet.bytes as usize, 0);
    all
}

/// Returns an ICMP or ICMPv6 message with everything that it carries.
pub(crate) fn icmp(kind: [u8; 2], rest: [u8; 4], ends: [IpAddr; 2], carried: &[u8]) -> Vec<u8> {
    of_icmp(kind, rest, ends, 8 + carried.len() as u32, carried)
}

/// Returns an error message that quotes the beginning of a packet.
pub(crate) fn error_message(
    kind: ErrorKind,
    mtu: u32,
    ends: [IpAddr; 2],
    quoted: &[u8],
) -> Vec<u8> {
    let (kind, rest) = of_error(kind, mtu, ends[0].is_ipv6());
    icmp(kind, rest, ends, quoted)
}

fn checksum(header: &TcpHeader, ends: [IpAddr; 2], payload: &[u8]) -> u16 {
    match ends {
        [IpAddr::V4(from), IpAddr::V4(to)] => {
            header.calc_checksum_ipv4_raw(from.octets(), to.octets(), payload)
        }
        [IpAddr::V6(from), IpAddr::V6(to)] => {
            header.calc_checksum_ipv6_raw(from.octets(), to.octets(), payload)
        }
        _ => Ok(0),
    }
    .unwrap_or_default()
}

/// Returns the bytes behind the IP header of a fragment: the ports if it is the first one. A
/// fragment does not show how long the whole packet is, so the rest of the header is not known.
fn of_fragment(packet: &Packet) -> Vec<u8> {
    let has_ports = matches!(packet.body, Body::Datagram(_) | Body::Segment(_));
    match packet.fragment.offset() {
        0 if has_ports => ports(packet.source_port, packet.destination_port),
        _ => Vec::new(),
    }
}

fn ports(source: u16, destination: u16) -> Vec<u8> {
    [source.to_be_bytes(), destination.to_be_bytes()].concat()
}

/// The fields of an IP header.
struct Ip {
    ends: [IpAddr; 2],
    bytes: u32,
    protocol: u8,
    hop_limit: u8,
    traffic_class: u8,
    flags: Flags,
    fragment: Fragment,
    flow_label: u32,
}

impl Ip {
    fn header(&self) -> Vec<u8> {
        match self.ends {
            [IpAddr::V4(source), IpAddr::V4(destination)] => self.v4(source, destination),
            [IpAddr::V6(source), IpAddr::V6(destination)] => self.v6(source, destination),
            // Both ends of a packet are of the same address family.
            _ => Vec::new(),
        }
    }

    fn v4(&self, source: Ipv4Addr, destination: Ipv4Addr) -> Vec<u8> {
        let mut header = Ipv4Header {
            total_len: length(self.bytes),
            dscp: IpDscp::try_new(self.traffic_class >> 2).unwrap_or_default(),
            ecn: IpEcn::try_new(self.traffic_class & 3).unwrap_or_default(),
            identification: self.fragment.ident,
            dont_fragment: self.flags.has(Flags::DONT_FRAGMENT),
            more_fragments: self.fragment.more(),
            fragment_offset: offset(self.fragment),
            time_to_live: self.hop_limit,
            protocol: IpNumber(self.protocol),
            source: source.octets(),
            destination: destination.octets(),
            ..Ipv4Header::default()
        };
        header.header_checksum = header.calc_header_checksum();
        header.to_bytes().to_vec()
    }

    fn v6(&self, source: Ipv6Addr, destination: Ipv6Addr) -> Vec<u8> {
        let upper = IpNumber(self.protocol);
        let is_part = self.fragment.is_part();
        let header = Ipv6Header {
            traffic_class: self.traffic_class,
            payload_length: length(self.bytes.saturating_sub(Ipv6Header::LEN as u32)),
            next_header: if is_part { IpNumber::IPV6_FRAGMENTATION_HEADER } else { upper },
            hop_limit: self.hop_limit,
            flow_label: Ipv6FlowLabel::try_new(self.flow_label).unwrap_or_default(),
            source: source.octets(),
            destination: destination.octets(),
        };
        let mut bytes = header.to_bytes().to_vec();
        if is_part {
            bytes.extend(fragment_header(upper, self.fragment));
        }
        bytes
    }
}

/// The fragment header (RFC 8200 §4.5): the offset is a multiple of 8, and its lowest bit is the
/// "more fragments" flag. Version 0.19 of etherparse writes other bytes.
fn fragment_header(upper: IpNumber, fragment: Fragment) -> [u8; 8] {
    let place = fragment.offset() as u16 | u16::from(fragment.more());
    let ([high, low], ident) = (place.to_be_bytes(), u32::from(fragment.ident).to_be_bytes());
    [upper.0, 0, high, low, ident[0], ident[1], ident[2], ident[3]]
}

fn length(bytes: u32) -> u16 {
    u16::try_from(bytes).unwrap_or(u16::MAX)
}

fn offset(fragment: Fragment) -> IpFragOffset {
    IpFragOffset::try_new((fragment.offset() / 8) as u16).unwrap_or_default()
}

/// Returns the place of the checksum in the bytes behind the IP header, and these bytes.
fn transport(
    packet: &Packet,
    (ends, book): ([IpAddr; 2], &AddressBook),
    carried: u32,
) -> (usize, Vec<u8>) {
    match &packet.body {
        Body::Segment(header) => {
            let (segment, sack) = header.segment();
            let ports = [packet.source_port, packet.destination_port];
            (16, of_segment(&segment, &sack, ports, ends, carried))
        }
        Body::Datagram(_) => {
            (6, of_datagram([packet.source_port, packet.destination_port], ends, carried))
        }
        Body::EchoRequest(stamp) => {
            let kind = if packet.is_v6() { 128 } else { 8 };
            (2, of_icmp([kind, 0], echo(stamp.flow, stamp.number), ends, carried, &[]))
        }
        Body::EchoReply(stamp) => {
            let kind = if packet.is_v6() { 129 } else { 0 };
            (2, of_icmp([kind, 0], echo(stamp.flow, stamp.number), ends, carried, &[]))
        }
        Body::Error(error) => {
            let (kind, rest) = of_error(error.kind, error.mtu, packet.is_v6());
            (2, of_icmp(kind, rest, ends, carried, &quote(error, (ends, book))))
        }
        // All bytes of these are known already.
        Body::Raw(_) | Body::Twin(_) => (0, Vec::new()),
    }
}

/// Returns the identifier and the sequence number of an echo message.
fn echo(flow: u32, number: u32) -> [u8; 4] {
    let [ident, number] = [flow as u16, number as u16].map(u16::to_be_bytes);
    [ident[0], ident[1], number[0], number[1]]
}

/// Returns the type and code of an error message (RFC 792, RFC 4443), and the four bytes that
/// follow its checksum.
fn of_error(kind: ErrorKind, mtu: u32, v6: bool) -> ([u8; 2], [u8; 4]) {
    let numbers = match (kind, v6) {
        (ErrorKind::TimeExceeded, false) => [11, 0],
        (ErrorKind::NoRoute, false) => [3, 0],
        (ErrorKind::NoHost, false) => [3, 1],
        (ErrorKind::NoPort, false) => [3, 3],
        (ErrorKind::TooBig, false) => [3, 4],
        (ErrorKind::TimeExceeded, true) => [3, 0],
        (ErrorKind::NoRoute, true) => [1, 0],
        (ErrorKind::NoHost, true) => [1, 3],
        (ErrorKind::NoPort, true) => [1, 4],
        (ErrorKind::TooBig, true) => [2, 0],
    };
    let rest = if kind == ErrorKind::TooBig { mtu.to_be_bytes() } else { [0; 4] };
    (numbers, rest)
}

/// Returns the quote of the packet that an error message is about: its IP header and its ports.
fn quote(error: &Error, ([_, sender], book): ([IpAddr; 2], &AddressBook)) -> Vec<u8> {
    let Error { protocol, hop_limit, traffic_class, flags, .. } = *error;
    let ip = Ip {
        ends: [sender, book.address(error.destination)],
        bytes: error.bytes.into(),
        protocol,
        hop_limit,
        traffic_class,
        flags,
        fragment: Fragment::default(),
        flow_label: 0,
    };
    let mut bytes = ip.header();
    if protocol == IpNumber::TCP.0 || protocol == IpNumber::UDP.0 {
        bytes.extend(ports(error.source_port, error.destination_port));
    }
    bytes
}

fn of_segment(
    segment: &Segment,
    sack: &SackBlocks,
    ports: [u16; 2],
    ends: [IpAddr; 2],
    carried: u32,
) -> Vec<u8> {
    let mut header = tcp_header(segment, sack, ports);
    let payload = payload(carried.saturating_sub(u32::from(header.header_len_u16())));
    header.checksum = checksum(&header, ends, payload);
    header.to_bytes().to_vec()
}

/// Returns a TCP segment that carries `payload`.
pub(crate) fn segment_with(
    (segment, sack): (&Segment, &SackBlocks),
    ports: [u16; 2],
    ends: [IpAddr; 2],
    payload: &[u8],
) -> Vec<u8> {
    let mut header = tcp_header(segment, sack, ports);
    header.checksum = checksum(&header, ends, payload);
    [&header.to_bytes()[..], payload].concat()
}

/// Returns the header of a segment, without its checksum.
fn tcp_header(
    segment: &Segment,
    sack: &SackBlocks,
    [source_port, destination_port]: [u16; 2],
) -> TcpHeader {
    let flags = segment.flags;
    let has = |flag| flags.contains(flag);
    let mut header = TcpHeader {
        acknowledgment_number: segment.ack,
        fin: has(netloom_tcp::Flags::FIN),
        syn: has(netloom_tcp::Flags::SYN),
        rst: has(netloom_tcp::Flags::RST),
        psh: has(netloom_tcp::Flags::PSH),
        ack: has(netloom_tcp::Flags::ACK),
        ece: has(netloom_tcp::Flags::ECE),
        cwr: has(netloom_tcp::Flags::CWR),
        ..TcpHeader::new(source_port, destination_port, segment.seq, segment.window)
    };
    // This cannot fail: a segment is made with no more options than fit.
    let _ = header.set_options(&options(segment, sack));
    header
}

/// Returns the options in the order in which Linux writes them.
fn options(segment: &Segment, sack: &SackBlocks) -> Vec<TcpOptionElement> {
    use TcpOptionElement::{
        MaximumSegmentSize, Noop, SelectiveAcknowledgement, SelectiveAcknowledgementPermitted,
        Timestamp, WindowScale,
    };
    let mut all = Vec::new();
    let times = segment.timestamps.map(|times| Timestamp(times.value, times.echo));
    if let Some(syn) = &segment.syn {
        all.push(MaximumSegmentSize(syn.mss));
        match (syn.sack_permitted, times) {
            (true, Some(times)) => all.extend([SelectiveAcknowledgementPermitted, times]),
            (true, None) => all.extend([Noop, Noop, SelectiveAcknowledgementPermitted]),
            (false, Some(times)) => all.extend([Noop, Noop, times]),
            (false, None) => {}
        }
        if let Some(shift) = syn.window_scale {
            all.extend([Noop, WindowScale(shift)]);
        }
    } else if let Some(times) = times {
        all.extend([Noop, Noop, times]);
    }
    let mut blocks = sack.as_slice().iter().map(|block| (block.start, block.end));
    if let Some(first) = blocks.next() {
        let rest = [blocks.next(), blocks.next(), blocks.next()];
        all.extend([Noop, Noop, SelectiveAcknowledgement(first, rest)]);
    }
    all
}

fn of_datagram(
    [source_port, destination_port]: [u16; 2],
    ends: [IpAddr; 2],
    carried: u32,
) -> Vec<u8> {
    let length = length(carried);
    let mut header = UdpHeader { source_port, destination_port, length, checksum: 0 };
    let payload = payload(carried.saturating_sub(u32::from(header.header_len_u16())));
    header.checksum = match ends {
        [IpAddr::V4(from), IpAddr::V4(to)] => {
            header.calc_checksum_ipv4_raw(from.octets(), to.octets(), payload)
        }
        [IpAddr::V6(from), IpAddr::V6(to)] => {
            header.calc_checksum_ipv6_raw(from.octets(), to.octets(), payload)
        }
        _ => Ok(0),
    }
    .unwrap_or_default();
    header.to_bytes().to_vec()
}

/// Returns an ICMP or ICMPv6 message whose payload begins with `shown`.
fn of_icmp(
    [type_u8, code_u8]: [u8; 2],
    bytes5to8: [u8; 4],
    ends: [IpAddr; 2],
    carried: u32,
    shown: &[u8],
) -> Vec<u8> {
    let mut payload = payload(carried.saturating_sub(8)).to_vec();
    for (place, byte) in payload.iter_mut().zip(shown) {
        *place = *byte;
    }
    let mut bytes = match ends {
        [IpAddr::V6(from), IpAddr::V6(to)] => {
            let kind = Icmpv6Type::Unknown { type_u8, code_u8, bytes5to8 };
            let header = Icmpv6Header::with_checksum(kind, from.octets(), to.octets(), &payload);
            header.map(|header| header.to_bytes().to_vec()).unwrap_or_default()
        }
        _ => {
            let kind = Icmpv4Type::Unknown { type_u8, code_u8, bytes5to8 };
            Icmpv4Header::with_checksum(kind, &payload).to_bytes().to_vec()
        }
    };
    bytes.extend(shown.iter().take(payload.len()));
    bytes
}

/// Returns `bytes` zeros, for a payload that is not modelled.
fn payload(bytes: u32) -> &'static [u8] {
    &PAYLOAD[..(bytes as usize).min(PAYLOAD.len())]
}

#[cfg(test)]
mod tests {
    use etherparse::{LaxNetSlice, LaxPacketHeaders, LaxSlicedPacket, TransportSlice};
    use netloom_tcp::{SackBlock, SynOptions, Timestamps};
    use netloom_units::Time;

    use super::*;
    use crate::AddressBook;
    use crate::packet::{Stamp, TcpHeader as Header};

    const STAMP: Stamp = Stamp { flow: 3, number: 9, sent: Time::ZERO };

    fn packet(book: &mut AddressBook, v6: bool, bytes: u32, body: Body) -> Packet {
        let ends = match v6 {
            false => ["10.0.0.1", "10.0.0.2"],
            true => ["fd00::1", "fd00::2"],
        };
        let [source, destination] =
            ends.map(|end| book.enter(end.parse::<IpAddr>().expect("an address")));
        Packet {
            source,
            destination,
            bytes,
            source_port: 4000,
            destination_port: 53,
            hop_limit: 63,
            traffic_class: 46 << 2 | 1,
            flags: if v6 { Flags::V6 } else { Flags::default() },
            fragment: Fragment::default(),
            body,
        }
    }

    /// Returns an Ethernet frame with the headers and the zeros that follow them.
    fn whole(packet: &Packet, book: &AddressBook) -> Vec<u8> {
        let mut frame = vec![2; 12];
        frame.extend(of(packet, book));
        frame.resize(packet.bytes as usize + 14, 0);
        frame
    }

    /// Whether the checksum of the transport header in `frame` is right.
    fn is_right(frame: &[u8], v6: bool) -> bool {
        let start = if v6 { 14 + 40 } else { 14 + 20 };
        let addresses = if v6 { &frame[22..54] } else { &frame[26..34] };
        let protocol = if v6 { frame[20] } else { frame[23] };
        let carried = &frame[start..];
        let mut words = addresses.to_vec();
        if protocol != 1 {
            words.extend((carried.len() as u32).to_be_bytes());
            words.extend([0, 0, 0, protocol]);
        } else {
            words.clear();
        }
        words.extend(carried);
        if words.len() % 2 == 1 {
            words.push(0);
        }
        let sum: u32 =
            words.chunks(2).map(|two| u32::from(u16::from_be_bytes([two[0], two[1]]))).sum();
        let folded = (sum & 0xffff) + (sum >> 16);
        (folded & 0xffff) + (folded >> 16) == 0xffff
    }

    #[test]
    fn a_datagram_is_one() {
        for v6 in [false, true] {
            let mut book = AddressBook::default();
            let packet = packet(&mut book, v6, 1001, Body::Datagram(STAMP));
            let frame = whole(&packet, &book);
            let sliced = LaxSlicedPacket::from_ethernet(&frame).expect("a frame");
            assert!(sliced.stop_err.is_none(), "{:?}", sliced.stop_err);
            let Some(TransportSlice::Udp(udp)) = sliced.transport else { panic!("no UDP") };
            assert_eq!((udp.source_port(), udp.destination_port()), (4000, 53));
            assert_eq!(u32::from(udp.length()), 1001 - packet.header_bytes());
            assert!(is_right(&frame, v6));
        }
    }

    #[test]
    fn an_ip_header_has_what_the_packet_has() {
        let mut book = AddressBook::default();
        let mut packet = packet(&mut book, false, 1001, Body::EchoRequest(STAMP));
        packet.flags = Flags::DONT_FRAGMENT;
        let frame = whole(&packet, &book);
        let sliced = LaxSlicedPacket::from_ethernet(&frame).expect("a frame");
        let Some(LaxNetSlice::Ipv4(ip)) = sliced.net else { panic!("no IPv4") };
        let header = ip.header().to_header();
        assert_eq!(header.header_checksum, header.calc_header_checksum());
        assert_eq!((header.total_len, header.time_to_live), (1001, 63));
        assert_eq!((header.dscp.value(), header.ecn.value()), (46, 1));
        assert!(header.dont_fragment && !header.more_fragments);
        assert!(is_right(&frame, false));
    }

    #[test]
    fn a_segment_has_its_options_as_long_as_the_model_says() {
        let syn = SynOptions { mss: 1460, window_scale: Some(7), sack_permitted: true };
        let times = Some(Timestamps { value: 5, echo: 6 });
        let mut blocks = SackBlocks::NONE;
        blocks.push(SackBlock { start: 10, end: 20 });
        blocks.push(SackBlock { start: 30, end: 40 });
        let flags = netloom_tcp::Flags::ACK;
        let base = Segment { seq: 7, ack: 8, window: 9, flags, ..Segment::EMPTY };
        let cases = [
            (Segment { syn: Some(syn), timestamps: times, ..base }, SackBlocks::NONE),
            (Segment { syn: Some(syn), ..base }, SackBlocks::NONE),
            (
                Segment {
                    syn: Some(SynOptions { sack_permitted: false, ..syn }),
                    timestamps: times,
                    ..base
                },
                SackBlocks::NONE,
            ),
            (Segment { timestamps: times, ..base }, SackBlocks::NONE),
            (Segment { timestamps: times, sack_blocks: 2, ..base }, blocks),
            (Segment { sack_blocks: 2, ..base }, blocks),
            (base, SackBlocks::NONE),
        ];
        for v6 in [false, true] {
            for (segment, sack) in &cases {
                let mut book = AddressBook::default();
                let body = Body::Segment(Header::new(segment, sack));
                let ip = if v6 { 40 } else { 20 };
                let bytes = ip + segment.header_len() + 100;
                let packet = packet(&mut book, v6, bytes, body);
                let headers = of(&packet, &book);
                assert_eq!(headers.len() as u32, 2 + ip + segment.header_len(), "{segment:?}");
                let frame = whole(&packet, &book);
                assert!(is_right(&frame, v6), "{segment:?}");
                let sliced = LaxSlicedPacket::from_ethernet(&frame).expect("a frame");
                let Some(TransportSlice::Tcp(tcp)) = sliced.transport else { panic!("no TCP") };
                assert_eq!((tcp.sequence_number(), tcp.acknowledgment_number()), (7, 8));
                assert_eq!((tcp.window_size(), tcp.ack(), tcp.syn()), (9, true, false));
                let read: Vec<_> = tcp.options_iterator().map(|one| one.expect("known")).collect();
                assert_eq!(read, options(segment, sack));
            }
        }
    }

    #[test]
    fn flipped_bits_show_in_a_checksum() {
        let mut book = AddressBook::default();
        let mut packet = packet(&mut book, false, 100, Body::Datagram(STAMP));
        packet.flags = Flags::DAMAGED;
        assert!(!is_right(&whole(&packet, &book), false));
    }

    #[test]
    fn an_error_message_quotes_its_packet() {
        for v6 in [false, true] {
            let mut book = AddressBook::default();
            let far: IpAddr = if v6 { "fd00::9" } else { "10.0.0.9" }.parse().expect("an address");
            let error = Error {
                kind: ErrorKind::TooBig,
                protocol: 17,
                source_port: 1,
                destination_port: 2,
                bytes: 1500,
                hop_limit: 4,
                traffic_class: 0,
                flags: if v6 { Flags::V6 } else { Flags::DONT_FRAGMENT },
                mtu: 1400,
                destination: book.enter(far),
                flow: None,
            };
            let packet = packet(&mut book, v6, 576, Body::Error(error));
            let frame = whole(&packet, &book);
            assert!(is_right(&frame, v6));
            let quoted = &frame[if v6 { 14 + 48 } else { 14 + 28 }..];
            let quoted = LaxPacketHeaders::from_ip(quoted).expect("an IP header");
            let (length, to) = match quoted.net.expect("an IP header") {
                etherparse::NetHeaders::Ipv4(ip, _) => (ip.total_len, ip.destination.into()),
                etherparse::NetHeaders::Ipv6(ip, _) => {
                    (ip.payload_length + 40, IpAddr::from(ip.destination))
                }
                _ => panic!("no IP"),
            };
            assert_eq!((length, to), (1500, far));
        }
    }

    #[test]
    fn fragments_say_which_part_they_are() {
        let mut book = AddressBook::default();
        for v6 in [false, true] {
            let mut packet = packet(&mut book, v6, 1500, Body::Datagram(STAMP));
            packet.fragment = Fragment::new(77, 1480, true);
            let frame = whole(&packet, &book);
            let sliced = LaxSlicedPacket::from_ethernet(&frame).expect("a frame");
            assert!(sliced.transport.is_none());
            let place = if v6 { &frame[56..58] } else { &frame[20..22] };
            let place = u16::from_be_bytes([place[0], place[1]]);
            let expected = if v6 { 1480 | 1 } else { (1480 / 8) | 0x2000 };
            assert_eq!(place, expected);
        }
    }
}
