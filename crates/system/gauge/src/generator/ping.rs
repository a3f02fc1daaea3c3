//! Sends echo requests at the times of a model, and counts the replies itself.

use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use anyhow::{Context, Result};
use netloom_link::Stream;
use netloom_ports::checksum;
use netloom_traffic::{Emission, Receivers};
use nix::errno::Errno;
use nix::sys::socket::{
    AddressFamily, MsgFlags, SockFlag, SockProtocol, SockType, SockaddrStorage, recvfrom, sendto,
    setsockopt, socket, sockopt,
};
use nix::sys::time::TimeVal;

use super::clock::Clock;
use super::counts::Counts;
use super::send::{LATE, is_refusal, is_unreachable, payload_bytes};
use super::so_far::SoFar;
use super::stop::Stop;
use super::tally::Tally;
use super::wire::{LAST, Stamp};
use super::{Ip, Send, Sent, SentReport};

/// Bytes of the header of ICMP echo.
const ECHO_HEADER: usize = 8;
/// Bytes of the header of Ethernet, which the socket does not show.
const ETHERNET: u64 = 14;
/// ICMP types of echo requests and replies (RFC 792, RFC 4443).
struct Types {
    request: u8,
    reply: u8,
}

impl Types {
    const fn of(ip: Ip) -> Self {
        match ip {
            Ip::V4 => Self { request: 8, reply: 0 },
            Ip::V6 => Self { request: 128, reply: 129 },
        }
    }
}

/// How long replies are waited for at least after the last request, in ns.
const LINGER: u64 = 1_000_000_000;

/// Sends as ordered, and calls `ready` before it begins.
pub fn send(
    order: &Send,
    to: &[SocketAddr],
    (clock, stop): (&Clock, &Stop),
    ready: impl FnOnce(),
) -> Result<SentReport> {
    let (family, icmp) = match order.ip {
        Ip::V4 => (AddressFamily::Inet, SockProtocol::Icmp),
        Ip::V6 => (AddressFamily::Inet6, SockProtocol::IcmpV6),
    };
    let socket = socket(family, SockType::Raw, SockFlag::SOCK_CLOEXEC, icmp)
        .context("cannot open an ICMP socket")?;
    setsockopt(&socket, sockopt::ReceiveTimeout, &TimeVal::new(0, 100_000))
        .context("cannot wait for replies")?;
    let _ = nix::sys::prctl::set_timerslack(1);
    let over = AtomicBool::new(false);
    let sent = &Counts::default();
    // Not the process ID, which is low in every node: replies to other processes come, too.
    let ident = &ident(order);
    thread::scope(|scope| {
        let receiver =
            scope.spawn(|| replies(&socket, (order.ip, *ident), (clock, stop), (sent, &over)));
        let done = requests(order, to, (&socket, *ident), (clock, stop), sent, ready);
        if !stop.is_asked() {
            stop.unless_before(clock.now() + LINGER.max(clock.round_trip()), clock);
        }
        over.store(true, Ordering::Relaxed);
        // A thread that panics has printed why.
        let returned = receiver.join().expect("no panic");
        done?;
        let (returned, delays) = returned.context("cannot receive replies")?.into_parts();
        let (intervals, returned) = (sent.intervals().clone(), Some(returned));
        Ok(SentReport { intervals, returned, delays, tcp: None })
    })
}

fn ident(order: &Send) -> u16 {
    Stream::new(order.seed, &order.stream).fork("ident").bits() as u16
}

