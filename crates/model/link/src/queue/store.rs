//! Frames in the order of their arrival, with their total lengths: the basis of all disciplines.

use std::collections::VecDeque;

use super::discipline::{Backlog, Queued};
use crate::FrameInfo;

#[derive(Debug)]
pub(super) struct Store<F> {
    waiting: VecDeque<Queued<F>>,
    backlog: Backlog,
}

impl<F> Default for Store<F> {
    fn default() -> Self {
        Self { waiting: VecDeque::new(), backlog: Backlog::default() }
    }
}

impl<F> Store<F> {
    #[inline]
    pub fn push(&mut self, waiting: Queued<F>) {
        self.backlog.add(&waiting);
        self.waiting.push_back(waiting);
    }

    /// Removes and returns the oldest frame.
    #[inline]
    pub fn pop(&mut self) -> Option<Queued<F>> {
        let waiting = self.waiting.pop_front()?;
        self.backlog.remove(&waiting);
        Some(waiting)
    }

    /// Removes and returns the newest frame.
    pub fn pop_newest(&mut self) -> Option<Queued<F>> {
        let waiting = self.waiting.pop_back()?;
        self.backlog.remove(&waiting);
        Some(waiting)
    }

    /// Bytes that the oldest frame takes on the line.
    #[inline]
    pub fn head_line_bytes(&self) -> Option<u64> {
        self.waiting.front().map(|waiting| waiting.line_bytes)
    }

    /// All frames, oldest first.
    pub fn iter(&self) -> impl Iterator<Item = &Queued<F>> {
        self.waiting.iter()
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.waiting.is_empty()
    }

    #[inline]
    pub fn backlog(&self) -> Backlog {
        self.backlog
    }

    pub fn drain(&mut self, into: &mut Vec<Queued<F>>) {
        self.backlog = Backlog::default();
        into.extend(self.waiting.drain(..));
    }

    pub fn reframe(&mut self, line_bytes: &dyn Fn(&FrameInfo) -> u64) {
        for waiting in &mut self.waiting {
            waiting.line_bytes = line_bytes(&waiting.info);
        }
        self.backlog.line_bytes = self.waiting.iter().map(|waiting| waiting.line_bytes).sum();
    }
}
