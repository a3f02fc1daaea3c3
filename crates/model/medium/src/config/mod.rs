//! What a medium can be told: the complete configuration and the partial change to it. One table
//! declares both.

use netloom_link::{QueueConfig, QueueLimit};
use netloom_units::Rate;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::StationId;
use crate::mac::{Mac, Window};
use crate::phy::Phy;

/// Declares [`MediumConfig`] and [`MediumProperties`] from one table of properties.
macro_rules! properties {
    ($($(#[$doc:meta])* $name:ident: $type:ty;)*) => {
        /// The complete configuration of a medium.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct MediumConfig {
            $($(#[$doc])* pub $name: $type,)*
        }

        /// Properties of a medium, each optional: what is absent keeps its value.
        #[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
        #[serde(deny_unknown_fields)]
        pub struct MediumProperties {
            $(
                $(#[$doc])*
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $name: Option<$type>,
            )*
        }

        impl MediumProperties {
            /// Writes what is said into `config`.
            pub fn apply_to(&self, config: &mut MediumConfig) {
                $(if let Some(value) = &self.$name {
                    config.$name.clone_from(value);
                })*
            }

            /// The keys that are said.
            pub fn keys(&self) -> Vec<&'static str> {
                let mut said = Vec::new();
                $(if self.$name.is_some() {
                    said.push(stringify!($name));
                })*
                said
            }
        }
    };
}

properties! {
    /// The physical layer: its times and rates.
    phy: Phy;
    /// When stations send: `dcf` (default), or a table of a MAC's parameters.
    mac: Mac;
    /// When a signal is received.
    reception: Reception;
    /// When a stronger signal takes over.
    capture: Capture;
    /// What a radio begins to receive.
    lock: Lock;
    /// Least power, in dBm, of a signal that can be decoded.
    sensitivity: f64;
    /// Least power, in dBm, of a signal that makes the medium busy.
    cs_threshold: f64;
    /// Power, in dBm, of all signals together that makes the medium busy.
    ed_threshold: f64;
    /// Where each station's frames wait (default 100 packets).
    queue: QueueConfig;
}

/// When a signal is received.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Reception {
    /// Nothing else reached the receiver at any time.
    #[default]
    Collision,
    /// It was stronger by `capture.margin` than all others together, at any time.
    Threshold,
}

/// When a stronger signal takes over from the one that is being received.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Capture {
    /// How much stronger, in dB (default 10).
    pub margin: f64,
    /// When.
    pub when: CaptureWhen,
}

impl Default for Capture {
    fn default() -> Self {
        Self { margin: 10.0, when: CaptureWhen::Preamble }
    }
}

/// When a stronger signal may take over.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CaptureWhen {
    /// During the preamble of the one that is being received.
    #[default]
    Preamble,
    /// At any time.
    Any,
    /// Never.
    None,
}

/// What a radio begins to receive when it is free.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Lock {
    /// What it can decode.
    #[default]
    Decodable,
    /// Also what it can only sense, as in ns-2: it then misses what comes next.
    Any,
}

/// Packets that a station's queue holds where nothing else is said.
const QUEUE_PACKETS: u32 = 100;

impl MediumConfig {
    /// A medium of `phy` with the defaults of everything else.
    pub fn new(phy: Phy) -> Self {
        Self {
            phy,
            mac: Mac::default(),
            reception: Reception::default(),
            capture: Capture::default(),
            lock: Lock::default(),
            sensitivity: -94.0,
            cs_threshold: -82.0,
            ed_threshold: -62.0,
            queue: QueueConfig {
                limit: QueueLimit::Packets(QUEUE_PACKETS),
                ..QueueConfig::default()
            },
        }
    }
}

/// What is particular to one station.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct StationConfig {
    /// Its name: the stream of its backoffs follows from it.
    pub name: String,
    /// Rate of its data frames, instead of the medium's.
    pub rate: Option<Rate>,
    /// Its contention window, instead of the medium's.
    pub cw: Option<Window>,
    /// Its queue, instead of the medium's.
    pub queue: Option<QueueConfig>,
    /// Whether its radio is off.
    pub off: bool,
}

/// A change of a medium: all of it happens at one time.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct MediumChange {
    /// Properties of the medium.
    pub medium: MediumProperties,
    /// Radios that are switched on or off.
    pub radios: Vec<(StationId, bool)>,
}
