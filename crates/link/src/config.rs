//! What a pipe can be told: the complete configuration and the partial change to it.
//!
//! [`PipeConfig`] is what a pipe runs on, all values filled in. [`PipeChange`] is what a scenario,
//! a timeline event or a live request says: the same properties, each optional. One pair of types
//! serves them all, so a new property is added here and nowhere else.

use std::fmt;
use std::str::FromStr;

use netloom_units::{Duration, Probability, Rate, Size, UnitError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The complete configuration of one pipe.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PipeConfig {
    /// Bit rate of the line, framing included.
    pub rate: RateLimit,
    /// What each frame costs on the line beside its own bytes.
    pub framing: Framing,
    /// Where frames wait for the line.
    pub queue: QueueConfig,
    /// Propagation delay.
    pub delay: Duration,
    /// Probability that a frame is lost on the channel, independently of all others (Bernoulli).
    pub loss: Probability,
    /// Whether the pipe carries frames.
    pub state: LinkState,
    /// What happens to frames in flight when the pipe goes down.
    pub in_flight: InFlight,
}

impl Default for PipeConfig {
    fn default() -> Self {
        Self {
            rate: RateLimit::Unlimited,
            framing: Framing::Ethernet,
            queue: QueueConfig::default(),
            delay: Duration::ZERO,
            loss: Probability::ZERO,
            state: LinkState::Up,
            in_flight: InFlight::Drop,
        }
    }
}

impl PipeConfig {
    /// The queue limit in words, with what the default means at the current rate:
    /// `100ms (125kB)`, `50packets`, or `none` where there is no queue.
    pub fn queue_limit_in_words(&self) -> String {
        let RateLimit::Limited(rate) = self.rate else { return "none".into() };
        match self.queue.limit {
            QueueLimit::Default => {
                let time = Duration::from_millis(100);
                format!("100ms ({}) or 50packets", rate.bytes_in(time))
            }
            QueueLimit::Time(time) => format!("{time} ({})", rate.bytes_in(time)),
            limit => limit.to_string(),
        }
    }
}

/// Properties of one pipe, each optional: what is absent keeps its value.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct PipeChange {
    /// Bit rate of the line, like `10Mbit/s`, or `unlimited` (default): no serialization time and
    /// no queue.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate: Option<RateLimit>,
    /// What each frame costs on the line beside its own bytes: `ethernet` (default: 24 bytes for
    /// preamble, FCS and gap, padded to the 64-byte minimum), `none`, or a size like `38B`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub framing: Option<Framing>,
    /// Where frames wait for the line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub queue: Option<QueueChange>,
    /// Propagation delay, like `10ms` (default `0ns`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delay: Option<Duration>,
    /// Probability that a frame is lost on the channel, like `1%` (default `0%`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub loss: Option<Probability>,
    /// `up` (default) or `down`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub state: Option<LinkState>,
    /// What happens to frames in flight when the pipe goes down: `drop` (default) or `deliver`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub in_flight: Option<InFlight>,
}

/// A change to where frames wait for the line.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QueueChange {
    /// The queue discipline (default `fifo`).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discipline: Option<Discipline>,
    /// How much may wait: `100packets`, `64KiB` or `50ms` at the current rate. The default is
    /// 100ms or 50packets, whichever is larger.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<QueueLimit>,
}

impl PipeChange {
    /// Whether nothing is said.
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// This change with `later` laid over it: what `later` says wins.
    #[must_use]
    pub fn overlaid(&self, later: &Self) -> Self {
        let queue = match (&self.queue, &later.queue) {
            (Some(first), Some(second)) => Some(QueueChange {
                discipline: second.discipline.or(first.discipline),
                limit: second.limit.or(first.limit),
            }),
            (first, second) => second.clone().or_else(|| first.clone()),
        };
        Self {
            rate: later.rate.or(self.rate),
            framing: later.framing.or(self.framing),
            queue,
            delay: later.delay.or(self.delay),
            loss: later.loss.or(self.loss),
            state: later.state.or(self.state),
            in_flight: later.in_flight.or(self.in_flight),
        }
    }

    /// Writes what is said into `config`.
    pub fn apply_to(&self, config: &mut PipeConfig) {
        fn set<T: Clone>(value: &Option<T>, target: &mut T) {
            if let Some(value) = value {
                target.clone_from(value);
            }
        }
        set(&self.rate, &mut config.rate);
        set(&self.framing, &mut config.framing);
        set(&self.delay, &mut config.delay);
        set(&self.loss, &mut config.loss);
        set(&self.state, &mut config.state);
        set(&self.in_flight, &mut config.in_flight);
        if let Some(queue) = &self.queue {
            set(&queue.discipline, &mut config.queue.discipline);
            set(&queue.limit, &mut config.queue.limit);
        }
    }
}

/// Bit rate of a line, or none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum RateLimit {
    /// No serialization time and no queue.
    #[default]
    Unlimited,
    /// So many bits per second.
    Limited(Rate),
}

/// What a frame costs on the line beside its own bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Framing {
    /// 24 bytes per frame (preamble and delimiter 8, FCS 4, gap 12), padded to the 64-byte
    /// minimum: IEEE 802.3.
    #[default]
    Ethernet,
    /// Nothing: only the frame's own bytes count, as in tc.
    None,
    /// So many bytes per frame.
    Bytes(u32),
}

