//! Rate control: a fixed rate, or one that follows the outcomes of earlier frames.

use std::collections::BTreeMap;
use std::fmt;
use std::str::FromStr;

use netloom_radio::Modulation;
use netloom_units::{Rate, UnitError, text_or_table};
use serde::{Deserialize, Serialize};

use crate::StationId;

/// How a station chooses the rate of a data frame for one station.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RateControl {
    /// A fixed rate.
    Fixed(Rate),
    /// Automatic rate fallback (Kamerman & Monteban 1997).
    Arf(ArfConfig),
    /// Adaptive automatic rate fallback (Lacage et al. 2004): the number of successes that a step
    /// up takes doubles when the first frame after it fails.
    Aarf(ArfConfig),
    /// The highest rate that loses at most one in ten frames of this length to noise, as if the
    /// sender knew how strongly it is heard.
    Ideal,
}

/// When the rate goes up and down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct ArfConfig {
    /// Successes in a row, after which it goes up (default 10).
    pub up: u32,
    /// Failures in a row, after which it goes down (default 2). One is enough right after a step
    /// up.
    pub down: u32,
}

impl Default for ArfConfig {
    fn default() -> Self {
        Self { up: 10, down: 2 }
    }
}

#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "AutomaticRate"))]
#[serde(rename_all = "snake_case")]
enum RateTable {
    /// Automatic rate fallback.
    Arf(ArfConfig),
    /// Adaptive automatic rate fallback.
    Aarf(ArfConfig),
}

impl RateControl {
    fn text(&self) -> Option<String> {
        match self {
            Self::Arf(config) | Self::Aarf(config) if *config != ArfConfig::default() => None,
            control => Some(control.to_string()),
        }
    }
}

impl FromStr for RateControl {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        match text {
            "arf" => Ok(Self::Arf(ArfConfig::default())),
            "aarf" => Ok(Self::Aarf(ArfConfig::default())),
            "ideal" => Ok(Self::Ideal),
            text => text.parse().map(Self::Fixed),
        }
    }
}

impl fmt::Display for RateControl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Fixed(rate) => rate.fmt(f),
            Self::Arf(_) => f.pad("arf"),
            Self::Aarf(_) => f.pad("aarf"),
            Self::Ideal => f.pad("ideal"),
        }
    }
}

impl TryFrom<RateTable> for RateControl {
    type Error = String;
    fn try_from(table: RateTable) -> Result<Self, String> {
        let (control, config) = match table {
            RateTable::Arf(config) => (Self::Arf(config), config),
            RateTable::Aarf(config) => (Self::Aarf(config), config),
        };
        if config.up == 0 || config.down == 0 {
            return Err("`up` and `down` are numbers of frames, at least 1".into());
        }
        Ok(control)
    }
}

impl From<&RateControl> for RateTable {
    fn from(control: &RateControl) -> Self {
        match control {
            RateControl::Aarf(config) => Self::Aarf(*config),
            RateControl::Arf(config) => Self::Arf(*config),
            // These two are written as texts.
            RateControl::Fixed(_) | RateControl::Ideal => Self::Arf(ArfConfig::default()),
        }
    }
}

text_or_table!(
    RateControl,
    RateTable,
    "a rate like `11Mbit/s`, `arf`, `aarf`, `ideal`, or a table like `{arf: {up: 10, down: 2}}`",
    "A rate, or how a station chooses it: `arf`, `aarf` or `ideal`."
);

/// Largest number of successes that a step up takes.
const MOST_UP: u32 = 50;

/// Share of frames that an ideal rate may lose to noise.
const MAY_LOSE: f64 = 0.1;

/// The rates of a station for each of its neighbours.
#[derive(Debug)]
pub(super) struct Rates {
    control: RateControl,
    /// Slowest first.
    rates: Vec<Rate>,
    neighbours: BTreeMap<StationId, Fallback>,
}

/// State of the rate for one neighbour.
#[derive(Debug, Clone, Copy)]
struct Fallback {
    /// Index of the rate.
    place: usize,
    successes: u32,
    failures: u32,
    /// Whether no frame has been sent since the last step up.
    is_trial: bool,
    /// Number of successes that the next step up takes.
    up: u32,
}

impl Rates {
    pub fn new(control: RateControl, rates: impl Iterator<Item = Rate>) -> Self {
        Self { control, rates: rates.collect(), neighbours: BTreeMap::new() }
    }

    /// Returns the rate of a frame of `bytes` on the air to a station that hears the sender at
    /// `snr`, if that is known.
    pub fn rate(&mut self, to: Option<StationId>, bytes: u32, snr: Option<f64>) -> Rate {
        let lowest = self.rates[0];
        match (self.control, to) {
            (RateControl::Fixed(rate), _) => rate,
            (RateControl::Ideal, _) => snr.map_or(lowest, |snr| self.ideal(bytes, snr)),
            (RateControl::Arf(config) | RateControl::Aarf(config), Some(to)) => {
                let place = self.neighbour(to, config).place;
                self.rates[place]
            }
            (RateControl::Arf(_) | RateControl::Aarf(_), None) => lowest,
        }
    }

