//! When a signal is received: what a medium's configuration says about it, in numbers.

use netloom_units::Time;

use crate::config::{Capture, CaptureWhen, Lock, MediumConfig, Reception};
use crate::counters::FrameLoss;
use crate::space::Audible;

/// When a signal takes over from the one that is being received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Captures {
    Never,
    InPreamble,
    Always,
}

/// What holds for every reception of a medium. Powers are in mW.
#[derive(Debug, Clone)]
pub(crate) struct Rules {
    pub has_contention: bool,
    pub reception: Reception,
    /// How much stronger than all others, as a ratio.
    pub margin: f64,
    pub captures: Captures,
    /// Whether a radio also receives what it can only sense.
    pub lock_any: bool,
    pub sensitivity: f64,
    pub carrier_threshold: f64,
    pub energy_threshold: f64,
}

impl Rules {
    pub fn new(config: &MediumConfig) -> Self {
        let Capture { margin, when } = config.capture;
        Self {
            has_contention: config.mac.has_contention(),
            reception: config.reception,
            margin: milliwatts(margin),
            captures: match (config.reception, when) {
                (Reception::Collision, _) | (_, CaptureWhen::None) => Captures::Never,
                (_, CaptureWhen::Preamble) => Captures::InPreamble,
                (_, CaptureWhen::Any) => Captures::Always,
            },
            lock_any: config.lock == Lock::Any,
            sensitivity: milliwatts(config.sensitivity),
            carrier_threshold: milliwatts(config.cs_threshold),
            energy_threshold: milliwatts(config.ed_threshold),
        }
    }
}

/// The power in mW of `dbm` dBm; the ratio of so many dB.
pub(crate) fn milliwatts(dbm: f64) -> f64 {
    libm::pow(10.0, dbm / 10.0)
}

impl Audible {
    /// Whether a signal of `power` mW can be decoded.
    pub(crate) fn can_decode(self, power: f64, rules: &Rules) -> bool {
        match self {
            Self::ByPower => power >= rules.sensitivity,
            Self::Decoded => true,
            Self::Sensed => false,
        }
    }

    /// Whether a signal of `power` mW makes the medium busy by itself.
    pub(crate) fn is_carrier(self, power: f64, rules: &Rules) -> bool {
        match self {
            Self::ByPower => power >= rules.carrier_threshold,
            Self::Decoded | Self::Sensed => true,
        }
    }
}

/// What is known of a reception that goes on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Judgement {
    is_intact: bool,
}

impl Judgement {
    pub fn new(_now: Time, can_decode: bool) -> Self {
        Self { is_intact: can_decode }
    }

    /// The reception of a signal of `power` begins among `interference`. `false`: it does not.
    pub fn begin(&mut self, power: f64, interference: f64, rules: &Rules) -> bool {
        match rules.reception {
            Reception::Collision => {
                self.is_intact &= interference == 0.0;
                true
            }
            Reception::Threshold => interference == 0.0 || power >= rules.margin * interference,
        }
    }

    /// From now on the signal of `power` is among `interference`.
    pub fn interfere(&mut self, _now: Time, power: f64, interference: f64, rules: &Rules) {
        let survives = match rules.reception {
            Reception::Collision => interference <= 0.0,
            Reception::Threshold => power >= rules.margin * interference,
        };
        self.is_intact &= survives;
    }

    /// Why the signal was not received, if it was not.
    pub fn verdict(self) -> Option<FrameLoss> {
        (!self.is_intact).then_some(FrameLoss::Collision)
    }
}
