//! Pairs that are listed: who can decode whom, and who can only sense whom.

use std::collections::BTreeMap;

use netloom_units::{Duration, Time};

use super::{Audible, FOREVER, Path, Space};
use crate::StationId;

/// Power of signals that have no distance, in dBm.
const POWER: f64 = 0.0;

/// Pairs of stations that hear each other, all equally strongly.
#[derive(Debug, Clone, Default)]
pub struct Pairs {
    heard: BTreeMap<StationId, Vec<Path>>,
}

impl Pairs {
    /// `stations` of which each hears each.
    pub fn all_in_sight(stations: u32) -> Self {
        let mut pairs = Self::default();
        for from in 0..stations {
            for to in (0..stations).filter(|to| *to != from) {
                pairs.one_way(StationId(from), StationId(to), Audible::Decoded);
            }
        }
        pairs
    }

    /// Makes `a` and `b` hear each other.
    pub fn join(&mut self, a: StationId, b: StationId, audible: Audible) {
        self.one_way(a, b, audible);
        self.one_way(b, a, audible);
    }

    /// Makes `to` hear `from`.
    pub fn one_way(&mut self, from: StationId, to: StationId, audible: Audible) {
        self.path(from, Path { to, power: POWER, delay: Duration::ZERO, audible });
    }

    /// Makes `path` the way from `from` to its end.
    pub fn path(&mut self, from: StationId, path: Path) {
        let paths = self.heard.entry(from).or_default();
        paths.retain(|known| known.to != path.to);
        paths.push(path);
    }
}

impl Space for Pairs {
    fn paths(&mut self, _: Time, from: StationId, into: &mut Vec<Path>) -> Time {
        into.extend(self.heard.get(&from).into_iter().flatten());
        FOREVER
    }
}
