//! What the interfaces of a node have to say about themselves, as the kernel tells it inside the
//! node's network namespace.

use std::collections::HashSet;
use std::{fs, io};

use nix::ifaddrs::getifaddrs;
use nix::net::if_::InterfaceFlags;

/// An interface at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InterfaceState {
    /// The node's name.
    pub node: String,
    /// The interface's name.
    pub name: String,
    /// Whether the kernel sends through it: it is up and has a carrier.
    pub running: bool,
    /// Frames that it dropped instead of sending them: because it was not running, or because
    /// whoever holds the TAP device did not read in time (it queues 1000 frames).
    pub dropped: u64,
}

/// The interfaces of the calling thread's network namespace, but the loopback; their node is not
/// filled in.
pub(crate) fn states() -> io::Result<Vec<InterfaceState>> {
    let running: HashSet<String> = getifaddrs()?
        .filter(|entry| entry.flags.contains(InterfaceFlags::IFF_RUNNING))
        .map(|entry| entry.interface_name)
        .collect();
    let table = fs::read_to_string("/proc/thread-self/net/dev")?;
    let state = |(name, dropped): (String, u64)| {
        let running = running.contains(&name);
        InterfaceState { node: String::new(), name, running, dropped }
    };
    Ok(table.lines().filter_map(transmit_drops).map(state).collect())
}

/// Name and frames dropped on transmission, by a line of `/proc/net/dev`: behind the name and its
/// colon, eight columns of reception, then bytes, packets, errors and drops.
fn transmit_drops(line: &str) -> Option<(String, u64)> {
    let (name, counters) = line.split_once(':')?;
    let name = name.trim();
    let dropped = counters.split_whitespace().nth(11)?.parse().ok()?;
    (name != "lo").then(|| (name.to_string(), dropped))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transmit_drops_are_found_in_the_table() {
        let header = " face |bytes    packets errs drop fifo frame compressed multicast|bytes";
        let line = "  eth1: 100 1 2 3 4 5 6 7 200 8 9 10 11 12 13 14";
        assert_eq!(transmit_drops(header), None);
        assert_eq!(transmit_drops(line), Some(("eth1".into(), 10)));
        assert_eq!(transmit_drops(&line.replace("eth1", "lo")), None);
    }
}
