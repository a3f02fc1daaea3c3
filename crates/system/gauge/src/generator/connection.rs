//! A TCP connection of a sender, from its first packet on.

use std::ffi::OsString;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::os::fd::{AsFd, AsRawFd};
use std::time::Duration;

use anyhow::{Context, Result};
use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{
    AddressFamily, SockFlag, SockType, SockaddrStorage, setsockopt, socket, sockopt,
};

use super::clock::Clock;
use super::stop::Stop;
use super::{Ip, Send};

/// How long a connection waits for its peer before it checks whether it has to end.
pub const PATIENCE: Duration = Duration::from_millis(100);
/// First bytes of a connection. The number of its sender follows.
pub const MAGIC: [u8; 4] = *b"NLbk";

/// Opens a connection to `to` as ordered, and sends its head. Returns `None` if the end is
/// requested before it is established.
pub fn open(order: &Send, to: SocketAddr, stop: &Stop) -> Result<Option<TcpStream>> {
    let Some(mut stream) = connect(order, to, stop)? else { return Ok(None) };
    let head = [&MAGIC[..], &order.flow.to_be_bytes()].concat();
    stream.write_all(&head).with_context(|| format!("cannot send to {to}"))?;
    Ok(Some(stream))
}

/// Opens a connection to `to` as ordered. Returns `None` if the end is requested before it is
/// established.
pub fn connect(order: &Send, to: SocketAddr, stop: &Stop) -> Result<Option<TcpStream>> {
    let flags = SockFlag::SOCK_CLOEXEC | SockFlag::SOCK_NONBLOCK;
    let family = if to.is_ipv6() { AddressFamily::Inet6 } else { AddressFamily::Inet };
    let socket =
        socket(family, SockType::Stream, flags, None).context("cannot open a TCP socket")?;
    adjust(&socket, order.ip, order.congestion_control.as_deref(), order.dscp)?;
    let failed = || format!("cannot connect to {to}");
    match nix::sys::socket::connect(socket.as_raw_fd(), &SockaddrStorage::from(to)) {
        Ok(()) | Err(Errno::EINPROGRESS) => {}
        Err(error) => return Err(io::Error::from(error)).with_context(failed),
    }
    let stream = TcpStream::from(socket);
    if !established(&stream, stop).with_context(failed)? {
        return Ok(None);
    }
    stream.set_nonblocking(false).with_context(failed)?;
    stream.set_write_timeout(Some(PATIENCE)).with_context(failed)?;
    stream.set_read_timeout(Some(PATIENCE)).with_context(failed)?;
    Ok(Some(stream))
}

/// Sets a socket's congestion control and DSCP.
pub fn adjust(socket: &impl AsFd, ip: Ip, control: Option<&str>, dscp: Option<u8>) -> Result<()> {
    if let Some(name) = control {
        setsockopt(socket, sockopt::TcpCongestion, &OsString::from(name))
            .with_context(|| format!("the kernel has no congestion control `{name}`"))?;
    }
    if let Some(dscp) = dscp {
        // The code point is the upper six bits of the octet.
        let octet = i32::from(dscp) << 2;
        match ip {
            Ip::V4 => setsockopt(socket, sockopt::Ipv4Tos, &octet),
            Ip::V6 => setsockopt(socket, sockopt::Ipv6TClass, &octet),
        }
        .context("cannot set the DSCP")?;
    }
    Ok(())
}

/// Congestion controls that only work if the receiver has them, too: it echoes each mark as it came
/// (RFC 8257, section 3.2), while others repeat a mark until the sender has answered it (RFC 3168).
const OF_BOTH_ENDS: [&str; 2] = ["dctcp", "prague"];

/// Sets the congestion control of a socket that receives what another one sends under `control`.
///
/// # Errors
/// The kernel lacks one that both ends must have. Any other makes no difference at a receiver.
pub fn receive_for(socket: &impl AsFd, ip: Ip, control: Option<&str>) -> Result<()> {
    match adjust(socket, ip, control, None) {
        Err(error) if control.is_some_and(|control| OF_BOTH_ENDS.contains(&control)) => {
            Err(error).context("the receiver takes the sender's congestion control")
        }
        _ => Ok(()),
    }
}

/// A connection whose reads and writes wait for the peer until the end is requested, and after that
/// for what is still under way.
#[derive(Debug)]
pub struct Patient<'a> {
    stream: TcpStream,
    clock: &'a Clock,
    stop: &'a Stop,
    /// When it was noticed that the end was requested.
    asked: Option<u64>,
}

impl<'a> Patient<'a> {
    pub fn new(stream: TcpStream, clock: &'a Clock, stop: &'a Stop) -> Self {
        Self { stream, clock, stop, asked: None }
    }

    /// The connection itself.
    pub fn stream(&mut self) -> &mut TcpStream {
        &mut self.stream
    }

    /// Writes everything.
    pub fn write_all(&mut self, mut bytes: &[u8]) -> io::Result<()> {
        while !bytes.is_empty() {
            self.in_time()?;
            match self.stream.write(bytes) {
                Ok(written) => bytes = &bytes[written..],
                Err(error) if is_impatience(&error) => {}
                Err(error) => return Err(error),
            }
        }
        Ok(())
    }

    /// Fails once the time for what was under way has passed, even if data still arrives.
    fn in_time(&mut self) -> io::Result<()> {
        let is_overdue = self.stop.is_overdue(&mut self.asked, self.clock);
        if is_overdue { Err(io::ErrorKind::TimedOut.into()) } else { Ok(()) }
    }
}

impl Read for Patient<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        loop {
            self.in_time()?;
            match self.stream.read(buffer) {
                Err(error) if is_impatience(&error) => {}
                read => return read,
            }
        }
    }
}

/// Waits until the connection is established. Returns `false` if the end is requested first.
fn established(stream: &TcpStream, stop: &Stop) -> io::Result<bool> {
    while !stop.is_asked() {
        let mut descriptors = [PollFd::new(stream.as_fd(), PollFlags::POLLOUT)];
        let patience = PollTimeout::try_from(PATIENCE).unwrap_or(PollTimeout::ZERO);
        match poll(&mut descriptors, patience) {
            Ok(0) | Err(Errno::EINTR) => {}
            Ok(_) => return stream.take_error()?.map_or(Ok(true), Err),
            Err(error) => return Err(error.into()),
        }
    }
    Ok(false)
}

/// Waits until the receiver closes, which it does when it has everything. Returns `false` if the
/// wait `is_over` first.
pub fn closed(stream: &mut TcpStream, is_over: impl Fn() -> bool) -> io::Result<bool> {
    let mut byte = [0];
    while !is_over() {
        match stream.read(&mut byte) {
            Ok(_) => return Ok(true),
            Err(error) if is_impatience(&error) => {}
            Err(error) => return Err(error),
        }
    }
    Ok(false)
}

/// Whether the error means that nothing was transferred for a while.
pub fn is_impatience(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}
