//! The floor of start and teardown: as many network namespaces and TAP devices as an experiment
//! has, made and removed by bare system calls on all CPUs, with nothing else: no addresses, routes,
//! engine or record.
//!
//!     floor NODES DEVICES
//!
//! Makes `NODES` namespaces with `DEVICES` devices each, all up; prints how long that took and how
//! long until the kernel had freed them, in seconds.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::thread;
use std::time::Instant;

use nix::sched::{CloneFlags, unshare};
use nix::sys::resource::{Resource, getrlimit, setrlimit};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};

fn main() -> io::Result<()> {
    let mut numbers = std::env::args().skip(1).map(|word| word.parse::<usize>());
    let (Some(Ok(nodes)), Some(Ok(devices))) = (numbers.next(), numbers.next()) else {
        return Err(io::Error::new(io::ErrorKind::InvalidInput, "usage: floor NODES DEVICES"));
    };
    let (_, most) = getrlimit(Resource::RLIMIT_NOFILE)?;
    setrlimit(Resource::RLIMIT_NOFILE, most, most)?;
    let threads = thread::available_parallelism()?.get();
    let start = Instant::now();
    let makers: Vec<_> = (0..threads)
        .map(|thread| (nodes + thread) / threads)
        .map(|share| {
            thread::spawn(move || (0..share).map(|_| node(devices)).collect::<io::Result<Vec<_>>>())
        })
        .collect();
    let made: Vec<_> = makers.into_iter().map(|maker| maker.join().expect("a maker")).collect();
    let made = made.into_iter().collect::<io::Result<Vec<_>>>()?;
    println!("up {:.3}", start.elapsed().as_secs_f64());
    let start = Instant::now();
    drop(made);
    netloom_nodes::wait_until_freed();
    println!("gone {:.3}", start.elapsed().as_secs_f64());
    Ok(())
}

/// A namespace with devices, and what holds them.
fn node(devices: usize) -> io::Result<(File, Vec<File>)> {
    unshare(CloneFlags::CLONE_NEWNET)?;
    let namespace = File::open("/proc/thread-self/ns/net")?;
    let control = socket(AddressFamily::Inet, SockType::Datagram, SockFlag::empty(), None)?;
    set_up(&control, "lo")?;
    let device = |number| {
        let name = format!("eth{number}");
        let file = OpenOptions::new().read(true).write(true).open("/dev/net/tun")?;
        let mut request = request(&name);
        request.ifr_ifru.ifru_flags = (libc::IFF_TAP | libc::IFF_NO_PI) as libc::c_short;
        // SAFETY: the descriptor is open, TUNSETIFF takes an `ifreq`, TUNSETPERSIST a number.
        unsafe {
            check(libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF as _, &mut request))?;
            check(libc::ioctl(file.as_raw_fd(), libc::TUNSETPERSIST as _, 1 as libc::c_ulong))?;
        }
        set_up(&control, &name)?;
        Ok(file)
    };
    Ok((namespace, (1..=devices).map(device).collect::<io::Result<_>>()?))
}

fn set_up(control: &OwnedFd, name: &str) -> io::Result<()> {
    let mut request = request(name);
    request.ifr_ifru.ifru_flags = libc::IFF_UP as libc::c_short;
    // SAFETY: the descriptor is open, SIOCSIFFLAGS takes an `ifreq`.
    unsafe { check(libc::ioctl(control.as_raw_fd(), libc::SIOCSIFFLAGS as _, &mut request)) }
}

fn request(name: &str) -> libc::ifreq {
    // SAFETY: all-zero bytes are a valid `ifreq`.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (target, byte) in request.ifr_name.iter_mut().zip(name.bytes()) {
        *target = byte as libc::c_char;
    }
    request
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
