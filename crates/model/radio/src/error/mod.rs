//! Probabilities that bits survive, given the ratio of signal to interference and noise.
//!
//! | file | modulation |
//! |---|---|
//! | `ofdm` | OFDM of 802.11a and g, 6 to 54 Mbit/s |
//! | `table` | measured losses instead of formulas |
//! | `dsss` | DSSS and CCK of 802.11 and 802.11b, 1 to 11 Mbit/s |

mod dsss;
mod ofdm;
mod table;

use netloom_units::Rate;
pub use table::{ErrorTable, LossPoint};

/// The modulation and coding with which bits are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Modulation {
    /// DSSS, DBPSK, 1 Mbit/s.
    Dsss1,
    /// DSSS, DQPSK, 2 Mbit/s.
    Dsss2,
    /// CCK, 5.5 Mbit/s.
    Cck5,
    /// CCK, 11 Mbit/s.
    Cck11,
    /// OFDM, BPSK, code rate ½, 6 Mbit/s.
    Ofdm6,
    /// OFDM, BPSK, code rate ¾, 9 Mbit/s.
    Ofdm9,
    /// OFDM, QPSK, code rate ½, 12 Mbit/s.
    Ofdm12,
    /// OFDM, QPSK, code rate ¾, 18 Mbit/s.
    Ofdm18,
    /// OFDM, 16-QAM, code rate ½, 24 Mbit/s.
    Ofdm24,
    /// OFDM, 16-QAM, code rate ¾, 36 Mbit/s.
    Ofdm36,
    /// OFDM, 64-QAM, code rate ⅔, 48 Mbit/s.
    Ofdm48,
    /// OFDM, 64-QAM, code rate ¾, 54 Mbit/s.
    Ofdm54,
    /// Binary FSK with a noncoherent receiver, as at 1 Mbit/s with frequency hopping. The bit error
    /// rate is ½e^(−γ/2).
    Fsk1,
}

impl Modulation {
    /// All modulations of 802.11b and 802.11a/g, slowest first, each with its rate in kbit/s.
    pub const ALL: &'static [(u32, Modulation)] = &[
        (1000, Self::Dsss1),
        (2000, Self::Dsss2),
        (5500, Self::Cck5),
        (6000, Self::Ofdm6),
        (9000, Self::Ofdm9),
        (11_000, Self::Cck11),
        (12_000, Self::Ofdm12),
        (18_000, Self::Ofdm18),
        (24_000, Self::Ofdm24),
        (36_000, Self::Ofdm36),
        (48_000, Self::Ofdm48),
        (54_000, Self::Ofdm54),
    ];

    /// Returns the modulation that 802.11a, b or g uses at a rate.
    pub fn of(rate: Rate) -> Option<Self> {
        let found =
            Self::ALL.iter().find(|(kbit, _)| u64::from(*kbit) * 1000 == rate.bits_per_second())?;
        Some(found.1)
    }

    /// Returns the rate in kbit/s.
    pub fn kilobits_per_second(self) -> u32 {
        // All modulations are in the table except `Fsk1`, whose rate is 1 Mbit/s.
        Self::ALL.iter().find(|(_, modulation)| *modulation == self).map_or(1000, |(rate, _)| *rate)
    }

    /// Returns the rate.
    pub fn rate(self) -> Rate {
        let bits = u64::from(self.kilobits_per_second()) * 1000;
        // Every rate is above 0 and far below the maximum.
        Rate::from_bits_per_second(bits).unwrap_or(Rate::MAX)
    }

    /// Returns the logarithm of the probability that one bit survives, from −∞ to 0. `sinr` is the
    /// ratio of signal to interference and noise, as a plain ratio and not in dB. Where a code
    /// works on groups of bits, the logarithm of the group's success is divided by the number of
    /// its bits.
    pub fn log_success(self, sinr: f64) -> f64 {
        let sinr = sinr.max(0.0);
        match self {
            Self::Dsss1 => libm::log1p(-dsss::dbpsk(sinr)),
            Self::Dsss2 => libm::log1p(-dsss::dqpsk(sinr)),
            Self::Cck5 => dsss::cck5(sinr),
            Self::Cck11 => dsss::cck11(sinr),
            Self::Fsk1 => libm::log1p(-0.5 * libm::exp(-sinr / 2.0)),
            Self::Ofdm6 => ofdm::log_success(ofdm::bpsk(sinr), &ofdm::HALF),
            Self::Ofdm9 => ofdm::log_success(ofdm::bpsk(sinr), &ofdm::THREE_QUARTERS),
            Self::Ofdm12 => ofdm::log_success(ofdm::qpsk(sinr), &ofdm::HALF),
            Self::Ofdm18 => ofdm::log_success(ofdm::qpsk(sinr), &ofdm::THREE_QUARTERS),
            Self::Ofdm24 => ofdm::log_success(ofdm::qam16(sinr), &ofdm::HALF),
            Self::Ofdm36 => ofdm::log_success(ofdm::qam16(sinr), &ofdm::THREE_QUARTERS),
            Self::Ofdm48 => ofdm::log_success(ofdm::qam64(sinr), &ofdm::TWO_THIRDS),
            Self::Ofdm54 => ofdm::log_success(ofdm::qam64(sinr), &ofdm::THREE_QUARTERS),
        }
    }

    /// Returns the probability that one bit is lost at a ratio of `sinr`.
    pub fn bit_error(self, sinr: f64) -> f64 {
        -libm::expm1(self.log_success(sinr))
    }

    /// Returns the probability that `bits` bits survive at a ratio of `sinr`. If the ratio changes
    /// within a frame, the frame's probability is the product over its parts.
    pub fn success(self, sinr: f64, bits: f64) -> f64 {
        if bits <= 0.0 { 1.0 } else { libm::exp(bits * self.log_success(sinr)) }
    }
}
