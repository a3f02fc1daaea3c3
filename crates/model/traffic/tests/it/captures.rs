//! Captures: reading them, and replacing addresses in their frames.

use std::net::IpAddr;

use netloom_traffic::{
    Addressed, CaptureError, CaptureReader, FrameFault, LinkType, RecordedFrame, ReplayConfig,
    Rewriter, Survey,
};
use proptest::prelude::*;

/// The checksum of RFC 1071, computed byte by byte.
fn checksum(bytes: &[u8]) -> [u8; 2] {
    let mut sum = 0u32;
    for (place, byte) in bytes.iter().enumerate() {
        sum += if place % 2 == 0 { u32::from(*byte) << 8 } else { u32::from(*byte) };
        sum = (sum & 0xffff) + (sum >> 16);
    }
    (!(sum as u16)).to_be_bytes()
}

fn octets(address: IpAddr) -> Vec<u8> {
    match address {
        IpAddr::V4(address) => address.octets().to_vec(),
        IpAddr::V6(address) => address.octets().to_vec(),
    }
}

fn ip(text: &str) -> IpAddr {
    text.parse().expect("an address")
}

/// Returns a packet of a transport protocol, given by its number, with right checksums.
fn transport([from, to]: [IpAddr; 2], protocol: u8, payload: &[u8]) -> Vec<u8> {
    let (mut packet, at) = match protocol {
        1 => (vec![8, 0, 0, 0, 0x12, 0x34, 0, 1], 2),
        58 => (vec![128, 0, 0, 0, 0x12, 0x34, 0, 1], 2),
        6 => {
            let mut header = vec![0; 20];
            (header[..4]).copy_from_slice(&[0x1f, 0x90, 0, 80]);
            header[12] = 0x50;
            (header, 16)
        }
        _ => {
            let length = (8 + payload.len() as u16).to_be_bytes();
            (vec![0x13, 0xc4, 0x13, 0xc5, length[0], length[1], 0, 0], 6)
        }
    };
    packet.extend(payload);
    let pseudo = match protocol {
        1 => vec![],
        _ => {
            let length = (packet.len() as u32).to_be_bytes();
            [&octets(from)[..], &octets(to), &length, &[0, 0, 0, protocol]].concat()
        }
    };
    let mut sum = checksum(&[pseudo, packet.clone()].concat());
    if protocol == 17 && sum == [0, 0] {
        sum = [0xff; 2];
    }
    packet[at..at + 2].copy_from_slice(&sum);
    packet
}

/// Returns an IP packet with a payload.
fn packet([from, to]: [IpAddr; 2], protocol: u8, flags: [u8; 2], payload: &[u8]) -> Vec<u8> {
    if from.is_ipv4() {
        let length = (20 + payload.len() as u16).to_be_bytes();
        let head = [0x45, 0, length[0], length[1], 0xab, 0xcd, flags[0], flags[1], 64, protocol];
        let mut header = [&head[..], &[0, 0], &octets(from), &octets(to)].concat();
        let sum = checksum(&header);
        header[10..12].copy_from_slice(&sum);
        return [&header[..], payload].concat();
    }
    let length = (payload.len() as u16).to_be_bytes();
    let head = [0x60, 0, 0, 0, length[0], length[1], protocol, 64];
    [&head[..], &octets(from), &octets(to), payload].concat()
}

fn whole(ends: [IpAddr; 2], protocol: u8, payload: &[u8]) -> Vec<u8> {
    packet(ends, protocol, [0x40, 0], &transport(ends, protocol, payload))
}

const MACS: [[u8; 6]; 2] = [[2, 0, 0, 0, 0, 1], [2, 0, 0, 0, 0, 2]];

fn ethernet(macs: [[u8; 6]; 2], packet: &[u8]) -> Vec<u8> {
    let kind = if packet[0] >> 4 == 4 { [8, 0] } else { [0x86, 0xdd] };
    [macs.as_flattened(), &kind, packet].concat()
}

fn frame(link: LinkType, bytes: &[u8]) -> RecordedFrame<'_> {
    RecordedFrame { number: 1, interface: 0, at: 0, link, length: bytes.len() as u32, bytes }
}

