//! A laboratory: network namespaces with TAP or veth interfaces, which the test creates and which
//! end with it. Also used by `benches/throughput` and the example `accuracy`.
#![allow(dead_code)]

use std::fs::{self, File, OpenOptions};
use std::io;
use std::net::{Ipv4Addr, Ipv6Addr, UdpSocket};
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;
use std::thread;
use std::time::{Duration, Instant};

use netloom_ports::{Tap, enable_offloads};
use nix::sched::{CloneFlags, setns, unshare};

pub mod datagrams;
pub mod echo;
pub mod load;
pub mod netlink;
pub mod virtual_time;

/// Name of every interface here.
pub const INTERFACE: &str = "eth0";

/// A network namespace. It exists as long as this value, a socket, or a device's descriptor in it.
pub struct Namespace(File);

impl Namespace {
    /// Creates a namespace, or returns why that is impossible.
    pub fn new() -> io::Result<Self> {
        in_thread(|| {
            unshare(CloneFlags::CLONE_NEWNET)?;
            let namespace = Self(File::open("/proc/thread-self/ns/net")?);
            set_flags("lo", libc::IFF_UP as libc::c_short)?;
            Ok(namespace)
        })
    }

    /// Runs `work` in the namespace. Sockets created there stay there.
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
            let tap = open_tap(INTERFACE)?;
            configure(host)?;
            Ok(Tap::from_fd(tap))
        })
    }

    /// Adds `count` TAP interfaces without addresses, called `t0`, `t1` and so on. They are
    /// persistent: the kernel frees them together with the namespace, which is far faster than one
    /// by one.
    pub fn add_bare_taps(&self, count: usize) -> io::Result<Vec<Tap>> {
        self.run(|| {
            fs::write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1")?;
            let add = |name: String| {
                let tap = open_tap(&name)?;
                // SAFETY: the request takes a number.
                unsafe { tun_set_persist(tap.as_raw_fd(), 1)? };
                set_flags(&name, libc::IFF_UP as libc::c_short)?;
                Ok(Tap::from_fd(tap))
            };
            (0..count).map(|index| add(format!("t{index}"))).collect()
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

    /// Sets the longest packet that the interface sends, in bytes.
    pub fn set_mtu(&self, mtu: libc::c_int) -> io::Result<()> {
        let fill = move |ifreq: &mut libc::ifreq| ifreq.ifr_ifru.ifru_mtu = mtu;
        self.run(|| request(INTERFACE, libc::SIOCSIFMTU, fill).map(drop))
    }

    /// Disables offloads, so that the kernel computes checksums and splits super-frames itself,
    /// like `ethtool --offload eth0 tx off`.
    pub fn leave_nothing_to_the_interface(&self) -> io::Result<()> {
        #[repr(C)]
        struct EthtoolValue {
            command: u32,
            data: u32,
        }
        const ETHTOOL_STXCSUM: u32 = 0x17;
        const SIOCETHTOOL: libc::c_ulong = 0x8946;
        let mut off = EthtoolValue { command: ETHTOOL_STXCSUM, data: 0 };
        let off = (&raw mut off).cast::<libc::c_char>() as usize;
        self.run(|| {
            let fill =
                |ifreq: &mut libc::ifreq| ifreq.ifr_ifru.ifru_data = off as *mut libc::c_char;
            request(INTERFACE, SIOCETHTOOL, fill).map(drop)
        })
    }

    /// Whether the software in the namespace detects a carrier.
    pub fn sees_carrier(&self) -> bool {
        self.run(|| {
            let carrier = request(INTERFACE, libc::SIOCGIFFLAGS, |_| {});
            // SAFETY: SIOCGIFFLAGS fills the flags.
            carrier.is_ok_and(|ifreq| unsafe {
                i32::from(ifreq.ifr_ifru.ifru_flags) & libc::IFF_RUNNING != 0
            })
        })
    }

    /// Returns a counter of /proc/net/snmp, like ("Tcp", "InCsumErrors").
    pub fn counter(&self, protocol: &str, name: &str) -> u64 {
        let text = self.run(|| fs::read_to_string("/proc/thread-self/net/snmp")).unwrap();
        let mut lines = text.lines().filter(|line| line.starts_with(&format!("{protocol}:")));
        let (names, values) = (lines.next().unwrap(), lines.next().unwrap());
        let at = names.split(' ').position(|word| word == name).unwrap();
        values.split(' ').nth(at).unwrap().parse().unwrap()
    }
}

/// Whether this machine permits namespaces and TAP devices. Prints the reason if not.
pub fn available(test: &str) -> bool {
    let attempt = Namespace::new().and_then(|namespace| namespace.add_tap(1));
    if let Err(error) = &attempt {
        println!("skipped: {test}: no namespace with a TAP device can be made here: {error}");
    }
    attempt.is_ok()
}

/// Creates two namespaces, and returns the far ends of their TAP interfaces.
pub fn two_hosts() -> ([Namespace; 2], [Tap; 2]) {
    let namespaces = [Namespace::new().unwrap(), Namespace::new().unwrap()];
    let taps = [namespaces[0].add_tap(1).unwrap(), namespaces[1].add_tap(2).unwrap()];
    (namespaces, taps)
}

/// Like [`two_hosts`], but nothing is sent except by the test: there is no IPv6, and each host has
/// the other's address configured. So the n-th datagram is the n-th frame of the link.
pub fn two_quiet_hosts() -> ([Namespace; 2], [Tap; 2]) {
    let namespaces = [Namespace::new().unwrap(), Namespace::new().unwrap()];
    let add = |namespace: &Namespace, host: u8| {
        namespace.run(|| {
            fs::write("/proc/sys/net/ipv6/conf/default/disable_ipv6", "1").unwrap();
            let tap = open_tap(INTERFACE).unwrap();
            configure_ipv4(host).unwrap();
            (Tap::from_fd(tap), mac_of(&request(INTERFACE, libc::SIOCGIFHWADDR, |_| {}).unwrap()))
        })
    };
    let [(one, first), (two, second)] = [add(&namespaces[0], 1), add(&namespaces[1], 2)];
    namespaces[0].run(|| netlink::add_neighbour(ipv4(2), second)).unwrap();
    namespaces[1].run(|| netlink::add_neighbour(ipv4(1), first)).unwrap();
    (namespaces, [one, two])
}

fn mac_of(ifreq: &libc::ifreq) -> [u8; 6] {
    // SAFETY: SIOCGIFHWADDR filled the address.
    let data = unsafe { ifreq.ifr_ifru.ifru_hwaddr.sa_data };
    std::array::from_fn(|index| data[index] as u8)
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
nix::ioctl_write_int!(tun_set_persist, b'T', 203);

fn open_tap(name: &str) -> io::Result<OwnedFd> {
    let tun = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(libc::O_NONBLOCK)
        .open("/dev/net/tun")?;
    let mut ifreq = named(name);
    let flags = libc::IFF_TAP | libc::IFF_NO_PI | libc::IFF_VNET_HDR;
    ifreq.ifr_ifru.ifru_flags = flags as libc::c_short;
    // SAFETY: the request reads an ifreq that outlives it.
    unsafe { tun_set_interface(tun.as_raw_fd(), &raw const ifreq as u64)? };
    enable_offloads(&tun)?;
    Ok(tun.into())
}

fn configure(host: u8) -> io::Result<()> {
    // Without waiting for duplicate address detection.
    fs::write(format!("/proc/sys/net/ipv6/conf/{INTERFACE}/accept_dad"), "0")?;
    configure_ipv4(host)?;
    add_ipv6(ipv6(host))
}

fn configure_ipv4(host: u8) -> io::Result<()> {
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
    set_flags(INTERFACE, libc::IFF_UP as libc::c_short)
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
    if result != 0 {
        return Err(io::Error::last_os_error());
    }
    wait_until_usable(address.address)
}

/// Waits for the kernel, which makes a new IPv6 address usable later, on a thread of its own.
fn wait_until_usable(address: libc::in6_addr) -> io::Result<()> {
    let deadline = Instant::now() + Duration::from_secs(30);
    loop {
        match UdpSocket::bind((Ipv6Addr::from(address.s6_addr), 0)) {
            Ok(_) => return Ok(()),
            Err(error) if Instant::now() > deadline => return Err(error),
            Err(_) => thread::sleep(Duration::from_millis(1)),
        }
    }
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
    // SAFETY: a plain system call; the returned descriptor has no other owner.
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
