//! What has come and what is lost, by pipe.
//!
//! Records of a pipe are numbered without gaps. A gap means that frames are missing; they may be on
//! another way and still come. Counts of the sender show what is missing at the end. A gap that was
//! there at one count and still is at the next one is a loss.

use std::collections::VecDeque;
use std::mem;

use crate::{PipeCount, PipeCut, Record};

/// Number of gaps of one pipe that may still be filled. The oldest ones are lost before.
const MOST_GAPS: usize = 256;

/// Frames of a pipe, in wire frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PipeTally {
    /// Frames that were handed on.
    pub received: u64,
    /// Frames that were lost.
    pub lost: u64,
    /// Frames that are missing and may still come.
    pub missing: u64,
    /// Number of counts of the sender.
    pub counts: u64,
}

/// Frames that were lost on their way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Loss {
    /// The pipe.
    pub pipe: u32,
    /// The first one, as in [`Record::sequence`].
    pub first: u64,
    /// Their number, in wire frames.
    pub frames: u64,
}

/// What became of a record.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Entry {
    /// It is new.
    New,
    /// It has come before, or was lost.
    Stale,
    /// Its pipe does not come by this path.
    Unknown,
}

/// All pipes of a path.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    /// In order.
    pipes: Vec<u32>,
    accounts: Vec<Account>,
    /// The place of the pipe that was looked up last.
    last: usize,
    losses: VecDeque<Loss>,
    /// Cuts that nobody has been told of.
    cuts: VecDeque<PipeCut>,
}

#[derive(Debug, Default)]
struct Account {
    /// The sequence behind the latest one that is known to be sent.
    next: u64,
    received: u64,
    lost: u64,
    counts: u64,
    /// Number of cuts that the sender has told of.
    cuts: u32,
    /// Missing frames, in order.
    gaps: VecDeque<Gap>,
}

/// Missing frames: `from..to`.
#[derive(Debug, Clone, Copy)]
struct Gap {
    from: u64,
    to: u64,
    /// Whether it was there at the latest count.
    is_counted: bool,
}

impl Ledger {
    pub fn new(pipes: impl IntoIterator<Item = u32>) -> Self {
        let mut pipes: Vec<u32> = pipes.into_iter().collect();
        pipes.sort_unstable();
        pipes.dedup();
        let accounts = pipes.iter().map(|_| Account::default()).collect();
        Self { pipes, accounts, ..Self::default() }
    }

    /// Enters a record.
    #[inline]
    pub fn enter(&mut self, record: &Record) -> Entry {
        let Some(place) = self.place(record.pipe) else { return Entry::Unknown };
        let account = &mut self.accounts[place];
        let (from, to) = (record.sequence, record.end());
        if from == account.next {
            account.next = to;
        } else if from > account.next {
            let gap = Gap { from: account.next, to: from, is_counted: false };
            account.next = to;
            self.open_gap(place, gap);
        } else if !account.fill(from, to) {
            return Entry::Stale;
        }
        self.accounts[place].received += to - from;
        Entry::New
    }

    /// Enters a count of the sender. Returns whether its pipe comes by this path.
    pub fn count(&mut self, count: PipeCount) -> bool {
        let Some(place) = self.place(count.pipe) else { return false };
        for gap in mem::take(&mut self.accounts[place].gaps) {
            match gap.is_counted {
                true => self.lose(place, gap),
                false => self.accounts[place].gaps.push_back(Gap { is_counted: true, ..gap }),
            }
        }
        let account = &mut self.accounts[place];
        account.counts += 1;
        if count.sent > account.next {
            let gap = Gap { from: account.next, to: count.sent, is_counted: true };
            account.next = count.sent;
            self.open_gap(place, gap);
        }
        true
    }

    /// Enters a cut. Returns whether its pipe comes by this path.
    pub fn cut(&mut self, cut: PipeCut) -> bool {
        let Some(place) = self.place(cut.pipe) else { return false };
        let known = &mut self.accounts[place].cuts;
        if cut.number > *known {
            *known = cut.number;
            self.cuts.push_back(cut);
        }
        true
    }

