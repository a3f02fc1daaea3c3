//! All processes whose network is a node's, whoever started them.

use std::collections::HashSet;
use std::fs::File;
use std::io;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::signal::Signal;

use crate::process::pidfd::PidFd;
use crate::stack::netns::{self, Identity};
use crate::teardown::all_processes;

/// Period of checks for new processes.
const PERIOD: Duration = Duration::from_millis(10);
/// Additional time for programs of NetLoom, which end shells inside this one.
const LONGER: Duration = Duration::from_secs(30);

/// Sends SIGHUP to all processes in the network namespace, as the end of a session does, and kills
/// those that have not ended after `patience`. Returns when there are none, or when those that take
/// down networks of their own have taken too long. The caller kills processes that remain then.
pub(crate) fn hang_up(namespace: &File, patience: Duration) -> io::Result<()> {
    let namespace = netns::identity_of(namespace)?;
    let own = identity_of_program(std::process::id());
    let deadline = Instant::now() + patience;
    let mut signalled = HashSet::new();
    loop {
        let members = members(namespace);
        if members.is_empty() || Instant::now() >= deadline + LONGER {
            return Ok(());
        }
        let is_late = Instant::now() >= deadline;
        for (pid, process) in &members {
            // The caller handles processes that cannot be signalled or killed here.
            if signalled.insert(*pid) {
                // A stopped process must continue to handle the signal.
                let _ = process.signal(Signal::SIGHUP).and(process.signal(Signal::SIGCONT));
            } else if is_late && (own.is_none() || identity_of_program(*pid) != own) {
                let _ = process.kill();
            }
        }
        thread::sleep(PERIOD);
    }
}

/// The file that a process executes.
fn identity_of_program(pid: u32) -> Option<Identity> {
    netns::identity(Path::new(&format!("/proc/{pid}/exe")))
}

/// The processes that are there now and have not ended.
fn members(namespace: Identity) -> Vec<(u32, PidFd)> {
    let is_there =
        |pid: u32| netns::identity(Path::new(&format!("/proc/{pid}/ns/net"))) == Some(namespace);
    all_processes()
        .filter(|pid| is_there(*pid))
        .filter_map(|pid| PidFd::open(pid).ok().map(|process| (pid, process)))
        // A number may have passed to a stranger before the descriptor was made: ask again.
        .filter(|(pid, process)| is_there(*pid) && !process.ended_by(Instant::now()))
        .collect()
}