impl Framing {
    /// The bytes that a frame of `length` bytes (Ethernet header included, FCS not) takes on the
    /// line.
    pub const fn line_bytes(self, length: u32) -> u32 {
        match self {
            Self::Ethernet => (if length < 60 { 60 } else { length }).saturating_add(24),
            Self::None => length,
            Self::Bytes(bytes) => length.saturating_add(bytes),
        }
    }
}

/// Where frames wait for the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct QueueConfig {
    /// The queue discipline.
    pub discipline: Discipline,
    /// How much may wait.
    pub limit: QueueLimit,
}

/// A queue discipline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Discipline {
    /// First in, first out; a frame that finds the queue full is dropped (drop-tail).
    #[default]
    Fifo,
}

/// How much may wait in a queue, the frame on the line not counted.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum QueueLimit {
    /// 100 ms at the current rate or 50 packets, whichever is larger.
    #[default]
    Default,
    /// So many packets.
    Packets(u32),
    /// So many bytes, framing included.
    Bytes(Size),
    /// So much time at the current rate.
    Time(Duration),
}

/// Whether a pipe carries frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum LinkState {
    /// Frames pass.
    #[default]
    Up,
    /// Frames offered are dropped.
    Down,
}

/// What happens to frames in flight when a pipe goes down.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum InFlight {
    /// They are lost.
    #[default]
    Drop,
    /// They still arrive.
    Deliver,
}

impl FromStr for RateLimit {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        match text {
            "unlimited" => Ok(Self::Unlimited),
            text => text.parse().map(Self::Limited),
        }
    }
}

impl fmt::Display for RateLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unlimited => f.pad("unlimited"),
            Self::Limited(rate) => rate.fmt(f),
        }
    }
}

impl FromStr for Framing {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        match text {
            "ethernet" => Ok(Self::Ethernet),
            "none" => Ok(Self::None),
            text => {
                let size: Size = text.parse().map_err(|error| match error {
                    UnitError::NotANumber { text, .. } => UnitError::NotANumber {
                        text,
                        quantity: "framing",
                        example: "ethernet`, `none` or `38B".into(),
                    },
                    error => error,
                })?;
                u32::try_from(size.bytes()).ok().filter(|bytes| *bytes <= 65_535).map_or_else(
                    || {
                        Err(UnitError::OutOfRange {
                            text: text.into(),
                            range: "framing is at most 65535B per frame",
                        })
                    },
                    |bytes| Ok(Self::Bytes(bytes)),
                )
            }
        }
    }
}

impl fmt::Display for Framing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Ethernet => f.pad("ethernet"),
            Self::None => f.pad("none"),
            Self::Bytes(bytes) => f.pad(&format!("{bytes}B")),
        }
    }
}

impl FromStr for QueueLimit {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        let text = text.trim();
        if text == "default" {
            return Ok(Self::Default);
        }
        if let Some(number) = text.strip_suffix("packets").or(text.strip_suffix("packet")) {
            return match number.trim().parse() {
                Ok(0) | Err(_) => Err(UnitError::OutOfRange {
                    text: text.into(),
                    range: "a packet limit is a whole number from 1 to 4294967295",
                }),
                Ok(packets) => Ok(Self::Packets(packets)),
            };
        }
        if text.ends_with('B') || text.ends_with("bytes") {
            return text.parse().map(Self::Bytes);
        }
        text.parse().map(Self::Time).map_err(|error| match error {
            UnitError::UnknownUnit { unit, .. } => UnitError::UnknownUnit {
                unit,
                quantity: "queue limit",
                hint: "write packets (`100packets`), bytes (`64KiB`) or time (`50ms`)".into(),
            },
            UnitError::NoUnit { text, .. } => {
                UnitError::NoUnit { example: format!("{text}packets"), text }
            }
            error => error,
        })
    }
}

impl fmt::Display for QueueLimit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.pad("default"),
            Self::Packets(packets) => f.pad(&format!("{packets}packets")),
            Self::Bytes(size) => size.fmt(f),
            Self::Time(time) => time.fmt(f),
        }
    }
}

netloom_units::text_quantity!(
    RateLimit,
    "rate",
    r"^(unlimited|[0-9]+(\.[0-9]+)? *(bit/s|kbit/s|Mbit/s|Gbit/s|Tbit/s))$",
    "A bit rate with its unit, or `unlimited`.",
    "10Mbit/s"
);
netloom_units::text_quantity!(
    Framing,
    "framing",
    r"^(ethernet|none|[0-9]+ *(B|bytes?))$",
    "`ethernet`, `none`, or a number of bytes per frame.",
    "ethernet"
);
netloom_units::text_quantity!(
    QueueLimit,
    "queue limit",
    r"^(default|[0-9]+ *packets?|[0-9]+(\.[0-9]+)? *(B|bytes?|kB|KiB|MB|MiB|GB|GiB|ns|us|µs|ms|s))$",
    "Packets, bytes or time at the current rate, like `100packets`, `64KiB` or `50ms`.",
    "100packets"
);
