//! Records through datagrams: those whose datagrams come are whole, in any order and once; all
//! others are counted; and nothing else is taken for a record.

mod common;

use std::collections::BTreeSet;

use common::Keyed;
use netloom_tunnel::{
    Burst, Clear, Header, Kind, MAX_FRAME, MAX_SEGMENT, MIN_SEGMENT, Message, Path, PipeCount,
    RECORD_HEADER, Received, Receiver, Record, Refusal, Refused, Seal, SegmentSize, Sender,
};
use proptest::prelude::*;

const PATH: Path = Path { session: 0x1122_3344_5566_7788, number: 7 };

/// Bytes of the tag of [`Keyed`].
const TAG: usize = 16;

fn sender(segment: usize) -> Sender<Keyed> {
    Sender::new(PATH, segment, Keyed(5)).expect("a length that is allowed")
}

fn receiver() -> Receiver<Keyed> {
    Receiver::new(PATH, Keyed(5), 0..3)
}

fn record(pipe: u32, sequence: u64) -> Record {
    Record {
        pipe,
        sequence,
        frames: 1,
        number: sequence + 100,
        release: -(sequence as i64),
        shift: 3,
        cuts: 2,
        marked: sequence % 2 == 1,
        virtio: [sequence as u8; 10],
    }
}

fn bytes_of(sequence: u64, length: usize) -> Vec<u8> {
    (0..length).map(|at| (at as u64 * 31 + sequence) as u8).collect()
}

fn datagrams(burst: Burst<'_>) -> Vec<Vec<u8>> {
    burst.datagrams().map(<[u8]>::to_vec).collect()
}

/// A frame that was sent: its record, its bytes, and the datagrams that carry it.
struct Sent {
    record: Record,
    frame: Vec<u8>,
    datagrams: std::ops::RangeInclusive<usize>,
}

/// Sends frames of these lengths in bursts.
fn send(segment: usize, bursts: &[Vec<usize>]) -> (Vec<Sent>, Vec<Vec<u8>>) {
    let mut sender = sender(segment);
    let room = segment - Header::BYTES - TAG;
    let (mut sent, mut all) = (Vec::new(), Vec::new());
    for lengths in bursts {
        let mut position = 0;
        for length in lengths {
            let sequence = sent.len() as u64 / 3;
            let record = record(sent.len() as u32 % 3, sequence);
            let frame = bytes_of(sequence, *length);
            let (head, tail) = frame.split_at(length / 3);
            sender.push(&record, [head, tail]);
            let end = position + RECORD_HEADER + length;
            let datagrams = all.len() + position / room..=all.len() + (end - 1) / room;
            sent.push(Sent { record, frame, datagrams });
            position = end;
        }
        let pending = sender.pending();
        let burst = sender.finish();
        assert_eq!(burst.segment, segment);
        assert!(burst.bytes.len() - pending <= TAG);
        let full = burst.datagrams().filter(|datagram| datagram.len() == segment).count();
        assert!(full + 1 >= burst.datagrams().count(), "only the last one is shorter");
        all.extend(datagrams(burst));
        assert_eq!((sender.pending(), sender.finish().bytes.len()), (0, 0));
    }
    (sent, all)
}

/// Hands datagrams on. Returns the records with their frames.
fn receive<S: Seal>(receiver: &mut Receiver<S>, datagrams: &[Vec<u8>]) -> Vec<(Record, Vec<u8>)> {
    let mut came = Vec::new();
    for datagram in datagrams {
        let mut datagram = datagram.clone();
        let outcome = receiver.datagram(&mut datagram, |record, frame| {
            came.push((*record, frame.to_vec()));
        });
        assert_eq!(outcome, Ok(Received::Records));
    }
    came
}

fn bursts() -> impl Strategy<Value = Vec<Vec<usize>>> {
    let length = prop_oneof![0usize..200, 0usize..3000, Just(MAX_FRAME)];
    prop::collection::vec(prop::collection::vec(length, 0..8), 1..6)
}

fn segment() -> impl Strategy<Value = usize> {
    prop_oneof![MIN_SEGMENT..200, 200usize..3000, Just(MAX_SEGMENT)]
}

