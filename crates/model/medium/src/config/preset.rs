//! Named media and their configurations.

use netloom_link::QueueConfig;
use netloom_radio::Propagation;
use netloom_units::{Frequency, Length, Loss, Power, Rate};

use super::{Capture, CaptureWhen, Lock, MediumConfig, ReceptionRule};
use crate::mac::{CableConfig, CableShape, CsmaCdConfig, DcfConfig, Mac, RateControl};
use crate::phy::Phy;

/// The names of all presets, each with a description.
pub(crate) const PRESETS: &[(&str, &str)] = &[
    ("802.11b", "DSSS and CCK, 1 to 11 Mbit/s at 2.412 GHz"),
    ("802.11a", "OFDM, 6 to 54 Mbit/s at 5.18 GHz"),
    ("802.11g", "OFDM, 6 to 54 Mbit/s at 2.412 GHz, without stations of 802.11b"),
    ("802.11bg", "OFDM among stations of 802.11b"),
    ("dsss", "IEEE 802.11-1997, 1 and 2 Mbit/s"),
    ("fhss", "IEEE 802.11-1997 with the times of Bianchi 2000, 1 Mbit/s"),
    ("10base2", "thin coaxial cable, 10 Mbit/s, up to 185 m"),
    ("10base5", "thick coaxial cable, 10 Mbit/s, up to 500 m"),
    ("hub", "a hub with 100 m to each station, 10 Mbit/s"),
    ("wavelan", "the 914 MHz card of Broch et al. 1998 and ns-2: 250 m, sensed up to 550 m"),
];

impl MediumConfig {
    /// The names of all presets, each with a description.
    pub const PRESETS: &[(&str, &str)] = PRESETS;

    /// Returns the medium called `name`, or `None` if there is no such preset.
    pub fn preset(name: &str) -> Option<Self> {
        match name {
            "wavelan" => Some(wavelan()),
            "10base2" => Some(ethernet(185, 0.65, CableShape::Bus)),
            "10base5" => Some(ethernet(500, 0.77, CableShape::Bus)),
            "hub" => Some(ethernet(200, 0.65, CableShape::Hub)),
            name => name.parse().ok().map(Self::new),
        }
    }
}

/// Returns an Ethernet of the given length, whose signals travel at `velocity` times the speed of
/// light (IEEE 802.3-2005, clauses 8, 10 and 14).
fn ethernet(metres: u64, velocity: f64, shape: CableShape) -> MediumConfig {
    let mut config = MediumConfig::new(Phy::B);
    let cable = CableConfig { length: Length::from_metres(metres), velocity, shape };
    config.mac = Mac::CsmaCd(CsmaCdConfig { cable, ..CsmaCdConfig::default() });
    config.reception = ReceptionRule::Collision;
    config
}

/// Returns the radio of ns-2, a Lucent WaveLAN of 914 MHz. It sends 0.28183815 W. Signals decode at
/// 3.652·10⁻¹⁰ W, which reaches 250 m over the ground, and are sensed at 1.559·10⁻¹¹ W, which
/// reaches 550 m.
fn wavelan() -> MediumConfig {
    let mega = |mbit: u64| Rate::from_bits_per_second(mbit * 1_000_000);
    let mut config = MediumConfig::new(Phy::Dsss);
    config.mac = Mac::Dcf(DcfConfig {
        rate: mega(2).map(RateControl::Fixed),
        basic: mega(1),
        ..DcfConfig::default()
    });
    config.reception = ReceptionRule::Threshold;
    config.capture = Capture { margin: Loss::from_millionths(10_000_000), when: CaptureWhen::None };
    config.lock = Lock::Any;
    config.power = Power::from_millionths(24_500_000);
    config.sensitivity = Some(Power::from_millionths(-64_374_700));
    config.cs_threshold = Power::from_millionths(-78_071_500);
    // ns-2 ignores signals that are weaker than that.
    config.ignore = Some(Power::from_millionths(-78_071_500));
    config.radio.frequency = Frequency::from_kilohertz(914_000);
    config.radio.propagation = Propagation::TwoRayGround;
    config.queue = QueueConfig { limit: netloom_link::QueueLimit::Packets(50), ..config.queue };
    config
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_preset_is_there_and_makes_sense() {
        for (name, _) in PRESETS {
            let config = MediumConfig::preset(name).unwrap();
            assert_eq!(config.check(), Ok(()), "{name}");
        }
        assert_eq!(MediumConfig::preset("802.11n"), None);
    }

    #[test]
    fn a_preset_is_written_and_read_back() {
        for (name, _) in PRESETS {
            let config = MediumConfig::preset(name).unwrap();
            let text = serde_json::to_string(&config).unwrap();
            assert_eq!(serde_json::from_str::<MediumConfig>(&text).unwrap(), config);
        }
    }
}
