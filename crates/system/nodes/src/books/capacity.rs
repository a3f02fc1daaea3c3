//! Limits of a machine, and how much an experiment needs of each: checked before anything is
//! created.

use std::borrow::Cow;
use std::fs;
use std::path::Path;

use nix::sys::resource::{Resource, getrlimit, setrlimit};

/// Number of descriptors that the engine needs besides devices: sockets, pipes and files, in all.
const SPARE_FILES: u64 = 1024;

/// Size of an experiment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Demand {
    /// Number of nodes with a network stack.
    pub nodes: u64,
    /// Number of their interfaces.
    pub interfaces: u64,
    /// Number of interfaces that the engine holds open, which excludes ends of direct links.
    pub opened: u64,
    /// Number of entries in the neighbour table of each family, if all interfaces that reach each
    /// other communicate.
    pub neighbours: u64,
}

/// A limit of the machine.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capacity {
    /// Name of the limited resource.
    pub what: &'static str,
    /// Number that the experiment needs.
    pub needs: u64,
    /// Number that it can have.
    pub has: u64,
    /// Whether the experiment cannot start with fewer. Otherwise, something in it may fail later.
    pub stops_start: bool,
    /// Consequences of having fewer, and how to raise the limit.
    pub advice: Cow<'static, str>,
}

impl Demand {
    /// Returns the least number of files that the engine opens: devices, a socket for each node by
    /// which the kernel reports changes of interfaces, and its own.
    fn files(self) -> u64 {
        self.opened + self.nodes + SPARE_FILES
    }

    /// Returns the number of files if a process runs in every node, which adds a control socket, a
    /// descriptor of the init process, and the pipes of a few processes.
    pub(crate) fn files_with_processes(self) -> u64 {
        self.files() + 16 * self.nodes
    }
}

/// Returns all limits that this machine reports.
pub fn capacities(demand: Demand) -> Vec<Capacity> {
    let proc = Path::new("/proc");
    let files = Capacity {
        what: "open files",
        needs: demand.files(),
        has: most_files(proc),
        stops_start: true,
        advice: "raise the hard limit of open files (`ulimit -Hn`, `LimitNOFILE=`), or as root \
                 `sysctl fs.nr_open`"
            .into(),
    };
    std::iter::once(files).chain(of_files(demand, proc)).collect()
}

/// Returns the limits in files below `proc`.
fn of_files(demand: Demand, proc: &Path) -> impl Iterator<Item = Capacity> {
    let mounts = fs::read_to_string(proc.join("self/mountinfo")).map_or(0, |m| m.lines().count());
    let namespaces = Capacity {
        what: "network namespaces",
        // One more to create devices in, and one to wait for the end of the others.
        needs: demand.nodes + 2,
        has: 0,
        stops_start: true,
        advice: "raise it with `sysctl user.max_net_namespaces`".into(),
    };
    let mounted = Capacity {
        what: "mounts",
        // One mount for each namespace, in addition to existing ones.
        needs: mounts as u64 + demand.nodes,
        has: 0,
        stops_start: true,
        advice: "raise it with `sysctl fs.mount-max`".into(),
    };
    let neighbours = |family: &str, what| Capacity {
        what,
        needs: demand.neighbours,
        has: 0,
        stops_start: false,
        advice: raise_neighbours(family, demand.neighbours).into(),
    };
    let processes = Capacity {
        what: "processes",
        // One program in each node, and the node's init.
        needs: 2 * demand.nodes,
        has: 0,
        stops_start: false,
        advice: "that is with one program in each node; raise it with `sysctl kernel.pid_max`"
            .into(),
    };
    let memory = Capacity {
        what: "kB of memory",
        needs: KB_PER_NODE * demand.nodes + KB_PER_INTERFACE * demand.interfaces,
        has: 0,
        stops_start: false,
        advice:
            "some 200 kB a node and 50 kB an interface, without what runs in the nodes; routes \
                 of large networks without an order come on top"
                .into(),
    };
    [
        (namespaces, number(proc, "sys/user/max_net_namespaces")),
        (mounted, number(proc, "sys/fs/mount-max")),
        (
            neighbours("ipv4", "IPv4 neighbours"),
            number(proc, "sys/net/ipv4/neigh/default/gc_thresh3"),
        ),
        (
            neighbours("ipv6", "IPv6 neighbours"),
            number(proc, "sys/net/ipv6/neigh/default/gc_thresh3"),
        ),
        (processes, number(proc, "sys/kernel/pid_max")),
        (memory, available_memory(proc)),
    ]
    .into_iter()
    .filter_map(|(capacity, has)| has.map(|has| Capacity { has, ..capacity }))
}

