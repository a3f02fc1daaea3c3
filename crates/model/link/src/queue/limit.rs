//! Limits on what may wait in a queue.

use std::fmt;
use std::str::FromStr;

use netloom_units::{Duration, Rate, Size, UnitError};

use super::discipline::{Backlog, Queued};
use crate::{FrameInfo, RateLimit};

/// The limit on what may wait in a queue, without the frame on the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum QueueLimit {
    /// 100 ms at the current rate or 50 packets, whichever is larger.
    #[default]
    Default,
    /// A number of packets.
    Packets(u32),
    /// A number of bytes on the line, framing included.
    Bytes(Size),
    /// A time at the current rate.
    Time(Duration),
}

/// The default limit in time, and the number of packets that always may wait.
const DEFAULT_TIME: Duration = Duration::from_millis(100);
const DEFAULT_PACKETS: u64 = 50;

impl QueueLimit {
    /// The limit in words, with its meaning at `rate`: `100ms (125kB)`, `50packets`, or `none`
    /// where there is no queue.
    pub fn in_words(self, rate: &RateLimit) -> String {
        let Some(rate) = rate.nominal() else { return "none".into() };
        match self {
            Self::Default => {
                let bytes = rate.bytes_in(DEFAULT_TIME);
                format!("{DEFAULT_TIME} ({bytes}) or {DEFAULT_PACKETS}packets")
            }
            Self::Time(time) => format!("{time} ({})", rate.bytes_in(time)),
            limit => limit.to_string(),
        }
    }
}

/// A limit at a certain rate. A frame is admitted if either of the two bounds leaves room for it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bound {
    pub packets: u64,
    pub line_bytes: u64,
}

impl Bound {
    /// No limit.
    pub const NONE: Self = Self { packets: u64::MAX, line_bytes: u64::MAX };

    /// Returns the bound for `limit` on a line of `rate`. Without a rate, limits in time admit
    /// everything.
    pub fn of(limit: QueueLimit, rate: Option<Rate>) -> Self {
        let bytes_in = |time| rate.map_or(u64::MAX, |rate| rate.bytes_in(time).bytes());
        match limit {
            QueueLimit::Default => {
                Self { packets: DEFAULT_PACKETS, line_bytes: bytes_in(DEFAULT_TIME) }
            }
            QueueLimit::Packets(packets) => Self { packets: packets.into(), line_bytes: 0 },
            QueueLimit::Bytes(size) => Self { packets: 0, line_bytes: size.bytes() },
            QueueLimit::Time(time) => Self { packets: 0, line_bytes: bytes_in(time) },
        }
    }

    /// Returns the share of the bound that a mean backlog takes. Of the two bounds, the one that
    /// leaves more room counts. `None` if there is no bound or nothing may wait.
    pub fn share(self, frames: f64, line_bytes: f64) -> Option<f64> {
        if self.packets == u64::MAX || self.line_bytes == u64::MAX {
            return None;
        }
        let of = |mean: f64, most: u64| (most > 0).then(|| mean / most as f64);
        let shares = [of(frames, self.packets), of(line_bytes, self.line_bytes)];
        shares.into_iter().flatten().reduce(f64::min)
    }

    /// Whether a frame of `info`, with `line_bytes` on the line, may join `backlog`.
    #[inline]
    pub fn admits(self, backlog: Backlog, info: &FrameInfo, line_bytes: u64) -> bool {
        backlog.frames + u64::from(info.frames()) <= self.packets
            || backlog.line_bytes.saturating_add(line_bytes) <= self.line_bytes
    }
}

/// The conditions in the queue when a frame arrives.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Room {
    /// Limit of the queue at the current rate.
    pub bound: Bound,
    /// Current rate of the line.
    pub rate: Option<Rate>,
    /// Whether the frame goes on the line at once, so limits do not apply to it.
    pub line_free: bool,
    /// Whether the queue is idle: none of its frames waits or is on the line.
    pub idle: bool,
}

impl Room {
    /// Whether `waiting` may join `backlog`.
    #[inline]
    pub fn admits<F>(self, backlog: Backlog, waiting: &Queued<F>) -> bool {
        self.line_free || self.bound.admits(backlog, &waiting.info, waiting.line_bytes)
    }

    /// Whether `waiting` may join `backlog` under a limit of its own.
    pub fn admits_within<F>(
        self,
        limit: QueueLimit,
        backlog: Backlog,
        waiting: &Queued<F>,
    ) -> bool {
        let bound = Bound::of(limit, self.rate);
        self.line_free || bound.admits(backlog, &waiting.info, waiting.line_bytes)
    }

    /// Whether more waits than the limit allows, because the limit was lowered. Then arrivals are
    /// dropped until the line has sent the excess: a limit is never enforced on frames that already
    /// wait.
    pub fn is_exceeded(self, backlog: Backlog) -> bool {
        let Bound { packets, line_bytes } = self.bound;
        !self.line_free && backlog.frames > packets && backlog.line_bytes > line_bytes
    }

    /// Whether other frames may be dropped for `waiting`: the limit is not exceeded, and an empty
    /// queue would admit the frame.
    pub fn can_be_made<F>(self, backlog: Backlog, waiting: &Queued<F>) -> bool {
        !self.is_exceeded(backlog) && self.admits(Backlog::default(), waiting)
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
    QueueLimit,
    "queue limit",
    r"^(default|[0-9]+ *packets?|[0-9]+(\.[0-9]+)? *(B|bytes?|kB|KiB|MB|MiB|GB|GiB|ns|us|µs|ms|s))$",
    "Packets, bytes or time at the current rate, like `100packets`, `64KiB` or `50ms`.",
    "100packets"
);