    /// Makes all missing frames lost.
    pub fn settle(&mut self) {
        for place in 0..self.accounts.len() {
            let gaps = mem::take(&mut self.accounts[place].gaps);
            gaps.into_iter().for_each(|gap| self.lose(place, gap));
        }
    }

    pub fn next_loss(&mut self) -> Option<Loss> {
        self.losses.pop_front()
    }

    /// Returns the next cut that was not known.
    pub fn next_cut(&mut self) -> Option<PipeCut> {
        self.cuts.pop_front()
    }

    pub fn tallies(&self) -> impl Iterator<Item = (u32, PipeTally)> {
        self.pipes.iter().zip(&self.accounts).map(|(pipe, account)| (*pipe, account.tally()))
    }

    #[inline]
    fn place(&mut self, pipe: u32) -> Option<usize> {
        if self.pipes.get(self.last) != Some(&pipe) {
            self.last = self.pipes.binary_search(&pipe).ok()?;
        }
        Some(self.last)
    }

    #[cold]
    fn open_gap(&mut self, place: usize, gap: Gap) {
        let gaps = &mut self.accounts[place].gaps;
        gaps.push_back(gap);
        if gaps.len() > MOST_GAPS
            && let Some(oldest) = gaps.pop_front()
        {
            self.lose(place, oldest);
        }
    }

    fn lose(&mut self, place: usize, gap: Gap) {
        let Gap { from, to, .. } = gap;
        self.accounts[place].lost += to - from;
        self.losses.push_back(Loss { pipe: self.pipes[place], first: from, frames: to - from });
    }
}

impl Account {
    fn tally(&self) -> PipeTally {
        let missing = self.gaps.iter().map(|gap| gap.to - gap.from).sum();
        PipeTally { received: self.received, lost: self.lost, missing, counts: self.counts }
    }

