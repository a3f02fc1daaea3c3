//! The files of limits in each version of cgroups, and the values in them.

use std::fs;
use std::io;
use std::path::Path;

use netloom_scenario::{Controller, CpuQuota, Limits};

use super::hierarchies::Version;
use super::usage::entry;

/// Limits of a cgroup, and the number of init processes in it. These belong to NetLoom and do not
/// count against the limits.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Held {
    pub limits: Limits,
    pub inits: u64,
}

impl Held {
    /// Returns these limits without a CPU quota.
    pub fn without_quota(self) -> Self {
        Self { limits: Limits { cpu: None, ..self.limits }, ..self }
    }
}

/// A file and the value to write to it.
pub(super) type Setting = (&'static str, String);

/// Returns the settings that change limits, in an order that the kernel accepts.
pub(super) fn between(
    controller: Controller,
    version: Version,
    from: Held,
    to: Held,
) -> Vec<Setting> {
    let (before, after) = (files(controller, version, from), files(controller, version, to));
    let changed = before.into_iter().zip(after).filter(|(before, after)| before != after);
    let mut changed: Vec<Setting> = changed.map(|(_, after)| or_default(after)).collect();
    // Memory with swap must never be less than memory without, so the file that is listed last
    // grows first.
    if controller == Controller::Memory && is_more(to.limits.memory, from.limits.memory) {
        changed.reverse();
    }
    changed
}

/// Returns all settings, including the kernel's defaults for absent limits.
pub(super) fn all(controller: Controller, version: Version, held: Held) -> Vec<Setting> {
    files(controller, version, held).into_iter().map(or_default).collect()
}

fn or_default((file, value): (&'static str, Option<String>)) -> Setting {
    (file, value.unwrap_or_else(|| default(file).into()))
}

/// Whether the first limit is higher than the second.
fn is_more<T: PartialOrd>(this: Option<T>, other: Option<T>) -> bool {
    other.is_some_and(|other| this.is_none_or(|this| this > other))
}

/// Returns the files of a controller and their values; `None` for the kernel's default.
fn files(
    controller: Controller,
    version: Version,
    Held { limits, inits }: Held,
) -> Vec<(&'static str, Option<String>)> {
    let period = CpuQuota::PERIOD_US;
    let quota = limits.cpu.map(CpuQuota::micros_per_period);
    let (memory, pids) = (limits.memory.map(|m| m.bytes().to_string()), limits.pids);
    // Convert a weight to shares of the same CPU time: the default weight is 100, the default of
    // shares 1024.
    let shares = limits.cpu_weight.map(|weight| (weight * 1024).div_ceil(100).max(2).to_string());
    let weight = limits.cpu_weight.map(|weight| weight.to_string());
    match (controller, version) {
        (Controller::Cpu, Version::Two) => vec![
            ("cpu.max", quota.map(|quota| format!("{quota} {period}"))),
            ("cpu.weight", weight),
        ],
        (Controller::Cpu, Version::One) => vec![
            ("cpu.cfs_period_us", quota.map(|_| period.to_string())),
            ("cpu.cfs_quota_us", quota.map(|quota| quota.to_string())),
            ("cpu.shares", shares),
        ],
        (Controller::Memory, Version::Two) => {
            vec![("memory.max", memory.clone()), ("memory.swap.max", memory.map(|_| "0".into()))]
        }
        (Controller::Memory, Version::One) => {
            vec![("memory.limit_in_bytes", memory.clone()), ("memory.memsw.limit_in_bytes", memory)]
        }
        (Controller::Pids, _) => vec![("pids.max", pids.map(|pids| (pids + inits).to_string()))],
    }
}

/// Returns the kernel's default value of a file.
fn default(file: &str) -> &'static str {
    match file {
        "cpu.max" => "max 100000",
        "cpu.weight" => "100",
        "cpu.cfs_period_us" => "100000",
        "cpu.shares" => "1024",
        "cpu.cfs_quota_us" | "memory.limit_in_bytes" | "memory.memsw.limit_in_bytes" => "-1",
        _ => "max",
    }
}

/// Writes a setting. A memory limit below the memory in use is an error: version 1 rejects it, and
/// version 2 would kill processes.
pub(super) fn write(cgroup: &Path, (file, value): &Setting) -> io::Result<()> {
    if *file == "memory.max"
        && let (Ok(most), Some(held)) =
            (value.parse::<u64>(), entry(&cgroup.join("memory.stat"), "anon"))
        && held > most
    {
        return Err(io::Error::from_raw_os_error(libc::EBUSY));
    }
    match fs::write(cgroup.join(file), value) {
        // The kernel may have been built without accounting of swap.
        Err(error)
            if (file.contains("swap") || file.contains("memsw"))
                && error.kind() == io::ErrorKind::NotFound =>
        {
            Ok(())
        }
        written => written,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn held() -> Held {
        let limits = Limits {
            cpu: Some("0.5".parse().unwrap()),
            cpu_weight: Some(50),
            memory: Some("64MiB".parse().unwrap()),
            pids: Some(10),
        };
        Held { limits, inits: 2 }
    }

    fn written(version: Version, from: Held, to: Held) -> Vec<(&'static str, String)> {
        Controller::ALL.into_iter().flat_map(|c| between(c, version, from, to)).collect()
    }

    fn expected(all: &[(&'static str, &str)]) -> Vec<(&'static str, String)> {
        all.iter().map(|(file, value)| (*file, (*value).to_owned())).collect()
    }

    #[test]
    fn limits_are_written_as_each_version_wants_them() {
        assert_eq!(
            written(Version::Two, Held::default(), held()),
            expected(&[
                ("cpu.max", "50000 100000"),
                ("cpu.weight", "50"),
                ("memory.max", "67108864"),
                ("memory.swap.max", "0"),
                ("pids.max", "12"),
            ])
        );
        assert_eq!(
            written(Version::One, Held::default(), held()),
            expected(&[
                ("cpu.cfs_period_us", "100000"),
                ("cpu.cfs_quota_us", "50000"),
                ("cpu.shares", "512"),
                ("memory.limit_in_bytes", "67108864"),
                ("memory.memsw.limit_in_bytes", "67108864"),
                ("pids.max", "12"),
            ])
        );
    }

    #[test]
    fn removed_limits_get_the_kernels_default_and_unchanged_ones_are_not_written() {
        assert_eq!(
            written(Version::Two, held(), Held::default()),
            expected(&[
                ("cpu.max", "max 100000"),
                ("cpu.weight", "100"),
                ("memory.swap.max", "max"),
                ("memory.max", "max"),
                ("pids.max", "max"),
            ])
        );
        assert_eq!(
            written(Version::One, held(), held().without_quota()),
            expected(&[("cpu.cfs_period_us", "100000"), ("cpu.cfs_quota_us", "-1")])
        );
        let more = Limits { memory: Some("65MiB".parse().unwrap()), ..held().limits };
        let more = Held { limits: more, ..held() };
        let files = |from, to| written(Version::One, from, to).into_iter().map(|(file, _)| file);
        let (without_swap, with) = ("memory.limit_in_bytes", "memory.memsw.limit_in_bytes");
        assert_eq!(files(held(), more).collect::<Vec<_>>(), [with, without_swap]);
        assert_eq!(files(more, held()).collect::<Vec<_>>(), [without_swap, with]);
        assert_eq!(written(Version::One, held(), held()), []);
    }

    #[test]
    fn version_2_takes_no_less_memory_than_is_held() {
        let cgroup = tempfile::tempdir().unwrap();
        fs::write(cgroup.path().join("memory.stat"), "anon 5000\nfile 70000\n").unwrap();
        let limit = |bytes: &str| ("memory.max", bytes.to_owned());
        let refused = write(cgroup.path(), &limit("4999")).unwrap_err();
        assert_eq!(refused.raw_os_error(), Some(libc::EBUSY));
        write(cgroup.path(), &limit("5000")).unwrap();
        write(cgroup.path(), &limit("max")).unwrap();
    }
}
