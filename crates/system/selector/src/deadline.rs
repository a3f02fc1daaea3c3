//! Until when frames are redirected: a time for each worker, in memory that the kernel's programs
//! read. A worker that lives puts it off; when it is over, everything passes unshaped.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use memmap2::{MmapOptions, MmapRaw};
use rustix::time::{ClockId, clock_gettime};

/// For how long a worker may be silent.
pub const SILENCE: Duration = Duration::from_millis(500);

/// Most workers.
const WORKERS: usize = 64;

/// The deadlines of all workers. Clones share them.
#[derive(Debug, Clone)]
pub struct Deadlines(Arc<MmapRaw>);

/// What a worker says of itself with each turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Beat {
    /// For how long the worker was silent before.
    pub silent: Duration,
}

impl Deadlines {
    /// Those in the array that `descriptor` names, which is made to be mapped.
    pub(crate) fn of(descriptor: std::os::fd::RawFd) -> std::io::Result<Self> {
        let length = WORKERS * size_of::<u64>();
        MmapOptions::new().len(length).map_raw(descriptor).map(|memory| Self(Arc::new(memory)))
    }

    /// Puts off the deadline of a worker; for how long it was silent, if it was there before.
    #[inline]
    pub fn put_off(&self, worker: usize) -> Option<Beat> {
        let slot = self.slot(worker)?;
        let now = monotonic_ns();
        let silence = u64::try_from(SILENCE.as_nanos()).unwrap_or(u64::MAX);
        let before = slot.swap(now + silence, Ordering::Relaxed);
        let last = (before > 0).then(|| before - silence)?;
        Some(Beat { silent: Duration::from_nanos(now.saturating_sub(last)) })
    }

    /// Lets everything pass at once.
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
        // SAFETY: the memory begins at a page, has as many words, lives as long as we do, and an
        // array in the kernel never shrinks; whoever writes to it does so as to an atomic.
        Some(unsafe { &*words.add(worker) })
    }
}

/// The clock that programs in the kernel read.
fn monotonic_ns() -> u64 {
    let time = clock_gettime(ClockId::Monotonic);
    let seconds = u64::try_from(time.tv_sec).unwrap_or_default();
    seconds * 1_000_000_000 + u64::try_from(time.tv_nsec).unwrap_or_default()
}
