//! A laboratory: network namespaces with TAP or veth interfaces, made by the test itself and gone
//! with it. Also used by `examples/link_speed.rs`.
#![allow(dead_code)]

use std::fs::{self, File, OpenOptions};
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::thread;

use netloom_ports::Tap;
use nix::sched::{CloneFlags, setns, unshare};

pub mod datagrams;
pub mod netlink;

/// The name of every interface here.
pub const INTERFACE: &str = "eth0";

/// A network namespace. It lives as long as this, a socket, or a device's descriptor in it.
pub struct Namespace(File);

impl Namespace {
    /// A new one, or the reason why there cannot be one.
    pub fn new() -> io::Result<Self> {
        in_thread(|| {
            unshare(CloneFlags::CLONE_NEWNET)?;
            let namespace = Self(File::open("/proc/thread-self/ns/net")?);
            set_flags("lo", libc::IFF_UP as libc::c_short)?;
            Ok(namespace)
        })
    }

    /// Runs `work` in it. Sockets made there stay there.
    pub fn run<T: Send>(&self, work: impl FnOnce() -> T + Send) -> T {
        in_thread(|| {
            setns(&self.0, CloneFlags::CLONE_NEWNET).expect("the namespace can be entered");
            work()
        })
    }

    pub fn fd(&self) -> i32 {
        self.0.as_raw_fd()
    }

    /// Adds a TAP interface with the addresses 10.0.0.`host` and fd00::`host`.
    pub fn add_tap(&self, host: u8) -> io::Result<Tap> {
        self.run(|| {
            let tap = open_tap()?;
            configure(host)?;
            Ok(tap)
        })
    }

    /// Gives the interface the addresses 10.0.0.`host` and fd00::`host`.
    pub fn configure(&self, host: u8) -> io::Result<()> {
        self.run(|| configure(host))
    }

    /// Takes the interface up or down.
    pub fn set_up(&self, up: bool) -> io::Result<()> {
        let flags = if up { libc::IFF_UP } else { 0 };
        self.run(|| set_flags(INTERFACE, flags as libc::c_short))
    }

    /// Whether the software in it sees a carrier.
    pub fn sees_carrier(&self) -> bool {
        self.run(|| {
            let carrier = request(INTERFACE, libc::SIOCGIFFLAGS, |_| {});
            // SAFETY: SIOCGIFFLAGS fills the flags.
            carrier.is_ok_and(|ifreq| unsafe {
                i32::from(ifreq.ifr_ifru.ifru_flags) & libc::IFF_RUNNING != 0
            })
        })
    }

    /// A counter of /proc/net/snmp, like ("Tcp", "InCsumErrors").
    pub fn counter(&self, protocol: &str, name: &str) -> u64 {
        let text = self.run(|| fs::read_to_string("/proc/thread-self/net/snmp")).unwrap();
        let mut lines = text.lines().filter(|line| line.starts_with(&format!("{protocol}:")));
        let (names, values) = (lines.next().unwrap(), lines.next().unwrap());
        let at = names.split(' ').position(|word| word == name).unwrap();
        values.split(' ').nth(at).unwrap().parse().unwrap()
    }
}

/// Whether this machine lets us make namespaces and TAP devices; prints the reason if not.
pub fn available(test: &str) -> bool {
    let attempt = Namespace::new().and_then(|namespace| namespace.add_tap(1));
    if let Err(error) = &attempt {
        eprintln!("SKIPPED {test}: no namespace with a TAP device can be made here: {error}");
    }
    attempt.is_ok()
}

/// Two namespaces and the far ends of their TAP interfaces.
pub fn two_hosts() -> ([Namespace; 2], [Tap; 2]) {
    let namespaces = [Namespace::new().unwrap(), Namespace::new().unwrap()];
    let taps = [namespaces[0].add_tap(1).unwrap(), namespaces[1].add_tap(2).unwrap()];
    (namespaces, taps)
}

pub fn ipv4(host: u8) -> Ipv4Addr {
    Ipv4Addr::new(10, 0, 0, host)
}

pub fn ipv6(host: u8) -> Ipv6Addr {
    Ipv6Addr::new(0xfd00, 0, 0, 0, 0, 0, 0, host.into())
}

fn in_thread<T: Send>(work: impl FnOnce() -> T + Send) -> T {
    thread::scope(|scope| {
        scope.spawn(work).join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
    })
}

nix::ioctl_write_int!(tun_set_interface, b'T', 202);
nix::ioctl_write_int!(tun_set_offload, b'T', 208);

