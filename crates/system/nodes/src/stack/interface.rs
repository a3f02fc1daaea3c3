//! State, addresses and counters of a node's interfaces, as the kernel reports them in the node's
//! network namespace.

use std::collections::HashSet;
use std::net::IpAddr;
use std::{fs, io};

use netloom_scenario::IpPrefix;
use nix::ifaddrs::getifaddrs;
use nix::net::if_::InterfaceFlags;
use nix::sys::socket::SockaddrStorage;

/// Device in the namespace of a node with a kernel of its own that leads to that kernel. It is none
/// of the node's interfaces.
pub(crate) const KERNEL_DEVICE: &str = "netloom-kernel";

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

/// An address of an interface.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InterfaceAddress {
    /// Name of the interface.
    pub interface: String,
    /// The address with the length of its prefix.
    pub address: IpPrefix,
}

/// Returns the addresses in the calling thread's network namespace, except loopback and link-local
/// ones.
pub(crate) fn addresses() -> io::Result<Vec<InterfaceAddress>> {
    let address = |entry: nix::ifaddrs::InterfaceAddress| {
        let [address, mask] = [&entry.address, &entry.netmask].map(|it| ip(it.as_ref()));
        let address = address.filter(|address| reaches_others(*address))?;
        // The kernel names an IPv4 address that has a label by the label, like `eth1:0`.
        let interface = entry.interface_name.split(':').next()?.to_owned();
        if interface == KERNEL_DEVICE {
            return None;
        }
        Some(InterfaceAddress { interface, address: IpPrefix::new(address, length(mask?))? })
    };
    Ok(getifaddrs()?.filter_map(address).collect())
}

fn ip(address: Option<&SockaddrStorage>) -> Option<IpAddr> {
    let address = address?;
    let v4 = address.as_sockaddr_in().map(|address| address.ip().into());
    v4.or_else(|| address.as_sockaddr_in6().map(|address| address.ip().into()))
}

/// Whether other nodes can send to an address.
fn reaches_others(address: IpAddr) -> bool {
    let is_link_local = match address {
        IpAddr::V4(address) => address.is_link_local(),
        IpAddr::V6(address) => address.is_unicast_link_local(),
    };
    !is_link_local && !address.is_loopback()
}

/// Returns the length of the prefix that a netmask stands for.
fn length(mask: IpAddr) -> u8 {
    let ones = match mask {
        IpAddr::V4(mask) => mask.to_bits().leading_ones(),
        IpAddr::V6(mask) => mask.to_bits().leading_ones(),
    };
    // At most 128.
    ones as u8
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
    (name != "lo" && name != KERNEL_DEVICE).then(|| InterfaceState {
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

    #[test]
    fn prefixes_follow_netmasks_and_only_addresses_that_reach_others_count() {
        let ip = |text: &str| text.parse::<IpAddr>().unwrap();
        assert_eq!(length(ip("255.255.240.0")), 20);
        assert_eq!(length(ip("ffff:ffff:ffff:ffff::")), 64);
        assert!(reaches_others(ip("10.0.0.1")) && reaches_others(ip("fd00::1")));
        for local in ["127.0.0.1", "169.254.1.1", "::1", "fe80::1"] {
            assert!(!reaches_others(ip(local)), "{local}");
        }
    }
}
