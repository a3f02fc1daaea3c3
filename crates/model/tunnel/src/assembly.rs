//! Records that span datagrams, which come in any order. Not here: records within one datagram.
//!
//! A datagram may begin with the rest of a record, and may end with the beginning of another one.
//! Such pieces are joined with those of the neighbouring datagrams to runs. A run that has both its
//! head and its end is a record.

use std::cmp::Ordering;
use std::mem;

use crate::replay::REPLAY_WINDOW;
use crate::{MAX_FRAME, RECORD_HEADER, Record};

/// Largest number of runs, and of their bytes. The oldest ones are given up before.
const MOST_RUNS: usize = 256;
const MOST_BYTES: usize = 4 << 20;

/// Number of buffers that are kept for later runs.
const KEPT_BUFFERS: usize = 16;

/// Pieces of consecutive datagrams that belong to one record.
#[derive(Debug)]
struct Run {
    /// The first and the last datagram.
    first: u64,
    last: u64,
    /// Whether it has the beginning of the record.
    has_head: bool,
    /// Whether another record begins behind it.
    is_closed: bool,
    bytes: Vec<u8>,
}

/// A piece of a record at the beginning of datagram `at`, or at its end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Piece<'a> {
    pub at: u64,
    pub bytes: &'a [u8],
    pub place: Place,
}

/// The place of a piece in its record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// The record begins with it, and goes on in the next datagram.
    Head,
    /// The record began before. It may go on.
    Middle,
    /// The record began before, and another one begins behind it.
    Tail,
}

/// The outcome of a piece.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Joined<'a> {
    /// Others are missing.
    Waits,
    /// The record, and the bytes of its frame.
    Whole(Record, &'a [u8]),
    /// What was joined is no record.
    Malformed,
}

/// All runs of a path.
#[derive(Debug, Default)]
pub(crate) struct Assembly {
    /// In no order; the latest one is often the last.
    runs: Vec<Run>,
    /// The record that was returned last. Its memory is reused.
    whole: Vec<u8>,
    free: Vec<Vec<u8>>,
}

