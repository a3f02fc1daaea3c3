//! The physical layers: times, rates, and the time that a frame is on the air.

use std::fmt;
use std::str::FromStr;

use netloom_units::{Duration, Rate, UnitError, text_quantity};

/// Bytes that a data frame has on the air in addition to the packet: 24 of header, 8 of LLC and
/// SNAP, 4 of FCS (IEEE 802.11-2007 clause 7).
const DATA_OVERHEAD: u32 = 36;
/// Bytes of an Ethernet header, which is not sent on the air.
const ETHERNET_HEADER: u32 = 14;
/// Bytes of an ACK and of a CTS.
pub(crate) const ACK_BYTES: u32 = 14;
/// Bytes of an RTS.
pub(crate) const RTS_BYTES: u32 = 20;

/// A physical layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Phy {
    /// IEEE 802.11b (1999, clause 18): DSSS and CCK, 1 to 11 Mbit/s at 2.4 GHz.
    #[default]
    B,
    /// IEEE 802.11a (1999, clause 17): OFDM, 6 to 54 Mbit/s at 5 GHz.
    A,
    /// IEEE 802.11g (2003, clause 19) alone: OFDM at 2.4 GHz.
    G,
    /// IEEE 802.11g among stations of 802.11b: slots, windows and answers that those understand.
    Bg,
    /// IEEE 802.11-1997 DSSS: 1 and 2 Mbit/s.
    Dsss,
    /// IEEE 802.11-1997 FHSS with the times of Bianchi 2000: 1 Mbit/s.
    Fhss,
}

impl Phy {
    /// All physical layers, each with its name.
    pub const ALL: [(Self, &str); 6] = [
        (Self::B, "802.11b"),
        (Self::A, "802.11a"),
        (Self::G, "802.11g"),
        (Self::Bg, "802.11bg"),
        (Self::Dsss, "dsss"),
        (Self::Fhss, "fhss"),
    ];

    /// Returns the name.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(phy, _)| *phy == self).map_or("", |(_, name)| name)
    }

    /// Returns the times and rates.
    pub(crate) const fn table(self) -> &'static Table {
        match self {
            Self::B => &B,
            Self::A => &A,
            Self::G => &G,
            Self::Bg => &BG,
            Self::Dsss => &DSSS,
            Self::Fhss => &FHSS,
        }
    }

    /// Rejects a rate that the PHY does not have.
    pub(crate) fn has_rate(self, key: &str, rate: Option<Rate>) -> Result<(), String> {
        let Some(rate) = rate.filter(|rate| self.rates().all(|known| known != *rate)) else {
            return Ok(());
        };
        let known: Vec<_> = self.rates().map(|rate| rate.to_string()).collect();
        Err(format!("`{key}: {rate}` is no rate of {self}; it has {}", known.join(", ")))
    }

    /// Returns the rates of data frames, slowest first.
    pub fn rates(self) -> impl Iterator<Item = Rate> {
        self.table().rates.iter().filter_map(|bits| Rate::from_bits_per_second(*bits))
    }
}

impl FromStr for Phy {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let known = Self::ALL.iter().find(|(_, name)| *name == text);
        known.map(|(phy, _)| *phy).ok_or_else(|| UnitError::OutOfRange {
            text: text.into(),
            range: "a PHY is one of `802.11b`, `802.11a`, `802.11g`, `802.11bg`, `dsss`, `fhss`",
        })
    }
}

impl fmt::Display for Phy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

text_quantity!(
    Phy,
    "PHY",
    r"^(802\.11b|802\.11a|802\.11g|802\.11bg|dsss|fhss)$",
    "A physical layer of IEEE 802.11: `802.11b`, `802.11a`, `802.11g`, `802.11bg` (g among \
     stations of b), `dsss` (1997) or `fhss` (1997, with the times of Bianchi 2000).",
    "802.11b"
);

/// Modulation of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Modulation {
    /// A preamble, then bits one by one: DSSS, CCK, FHSS.
    Serial,
    /// Symbols of 4 µs (IEEE 802.11-2007, 17.4.3).
    Ofdm,
}

