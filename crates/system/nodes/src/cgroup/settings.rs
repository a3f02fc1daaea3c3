//! In which files each version of control groups has limits, and what is written there.

use std::fs;
use std::io;
use std::path::Path;

use netloom_scenario::{Controller, CpuQuota, Limits};

use super::hierarchies::Version;
use super::usage::entry;

/// Limits of a cgroup, and how many init processes can be in it: those are NetLoom's, and do not
/// count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct Held {
    pub limits: Limits,
    pub inits: u64,
}

impl Held {
    /// The same without a quota.
    pub fn without_quota(self) -> Self {
        Self { limits: Limits { cpu: None, ..self.limits }, ..self }
    }
}

/// A file, and what is to be written there.
pub(super) type Setting = (&'static str, String);

/// What leads from some limits to others, in an order that the kernel takes.
pub(super) fn between(
    controller: Controller,
    version: Version,
    from: Held,
    to: Held,
) -> Vec<Setting> {
    let (before, after) = (files(controller, version, from), files(controller, version, to));
    let changed = before.into_iter().zip(after).filter(|(before, after)| before != after);
    let mut changed: Vec<Setting> = changed.map(|(_, after)| or_default(after)).collect();
    // Memory with swap is never less than memory without: what is listed last grows first.
    if controller == Controller::Memory && is_more(to.limits.memory, from.limits.memory) {
        changed.reverse();
    }
    changed
}

/// All that says limits, the kernel's defaults included.
pub(super) fn all(controller: Controller, version: Version, held: Held) -> Vec<Setting> {
    files(controller, version, held).into_iter().map(or_default).collect()
}

fn or_default((file, value): (&'static str, Option<String>)) -> Setting {
    (file, value.unwrap_or_else(|| default(file).into()))
}

/// Whether one limit leaves more than another.
fn is_more<T: PartialOrd>(this: Option<T>, other: Option<T>) -> bool {
    other.is_some_and(|other| this.is_none_or(|this| this > other))
}

/// The files of a controller, and what is to be there; nothing where nothing is limited.
fn files(
    controller: Controller,
    version: Version,
    Held { limits, inits }: Held,
) -> Vec<(&'static str, Option<String>)> {
    let period = CpuQuota::PERIOD_US;
    let quota = limits.cpu.map(CpuQuota::micros_per_period);
    let (memory, pids) = (limits.memory.map(|m| m.bytes().to_string()), limits.pids);
    // The same part of a CPU as with a weight, of which 100 is the default; that of shares is 1024.
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

/// What the kernel has in a file of a new cgroup.
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

/// Writes a value. Less memory than processes hold is refused: version 1 does so by itself, version
/// 2 would kill them.
pub(super) fn write(cgroup: &Path, (file, value): &Setting) -> io::Result<()> {
    if *file == "memory.max"
        && let (Ok(most), Some(held)) =
            (value.parse::<u64>(), entry(&cgroup.join("memory.stat"), "anon"))
        && held > most
    {
        return Err(io::Error::from_raw_os_error(libc::EBUSY));
    }
    match fs::write(cgroup.join(file), value) {
        // The kernel may have been built to keep no account of swap.
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
    fn a_limit_that_goes_is_the_kernels_default_and_what_stays_is_not_written() {
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
