//! TAP devices: what a node sees as an interface, and the engine as a file descriptor.

use std::fs::OpenOptions;
use std::io;
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::fs::OpenOptionsExt;

/// Bytes of the virtio-net header before every frame (`struct virtio_net_hdr`).
const HEADER_SIZE: libc::c_int = 10;
const TUN_F_CSUM: libc::c_ulong = 1;
const TUN_F_TSO4: libc::c_ulong = 2;
const TUN_F_TSO6: libc::c_ulong = 4;

/// Creates the device `name` in the calling thread's network namespace: virtio-net header of 10
/// bytes, checksum and TCP segmentation offloads, non-blocking.
///
/// The device is persistent: closing the descriptor leaves it in its namespace, and costs next to
/// nothing. Measured with one TAP per namespace on 2 cores (Linux 6.18; closing all descriptors,
/// dropping all namespaces, until the kernel had unregistered every device):
///
/// | order | 100 | 500 |
/// |---|---|---|
/// | close, device goes with it; then drop | 2.20 s | – |
/// | drop; then close, device goes with it | 2.60 s | – |
/// | the same with 8 threads closing | 0.44 s | 1.81 s |
/// | **persistent: close; then drop** | **0.07 s** | **0.14 s** |
/// | persistent: drop; then close | 0.13 s | 0.31 s |
///
/// A descriptor that is closed unregisters its device alone, waiting for several RCU grace periods;
/// a namespace that goes takes all its devices along, and the kernel frees namespaces in batches.
pub(crate) fn create(name: &str) -> io::Result<OwnedFd> {
    let file = OpenOptions::new()
        .read(true)
        .write(true)
        .custom_flags(libc::O_NONBLOCK)
        .open("/dev/net/tun")?;
    // SAFETY: all-zero bytes are a valid `ifreq`.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    if name.len() >= request.ifr_name.len() || name.contains('%') {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    for (target, byte) in request.ifr_name.iter_mut().zip(name.bytes()) {
        *target = byte as libc::c_char;
    }
    let flags = libc::IFF_TAP | libc::IFF_NO_PI | libc::IFF_VNET_HDR;
    request.ifr_ifru.ifru_flags = flags as libc::c_short;
    let fd = file.as_raw_fd();
    let offloads = TUN_F_CSUM | TUN_F_TSO4 | TUN_F_TSO6;
    // SAFETY: the descriptor is open; TUNSETIFF reads and writes an `ifreq`, TUNSETVNETHDRSZ reads
    // an int, both of which live through the call; the others take a number.
    unsafe {
        check(libc::ioctl(fd, libc::TUNSETIFF as _, &mut request))?;
        check(libc::ioctl(fd, libc::TUNSETVNETHDRSZ as _, &HEADER_SIZE))?;
        check(libc::ioctl(fd, libc::TUNSETOFFLOAD as _, offloads))?;
        check(libc::ioctl(fd, libc::TUNSETPERSIST as _, 1 as libc::c_ulong))?;
    }
    Ok(file.into())
}

fn check(result: libc::c_int) -> io::Result<()> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}