/// Times and rates of a physical layer. All times are in µs, all rates in bit/s.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Table {
    pub slot: u32,
    pub sifs: u32,
    pub difs: u32,
    /// Time from the beginning of a signal to its detection.
    pub cca: u32,
    /// Duration of the long preamble and header of serial frames.
    pub preamble: u32,
    /// Time after each OFDM frame during which nothing is sent (802.11g).
    pub extension: u32,
    pub cw: [u32; 2],
    /// Whether a failed reception makes DIFS longer.
    pub has_eifs: bool,
    pub rates: &'static [u64],
    pub basic: &'static [u64],
    /// Width of the channel in Hz.
    pub bandwidth: u64,
    /// Carrier frequency in Hz, unless one is configured.
    pub frequency: u64,
    /// Ratio of signal to noise, in dB, at which the lowest rate loses one in ten frames of 1536
    /// bytes.
    pub least_snr: f64,
}

const M: u64 = 1_000_000;
const OFDM_RATES: &[u64] = &[6 * M, 9 * M, 12 * M, 18 * M, 24 * M, 36 * M, 48 * M, 54 * M];
const ALL_RATES: &[u64] = &[
    M,
    2 * M,
    5 * M + M / 2,
    6 * M,
    9 * M,
    11 * M,
    12 * M,
    18 * M,
    24 * M,
    36 * M,
    48 * M,
    54 * M,
];
/// Duration of preamble and header of OFDM, in µs.
const OFDM_PREAMBLE: u32 = 20;

const B: Table = Table {
    slot: 20,
    sifs: 10,
    difs: 50,
    cca: 15,
    preamble: 192,
    extension: 0,
    cw: [31, 1023],
    has_eifs: true,
    rates: &[M, 2 * M, 5 * M + M / 2, 11 * M],
    basic: &[M, 2 * M],
    bandwidth: 22 * M,
    frequency: 2412 * M,
    least_snr: -3.02,
};
const A: Table = Table {
    slot: 9,
    sifs: 16,
    difs: 34,
    cca: 4,
    preamble: OFDM_PREAMBLE,
    cw: [15, 1023],
    rates: OFDM_RATES,
    basic: &[6 * M, 12 * M, 24 * M],
    bandwidth: 20 * M,
    frequency: 5180 * M,
    least_snr: 3.97,
    ..B
};
const G: Table = Table { sifs: 10, difs: 28, extension: 6, frequency: 2412 * M, ..A };
const BG: Table = Table {
    slot: 20,
    difs: 50,
    cca: 15,
    preamble: 192,
    cw: [31, 1023],
    rates: ALL_RATES,
    basic: &[M, 2 * M, 6 * M, 12 * M, 24 * M],
    least_snr: -3.02,
    ..G
};
const DSSS: Table = Table { rates: &[M, 2 * M], ..B };
const FHSS: Table = Table {
    slot: 50,
    sifs: 28,
    difs: 128,
    cca: 27,
    preamble: 128,
    cw: [31, 255],
    has_eifs: false,
    rates: &[M],
    basic: &[M],
    bandwidth: M,
    // ½·e^(−γ/2) for 1536 bytes, one in ten of which is lost.
    least_snr: 13.41,
    ..B
};

/// Which preamble serial frames above 1 Mbit/s have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize, serde::Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Preamble {
    /// 192 µs.
    #[default]
    Long,
    /// 96 µs (802.11b and g).
    Short,
}

/// The times of a physical layer with a configuration.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Timing {
    pub table: &'static Table,
    preamble: Preamble,
    basic: Option<Rate>,
    pub slot: Duration,
    pub sifs: Duration,
    pub difs: Duration,
    pub eifs: Duration,
    pub cca: Duration,
    /// Time within which an answer has to begin: SIFS, a slot and a preamble.
    pub answer: Duration,
}