fn requests(
    order: &Send,
    to: &[SocketAddr],
    (socket, ident): (&OwnedFd, u16),
    (clock, stop): (&Clock, &Stop),
    counts: &Counts,
    ready: impl FnOnce(),
) -> Result<()> {
    let stream = Stream::new(order.seed, &order.stream);
    let source = order.model.source(&order.sizes, None, &stream)?;
    let mut receivers = Receivers::new(&stream, to.len());
    let mut packet = vec![0; 1 << 16];
    ready();
    let base = stop.begin(clock);
    let end = order.time.map_or(u64::MAX, |time| base.saturating_add(time.as_nanos()));
    let mut number = 0u32;
    for Emission { at, bytes } in source {
        let due = base.saturating_add(at.as_nanos());
        if due >= end || !stop.unless_before(due, clock) {
            break;
        }
        let to = to[receivers.of_packet(None)];
        let packet = &mut packet[..ECHO_HEADER + payload_bytes(order.ip, bytes)];
        let stamp = Stamp { flow: order.flow, number: number % LAST, at: due };
        write_request(packet, order.ip, ident, &stamp);
        number = number.wrapping_add(1);
        let is_late = clock.now().saturating_sub(due) > LATE;
        let count = |change: &dyn Fn(&mut Sent)| counts.at(clock.interval(due), change);
        count(&|sent| {
            sent.packets += 1;
            sent.bytes += u64::from(bytes);
            sent.late += u64::from(is_late);
        });
        let address = SockaddrStorage::from(SocketAddr::new(to.ip(), 0));
        match sendto(socket.as_raw_fd(), packet, &address, MsgFlags::empty()) {
            Ok(_) => {}
            Err(error) => {
                let error = io::Error::from(error);
                if !is_refusal(&error) && !is_unreachable(&error) {
                    return Err(error).with_context(|| format!("cannot send to {}", to.ip()));
                }
                let unreachable = is_unreachable(&error);
                count(&|sent| sent.refuse(unreachable));
            }
        }
    }
    if order.time.is_some() {
        stop.unless_before(end, clock);
    }
    Ok(())
}

/// Counts replies until `over` is set.
fn replies(
    socket: &OwnedFd,
    (ip, ident): (Ip, u16),
    (clock, stop): (&Clock, &Stop),
    (sent, over): (&Counts, &AtomicBool),
) -> Result<Tally> {
    // For IPv6, the socket does not return the header.
    let hidden = if ip == Ip::V6 { u64::from(ip.header()) } else { 0 };
    let mut tally = Tally::new();
    let mut buffer = vec![0; 1 << 16];
    while !over.load(Ordering::Relaxed) {
        stop.answer(|| SoFar::sent(&sent.intervals(), Some(tally.intervals())));
        match recvfrom::<SockaddrStorage>(socket.as_raw_fd(), &mut buffer) {
            Ok((length, _)) => {
                let now = clock.now();
                let Some(stamp) = read_reply(&buffer[..length], ip, ident) else { continue };
                let bytes = length as u64 + hidden + ETHERNET;
                tally.arrived(
                    stamp.number,
                    clock.interval(stamp.at),
                    bytes,
                    now.saturating_sub(stamp.at),
                );
            }
            Err(Errno::EAGAIN | Errno::EINTR) => {}
            Err(error) => return Err(io::Error::from(error).into()),
        }
    }
    Ok(tally)
}

/// Writes an echo request that carries `stamp`, as long as `packet`. For IPv6, the kernel computes
/// the checksum, because it covers addresses.
fn write_request(packet: &mut [u8], ip: Ip, ident: u16, stamp: &Stamp) {
    packet[..ECHO_HEADER].fill(0);
    packet[0] = Types::of(ip).request;
    packet[4..6].copy_from_slice(&ident.to_be_bytes());
    packet[6..8].copy_from_slice(&(stamp.number as u16).to_be_bytes());
    stamp.write(&mut packet[ECHO_HEADER..]);
    if ip == Ip::V4 {
        let sum = !checksum::sum(packet);
        packet[2..4].copy_from_slice(&sum.to_be_bytes());
    }
}

/// The stamp of a packet that the socket returned, if it is an echo reply to one of our requests.
fn read_reply(packet: &[u8], ip: Ip, ident: u16) -> Option<Stamp> {
    let header = match ip {
        Ip::V4 => usize::from(packet.first()? & 0x0f) * 4,
        Ip::V6 => 0,
    };
    let echo = packet.get(header..)?;
    let is_ours = *echo.first()? == Types::of(ip).reply && echo.get(4..6)? == ident.to_be_bytes();
    is_ours.then(|| Stamp::read(&echo[ECHO_HEADER..])).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_known_by_its_ident() {
        let stamp = Stamp { flow: 1, number: 70_000, at: 5 };
        let mut packet = [0; 20 + ECHO_HEADER + 18];
        packet[0] = 0x45;
        write_request(&mut packet[20..], Ip::V4, 77, &stamp);
        assert_eq!(!checksum::sum(&packet[20..]), 0, "with its checksum it sums up to nothing");
        assert_eq!(read_reply(&packet, Ip::V4, 77), None, "a request");
        packet[20] = Types::of(Ip::V4).reply;
        assert_eq!(read_reply(&packet, Ip::V4, 77), Some(stamp));
        assert_eq!(read_reply(&packet, Ip::V4, 78), None);
        assert_eq!(read_reply(&packet[..21], Ip::V4, 77), None);
    }
}