/// Returns the frame with replaced addresses.
fn rewritten(frame: &RecordedFrame<'_>, pairs: &[(IpAddr, IpAddr)]) -> Result<Vec<u8>, FrameFault> {
    let other = |address| pairs.iter().find(|(old, _)| *old == address).map(|(_, new)| *new);
    let rewriter = Rewriter::new(Addressed::Rewritten(other), MACS[0], MACS[1]);
    let mut out = vec![1, 2, 3];
    rewriter.rewrite(frame, &mut out).map(|()| out)
}

/// A header with a known checksum: the example of Wikipedia's article "Internet checksum".
#[test]
fn a_known_header_keeps_its_known_checksum() {
    let header = [
        0x45, 0x00, 0x00, 0x73, 0x00, 0x00, 0x40, 0x00, 0x40, 0x11, 0xb8, 0x61, 0xc0, 0xa8, 0x00,
        0x01, 0xc0, 0xa8, 0x00, 0xc7,
    ];
    let ends = [ip("192.168.0.1"), ip("192.168.0.199")];
    let datagram = transport(ends, 17, &[7; 87]);
    let whole = [&header[..], &datagram].concat();
    let pairs = [(ends[0], ends[0]), (ends[1], ends[1])];
    let out = rewritten(&frame(LinkType::Ip, &whole), &pairs).expect("a packet");
    assert_eq!(out, ethernet(MACS, &whole));
    // The header checksum is wrong here, as in captures on a machine whose interface computes
    // checksums.
    let mut unfinished = whole.clone();
    unfinished[10..12].fill(0);
    unfinished[26..28].copy_from_slice(&[0x12, 0x34]);
    let out = rewritten(&frame(LinkType::Ip, &unfinished), &pairs).expect("a packet");
    assert_eq!(out, ethernet(MACS, &whole));
}

proptest! {
    /// A packet with replaced addresses equals the packet that those addresses would have sent.
    #[test]
    fn rewritten_packets_are_those_of_the_other_addresses(
        v6 in any::<bool>(),
        protocol in prop::sample::select(vec![1u8, 6, 17, 47]),
        payload in prop::collection::vec(any::<u8>(), 0..64),
        ends in any::<[u128; 4]>(),
        padding in 0usize..8,
    ) {
        let address = |bits: u128| match v6 {
            true => IpAddr::V6(bits.into()),
            false => IpAddr::V4((bits as u32).into()),
        };
        let [a, b, c, d] = ends.map(address);
        prop_assume!(a != b);
        let protocol = if v6 && protocol == 1 { 58 } else { protocol };
        // The second protocol is unknown, so nothing changes.
        let make = |ends| match protocol {
            47 => packet(ends, 47, [0, 0], &payload),
            _ => whole(ends, protocol, &payload),
        };
        prop_assume!(protocol != 47 || !payload.is_empty());
        let (old, new) = (make([a, b]), make([c, d]));
        let pairs = [(a, c), (b, d)];
        let out = rewritten(&frame(LinkType::Ip, &old), &pairs).expect("a packet");
        prop_assert_eq!(&out, &ethernet(MACS, &new));
        // The padding of short frames stays.
        let padded = [ethernet([[9; 6]; 2], &old), vec![0; padding]].concat();
        let out = rewritten(&frame(LinkType::Ethernet, &padded), &pairs).expect("a packet");
        prop_assert_eq!(out, [ethernet(MACS, &new), vec![0; padding]].concat());
    }

    /// Reassembled fragments form a datagram with a right checksum.
    #[test]
    fn fragments_follow(
        payload in prop::collection::vec(any::<u8>(), 16..64),
        tcp in any::<bool>(),
    ) {
        let (old, new) = ([ip("192.0.2.1"), ip("192.0.2.2")], [ip("10.0.0.9"), ip("10.1.255.2")]);
        let pairs = [(old[0], new[0]), (old[1], new[1])];
        let protocol = if tcp { 6 } else { 17 };
        let [before, after] = [old, new].map(|ends| transport(ends, protocol, &payload));
        let mut come: Vec<u8> = vec![];
        for (flags, part) in [([0x20, 0], &before[..24]), ([0, 3], &before[24..])] {
            let part = packet(old, protocol, flags, part);
            let out = rewritten(&frame(LinkType::Ip, &part), &pairs).expect("a fragment");
            prop_assert_eq!(checksum(&out[14..34]), [0, 0]);
            come.extend(&out[34..]);
        }
        prop_assert_eq!(come, after);
    }

    /// Any input is either read or refused, and either rewritten or refused.
    #[test]
    fn no_capture_is_too_odd(
        magic in prop::sample::select(vec![0xa1b2_c3d4_u32, 0xa1b2_3c4d, 0x4d3c_b2a1, 0x0a0d_0d0a]),
        rest in prop::collection::vec(any::<u8>(), 0..200),
        packet in prop::collection::vec(any::<u8>(), 0..100),
        version in prop::sample::select(vec![0x45u8, 0x46, 0x60, 0x4f]),
        protocol in any::<u8>(),
    ) {
        let file = [&magic.to_be_bytes()[..], &rest].concat();
        if let Ok(mut reader) = CaptureReader::new(&file[..]) {
            while let Ok(Some(frame)) = reader.next_frame() {
                prop_assert!(frame.bytes.len() <= rest.len());
            }
        }
        if let Ok(arrivals) = netloom_traffic::arrivals(&file[..]) {
            prop_assert!(arrivals.as_slice().is_sorted_by_key(|frame| frame.at));
            prop_assert_eq!(arrivals.as_slice()[0].at.as_nanos(), 0);
        }
        let mut packet = packet;
        for (at, byte) in [(0, version), (6, protocol), (9, protocol), (2, 0)] {
            if let Some(place) = packet.get_mut(at) {
                *place = byte;
            }
        }
        let rewriter = Rewriter::new(Addressed::Rewritten(Some), MACS[0], MACS[1]);
        let mut out = vec![];
        for link in [LinkType::Ip, LinkType::Ethernet] {
            if rewriter.rewrite(&frame(link, &packet), &mut out).is_ok() {
                prop_assert!(out.len() >= packet.len());
            }
        }
    }
}