/// Returns kind, field `first`, sequence, payload, and a number of records to put into it.
fn piece() -> impl Strategy<Value = (u8, u16, u64, Vec<u8>, usize)> {
    let payload = prop::collection::vec(any::<u8>(), 0..300);
    (0u8..4, any::<u16>(), 0u64..5000, payload, 0usize..9)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn frames_come_as_they_were_sent(bursts in bursts(), segment in segment()) {
        let (sent, datagrams) = send(segment, &bursts);
        let came = receive(&mut receiver(), &datagrams);
        let expected: Vec<_> = sent.into_iter().map(|sent| (sent.record, sent.frame)).collect();
        prop_assert!(came == expected, "{} came of {}", came.len(), expected.len());
    }

    #[test]
    fn frames_whose_datagrams_come_are_whole_in_any_order(
        bursts in bursts(),
        segment in segment(),
        fates in prop::collection::vec((any::<bool>(), 0usize..40), 64),
    ) {
        let (sent, datagrams) = send(segment, &bursts);
        // Some are lost, and each of the others comes up to 40 places later.
        let fate = |number: usize| fates[number % fates.len()];
        let comes = |number: &usize| fate(*number).0 || !number.is_multiple_of(3);
        let mut order: Vec<usize> = (0..datagrams.len()).filter(comes).collect();
        let lost: BTreeSet<usize> = (0..datagrams.len()).filter(|number| !comes(number)).collect();
        order.sort_by_key(|number| number + fate(*number).1);
        let came: Vec<Vec<u8>> = order.iter().map(|number| datagrams[*number].clone()).collect();
        let mut receiver = receiver();
        let mut came = receive(&mut receiver, &came);
        came.sort_by_key(|(record, _)| (record.sequence, record.pipe));
        let is_whole = |sent: &&Sent| sent.datagrams.clone().all(|number| !lost.contains(&number));
        let whole = sent.iter().filter(is_whole);
        let expected: Vec<_> = whole.map(|sent| (sent.record, sent.frame.clone())).collect();
        prop_assert!(came == expected, "{} came of {}", came.len(), expected.len());

        // What did not come is lost, by pipe.
        let of_pipe = |pipe| sent.iter().filter(|sent| sent.record.pipe == pipe).count() as u64;
        let counts = [0, 1, 2].map(|pipe| PipeCount { pipe, sent: of_pipe(pipe) });
        let mut sender = sender(segment);
        for _ in 0..datagrams.len() {
            sender.message(&Message::Probe { sent: 0 });
        }
        for mut datagram in self::datagrams(sender.counts(&counts)) {
            prop_assert_eq!(receiver.datagram(&mut datagram, |_, _| {}), Ok(Received::Entered));
        }
        receiver.settle();
        for (pipe, tally) in receiver.tallies() {
            let came = came.iter().filter(|(record, _)| record.pipe == pipe).count() as u64;
            let expected = [came, of_pipe(pipe) - came, 0];
            prop_assert_eq!([tally.received, tally.lost, tally.missing], expected);
        }
        prop_assert_eq!(receiver.refused(), Refused::default());
    }

    #[test]
    fn what_is_not_authentic_is_refused_and_counted(
        bursts in bursts(),
        segment in MIN_SEGMENT..3000,
        faults in prop::collection::vec((0u8..4, any::<usize>(), 0u8..8), 1..40),
    ) {
        let (_, datagrams) = send(segment, &bursts);
        prop_assume!(!datagrams.is_empty());
        let mut receiver = receiver();
        receive(&mut receiver, &datagrams);
        let other = Receiver::new(Path { session: 1, ..PATH }, Keyed(5), 0..3);
        let (mut other, mut strange) = (other, Receiver::new(PATH, Keyed(6), 0..3));
        let mut counts = [0; 4];
        for (kind, place, bit) in faults {
            let mut datagram = datagrams[place % datagrams.len()].clone();
            counts[usize::from(kind)] += 1;
            let none = |_: &Record, _: &[u8]| panic!("a record came of it");
            let at = place % datagram.len();
            match kind {
                0 => {
                    datagram[at] ^= 1 << bit;
                    prop_assert!(receiver.datagram(&mut datagram, none).is_err());
                }
                1 => {
                    let outcome = receiver.datagram(&mut datagram, none);
                    let is_old = place % datagrams.len() + 1024 < datagrams.len();
                    let refusal = if is_old { Refusal::TooOld } else { Refusal::Replayed };
                    prop_assert_eq!(outcome, Err(refusal));
                }
                2 => {
                    let outcome = other.datagram(&mut datagram, none);
                    prop_assert_eq!(outcome, Err(Refusal::Foreign));
                }
                _ => {
                    let outcome = strange.datagram(&mut datagram, none);
                    prop_assert_eq!(outcome, Err(Refusal::Unauthentic));
                }
            }
        }
        let [flipped, replayed, foreign, unauthentic] = counts;
        let of_these = receiver.refused();
        let Refused { malformed, foreign: others, unauthentic: wrong, too_old, .. } = of_these;
        let all = malformed + others + wrong + too_old + of_these.replayed;
        prop_assert_eq!(all, flipped + replayed);
        prop_assert_eq!(other.refused(), Refused { foreign, ..Refused::default() });
        prop_assert_eq!(strange.refused(), Refused { unauthentic, ..Refused::default() });
    }

    #[test]
    fn whatever_comes_is_refused_or_read(
        pieces in prop::collection::vec(piece(), 1..60),
    ) {
        let mut receiver = Receiver::new(PATH, Clear, 0..3);
        for (kind, first, sequence, mut payload, records) in pieces {
            let kind = [Kind::Records, Kind::Probe, Kind::Reply, Kind::Counts][usize::from(kind)];
            for number in 0..records {
                let header = record(number as u32, sequence).encode(number * 50);
                let at = payload.len() / 2;
                payload.splice(at..at, header);
            }
            let first = if first % 3 == 0 { 0xffff } else { first % 400 };
            let header = Header { kind, first, path: PATH, sequence };
            let mut datagram = [&header.encode()[..], &payload].concat();
            let mut handed = 0;
            let _ = receiver.datagram(&mut datagram, |record, frame| {
                assert!(record.pipe < 3 && record.frames > 0);
                handed += frame.len();
            });
            prop_assert!(handed <= payload.len() + MAX_FRAME);
            while receiver.next_loss().is_some() {}
        }
    }
}

