//! The offset of two clocks as a linear function of time.

use std::ops::{Add, Neg};

/// A range in which a value is: at most `bound` from `middle`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Interval {
    /// Its middle, in ns.
    pub middle: i64,
    /// Half its width, in ns.
    pub bound: u64,
}

impl Interval {
    /// Whether `value` is in this range.
    pub const fn contains(self, value: i64) -> bool {
        self.middle.abs_diff(value) <= self.bound
    }
}

/// Range of the sum. If `a` is the offset of m2 from m1 and `b` that of m3 from m2, at the same
/// time, then `a + b` is the offset of m3 from m1.
impl Add for Interval {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        let middle = self.middle.saturating_add(other.middle);
        Self { middle, bound: self.bound.saturating_add(other.bound) }
    }
}

/// The offset as the other machine has it: ours − theirs.
impl Neg for Interval {
    type Output = Self;

    fn neg(self) -> Self {
        Self { middle: self.middle.saturating_neg(), bound: self.bound }
    }
}

/// What a clock shows: `time` in ns, at most `bound` ns from the truth.
///
/// A reading may be converted again. So a time of m2 in the clock of m3 is
/// `m3.to_theirs(m2.to_ours(time))`, where m1 has the lines `m2` and `m3`: the bounds add up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reading {
    /// What the clock shows, in ns.
    pub time: i64,
    /// Greatest error, in ns.
    pub bound: u64,
}

impl Reading {
    /// The range in which the true time is.
    pub const fn interval(self) -> Interval {
        Interval { middle: self.time, bound: self.bound }
    }
}

/// An exact time.
impl From<i64> for Reading {
    fn from(time: i64) -> Self {
        Self { time, bound: 0 }
    }
}

/// The offset of another machine's clock, theirs − ours, as a linear function of our time.
///
/// It holds from the last exchange on, for [`Config::memory`](crate::Config::memory), and before it
/// back to the last change of a kernel's steering. It is plain data of 40 bytes, for threads that
/// convert the time of each frame. A time far ahead is converted again when it comes near, since
/// the bound grows until then.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Line {
    /// Our time of the last exchange, in ns.
    pub at: i64,
    /// Offset at that time, in ns.
    pub offset: i64,
    /// Greatest error of `offset`, in ns.
    pub bound: u64,
    /// What the offset grows by, in ns per ns of our time.
    pub rate: f64,
    /// Greatest error of `rate`.
    pub growth: f64,
}

impl Line {
    /// Returns the offset at our time `at`.
    #[inline]
    pub fn offset(&self, at: i64) -> Interval {
        let age = at.saturating_sub(self.at);
        Interval {
            middle: self.offset.saturating_add((self.rate * age as f64).round() as i64),
            bound: self.bound_at(age),
        }
    }

    /// Returns what their clock shows at our time `ours`.
    #[inline]
    pub fn to_theirs(&self, ours: impl Into<Reading>) -> Reading {
        let ours = ours.into();
        let offset = self.offset(ours.time);
        let carried = ours.bound as f64 * (1.0 + self.rate + self.growth);
        Reading {
            time: ours.time.saturating_add(offset.middle),
            bound: offset.bound.saturating_add(carried.ceil() as u64),
        }
    }

    /// Returns what our clock shows at their time `theirs`.
    #[inline]
    pub fn to_ours(&self, theirs: impl Into<Reading>) -> Reading {
        let theirs = theirs.into();
        let later = theirs.time.saturating_sub(self.at.saturating_add(self.offset));
        let age = (later as f64 / (1.0 + self.rate)).round() as i64;
        let error = self.bound_at(age).saturating_add(theirs.bound) as f64;
        Reading {
            time: self.at.saturating_add(age),
            bound: (error / (1.0 + self.rate - self.growth)).ceil() as u64,
        }
    }

    /// Greatest error `age` ns after `self.at`. One ns is for rounding.
    #[inline]
    fn bound_at(&self, age: i64) -> u64 {
        self.bound.saturating_add((self.growth * age.unsigned_abs() as f64 + 1.0).ceil() as u64)
    }
}