fn open_tap() -> io::Result<Tap> {
    let tun = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(libc::O_NONBLOCK)
        .open("/dev/net/tun")?;
    let mut ifreq = named(INTERFACE);
    let flags = libc::IFF_TAP | libc::IFF_NO_PI | libc::IFF_VNET_HDR;
    ifreq.ifr_ifru.ifru_flags = flags as libc::c_short;
    let offload = libc::TUN_F_CSUM | libc::TUN_F_TSO4 | libc::TUN_F_TSO6;
    // SAFETY: the first request reads an ifreq that outlives it, the second one a number.
    unsafe {
        tun_set_interface(tun.as_raw_fd(), &raw const ifreq as u64)?;
        tun_set_offload(tun.as_raw_fd(), offload.into())?;
    }
    Ok(Tap::from_fd(tun.into()))
}

fn configure(host: u8) -> io::Result<()> {
    // Without waiting for duplicate addresses to show.
    fs::write(format!("/proc/sys/net/ipv6/conf/{INTERFACE}/accept_dad"), "0")?;
    let address = |ip: Ipv4Addr| {
        move |ifreq: &mut libc::ifreq| {
            // SAFETY: a zeroed sockaddr is valid, and a sockaddr_in fits into it.
            let mut inet: libc::sockaddr_in = unsafe { std::mem::zeroed() };
            inet.sin_family = libc::AF_INET as libc::sa_family_t;
            inet.sin_addr.s_addr = u32::from_ne_bytes(ip.octets());
            // SAFETY: both are plain data of 16 bytes.
            ifreq.ifr_ifru.ifru_addr =
                unsafe { std::mem::transmute::<libc::sockaddr_in, libc::sockaddr>(inet) };
        }
    };
    request(INTERFACE, libc::SIOCSIFADDR, address(ipv4(host)))?;
    request(INTERFACE, libc::SIOCSIFNETMASK, address(Ipv4Addr::new(255, 255, 255, 0)))?;
    set_flags(INTERFACE, libc::IFF_UP as libc::c_short)?;
    add_ipv6(ipv6(host))
}

fn set_flags(interface: &str, flags: libc::c_short) -> io::Result<()> {
    request(interface, libc::SIOCSIFFLAGS, |ifreq| ifreq.ifr_ifru.ifru_flags = flags)?;
    Ok(())
}

#[repr(C)]
struct In6Ifreq {
    address: libc::in6_addr,
    prefix: u32,
    interface: libc::c_int,
}

fn add_ipv6(address: Ipv6Addr) -> io::Result<()> {
    let ifreq = request(INTERFACE, libc::SIOCGIFINDEX, |_| {})?;
    let address = In6Ifreq {
        address: libc::in6_addr { s6_addr: address.octets() },
        prefix: 64,
        // SAFETY: SIOCGIFINDEX filled the index.
        interface: unsafe { ifreq.ifr_ifru.ifru_ifindex },
    };
    let socket = socket(libc::AF_INET6)?;
    // SAFETY: the kernel reads the structure, which outlives the call.
    let result =
        unsafe { libc::ioctl(socket.as_raw_fd(), libc::SIOCSIFADDR as _, &raw const address) };
    if result == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}

fn request(
    interface: &str,
    what: libc::c_ulong,
    fill: impl FnOnce(&mut libc::ifreq),
) -> io::Result<libc::ifreq> {
    let socket = socket(libc::AF_INET)?;
    let mut ifreq = named(interface);
    fill(&mut ifreq);
    // SAFETY: the kernel reads and fills the ifreq, which outlives the call.
    let result = unsafe { libc::ioctl(socket.as_raw_fd(), what as _, &raw mut ifreq) };
    if result == 0 { Ok(ifreq) } else { Err(io::Error::last_os_error()) }
}

fn socket(family: libc::c_int) -> io::Result<OwnedFd> {
    // SAFETY: a plain system call; the descriptor it gives is ours alone.
    unsafe {
        let fd = libc::socket(family, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0);
        if fd < 0 { Err(io::Error::last_os_error()) } else { Ok(OwnedFd::from_raw_fd(fd)) }
    }
}

fn named(interface: &str) -> libc::ifreq {
    // SAFETY: all zeros is a valid ifreq.
    let mut ifreq: libc::ifreq = unsafe { std::mem::zeroed() };
    for (target, byte) in ifreq.ifr_name.iter_mut().zip(interface.bytes().take(15)) {
        *target = byte as libc::c_char;
    }
    ifreq
}
