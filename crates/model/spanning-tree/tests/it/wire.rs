//! BPDUs as bytes, which were written by hand from clause 9.

use crate::common::{at, cases, cost, id};
use netloom_spanning_tree::{
    Bpdu, BpduError, Bridge, Config, Flags, MessageRole, PortPriority, Priority, Times, Vector,
    is_bpdu,
};
use proptest::prelude::*;

const SOURCE: [u8; 6] = [2, 0, 0, 0, 0, 7];

/// Returns a frame: destination, source, length and LLC, then the BPDU, then padding.
fn frame(length: u8, bpdu: &[u8]) -> [u8; 60] {
    let mut frame = [0; 60];
    frame[..17].copy_from_slice(&[
        0x01, 0x80, 0xc2, 0, 0, 0, 2, 0, 0, 0, 0, 7, 0, length, 0x42, 0x42, 0x03,
    ]);
    frame[17..17 + bpdu.len()].copy_from_slice(bpdu);
    frame
}

#[rustfmt::skip]
const BODY: [u8; 30] = [
    0x10, 0x00, 2, 0, 0, 0, 0, 1,  // root 4096.02:00:00:00:00:01
    0x00, 0x01, 0x38, 0x80,        // cost 80000
    0x80, 0x00, 2, 0, 0, 0, 0, 7,  // bridge 32768.02:00:00:00:00:07
    0x80, 0x03,                    // port 128.3
    0x01, 0x00, 0x14, 0x00, 0x02, 0x00, 0x0f, 0x00, // age 1 s, at most 20 s, hello 2 s, delay 15 s
];

fn config(flags: Flags, role: MessageRole) -> Config {
    let vector = Vector { root: id(4096, 1), cost: 80_000, bridge: id(32_768, 7), port: 0x8003 };
    let times = Times { message_age: 256, max_age: 5120, hello: 512, forward_delay: 3840 };
    Config { flags, role, vector, times }
}

#[test]
fn rst_bpdus_have_these_bytes() {
    let mut bytes = vec![0, 0, 2, 2, 0b0111_1110];
    bytes.extend(BODY);
    bytes.push(0);
    let flags = Flags {
        proposal: true,
        learning: true,
        forwarding: true,
        agreement: true,
        ..Flags::default()
    };
    let bpdu = Bpdu::Rst(config(flags, MessageRole::Designated));
    assert_eq!(bpdu.encode(SOURCE), frame(39, &bytes));
    bytes[4] = 0b0000_1001;
    let flags = Flags { topology_change: true, ..Flags::default() };
    let bpdu = Bpdu::Rst(config(flags, MessageRole::Root));
    assert_eq!(bpdu.encode(SOURCE), frame(39, &bytes));
    assert_eq!(Bpdu::decode(&frame(39, &bytes)), Ok(bpdu));
}

#[test]
fn configuration_bpdus_have_these_bytes() {
    let mut bytes = vec![0, 0, 0, 0, 0b1000_0001];
    bytes.extend(BODY);
    let flags = Flags { topology_change: true, acknowledgement: true, ..Flags::default() };
    let bpdu = Bpdu::Config(config(flags, MessageRole::Designated));
    assert_eq!(bpdu.encode(SOURCE), frame(38, &bytes));
    assert_eq!(Bpdu::decode(&frame(38, &bytes)), Ok(bpdu));
    bytes[27] = 20;
    assert_eq!(Bpdu::decode(&frame(38, &bytes)), Err(BpduError::Old));
}

#[test]
fn notifications_have_these_bytes() {
    assert_eq!(Bpdu::Tcn.encode(SOURCE), frame(7, &[0, 0, 0, 0x80]));
    assert_eq!(Bpdu::decode(&frame(7, &[0, 0, 0, 0x80])), Ok(Bpdu::Tcn));
}

#[test]
fn what_is_cut_off_or_foreign_is_refused() {
    let whole = Bpdu::Rst(config(Flags::default(), MessageRole::Root)).encode(SOURCE);
    for length in 0..53 {
        assert!(Bpdu::decode(&whole[..length]).is_err(), "{length} bytes");
    }
    assert!(Bpdu::decode(&whole[..53]).is_ok(), "padding is not needed");
    for (at, byte) in [(0, 0x02), (5, 0x0e), (12, 0x08), (14, 0xaa), (16, 0x13)] {
        let mut other = whole;
        other[at] = byte;
        assert_eq!(Bpdu::decode(&other), Err(BpduError::Foreign), "byte {at}");
        assert!(!is_bpdu(&other));
    }
    let mut other = whole;
    other[20] = 0x55;
    assert_eq!(Bpdu::decode(&other), Err(BpduError::Unknown));
    assert!(is_bpdu(&other), "it goes from bridge to bridge all the same");
}

