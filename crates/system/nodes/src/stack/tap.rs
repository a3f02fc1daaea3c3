//! TAP devices: what a node sees as an interface, and the engine as a file descriptor.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;

use nix::net::if_::if_nametoindex;

/// Bytes of the virtio-net header before every frame (`struct virtio_net_hdr`).
const HEADER_SIZE: libc::c_int = 10;

/// The device of which each opening is a new TAP device.
pub(crate) const CLONE_DEVICE: &str = "/dev/net/tun";

/// Creates the device `name` in the calling thread's network namespace: virtio-net header of 10
/// bytes, checksums and super-frames left to the engine, non-blocking.
///
/// The device is persistent: closing the descriptor leaves it in its namespace, and costs next to
/// nothing. Milliseconds for namespaces with one TAP each, from the first descriptor closed or
/// namespace dropped until the kernel had freed all (`cargo bench -p netloom-nodes`; 2 busy cores,
/// Linux 6.18):
///
/// | | 100 | 500 |
/// |---|---|---|
/// | close, and each device goes with its descriptor; then drop | 1752 | 10116 |
/// | drop; then close, and each device goes with its descriptor | 2654 | 10459 |
/// | **persistent: close; then drop** | **127** | **338** |
/// | persistent: drop; then close | 84 | 351 |
///
/// A descriptor that is closed unregisters its device alone, waiting for several RCU grace periods;
/// a namespace that goes takes all its devices along, and the kernel frees namespaces in batches.
/// This holds for an engine that is killed, too. A descriptor holds the namespace, so it must be
/// closed at some point; the order does not matter much.
pub(crate) fn create(name: &str) -> io::Result<OwnedFd> {
    create_noted(name, || Ok(()))
}

/// The same; `note` is called when the device is there and would still go with its descriptor.
pub(crate) fn create_noted(
    name: &str,
    note: impl FnOnce() -> io::Result<()>,
) -> io::Result<OwnedFd> {
    let file = create_passing(name)?;
    note()?;
    set_persistent(&file, true)?;
    Ok(file)
}

/// The same, of a device that goes with the last descriptor.
pub(crate) fn create_passing(name: &str) -> io::Result<OwnedFd> {
    let file = open()?;
    // One that is there is not ours to attach to.
    attach(&file, name, libc::IFF_VNET_HDR | libc::IFF_TUN_EXCL)?;
    // SAFETY: the descriptor is open; TUNSETVNETHDRSZ reads an int, which lives through the call.
    unsafe {
        check(libc::ioctl(file.as_raw_fd(), libc::TUNSETVNETHDRSZ as _, &HEADER_SIZE))?;
    }
    netloom_ports::enable_offloads(&file)?;
    Ok(file.into())
}

/// A device for somebody else to hold by its name, of plain frames.
pub(crate) fn create_plain(name: &str) -> io::Result<()> {
    let file = open()?;
    attach(&file, name, libc::IFF_TUN_EXCL)?;
    set_persistent(&file, true)
}

/// Takes away a device that stays without a descriptor, if it is there with this index. One that
/// somebody uses, as a virtual machine does, cannot be had: the kernel says `EBUSY`.
pub(crate) fn remove(name: &str, index: u32) -> io::Result<()> {
    let is_there = || if_nametoindex(name) == Ok(index);
    if !is_there() {
        return Ok(());
    }
    let file = open()?;
    attach(&file, name, libc::IFF_VNET_HDR)?;
    // One that came meanwhile stays as it was.
    if is_there() { set_persistent(&file, false) } else { Ok(()) }
}

fn set_persistent(device: &impl AsRawFd, on: bool) -> io::Result<()> {
    // SAFETY: the descriptor is open, and the request takes a number.
    unsafe {
        check(libc::ioctl(device.as_raw_fd(), libc::TUNSETPERSIST as _, libc::c_ulong::from(on)))
    }
}

/// Attaches a descriptor to the device `name`, which is made if it is not there.
fn attach(file: &File, name: &str, flags: libc::c_int) -> io::Result<()> {
    // SAFETY: all-zero bytes are a valid `ifreq`.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    if name.len() >= request.ifr_name.len() || name.contains('%') {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    for (target, byte) in request.ifr_name.iter_mut().zip(name.bytes()) {
        *target = byte as libc::c_char;
    }
    let flags = libc::IFF_TAP | libc::IFF_NO_PI | flags;
    request.ifr_ifru.ifru_flags = flags as libc::c_short;
    // SAFETY: the descriptor is open; TUNSETIFF reads and writes an `ifreq`, which lives through
    // the call.
    unsafe { check(libc::ioctl(file.as_raw_fd(), libc::TUNSETIFF as _, &mut request)) }
}

/// Whether this process may make devices at all.
///
/// # Errors
/// What the kernel says to opening [`CLONE_DEVICE`].
pub(crate) fn check_permitted() -> io::Result<()> {
    open().map(drop)
}

fn open() -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).custom_flags(libc::O_NONBLOCK).open(CLONE_DEVICE)
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
