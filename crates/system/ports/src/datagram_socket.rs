//! A UDP socket for many datagrams in one call: the kernel cuts what is sent (`UDP_SEGMENT`) and
//! joins what comes (`UDP_GRO`). Not here: what datagrams contain.
//!
//! The kernel never fragments its datagrams. One that is longer than the path carries is lost on
//! the way, or refused here.

use std::io::{self, IoSliceMut};
use std::net::{IpAddr, SocketAddr, SocketAddrV4, SocketAddrV6, UdpSocket};
use std::ops::RangeInclusive;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd};

use nix::errno::Errno;
use nix::sys::socket::sockopt::{RcvBuf, ReceiveTimestampns, UdpGroSegment, UdpGsoSegment};
use nix::sys::socket::{
    ControlMessageOwned, MsgFlags, SockaddrStorage, getsockopt, recvmsg, setsockopt,
};
use nix::sys::time::TimeSpec;

use crate::packet_socket::set;

/// Size of the kernel's queues of datagrams, in bytes, if that is permitted.
const QUEUE: libc::c_int = 16 << 20;
/// Most datagrams, and most bytes, that the kernel cuts one call into.
const MOST_CUT: usize = 64;
const MOST_BYTES: usize = 65_000;
/// Room that takes whatever one read returns, in bytes.
pub const DATAGRAMS_BYTES: usize = 65_536;

/// A UDP socket. Like any socket, it holds the network namespace in which it was made.
#[derive(Debug)]
pub struct DatagramSocket {
    socket: UdpSocket,
    address: SocketAddr,
    /// Length of a datagram that the kernel cuts, in bytes.
    length: usize,
    /// Whether the kernel cuts.
    cuts: bool,
    control: Vec<u8>,
}

/// Datagrams that one read returned: from one sender, all of one length but the last, which may be
/// shorter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Arrived {
    /// Number of bytes, of all of them together.
    pub bytes: usize,
    /// Length of each, in bytes.
    pub length: usize,
    /// The sender.
    pub from: SocketAddr,
    /// The time at which the first one reached this machine, in ns since 1970-01-01 UTC by the
    /// machine's clock. `None` if the socket does not [ask for it](DatagramSocket::stamp).
    pub unix_ns: Option<u64>,
}

/// Why bytes were not sent.
#[derive(Debug)]
pub struct Unsent {
    /// Number of bytes that were sent before.
    pub sent: usize,
    /// The kernel's error. `WouldBlock`: its queue is full.
    pub source: io::Error,
}

