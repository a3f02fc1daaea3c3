//! The cgroup hierarchies of this machine: one of version 2 and, on many machines, some of version
//! 1. Each controller is in one of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{fs, io};

use netloom_scenario::Controller;
use nix::unistd::{AccessFlags, access};

/// Directory of all experiments in each hierarchy.
pub(crate) const FOLDER: &str = "netloom";

/// The mounted hierarchies.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Hierarchies {
    /// Mount point of version 2.
    unified: Option<PathBuf>,
    /// Mount points of version 1, by controller.
    legacy: BTreeMap<String, PathBuf>,
    /// Why the mounted hierarchies are unknown.
    unread: Option<String>,
}

/// Version of cgroups.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Version {
    One,
    Two,
}

impl Hierarchies {
    /// Returns the hierarchies that are mounted on this machine.
    pub fn of_this_machine() -> Self {
        const TABLE: &str = "/proc/self/mountinfo";
        fs::read_to_string(TABLE).map_or_else(
            |error| Self {
                unread: Some(format!("cannot read {TABLE}: {error}")),
                ..Self::default()
            },
            |table| Self::read(&table),
        )
    }

    /// Parses the text of `mountinfo`.
    fn read(mountinfo: &str) -> Self {
        let mut found = Self::default();
        for line in mountinfo.lines() {
            let Some((mount, source)) = line.split_once(" - ") else { continue };
            let Some(point) = mount.split(' ').nth(4) else { continue };
            // Characters that would break the format are written in octal.
            let point = PathBuf::from(
                point.replace("\\040", " ").replace("\\011", "\t").replace("\\134", "\\"),
            );
            let mut source = source.split(' ');
            match source.next() {
                Some("cgroup2") if found.unified.is_none() => found.unified = Some(point),
                Some("cgroup") => {
                    let options = source.next_back().unwrap_or_default();
                    for option in options.split(',') {
                        found.legacy.entry(option.into()).or_insert_with(|| point.clone());
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// Returns the directory of all experiments in version 2.
    pub fn unified(&self) -> Option<PathBuf> {
        self.unified.as_ref().map(|mount| mount.join(FOLDER))
    }

    /// Returns the directory of all experiments in the hierarchy of version 1 that has this
    /// controller.
    pub fn legacy(&self, controller: Controller) -> Option<PathBuf> {
        self.legacy.get(controller.name()).map(|mount| mount.join(FOLDER))
    }

    /// Returns the directories of all experiments in every hierarchy that NetLoom may have used,
    /// each once.
    pub fn folders(&self) -> Vec<PathBuf> {
        let legacy = Controller::ALL.into_iter().filter_map(|controller| self.legacy(controller));
        let mut all: Vec<PathBuf> = self.unified().into_iter().chain(legacy).collect();
        all.sort_unstable();
        all.dedup();
        all
    }

    /// Returns the version that has a controller, or why limits that need it cannot be enforced,
    /// and a remedy.
    pub fn version(&self, controller: Controller) -> Result<Version, String> {
        if let Some(why) = &self.unread {
            return Err(why.clone());
        }
        let name = controller.name();
        let in_unified = self.unified.as_deref().is_some_and(|mount| offers(mount, name));
        let (version, mount) = match (in_unified, &self.unified, self.legacy.get(name)) {
            (true, Some(mount), _) => (Version::Two, mount),
            (_, _, Some(mount)) => (Version::One, mount),
            (_, None, None) => {
                return Err(format!(
                    "no control groups with the controller `{name}` are mounted; mount version 2 \
                     at /sys/fs/cgroup, as every current distribution does"
                ));
            }
            (_, Some(mount), None) => {
                return Err(format!(
                    "{} does not offer the controller `{name}`: it is switched off (kernel \
                     parameters `cgroup_disable` and, for memory, `cgroup_enable=memory`), or not \
                     passed on to this container",
                    mount.display()
                ));
            }
        };
        match access(mount, AccessFlags::W_OK) {
            Ok(()) => Ok(version),
            Err(errno) => Err(format!(
                "{} cannot be written: {}; a container must be given its control groups writable",
                mount.display(),
                io::Error::from(errno)
            )),
        }
    }
}

/// Whether a cgroup of version 2 offers a controller to its children.
fn offers(cgroup: &Path, controller: &str) -> bool {
    let offered = fs::read_to_string(cgroup.join("cgroup.controllers")).unwrap_or_default();
    offered.split_whitespace().any(|word| word == controller)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_versions_are_found() {
        let hybrid = "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n\
                      32 31 0:29 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu,cpuacct\n\
                      41 31 0:38 / /sys/fs/cgroup/uni\\040fied rw shared:3 - cgroup2 cgroup2 rw\n";
        let found = Hierarchies::read(hybrid);
        assert_eq!(found.unified(), Some("/sys/fs/cgroup/uni fied/netloom".into()));
        assert_eq!(found.legacy(Controller::Cpu), Some("/sys/fs/cgroup/cpu/netloom".into()));
        assert_eq!(found.legacy(Controller::Memory), None);
        assert_eq!(found.folders().len(), 2);
        let unified = "35 24 0:30 / /sys/fs/cgroup rw shared:9 - cgroup2 cgroup2 rw,nsdelegate\n";
        let found = Hierarchies::read(unified);
        assert_eq!(found.unified(), Some("/sys/fs/cgroup/netloom".into()));
        assert_eq!(
            Hierarchies::read("22 27 0:21 / /proc rw - proc proc rw\n"),
            Hierarchies::default()
        );
    }

    #[test]
    fn a_missing_controller_is_reported_with_a_remedy() {
        let mount = tempfile::tempdir().unwrap();
        fs::write(mount.path().join("cgroup.controllers"), "cpu pids\n").unwrap();
        let found = Hierarchies { unified: Some(mount.path().into()), ..Hierarchies::default() };
        assert_eq!(found.version(Controller::Cpu), Ok(Version::Two));
        let why = found.version(Controller::Memory).unwrap_err();
        assert!(why.contains("`memory`") && why.contains("cgroup_enable"), "{why}");
        let why = Hierarchies::default().version(Controller::Pids).unwrap_err();
        assert!(why.contains("mount version 2"), "{why}");
        let unread = Hierarchies { unread: Some("cannot read it".into()), ..found };
        assert_eq!(unread.version(Controller::Cpu), Err("cannot read it".into()));
    }
}