impl Assembly {
    /// Joins a piece with its neighbours.
    #[inline]
    pub fn join(&mut self, piece: Piece<'_>) -> Joined<'_> {
        let run = self.extend(piece);
        if self.runs[run].bytes.len() > RECORD_HEADER + MAX_FRAME {
            self.remove(run);
            return Joined::Malformed;
        }
        match self.runs[run].is_whole() {
            None => {
                if self.runs.len() > 1 {
                    self.give_up(piece.at);
                }
                Joined::Waits
            }
            Some(false) => {
                self.remove(run);
                Joined::Malformed
            }
            Some(true) => {
                let Run { bytes, .. } = self.runs.swap_remove(run);
                let last = mem::replace(&mut self.whole, bytes);
                self.keep(last);
                let Some((head, frame)) = self.whole.split_first_chunk() else {
                    return Joined::Malformed;
                };
                match Record::decode(head) {
                    Ok((record, _)) => Joined::Whole(record, frame),
                    Err(_) => Joined::Malformed,
                }
            }
        }
    }

    /// Number of bytes in all runs.
    fn bytes(&self) -> usize {
        self.runs.iter().map(|run| run.bytes.len()).sum()
    }

    /// Adds a piece to the runs beside it. Returns the run.
    fn extend(&mut self, piece: Piece<'_>) -> usize {
        let Piece { at, bytes, place } = piece;
        let before = (place != Place::Head).then(|| self.run_before(at)).flatten();
        let after = (place != Place::Tail).then(|| self.run_behind(at)).flatten();
        match (before, after) {
            (Some(before), None) => {
                let run = &mut self.runs[before];
                run.bytes.extend_from_slice(bytes);
                (run.last, run.is_closed) = (at, place == Place::Tail);
                before
            }
            (Some(before), Some(after)) => {
                // The one that stays is the last, whichever is removed.
                let mut run = self.runs.swap_remove(before);
                let after = if after == self.runs.len() { before } else { after };
                let behind = self.runs.swap_remove(after);
                run.bytes.extend_from_slice(bytes);
                run.bytes.extend_from_slice(&behind.bytes);
                (run.last, run.is_closed) = (behind.last, behind.is_closed);
                self.keep(behind.bytes);
                self.runs.push(run);
                self.runs.len() - 1
            }
            (None, Some(after)) => {
                let run = &mut self.runs[after];
                run.bytes.splice(0..0, bytes.iter().copied());
                (run.first, run.has_head) = (at, place == Place::Head);
                after
            }
            (None, None) => {
                let mut memory = self.free.pop().unwrap_or_default();
                memory.extend_from_slice(bytes);
                let (has_head, is_closed) = (place == Place::Head, place == Place::Tail);
                self.runs.push(Run { first: at, last: at, has_head, is_closed, bytes: memory });
                self.runs.len() - 1
            }
        }
    }

    /// The run that goes on in datagram `at`.
    #[inline]
    fn run_before(&self, at: u64) -> Option<usize> {
        let before = at.checked_sub(1)?;
        self.runs.iter().rposition(|run| run.last == before && !run.is_closed)
    }

    /// The run that began in datagram `at`, or before it.
    #[inline]
    fn run_behind(&self, at: u64) -> Option<usize> {
        self.runs.iter().rposition(|run| Some(run.first) == at.checked_add(1) && !run.has_head)
    }

    /// Gives up runs that cannot become whole any more, and the oldest ones if there are too many.
    fn give_up(&mut self, at: u64) {
        let is_over = |run: &Run| at.saturating_sub(run.last) > REPLAY_WINDOW;
        while let Some(run) = self.runs.iter().position(is_over) {
            self.remove(run);
        }
        while self.runs.len() > MOST_RUNS || self.bytes() > MOST_BYTES {
            let oldest = self.runs.iter().enumerate().min_by_key(|(_, run)| run.last);
            let Some((oldest, _)) = oldest else { return };
            self.remove(oldest);
        }
    }

    fn remove(&mut self, run: usize) {
        let Run { bytes, .. } = self.runs.swap_remove(run);
        self.keep(bytes);
    }

    fn keep(&mut self, mut memory: Vec<u8>) {
        if self.free.len() < KEPT_BUFFERS {
            memory.clear();
            self.free.push(memory);
        }
    }
}

impl Run {
    /// Whether it is a record, or none. `None` if that is not known yet.
    #[inline]
    fn is_whole(&self) -> Option<bool> {
        if !self.has_head {
            return None;
        }
        let Some((head, frame)) = self.bytes.split_first_chunk::<RECORD_HEADER>() else {
            return self.is_closed.then_some(false);
        };
        let Ok((_, length)) = Record::decode(head) else { return Some(false) };
        match frame.len().cmp(&length) {
            Ordering::Less => self.is_closed.then_some(false),
            Ordering::Equal => Some(true),
            Ordering::Greater => Some(false),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn record(length: usize) -> Vec<u8> {
        let record = Record {
            pipe: 3,
            sequence: 7,
            frames: 1,
            number: 9,
            release: 11,
            shift: 0,
            cuts: 0,
            marked: false,
            virtio: [0; 10],
        };
        let frame = (0..length).map(|at| at as u8);
        record.encode(length).into_iter().chain(frame).collect()
    }

    /// The pieces of a record in datagrams 10, 11 and so on.
    fn pieces(record: &[u8], cuts: usize, begins_behind: bool) -> Vec<Piece<'_>> {
        let size = record.len().div_ceil(cuts + 1);
        let last = record.chunks(size).len() - 1;
        let place = |at| match at {
            0 => Place::Head,
            at if at == last && begins_behind => Place::Tail,
            _ => Place::Middle,
        };
        let piece = |(at, bytes)| Piece { at: 10 + at as u64, bytes, place: place(at) };
        record.chunks(size).enumerate().map(piece).collect()
    }

    proptest! {
        #[test]
        fn a_record_is_whole_when_its_last_piece_comes_whichever_that_is(
            length in 0usize..3000,
            cuts in 1usize..12,
            begins_behind in any::<bool>(),
            seed in any::<u64>(),
        ) {
            let bytes = record(length);
            let mut pieces = pieces(&bytes, cuts, begins_behind);
            // Any order: by the remainder of a multiple.
            pieces.sort_by_key(|piece| (piece.at.wrapping_mul(seed | 1)) >> 7);
            let mut assembly = Assembly::default();
            let (last, others) = pieces.split_last().expect("there are two or more");
            for piece in others {
                prop_assert_eq!(assembly.join(*piece), Joined::Waits);
            }
            match assembly.join(*last) {
                Joined::Whole(record, frame) => {
                    prop_assert_eq!(record.number, 9);
                    prop_assert_eq!(frame, &bytes[RECORD_HEADER..]);
                }
                other => prop_assert!(false, "{:?}", other),
            }
            prop_assert!(assembly.runs.is_empty());
        }

        #[test]
        fn memory_is_bounded_whatever_comes(
            pieces in prop::collection::vec((0u64..5000, 0usize..65_000, 0u8..3), 1..700)
        ) {
            let bytes = vec![0; 65_000];
            let mut assembly = Assembly::default();
            for (at, length, place) in pieces {
                let place = [Place::Head, Place::Middle, Place::Tail][usize::from(place)];
                let _ = assembly.join(Piece { at, bytes: &bytes[..length], place });
                prop_assert!(assembly.runs.len() <= MOST_RUNS);
                prop_assert!(assembly.bytes() <= MOST_BYTES + RECORD_HEADER + MAX_FRAME);
            }
        }
    }

    #[test]
    fn a_record_with_a_missing_piece_is_given_up_once_that_cannot_come() {
        let bytes = record(1000);
        let pieces = pieces(&bytes, 2, true);
        let mut assembly = Assembly::default();
        assert_eq!(assembly.join(pieces[0]), Joined::Waits);
        assert_eq!(assembly.join(pieces[2]), Joined::Waits);
        let head = |at| Piece { at, ..pieces[0] };
        assert_eq!(assembly.join(head(12 + REPLAY_WINDOW)), Joined::Waits);
        assert_eq!(assembly.runs.len(), 2, "only the head is too old");
        assert_eq!(assembly.join(head(13 + REPLAY_WINDOW)), Joined::Waits);
        assert_eq!(assembly.runs.len(), 2, "and now the tail");
        assert_eq!(assembly.join(pieces[1]), Joined::Waits);
    }

    #[test]
    fn pieces_that_make_no_record_are_refused() {
        let bytes = record(1000);
        let mut assembly = Assembly::default();
        let pieces = pieces(&bytes, 1, true);
        assembly.join(pieces[0]);
        // Another record begins too early.
        let early = Piece { bytes: &pieces[1].bytes[1..], ..pieces[1] };
        assert_eq!(assembly.join(early), Joined::Malformed);
        assembly.join(pieces[0]);
        // It begins too late.
        let late = [pieces[1].bytes, &[0]].concat();
        assert_eq!(assembly.join(Piece { bytes: &late, ..pieces[1] }), Joined::Malformed);
        assert!(assembly.runs.is_empty());
        // A head that is none.
        let head = Piece { at: 1, bytes: &[255; RECORD_HEADER], place: Place::Head };
        assert_eq!(assembly.join(head), Joined::Malformed);
    }
}