impl DatagramSocket {
    /// Opens a socket at `address`, with the first of `ports` that is free, for datagrams of
    /// `length` bytes. Port 0 stands for any.
    ///
    /// # Errors
    /// If no port is free, the machine has no such address, or it refuses sockets.
    pub fn bind(address: IpAddr, ports: RangeInclusive<u16>, length: usize) -> io::Result<Self> {
        let mut refused = io::Error::from(io::ErrorKind::AddrInUse);
        let bound = ports.into_iter().find_map(|port| match UdpSocket::bind((address, port)) {
            Ok(socket) => Some(Ok(socket)),
            Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
                refused = error;
                None
            }
            Err(error) => Some(Err(error)),
        });
        let socket = bound.unwrap_or(Err(refused))?;
        socket.set_nonblocking(true)?;
        match address {
            IpAddr::V4(_) => {
                set(&socket, libc::IPPROTO_IP, libc::IP_MTU_DISCOVER, libc::IP_PMTUDISC_PROBE)?
            }
            IpAddr::V6(_) => {
                let (option, probe) = (libc::IPV6_MTU_DISCOVER, libc::IPV6_PMTUDISC_PROBE);
                set(&socket, libc::IPPROTO_IPV6, option, probe)?;
            }
        }
        let queues =
            [(libc::SO_RCVBUFFORCE, libc::SO_RCVBUF), (libc::SO_SNDBUFFORCE, libc::SO_SNDBUF)];
        for (forced, permitted) in queues {
            // Exceeds the limit of ordinary sockets if that is permitted, else uses all of it.
            if set(&socket, libc::SOL_SOCKET, forced, QUEUE).is_err() {
                set(&socket, libc::SOL_SOCKET, permitted, QUEUE)?;
            }
        }
        // Old kernels do neither.
        let _ = setsockopt(&socket, UdpGroSegment, &true);
        let cut = libc::c_int::try_from(length).unwrap_or(libc::c_int::MAX);
        let cuts = setsockopt(&socket, UdpGsoSegment, &cut).is_ok();
        let control = nix::cmsg_space!(TimeSpec, libc::c_int);
        Ok(Self { address: socket.local_addr()?, socket, length, cuts, control })
    }

    /// Returns its own address.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Makes the kernel report when datagrams reach this machine.
    ///
    /// # Errors
    /// If the kernel does not know that.
    pub fn stamp(&self) -> io::Result<()> {
        Ok(setsockopt(&self.socket, ReceiveTimestampns, &true)?)
    }

    /// Makes it send whatever it is given as one datagram.
    #[must_use]
    pub fn uncut(self) -> Self {
        let _ = setsockopt(&self.socket, UdpGsoSegment, &0);
        Self { length: usize::MAX, cuts: false, ..self }
    }

    /// Returns the size of the kernel's queue of datagrams that have come, in bytes.
    ///
    /// # Errors
    /// If the kernel refuses.
    pub fn queue(&self) -> io::Result<usize> {
        Ok(getsockopt(&self.socket, RcvBuf)?)
    }

    /// Sends `bytes` as datagrams of its length, the last of which may be shorter.
    ///
    /// # Errors
    /// If the kernel has no room for all of them now, or refuses them.
    #[inline]
    pub fn send(&mut self, bytes: &[u8], to: SocketAddr) -> Result<(), Unsent> {
        let mut sent = 0;
        while sent < bytes.len() {
            let most = if self.cuts { MOST_CUT.min(MOST_BYTES / self.length).max(1) } else { 1 };
            let rest = &bytes[sent..];
            let part = &rest[..rest.len().min(most * self.length)];
            match self.socket.send_to(part, to) {
                Ok(_) => sent += part.len(),
                Err(source) => match source.raw_os_error().map(Errno::from_raw) {
                    Some(Errno::EINTR) => {}
                    // The device on the way computes no checksums, so the kernel does not cut.
                    Some(Errno::EIO | Errno::EINVAL) if self.cuts && part.len() > self.length => {
                        self.cuts = false;
                        let _ = setsockopt(&self.socket, UdpGsoSegment, &0);
                    }
                    _ => return Err(Unsent { sent, source }),
                },
            }
        }
        Ok(())
    }

    /// Reads datagrams into `room`, which has [`DATAGRAMS_BYTES`]. `None` if none wait.
    ///
    /// # Errors
    /// If the kernel refuses.
    #[inline]
    pub fn receive(&mut self, room: &mut [u8]) -> io::Result<Option<Arrived>> {
        loop {
            let fd = self.socket.as_raw_fd();
            let mut pieces = [IoSliceMut::new(room)];
            let control = Some(&mut self.control[..]);
            let read = recvmsg::<SockaddrStorage>(fd, &mut pieces, control, MsgFlags::empty());
            let read = match read {
                Ok(read) => read,
                Err(Errno::EINTR) => continue,
                Err(Errno::EAGAIN) => return Ok(None),
                Err(errno) => return Err(errno.into()),
            };
            let Some(from) = read.address.as_ref().and_then(address_of) else { continue };
            let (bytes, mut length, mut unix_ns) = (read.bytes, read.bytes, None);
            for message in read.cmsgs()? {
                match message {
                    ControlMessageOwned::UdpGroSegments(each) => {
                        length = usize::try_from(each).unwrap_or(bytes);
                    }
                    ControlMessageOwned::ScmTimestampns(at) => {
                        let at = std::time::Duration::from(at).as_nanos();
                        unix_ns = u64::try_from(at).ok();
                    }
                    _ => {}
                }
            }
            return Ok(Some(Arrived { bytes, length, from, unix_ns }));
        }
    }
}

impl AsFd for DatagramSocket {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

fn address_of(storage: &SockaddrStorage) -> Option<SocketAddr> {
    let v4 = storage.as_sockaddr_in().map(|address| SocketAddrV4::from(*address).into());
    v4.or_else(|| storage.as_sockaddr_in6().map(|address| SocketAddrV6::from(*address).into()))
}

#[cfg(test)]
mod tests {
    use std::net::Ipv4Addr;
    use std::time::{Duration, Instant};