#[test]
fn errors_quote_packets_of_the_other_addresses() {
    for (v6, old, new) in [
        (false, ["192.0.2.1", "192.0.2.2", "192.0.2.7"], ["10.0.0.1", "10.0.0.2", "10.0.0.3"]),
        (true, ["2001:db8::1", "2001:db8::2", "2001:db8::7"], ["fd00::1", "fd00::2", "fd00::3"]),
    ] {
        let (old, new) = (old.map(ip), new.map(ip));
        let pairs: Vec<_> = old.into_iter().zip(new).collect();
        let error = |[a, b, router]: [IpAddr; 3]| {
            let quoted = whole([a, b], 17, b"some payload");
            let (kind, protocol) = if v6 { (1, 58) } else { (3, 1) };
            let ends = [router, a];
            let mut message = [&[kind, 4, 0, 0, 0, 0, 0, 0], &quoted[..]].concat();
            let length = (message.len() as u32).to_be_bytes();
            let pseudo = match v6 {
                true => [&octets(router)[..], &octets(a), &length, &[0, 0, 0, 58]].concat(),
                false => vec![],
            };
            let sum = checksum(&[pseudo, message.clone()].concat());
            message[2..4].copy_from_slice(&sum);
            packet(ends, protocol, [0, 0], &message)
        };
        let out = rewritten(&frame(LinkType::Ip, &error(old)), &pairs).expect("an error message");
        assert_eq!(out, ethernet(MACS, &error(new)));
        let fewer = rewritten(&frame(LinkType::Ip, &error(old)), &[pairs[0], pairs[2]]);
        assert_eq!(fewer, Err(FrameFault::NotRewritten(old[1])), "also what is quoted");
    }
}

