//! Shares of the memory of frames: how much those that one device has read may take. Not here: the
//! limit on all frames (`pool`).

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A share of memory. Clones are the same share.
#[derive(Debug, Clone)]
pub struct Share(Arc<Memory>);

#[derive(Debug)]
struct Memory {
    limit: AtomicUsize,
    used: AtomicUsize,
}

impl Share {
    /// Makes a share of `limit` bytes.
    pub fn new(limit: usize) -> Self {
        Self(Arc::new(Memory { limit: AtomicUsize::new(limit), used: AtomicUsize::new(0) }))
    }

    /// Sets the most bytes that further frames may bring it to.
    pub fn set_limit(&self, limit: usize) {
        self.0.limit.store(limit, Ordering::Relaxed);
    }

    /// Returns the bytes in use. Pieces of a super-frame may bring them above the limit.
    pub fn used(&self) -> usize {
        self.0.used.load(Ordering::Relaxed)
    }

    /// Takes some bytes, unless that is more than there is.
    #[must_use]
    pub(crate) fn take(&self, bytes: usize) -> bool {
        let before = self.0.used.fetch_add(bytes, Ordering::Relaxed);
        let fits = before.saturating_add(bytes) <= self.0.limit.load(Ordering::Relaxed);
        if !fits {
            self.give_back(bytes);
        }
        fits
    }

    /// Takes some bytes, whatever there is.
    pub(crate) fn take_anyway(&self, bytes: usize) {
        self.0.used.fetch_add(bytes, Ordering::Relaxed);
    }

    pub(crate) fn give_back(&self, bytes: usize) {
        self.0.used.fetch_sub(bytes, Ordering::Relaxed);
    }
}
