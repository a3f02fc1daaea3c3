//! Meters, which give packets a colour. Not here: the actions on the packets (`process`).

use netloom_units::{Rate, Size, Time};
use serde::{Deserialize, Serialize};

use super::bucket::Bucket;

/// The degree to which a packet is within the agreed traffic profile.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Colour {
    /// Within the profile. A meter of one rate calls this `conform`.
    Green,
    /// Beyond the committed burst or rate, and within the other one.
    Yellow,
    /// Beyond the whole profile. A meter of one rate calls this `exceed`.
    Red,
}

impl Colour {
    /// The colour for an assured-forwarding DSCP (RFC 2597), by its drop precedence. All other
    /// packets are green.
    pub const fn of_dscp(dscp: u8) -> Self {
        match (dscp >> 3, dscp & 7) {
            (1..=4, 4) => Self::Yellow,
            (1..=4, 6) => Self::Red,
            _ => Self::Green,
        }
    }
}

/// Configuration of a meter. Rates and buckets are in bytes on the line, framing included. Buckets
/// are full when the condition is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(try_from = "MeterTable", into = "MeterTable")]
pub enum MeterConfig {
    /// One rate and one bucket: packets conform or exceed.
    OneRate {
        /// Rate at which the bucket fills.
        rate: Rate,
        /// Depth of the bucket.
        burst: Size,
    },
    /// The single-rate three-colour marker.
    Srtcm(SrtcmConfig),
    /// The two-rate three-colour marker.
    Trtcm(TrtcmConfig),
}

/// Parameters of the single-rate three-colour marker (RFC 2697).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct SrtcmConfig {
    /// Committed information rate.
    pub cir: Rate,
    /// Committed burst size: up to this, packets are green.
    pub cbs: Size,
    /// Excess burst size. This bucket gets the tokens that do not fit into the committed one; up to
    /// its size, packets are yellow.
    pub ebs: Size,
    /// Whether packets keep the colour of their DSCP or get a worse one: green, yellow, red for the
    /// drop precedences 1, 2, 3 of assured forwarding, and green for all other DSCPs (default
    /// `false`: colour-blind).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub aware: bool,
}

/// Parameters of the two-rate three-colour marker (RFC 2698).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct TrtcmConfig {
    /// Committed information rate: within it, packets are green.
    pub cir: Rate,
    /// Committed burst size.
    pub cbs: Size,
    /// Peak information rate, at least `cir`: beyond it, packets are red.
    pub pir: Rate,
    /// Peak burst size.
    pub pbs: Size,
    /// Whether packets keep the colour of their DSCP or get a worse one, as for `srtcm` (default
    /// `false`).
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub aware: bool,
}

/// The notation of a meter.
#[derive(Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "Meter"))]
#[serde(default, deny_unknown_fields)]
pub(super) struct MeterTable {
    /// Rate of a meter of one rate, which also needs `burst`; packets conform or exceed.
    #[serde(skip_serializing_if = "Option::is_none")]
    rate: Option<Rate>,
    /// Number of bytes that may pass at once.
    #[serde(skip_serializing_if = "Option::is_none")]
    burst: Option<Size>,
    /// The single-rate three-colour marker (RFC 2697); packets are green, yellow or red.
    #[serde(skip_serializing_if = "Option::is_none")]
    srtcm: Option<SrtcmConfig>,
    /// The two-rate three-colour marker (RFC 2698); packets are green, yellow or red.
    #[serde(skip_serializing_if = "Option::is_none")]
    trtcm: Option<TrtcmConfig>,
}

impl TryFrom<MeterTable> for MeterConfig {
    type Error = String;
    fn try_from(table: MeterTable) -> Result<Self, String> {
        match table {
            MeterTable { rate: Some(rate), burst: Some(burst), srtcm: None, trtcm: None } => {
                Self::OneRate { rate, burst }
            }
            MeterTable { rate: None, burst: None, srtcm: Some(config), trtcm: None } => {
                Self::Srtcm(config)
            }
            MeterTable { rate: None, burst: None, srtcm: None, trtcm: Some(config) } => {
                Self::Trtcm(config)
            }
            MeterTable { rate, burst, srtcm: None, trtcm: None }
                if rate.is_some() || burst.is_some() =>
            {
                let missing = if rate.is_none() { "rate" } else { "burst" };
                return Err(format!(
                    "a meter of one rate needs a `{missing}` too; write it like \
                     `{{rate: 5Mbit/s, burst: 20kB}}`"
                ));
            }
            _ => {
                return Err("a meter is one of three; write `rate` and `burst`, or `srtcm`, or \
                            `trtcm`"
                    .into());
            }
        }
        .checked()
    }
}

impl From<MeterConfig> for MeterTable {
    fn from(meter: MeterConfig) -> Self {
        let mut table = Self::default();
        match meter {
            MeterConfig::OneRate { rate, burst } => {
                (table.rate, table.burst) = (Some(rate), Some(burst));
            }
            MeterConfig::Srtcm(config) => table.srtcm = Some(config),
            MeterConfig::Trtcm(config) => table.trtcm = Some(config),
        }
        table
    }
}

