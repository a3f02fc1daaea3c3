//! All frames that pass an interface, as the kernel shows them to sniffers (`packet(7)`). Not here:
//! what is done with them.

use std::io;
use std::mem;
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd};
use std::time::Duration;

use nix::errno::Errno;
use nix::net::if_::if_nametoindex;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::{Frame, FrameBuffer, Pool};

/// Size of the kernel's queue of frames that have not been read, in bytes.
const BACKLOG: libc::c_int = 8 << 20;
/// Room for control messages, in words: a time and a tag, with their headers.
const CONTROL_WORDS: usize = 32;

/// A packet socket at one interface. Like any socket, it holds the network namespace in which it
/// was made.
#[derive(Debug)]
pub struct PacketSocket {
    fd: OwnedFd,
    buffer: FrameBuffer,
    missed: u64,
}

/// A frame that has passed the interface.
#[derive(Debug)]
pub struct Passed {
    /// The frame, which may be a super-frame.
    pub frame: Frame,
    /// The direction in which it passed.
    pub passing: Passing,
    /// The time by the machine's clock, in ns since 1970-01-01 UTC; `None` if the kernel did not
    /// report it.
    pub unix_ns: Option<u64>,
}

/// Direction in which a frame passes an interface.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passing {
    /// The interface has received it.
    In,
    /// The interface sends it.
    Out,
}

impl PacketSocket {
    /// Watches `interface` of the calling thread's network namespace from now on.
    ///
    /// # Errors
    /// Fails if there is no such interface, or the kernel refuses packet sockets (`CAP_NET_RAW`).
    pub fn open(interface: &str) -> io::Result<Self> {
        let stamped = |fd: &OwnedFd| set(fd, libc::SOL_SOCKET, libc::SO_TIMESTAMPNS, 1);
        let fd = open(if_nametoindex(interface)?, stamped)?;
        Ok(Self { fd, buffer: FrameBuffer::default(), missed: 0 })
    }

    /// The next frame, in memory of `pool`; `None` if none comes within `patience`.
    ///
    /// # Errors
    /// Fails if the interface is gone or down, or the machine refuses.
    pub fn receive(&mut self, pool: &mut Pool, patience: Duration) -> io::Result<Option<Passed>> {
        loop {
            match read(&self.fd, &mut self.buffer) {
                Ok(Read { passing, tag, unix_ns }) => {
                    let frame = pool.take(&mut self.buffer);
                    let frame = frame.and_then(|frame| match tag {
                        Some(tag) => pool.push_tag(frame, tag),
                        None => Some(frame),
                    });
                    match frame {
                        Some(frame) => return Ok(Some(Passed { frame, passing, unix_ns })),
                        None => self.missed += 1,
                    }
                }
                Err(Errno::EINTR) => {}
                // A frame of a kind that the header cannot express.
                Err(Errno::EINVAL) => self.missed += 1,
                Err(Errno::EAGAIN) if !self.wait(patience)? => return Ok(None),
                Err(Errno::EAGAIN) => {}
                Err(errno) => return Err(errno.into()),
            }
        }
    }

    /// Number of frames that passed and cannot be received because they came too fast; super-frames
    /// count as one.
    pub fn missed(&mut self) -> u64 {
        // The kernel resets its counter each time it is read.
        self.missed += dropped(&self.fd);
        self.missed
    }

    /// Whether there is something to read within `patience`.
    fn wait(&self, patience: Duration) -> io::Result<bool> {
        // Whole milliseconds plus one, so that a short patience does not make this a busy loop.
        let timeout = PollTimeout::try_from(patience.as_millis() + 1).unwrap_or(PollTimeout::MAX);
        match poll(&mut [PollFd::new(self.fd.as_fd(), PollFlags::POLLIN)], timeout) {
            Ok(ready) => Ok(ready > 0),
            Err(Errno::EINTR) => Ok(false),
            Err(errno) => Err(errno.into()),
        }
    }
}

