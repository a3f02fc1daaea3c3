//! TCP connections that send as much as the path takes.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io::{self, ErrorKind, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::os::fd::AsFd;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use netloom_traffic::{BulkConfig, Model};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::socket::{setsockopt, sockopt};

use super::clock::Clock;
use super::send::resolve;
use super::stop::Stop;
use super::{Arrived, ReceivedReport, Send, Sent, SentReport};

/// How long a connection waits for its peer before it looks whether it is to end.
const PATIENCE: Duration = Duration::from_millis(100);
/// Bytes of one write.
const PIECE: usize = 64 << 10;
/// What a connection begins with, in front of the number of its sender.
const MAGIC: [u8; 4] = *b"NLbk";

/// Sends as ordered, from when it is `ready` on.
pub fn send(order: &Send, clock: &Clock, stop: &Stop, ready: impl FnOnce()) -> Result<SentReport> {
    let Model::Bulk(config) = &order.model else {
        bail!("`{}` does not send over TCP", order.model.name());
    };
    let to = resolve(&order.to, order.port)?;
    ready();
    let end = order.time.map_or(u64::MAX, |time| clock.now().saturating_add(time.as_nanos()));
    let sent = Mutex::new(BTreeMap::new());
    thread::scope(|scope| {
        let connections: Vec<_> = (0..config.connections)
            .map(|_| scope.spawn(|| connection(order, config, to, clock, stop, end, &sent)))
            .collect();
        // A thread that panics has printed why.
        connections.into_iter().try_for_each(|thread| thread.join().expect("no panic"))
    })?;
    Ok(SentReport { intervals: sent.into_inner().unwrap_or_else(PoisonError::into_inner) })
}

/// One connection, to its end.
fn connection(
    order: &Send,
    config: &BulkConfig,
    to: SocketAddr,
    clock: &Clock,
    stop: &Stop,
    end: u64,
    sent: &Mutex<BTreeMap<u64, Sent>>,
) -> Result<()> {
    let mut stream = TcpStream::connect(to).with_context(|| format!("cannot connect to {to}"))?;
    if let Some(name) = &order.congestion_control {
        setsockopt(&stream, sockopt::TcpCongestion, &OsString::from(name))
            .with_context(|| format!("the kernel has no congestion control `{name}`"))?;
    }
    if let Some(dscp) = order.dscp {
        setsockopt(&stream, sockopt::Ipv4Tos, &(i32::from(dscp) << 2))
            .context("cannot set the DSCP")?;
    }
    stream.set_write_timeout(Some(PATIENCE)).context("cannot set up a TCP connection")?;
    let head = [&MAGIC[..], &order.flow.to_be_bytes()].concat();
    stream.write_all(&head).with_context(|| format!("cannot send to {to}"))?;
    let piece = vec![0; PIECE];
    let mut left = config.bytes.map_or(u64::MAX, |bytes| bytes.bytes());
    while left > 0 && !stop.is_asked() && clock.now() < end {
        let most = PIECE.min(usize::try_from(left).unwrap_or(PIECE));
        match stream.write(&piece[..most]) {
            Ok(written) => {
                left -= written as u64;
                let mut sent = sent.lock().unwrap_or_else(PoisonError::into_inner);
                sent.entry(clock.interval(clock.now())).or_default().bytes += written as u64;
            }
            Err(error) if is_impatience(&error) => {}
            Err(error) => return Err(error).with_context(|| format!("cannot send to {to}")),
        }
    }
    // Closing sends what is in the socket's buffer.
    Ok(())
}

/// Counts what comes on `port` until the end is asked for.
pub fn receive(
    port: u16,
    clock: &Clock,
    stop: &Stop,
    ready: impl FnOnce(),
) -> Result<ReceivedReport> {
    let listen = || format!("cannot listen on TCP port {port}");
    let listener = TcpListener::bind(("0.0.0.0", port)).with_context(listen)?;
    listener.set_nonblocking(true).with_context(listen)?;
    ready();
    let flows = Mutex::new(BTreeMap::new());
    thread::scope(|scope| -> Result<()> {
        loop {
            match listener.accept() {
                Ok((stream, _)) => _ = scope.spawn(|| count(stream, clock, stop, &flows)),
                // All that came before the end are taken.
                Err(error) if is_impatience(&error) && stop.is_asked() => return Ok(()),
                Err(error) if is_impatience(&error) => wait(&listener),
                // The peer has gone again, or descriptors are short: others may come.
                Err(error) => eprintln!("cannot take a connection: {error}"),
            }
        }
    })?;
    Ok(ReceivedReport { flows: flows.into_inner().unwrap_or_else(PoisonError::into_inner) })
}

/// Waits for a connection, and not for long.
fn wait(listener: &TcpListener) {
    let mut descriptors = [PollFd::new(listener.as_fd(), PollFlags::POLLIN)];
    // One that a signal ends is a short one.
    let _ = poll(&mut descriptors, PollTimeout::from(50u8));
}

type Flows = Mutex<BTreeMap<u16, BTreeMap<u64, Arrived>>>;

/// Counts what one connection brings; one that breaks has brought what it has.
fn count(stream: TcpStream, clock: &Clock, stop: &Stop, flows: &Flows) {
    if let Err(error) = counted(stream, clock, stop, flows) {
        eprintln!("a connection broke: {error}");
    }
}

fn counted(mut stream: TcpStream, clock: &Clock, stop: &Stop, flows: &Flows) -> io::Result<()> {
    stream.set_nonblocking(false)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    let mut asked = None;
    // What comes next; nothing at the end.
    let mut read = |buffer: &mut [u8]| loop {
        match stream.read(buffer) {
            Err(error) if !is_impatience(&error) => return Err(error),
            Err(_) if stop.is_overdue(&mut asked, clock) => return Ok(0),
            Err(_) => {}
            read => return read,
        }
    };
    let mut head = [0; MAGIC.len() + 2];
    let mut filled = 0;
    while filled < head.len() {
        match read(&mut head[filled..])? {
            0 => return Ok(()),
            length => filled += length,
        }
    }
    let Some(&[high, low]) = head.strip_prefix(&MAGIC) else {
        return Err(io::Error::other("it is not from a sender of this run"));
    };
    let flow = u16::from_be_bytes([high, low]);
    let mut buffer = vec![0; 256 << 10];
    loop {
        let length = read(&mut buffer)?;
        if length == 0 {
            return Ok(());
        }
        let mut flows = flows.lock().unwrap_or_else(PoisonError::into_inner);
        let intervals = flows.entry(flow).or_default();
        intervals.entry(clock.interval(clock.now())).or_default().bytes += length as u64;
    }
}

/// Nothing went for a while.
fn is_impatience(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}
