//! State and counters of a node's interfaces, as the kernel reports them in the node's network
//! namespace.

use std::collections::HashSet;
use std::{fs, io};

use nix::ifaddrs::getifaddrs;
use nix::net::if_::InterfaceFlags;

use crate::own_kernel;

/// State of an interface at one moment.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct InterfaceState {
    /// Name of the node.
    pub node: String,
    /// Name of the interface.
    pub name: String,
    /// Whether the kernel sends through the interface: it is up and has a carrier.
    pub running: bool,
    /// Frames that it dropped instead of sending them: because it was not running, or because the
    /// TAP device, which queues 1000 frames, was not read in time.
    pub dropped: u64,
    /// Traffic that it sent.
    pub sent: Traffic,
    /// Traffic that it received.
    pub received: Traffic,
    /// Frames that arrived and were dropped.
    pub dropped_received: u64,
}

/// Frames and bytes as the kernel counts them: a super-frame is one frame.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Traffic {
    /// Number of frames.
    pub frames: u64,
    /// Number of bytes, Ethernet headers included.
    pub bytes: u64,
}

/// Returns the interfaces in the calling thread's network namespace, except the loopback. Their
/// node is not set.
pub(crate) fn states() -> io::Result<Vec<InterfaceState>> {
    let running: HashSet<String> = getifaddrs()?
        .filter(|entry| entry.flags.contains(InterfaceFlags::IFF_RUNNING))
        .map(|entry| entry.interface_name)
        .collect();
    let table = table()?;
    let with_carrier = |state: InterfaceState| {
        let running = running.contains(&state.name);
        InterfaceState { running, ..state }
    };
    Ok(table.lines().filter_map(counters).map(with_carrier).collect())
}

/// Returns the number of frames that each interface in the calling thread's network namespace has
/// dropped instead of sending them, by name.
pub(crate) fn dropped() -> io::Result<Vec<(String, u64)>> {
    let dropped = |state: InterfaceState| (state.name, state.dropped);
    Ok(table()?.lines().filter_map(counters).map(dropped).collect())
}

fn table() -> io::Result<String> {
    fs::read_to_string("/proc/thread-self/net/dev")
}

/// Parses a line of `/proc/net/dev`: after the name and a colon, eight columns of reception and
/// eight of transmission, each beginning with bytes, packets, errors and drops.
fn counters(line: &str) -> Option<InterfaceState> {
    let (name, counters) = line.split_once(':')?;
    let name = name.trim();
    let counters: Vec<u64> = counters.split_whitespace().map_while(|n| n.parse().ok()).collect();
    let (received, sent) = counters.split_at_checked(8).filter(|(_, sent)| sent.len() >= 4)?;
    let traffic = |of: &[u64]| Traffic { bytes: of[0], frames: of[1] };
    (name != "lo" && name != own_kernel::DEVICE).then(|| InterfaceState {
        name: name.into(),
        dropped: sent[3],
        sent: traffic(sent),
        received: traffic(received),
        dropped_received: received[3],
        ..InterfaceState::default()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_are_found_in_the_table() {
        let header = " face |bytes    packets errs drop fifo frame compressed multicast|bytes";
        let line = "  eth1: 100 1 2 3 4 5 6 7 200 8 9 10 11 12 13 14";
        assert_eq!(counters(header), None);
        let expected = InterfaceState {
            name: "eth1".into(),
            dropped: 10,
            sent: Traffic { frames: 8, bytes: 200 },
            received: Traffic { frames: 1, bytes: 100 },
            dropped_received: 3,
            ..InterfaceState::default()
        };
        assert_eq!(counters(line), Some(expected));
        assert_eq!(counters(&line.replace("eth1", "lo")), None);
    }
}
