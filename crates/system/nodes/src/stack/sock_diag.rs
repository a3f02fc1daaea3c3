//! Diagnostics of sockets: `NETLINK_SOCK_DIAG` (sock_diag(7)). Not here: which sockets are
//! requested.

use std::io;
use std::os::fd::{AsRawFd, OwnedFd};

use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, recv, send, socket,
};

/// Type of the only request.
const BY_FAMILY: u16 = 20;
const REQUEST_ALL: u16 = (libc::NLM_F_REQUEST | libc::NLM_F_DUMP) as u16;
/// Length of a message's header, in bytes.
const HEADER: usize = 16;
/// Longest part of an answer, in bytes.
const LONGEST: usize = 64 * 1024;

/// A diagnostics socket for the namespace in which it was opened.
#[derive(Debug)]
pub(crate) struct SockDiag(OwnedFd);

impl SockDiag {
    /// Opens a socket in the calling thread's namespace.
    pub fn open() -> io::Result<Self> {
        let (kind, flags) = (SockType::Raw, SockFlag::SOCK_CLOEXEC);
        let family = AddressFamily::Netlink;
        Ok(Self(socket(family, kind, flags, SockProtocol::NetlinkSockDiag)?))
    }

    /// Requests all sockets that `request` describes, and passes the description of each to `each`.
    pub fn dump(&self, request: &[u8], each: &mut dyn FnMut(&[u8])) -> io::Result<()> {
        let mut bytes = Vec::with_capacity(HEADER + request.len());
        // Length, type, flags, sequence number, sender.
        bytes.extend(((HEADER + request.len()) as u32).to_ne_bytes());
        bytes.extend(BY_FAMILY.to_ne_bytes());
        bytes.extend(REQUEST_ALL.to_ne_bytes());
        bytes.extend([0; 8]);
        bytes.extend(request);
        send(self.0.as_raw_fd(), &bytes, MsgFlags::empty())?;
        let mut datagram = vec![0; LONGEST];
        while self.take(&mut datagram, each)? {}
        Ok(())
    }

    /// Reads the next part of the answer. Returns whether there is more.
    fn take(&self, datagram: &mut [u8], each: &mut dyn FnMut(&[u8])) -> io::Result<bool> {
        let length = recv(self.0.as_raw_fd(), datagram, MsgFlags::empty())?;
        let mut rest = &datagram[..length];
        let read = |head: &[u8]| (word(head, 0) as usize, half(head, 4));
        while let Some((kind, body, next)) = part(rest, HEADER, read) {
            match i32::from(kind) {
                libc::NLMSG_DONE => return Ok(false),
                libc::NLMSG_ERROR => {
                    return Err(Errno::from_raw((word(body, 0) as i32).wrapping_neg()).into());
                }
                _ => each(body),
            }
            rest = next;
        }
        Ok(length > 0)
    }
}

/// Returns the attributes of a socket: type and value.
pub(crate) fn attributes(mut rest: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    let read = |head: &[u8]| (usize::from(half(head, 0)), half(head, 2));
    std::iter::from_fn(move || {
        let (kind, body, next) = part(rest, 4, read)?;
        rest = next;
        Some((kind, body))
    })
}

/// Splits off the first message or attribute: returns its type, its content, and what follows.
/// `read` finds length and type in a header of `header` bytes.
fn part(
    bytes: &[u8],
    header: usize,
    read: impl Fn(&[u8]) -> (usize, u16),
) -> Option<(u16, &[u8], &[u8])> {
    let (length, kind) = read(bytes.get(..header)?);
    let body = bytes.get(header..length)?;
    Some((kind, body, bytes.get(length.next_multiple_of(4)..).unwrap_or_default()))
}

/// Returns the 32 bits at an offset, or 0 if there are none.
pub(crate) fn word(bytes: &[u8], at: usize) -> u32 {
    let word = bytes.get(at..at + 4).and_then(|word| word.try_into().ok());
    word.map_or(0, u32::from_ne_bytes)
}

fn half(bytes: &[u8], at: usize) -> u16 {
    u16::from_ne_bytes([bytes[at], bytes[at + 1]])
}
