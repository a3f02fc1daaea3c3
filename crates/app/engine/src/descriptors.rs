//! Shares of the engine's open files for others: programs in nodes, and clients of published ports.
//! The rest belongs to the engine: for its API, the processes that it starts, and the files that it
//! opens.

use std::fs;
use std::sync::Arc;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// The number of open files that others may hold at once: one for each permit.
pub type Share = Arc<Semaphore>;
/// Some open files of a share.
pub type Held = OwnedSemaphorePermit;

/// The shares of others.
#[derive(Debug)]
pub struct Shares {
    /// Share of programs in nodes that report metrics.
    pub metrics: Share,
    /// Share of clients of published ports.
    pub published: Share,
}

impl Shares {
    /// Takes half of the files that are free once the network is up, and divides them equally over
    /// both shares. Raises the limit of this process as far as permitted; the processes that it
    /// starts have limits of their own.
    pub fn set() -> Self {
        let files = Resource::RLIMIT_NOFILE;
        if let Ok((soft, hard)) = getrlimit(files)
            && soft < hard
        {
            // Always permitted. Without it the shares are smaller.
            let _ = setrlimit(files, hard, hard);
        }
        let limit = getrlimit(files).map_or(0, |(soft, _)| soft);
        let open = fs::read_dir("/proc/self/fd").map_or(0, Iterator::count);
        Self::of(usize::try_from(limit).unwrap_or(usize::MAX).saturating_sub(open))
    }

    fn of(free: usize) -> Self {
        let share = || Arc::new(Semaphore::new((free / 4).min(Semaphore::MAX_PERMITS)));
        Self { metrics: share(), published: share() }
    }
}

/// Takes `files` of a share, if that many are left.
pub fn take(share: &Share, files: u32) -> Option<Held> {
    Arc::clone(share).try_acquire_many_owned(files).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_what_is_free_is_never_given_away() {
        let Shares { metrics, published } = Shares::of(100);
        let held: Vec<_> = std::iter::from_fn(|| take(&metrics, 1)).collect();
        let of_ports: Vec<_> = std::iter::from_fn(|| take(&published, 2)).collect();
        assert_eq!((held.len(), of_ports.len()), (25, 12));
        drop(of_ports);
        assert!(take(&published, 25).is_some());
    }
}