/// Data of a frame that was read.
pub(crate) struct Read {
    pub passing: Passing,
    /// Its VLAN tag, which the kernel keeps beside it.
    pub tag: Option<u16>,
    pub unix_ns: Option<u64>,
}

/// Opens a packet socket at the interface `index`, with a virtio-net header before every frame.
/// `options` sets options that must be set before the first frame comes.
pub(crate) fn open(
    index: libc::c_uint,
    options: impl FnOnce(&OwnedFd) -> io::Result<()>,
) -> io::Result<OwnedFd> {
    open_bound(index, libc::ETH_P_ALL as u16, |fd| {
        set(fd, libc::SOL_PACKET, libc::PACKET_VNET_HDR, 1)?;
        set(fd, libc::SOL_PACKET, libc::PACKET_AUXDATA, 1)?;
        options(fd)?;
        // Exceeds the limit of ordinary sockets if that is permitted, else uses all of it.
        if set(fd, libc::SOL_SOCKET, libc::SO_RCVBUFFORCE, BACKLOG).is_err() {
            set(fd, libc::SOL_SOCKET, libc::SO_RCVBUF, BACKLOG)?;
        }
        Ok(())
    })
}

/// The protocol of a socket that receives nothing.
pub(crate) const SENDS_ONLY: u16 = 0;

/// Opens a packet socket at the interface `index` for frames of a protocol. `options` sets options
/// that must be set before the first frame comes.
pub(crate) fn open_bound(
    index: libc::c_uint,
    protocol: u16,
    options: impl FnOnce(&OwnedFd) -> io::Result<()>,
) -> io::Result<OwnedFd> {
    let kind = libc::SOCK_RAW | libc::SOCK_NONBLOCK | libc::SOCK_CLOEXEC;
    // No protocol, so that no frames come in from other interfaces before it is bound.
    // SAFETY: the call has no pointers.
    let fd = check(unsafe { libc::socket(libc::AF_PACKET, kind, 0) })?;
    // SAFETY: the descriptor is new and nobody else's.
    let fd = unsafe { OwnedFd::from_raw_fd(fd) };
    options(&fd)?;
    // SAFETY: all-zero bytes are a valid `sockaddr_ll`.
    let mut address: libc::sockaddr_ll = unsafe { mem::zeroed() };
    address.sll_family = libc::AF_PACKET as u16;
    address.sll_protocol = protocol.to_be();
    address.sll_ifindex = index as i32;
    let length = mem::size_of_val(&address) as libc::socklen_t;
    // SAFETY: the descriptor is open, and the address lives through the call and has this length.
    check(unsafe { libc::bind(fd.as_raw_fd(), (&raw const address).cast(), length) })?;
    Ok(fd)
}

/// Makes the interface receive all frames, whatever their destination, as long as the socket lives.
pub(crate) fn receive_all(fd: &OwnedFd, index: libc::c_uint) -> io::Result<()> {
    // SAFETY: all-zero bytes are a valid `packet_mreq`.
    let mut request: libc::packet_mreq = unsafe { mem::zeroed() };
    request.mr_ifindex = index as i32;
    request.mr_type = libc::PACKET_MR_PROMISC as libc::c_ushort;
    let length = mem::size_of_val(&request) as libc::socklen_t;
    // SAFETY: the descriptor is open, and the request lives through the call and has this length.
    check(unsafe {
        libc::setsockopt(
            fd.as_raw_fd(),
            libc::SOL_PACKET,
            libc::PACKET_ADD_MEMBERSHIP,
            (&raw const request).cast(),
            length,
        )
    })?;
    Ok(())
}

/// Number of frames for which the socket had no room, since the last call.
pub(crate) fn dropped(fd: &OwnedFd) -> u64 {
    // SAFETY: all-zero bytes are valid numbers.
    let mut statistics: libc::tpacket_stats = unsafe { mem::zeroed() };
    let mut length = mem::size_of_val(&statistics) as libc::socklen_t;
    // SAFETY: the descriptor is open; the kernel writes at most `length` bytes to `statistics`.
    let asked = check(unsafe {
        libc::getsockopt(
            fd.as_raw_fd(),
            libc::SOL_PACKET,
            libc::PACKET_STATISTICS,
            (&raw mut statistics).cast(),
            &raw mut length,
        )
    });
    asked.map_or(0, |_| u64::from(statistics.tp_drops))
}