impl Timing {
    /// Creates the times of `phy`. If `basic` is given, it is the only basic rate.
    pub fn new(phy: Phy, preamble: Preamble, basic: Option<Rate>) -> Self {
        let table = phy.table();
        let micros = |value: u32| Duration::from_micros(value.into());
        let mut timing = Self {
            table,
            preamble,
            basic,
            slot: micros(table.slot),
            sifs: micros(table.sifs),
            difs: micros(table.difs),
            eifs: micros(table.difs),
            cca: micros(table.cca),
            answer: micros(table.sifs + table.slot + table.preamble),
        };
        if table.has_eifs {
            timing.eifs = timing.sifs + timing.airtime(ACK_BYTES, timing.lowest()) + timing.difs;
        }
        timing
    }

    /// Creates the times of a cable with frames at `rate`.
    pub fn of_cable(rate: Rate, slot: Duration, cca: Duration, bit: Duration) -> Self {
        let timing = Self::new(Phy::B, Preamble::Long, Some(rate));
        Self { slot, sifs: bit, difs: bit, eifs: bit, cca, answer: slot, ..timing }
    }

    /// Removes the delays of radios: a carrier is sensed a nanosecond after it arrives, and a
    /// failed reception does not prolong anybody's wait. Times that are given replace the PHY's.
    pub fn with_flags(
        self,
        slot: Option<Duration>,
        sifs: Option<Duration>,
        difs: Option<Duration>,
    ) -> Self {
        let slot = slot.unwrap_or(self.slot);
        let sifs = sifs.unwrap_or(self.sifs);
        let default = sifs + slot + slot;
        let difs = difs.unwrap_or(if self.table.has_eifs { default } else { self.difs });
        let answer = sifs + slot + Duration::from_micros(self.table.preamble.into());
        Self { slot, sifs, difs, eifs: difs, cca: Duration::from_nanos(1), answer, ..self }
    }

    /// Returns the rates of data frames, slowest first.
    pub fn rates(&self) -> impl Iterator<Item = Rate> {
        self.table.rates.iter().map(|bits| rate(*bits))
    }

    /// Returns the lowest basic rate, which is the rate of broadcasts.
    pub fn lowest(&self) -> Rate {
        self.basic.unwrap_or(rate(self.table.basic[0]))
    }

    /// Returns the highest rate.
    pub fn highest(&self) -> Rate {
        rate(self.table.rates[self.table.rates.len() - 1])
    }

    /// Returns the rate of answers to a frame at `to`: the highest basic rate of its modulation
    /// that is not above it.
    pub fn answer_rate(&self, to: Rate) -> Rate {
        if let Some(basic) = self.basic {
            return basic;
        }
        let fits = |bits: &&u64| {
            **bits <= to.bits_per_second() && self.modulation(rate(**bits)) == self.modulation(to)
        };
        self.table.basic.iter().rev().find(fits).map_or(self.lowest(), |bits| rate(*bits))
    }

    /// Returns the duration of the bits of a frame after its header.
    pub fn payload(&self, bytes: u32, rate: Rate) -> Duration {
        let extension = match self.modulation(rate) {
            Modulation::Serial => 0,
            Modulation::Ofdm => self.table.extension,
        };
        let airtime = self.airtime(bytes, rate).saturating_sub(self.header(rate));
        airtime.saturating_sub(Duration::from_micros(extension.into()))
    }

    fn modulation(&self, rate: Rate) -> Modulation {
        let is_ofdm = OFDM_RATES.contains(&rate.bits_per_second())
            && self.table.rates.contains(&rate.bits_per_second());
        if is_ofdm { Modulation::Ofdm } else { Modulation::Serial }
    }

    /// Returns the duration of preamble and header of a frame at `rate`.
    pub fn header(&self, rate: Rate) -> Duration {
        let micros = match (self.modulation(rate), self.preamble) {
            (Modulation::Ofdm, _) => OFDM_PREAMBLE,
            (Modulation::Serial, Preamble::Short) if rate.bits_per_second() > M => 96,
            (Modulation::Serial, _) => self.table.preamble,
        };
        Duration::from_micros(micros.into())
    }