/// Returns what happens when the table of neighbours is full, and the command that makes it large
/// enough.
fn raise_neighbours(family: &str, needs: u64) -> String {
    let (key, enough) =
        (format!("net.{family}.neigh.default.gc_thresh"), needs.next_power_of_two());
    format!(
        "that is if all who share a segment talk to each other. All nodes of the machine share one \
         table; where it is full, the kernel drops frames that no link's model drops. As root: \
         `sysctl -w {key}2={enough} {key}3={enough}`"
    )
}

/// Memory for each node and interface in kB, measured with 300 routers of four interfaces and 500
/// routes each: 400 kB a node, engine included.
const KB_PER_NODE: u64 = 200;
const KB_PER_INTERFACE: u64 = 50;

fn number(proc: &Path, file: &str) -> Option<u64> {
    fs::read_to_string(proc.join(file)).ok()?.trim().parse().ok()
}

/// Returns the available memory in kB.
fn available_memory(proc: &Path) -> Option<u64> {
    let text = fs::read_to_string(proc.join("meminfo")).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

/// Returns the limit on open files, or the value to which this process may raise it.
fn most_files(proc: &Path) -> u64 {
    let files = Resource::RLIMIT_NOFILE;
    let Ok((soft, hard)) = getrlimit(files) else { return u64::MAX };
    match number(proc, "sys/fs/nr_open") {
        // If raising succeeds, it is permitted; the limit is then restored.
        Some(most) if most > hard && setrlimit(files, soft, most).is_ok() => {
            let _ = setrlimit(files, soft, hard);
            most
        }
        _ => hard,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_of_the_machine_are_compared_with_the_demand() {
        let machine = tempfile::tempdir().unwrap();
        for (file, text) in [
            ("self/mountinfo", "1 2 3 / / rw\n4 1 5 / /proc rw\n"),
            ("sys/user/max_net_namespaces", "100\n"),
            ("sys/fs/mount-max", "100000\n"),
            ("sys/net/ipv4/neigh/default/gc_thresh3", "1024\n"),
            ("sys/kernel/pid_max", "32768\n"),
            ("meminfo", "MemTotal: 16 kB\nMemAvailable:    8000000 kB\n"),
        ] {
            let path = machine.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
        let demand = Demand { nodes: 1000, interfaces: 4000, opened: 3000, neighbours: 5000 };
        assert_eq!(demand.files(), 3000 + 1000 + SPARE_FILES);
        let found: Vec<_> = of_files(demand, machine.path())
            .map(|capacity| (capacity.what, capacity.needs, capacity.has, capacity.stops_start))
            .collect();
        assert_eq!(
            found,
            [
                ("network namespaces", 1002, 100, true),
                ("mounts", 1002, 100_000, true),
                ("IPv4 neighbours", 5000, 1024, false),
                // Nothing for IPv6: this machine does not report that limit.
                ("processes", 2000, 32_768, false),
                ("kB of memory", 400_000, 8_000_000, false),
            ]
        );
    }

    #[test]
    fn the_limit_on_files_stays_as_it_was() {
        let before = getrlimit(Resource::RLIMIT_NOFILE).unwrap();
        assert!(most_files(Path::new("/proc")) >= before.1);
        assert_eq!(getrlimit(Resource::RLIMIT_NOFILE).unwrap(), before);
    }
}
