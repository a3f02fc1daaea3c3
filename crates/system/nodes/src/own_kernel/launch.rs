//! `netloom __kernel`: reads the node's configuration, and becomes its user-mode kernel.

use std::fs::File;
use std::io::{self, Write};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::Command;

use nix::fcntl::{FcntlArg, FdFlag, fcntl};
use nix::sys::memfd::{MFdFlags, memfd_create};

use super::agent;
use super::orders::Orders;
use super::places::{FOLDER, KERNEL, PROGRAM};
use crate::stack::interface::KERNEL_DEVICE;

/// Argument that selects this role of the program.
pub const ROLE: &str = "__kernel";
/// Library that is loaded into the kernel. Empty on platforms without such a kernel.
pub(super) const SHIM: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/shim.so"));

/// Directory of the kernel's memory: a file that is removed as soon as it is open. Its file system
/// must allow programs to be executed.
const MEMORY: &str = "/tmp";

/// Runs `netloom __kernel`. Returns only after a failure.
pub fn main() -> i32 {
    let error = launch().unwrap_or_else(|error| error);
    eprintln!("netloom: cannot start {KERNEL}: {error}");
    1
}

fn launch() -> Result<io::Error, io::Error> {
    let orders = Orders::read()?;
    let shim = in_memory(SHIM)?;
    let mut kernel = Command::new(KERNEL);
    kernel.args(arguments(&orders));
    kernel.env("TMPDIR", MEMORY).env("LD_PRELOAD", format!("/proc/self/fd/{}", shim.as_raw_fd()));
    Ok(kernel.exec())
}

/// Returns the command line of the kernel.
fn arguments(orders: &Orders) -> Vec<String> {
    let own = orders.node.own_kernel.as_ref();
    // Invariant: only nodes with a kernel of their own have orders.
    let memory = own.map_or(0, |own| own.memory) >> 10;
    let mut arguments = vec![
        format!("mem={memory}K"),
        "rootfstype=hostfs".into(),
        "rootflags=/".into(),
        "rw".into(),
        format!("init={PROGRAM}"),
        // The kernel reports errors on the console.
        "con=null".into(),
        "con0=null,fd:1".into(),
        "ssl=null".into(),
        "quiet".into(),
        "selinux=0".into(),
        format!("uml_dir={FOLDER}/"),
        format!("vec0:transport=tap,ifname={}", KERNEL_DEVICE),
    ];
    let interfaces = orders.node.interfaces.iter().enumerate();
    arguments.extend(interfaces.map(|(place, interface)| {
        format!("vec{}:transport=raw,ifname={}", place + 1, interface.name)
    }));
    arguments.extend(["--".into(), agent::ROLE.into()]);
    arguments
}

/// Creates an unnamed file that stays open in the program that this one becomes.
fn in_memory(bytes: &[u8]) -> io::Result<OwnedFd> {
    let mut file = File::from(memfd_create("shim", MFdFlags::empty())?);
    file.write_all(bytes)?;
    fcntl(&file, FcntlArg::F_SETFD(FdFlag::empty()))?;
    Ok(file.into())
}

#[cfg(test)]
mod tests {
    use netloom_plan::{NodePlan, OwnKernel};

    use super::*;

    #[test]
    fn the_kernel_takes_the_frames_of_each_interface() {
        let json = serde_json::json!({
            "name": "a", "kind": "host", "forwarding": false, "loopback": [], "routes": [],
            "sysctls": {}, "primary": [],
            "interfaces": [
                { "name": "eth1", "mac": "02:00:00:00:00:01", "mtu": 1500, "addresses": [] },
                { "name": "lan.7", "mac": "02:00:00:00:00:02", "mtu": 1500, "addresses": [] },
            ],
        });
        let mut node: NodePlan = serde_json::from_value(json).unwrap();
        node.own_kernel = Some(OwnKernel { memory: 64 << 20 });
        let arguments = arguments(&Orders { node, routes: vec![] });
        for wanted in [
            "mem=65536K",
            "vec1:transport=raw,ifname=eth1",
            "vec2:transport=raw,ifname=lan.7",
            "init=/run/netloom/kernel/netloom",
        ] {
            assert!(arguments.iter().any(|argument| argument == wanted), "{wanted}");
        }
        assert_eq!(arguments[arguments.len() - 2..], ["--", "__agent"]);
    }
}
