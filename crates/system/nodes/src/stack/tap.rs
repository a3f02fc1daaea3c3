//! TAP devices: an interface in a node, and a file descriptor in the engine.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;

use netloom_plan::InterfacePlan;
use nix::net::if_::if_nametoindex;

/// Bytes of the virtio-net header before every frame (`struct virtio_net_hdr`).
const HEADER_SIZE: libc::c_int = 10;

/// The device of which each opening is a new TAP device.
pub(crate) const CLONE_DEVICE: &str = "/dev/net/tun";

/// Creates the device `name` in the calling thread's network namespace: virtio-net header of 10
/// bytes, checksums and super-frames left to the engine, non-blocking.
///
/// The device is persistent: closing the descriptor leaves it in its namespace, and costs next to
/// nothing. Milliseconds for namespaces with one TAP each, from closing the first descriptor or
/// namespace until the kernel had freed all of them (`cargo bench -p netloom-nodes`; 2 busy cores,
/// Linux 6.18):
///
/// | | 100 | 500 |
/// |---|---|---|
/// | close descriptors, which removes each device; then drop namespaces | 1752 | 10116 |
/// | drop namespaces; then close descriptors, which removes each device | 2654 | 10459 |
/// | **persistent: close; then drop** | **127** | **338** |
/// | persistent: drop; then close | 84 | 351 |
///
/// Closing the descriptor of a device that is not persistent unregisters that device alone, which
/// takes several RCU grace periods. A namespace is freed with all its devices, and the kernel frees
/// namespaces in batches. This also holds for an engine that is killed. A descriptor holds the
/// namespace, so it must be closed at some point; the order does not matter much.
pub(crate) fn create(name: &str) -> io::Result<OwnedFd> {
    create_noted(name, || Ok(()))
}

/// Creates the device of an interface, in which the kernel does the work itself that it would leave
/// to the engine if the plan says so.
pub(crate) fn create_for(interface: &InterfacePlan) -> io::Result<OwnedFd> {
    let device = create(&interface.name)?;
    if !interface.offloads {
        netloom_ports::disable_offloads(&device)?;
    }
    Ok(device)
}

/// Like [`create`]. `note` is called when the device exists and would still be removed with its
/// descriptor.
pub(crate) fn create_noted(
    name: &str,
    note: impl FnOnce() -> io::Result<()>,
) -> io::Result<OwnedFd> {
    let file = create_passing(name)?;
    note()?;
    set_persistent(&file, true)?;
    Ok(file)
}

/// Like [`create`], for a device that is removed with its last descriptor.
pub(crate) fn create_passing(name: &str) -> io::Result<OwnedFd> {
    let file = open()?;
    // An existing device of this name is not ours to attach to.
    attach(&file, name, libc::IFF_VNET_HDR | libc::IFF_TUN_EXCL)?;
    // SAFETY: the descriptor is open; TUNSETVNETHDRSZ reads an int, which lives through the call.
    unsafe {
        check(libc::ioctl(file.as_raw_fd(), libc::TUNSETVNETHDRSZ as _, &HEADER_SIZE))?;
    }
    netloom_ports::enable_offloads(&file)?;
    Ok(file.into())
}

/// Creates a device for plain frames that another program opens by its name.
pub(crate) fn create_plain(name: &str) -> io::Result<()> {
    let file = open()?;
    attach(&file, name, libc::IFF_TUN_EXCL)?;
    set_persistent(&file, true)
}

/// Removes a persistent device, if it exists with this index. One that is in use, for example by a
/// virtual machine, cannot be removed: the kernel returns `EBUSY`.
pub(crate) fn remove(name: &str, index: u32) -> io::Result<()> {
    let is_there = || if_nametoindex(name) == Ok(index);
    if !is_there() {
        return Ok(());
    }
    let file = open()?;
    attach(&file, name, libc::IFF_VNET_HDR)?;
    // A device that was created meanwhile remains unchanged.
    if is_there() { set_persistent(&file, false) } else { Ok(()) }
}

fn set_persistent(device: &impl AsRawFd, on: bool) -> io::Result<()> {
    // SAFETY: the descriptor is open, and the request takes a number.
    unsafe {
        check(libc::ioctl(device.as_raw_fd(), libc::TUNSETPERSIST as _, libc::c_ulong::from(on)))
    }
}

/// Attaches a descriptor to the device `name`, which is created if it does not exist.
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

/// Checks that this process may create devices.
///
/// # Errors
/// The kernel's error for opening [`CLONE_DEVICE`].
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