    /// Returns the rate of the next frame of `bytes` to a station that hears the sender at `snr`.
    pub fn known(&self, to: StationId, bytes: u32, snr: f64) -> Rate {
        match self.control {
            RateControl::Fixed(rate) => rate,
            RateControl::Ideal => self.ideal(bytes, snr),
            RateControl::Arf(_) | RateControl::Aarf(_) => {
                let place = self.neighbours.get(&to).map(|known| known.place);
                self.rates[place.unwrap_or(self.rates.len() - 1)]
            }
        }
    }

    /// Returns the highest rate that loses few enough frames to noise.
    fn ideal(&self, bytes: u32, snr: f64) -> Rate {
        let survives = |rate: &&Rate| {
            Modulation::of(**rate).is_some_and(|modulation| {
                modulation.success(snr, f64::from(bytes) * 8.0) >= 1.0 - MAY_LOSE
            })
        };
        self.rates.iter().rev().find(survives).copied().unwrap_or(self.rates[0])
    }

    /// Returns whether the rate depends on how strongly a station is heard.
    pub fn asks_for_snr(&self) -> bool {
        self.control == RateControl::Ideal
    }

    fn neighbour(&mut self, to: StationId, config: ArfConfig) -> &mut Fallback {
        let place = self.rates.len() - 1;
        let new = Fallback { place, successes: 0, failures: 0, is_trial: false, up: config.up };
        self.neighbours.entry(to).or_insert(new)
    }

    /// Records that a frame was acknowledged.
    pub fn succeeded(&mut self, to: StationId) {
        let (RateControl::Arf(config) | RateControl::Aarf(config)) = self.control else { return };
        let highest = self.rates.len() - 1;
        let known = self.neighbour(to, config);
        known.failures = 0;
        known.is_trial = false;
        known.successes += 1;
        if known.successes >= known.up && known.place < highest {
            known.place += 1;
            known.successes = 0;
            known.is_trial = true;
        }
    }

    /// Records that a frame was not acknowledged.
    pub fn failed(&mut self, to: StationId) {
        let (RateControl::Arf(config) | RateControl::Aarf(config)) = self.control else { return };
        let adapts = matches!(self.control, RateControl::Aarf(_));
        let known = self.neighbour(to, config);
        known.successes = 0;
        known.failures += 1;
        if known.is_trial || known.failures >= config.down {
            if adapts {
                let doubled = (2 * known.up).min(MOST_UP.max(config.up));
                known.up = if known.is_trial { doubled } else { config.up };
            }
            known.place = known.place.saturating_sub(1);
            known.failures = 0;
            known.is_trial = false;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Phy;

    /// Returns the rates in Mbit/s after each of these successes (`+`) and failures (`-`).
    fn rates(control: &str, fates: &str) -> Vec<f64> {
        let mut rates = Rates::new(control.parse().unwrap(), Phy::B.rates());
        let to = StationId(1);
        let fates = fates.chars().map(|fate| {
            if fate == '+' {
                rates.succeeded(to)
            } else {
                rates.failed(to)
            }
            rates.rate(Some(to), 1536, None).bits_per_second() as f64 / 1e6
        });
        fates.collect()
    }

    #[test]
    fn the_rate_falls_after_failures_and_climbs_after_successes() {
        assert_eq!(rates("arf", "--"), [11.0, 5.5]);
        let climbed = rates("arf", "--++++++++++");
        assert_eq!((climbed[10], climbed[11]), (5.5, 11.0));
        // The first frame after a step up is a trial.
        assert_eq!(rates("arf", "--++++++++++-").last(), Some(&5.5));
        assert_eq!(rates("arf", "--++++++++++-++++++++++").last(), Some(&11.0));
        // A failed trial doubles the number of successes for the next step.
        assert_eq!(rates("aarf", "--++++++++++-++++++++++").last(), Some(&5.5));
        let later = "--++++++++++-++++++++++++++++++++";
        assert_eq!(rates("aarf", later).last(), Some(&11.0));
    }

    #[test]
    fn the_ideal_rate_is_the_highest_that_survives_noise() {
        let mut rates = Rates::new(RateControl::Ideal, Phy::A.rates());
        let mut at = |decibels| {
            let snr = netloom_radio::milliwatts(decibels);
            rates.rate(None, 1536, Some(snr)).to_string()
        };
        assert_eq!(
            [at(22.7), at(22.5), at(14.0), at(0.0)],
            ["54Mbit/s", "48Mbit/s", "24Mbit/s", "6Mbit/s"]
        );
    }

    #[test]
    fn rates_are_written_and_read_back() {
        for text in ["\"11Mbit/s\"", "\"arf\"", "\"ideal\"", r#"{"aarf":{"up":5,"down":3}}"#] {
            let control: RateControl = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&control).unwrap(), text);
        }
        assert!(serde_json::from_str::<RateControl>(r#"{"arf":{"up":0}}"#).is_err());
    }
}
