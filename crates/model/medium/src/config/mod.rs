//! The complete configuration of a medium, and the properties that may change it. One table
//! declares both.
//!
//! | file | contents |
//! |---|---|
//! | `preset` | named media |
//! | `reach` | the reach of stations |
//! | `reception` | the rules of reception |
//! | `station` | the configuration of one station |
//! | `change` | changes of a medium at one time |

mod change;
mod preset;
mod reach;
mod reception;
mod station;

use netloom_link::{QueueConfig, QueueLimit, WhenFull};
use netloom_radio::{Fading, ObstacleConfig, Propagation, RadioConfig, ShadowingConfig};
use netloom_units::{Duration, Frequency, Gain, Length, Loss, Power};
use serde::{Deserialize, Serialize};

use crate::association::AssociationConfig;
use crate::mac::Mac;
use crate::phy::Phy;
pub use change::{MediumChange, Movement, Setting};
pub use reception::{Capture, CaptureWhen, Lock, ReceptionRule};
pub use station::{StationConfig, StationProperties};

/// Declares [`MediumConfig`] and [`MediumProperties`] from one table of properties: those with a
/// value, those that may have none, and those of the channel, which live in `radio`.
macro_rules! properties {
    (
        always { $($(#[$doc:meta])* $name:ident: $type:ty;)* }
        perhaps { $($(#[$perhaps_doc:meta])* $perhaps:ident: $perhaps_type:ty;)* }
        radio { $($(#[$radio_doc:meta])* $radio:ident: $radio_type:ty;)* }
    ) => {
        /// The complete configuration of a medium.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(deny_unknown_fields)]
        pub struct MediumConfig {
            $($(#[$doc])* pub $name: $type,)*
            $($(#[$perhaps_doc])* pub $perhaps: Option<$perhaps_type>,)*
            /// The channel between stations.
            pub radio: RadioConfig,
        }

        /// Properties of a medium, each optional: what is absent keeps its value.
        #[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(deny_unknown_fields)]
        pub struct MediumProperties {
            $(
                $(#[$doc])*
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $name: Option<$type>,
            )*
            $(
                $(#[$perhaps_doc])*
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $perhaps: Option<$perhaps_type>,
            )*
            $(
                $(#[$radio_doc])*
                #[serde(default, skip_serializing_if = "Option::is_none")]
                pub $radio: Option<$radio_type>,
            )*
        }

        impl MediumProperties {
            /// Writes the properties that are present into `config`.
            pub fn apply_to(&self, config: &mut MediumConfig) {
                $(if let Some(value) = &self.$name {
                    config.$name.clone_from(value);
                })*
                $(if let Some(value) = &self.$perhaps {
                    config.$perhaps = Some(*value);
                })*
                $(if let Some(value) = &self.$radio {
                    config.radio.$radio = value.clone().into();
                })*
            }

            /// Returns this change with `later` applied on top: properties that are present in
            /// `later` win.
            #[must_use]
            pub fn overlaid(&self, later: &Self) -> Self {
                Self {
                    $($name: later.$name.clone().or_else(|| self.$name.clone()),)*
                    $($perhaps: later.$perhaps.or(self.$perhaps),)*
                    $($radio: later.$radio.clone().or_else(|| self.$radio.clone()),)*
                }
            }

            /// Returns the keys that are present, as they are written.
            pub fn keys(&self) -> Vec<&'static str> {
                let mut said = Vec::new();
                $(if self.$name.is_some() {
                    said.push(stringify!($name));
                })*
                $(if self.$perhaps.is_some() {
                    said.push(stringify!($perhaps));
                })*
                $(if self.$radio.is_some() {
                    said.push(stringify!($radio));
                })*
                said
            }
        }
    };
}

properties! {
    always {
        /// The physical layer, with its times and rates: `802.11b`, `802.11a`, `802.11g`,
        /// `802.11bg`, `dsss` or `fhss`.
        phy: Phy;
        /// When stations send: `dcf` (default), another MAC, or a table of its parameters like
        /// `{dcf: {rts_threshold: 0B}}`.
        mac: Mac;
        /// When a signal is received: `sinr` (default), `threshold` or `collision`.
        reception: ReceptionRule;
        /// When a stronger signal takes over from one that is being received, like
        /// `{margin: 10dB, when: preamble}` (default).
        capture: Capture;
        /// Signals that a free radio begins to receive: `decodable` (default) or `any`.
        lock: Lock;
        /// Power of stations that have none of their own (default `16dBm`).
        power: Power;
        /// Height of antennas, added to z (default `1.5m`).
        height: Length;
        /// Least power of a signal that makes the medium busy by itself (default `-82dBm`).
        cs_threshold: Power;
        /// Power of all signals together that makes the medium busy (default `-62dBm`).
        ed_threshold: Power;
        /// Whether signals take time, a nanosecond for 30 cm (default `true`).
        propagation_delay: bool;
        /// Where each station's frames wait (default: 100 packets, first in, first out).
        queue: QueueConfig;
        /// When stations join access points and leave them, like `{scan: 100ms, join: -85dBm,
        /// hysteresis: 6dB, leave: -90dBm, outage: 50ms}` (default).
        association: AssociationConfig;
    }
    perhaps {
        /// Least power of a signal that can be decoded (default: that at which the lowest rate
        /// loses one in ten frames of 1536 bytes to noise).
        sensitivity: Power;
        /// Signals weaker than this are left aside altogether (default: 10 dB below noise).
        ignore: Power;
        /// How often each access point sends a beacon, like `102.4ms` (default: none are sent).
        beacons: Duration;
    }
    radio {
        /// The carrier's frequency (default: the PHY's).
        frequency: Frequency;
        /// The channel's width, which says how much noise there is (default: the PHY's).
        bandwidth: Frequency;
        /// Noise that receivers add to thermal noise (default `7dB`).
        noise_figure: Gain;
        /// How signals get weaker over a distance (default `free_space`).
        propagation: Propagation;
        /// Log-normal shadows (default: none).
        shadowing: ShadowingConfig;
        /// Buildings (default: none).
        obstacles: Vec<ObstacleConfig>;
        /// How the power of signals varies from one to the next (default `none`).
        fading: Fading;
        /// For how long a pair keeps its fading (default: each signal has its own).
        coherence: Duration;
        /// Positions are rounded to the middles of squares of this size (default: not at all).
        quantise: Length;
    }
}

/// Number of packets that a station's queue holds by default.
const QUEUE_PACKETS: u32 = 100;

/// Distance below noise, in dB, at which signals are ignored.
const IGNORED: f64 = 10.0;

impl MediumConfig {
    /// Creates a medium of `phy` with defaults for everything else.
    pub fn new(phy: Phy) -> Self {
        let table = phy.table();
        let hertz = |hertz: u64| Frequency::from_hertz(hertz).expect("a PHY's are in range");
        Self {
            phy,
            mac: Mac::default(),
            reception: ReceptionRule::default(),
            capture: Capture::default(),
            lock: Lock::default(),
            power: Power::from_millionths(16_000_000),
            height: Length::from_micrometres(1_500_000),
            sensitivity: None,
            cs_threshold: Power::from_millionths(-82_000_000),
            ed_threshold: Power::from_millionths(-62_000_000),
            ignore: None,
            propagation_delay: true,
            queue: QueueConfig {
                limit: QueueLimit::Packets(QUEUE_PACKETS),
                ..QueueConfig::default()
            },
            association: AssociationConfig::default(),
            beacons: None,
            radio: RadioConfig {
                frequency: hertz(table.frequency),
                bandwidth: hertz(table.bandwidth),
                ..RadioConfig::default()
            },
        }
    }

    /// Rejects properties that contradict each other.
    ///
    /// # Errors
    /// A sentence that names the key, the fault and the remedy.
    pub fn check(&self) -> Result<(), String> {
        self.radio.check()?;
        self.mac.check(self)?;
        self.association.check()?;
        if self.beacons == Some(Duration::ZERO) {
            return Err("`beacons` must be above 0s; leave it out for none".into());
        }
        if self.queue.full == WhenFull::Wait {
            return Err("`queue.full: wait` is for links: stations drop what is too much".into());
        }
        if self.capture.margin == Loss::ZERO && self.reception == ReceptionRule::Threshold {
            return Err("`reception: threshold` needs a `capture.margin` above 0dB".into());
        }
        Ok(())
    }

    /// Returns whether the configuration lists stations by name.
    pub fn names_stations(&self) -> bool {
        let is_listed = matches!(self.radio.propagation, Propagation::Matrix(_));
        is_listed || self.mac.pairs().is_some()
    }

    /// Returns the power in dBm below which signals are ignored.
    pub(crate) fn ignored_below(&self) -> f64 {
        self.ignore.map_or(self.radio.noise_floor() - IGNORED, Power::dbm)
    }

    /// Returns whether losses follow from the positions of stations.
    pub(crate) fn has_channel(&self) -> bool {
        self.mac.cable().is_none() && self.mac.pairs().is_none()
    }

    /// Returns the least power in dBm of a signal that can be decoded.
    pub(crate) fn sensitivity(&self) -> f64 {
        let by_noise = || self.radio.noise_floor() + self.phy.table().least_snr;
        self.sensitivity.map_or_else(by_noise, Power::dbm)
    }
}
