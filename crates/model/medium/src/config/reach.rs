//! The reach of a medium's stations, for drawings. `field` computes the power that arrives.

use netloom_mobility::Point;
use netloom_radio::{Antenna, End, Propagation, Radio, RadioConfig, Surroundings};
use netloom_units::{Power, Time};

use super::MediumConfig;
use crate::mac::Mac;

/// Largest distance that is searched, in m.
const FARTHEST: f64 = 1e7;

impl MediumConfig {
    /// Returns the distance in m up to which a signal of this power (default: the medium's) can be
    /// decoded. This assumes no other signals, antennas without gain, no obstacles, no shadows and
    /// no fading. Returns `None` on a cable, and where pairs are listed or losses come from a file.
    pub fn reach(&self, power: Option<Power>) -> Option<f64> {
        let is_listed = match &self.mac {
            Mac::CsmaCd(_) => true,
            Mac::None(config) => config.pairs.is_some(),
            _ => false,
        };
        let by_file =
            matches!(self.radio.propagation, Propagation::Matrix(_) | Propagation::Grid(_));
        if is_listed || by_file {
            return None;
        }
        let propagation = self.radio.propagation.clone();
        let frequency = self.radio.frequency;
        let plain = RadioConfig { propagation, frequency, ..RadioConfig::default() };
        let given = Surroundings { seed: 0, names: &[], plane: None, grid: None };
        let radio = Radio::new(&plain, &given).ok()?;
        let power = power.unwrap_or(self.power).dbm();
        let decodes = |distance: f64| {
            let end = |station, x| End {
                station,
                at: Point::flat(x, 0.0),
                height: self.height.metres(),
                antenna: &Antenna::Omni,
            };
            let path = radio.path(Time::ZERO, &end(0, 0.0), &end(1, distance));
            path.is_some_and(|path| path.decodable && power - path.loss >= self.sensitivity())
        };
        let (mut near, mut far) = (0.0, FARTHEST);
        while far - near > 1e-3 {
            let middle = f64::midpoint(near, far);
            if decodes(middle) { near = middle } else { far = middle }
        }
        Some(near)
    }
}