    /// Takes `from..to` out of the gap that it is in. Returns `false` if it is in none.
    #[cold]
    fn fill(&mut self, from: u64, to: u64) -> bool {
        let around = |gap: &Gap| gap.from <= from && to <= gap.to;
        let Some(at) = self.gaps.iter().rposition(around) else { return false };
        let gap = self.gaps[at];
        let (before, behind) = (Gap { to: from, ..gap }, Gap { from: to, ..gap });
        match (before.from < before.to, behind.from < behind.to) {
            (false, false) => drop(self.gaps.remove(at)),
            (true, false) => self.gaps[at] = before,
            (false, true) => self.gaps[at] = behind,
            (true, true) => {
                self.gaps[at] = before;
                self.gaps.insert(at + 1, behind);
            }
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn record(sequence: u64, frames: u16) -> Record {
        let (number, release, shift, cuts, marked) = (0, 0, 0, 0, false);
        let virtio = [0; 10];
        Record { pipe: 4, sequence, frames, number, release, shift, cuts, marked, virtio }
    }

    fn tally(ledger: &Ledger) -> [u64; 3] {
        let (_, PipeTally { received, lost, missing, .. }) =
            ledger.tallies().next().expect("a pipe");
        [received, lost, missing]
    }

    #[test]
    fn each_cut_is_told_once_and_never_back() {
        let mut ledger = Ledger::new([4]);
        let cut = |number| PipeCut { pipe: 4, number, at: i64::from(number) };
        for number in [1, 1, 3, 2, 3] {
            assert!(ledger.cut(cut(number)));
        }
        assert!(!ledger.cut(PipeCut { pipe: 5, ..cut(1) }));
        let told: Vec<PipeCut> = std::iter::from_fn(|| ledger.next_cut()).collect();
        assert_eq!(told, [cut(1), cut(3)]);
    }

    fn losses(ledger: &mut Ledger) -> Vec<(u64, u64)> {
        std::iter::from_fn(|| ledger.next_loss()).map(|loss| (loss.first, loss.frames)).collect()
    }

    #[test]
    fn what_is_missing_at_two_counts_is_lost_and_not_taken_any_more() {
        let mut ledger = Ledger::new([4]);
        let count = |ledger: &mut Ledger, sent| assert!(ledger.count(PipeCount { pipe: 4, sent }));
        assert_eq!(ledger.enter(&record(0, 1)), Entry::New);
        assert_eq!(ledger.enter(&record(5, 2)), Entry::New);
        assert_eq!(tally(&ledger), [3, 0, 4]);
        // It comes late, in the middle of the gap.
        assert_eq!(ledger.enter(&record(2, 2)), Entry::New);
        assert_eq!(tally(&ledger), [5, 0, 2]);
        count(&mut ledger, 9);
        assert_eq!(tally(&ledger), [5, 0, 4]);
        assert_eq!(ledger.enter(&record(4, 1)), Entry::New);
        assert_eq!(losses(&mut ledger), []);
        count(&mut ledger, 9);
        assert_eq!(tally(&ledger), [6, 3, 0]);
        assert_eq!(losses(&mut ledger), [(1, 1), (7, 2)]);
        assert_eq!(ledger.enter(&record(1, 1)), Entry::Stale);
        assert_eq!(ledger.enter(&record(8, 1)), Entry::Stale);
        assert_eq!(tally(&ledger), [6, 3, 0]);
    }

    #[test]
    fn a_record_or_count_of_another_pipe_is_unknown() {
        let mut ledger = Ledger::new([4, 9, 4]);
        assert_eq!(ledger.enter(&Record { pipe: 5, ..record(0, 1) }), Entry::Unknown);
        assert!(!ledger.count(PipeCount { pipe: 8, sent: 3 }));
        assert_eq!(ledger.enter(&Record { pipe: 9, ..record(0, 1) }), Entry::New);
        let pipes: Vec<u32> = ledger.tallies().map(|(pipe, _)| pipe).collect();
        assert_eq!(pipes, [4, 9]);
    }

    #[test]
    fn gaps_are_bounded_and_the_oldest_are_lost_first() {
        let mut ledger = Ledger::new([4]);
        for number in 0..2 * MOST_GAPS as u64 {
            assert_eq!(ledger.enter(&record(2 * number + 1, 1)), Entry::New);
        }
        let lost = losses(&mut ledger);
        assert_eq!(lost.len(), MOST_GAPS);
        assert_eq!((lost[0], lost[1]), ((0, 1), (2, 1)));
        assert_eq!(tally(&ledger), [2 * MOST_GAPS as u64, MOST_GAPS as u64, MOST_GAPS as u64]);
        ledger.count(PipeCount { pipe: 4, sent: u64::MAX });
        ledger.settle();
        assert_eq!(tally(&ledger), [512, u64::MAX - 512, 0]);
    }

    proptest! {
        #[test]
        fn each_frame_is_received_once_or_lost_once(
            entries in prop::collection::vec((0u64..200, 1u16..9, 0u8..12), 0..300),
            sent in 200u64..300,
        ) {
            let mut ledger = Ledger::new([4]);
            let (mut received, mut lost) = (BTreeSet::new(), BTreeSet::new());
            for (sequence, frames, kind) in entries {
                if kind == 0 {
                    ledger.count(PipeCount { pipe: 4, sent: sequence });
                } else if ledger.enter(&record(sequence, frames)) == Entry::New {
                    for frame in sequence..sequence + u64::from(frames) {
                        prop_assert!(received.insert(frame), "{} twice", frame);
                    }
                }
            }
            ledger.count(PipeCount { pipe: 4, sent });
            ledger.settle();
            for (first, frames) in losses(&mut ledger) {
                for frame in first..first + frames {
                    prop_assert!(lost.insert(frame), "{} lost twice", frame);
                }
            }
            prop_assert!(received.is_disjoint(&lost));
            prop_assert_eq!(tally(&ledger), [received.len() as u64, lost.len() as u64, 0]);
            let all: BTreeSet<u64> = received.union(&lost).copied().collect();
            prop_assert!(all.into_iter().eq(0..sent.max(ledger.accounts[0].next)));
        }
    }
}
