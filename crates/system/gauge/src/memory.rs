//! Memory of the machine, and how much of it the kernel and a process use.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};

/// The fields that include the kernel's memory for nodes and links.
const KERNEL: [&str; 5] = ["Slab", "KernelStack", "PageTables", "Percpu", "VmallocUsed"];

/// The machine's memory at a moment, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Now {
    /// Total memory.
    pub total: u64,
    /// Memory that is available without swapping.
    pub available: u64,
    /// Memory that the kernel uses for itself.
    pub kernel: u64,
}

/// Reads `/proc/meminfo`.
///
/// # Errors
/// If it cannot be read or parsed.
pub fn now() -> Result<Now> {
    let text = fs::read_to_string("/proc/meminfo").context("cannot read /proc/meminfo")?;
    let field = |name| field(&text, name).with_context(|| format!("no {name} in /proc/meminfo"));
    Ok(Now {
        total: field("MemTotal")?,
        available: field("MemAvailable")?,
        // Older kernels do not count all of these.
        kernel: KERNEL.into_iter().filter_map(|name| field(name).ok()).sum(),
    })
}

/// Private memory of a process, in bytes; `None` if it is gone.
pub fn of_process(pid: u32) -> Option<u64> {
    field(&fs::read_to_string(format!("/proc/{pid}/status")).ok()?, "RssAnon")
}

/// The smallest limit of the control groups (version 2) of this process, in bytes; `None` if there
/// is none.
pub fn limit() -> Option<u64> {
    let group = fs::read_to_string("/proc/self/cgroup").ok()?;
    let path = group.lines().find_map(|line| line.strip_prefix("0::/"))?.to_string();
    ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"]
        .iter()
        .flat_map(|root| limits(Path::new(root), &path))
        .min()
}

/// The limits of the group `path` below `root` and of those above it.
fn limits(root: &Path, path: &str) -> Vec<u64> {
    let group: PathBuf = root.join(path);
    let groups = group.ancestors().take_while(|group| group.starts_with(root));
    let limit =
        |group: &Path| fs::read_to_string(group.join("memory.max")).ok()?.trim().parse().ok();
    groups.filter_map(limit).collect()
}

/// The value of a line like `MemTotal:  16 kB`, in bytes.
fn field(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    Some(line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_memory() {
        let now = now().unwrap();
        assert!(now.available <= now.total && now.kernel < now.total && now.kernel > 0, "{now:?}");
        assert!(of_process(std::process::id()).unwrap() > 0);
        assert_eq!(of_process(u32::MAX), None);
    }

    #[test]
    fn the_least_limit_of_all_groups_above_counts() {
        let root = tempfile::tempdir().unwrap();
        let group = root.path().join("a/b");
        fs::create_dir_all(&group).unwrap();
        fs::write(root.path().join("a/memory.max"), "1000\n").unwrap();
        fs::write(group.join("memory.max"), "max\n").unwrap();
        assert_eq!(limits(root.path(), "a/b"), [1000]);
        assert_eq!(limits(root.path(), ""), [0; 0]);
    }
}
