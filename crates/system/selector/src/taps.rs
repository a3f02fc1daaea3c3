//! The two TAPs of a claim: one on the side of the host, one on the side of the wire. The kernel
//! removes them with their descriptors, so a dead engine leaves none behind.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;

use nix::net::if_::if_nametoindex;

use crate::{SelectorError, device};

/// Bytes of the virtio-net header before every frame (`struct virtio_net_hdr`).
const HEADER_SIZE: libc::c_int = 10;

/// Longest packet of a TAP, in bytes.
const LONGEST: u32 = 65521;

/// Prefix of the names of TAPs.
const PREFIX: &str = "nls";

/// The TAPs of a claim, up, without addresses.
#[derive(Debug)]
pub struct Taps {
    /// Names of the TAPs of the host and of the wire.
    pub names: [String; 2],
    /// Interface indices.
    pub indices: [u32; 2],
    /// The far ends, until the engine takes them.
    pub ends: Option<[OwnedFd; 2]>,
}

impl Taps {
    /// Creates the TAPs `nlsN.h` and `nlsN.w` for a device whose longest packet is `mtu`.
    ///
    /// # Errors
    /// The kernel refuses. Nothing is left behind.
    pub fn make(number: u32, mtu: u32) -> Result<Self, SelectorError> {
        let names = names(number);
        let make = |name: &String| tap(name, mtu);
        let [host, wire] = [make(&names[0])?, make(&names[1])?];
        let indices = [index(&names[0])?, index(&names[1])?];
        Ok(Self { names, indices, ends: Some([host, wire]) })
    }

    /// Returns whether no device has the names of the TAPs of this number.
    pub fn are_free(number: u32) -> bool {
        names(number).iter().all(|name| if_nametoindex(name.as_str()).is_err())
    }

    /// Returns the number of frames that each TAP of this network namespace has dropped since it
    /// was created because the engine did not read them in time.
    ///
    /// # Errors
    /// The kernel's table cannot be read, or is not as expected.
    pub fn dropped() -> io::Result<BTreeMap<String, u64>> {
        let text = fs::read_to_string("/proc/thread-self/net/dev")?;
        dropped(&text).ok_or_else(|| io::Error::other("/proc/net/dev is not as expected"))
    }

    /// Sets the longest packet of both TAPs, in bytes, up to what a TAP can have.
    ///
    /// # Errors
    /// The kernel refuses.
    pub fn set_mtu(&self, mtu: u32) -> Result<(), SelectorError> {
        self.names.iter().try_for_each(|name| {
            let failed = |source| SelectorError::Tap {
                what: "set the MTU of",
                device: name.clone(),
                source,
            };
            device::set_mtu(name, mtu.min(LONGEST)).map_err(failed)
        })
    }
}

fn names(number: u32) -> [String; 2] {
    ["h", "w"].map(|side| format!("{PREFIX}{number}.{side}"))
}

/// Parses the table of devices (`/proc/net/dev`): the numbers of frames that TAPs have dropped when
/// they were sent.
fn dropped(table: &str) -> Option<BTreeMap<String, u64>> {
    // Eight columns for receiving, then bytes, packets and errors of sending.
    const DROPPED: usize = 8 + 3;
    let devices = table.lines().filter_map(|line| line.split_once(':'));
    let devices = devices.map(|(name, columns)| (name.trim(), columns));
    let taps = devices.filter(|(name, _)| name.starts_with(PREFIX));
    let dropped = taps.map(|(name, columns)| {
        let count = columns.split_whitespace().nth(DROPPED)?.parse().ok()?;
        Some((name.to_owned(), count))
    });
    dropped.collect()
}

/// Creates a TAP and brings it up. The engine handles checksums and super-frames.
fn tap(name: &str, mtu: u32) -> Result<OwnedFd, SelectorError> {
    let failed = |what| {
        let device = name.to_owned();
        move |source| SelectorError::Tap { what, device, source }
    };
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(libc::O_NONBLOCK | libc::O_CLOEXEC);
    let file = options.open("/dev/net/tun").map_err(failed("open /dev/net/tun for"))?;
    let mut request = device::request(name);
    let flags = libc::IFF_TAP | libc::IFF_NO_PI | libc::IFF_VNET_HDR | libc::IFF_TUN_EXCL;
    request.ifr_ifru.ifru_flags = flags as libc::c_short;
    device::control(&file, libc::TUNSETIFF as _, &mut request).map_err(failed("make"))?;
    // SAFETY: the descriptor is open, and the request reads an integer, which lives through the
    // call.
    let set = unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETVNETHDRSZ as _, &HEADER_SIZE) };
    if set < 0 {
        return Err(failed("set up")(io::Error::last_os_error()));
    }
    netloom_ports::enable_offloads(&file).map_err(failed("set up"))?;
    // It has no addresses and requests none. The file is missing on machines without IPv6.
    let _ = fs::write(format!("/proc/sys/net/ipv6/conf/{name}/disable_ipv6"), "1");
    device::set_mtu(name, mtu.min(LONGEST))
        .and_then(|()| device::bring_up(name))
        .map_err(failed("bring up"))?;
    Ok(file.into())
}

fn index(name: &str) -> Result<u32, SelectorError> {
    if_nametoindex(name).map_err(|errno| SelectorError::Tap {
        what: "find",
        device: name.into(),
        source: errno.into(),
    })
}

/// Returns the cookie by which programs in the kernel identify this thread's network namespace.
pub(crate) fn namespace_cookie() -> io::Result<u64> {
    const SO_NETNS_COOKIE: libc::c_int = 71;
    let socket = File::from(OwnedFd::from(std::os::unix::net::UnixDatagram::unbound()?));
    let mut cookie = 0_u64;
    let mut length = size_of::<u64>() as libc::socklen_t;
    // SAFETY: the descriptor is open; the kernel writes at most `length` bytes to the integer.
    let done = unsafe {
        libc::getsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            SO_NETNS_COOKIE,
            (&raw mut cookie).cast(),
            &mut length,
        )
    };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(cookie) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn drops_of_taps_are_those_of_sending() {
        let table = "Inter-|   Receive                                                |  Transmit
 face |bytes packets errs drop fifo frame compressed multicast|bytes packets errs drop fifo
  eth0: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
nls12.h: 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16
nls12.w:10000000 2 3 4 5 6 7 8 9 10 11 0 13 14 15 16
";
        let expected = [("nls12.h".to_owned(), 12), ("nls12.w".to_owned(), 0)];
        assert_eq!(dropped(table), Some(BTreeMap::from(expected)));
        assert_eq!(dropped("nls1.h: 1 2 3"), None);
    }
}
