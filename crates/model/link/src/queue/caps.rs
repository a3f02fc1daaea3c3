//! Caps of classes: when a class that has sent may send again. Not here: the queues of the classes
//! (`classful`).

use netloom_units::{Duration, Rate, Size, Time};

use super::heap::IndexedHeap;
use super::schedule::Waiting;
use crate::line::LineClock;

/// The caps of all classes.
///
/// A class with a cap sends as if its frames came over a line of that rate, one behind the other:
/// a frame of `n` bytes that was ready at `t` closes the class until `t + 8n / most`. A frame is
/// ready once it has arrived and the class is open. If the line has kept it waiting since, the
/// class makes up for that, but never for more than one frame.
#[derive(Debug)]
pub(super) struct Caps {
    /// For each class with a cap; empty if none has one.
    clocks: Vec<Option<LineClock>>,
    /// The classes with frames that are closed, by when they open.
    closed: IndexedHeap<Time>,
}

impl Caps {
    /// Caps of classes that have sent nothing, with nothing for none.
    pub fn new(caps: &[Option<Rate>]) -> Self {
        let clock = |cap: &Option<Rate>| cap.map(|cap| LineClock::new(cap, Time::ZERO));
        Self { clocks: caps.iter().map(clock).collect(), closed: IndexedHeap::new(caps.len()) }
    }

    /// When `class` opens, if it is closed at `now`.
    #[inline]
    pub fn closed_until(&self, class: usize, now: Time) -> Option<Time> {
        let clock = self.clocks.get(class)?.as_ref()?;
        Some(clock.busy_until()).filter(|opens| *opens > now)
    }

    /// `class`, which has frames, waits until `opens`.
    pub fn close(&mut self, class: usize, opens: Time) {
        self.closed.set(class, opens);
    }

    /// `class` waits no more; whether it did.
    pub fn forget(&mut self, class: usize) -> bool {
        let waits = class < self.clocks.len() && self.closed.key(class).is_some();
        if waits {
            self.closed.remove(class);
        }
        waits
    }

    /// When the first class opens of those that wait.
    #[inline]
    pub fn opens(&self) -> Option<Time> {
        self.closed.peek().map(|(_, opens)| opens)
    }

    /// Takes a class that opens at `now` or before off those that wait.
    #[inline]
    pub fn open_next(&mut self, now: Time) -> Option<usize> {
        let (class, _) = self.closed.peek().filter(|(_, opens)| *opens <= now)?;
        self.closed.remove(class);
        Some(class)
    }

    /// `class` sends a frame from `now` on.
    #[inline]
    pub fn sends<F>(&mut self, class: usize, now: Time, frame: &Waiting<F>) {
        let Some(Some(clock)) = self.clocks.get_mut(class) else { return };
        let credit = clock.rate().time_for(Size::from_bytes(frame.line_bytes));
        let ready = frame.offered.max(now - credit);
        clock.send(ready, frame.line_bytes, Duration::ZERO);
    }

    /// Other caps, from the next frame of a class on. No class waits afterwards: whoever has frames
    /// is to be put in again.
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
