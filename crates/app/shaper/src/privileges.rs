//! Limits the daemon to the rights that it needs. It starts no program, traces no process, and
//! keeps five or six of root's capabilities.

use std::collections::BTreeMap;

use anyhow::{Context, Result};
use libc::{SYS_execve, SYS_execveat, SYS_process_vm_readv, SYS_process_vm_writev, SYS_ptrace};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use rustix::thread::{CapabilitySet, capabilities, set_capabilities};
use seccompiler::{BpfProgram, SeccompAction, SeccompFilter, apply_filter};

/// The capabilities are for devices and their programs, for the worker's scheduling class, and for
/// finding the process that has bound a port, if its files are root's. The last is the only use of
/// `SYS_PTRACE`.
const KEPT: CapabilitySet = CapabilitySet::NET_ADMIN
    .union(CapabilitySet::BPF)
    .union(CapabilitySet::PERFMON)
    .union(CapabilitySet::SYS_NICE)
    .union(CapabilitySet::SYS_PTRACE);

/// System calls that the daemon never makes.
const FORBIDDEN: [libc::c_long; 5] =
    [SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev];

/// Drops all rights except those that are needed, for this thread and all that it will start. The
/// right to enter other network namespaces is kept if `containers` is true. Raises the limit on
/// open files, since a claim takes six, and returns it.
pub fn drop_all_but_needed(containers: bool) -> Result<u64> {
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).context("cannot read the limit on files")?;
    // With a lower limit, there can be fewer claims.
    let _ = setrlimit(Resource::RLIMIT_NOFILE, hard, hard);
    let (files, _) =
        getrlimit(Resource::RLIMIT_NOFILE).context("cannot read the limit on files")?;
    nix::sys::prctl::set_no_new_privs().context("cannot give up new rights")?;
    let mut sets = capabilities(None).context("cannot read capabilities")?;
    let kept = if containers { KEPT | CapabilitySet::SYS_ADMIN } else { KEPT };
    sets.effective &= kept;
    sets.permitted &= kept;
    sets.inheritable = CapabilitySet::empty();
    set_capabilities(None, sets).context("cannot give up capabilities")?;
    let rules: BTreeMap<_, _> = FORBIDDEN.into_iter().map(|call| (call, Vec::new())).collect();
    let refuse = SeccompAction::Errno(libc::EPERM.unsigned_abs());
    let architecture = std::env::consts::ARCH.try_into().context("no seccomp here")?;
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refuse, architecture)
        .context("cannot make the filter of system calls")?;
    let program: BpfProgram =
        filter.try_into().context("cannot make the filter of system calls")?;
    apply_filter(&program).context("cannot forbid system calls")?;
    Ok(files)
}
