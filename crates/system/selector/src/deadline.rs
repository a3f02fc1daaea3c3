//! Deadlines of redirection: one time for each worker, in memory that the kernel's programs read. A
//! live worker extends its deadline. After the deadline, all frames pass unshaped.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use memmap2::{MmapOptions, MmapRaw};
use rustix::time::{ClockId, clock_gettime};

/// Longest silence of a worker.
pub const SILENCE: Duration = Duration::from_millis(500);

/// Largest number of workers.
const WORKERS: usize = 64;

/// The deadlines of all workers. Clones share them.
#[derive(Debug, Clone)]
pub struct Deadlines(Arc<MmapRaw>);

/// The report of a worker at each turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beat {
    /// Duration of the worker's silence before this turn.
    pub silent: Duration,
}

impl Deadlines {
    /// Maps the deadlines in the array of `descriptor`, which must be mappable.
    pub(crate) fn of(descriptor: std::os::fd::RawFd) -> std::io::Result<Self> {
        let length = WORKERS * size_of::<u64>();
        MmapOptions::new().len(length).map_raw(descriptor).map(|memory| Self(Arc::new(memory)))
    }

    /// Extends the deadline of a worker. Returns its silence, if it had a deadline before.
    #[inline]
    pub fn put_off(&self, worker: usize) -> Option<Beat> {
        let slot = self.slot(worker)?;
        let now = monotonic_ns();
        let silence = u64::try_from(SILENCE.as_nanos()).unwrap_or(u64::MAX);
        let before = slot.swap(now + silence, Ordering::Relaxed);
        let last = (before > 0).then(|| before - silence)?;
        Some(Beat { silent: Duration::from_nanos(now.saturating_sub(last)) })
    }

    /// Lets all frames pass from now on.
    pub fn let_pass(&self) {
        (0..WORKERS).filter_map(|worker| self.slot(worker)).for_each(|slot| {
            slot.store(0, Ordering::Relaxed);
        });
    }

    fn slot(&self, worker: usize) -> Option<&AtomicU64> {
        if worker >= WORKERS {
            return None;
        }
        let words = self.0.as_mut_ptr().cast::<AtomicU64>();
        // SAFETY: the memory is aligned to a page, has `WORKERS` words, and lives as long as
        // `self`. An array in the kernel never shrinks. All writers use atomic operations.
        Some(unsafe { &*words.add(worker) })
    }
}

/// Returns the time of the clock that programs in the kernel read.
fn monotonic_ns() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    seconds * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or_default()
}