/// Reads a frame into the buffer.
pub(crate) fn read(fd: &OwnedFd, buffer: &mut FrameBuffer) -> Result<Read, Errno> {
    let (head, tail) = buffer.room();
    let mut room = [piece(head), piece(tail)];
    let mut control = [0_u64; CONTROL_WORDS];
    // SAFETY: all-zero bytes are valid for both.
    let (mut from, mut message): (libc::sockaddr_ll, libc::msghdr) =
        unsafe { (mem::zeroed(), mem::zeroed()) };
    message.msg_name = (&raw mut from).cast();
    message.msg_namelen = mem::size_of_val(&from) as libc::socklen_t;
    message.msg_iov = room.as_mut_ptr();
    message.msg_iovlen = room.len();
    message.msg_control = control.as_mut_ptr().cast();
    message.msg_controllen = mem::size_of_val(&control);
    // SAFETY: the descriptor is open; everything that `message` points to lives through the call,
    // is not used otherwise meanwhile, and has the length that it says.
    let bytes = unsafe { libc::recvmsg(fd.as_raw_fd(), &raw mut message, 0) };
    if bytes < 0 {
        return Err(Errno::last());
    }
    buffer.set_filled(bytes.cast_unsigned());
    let outgoing = from.sll_pkttype == libc::PACKET_OUTGOING;
    let passing = if outgoing { Passing::Out } else { Passing::In };
    let (tag, unix_ns) = beside(&message);
    Ok(Read { passing, tag, unix_ns })
}

/// VLAN tag and time, from the control messages of a received message.
fn beside(message: &libc::msghdr) -> (Option<u16>, Option<u64>) {
    let (mut tag, mut unix_ns) = (None, None);
    // SAFETY: `message` was filled by the kernel, and its buffer is still there; `CMSG_FIRSTHDR`
    // and `CMSG_NXTHDR` stay inside of it. The kernel wrote values of these types behind the
    // headers of these levels and types; they need not be aligned.
    unsafe {
        let mut header = libc::CMSG_FIRSTHDR(message);
        while let Some(known) = header.as_ref() {
            let data = libc::CMSG_DATA(header);
            match (known.cmsg_level, known.cmsg_type) {
                (libc::SOL_PACKET, libc::PACKET_AUXDATA) => {
                    let data = data.cast::<libc::tpacket_auxdata>().read_unaligned();
                    let valid = data.tp_status & libc::TP_STATUS_VLAN_VALID != 0;
                    tag = valid.then_some(data.tp_vlan_tci);
                }
                (libc::SOL_SOCKET, libc::SCM_TIMESTAMPNS) => {
                    let time = data.cast::<libc::timespec>().read_unaligned();
                    let nanos = i128::from(time.tv_sec) * 1_000_000_000 + i128::from(time.tv_nsec);
                    unix_ns = u64::try_from(nanos).ok();
                }
                _ => {}
            }
            header = libc::CMSG_NXTHDR(message, header);
        }
    }
    (tag, unix_ns)
}

fn piece(room: &mut [u8]) -> libc::iovec {
    libc::iovec { iov_base: room.as_mut_ptr().cast(), iov_len: room.len() }
}

pub(crate) fn set(
    fd: &impl AsRawFd,
    level: libc::c_int,
    option: libc::c_int,
    value: libc::c_int,
) -> io::Result<()> {
    let length = mem::size_of_val(&value) as libc::socklen_t;
    // SAFETY: the descriptor is open, and the value lives through the call and has this length.
    check(unsafe {
        libc::setsockopt(fd.as_raw_fd(), level, option, (&raw const value).cast(), length)
    })?;
    Ok(())
}

fn check(result: libc::c_int) -> io::Result<libc::c_int> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}
