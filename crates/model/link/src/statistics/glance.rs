//! What those need who look at many pipes several times a second: a tenth of the statistics, for a
//! small part of their time.

use netloom_units::Duration;

use super::{Count, PipeStatistics};
use crate::{LinkState, PipeConfig, QueueLimit};

/// Time and packets of the default limit of a queue.
const DEFAULT_LIMIT: (Duration, u64) = (Duration::from_millis(100), 50);

/// Counts of one pipe since its beginning, and its state now.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Glance {
    /// Bytes that were offered, background included.
    pub offered: u64,
    /// Bytes that have come out, background included.
    pub delivered: u64,
    /// Frames that the model dropped.
    pub dropped: u64,
    /// Those of them that found the queue full.
    pub queue_full: u64,
    /// Frames that the receiving interface refused.
    pub lost_unmodelled: u64,
    /// Time that the line spent sending, in ns.
    pub busy_ns: u64,
    /// Bytes that wait.
    pub queued: u64,
    /// The queue as a share of its limit, 0 to 1. Framing is left out of it.
    pub fill: f32,
    /// Whether the pipe is down.
    pub down: bool,
    /// Whether it has had background traffic.
    pub background: bool,
}

impl Glance {
    /// Returns what all statistics of a pipe since its beginning say.
    pub fn of(config: &PipeConfig, all: &PipeStatistics) -> Self {
        let background = all.background.unwrap_or_default();
        Self {
            offered: all.offered.bytes + background.offered.bytes,
            delivered: all.delivered.bytes + background.delivered.bytes,
            dropped: all.dropped.total().frames,
            queue_full: all.dropped.queue_full.frames,
            lost_unmodelled: all.lost_unmodelled.frames,
            busy_ns: all.busy_ns,
            background: all.background.is_some(),
            ..Self::waiting(config, all.queue.now)
        }
    }

    /// Returns the state of a pipe in which so much waits, without counts.
    pub(crate) fn waiting(config: &PipeConfig, queue: Count) -> Self {
        Self {
            queued: queue.bytes,
            fill: fill(config, queue),
            down: config.state == LinkState::Down,
            ..Self::default()
        }
    }
}

/// Returns a queue as a share of its limit.
fn fill(config: &PipeConfig, queue: Count) -> f32 {
    let Some(rate) = config.rate.nominal().filter(|_| queue.frames > 0) else { return 0.0 };
    let share = |waiting: u64, most: u64| waiting as f64 / most.max(1) as f64;
    let in_time = |time| share(queue.bytes, rate.bytes_in(time).bytes());
    let filled = match config.queue.limit {
        QueueLimit::Packets(most) => share(queue.frames, most.into()),
        QueueLimit::Bytes(most) => share(queue.bytes, most.bytes()),
        QueueLimit::Time(time) => in_time(time),
        // A frame is admitted if either leaves room for it.
        QueueLimit::Default => {
            let (time, packets) = DEFAULT_LIMIT;
            in_time(time).min(share(queue.frames, packets))
        }
    };
    filled.min(1.0) as f32
}