    /// Returns the time that a frame of `bytes` is on the air, with preamble and header.
    pub fn airtime(&self, bytes: u32, rate: Rate) -> Duration {
        let bits = u64::from(bytes) * 8;
        let payload = match self.modulation(rate) {
            Modulation::Serial => (bits * M).div_ceil(rate.bits_per_second()),
            // 16 service bits and 6 of tail; 4 µs a symbol.
            Modulation::Ofdm => {
                let symbols = ((22 + bits) * M).div_ceil(4 * rate.bits_per_second());
                4 * symbols + u64::from(self.table.extension)
            }
        };
        self.header(rate) + Duration::from_micros(payload)
    }
}

/// Returns the bytes on the air of an Ethernet frame of `bytes` without its FCS.
pub(crate) const fn air_bytes(bytes: u32) -> u32 {
    bytes.saturating_sub(ETHERNET_HEADER).saturating_add(DATA_OVERHEAD)
}

/// Returns a rate of the tables.
fn rate(bits: u64) -> Rate {
    Rate::from_bits_per_second(bits).expect("rates of the tables are in range")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn micros(phy: Phy, preamble: Preamble, bytes: u32, rate: &str) -> u64 {
        let timing = Timing::new(phy, preamble, None);
        timing.airtime(bytes, rate.parse().unwrap()).as_nanos() / 1000
    }

    #[test]
    fn times_on_the_air_are_those_of_the_standard() {
        assert_eq!(air_bytes(1514), 1536);
        assert_eq!(micros(Phy::B, Preamble::Long, 1536, "11Mbit/s"), 1310);
        assert_eq!(micros(Phy::B, Preamble::Long, 14, "2Mbit/s"), 248);
        assert_eq!(micros(Phy::B, Preamble::Short, 14, "2Mbit/s"), 152);
        assert_eq!(micros(Phy::A, Preamble::Long, 1536, "54Mbit/s"), 248);
        assert_eq!(micros(Phy::A, Preamble::Long, 14, "24Mbit/s"), 28);
        assert_eq!(micros(Phy::G, Preamble::Long, 1536, "54Mbit/s"), 254);
        assert_eq!(micros(Phy::G, Preamble::Long, 14, "24Mbit/s"), 34);
    }

    #[test]
    fn a_failed_reception_makes_stations_wait_for_an_answer_that_they_cannot_hear() {
        let eifs = |phy| Timing::new(phy, Preamble::Long, None).eifs.as_nanos() / 1000;
        assert_eq!([eifs(Phy::B), eifs(Phy::A), eifs(Phy::G)], [364, 94, 10 + 50 + 28]);
        assert_eq!(Timing::new(Phy::B, Preamble::Short, None).eifs.as_nanos(), 364_000);
    }

    #[test]
    fn answers_come_at_the_highest_basic_rate_of_the_modulation_that_is_not_above() {
        let answer = |phy, to: &str| {
            let rate = Timing::new(phy, Preamble::Long, None).answer_rate(to.parse().unwrap());
            rate.to_string()
        };
        assert_eq!(answer(Phy::B, "11Mbit/s"), "2Mbit/s");
        assert_eq!(answer(Phy::B, "1Mbit/s"), "1Mbit/s");
        assert_eq!(answer(Phy::A, "54Mbit/s"), "24Mbit/s");
        assert_eq!(answer(Phy::A, "9Mbit/s"), "6Mbit/s");
        assert_eq!(answer(Phy::Bg, "11Mbit/s"), "2Mbit/s");
        assert_eq!(answer(Phy::Bg, "18Mbit/s"), "12Mbit/s");
    }

    #[test]
    fn names_are_read_back() {
        for (phy, name) in Phy::ALL {
            assert_eq!((name.parse().unwrap(), phy.to_string().as_str()), (phy, name));
        }
        let error = "802.11n".parse::<Phy>().unwrap_err().to_string();
        assert!(error.contains("802.11b"), "{error}");
    }
}
