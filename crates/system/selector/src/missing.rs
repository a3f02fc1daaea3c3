//! Requirements that a machine does not meet.

use std::fs::OpenOptions;
use std::path::Path;

use aya::programs::ProgramType;
use aya::sys::is_program_supported;
use aya::util::KernelVersion;

use crate::{HookKind, cgroup};

/// Returns the first missing requirement with its remedy, or `None` if there is none.
///
/// Also finds out what else the kernel can do. These answers hold for as long as the process lives,
/// so a shortage of memory later must not be taken for one of them.
pub fn missing() -> Option<String> {
    let _ = aya::features();
    if !is_at_least(5, 15) {
        return Some("this kernel is older than Linux 5.15".into());
    }
    if let Err(error) = OpenOptions::new().read(true).write(true).open("/dev/net/tun") {
        return Some(format!(
            "/dev/net/tun cannot be opened ({error}): load the module `tun`, or \
             give the container the device"
        ));
    }
    if !Path::new("/sys/kernel/btf/vmlinux").exists() {
        return Some(
            "the kernel has no types (/sys/kernel/btf/vmlinux, CONFIG_DEBUG_INFO_BTF)".into(),
        );
    }
    match is_program_supported(ProgramType::SchedClassifier) {
        Ok(true) => None,
        Ok(false) => Some("the kernel has no programs for tc (CONFIG_NET_CLS_BPF)".into()),
        Err(error) => Some(format!(
            "programs for tc cannot be loaded ({error}): needs root, or CAP_NET_ADMIN, CAP_BPF and \
             CAP_PERFMON"
        )),
    }
}

/// Returns the restrictions of a machine that can shape traffic.
pub fn restrictions() -> Vec<&'static str> {
    let mut all = Vec::new();
    if best_hook() == HookKind::Filters {
        all.push(
            "before Linux 6.6, the filters of a killed daemon stay, and pass everything, until the \
             next daemon removes them",
        );
    }
    if cgroup::root().is_none() {
        all.push("without cgroups of version 2, no ports can be reserved, and no cgroup claimed");
    }
    all
}

/// Returns the way in which this kernel attaches programs.
pub(crate) fn best_hook() -> HookKind {
    if is_at_least(6, 6) { HookKind::Tcx } else { HookKind::Filters }
}

fn is_at_least(major: u8, minor: u8) -> bool {
    KernelVersion::current().is_ok_and(|current| current >= KernelVersion::new(major, minor, 0))
}
