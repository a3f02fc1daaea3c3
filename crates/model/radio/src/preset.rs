//! Presets: radio values of several kinds of hardware.

use netloom_units::{Frequency, Gain, Power};
use serde::{Deserialize, Serialize};

use crate::{Modulation, Propagation, RadioConfig};

/// The radio values of one kind of hardware.
#[derive(Debug, Clone, PartialEq)]
pub struct PresetRadio {
    /// Frequency of the carrier.
    pub frequency: Frequency,
    /// Width of the channel.
    pub bandwidth: Frequency,
    /// Power with which a station sends.
    pub power: Power,
    /// The least power of a frame that a receiver locks onto.
    pub sensitivity: Power,
    /// The least power of a frame that makes the channel busy.
    pub cs_threshold: Power,
    /// The least power of any signal that makes the channel busy.
    pub ed_threshold: Power,
    /// By how much a later frame must be stronger to capture a receiver.
    pub capture: Gain,
    /// The path loss that is used with this hardware.
    pub propagation: Propagation,
    /// The rates, slowest first.
    pub rates: &'static [Modulation],
    /// The basic rates, at which all stations can receive: those of broadcasts, RTS, CTS and ACK.
    pub basic: &'static [Modulation],
}

impl PresetRadio {
    /// Returns the configuration of a channel with this preset's values.
    pub fn config(&self) -> RadioConfig {
        RadioConfig {
            frequency: self.frequency,
            bandwidth: self.bandwidth,
            propagation: self.propagation.clone(),
            ..RadioConfig::default()
        }
    }
}

/// Declares the presets from one table.
macro_rules! presets {
    ($($(#[doc = $doc:literal])* $variant:ident = $name:literal: $radio:expr;)*) => {
        /// A kind of hardware.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        pub enum Preset {
            $($(#[doc = $doc])* #[serde(rename = $name)] $variant,)*
        }

        impl Preset {
            /// All presets, each with its name and a description.
            pub const ALL: &[(Preset, &str, &str)] =
                &[$((Self::$variant, $name, concat!($($doc),*))),*];

            /// Returns the radio values of this preset.
            pub fn radio(self) -> PresetRadio {
                match self {
                    $(Self::$variant => $radio,)*
                }
            }
        }
    };
}

presets! {
    /// Lucent WaveLAN at 914 MHz, as ns-2 has it (Broch et al. 1998): 250 m, sensed up to 550 m.
    Wavelan = "wavelan": PresetRadio {
        frequency: Frequency::from_kilohertz(914_000),
        power: dbm(24_500),
        // ns-2's RXThresh_ and CSThresh_: 3.652e-10 and 1.559e-11 W.
        sensitivity: Power::from_millionths(-64_374_693),
        cs_threshold: Power::from_millionths(-78_071_542),
        ed_threshold: Power::from_millionths(-78_071_542),
        propagation: Propagation::TwoRayGround,
        basic: &[Modulation::Dsss1],
        ..dsss()
    };
    /// DSSS at 2.4 GHz, 1 and 2 Mbit/s (IEEE 802.11-1997 cl. 15).
    Dsss = "dsss": dsss();
    /// Frequency hopping at 2.4 GHz, 1 Mbit/s (IEEE 802.11-1997 cl. 14; Bianchi 2000).
    Fhss = "fhss": PresetRadio {
        bandwidth: Frequency::from_kilohertz(1000),
        sensitivity: dbm(-97_000),
        rates: &[Modulation::Fsk1],
        basic: &[Modulation::Fsk1],
        ..dsss()
    };
    /// DSSS and CCK at 2.4 GHz, up to 11 Mbit/s (IEEE 802.11-2007 cl. 18).
    B = "802.11b": PresetRadio { rates: &DSSS, ..dsss() };
    /// OFDM at 5 GHz, 6 to 54 Mbit/s (IEEE 802.11-2007 cl. 17).
    A = "802.11a": PresetRadio { frequency: Frequency::from_kilohertz(5_180_000), ..ofdm() };
    /// OFDM at 2.4 GHz, 6 to 54 Mbit/s (IEEE 802.11-2007 cl. 19).
    G = "802.11g": ofdm();
}

const DSSS: [Modulation; 4] =
    [Modulation::Dsss1, Modulation::Dsss2, Modulation::Cck5, Modulation::Cck11];

const OFDM: [Modulation; 8] = [
    Modulation::Ofdm6,
    Modulation::Ofdm9,
    Modulation::Ofdm12,
    Modulation::Ofdm18,
    Modulation::Ofdm24,
    Modulation::Ofdm36,
    Modulation::Ofdm48,
    Modulation::Ofdm54,
];

/// Converts thousandths of a dBm to a power.
const fn dbm(thousandths: i64) -> Power {
    Power::from_millionths(thousandths * 1000)
}

/// Common values of DSSS radios. At the sensitivity, noise alone would destroy one in two short
/// frames at 1 Mbit/s.
fn dsss() -> PresetRadio {
    PresetRadio {
        frequency: Frequency::from_kilohertz(2_412_000),
        bandwidth: Frequency::from_kilohertz(22_000),
        power: dbm(16_000),
        sensitivity: dbm(-100_000),
        cs_threshold: dbm(-82_000),
        ed_threshold: dbm(-62_000),
        capture: Gain::from_millionths(10_000_000),
        propagation: Propagation::FreeSpace,
        rates: &[Modulation::Dsss1, Modulation::Dsss2],
        basic: &[Modulation::Dsss1, Modulation::Dsss2],
    }
}

/// Common values of OFDM radios. At the sensitivity, noise alone would destroy one in two short
/// frames at 6 Mbit/s.
fn ofdm() -> PresetRadio {
    PresetRadio {
        bandwidth: Frequency::from_kilohertz(20_000),
        sensitivity: dbm(-92_000),
        rates: &OFDM,
        basic: &[Modulation::Ofdm6, Modulation::Ofdm12, Modulation::Ofdm24],
        ..dsss()
    }
}
