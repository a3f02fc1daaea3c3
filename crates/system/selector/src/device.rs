//! Properties of devices of this thread's network namespace. The kernel is asked directly: the
//! files of another namespace may be at `/sys`.

use std::io;
use std::net::UdpSocket;
use std::os::fd::AsRawFd;

/// Returns the kind of a device (`ARPHRD_*`).
pub fn kind(name: &str) -> io::Result<u16> {
    let mut asked = request(name);
    control(&socket()?, libc::SIOCGIFHWADDR as _, &mut asked)?;
    // SAFETY: the kernel has filled in this member.
    Ok(unsafe { asked.ifr_ifru.ifru_hwaddr.sa_family })
}

/// Returns the longest packet of a device, in bytes.
pub fn mtu(name: &str) -> io::Result<u32> {
    let mut asked = request(name);
    control(&socket()?, libc::SIOCGIFMTU as _, &mut asked)?;
    // SAFETY: the kernel has filled in this member.
    let mtu = unsafe { asked.ifr_ifru.ifru_mtu };
    u32::try_from(mtu).map_err(io::Error::other)
}

/// Sets the longest packet of a device, in bytes.
pub fn set_mtu(name: &str, mtu: u32) -> io::Result<()> {
    let mut asked = request(name);
    asked.ifr_ifru.ifru_mtu = i32::try_from(mtu).unwrap_or(i32::MAX);
    control(&socket()?, libc::SIOCSIFMTU as _, &mut asked)
}

/// Brings a device up that has no addresses and answers no questions for them.
pub fn bring_up(name: &str) -> io::Result<()> {
    let mut asked = request(name);
    let flags = libc::IFF_UP | libc::IFF_NOARP;
    asked.ifr_ifru.ifru_flags = flags as libc::c_short;
    control(&socket()?, libc::SIOCSIFFLAGS as _, &mut asked)
}

/// Returns a socket for requests about interfaces.
fn socket() -> io::Result<UdpSocket> {
    // The second is for a namespace whose loopback is down.
    UdpSocket::bind("127.0.0.1:0").or_else(|_| UdpSocket::bind("[::]:0"))
}

/// Makes a request about an interface to the kernel.
pub fn control(
    descriptor: &impl AsRawFd,
    what: libc::Ioctl,
    request: &mut libc::ifreq,
) -> io::Result<()> {
    // SAFETY: the descriptor is open, and all these requests read and write one `ifreq`, which
    // lives through the call.
    let done = unsafe { libc::ioctl(descriptor.as_raw_fd(), what, request) };
    if done < 0 { Err(io::Error::last_os_error()) } else { Ok(()) }
}

/// Returns a request for the interface `name`, of which the kernel sees as much as a name can have.
pub fn request(name: &str) -> libc::ifreq {
    // SAFETY: all-zero bytes are a valid `ifreq`.
    let mut request: libc::ifreq = unsafe { std::mem::zeroed() };
    for (place, byte) in request.ifr_name.iter_mut().take(libc::IFNAMSIZ - 1).zip(name.bytes()) {
        *place = byte as libc::c_char;
    }
    request
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernel_says_what_a_loopback_is() {
        assert_eq!(kind("lo").unwrap(), libc::ARPHRD_LOOPBACK);
        assert!(mtu("lo").unwrap() >= 1280);
        assert_eq!(mtu("no-such-device").unwrap_err().raw_os_error(), Some(libc::ENODEV));
    }
}
