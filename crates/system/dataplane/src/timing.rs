//! How late frames left the engine, how late the machine's own timers are, and losses outside the
//! model. Not here: conclusions from them.

use hdrhistogram::Histogram;
use netloom_fabric::LinkId;
use netloom_units::{Duration, Time};

use crate::scheduling::Scheduling;
use crate::watch::Loss;

/// Timing errors and losses of the data plane since it began.
#[derive(Debug, Clone, PartialEq)]
pub struct Timing {
    /// Time of reading, in ns since the experiment's zero.
    pub at: Time,
    /// Difference between the time at which each wire frame left the engine and the time of the
    /// model. It includes the delay after the scheduled release, and the time that this frame, or
    /// one before it on its link, had waited for more than 100 µs until the engine read it.
    pub lateness: LatencySummary,
    /// Delay with which the machine wakes a thread of normal priority that asks to be woken every
    /// 10 ms. No engine on this machine can do better without waiting awake. It shows a pause of
    /// the whole process even when no frame was due.
    pub wakeup: LatencySummary,
    /// Times between two checks of its devices by a worker that was awake. A frame may have waited
    /// for this long before its arrival was recorded.
    pub unattended: LatencySummary,
    /// Losses outside the model, in wire frames. They must be zero in a trustworthy run.
    pub unmodelled: UnmodelledDrops,
    /// Wire frames that reached an interface which its owner had taken down.
    pub interface_down: u64,
    /// Load of each worker.
    pub workers: Vec<WorkerLoad>,
    /// Devices that failed. The data plane continues without them.
    pub failures: Vec<DeviceFailure>,
}

/// A distribution of latencies.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct LatencySummary {
    /// Number of samples.
    pub count: u64,
    /// Mean, in ns.
    pub mean_ns: f64,
    /// Median, in ns, within 0.1 %.
    pub p50_ns: u64,
    /// 99th percentile, in ns, within 0.1 %.
    pub p99_ns: u64,
    /// 99.9th percentile, in ns, within 0.1 %.
    pub p999_ns: u64,
    /// Longest, in ns, within 0.1 %.
    pub max_ns: u64,
}

/// Losses that no model asked for, in wire frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct UnmodelledDrops {
    /// The device had no room.
    pub device_full: u64,
    /// The device was gone.
    pub device_gone: u64,
    /// The device did not accept the frame.
    pub rejected: u64,
    /// The frame that a node sent was not well-formed.
    pub malformed: u64,
    /// The frames in the data plane took all the memory they may. A super-frame that was not even
    /// taken in counts as one.
    pub no_memory: u64,
    /// The frame did not reach the machine with the other end of its link.
    pub tunnel: u64,
    /// The frame came from another machine and could not be put into the network.
    pub tunnel_refused: u64,
}

impl UnmodelledDrops {
    /// Adds `frames` to the counter of a loss.
    pub(crate) fn count(&mut self, loss: Loss, frames: u64) {
        *match loss {
            Loss::DeviceFull => &mut self.device_full,
            Loss::DeviceGone => &mut self.device_gone,
            Loss::Rejected => &mut self.rejected,
            Loss::Malformed => &mut self.malformed,
            Loss::NoMemory => &mut self.no_memory,
            Loss::Tunnel => &mut self.tunnel,
            Loss::TunnelRefused => &mut self.tunnel_refused,
        } += frames;
    }

    /// Returns the sum of all kinds.
    pub fn total(&self) -> u64 {
        let devices = self.device_full + self.device_gone + self.rejected + self.malformed;
        devices + self.no_memory + self.tunnel + self.tunnel_refused
    }

    fn add(&mut self, other: &Self) {
        self.device_full += other.device_full;
        self.device_gone += other.device_gone;
        self.rejected += other.rejected;
        self.malformed += other.malformed;
        self.no_memory += other.no_memory;
        self.tunnel += other.tunnel;
        self.tunnel_refused += other.tunnel_refused;
    }
}

/// Load of a worker.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct WorkerLoad {
    /// Share of time spent moving frames and executing commands, 0 to 1.
    pub busy: f64,
    /// Share of time spent awake, waiting for a near deadline, 0 to 1.
    pub spinning: f64,
    /// Scheduling class that the machine permits.
    pub scheduling: Scheduling,
    /// Number of the worker's dedicated CPU, which runs nothing else of the experiment. `None` if
    /// the scenario asks for none.
    pub dedicated_cpu: Option<usize>,
    /// Lateness of the wire frames of this worker alone, defined like [`Timing::lateness`].
    pub lateness: LatencySummary,
}

/// A device that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeviceFailure {
    /// Identity of the link.
    pub link: LinkId,
    /// Index of the end.
    pub end: usize,
    /// Time of the failure, in ns since the experiment's zero.
    pub at: Time,
    /// Description of the error.
    pub error: String,
}

/// A histogram of latencies of a fixed size: up to an hour, with three significant digits.
#[derive(Debug, Clone)]
pub(crate) struct Latencies(Histogram<u64>);

impl Default for Latencies {
    fn default() -> Self {
        let hour = Duration::from_secs(3600).as_nanos();
        Self(Histogram::new_with_bounds(1, hour, 3).expect("bounds and digits are valid"))
    }
}

impl Latencies {
    #[inline]
    pub fn record(&mut self, latency: Duration, times: u64) {
        self.0.saturating_record_n(latency.as_nanos(), times);
    }

    pub fn add(&mut self, other: &Self) {
        // Cannot fail: all have the same bounds.
        let _ = self.0.add(&other.0);
    }

    pub fn summary(&self) -> LatencySummary {
        LatencySummary {
            count: self.0.len(),
            mean_ns: self.0.mean(),
            p50_ns: self.0.value_at_quantile(0.5),
            p99_ns: self.0.value_at_quantile(0.99),
            p999_ns: self.0.value_at_quantile(0.999),
            max_ns: self.0.max(),
        }
    }
}

/// Counters of one worker.
#[derive(Debug, Clone, Default)]
pub(crate) struct Counters {
    pub lateness: Latencies,
    pub unattended: Latencies,
    pub unmodelled: UnmodelledDrops,
    pub interface_down: u64,
    pub load: WorkerLoad,
    pub failures: Vec<DeviceFailure>,
}

impl Timing {
    /// Combines the workers' counters with the machine's wake-up latencies.
    pub(crate) fn of(at: Time, workers: &[Counters], wakeup: LatencySummary) -> Self {
        let mut all = Counters::default();
        for worker in workers {
            all.lateness.add(&worker.lateness);
            all.unattended.add(&worker.unattended);
            all.unmodelled.add(&worker.unmodelled);
            all.interface_down += worker.interface_down;
            all.failures.extend_from_slice(&worker.failures);
        }
        all.failures.sort_by_key(|failure| (failure.at, failure.link, failure.end));
        Self {
            at,
            lateness: all.lateness.summary(),
            wakeup,
            unattended: all.unattended.summary(),
            unmodelled: all.unmodelled,
            interface_down: all.interface_down,
            workers: workers.iter().map(|worker| worker.load).collect(),
            failures: all.failures,
        }
    }
}
