//! The counters of a pipe's background, separate from those of offered frames.

use std::collections::VecDeque;

use super::{BackgroundStatistics, Count, Window};

/// The counts of one period.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct BackgroundCounts {
    pub offered: Count,
    pub delivered: Count,
    pub dropped: Count,
    pub marked: Count,
    /// Waiting fluid integrated over time, in 10⁻⁶ frames × ns.
    pub queue_area: u128,
    /// Waiting fluid integrated over time, in bytes on the line × ns.
    pub line_area: u128,
}

/// The counters of a running pipe: for the current second, for the last minute, and in total.
#[derive(Debug, Clone, Default)]
pub(super) struct BackgroundCounters {
    present: BackgroundCounts,
    past: BackgroundCounts,
    /// The seconds of the last minute in which something was counted, oldest first.
    seconds: VecDeque<(u64, BackgroundCounts)>,
}

impl BackgroundCounts {
    /// Adds the counts of `other`.
    pub fn add(&mut self, other: &Self) {
        self.offered = self.offered + other.offered;
        self.delivered = self.delivered + other.delivered;
        self.dropped = self.dropped + other.dropped;
        self.marked = self.marked + other.marked;
        self.queue_area += other.queue_area;
        self.line_area += other.line_area;
    }

    /// Returns the statistics, with the amounts that are in the pipe now.
    pub fn summary(self, (queued, on_line): (Count, Count)) -> BackgroundStatistics {
        let Self { offered, delivered, dropped, marked, .. } = self;
        BackgroundStatistics { offered, delivered, dropped, marked, queued, on_line }
    }
}

impl BackgroundCounters {
    /// The counts of the current second.
    #[inline]
    pub fn present(&mut self) -> &mut BackgroundCounts {
        &mut self.present
    }

    /// Closes second `number`.
    pub fn close(&mut self, number: u64) {
        const KEPT: u64 = Window::LONGEST.as_nanos() / 1_000_000_000;
        while self.seconds.front().is_some_and(|(oldest, _)| oldest + KEPT <= number) {
            self.seconds.pop_front();
        }
        if self.present != BackgroundCounts::default() {
            self.past.add(&self.present);
            self.seconds.push_back((number, std::mem::take(&mut self.present)));
        }
    }

    /// Returns the counts from second `first` on, or since the beginning.
    pub fn since(&self, first: Option<u64>) -> BackgroundCounts {
        let mut sum = self.present;
        match first {
            None => sum.add(&self.past),
            Some(first) => {
                let seconds = self.seconds.iter().filter(|(number, _)| *number >= first);
                seconds.for_each(|(_, counts)| sum.add(counts));
            }
        }
        sum
    }
}
