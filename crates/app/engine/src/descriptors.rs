//! What others may take of the engine's open files: programs in nodes and whoever reaches a
//! published port. The rest is the engine's own: for its API, for what it starts, for what it
//! opens.

use std::fs;
use std::sync::Arc;

use nix::sys::resource::{Resource, getrlimit, setrlimit};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// A number of open files that others may hold at once; as many as there are permits.
pub type Share = Arc<Semaphore>;
/// Some open files of a share.
pub type Held = OwnedSemaphorePermit;

/// What others may hold.
#[derive(Debug)]
pub struct Shares {
    /// Programs in nodes that report metrics.
    pub metrics: Share,
    /// Whoever reaches published ports.
    pub published: Share,
}

impl Shares {
    /// Half of what is free now, once the network is there; to each of the two, half of that. The
    /// limit of this process is raised as far as it may be: what it starts has limits of its own.
    pub fn set() -> Self {
        let files = Resource::RLIMIT_NOFILE;
        if let Ok((soft, hard)) = getrlimit(files)
            && soft < hard
        {
            // Permitted always; without it the shares are smaller.
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

/// Takes `files` of a share, if there are so many.
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
