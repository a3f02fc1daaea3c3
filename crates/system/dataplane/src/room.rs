//! Memory for frames: how much this process may allocate before the kernel kills a process for it.
//! Not here: how the process gets memory (`memory`), and what it is used for (`ports::Pool`).

use std::fs;
use std::path::{Path, PathBuf};

/// Assumed memory in bytes if the machine does not report it.
const UNKNOWN: u64 = 4 << 30;

/// Returns the default limit of memory for frames in bytes: a quarter of what this process can
/// have.
pub fn default_frame_memory() -> usize {
    usize::try_from(room(Path::new("/")) / 4).unwrap_or(usize::MAX)
}

/// Returns the memory that this process can have, in bytes: the least of the machine's memory, its
/// available memory, and the allowance of each control group of the process, including parents.
/// `root` is the root directory of the machine's files.
fn room(root: &Path) -> u64 {
    let meminfo = fs::read_to_string(root.join("proc/meminfo")).unwrap_or_default();
    let of_machine = ["MemTotal:", "MemAvailable:"].into_iter().filter_map(|what| {
        let kilobytes: u64 = field(&meminfo, what)?;
        Some(kilobytes << 10)
    });
    of_machine.chain(of_cgroups(root)).min().unwrap_or(UNKNOWN)
}

/// Returns the allowance of each control group, in bytes.
fn of_cgroups(root: &Path) -> Vec<u64> {
    let read = |file: &str| fs::read_to_string(root.join(file)).unwrap_or_default();
    let (groups, mounts) = (read("proc/self/cgroup"), read("proc/self/mountinfo"));
    let mut rooms = Vec::new();
    for line in groups.lines() {
        let mut parts = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(group)) = (parts.next(), parts.next()) else { continue };
        let version = match controllers {
            "" => Version::Two,
            one if one.split(',').any(|name| name == "memory") => Version::One,
            _ => continue,
        };
        for mount in mounts.lines().filter_map(|line| Mount::parse(line, version)) {
            rooms.extend(mount.groups(group).iter().filter_map(|group| {
                let directory = root.join(group.strip_prefix("/").unwrap_or(group));
                room_of(&directory, version)
            }));
        }
    }
    rooms
}

#[derive(Debug, Clone, Copy, PartialEq)]
enum Version {
    One,
    Two,
}

/// A mounted hierarchy of control groups.
struct Mount {
    /// Group at its top.
    top: PathBuf,
    at: PathBuf,
}

impl Mount {
    /// Parses a line of `/proc/self/mountinfo`, if it is a hierarchy with limits on memory.
    fn parse(line: &str, version: Version) -> Option<Self> {
        let (mount, file_system) = line.split_once(" - ")?;
        let mut kind = file_system.split(' ');
        let is_wanted = match (version, kind.next()?) {
            (Version::Two, "cgroup2") => true,
            (Version::One, "cgroup") => {
                kind.next_back()?.split(',').any(|option| option == "memory")
            }
            _ => false,
        };
        let mut fields = mount.split(' ').skip(3);
        let (top, at) = (fields.next()?, fields.next()?);
        is_wanted.then(|| Self { top: top.into(), at: at.into() })
    }

    /// Returns the directories of `group` and its parents, as far as they are visible here.
    fn groups(&self, group: &str) -> Vec<PathBuf> {
        // For a group outside the mount, only the top has a limit.
        let below = Path::new(group).strip_prefix(&self.top).unwrap_or(Path::new(""));
        below.ancestors().map(|below| self.at.join(below)).collect()
    }
}

/// Returns how much the group in `directory` may still allocate: its limit minus its use, without
/// reclaimable caches of files.
fn room_of(directory: &Path, version: Version) -> Option<u64> {
    let (limit, usage, cache) = match version {
        Version::One => ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file"),
        Version::Two => ("memory.max", "memory.current", "inactive_file"),
    };
    let number = |file: &str| fs::read_to_string(directory.join(file)).ok()?.trim().parse().ok();
    let stat = fs::read_to_string(directory.join("memory.stat")).unwrap_or_default();
    // Version 1 also reports limits of parents that are not visible here. `max` is not a number,
    // and no limit.
    let of_all = field(&stat, "hierarchical_memory_limit").filter(|_| version == Version::One);
    let limit: u64 = [number(limit), of_all].into_iter().flatten().min()?;
    let used = number(usage).unwrap_or(0).saturating_sub(field(&stat, cache).unwrap_or(0));
    Some(limit.saturating_sub(used))
}

