//! The events of one pipe, until they are collected.

use std::collections::VecDeque;

use super::FrameEvent;

/// The events that are recorded, or `None` if nobody wants them.
#[derive(Debug, Default)]
pub(crate) struct Journal(Option<VecDeque<FrameEvent>>);

impl Journal {
    /// Starts or stops recording. Starting keeps the events that are already recorded; stopping
    /// discards them.
    pub fn keep(&mut self, wanted: bool) {
        match wanted {
            true => _ = self.0.get_or_insert_default(),
            false => self.0 = None,
        }
    }

    #[inline]
    pub fn is_kept(&self) -> bool {
        self.0.is_some()
    }

    #[inline]
    pub fn note(&mut self, event: impl FnOnce() -> FrameEvent) {
        if let Some(events) = &mut self.0 {
            events.push_back(event());
        }
    }

    #[inline]
    pub fn pop(&mut self) -> Option<FrameEvent> {
        self.0.as_mut()?.pop_front()
    }
}