impl MeterConfig {
    /// Returns the meter, or an error if its parameters make no sense.
    fn checked(self) -> Result<Self, String> {
        let none = Size::default();
        match self {
            Self::OneRate { burst, .. } if burst == none => Err(
                "a meter with a `burst` of 0B lets nothing conform; write the longest frame at \
                 least, like `1538B`"
                    .into(),
            ),
            Self::Srtcm(SrtcmConfig { cbs, ebs, .. }) if cbs == none && ebs == none => Err(
                "`cbs` and `ebs` of srtcm are not both 0B; write the longest frame at least, like \
                 `1538B`"
                    .into(),
            ),
            Self::Trtcm(TrtcmConfig { cbs, pbs, .. }) if cbs == none || pbs == none => Err(
                "`cbs` and `pbs` of trtcm are above 0B; write the longest frame at least, like \
                 `1538B`"
                    .into(),
            ),
            Self::Trtcm(TrtcmConfig { cir, pir, .. }) if pir < cir => Err(format!(
                "`pir` of trtcm is at least `cir`, not {pir} and {cir}; write the larger one as \
                 `pir`"
            )),
            meter => Ok(meter),
        }
    }

    /// Whether packets are green, yellow or red, not only conforming or exceeding.
    pub(super) const fn has_colours(&self) -> bool {
        !matches!(self, Self::OneRate { .. })
    }
}

/// A running meter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Meter {
    /// Time up to which its buckets have been filled.
    filled: Time,
    aware: bool,
    buckets: Buckets,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Buckets {
    One(Bucket),
    SingleRate { committed: Bucket, excess: Bucket },
    TwoRates { committed: Bucket, peak: Bucket },
}

impl Meter {
    /// Creates a meter whose buckets are full at `now`.
    pub fn new(config: &MeterConfig, now: Time) -> Self {
        let (aware, buckets) = match *config {
            MeterConfig::OneRate { rate, burst } => (false, Buckets::One(Bucket::new(rate, burst))),
            MeterConfig::Srtcm(SrtcmConfig { cir, cbs, ebs, aware }) => {
                let (committed, excess) = (Bucket::new(cir, cbs), Bucket::new(cir, ebs));
                (aware, Buckets::SingleRate { committed, excess })
            }
            MeterConfig::Trtcm(TrtcmConfig { cir, cbs, pir, pbs, aware }) => {
                let (committed, peak) = (Bucket::new(cir, cbs), Bucket::new(pir, pbs));
                (aware, Buckets::TwoRates { committed, peak })
            }
        };
        Self { filled: now, aware, buckets }
    }

    /// Returns the colour of a packet with `dscp` that arrives at `now` and takes `bytes` on the
    /// line, and removes its tokens. A super-frame gets the colour of its wire frames if they all
    /// get the same.
    #[inline]
    pub fn colour(&mut self, now: Time, dscp: u8, bytes: u64) -> Colour {
        self.fill(now);
        let before = if self.aware { Colour::of_dscp(dscp) } else { Colour::Green };
        match &mut self.buckets {
            Buckets::One(bucket) => one_rate(bucket, bytes),
            Buckets::SingleRate { committed, excess } => {
                single_rate(committed, excess, before, bytes)
            }
            Buckets::TwoRates { committed, peak } => two_rates(committed, peak, before, bytes),
        }
    }

    #[inline]
    fn fill(&mut self, now: Time) {
        let time = now.since(self.filled);
        self.filled = self.filled.max(now);
        match &mut self.buckets {
            Buckets::One(bucket) => {
                bucket.fill(bucket.income(time));
            }
            Buckets::SingleRate { committed, excess } => {
                let left = committed.fill(committed.income(time));
                excess.fill(left);
            }
            Buckets::TwoRates { committed, peak } => {
                committed.fill(committed.income(time));
                peak.fill(peak.income(time));
            }
        }
    }
}

#[inline]
fn one_rate(bucket: &mut Bucket, bytes: u64) -> Colour {
    if !bucket.holds(bytes) {
        return Colour::Red;
    }
    bucket.take(bytes);
    Colour::Green
}

/// RFC 2697, section 3.
fn single_rate(committed: &mut Bucket, excess: &mut Bucket, before: Colour, bytes: u64) -> Colour {
    if before == Colour::Green && committed.holds(bytes) {
        committed.take(bytes);
        return Colour::Green;
    }
    if before <= Colour::Yellow && excess.holds(bytes) {
        excess.take(bytes);
        return Colour::Yellow;
    }
    Colour::Red
}

/// RFC 2698, section 3.
fn two_rates(committed: &mut Bucket, peak: &mut Bucket, before: Colour, bytes: u64) -> Colour {
    if before == Colour::Red || !peak.holds(bytes) {
        return Colour::Red;
    }
    peak.take(bytes);
    if before == Colour::Yellow || !committed.holds(bytes) {
        return Colour::Yellow;
    }
    committed.take(bytes);
    Colour::Green
}
