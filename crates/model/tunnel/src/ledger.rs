//! What has come and what is lost, by pipe.
//!
//! Records of a pipe are numbered without gaps. A gap means that frames are missing; they may be on
//! another way and still come. Counts of the sender show what is missing at the end. A gap that was
//! there at one count and still is at the next one is a loss.

use std::collections::VecDeque;
use std::mem;

use crate::{PipeCount, Record};

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
}

#[derive(Debug, Default)]
struct Account {
    /// The sequence behind the latest one that is known to be sent.
    next: u64,
    received: u64,
    lost: u64,
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
        Self { pipes, accounts, last: 0, losses: VecDeque::new() }
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
        if count.sent > account.next {
            let gap = Gap { from: account.next, to: count.sent, is_counted: true };
            account.next = count.sent;
            self.open_gap(place, gap);
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
        PipeTally { received: self.received, lost: self.lost, missing }
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
