//! Work that a TAP device may leave to the engine: completing checksums and cutting super-frames.
//! Not here: the cutting (`segment`).

use std::io;
use std::os::fd::{AsFd, AsRawFd};

use nix::errno::Errno;

nix::ioctl_write_int!(tun_set_offload, b'T', 208);

/// Partial checksums, and TCP super-frames over IPv4 and IPv6, including those with CWR in the
/// first segment. (Without `TSO_ECN` the kernel cuts these itself.)
const TCP: libc::c_uint =
    libc::TUN_F_CSUM | libc::TUN_F_TSO4 | libc::TUN_F_TSO6 | libc::TUN_F_TSO_ECN;
/// UDP super-frames. The kernel accepts both flags or neither.
const UDP: libc::c_uint = libc::TUN_F_USO4 | libc::TUN_F_USO6;

/// Sets of offloads, the best first. Kernels before 6.2 do not have the first.
const SETS: [libc::c_uint; 2] = [TCP | UDP, TCP];

/// Lets the kernel hand over partial checksums and super-frames through the TAP `fd`, of all kinds
/// that both it and this crate support. The kernel itself processes kinds that it does not support.
///
/// # Errors
/// Fails if the kernel refuses even the oldest set.
pub fn enable_offloads(fd: impl AsFd) -> io::Result<()> {
    let fd = fd.as_fd().as_raw_fd();
    // SAFETY: the descriptor is open, and the request takes a number.
    first_accepted(|set| unsafe { tun_set_offload(fd, set.into()) }.map(drop))
}

/// Makes the kernel do all work itself that it may have left to the reader of the TAP `fd`.
///
/// # Errors
/// Fails if the kernel refuses.
pub fn disable_offloads(fd: impl AsFd) -> io::Result<()> {
    // SAFETY: the descriptor is open, and the request takes a number.
    unsafe { tun_set_offload(fd.as_fd().as_raw_fd(), 0) }?;
    Ok(())
}

/// Tries the sets until the kernel accepts one.
fn first_accepted(mut attempt: impl FnMut(libc::c_uint) -> Result<(), Errno>) -> io::Result<()> {
    let mut outcome = Ok(());
    for set in SETS {
        outcome = attempt(set);
        if outcome != Err(Errno::EINVAL) {
            break;
        }
    }
    Ok(outcome?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sets that are tried with a kernel that supports `known`, and whether it accepted the
    /// last one.
    fn asked(known: libc::c_uint) -> (Vec<libc::c_uint>, bool) {
        let mut asked = Vec::new();
        let outcome = first_accepted(|set| {
            asked.push(set);
            if set & !known == 0 { Ok(()) } else { Err(Errno::EINVAL) }
        });
        (asked, outcome.is_ok())
    }

    #[test]
    fn a_kernel_without_udp_super_frames_is_asked_for_the_others() {
        assert_eq!(asked(TCP | UDP), (vec![TCP | UDP], true));
        assert_eq!(asked(TCP), (vec![TCP | UDP, TCP], true));
        assert_eq!(asked(0), (vec![TCP | UDP, TCP], false));
    }

    #[test]
    fn a_refusal_for_another_reason_is_final() {
        let mut count = 0;
        let outcome = first_accepted(|_| {
            count += 1;
            Err(Errno::EBADFD)
        });
        assert_eq!((outcome.unwrap_err().raw_os_error(), count), (Some(libc::EBADFD), 1));
    }
}