#[test]
fn a_later_version_is_read_as_version_2() {
    let mut later = Bpdu::Rst(config(Flags::default(), MessageRole::Root)).encode(SOURCE);
    later[19] = 3;
    assert_eq!(Bpdu::decode(&later), Ok(Bpdu::Rst(config(Flags::default(), MessageRole::Root))));
}

#[test]
fn what_cannot_be_understood_is_counted() {
    let mut bridge = Bridge::new(id(0, 1));
    bridge.add_port(at(0), 0, cost(1), PortPriority::default(), false).unwrap();
    bridge.receive(at(1), 0, &[0; 60]);
    bridge.receive(at(1), 7, &[0; 60]);
    bridge.receive(at(1), 0, &Bpdu::Tcn.encode(SOURCE));
    bridge.enable(at(2), 0, false);
    bridge.receive(at(2), 0, &Bpdu::Tcn.encode(SOURCE));
    let counters = bridge.port(0).unwrap().counters;
    assert_eq!((counters.received, counters.ignored), (1, 2));
}

fn bpdus() -> impl Strategy<Value = Bpdu> {
    let flags = prop::array::uniform6(any::<bool>());
    let role = prop_oneof![
        Just(MessageRole::Unknown),
        Just(MessageRole::Alternate),
        Just(MessageRole::Root),
        Just(MessageRole::Designated),
    ];
    let ids = prop::array::uniform2((0u16..16, any::<[u8; 6]>()));
    let numbers = (any::<u32>(), any::<u16>(), any::<[u16; 4]>());
    (0..3, flags, role, ids, numbers).prop_map(|(kind, flags, role, ids, (cost, port, times))| {
        let [root, bridge] = ids.map(|(priority, address)| {
            netloom_spanning_tree::BridgeId::new(
                Priority::try_from(priority * 4096).unwrap(),
                address,
            )
        });
        let vector = Vector { root, cost, bridge, port };
        let [message_age, max_age, hello, forward_delay] = times;
        let times = Times { message_age, max_age, hello, forward_delay };
        let [topology_change, a, b, c, d, acknowledgement] = flags;
        match kind {
            0 => Bpdu::Tcn,
            1 => {
                let flags = Flags { topology_change, acknowledgement, ..Flags::default() };
                let max_age = max_age.max(1);
                let message_age = message_age.min(max_age - 1);
                let times = Times { message_age, max_age, ..times };
                Bpdu::Config(Config { flags, role: MessageRole::Designated, vector, times })
            }
            _ => {
                let flags = Flags {
                    topology_change,
                    proposal: a,
                    learning: b,
                    forwarding: c,
                    agreement: d,
                    acknowledgement: false,
                };
                Bpdu::Rst(Config { flags, role, vector, times })
            }
        }
    })
}

proptest! {
    #![proptest_config(cases(2000))]

    #[test]
    fn what_is_encoded_is_decoded(bpdu in bpdus(), source in any::<[u8; 6]>()) {
        let frame = bpdu.encode(source);
        prop_assert!(is_bpdu(&frame));
        prop_assert_eq!(&frame[6..12], &source);
        prop_assert_eq!(Bpdu::decode(&frame), Ok(bpdu));
    }

    #[test]
    fn no_bytes_break_a_bridge(
        frames in prop::collection::vec(
            (0usize..4, 0u64..4000, prop_oneof![
                prop::collection::vec(any::<u8>(), 0..80),
                prop::collection::vec(any::<u8>(), 0..60)
                    .prop_map(|bytes| [&frame(39, &[])[..17], &bytes].concat()),
                (
                    prop_oneof![Just([0u8, 0, 2, 2]), Just([0, 0, 0, 0])],
                    prop::collection::vec(any::<u8>(), 40),
                )
                    .prop_map(|(start, bytes)| [&frame(39, &start)[..21], &bytes].concat()),
                bpdus().prop_map(|bpdu| bpdu.encode(SOURCE).to_vec()),
            ]),
            0..40,
        ),
    ) {
        let mut bridge = Bridge::new(id(32_768, 1));
        for port in 0..3 {
            bridge.add_port(at(0), port, cost(20_000), PortPriority::default(), false).unwrap();
        }
        let mut now = 0;
        for (port, gap, frame) in frames {
            now += gap;
            bridge.receive(at(now), port, &frame);
            while bridge.poll_transmit().is_some() {}
            prop_assert!(bridge.next_deadline().unwrap() > at(now));
        }
    }
}
