//! The two TAPs of a claim: one on the side of the host, one on the side of the wire. The kernel
//! removes them with their descriptors, so a dead engine leaves none behind.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;

use nix::net::if_::if_nametoindex;

use crate::SelectorError;

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
        let names = ["h", "w"].map(|side| format!("{PREFIX}{number}.{side}"));
        let make = |name: &String| tap(name, mtu);
        let [host, wire] = [make(&names[0])?, make(&names[1])?];
        let indices = [index(&names[0])?, index(&names[1])?];
        Ok(Self { names, indices, ends: Some([host, wire]) })
    }

    /// Returns the number of frames that TAPs have dropped since they were created because the
    /// engine did not read them in time.
    pub fn dropped(names: &[String; 2]) -> u64 {
        let count = |name: &String| {
            let path = format!("/sys/class/net/{name}/statistics/tx_dropped");
            fs::read_to_string(path).ok()?.trim().parse::<u64>().ok()
        };
        names.iter().filter_map(count).sum()
    }
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
    let mut request = request(name);
    let flags = libc::IFF_TAP | libc::IFF_NO_PI | libc::IFF_VNET_HDR | libc::IFF_TUN_EXCL;
    request.ifr_ifru.ifru_flags = flags as libc::c_short;
    control(&file, libc::TUNSETIFF as _, &mut request).map_err(failed("make"))?;
    // SAFETY: the descriptor is open, and the request reads an integer, which lives through the
    // call.
    let set = unsafe { libc::ioctl(file.as_raw_fd(), libc::TUNSETVNETHDRSZ as _, &HEADER_SIZE) };
    if set < 0 {
        return Err(failed("set up")(io::Error::last_os_error()));
    }
    netloom_ports::enable_offloads(&file).map_err(failed("set up"))?;
    // It has no addresses and requests none. The file is missing on machines without IPv6.
    let _ = fs::write(format!("/proc/sys/net/ipv6/conf/{name}/disable_ipv6"), "1");
    bring_up(name, mtu.min(LONGEST)).map_err(failed("bring up"))?;
    Ok(file.into())
}

fn bring_up(name: &str, mtu: u32) -> io::Result<()> {
    let socket = std::net::UdpSocket::bind("127.0.0.1:0").or_else(|_| {
        // This happens in a namespace whose loopback is down.
        std::net::UdpSocket::bind("[::]:0")
    })?;
    let mut asked = request(name);
    asked.ifr_ifru.ifru_mtu = i32::try_from(mtu).unwrap_or(i32::MAX);
    control(&socket, libc::SIOCSIFMTU as _, &mut asked)?;
    let mut asked = request(name);
    let flags = libc::IFF_UP | libc::IFF_NOARP;
    asked.ifr_ifru.ifru_flags = flags as libc::c_short;
    control(&socket, libc::SIOCSIFFLAGS as _, &mut asked)
}

/// Makes a request about an interface to the kernel.
fn control(
    descriptor: &impl AsRawFd,
    what: libc::Ioctl,
    request: &mut libc::ifreq,
) -> io::Result<()> {
    // SAFETY: the descriptor is open, and all these requests read and write one `ifreq`, which
    // lives through the call.
    let done = unsafe { libc::ioctl(descriptor.as_raw_fd(), what, request) };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Returns a request for the interface `name`. The names here are short enough.
fn request(name: &str) -> libc::ifreq {
    // SAFETY: all-zero bytes are a valid `ifreq`.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (place, byte) in request.ifr_name.iter_mut().take(libc::IFNAMSIZ - 1).zip(name.bytes()) {
        *place = byte as libc::c_char;
    }
    request
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
