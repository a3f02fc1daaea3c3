//! Composition of criteria: the smallest are trackers, windows and stretches, and a criterion on
//! many resources is a map of these.

use std::collections::BTreeMap;

use netloom_units::Time;

use super::{Criterion, Quiet};
use crate::tracker::{Outbox, Tracker};
use crate::window::{PercentileWindow, SumWindow};

/// Implements [`Criterion`] for a struct, by the named fields.
macro_rules! made_of {
    ($type:ty: $($field:ident),+) => {
        impl $crate::criterion::Criterion for $type {
            fn tick(&mut self, now: netloom_units::Time, out: &mut $crate::tracker::Outbox) {
                $(self.$field.tick(now, out);)+
            }
            fn visit<'a>(&'a self, visitor: &mut dyn FnMut(&'a $crate::tracker::Tracker)) {
                $(self.$field.visit(visitor);)+
            }
            fn visit_mut(&mut self, visitor: &mut dyn FnMut(&mut $crate::tracker::Tracker)) {
                $(self.$field.visit_mut(visitor);)+
            }
        }
    };
}

/// A criterion that exists from its first observation on.
impl<C: Criterion> Criterion for Option<C> {
    fn tick(&mut self, now: Time, out: &mut Outbox) {
        self.iter_mut().for_each(|criterion| criterion.tick(now, out));
    }

    fn visit<'a>(&'a self, visitor: &mut dyn FnMut(&'a Tracker)) {
        self.iter().for_each(|criterion| criterion.visit(visitor));
    }

    fn visit_mut(&mut self, visitor: &mut dyn FnMut(&mut Tracker)) {
        self.iter_mut().for_each(|criterion| criterion.visit_mut(visitor));
    }
}

impl<K: Ord, C: Criterion> Criterion for BTreeMap<K, C> {
    fn tick(&mut self, now: Time, out: &mut Outbox) {
        self.values_mut().for_each(|criterion| criterion.tick(now, out));
    }

    fn visit<'a>(&'a self, visitor: &mut dyn FnMut(&'a Tracker)) {
        self.values().for_each(|criterion| criterion.visit(visitor));
    }

    fn visit_mut(&mut self, visitor: &mut dyn FnMut(&mut Tracker)) {
        self.values_mut().for_each(|criterion| criterion.visit_mut(visitor));
    }
}

/// A criterion on many resources, most of which are quiet most of the time.
#[derive(Debug, Clone)]
pub(crate) struct Many<K, C> {
    on: BTreeMap<K, C>,
    /// Until when a tick has no effect on any of them.
    quiet: Time,
}

impl<K: Ord, C: Quiet> Many<K, C> {
    pub fn new() -> Self {
        Self { on: BTreeMap::new(), quiet: Time::MIN }
    }

    /// The criterion on a resource, if something was observed there.
    pub fn get(&self, on: &K) -> Option<&C> {
        self.on.get(on)
    }

    /// Changes the criterion on a resource, and creates it first if there is none.
    pub fn change(&mut self, on: K, new: impl FnOnce() -> C, change: impl FnOnce(&mut C)) {
        let criterion = self.on.entry(on).or_insert_with(new);
        change(criterion);
        self.quiet = self.quiet.min(criterion.quiet());
    }
}

impl<K: Ord, C: Quiet> Criterion for Many<K, C> {
    fn tick(&mut self, now: Time, out: &mut Outbox) {
        if now < self.quiet {
            return;
        }
        self.on.tick(now, out);
        let next = self.on.values().map(Quiet::quiet).min();
        self.quiet = next.unwrap_or(Time::MAX);
    }

    fn visit<'a>(&'a self, visitor: &mut dyn FnMut(&'a Tracker)) {
        self.on.visit(visitor);
    }

    fn visit_mut(&mut self, visitor: &mut dyn FnMut(&mut Tracker)) {
        self.on.visit_mut(visitor);
    }
}

impl Quiet for SumWindow {
    fn quiet(&self) -> Time {
        SumWindow::quiet(self)
    }
}

impl Criterion for Tracker {
    fn tick(&mut self, now: Time, out: &mut Outbox) {
        self.lapse(now, out);
    }

    fn visit<'a>(&'a self, visitor: &mut dyn FnMut(&'a Tracker)) {
        visitor(self);
    }

    fn visit_mut(&mut self, visitor: &mut dyn FnMut(&mut Tracker)) {
        visitor(self);
    }
}

/// Implements [`Criterion`] for a type with one tracker and a `tick` of its own.
macro_rules! with_tracker {
    ($type:ty) => {
        impl $crate::criterion::Criterion for $type {
            fn tick(&mut self, now: netloom_units::Time, out: &mut $crate::tracker::Outbox) {
                <$type>::tick(self, now, out);
            }
            fn visit<'a>(&'a self, visitor: &mut dyn FnMut(&'a $crate::tracker::Tracker)) {
                self.tracker.visit(visitor);
            }
            fn visit_mut(&mut self, visitor: &mut dyn FnMut(&mut $crate::tracker::Tracker)) {
                self.tracker.visit_mut(visitor);
            }
        }
    };
}

with_tracker!(SumWindow);
with_tracker!(PercentileWindow);
