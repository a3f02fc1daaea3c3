//! Criteria are made of others: the smallest are trackers, windows and stretches, and one on many
//! resources is a map of them.

use std::collections::BTreeMap;

use netloom_units::Time;

use super::Criterion;
use crate::tracker::{Outbox, Tracker};
use crate::window::{PercentileWindow, SumWindow};

/// A criterion that is made of the named fields.
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

/// A type with one tracker, and a `tick` of its own.
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