#[test]
fn a_burst_is_these_bytes() {
    let mut sender = Sender::new(PATH, MIN_SEGMENT, Clear).expect("it is allowed");
    sender.push(&record(2, 1), [&[9; 60], &[]]);
    let burst = datagrams(sender.finish());
    let head = |first: [u8; 2], sequence| {
        let path = [0, 0, 0, 7, 0x11, 0x22, 0x33, 0x44, 0x55, 0x66, 0x77, 0x88];
        [&[1, 0][..], &first, &path, &[0, 0, 0, 0, 0, 0, 0, sequence]].concat()
    };
    let first = [head([0, 0], 0), record(2, 1).encode(60).to_vec(), vec![9; 50]].concat();
    let second = [head([255, 255], 1), vec![9; 10]].concat();
    assert_eq!(burst, [first, second]);
}

#[test]
fn a_message_fills_a_datagram_and_zeros_follow_it() {
    let messages = [
        Message::Probe { sent: i64::MIN },
        Message::Reply {
            probe_sent: -1,
            probe_received: 2,
            sent: i64::MAX,
            rate: -40_000,
            slew: 9,
        },
    ];
    let (mut sender, mut receiver) = (sender(1400), receiver());
    for message in messages {
        let burst = datagrams(sender.message(&message));
        assert_eq!(burst.iter().map(Vec::len).collect::<Vec<_>>(), [1400]);
        let outcome = receiver.datagram(&mut burst[0].clone(), |_, _| {});
        assert_eq!(outcome, Ok(Received::Message(message)));
    }
    // Messages do not disturb what waits.
    sender.push(&record(0, 0), [b"frame", &[]]);
    sender.message(&messages[0]);
    assert_eq!(receive(&mut receiver, &datagrams(sender.finish())).len(), 1);
    let mut clear = Sender::new(PATH, 200, Clear).expect("it is allowed");
    let mut padded = clear.message(&messages[0]).bytes.to_vec();
    padded[199] = 1;
    let mut receiver = Receiver::new(PATH, Clear, []);
    assert_eq!(receiver.datagram(&mut padded, |_, _| {}), Err(Refusal::Malformed));
}

#[test]
fn many_counts_take_several_datagrams_of_equal_length() {
    let mut sender = sender(200);
    let counts: Vec<PipeCount> = (0..40).map(|pipe| PipeCount { pipe, sent: 9 }).collect();
    let burst = datagrams(sender.counts(&counts));
    assert_eq!(burst.iter().map(Vec::len).collect::<Vec<_>>(), [196, 196, 196, 52]);
    let mut receiver = Receiver::new(PATH, Keyed(5), 1..40);
    for mut datagram in burst {
        assert_eq!(receiver.datagram(&mut datagram, |_, _| {}), Ok(Received::Entered));
    }
    assert!(receiver.tallies().all(|(_, tally)| tally.missing == 9));
    assert_eq!(receiver.refused().unknown_pipe, 1);
    assert!(sender.counts(&[]).bytes.is_empty());
}

#[test]
fn datagrams_that_are_not_sent_name_their_frames() {
    let mut sender = sender(1400);
    (0..4).for_each(|number| sender.push(&record(number % 2, number.into()), [&[0; 1300], &[]]));
    let burst = sender.finish();
    assert_eq!(burst.datagrams().count(), 4);
    let lost = |range| burst.frames_in(range).map(|(pipe, _)| pipe).collect::<Vec<u32>>();
    assert_eq!(lost(0..usize::MAX), [0, 1, 0, 1]);
    // Datagram 1 has the end of frame 1 and most of frame 2.
    assert_eq!(lost(1..4), [1, 0, 1]);
    assert_eq!(lost(1..2), [1, 0]);
    assert_eq!(lost(0..1), [0, 1]);
    assert_eq!(lost(4..9), []);
}

#[test]
fn datagrams_have_a_length_that_carries_something() {
    for length in [0, MIN_SEGMENT - 1, MAX_SEGMENT + 1] {
        let error = Sender::new(PATH, length, Clear).expect_err("it is not allowed");
        assert_eq!(error, SegmentSize(length));
        assert!(error.to_string().contains(&format!("{length} bytes")), "{error}");
    }
}
