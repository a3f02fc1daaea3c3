//! Whatever datagrams come, in any order, what they carry is read or refused: no frame is longer
//! than all bytes that came, and each frame of a pipe is received once or lost once.
//!
//! The input is a list of datagrams, each with two bytes of length before it. The first byte of
//! each gives its header, if it is even: a sequence near the last one, of the right path.
#![no_main]

use std::collections::BTreeSet;

use libfuzzer_sys::fuzz_target;
use netloom_tunnel::{Clear, Header, Kind, Path, Receiver};

const PATH: Path = Path { session: 1, number: 2 };
const KINDS: [Kind; 4] = [Kind::Records, Kind::Records, Kind::Counts, Kind::Reply];

/// Returns the header that a byte stands for, behind `sequence`.
fn header(byte: u8, first: u8, sequence: u64) -> Header {
    let first = if first == 255 { u16::MAX } else { first.into() };
    let kind = KINDS[usize::from(byte / 2 % 4)];
    let sequence = (sequence + u64::from(byte / 8)).saturating_sub(8);
    Header { kind, first, path: PATH, sequence }
}

fuzz_target!(|input: &[u8]| {
    let mut receiver = Receiver::new(PATH, Clear, 0..4);
    let (mut rest, mut sequence, mut total) = (input, 0, 0);
    let mut frames = BTreeSet::new();
    while let Some((length, behind)) = rest.split_first_chunk::<2>() {
        let length = usize::from(u16::from_le_bytes(*length)).min(behind.len());
        let (bytes, behind) = behind.split_at(length);
        rest = behind;
        let mut datagram = match bytes {
            [byte, first, payload @ ..] if byte % 2 == 0 => {
                let header = header(*byte, *first, sequence);
                sequence = header.sequence;
                [&header.encode()[..], payload].concat()
            }
            _ => bytes.to_vec(),
        };
        total += datagram.len();
        let _ = receiver.datagram(&mut datagram, |record, frame| {
            assert!(record.pipe < 4 && frame.len() <= total);
            // The ranges of records do not overlap; their beginnings are enough to see that.
            assert!(frames.insert((record.pipe, record.sequence)));
        });
        while let Some(loss) = receiver.next_loss() {
            assert!(loss.pipe < 4 && loss.frames > 0);
        }
    }
    receiver.settle();
    assert!(receiver.tallies().all(|(_, tally)| tally.missing == 0));
});
