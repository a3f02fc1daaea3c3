//! Stations that do not move, and a distance up to which all is heard.

use std::collections::BTreeMap;

use netloom_units::{Duration, Time};

use super::{Audible, FOREVER, Path, Space};
use crate::StationId;

/// Speed of light in m/s.
const LIGHT: f64 = 299_792_458.0;

/// Power of all signals, in dBm: distance weakens nothing.
const POWER: f64 = 0.0;

/// A plane on which signals are decoded up to one distance and sensed up to another (Maier 2011
/// §3.7.3; Zheng 2003 §4.3).
#[derive(Debug, Clone)]
pub struct Disk {
    reach: f64,
    sense: f64,
    positions: BTreeMap<StationId, [f64; 2]>,
}

impl Disk {
    /// A plane on which frames are decoded up to `reach` and sensed up to `sense`, in metres.
    pub fn new(reach: f64, sense: f64) -> Self {
        Self { reach, sense, positions: BTreeMap::new() }
    }

    /// Puts a station at (x, y), in metres.
    pub fn put(&mut self, station: StationId, position: [f64; 2]) {
        self.positions.insert(station, position);
    }
}

impl Space for Disk {
    fn paths(&mut self, _: Time, from: StationId, into: &mut Vec<Path>) -> Time {
        let Some(here) = self.positions.get(&from) else { return FOREVER };
        for (to, there) in self.positions.iter().filter(|(to, _)| **to != from) {
            let (x, y) = (there[0] - here[0], there[1] - here[1]);
            let distance = libm::sqrt(x * x + y * y);
            let audible = if distance <= self.reach { Audible::Decoded } else { Audible::Sensed };
            if distance <= self.reach.max(self.sense) {
                let delay = Duration::from_nanos(libm::round(distance / LIGHT * 1e9) as u64);
                into.push(Path { to: *to, power: POWER, delay, audible });
            }
        }
        FOREVER
    }
}
