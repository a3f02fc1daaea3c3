//! Measures how fast a file system takes data, with nameless files: they vanish however the process
//! ends.

use std::fs::File;
use std::io::{self, Seek, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use netloom_profile::{Disk, DiskWrites, SmallWrites};
use nix::fcntl::{FcntlArg, OFlag, fcntl};

use crate::percentile;

/// Bytes of each sequential write.
const LARGE: usize = 256 << 10;
/// Bytes of each synchronous write.
const SMALL: usize = 4 << 10;
/// Alignment of the memory of direct writes, in bytes.
const ALIGNMENT: usize = 4 << 10;
/// Number of sequential writes (64 MiB) after which they begin again at the start of the file.
const LAP: u32 = 256;

/// Measures the file system of `directory`, each kind of write for as long as `lasts`.
pub fn measure(directory: &Path, lasts: Duration) -> Disk {
    let mut missing = Vec::new();
    let mut note = |what: &str, error: anyhow::Error| missing.push(format!("{what}: {error:#}"));
    let sequential = sequential(directory, lasts)
        .map_err(|error| note("sequential writes were not measured", error));
    let synchronous = synchronous(directory, lasts)
        .map_err(|error| note("synchronous writes were not measured", error));
    Disk {
        directory: directory.display().to_string(),
        sequential: sequential.ok(),
        synchronous: synchronous.ok(),
        missing,
    }
}

fn sequential(directory: &Path, lasts: Duration) -> Result<DiskWrites> {
    let mut file = nameless(directory)?;
    let memory = vec![0x5a; LARGE + ALIGNMENT];
    let data = &memory[memory.as_ptr().align_offset(ALIGNMENT)..][..LARGE];
    let direct = set_direct(&file, true) && file.write_all(data).is_ok();
    if !direct {
        set_direct(&file, false);
    }
    file.rewind()?;
    let (start, mut writes) = (Instant::now(), 0);
    while start.elapsed() < lasts {
        file.write_all(data).context("cannot write")?;
        writes += 1;
        if writes % LAP == 0 {
            file.rewind()?;
        }
    }
    if !direct {
        file.sync_data().context("cannot write")?;
    }
    let bytes = f64::from(writes) * LARGE as f64;
    Ok(DiskWrites { bytes_per_second: bytes / start.elapsed().as_secs_f64(), direct })
}

fn synchronous(directory: &Path, lasts: Duration) -> Result<SmallWrites> {
    let mut file = nameless(directory)?;
    let mut took = Vec::new();
    let start = Instant::now();
    while start.elapsed() < lasts {
        let began = Instant::now();
        file.write_all(&[0x5a; SMALL]).and_then(|()| file.sync_data()).context("cannot write")?;
        took.push(began.elapsed().as_secs_f64() * 1e6);
    }
    took.sort_by(f64::total_cmp);
    let (p50_us, p99_us) = (percentile(&took, 0.5), percentile(&took, 0.99));
    Ok(SmallWrites { count: took.len() as u64, p50_us, p99_us })
}

fn nameless(directory: &Path) -> io::Result<File> {
    tempfile::tempfile_in(directory)
}

/// Makes writes bypass the page cache, or not. Returns whether that succeeded.
fn set_direct(file: &File, direct: bool) -> bool {
    let Ok(flags) = fcntl(file, FcntlArg::F_GETFL) else { return false };
    let mut flags = OFlag::from_bits_truncate(flags);
    flags.set(OFlag::O_DIRECT, direct);
    fcntl(file, FcntlArg::F_SETFL(flags)).is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_system_is_measured_and_nothing_is_left() {
        let directory = tempfile::tempdir().unwrap();
        let disk = measure(directory.path(), Duration::from_millis(20));
        assert_eq!(disk.missing, [""; 0]);
        assert!(disk.sequential.unwrap().bytes_per_second > 0.0);
        assert!(disk.synchronous.unwrap().count > 0);
        assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    }

    #[test]
    fn failed_measurements_are_reported() {
        let disk = measure(Path::new("/proc"), Duration::from_millis(1));
        assert_eq!((disk.sequential, disk.synchronous, disk.missing.len()), (None, None, 2));
    }
}