    use super::*;

    const HOME: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

    fn bind(length: usize) -> DatagramSocket {
        DatagramSocket::bind(HOME, 0..=0, length).unwrap()
    }

    /// Returns the lengths and the bytes of the next datagrams, up to `wanted` bytes.
    fn read(socket: &mut DatagramSocket, wanted: usize) -> (Vec<usize>, Vec<u8>) {
        let (mut room, mut lengths, mut bytes) = (vec![0; DATAGRAMS_BYTES], vec![], vec![]);
        let deadline = Instant::now() + Duration::from_secs(30);
        while bytes.len() < wanted {
            assert!(Instant::now() < deadline, "{} of {wanted} bytes came", bytes.len());
            let Some(seen) = socket.receive(&mut room).unwrap() else {
                std::thread::yield_now();
                continue;
            };
            lengths.extend(room[..seen.bytes].chunks(seen.length).map(<[u8]>::len));
            bytes.extend_from_slice(&room[..seen.bytes]);
        }
        (lengths, bytes)
    }

    fn numbered(length: usize) -> Vec<u8> {
        (0..length).map(|index| (index % 251) as u8).collect()
    }

    #[test]
    fn what_is_sent_comes_as_datagrams_of_the_length_whether_the_kernel_cuts_or_not() {
        for cuts in [true, false] {
            let (mut from, mut to) = (bind(1000), bind(1000));
            if !cuts {
                (from.cuts, _) = (false, setsockopt(&from.socket, UdpGsoSegment, &0));
            }
            for (length, datagrams) in [(1, 1), (1000, 1), (1001, 2), (150_300, 151)] {
                let bytes = numbered(length);
                from.send(&bytes, to.address()).unwrap();
                let (lengths, seen) = read(&mut to, length);
                assert_eq!(lengths.len(), datagrams);
                assert!(lengths[..datagrams - 1].iter().all(|length| *length == 1000));
                assert!(seen == bytes);
            }
        }
    }

    #[test]
    fn datagrams_come_with_their_sender_and_their_time_if_wanted() {
        let (mut from, mut to) = (bind(100), bind(100));
        let mut room = vec![0; DATAGRAMS_BYTES];
        let mut next = |from: &mut DatagramSocket, to: &mut DatagramSocket| {
            from.send(&[7; 10], to.address()).unwrap();
            to.receive(&mut room).unwrap().expect("the loopback delivers at once")
        };
        let plain = next(&mut from, &mut to);
        let expected = Arrived { bytes: 10, length: 10, from: from.address(), unix_ns: None };
        assert_eq!(plain, expected);
        to.stamp().unwrap();
        assert!(next(&mut from, &mut to).unix_ns.is_some_and(|at| at > 1_600_000_000_000_000_000));
        assert_eq!(to.receive(&mut room).unwrap(), None);
    }

    #[test]
    fn the_ports_of_a_range_are_used_one_after_the_other_and_then_no_more() {
        let first = bind(100);
        let port = first.address().port();
        let taken = DatagramSocket::bind(HOME, port..=port, 100).unwrap_err();
        assert_eq!(taken.kind(), io::ErrorKind::AddrInUse);
        let range = port..=port.saturating_add(50);
        let next = DatagramSocket::bind(HOME, range.clone(), 100).unwrap();
        assert!(range.contains(&next.address().port()) && next.address() != first.address());
    }

    #[test]
    fn an_uncut_socket_sends_datagrams_of_any_length() {
        let (mut from, mut to) = (bind(1000).uncut(), bind(1000));
        for length in [1, 1000, 9000] {
            from.send(&numbered(length), to.address()).unwrap();
            let (lengths, _) = read(&mut to, length);
            assert_eq!(lengths, [length]);
        }
        assert!(to.queue().unwrap() > 0);
    }

    #[test]
    fn a_datagram_that_no_path_carries_is_refused() {
        let (mut from, to) = (bind(70_000), bind(100));
        let Unsent { sent, source } = from.send(&[0; 70_000], to.address()).unwrap_err();
        assert_eq!((sent, source.raw_os_error()), (0, Some(libc::EMSGSIZE)));
    }
}
