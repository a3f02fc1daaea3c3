//! Kernel traffic from host 1 to host 2 that fills a link: UDP flows that ignore congestion, and
//! TCP flows that react to it. Not here: the effects on the traffic.
#![allow(dead_code)]

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsFd;
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::{Ipv4Tos, Linger};

use super::{Namespace, ipv4};

/// DSCPs of the flows (RFC 2474): each kind of sender has one flow with a DSCP and one without.
pub const EXPEDITED: u8 = 46;
pub const ASSURED: u8 = 10;
/// ECT(0), RFC 3168.
const CAPABLE: u8 = 2;

/// Time after which a receiver checks whether the test is over.
const PATIENCE: Duration = Duration::from_millis(50);
/// Period with which UDP senders send the datagrams that are due.
const TICK: Duration = Duration::from_millis(1);
/// Time between two writes of 64 KiB, so that a connection sends at most 131 Mbit/s on any link.
const BREATH: Duration = Duration::from_millis(4);
/// Payloads of the datagrams in bytes, in turn: short, full and between.
const PAYLOADS: [usize; 5] = [18, 1472, 400, 1000, 1472];

/// Sends four flows for `duration`: two over UDP at half of `rate` (in bit/s) each, one of them
/// ECN-capable and expedited; and two over TCP with ECN, one of them assured. TCP connections end
/// by resets, so that nothing is retransmitted once the link is empty.
pub fn fill([one, two]: &[Namespace; 2], rate: u64, duration: Duration) {
    for host in [one, two] {
        host.run(|| fs::write("/proc/sys/net/ipv4/tcp_ecn", "1")).expect("ECN can be asked for");
    }
    let listener = two.run(|| TcpListener::bind((ipv4(2), 0))).expect("a listener");
    let datagrams = two.run(|| UdpSocket::bind((ipv4(2), 0))).expect("a socket");
    let end = Instant::now() + duration;
    thread::scope(|scope| {
        for tos in [0, ASSURED << 2] {
            let to = listener.local_addr().expect("an address");
            let sender = one.run(|| TcpStream::connect(to)).expect("a connection");
            let (receiver, _) = listener.accept().expect("a connection");
            scope.spawn(move || swallow(receiver, end));
            scope.spawn(move || {
                mark(&sender, tos);
                pour(sender, end);
            });
        }
        for tos in [0, EXPEDITED << 2 | CAPABLE] {
            let to = datagrams.local_addr().expect("an address");
            let sender = one.run(|| UdpSocket::bind((ipv4(1), 0))).expect("a socket");
            sender.connect(to).expect("an address");
            mark(&sender, tos);
            scope.spawn(move || pace(&sender, rate / 2, end));
        }
    });
}

fn mark(socket: &impl AsFd, tos: u8) {
    setsockopt(socket, Ipv4Tos, &i32::from(tos)).expect("a socket has a type of service");
}

/// Writes as much as the connection accepts, and resets it.
fn pour(mut socket: TcpStream, end: Instant) {
    socket.set_write_timeout(Some(PATIENCE)).expect("a timeout");
    while Instant::now() < end {
        // A write that finds no room is repeated.
        let _ = socket.write(&[0; 1 << 16]);
        thread::sleep(BREATH);
    }
    let now = libc::linger { l_onoff: 1, l_linger: 0 };
    setsockopt(&socket, Linger, &now).expect("a socket may be reset");
}

/// Reads until the reset, or until it must have been lost.
fn swallow(mut socket: TcpStream, end: Instant) {
    socket.set_read_timeout(Some(PATIENCE)).expect("a timeout");
    let mut bytes = vec![0; 1 << 16];
    let timed_out = |error: &std::io::Error| error.kind() == std::io::ErrorKind::WouldBlock;
    loop {
        match socket.read(&mut bytes) {
            Ok(1..) => {}
            Err(error) if timed_out(&error) && Instant::now() < end + 20 * PATIENCE => {}
            Ok(0) | Err(_) => break,
        }
    }
}

/// Sends datagrams at `rate`, headers not counted.
fn pace(socket: &UdpSocket, rate: u64, end: Instant) {
    let start = Instant::now();
    let mut sent = 0;
    for payload in PAYLOADS.into_iter().cycle() {
        while start.elapsed().as_nanos() as u64 * rate / 8_000_000_000 < sent {
            if Instant::now() >= end {
                return;
            }
            thread::sleep(TICK);
        }
        // If the interface's queue is full, the datagram never reaches the link.
        let _ = socket.send(&[0; 1472][..payload]);
        sent += payload as u64;
    }
}
