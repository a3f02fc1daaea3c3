//! Caps of classes: when a class that has sent may send again. Not here: the queues of the classes
//! (`classful`).

use netloom_units::{Duration, Rate, Size, Time};

use super::discipline::Queued;
use super::heap::IndexedHeap;
use crate::line::LineClock;

/// The caps of all classes.
///
/// A class with a cap sends as if its frames came over a line of that rate, one behind the other: a
/// frame of `n` bytes that was ready at `t` closes the class until `t + 8n / most`. A frame is
/// ready once it has arrived and the class is open. If the line has kept it waiting since then, the
/// class may catch up, but never by more than one frame.
#[derive(Debug)]
pub(super) struct Caps {
    /// Clock of each class with a cap; empty if no class has one.
    clocks: Vec<Option<LineClock>>,
    /// The closed classes that have frames, by the time at which they open.
    closed: IndexedHeap<Time>,
}

impl Caps {
    /// Creates the caps of classes that have sent nothing.
    pub fn new(caps: &[Option<Rate>]) -> Self {
        let clock = |cap: &Option<Rate>| cap.map(|cap| LineClock::new(cap, Time::ZERO));
        Self { clocks: caps.iter().map(clock).collect(), closed: IndexedHeap::new(caps.len()) }
    }

    /// Time at which `class` opens, if it is closed at `now`.
    #[inline]
    pub fn closed_until(&self, class: usize, now: Time) -> Option<Time> {
        let clock = self.clocks.get(class)?.as_ref()?;
        Some(clock.busy_until()).filter(|opens| *opens > now)
    }

    /// Adds `class`, which has frames, to the classes that wait, until `opens`.
    pub fn close(&mut self, class: usize, opens: Time) {
        self.closed.set(class, opens);
    }

    /// Removes `class` from the classes that wait. Returns whether it waited.
    pub fn forget(&mut self, class: usize) -> bool {
        let waits = class < self.clocks.len() && self.closed.key(class).is_some();
        if waits {
            self.closed.remove(class);
        }
        waits
    }

    /// Time at which the first waiting class opens.
    #[inline]
    pub fn opens(&self) -> Option<Time> {
        self.closed.peek().map(|(_, opens)| opens)
    }

    /// Removes and returns a waiting class that opens at `now` or before.
    #[inline]
    pub fn open_next(&mut self, now: Time) -> Option<usize> {
        let (class, _) = self.closed.peek().filter(|(_, opens)| *opens <= now)?;
        self.closed.remove(class);
        Some(class)
    }

    /// Records that `class` sends a frame from `now` on.
    #[inline]
    pub fn sends<F>(&mut self, class: usize, now: Time, frame: &Queued<F>) {
        let Some(Some(clock)) = self.clocks.get_mut(class) else { return };
        let credit = clock.rate().time_for(Size::from_bytes(frame.line_bytes));
        let ready = frame.offered.max(now - credit);
        clock.send(ready, frame.line_bytes, Duration::ZERO);
    }

    /// Sets other caps, from the next frame of each class on. Afterwards no class waits, so the
    /// caller must add classes with frames again.
    pub fn configure(&mut self, caps: &[Option<Rate>]) {
        let mut old = std::mem::replace(self, Self::new(caps)).clocks.into_iter();
        for clock in &mut self.clocks {
            let before = old.next().flatten();
            if let (Some(clock), Some(mut before)) = (clock, before) {
                before.set_rate(clock.rate());
                *clock = before;
            }
        }
    }
}