/// The number behind a word at the beginning of a line.
fn field(text: &str, word: &str) -> Option<u64> {
    let of_line = |line: &str| {
        let mut words = line.split_whitespace();
        if words.next()? == word { words.next()?.parse().ok() } else { None }
    };
    text.lines().find_map(of_line)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MB: u64 = 1 << 20;

    /// A machine with 8 GB, 6 of which are available, and these files besides.
    fn machine(files: &[(&str, &str)]) -> u64 {
        let root = tempfile::tempdir().unwrap();
        let meminfo = ("proc/meminfo", "MemTotal: 8388608 kB\nMemAvailable:   6291456 kB\n");
        for (file, text) in files.iter().chain([&meminfo]) {
            let path = root.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        room(root.path())
    }

    const VERSION_2: (&str, &str) =
        ("proc/self/mountinfo", "31 23 0:28 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n");
    const VERSION_1: (&str, &str) = (
        "proc/self/mountinfo",
        "31 23 0:1 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n\
         35 31 0:32 / /sys/fs/cgroup/memory rw,relatime - cgroup cgroup rw,memory\n",
    );

    #[test]
    fn without_limits_the_room_is_the_available_memory() {
        assert_eq!(machine(&[]), 6144 * MB);
        let group = ("proc/self/cgroup", "0::/user/me\n");
        let free = ("sys/fs/cgroup/user/me/memory.max", "max\n");
        assert_eq!(machine(&[VERSION_2, group, free]), 6144 * MB);
    }

    #[test]
    fn an_ancestor_of_version_2_limits_too() {
        let files = [
            VERSION_2,
            ("proc/self/cgroup", "0::/box/inner\n"),
            ("sys/fs/cgroup/box/inner/memory.max", "209715200\n"),
            ("sys/fs/cgroup/box/memory.max", "104857600\n"),
            ("sys/fs/cgroup/box/memory.current", "41943040\n"),
            ("sys/fs/cgroup/box/memory.stat", "anon 5\ninactive_file 20971520\n"),
            ("sys/fs/cgroup/other/memory.max", "1\n"),
        ];
        assert_eq!(machine(&files), 80 * MB);
    }

    #[test]
    fn version_1_reports_limits_of_invisible_ancestors() {
        let files = [
            VERSION_1,
            ("proc/self/cgroup", "4:cpu:/\n3:memory:/box\n0::/\n"),
            ("sys/fs/cgroup/memory/box/memory.limit_in_bytes", "9223372036854771712\n"),
            ("sys/fs/cgroup/memory/box/memory.usage_in_bytes", "10485760\n"),
            ("sys/fs/cgroup/memory/box/memory.stat", "hierarchical_memory_limit 94371840\n"),
            ("sys/fs/cgroup/cpu/memory.limit_in_bytes", "1\n"),
        ];
        assert_eq!(machine(&files), 80 * MB);
    }

    #[test]
    fn in_a_namespace_of_groups_the_top_is_ones_own() {
        let mount = "31 23 0:28 /docker/x /sys/fs/cgroup rw - cgroup2 cgroup2 rw\n";
        for group in ["0::/docker/x\n", "0::/\n", "0::/../elsewhere\n"] {
            let files = [
                ("proc/self/mountinfo", mount),
                ("proc/self/cgroup", group),
                ("sys/fs/cgroup/memory.max", "104857600\n"),
            ];
            assert_eq!(machine(&files), 100 * MB, "{group}");
        }
    }

    #[test]
    fn this_machine_has_some() {
        assert!((1..UNKNOWN << 20).contains(&room(Path::new("/"))));
    }
}