#[test]
fn what_cannot_be_rewritten_is_named() {
    let ends = [ip("192.0.2.1"), ip("192.0.2.2")];
    let pairs = [(ends[0], ends[0]), (ends[1], ends[1])];
    let good = whole(ends, 17, b"x");
    let tagged = [MACS.as_flattened(), &[0x81, 0, 0, 5, 8, 0], &good].concat();
    let arp = [&[0xff; 6][..], &MACS[0], &[8, 6], &[0; 28]].concat();
    let mut long = good.clone();
    long[2..4].copy_from_slice(&[5, 0]);
    let mut offloaded = good.clone();
    offloaded[2..4].fill(0);
    for (bytes, link, words) in [
        (&tagged, LinkType::Ethernet, "VLAN tag"),
        (&arp, LinkType::Ethernet, "no IP packet"),
        (&long, LinkType::Ip, "longer than the frame"),
        (&offloaded, LinkType::Ip, "TSO"),
        (&packet(ends, 33, [0, 0], &[0; 16]), LinkType::Ip, "checksum of its protocol"),
        (&packet(ends, 51, [0, 0], &[0; 16]), LinkType::Ip, "AH"),
        (&whole([ip("fd00::1"), ends[1]], 58, &[]), LinkType::Ip, "headers are cut"),
    ] {
        let error = rewritten(&frame(link, bytes), &pairs).expect_err(words).to_string();
        assert!(error.contains(words), "{words}: {error}");
    }
    let cut = RecordedFrame { length: 1514, ..frame(LinkType::Ip, &good) };
    let error = rewritten(&cut, &pairs).expect_err("cut").to_string();
    assert_eq!(error, "was cut at 29 of 1514 bytes: only as background");
    // All of them can be sent as they are.
    let as_is = Rewriter::new(Addressed::<fn(IpAddr) -> _>::AsIs, MACS[0], MACS[1]);
    let mut out = vec![];
    for bytes in [&tagged, &arp] {
        as_is.rewrite(&frame(LinkType::Ethernet, bytes), &mut out).expect("a frame");
        assert_eq!(out, *bytes);
    }
    as_is.rewrite(&frame(LinkType::Ip, &good), &mut out).expect("a packet");
    assert_eq!(out, ethernet(MACS, &good));
}

/// Returns a pcap file of these frames: seconds, fraction, length on the wire, bytes.
fn pcap(magic: [u8; 4], link: u32, frames: &[(u32, u32, u32, &[u8])]) -> Vec<u8> {
    let is_big = magic[0] == 0xa1;
    let word = |word: u32| if is_big { word.to_be_bytes() } else { word.to_le_bytes() };
    let mut file = [&magic[..], &[0; 16], &word(link)].concat();
    for (seconds, fraction, length, bytes) in frames {
        let head = [*seconds, *fraction, bytes.len() as u32, *length].map(word);
        file.extend(head.as_flattened());
        file.extend(*bytes);
    }
    file
}

/// Times, lengths and bytes of a capture's frames.
type Read = Vec<(i128, u32, Vec<u8>)>;

fn read(file: &[u8]) -> Result<Read, CaptureError> {
    let mut reader = CaptureReader::new(file)?;
    let mut all = vec![];
    while let Some(frame) = reader.next_frame()? {
        assert_eq!(frame.number, all.len() as u64 + 1);
        all.push((frame.at, frame.length, frame.bytes.to_vec()));
    }
    Ok(all)
}

#[test]
fn pcap_of_all_kinds_is_read() {
    let frames: [(u32, u32, u32, &[u8]); 2] = [(1, 5, 3, b"abc"), (2, 999, 60, b"de")];
    for (magic, unit) in [
        ([0xa1, 0xb2, 0xc3, 0xd4], 1000),
        ([0xa1, 0xb2, 0x3c, 0x4d], 1),
        ([0xd4, 0xc3, 0xb2, 0xa1], 1000),
        ([0x4d, 0x3c, 0xb2, 0xa1], 1),
    ] {
        let file = pcap(magic, 1, &frames);
        let expected = vec![
            (1_000_000_000 + 5 * unit, 3, b"abc".to_vec()),
            (2_000_000_000 + 999 * unit, 60, b"de".to_vec()),
        ];
        assert_eq!(read(&file).expect("a capture"), expected);
        assert!(matches!(read(&file[..file.len() - 1]), Err(CaptureError::Ends(1))));
        assert!(matches!(read(&file[..45]), Err(CaptureError::Ends(1))), "in a header");
    }
    let radio = pcap([0xa1, 0xb2, 0xc3, 0xd4], 127, &frames);
    assert!(matches!(read(&radio), Err(CaptureError::LinkType(127))));
    assert!(matches!(read(b"text"), Err(CaptureError::Other)));
    assert!(matches!(read(b""), Err(CaptureError::Other)));
    let mut long = pcap([0xa1, 0xb2, 0xc3, 0xd4], 1, &frames);
    long[32..36].fill(0xff);
    assert!(matches!(read(&long), Err(CaptureError::Malformed { after: 0, .. })));
}

