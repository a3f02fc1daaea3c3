//! The bit rate of a line: none, constant, from a trace, or on a schedule.

use std::fmt;
use std::str::FromStr;

use netloom_units::{Data, Framing, Rate, RateSchedule, ScheduleStep, UnitError, text_or_table};
use serde::{Deserialize, Serialize};

use crate::FrameInfo;
use crate::line::RateTrace;

/// Bit rate of a line, or none.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum RateLimit {
    /// No serialization time and no queue.
    #[default]
    Unlimited,
    /// A constant rate.
    Limited(Rate),
    /// Opportunities to send, as recorded from a network whose rate varies.
    Trace(Data<RateTrace>),
    /// A rate that changes at given times.
    Schedule(RateSchedule),
}

impl RateLimit {
    /// The rate for converting limits in time into bytes: a constant rate itself, the mean of a
    /// trace, the first rate of a schedule. `None` where there is no limit.
    pub fn nominal(&self) -> Option<Rate> {
        match self {
            Self::Unlimited => None,
            Self::Limited(rate) => Some(*rate),
            Self::Trace(trace) => trace.values().map(|trace| trace.mean()),
            Self::Schedule(schedule) => Some(schedule.first()),
        }
    }

    /// The largest rate that it has for a while: a constant rate itself, the largest one of a
    /// schedule, and the most that a trace carries in a second. `None` where there is no limit.
    pub fn largest(&self) -> Option<Rate> {
        match self {
            Self::Schedule(schedule) => Some(schedule.largest()),
            Self::Trace(trace) => trace.values().map(|trace| trace.largest()),
            Self::Unlimited | Self::Limited(_) => self.nominal(),
        }
    }

    /// Bytes that a frame takes on the line. The opportunities of a trace carry packets: Ethernet
    /// headers and framing take none of their bytes.
    pub(crate) fn line_bytes(&self, info: &FrameInfo, framing: Framing) -> u64 {
        match self {
            Self::Trace(_) => info.packet_bytes(),
            _ => info.line_bytes(framing),
        }
    }

    fn text(&self) -> Option<String> {
        match self {
            Self::Unlimited | Self::Limited(_) => Some(self.to_string()),
            Self::Trace(_) | Self::Schedule(_) => None,
        }
    }
}

/// The notation of rates that need a table.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "VaryingRate"))]
#[serde(deny_unknown_fields)]
struct RateTable {
    /// A file in Mahimahi's format, or its values: the millisecond of each opportunity to send one
    /// 1500-byte packet. The trace repeats after its last millisecond.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trace: Option<Data<RateTrace>>,
    /// Rates and the times from which they hold, counted from when the schedule is set. Each step
    /// has `at` and `rate`; the first one is at `0s`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    schedule: Option<Vec<ScheduleStep>>,
    /// Time after which the schedule starts again (default: its last rate stays).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    repeat: Option<netloom_units::Duration>,
}

impl TryFrom<RateTable> for RateLimit {
    type Error = String;
    fn try_from(table: RateTable) -> Result<Self, String> {
        match table {
            RateTable { trace: Some(trace), schedule: None, repeat: None } => {
                Ok(Self::Trace(trace))
            }
            RateTable { trace: None, schedule: Some(steps), repeat } => {
                RateSchedule::new(steps, repeat).map(Self::Schedule)
            }
            RateTable { trace: Some(_), schedule: None, repeat: Some(_) } => {
                Err("a trace always repeats; leave `repeat` out".into())
            }
            _ => Err("a varying rate has either `trace` or `schedule`".into()),
        }
    }
}

impl From<&RateLimit> for RateTable {
    fn from(rate: &RateLimit) -> Self {
        let mut table = Self { trace: None, schedule: None, repeat: None };
        match rate {
            RateLimit::Trace(trace) => table.trace = Some(trace.clone()),
            RateLimit::Schedule(schedule) => {
                table.schedule = Some(schedule.steps().to_vec());
                table.repeat = schedule.repeat();
            }
            RateLimit::Unlimited | RateLimit::Limited(_) => {}
        }
        table
    }
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
            Self::Trace(trace) => f.pad(&format!("trace {}", trace.file().unwrap_or("(inline)"))),
            Self::Schedule(schedule) => f.pad(&format!("schedule of {}", schedule.steps().len())),
        }
    }
}

text_or_table!(
    RateLimit,
    RateTable,
    "a rate with its unit, like `10Mbit/s`, `unlimited`, `{trace: FILE}` or `{schedule: […]}`",
    "A bit rate with its unit, `unlimited`, or a rate that varies."
);
