//! Lists and ranges of ports.

use std::fmt;
use std::str::FromStr;

use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use thiserror::Error as ThisError;

/// Ports from `first` to `last`, both included.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PortRange {
    /// Lowest port, at least 1.
    pub first: u16,
    /// Highest port.
    pub last: u16,
}

/// At least one port: sorted ranges that neither overlap nor touch.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Ports(Vec<PortRange>);

/// Reason for which a text is not a list of ports.
#[derive(Debug, Clone, PartialEq, Eq, ThisError)]
pub enum PortError {
    /// The text is not a port or a range.
    #[error("`{0}` is no port: write a number from 1 to 65535, or a range like `9000-9010`")]
    Unreadable(String),
    /// The range is descending.
    #[error("the range `{0}` ends before it begins")]
    Backwards(String),
    /// The list is empty.
    #[error("there is no port in the list")]
    Empty,
}

impl PortRange {
    /// Returns whether the two have a port in common.
    pub fn overlaps(self, other: Self) -> bool {
        self.first <= other.last && other.first <= self.last
    }

    fn contains(self, other: Self) -> bool {
        self.first <= other.first && other.last <= self.last
    }
}

impl FromStr for PortRange {
    type Err = PortError;

    fn from_str(text: &str) -> Result<Self, PortError> {
        let unreadable = || PortError::Unreadable(text.into());
        let port = |text: &str| match text.trim().parse::<u16>() {
            Ok(port) if port > 0 => Ok(port),
            _ => Err(unreadable()),
        };
        let (first, last) = match text.split_once('-') {
            Some((first, last)) => (port(first)?, port(last)?),
            None => (port(text)?, port(text)?),
        };
        if first > last { Err(PortError::Backwards(text.into())) } else { Ok(Self { first, last }) }
    }
}

impl fmt::Display for PortRange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self { first, last } if first == last => write!(f, "{first}"),
            Self { first, last } => write!(f, "{first}-{last}"),
        }
    }
}

impl Ports {
    /// Creates the union of `ranges`.
    ///
    /// # Errors
    /// There are no ranges.
    pub fn new(mut ranges: Vec<PortRange>) -> Result<Self, PortError> {
        ranges.sort_unstable();
        let mut merged: Vec<PortRange> = Vec::with_capacity(ranges.len());
        for range in ranges {
            match merged.last_mut() {
                Some(last) if u32::from(range.first) <= u32::from(last.last) + 1 => {
                    last.last = last.last.max(range.last);
                }
                _ => merged.push(range),
            }
        }
        if merged.is_empty() { Err(PortError::Empty) } else { Ok(Self(merged)) }
    }

    /// Creates a list of one port.
    pub fn one(port: u16) -> Self {
        Self(vec![PortRange { first: port, last: port }])
    }

    /// Returns the ranges in order.
    pub fn ranges(&self) -> &[PortRange] {
        &self.0
    }

    /// Returns the number of ports.
    pub fn count(&self) -> usize {
        self.0.iter().map(|range| usize::from(range.last - range.first) + 1).sum()
    }

    /// Returns the lowest port that is in both lists.
    pub fn common(&self, other: &Self) -> Option<u16> {
        // Both are in order, and their ranges do not overlap.
        let (mut mine, mut theirs) = (self.0.iter().peekable(), other.0.iter().peekable());
        while let (Some(a), Some(b)) = (mine.peek(), theirs.peek()) {
            if a.overlaps(**b) {
                return Some(a.first.max(b.first));
            }
            if a.last < b.last {
                mine.next()
            } else {
                theirs.next()
            };
        }
        None
    }

    /// Returns the lowest port that is not in `allowed`.
    pub fn beyond(&self, allowed: &Self) -> Option<u16> {
        self.0.iter().find_map(|range| {
            if allowed.0.iter().any(|other| other.contains(*range)) {
                return None;
            }
            let is_allowed = |port| {
                let one = PortRange { first: port, last: port };
                allowed.0.iter().any(|other| other.contains(one))
            };
            (range.first..=range.last).find(|port| !is_allowed(*port))
        })
    }
}

impl FromStr for Ports {
    type Err = PortError;

    fn from_str(text: &str) -> Result<Self, PortError> {
        let ranges: Result<_, _> = text.split(',').map(|part| part.trim().parse()).collect();
        Self::new(ranges?)
    }
}

impl fmt::Display for Ports {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (place, range) in self.0.iter().enumerate() {
            let comma = if place == 0 { "" } else { "," };
            write!(f, "{comma}{range}")?;
        }
        Ok(())
    }
}

impl Serialize for Ports {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Parses a number, a text, or a list of both.
impl<'de> Deserialize<'de> for Ports {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(PortsVisitor)
    }
}

struct PortsVisitor;

impl<'de> Visitor<'de> for PortsVisitor {
    type Value = Ports;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("ports, like `8080`, `9000-9010`, or a list of these")
    }

    fn visit_u64<E: Error>(self, port: u64) -> Result<Ports, E> {
        self.visit_str(&port.to_string())
    }

    fn visit_i64<E: Error>(self, port: i64) -> Result<Ports, E> {
        self.visit_str(&port.to_string())
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<Ports, E> {
        text.parse().map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Ports, A::Error> {
        let mut ranges = Vec::new();
        while let Some(Ports(more)) = list.next_element()? {
            ranges.extend(more);
        }
        Ports::new(ranges).map_err(A::Error::custom)
    }
}