/// Returns a block of pcapng.
fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let padded = [body, &vec![0; body.len().next_multiple_of(4) - body.len()]].concat();
    let length = (padded.len() as u32 + 12).to_le_bytes();
    [&kind.to_le_bytes()[..], &length, &padded, &length].concat()
}

fn option(code: u16, value: &[u8]) -> Vec<u8> {
    let pad = vec![0; value.len().next_multiple_of(4) - value.len()];
    [&code.to_le_bytes()[..], &(value.len() as u16).to_le_bytes(), value, &pad].concat()
}

fn enhanced(interface: u32, ticks: u64, length: u32, bytes: &[u8]) -> Vec<u8> {
    let words = [interface, (ticks >> 32) as u32, ticks as u32, bytes.len() as u32, length];
    block(6, &[words.map(u32::to_le_bytes).as_flattened(), bytes].concat())
}

/// Returns the header of a section of pcapng.
fn section() -> Vec<u8> {
    let order = 0x1a2b_3c4d_u32.to_le_bytes();
    block(0x0a0d_0d0a, &[&order[..], &[1, 0, 0, 0], &[0xff; 8]].concat())
}

fn interface(link: u8, options: &[u8]) -> Vec<u8> {
    block(1, &[&[link, 0, 0, 0, 0, 0, 0, 0], options].concat())
}

/// The times and lengths of a capture's arrivals.
fn arrivals(blocks: &[Vec<u8>]) -> Result<Vec<(u64, u32)>, String> {
    let read =
        netloom_traffic::arrivals(&blocks.concat()[..]).map_err(|error| error.to_string())?;
    Ok(read.as_slice().iter().map(|frame| (frame.at.as_nanos(), frame.bytes)).collect())
}

/// Programs write the frames of each interface when they get them, so that only those of one
/// interface are in order. Interfaces of a later section are others, whatever their number.
#[test]
fn frames_of_several_interfaces_are_merged_and_those_of_one_must_be_in_order() {
    let two = [section(), interface(1, &[]), interface(1, &option(9, &[9]))];
    let frames = [
        enhanced(0, 9, 60, b"a"),
        enhanced(1, 7_000, 70, b"b"),
        enhanced(1, 8_000, 80, b"c"),
        enhanced(0, 9, 90, b"d"),
    ];
    let expected = vec![(0, 70), (1000, 80), (2000, 60), (2000, 90)];
    assert_eq!(arrivals(&[&two[..], &frames].concat()), Ok(expected));
    let later = [section(), interface(1, &[]), enhanced(0, 8, 50, b"e")];
    let expected = vec![(0, 70), (1000, 80), (1000, 50), (2000, 60), (2000, 90)];
    assert_eq!(arrivals(&[&two[..], &frames, &later].concat()), Ok(expected));
    let back = [enhanced(1, 7_999, 80, b"f")];
    let error = arrivals(&[&two[..], &frames, &back].concat()).expect_err("out of order");
    assert!(error.starts_with("frame 5 is earlier than the one before it of the same"), "{error}");
}

#[test]
fn units_of_time_may_be_short_or_long_and_times_anything() {
    let of = |resolution: u8, ticks: [u64; 2]| {
        let [first, second] = ticks.map(|ticks| enhanced(0, ticks, 60, b"x"));
        arrivals(&[section(), interface(1, &option(9, &[resolution])), first, second])
            .map(|read| read[1].0)
    };
    assert_eq!(of(0, [1_700_000_000, 1_700_000_002]), Ok(2_000_000_000));
    assert_eq!(of(12, [0, 7_999]), Ok(7));
    assert_eq!(of(28, [0, u64::MAX]), Ok(1));
    assert_eq!(of(0x80 | 30, [0, 3 << 29]), Ok(1_500_000_000));
    assert_eq!(of(0xff, [0, u64::MAX]), Ok(0));
    for resolution in [0, 0x80] {
        let error = of(resolution, [0, u64::MAX]).expect_err("centuries");
        assert!(error.starts_with("frame 2 is more than 292 years"), "{error}");
    }
    assert!(of(29, [0, 1]).is_err());
}

