//! Resources that a node has used, from the files of its control groups. Those without accounting
//! are absent.

use std::fs;
use std::path::Path;

/// Resources that the processes of a node use, and have used.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Usage {
    /// CPU time in ns.
    pub cpu_ns: Option<u64>,
    /// Periods (of 100 ms) in which the node's CPU quota was used up. Only with a quota.
    pub throttled: Option<u64>,
    /// Time for which its processes were paused then, in ns, summed over CPUs.
    pub throttled_ns: Option<u64>,
    /// Memory in bytes.
    pub memory: Option<u64>,
    /// Highest memory use, in bytes.
    pub memory_peak: Option<u64>,
    /// Number of processes that the kernel killed for lack of memory.
    pub memory_kills: Option<u64>,
    /// Number of processes and threads, without NetLoom's own init.
    pub pids: Option<u64>,
    /// Highest number of processes and threads.
    pub pids_peak: Option<u64>,
}

/// The existing cgroups of a node.
#[derive(Debug, Clone, Copy)]
pub(crate) struct NodeCgroups<'p> {
    pub unified: Option<&'p Path>,
    pub cpu: Option<&'p Path>,
    pub memory: Option<&'p Path>,
    pub pids: Option<&'p Path>,
}

impl Usage {
    pub(crate) fn read(places: NodeCgroups<'_>) -> Self {
        let mut usage = places.unified.map(Self::of_unified).unwrap_or_default();
        if let Some(cpu) = places.cpu {
            usage.throttled = entry(&cpu.join("cpu.stat"), "nr_throttled");
            usage.throttled_ns = entry(&cpu.join("cpu.stat"), "throttled_time");
        }
        if let Some(memory) = places.memory {
            usage.memory = number(&memory.join("memory.usage_in_bytes"));
            usage.memory_peak = number(&memory.join("memory.max_usage_in_bytes"));
            usage.memory_kills = entry(&memory.join("memory.oom_control"), "oom_kill");
        }
        if let Some(pids) = places.pids {
            usage.pids = without_init(number(&pids.join("pids.current")));
            usage.pids_peak = without_init(number(&pids.join("pids.peak")));
        }
        usage
    }

    fn of_unified(cgroup: &Path) -> Self {
        let stat = cgroup.join("cpu.stat");
        let threads = || {
            let threads = fs::read_to_string(cgroup.join("cgroup.threads")).ok()?;
            Some(threads.lines().count() as u64)
        };
        Self {
            cpu_ns: entry(&stat, "usage_usec").map(|us| us * 1000),
            throttled: entry(&stat, "nr_throttled"),
            throttled_ns: entry(&stat, "throttled_usec").map(|us| us * 1000),
            memory: number(&cgroup.join("memory.current")),
            // Since Linux 5.19.
            memory_peak: number(&cgroup.join("memory.peak")),
            memory_kills: entry(&cgroup.join("memory.events"), "oom_kill"),
            pids: without_init(number(&cgroup.join("pids.current")).or_else(threads)),
            // Since Linux 6.11.
            pids_peak: without_init(number(&cgroup.join("pids.peak"))),
        }
    }
}

fn without_init(count: Option<u64>) -> Option<u64> {
    count.map(|count| count.saturating_sub(1))
}

fn number(file: &Path) -> Option<u64> {
    fs::read_to_string(file).ok()?.trim().parse().ok()
}

/// Returns the number after a name, in a file with one name on each line.
pub(super) fn entry(file: &Path, name: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '))?;
    line.trim().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_are_read_and_missing_counters_are_absent() {
        let folder = tempfile::tempdir().unwrap();
        let write = |file: &str, text: &str| {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("two/cpu.stat", "usage_usec 7\nuser_usec 3\nnr_throttled 2\nthrottled_usec 9\n");
        write("two/cgroup.threads", "1\n2\n3\n");
        write("one/memory.usage_in_bytes", "4096\n");
        write("one/memory.oom_control", "oom_kill_disable 0\nunder_oom 0\noom_kill 1\n");
        let (two, one) = (folder.path().join("two"), folder.path().join("one"));
        let unified = NodeCgroups { unified: Some(&two), cpu: None, memory: None, pids: None };
        let expected = Usage {
            cpu_ns: Some(7000),
            throttled: Some(2),
            throttled_ns: Some(9000),
            pids: Some(2),
            ..Usage::default()
        };
        assert_eq!(Usage::read(unified), expected);
        let hybrid = NodeCgroups { memory: Some(&one), ..unified };
        let expected = Usage { memory: Some(4096), memory_kills: Some(1), ..expected };
        assert_eq!(Usage::read(hybrid), expected);
    }
}
