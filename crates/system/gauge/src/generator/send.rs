//! Sends datagrams at the times of a model: an open loop. Late datagrams are sent at once, and
//! carry their intended time.

use std::io;
use std::net::{SocketAddr, ToSocketAddrs, UdpSocket};

use anyhow::{Context, Result};
use netloom_link::Stream;
use netloom_traffic::{Emission, Receivers};
use nix::errno::Errno;

use super::clock::Clock;
use super::so_far::SoFar;
use super::stop::Stop;
use super::wire::{LAST, LENGTH, Stamp, headers};
use super::{Ip, Send, SentReport, connection};

/// Largest delay of a datagram that does not count as late, in ns.
pub const LATE: u64 = 1_000_000;

/// Number of datagrams that end a flow, since one may be lost; and the time between them, in ns.
const LAST_TIMES: u32 = 3;
const LAST_GAP: u64 = 2_000_000;

/// Sends as ordered, and calls `ready` before it begins.
pub fn send(order: &Send, clock: &Clock, stop: &Stop, ready: impl FnOnce()) -> Result<SentReport> {
    let sockets = resolve(order)?.into_iter().map(|to| Receiver::new(order, to));
    let mut sockets = sockets.collect::<Result<Vec<_>>>()?;
    // Without this, sleeps are 50 µs longer. With a positive slack it cannot fail.
    let _ = nix::sys::prctl::set_timerslack(1);
    let stream = Stream::new(order.seed, &order.stream);
    let mut source = order.model.source(&order.sizes, None, &stream)?;
    let mut receivers = Receivers::new(&stream, sockets.len());
    let mut report = SentReport::default();
    let mut payload = vec![0; 1 << 16];
    ready();
    let base = stop.begin(clock);
    let end = order.time.map_or(u64::MAX, |time| base.saturating_add(time.as_nanos()));
    while let Some(Emission { at, bytes }) = source.next() {
        stop.answer(|| SoFar::sent(&report.intervals, None));
        let due = base.saturating_add(at.as_nanos());
        if due >= end || !stop.unless_before(due, clock) {
            break;
        }
        let payload = &mut payload[..payload_bytes(order.ip, bytes)];
        let receiver = &mut sockets[receivers.of_packet(source.last_burst())];
        let number = receiver.next % LAST;
        receiver.next = number + 1;
        Stamp { flow: order.flow, number, at: due }.write(payload);
        let sent = report.intervals.entry(clock.interval(due)).or_default();
        sent.packets += 1;
        sent.bytes += u64::from(bytes);
        sent.late += u64::from(clock.now().saturating_sub(due) > LATE);
        match receiver.send(payload) {
            Ok(_) => {}
            Err(error) if is_refusal(&error) => sent.refuse(false),
            // The answer to an earlier datagram: nobody listens. Such datagrams are lost, and
            // counted so.
            Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => {}
            Err(error) if is_unreachable(&error) => sent.refuse(true),
            Err(error) => {
                return Err(error).with_context(|| format!("cannot send to {}", receiver.to));
            }
        }
    }
    // The entry lasts until its end, even if it is silent.
    if order.time.is_some() {
        stop.unless_before(end, clock);
    }
    for _ in 0..LAST_TIMES {
        let payload = &mut payload[..LENGTH];
        Stamp { flow: order.flow, number: LAST, at: clock.now() }.write(payload);
        for receiver in &mut sockets {
            // If it is lost, the receiver copes with that.
            let _ = receiver.send(payload);
        }
        clock.sleep_until(clock.now() + LAST_GAP);
    }
    Ok(report)
}

/// A receiver of datagrams.
struct Receiver {
    to: SocketAddr,
    socket: UdpSocket,
    /// Whether there has been a route, over which the socket is connected.
    is_connected: bool,
    /// Number of the next datagram.
    next: u32,
}

impl Receiver {
    fn new(order: &Send, to: SocketAddr) -> Result<Self> {
        let socket = UdpSocket::bind((order.ip.any(), 0)).context("cannot open a UDP socket")?;
        connection::adjust(&socket, order.ip, None, order.dscp)?;
        let mut receiver = Self { to, socket, is_connected: false, next: 0 };
        match receiver.connect() {
            // A routing daemon may find one yet.
            Err(error) if !is_unreachable(&error) => {
                Err(error).with_context(|| format!("cannot send to {to}"))
            }
            _ => Ok(receiver),
        }
    }

    fn connect(&mut self) -> io::Result<()> {
        if !self.is_connected {
            self.socket.connect(self.to)?;
            self.is_connected = true;
        }
        Ok(())
    }

    /// Sends a datagram, if there is a route to the receiver.
    #[inline]
    fn send(&mut self, payload: &[u8]) -> io::Result<usize> {
        self.connect()?;
        self.socket.send(payload)
    }
}

/// Length of the payload of a frame of `bytes`.
pub fn payload_bytes(ip: Ip, bytes: u32) -> usize {
    (bytes.saturating_sub(headers(ip)) as usize).max(LENGTH)
}

/// Resolves the receivers' host names.
pub fn resolve(order: &Send) -> Result<Vec<SocketAddr>> {
    let address = |host: &String| {
        let mut addresses = (host.as_str(), order.port)
            .to_socket_addrs()
            .with_context(|| format!("cannot find the host {host}"))?;
        let found = addresses.find(|address| address.is_ipv6() == (order.ip == Ip::V6));
        found.with_context(|| format!("{host} has no such address"))
    };
    order.to.iter().map(address).collect()
}

/// Whether the socket's buffer or the interface's queue is full.
pub fn is_refusal(error: &io::Error) -> bool {
    let full = [Errno::ENOBUFS as i32, Errno::EAGAIN as i32];
    error.raw_os_error().is_some_and(|code| full.contains(&code))
}

/// Whether there is no route to the receiver now, because a link of the sender is down.
pub fn is_unreachable(error: &io::Error) -> bool {
    let down = [Errno::ENETUNREACH as i32, Errno::EHOSTUNREACH as i32, Errno::ENETDOWN as i32];
    error.raw_os_error().is_some_and(|code| down.contains(&code))
}