#[test]
fn pcapng_has_units_and_offsets_of_each_interface() {
    let section = section();
    let binary = [option(9, &[0x8a]), option(14, &5i64.to_le_bytes()), option(0, &[])].concat();
    let file = [
        section.clone(),
        interface(1, &[]),
        interface(101, &binary),
        block(5, &[0; 12]),
        enhanced(0, 7, 3, b"abc"),
        enhanced(1, 1536, 1500, b"defgh"),
        section.clone(),
        interface(1, &option(9, &[9])),
        enhanced(0, 8, 1, b"z"),
    ];
    let expected: Read = vec![
        (7000, 3, b"abc".to_vec()),
        (6_500_000_000, 1500, b"defgh".to_vec()),
        (8, 1, b"z".to_vec()),
    ];
    assert_eq!(read(&file.concat()).expect("a capture"), expected);
    let malformed = |blocks: &[Vec<u8>], words: &str| {
        let error = read(&blocks.concat()).expect_err(words).to_string();
        assert!(error.contains(words), "{words}: {error}");
    };
    malformed(&[section.clone(), enhanced(0, 7, 3, b"abc")], "no interface");
    malformed(&[section.clone(), interface(105, &[]), enhanced(0, 7, 3, b"abc")], "type 105");
    malformed(&[section.clone(), interface(1, &[]), block(3, &[0; 8])], "without a time");
    malformed(&[section.clone(), interface(1, &option(9, &[99]))], "described");
    malformed(
        &[section.clone(), interface(1, &option(13, &[4])), enhanced(0, 7, 3, b"abc")],
        "check",
    );
    let mut odd = enhanced(0, 7, 3, b"abc");
    let last = odd.len() - 4;
    odd[last] ^= 4;
    malformed(&[section.clone(), interface(1, &[]), odd], "another length");
    let mut long = enhanced(0, 7, 3, b"abc");
    long[20] = 5;
    malformed(&[section, interface(1, &[]), long], "longer than its block");
}

#[test]
fn a_survey_names_the_first_frame_that_cannot_be_sent() {
    let ends = [ip("192.0.2.1"), ip("192.0.2.2")];
    let [small, large] =
        [10, 300].map(|bytes| ethernet([[9; 6]; 2], &whole(ends, 17, &vec![1; bytes])));
    let length = |frame: &[u8]| frame.len() as u32;
    let frames: [(u32, u32, u32, &[u8]); 3] = [
        (1, 0, length(&small), &small),
        (1, 1, length(&large), &large),
        (2, 0, length(&small), &small),
    ];
    let magic = [0xa1, 0xb2, 0xc3, 0xd4];
    let all = |address: IpAddr| ends.contains(&address).then_some(address);
    let survey = Survey::of(&pcap(magic, 1, &frames)[..], Addressed::Rewritten(all));
    let found = survey.expect("all can be sent");
    assert_eq!((found.frames, found.longest, found.longest_at), (3, 328, 2));
    let one = |address: IpAddr| (address == ends[0]).then_some(address);
    let survey = Survey::of(&pcap(magic, 1, &frames)[..], Addressed::Rewritten(one));
    let error = survey.expect_err("one is not rewritten").to_string();
    assert_eq!(error, "frame 1 has the address 192.0.2.2, which is not rewritten");
    let mut cut = frames;
    cut[1].2 = 1514;
    let survey = Survey::of(&pcap(magic, 1, &cut)[..], Addressed::Rewritten(all));
    let error = survey.expect_err("one is cut").to_string();
    assert_eq!(error, "frame 2 was cut at 342 of 1514 bytes: only as background");
    let survey = Survey::of(&pcap(magic, 1, &[])[..], Addressed::Rewritten(all));
    assert_eq!(survey.expect_err("nothing is there").to_string(), "it has no frames");
}

#[test]
fn a_pace_is_stretched_exactly() {
    let replay = |more: &str| -> ReplayConfig {
        serde_json::from_str(&format!(r#"{{"file":"x","as_is":true{more}}}"#)).expect("a replay")
    };
    let day = 86_400_000_000_007;
    for (more, after_first, due) in [
        ("", day, day as u64),
        (r#","stretch":0.5"#, 3, 1),
        (r#","stretch":0.5"#, day, 43_200_000_000_003),
        (r#","stretch":1000"#, day, 86_400_000_000_007_000),
        (r#","stretch":10"#, -5, 0),
        (r#","stretch":1000"#, i128::MAX, u64::MAX),
    ] {
        assert_eq!(replay(more).due(after_first).as_nanos(), due, "{more} {after_first}");
    }
}
