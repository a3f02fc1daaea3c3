use netloom_tcp::{Segment, Timestamps};
use proptest::collection::vec;
use proptest::option::of;
use proptest::prelude::*;

use super::*;
use crate::simulation::{FlowSample, PipeSample, Standing};
use crate::{AddressId, Announcement, Body, Flags, Fragment, Packet, Stamp, TcpHeader};

fn bytes<T: Binary>(thing: &T) -> Vec<u8> {
    let mut out = Vec::new();
    thing.encode(&mut out);
    out
}

fn packet(body: Body) -> Packet {
    Packet {
        source: AddressId(3),
        destination: AddressId(300),
        bytes: 1500,
        source_port: 40_000,
        destination_port: 80,
        hop_limit: 64,
        traffic_class: 0x02,
        flags: Flags::DONT_FRAGMENT,
        fragment: Fragment::default(),
        body,
    }
}

#[test]
fn an_announcement_is_these_bytes() {
    let stamp = Stamp { flow: 1, number: 2, sent: Time::from_nanos(1000) };
    let packet = packet(Body::Datagram(stamp));
    let announcement =
        Announcement { cell: 7, release: Time::from_nanos(300), wire: 5, cuts: 0, packet };
    let golden = [
        7, 0xac, 2, 5, 0, // cell, release, pipe, cuts
        3, 0xac, 2, 0xdc, 11, // addresses, length
        0xc0, 0xb8, 2, 80, 64, 2, 2, // ports, hop limit, traffic class, flags
        0, 0, 3, // whole; a datagram
        1, 2, 0xe8, 7, // flow, number, sent
    ];
    assert_eq!(bytes(&announcement), golden);
    assert_eq!(Input::new(&golden).only(), Ok(announcement));
    for end in 0..golden.len() {
        let cut: Result<Announcement, _> = Input::new(&golden[..end]).only();
        assert_eq!(cut, Err(DecodeError::Short), "at {end}");
    }
    let more: Result<Announcement, _> = Input::new(&[&golden[..], &[0]].concat()).only();
    assert_eq!(more, Err(DecodeError::Long));
}

#[test]
fn values_that_do_not_exist_are_refused() {
    let stamp = Stamp { flow: 1, number: 2, sent: Time::ZERO };
    let good = bytes(&packet(Body::Datagram(stamp)));
    let refused = |place: usize, byte: u8| {
        let mut bad = good.clone();
        bad[place] = byte;
        Input::new(&bad).only::<Packet>().unwrap_err().to_string()
    };
    assert_eq!(refused(11, 0x80), "there is no such flag of a packet");
    assert_eq!(refused(14, 9), "there is no such kind of packet");
    // The two bytes of the length, 1500, become one, 20: the IP header alone.
    let mut short = good.clone();
    short.splice(3..5, [20]);
    let short = Input::new(&short).only::<Packet>().unwrap_err();
    assert_eq!(short, DecodeError::Value("packet that is shorter than its headers"));
    let many = Input::new(&[0xff; 10]).only::<u64>();
    assert_eq!(many, Err(DecodeError::Value("number of 64 bits")));
    let large = Input::new(&[0x80, 0x80, 4]).only::<u16>();
    assert_eq!(large, Err(DecodeError::Value("number of u16")));
    // An impossibly long list must not reserve memory.
    let things = Input::new(&[0xff, 0xff, 0xff, 0xff, 0x7f, 1]).only::<Vec<u64>>();
    assert_eq!(things, Err(DecodeError::Short));
}

/// Reads `T` from any bytes. A value that was read is written as the same bytes, unless a number
/// had been written with more bytes than it needs.
fn read<T: Binary + PartialEq + std::fmt::Debug>(any: &[u8]) -> Result<(), TestCaseError> {
    let mut input = Input::new(any);
    if let Ok(thing) = T::decode(&mut input) {
        let written = bytes(&thing);
        prop_assert!(written.len() <= any.len() - input.0.len());
        // Bytes are compared because a NaN differs from itself.
        let again = Input::new(&written).only::<T>().map(|again| bytes(&again));
        prop_assert_eq!(again, Ok(written));
    }
    Ok(())
}

proptest! {
    #[test]
    fn any_bytes_are_read_or_refused(any in vec(prop_oneof![0..5u8, any::<u8>()], 0..400)) {
        read::<Announcement>(&any)?;
        read::<Vec<Announcement>>(&any)?;
        read::<PipeSample>(&any)?;
        read::<FlowSample>(&any)?;
        read::<Standing>(&any)?;
    }

    #[test]
    fn segments_come_as_they_went(
        numbers in any::<[u32; 2]>(),
        window in any::<u16>(),
        flags in any::<u8>(),
        times in of(any::<[u32; 2]>()),
        syn in of((any::<u16>(), of(any::<u8>()), any::<bool>())),
        blocks in vec(any::<[u32; 2]>(), 0..5),
        damage in 0usize..200,
    ) {
        let mut sack = netloom_tcp::SackBlocks::NONE;
        for [start, end] in blocks {
            sack.push(netloom_tcp::SackBlock { start, end });
        }
        let syn = syn.map(|(mss, window_scale, sack_permitted)| {
            netloom_tcp::SynOptions { mss, window_scale, sack_permitted }
        });
        let [seq, ack] = numbers;
        let segment = Segment {
            seq,
            ack,
            window,
            syn,
            flags: netloom_tcp::Flags::from_bits(flags),
            timestamps: times.map(|[value, echo]| Timestamps { value, echo }),
            sack_blocks: sack.count(),
            ..Segment::EMPTY
        };
        let packet = packet(Body::Segment(TcpHeader::new(&segment, &sack)));
        let written = bytes(&packet);
        prop_assert_eq!(Input::new(&written).only(), Ok(packet));
        // A damaged packet decodes to another packet or to an error.
        let mut damaged = written;
        let place = damage % damaged.len();
        damaged[place] ^= 1 << (damage % 8);
        read::<Packet>(&damaged)?;
    }
}
