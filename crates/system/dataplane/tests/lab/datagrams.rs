//! UDP datagrams between two hosts, numbered and timestamped by the sender, and timestamped again
//! by the receiving kernel. Both timestamps are of the same clock, so their difference is the
//! one-way time.

use std::io::IoSliceMut;
use std::net::UdpSocket;
use std::os::fd::AsRawFd;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::socket::sockopt::{RcvBufForce, ReceiveTimeout, ReceiveTimestampns};
use nix::sys::socket::{ControlMessageOwned, MsgFlags, recvmsg, setsockopt};
use nix::sys::time::{TimeVal, TimeValLike};
use nix::time::{ClockId, clock_gettime};

use netloom_dataplane::Dataplane;

use super::{Namespace, ipv4};

const PORT: u16 = 9;
/// Enough time for any machine to receive 400 frames.
const PATIENCE: Duration = Duration::from_secs(30);
/// Bytes of headers before a datagram's payload: Ethernet 14, IPv4 20, UDP 8.
pub const HEADERS: usize = 42;
/// Bytes of the shortest payload: number and time.
pub const LEAST: usize = 16;

/// A datagram that arrived.
#[derive(Debug, Clone, Copy)]
pub struct Arrival {
    pub number: u64,
    /// Time of the wall clock, in ns.
    pub sent: u64,
    pub received: u64,
    /// Length of the Ethernet frame, in bytes.
    pub length: usize,
    /// Whether the payload is unchanged.
    pub intact: bool,
}

impl Arrival {
    /// Returns the time from the sender's timestamp to the receiver's, in ns.
    pub fn one_way(&self) -> i64 {
        self.received as i64 - self.sent as i64
    }
}

/// Sends from host 1 to host 2.
pub struct Sender {
    socket: UdpSocket,
    next: u64,
}

impl Sender {
    pub fn new(host: &Namespace) -> Self {
        let socket = host.run(|| {
            let socket = UdpSocket::bind((ipv4(1), 0)).expect("a socket");
            socket.connect((ipv4(2), PORT)).expect("an address");
            socket
        });
        Self { socket, next: 0 }
    }

    /// Sends the next datagram, in a frame of `length` bytes.
    pub fn send(&mut self, length: usize) {
        let mut payload = [0; 1500];
        payload[..8].copy_from_slice(&self.next.to_be_bytes());
        payload[8..16].copy_from_slice(&wall_clock().to_be_bytes());
        let length = length.saturating_sub(HEADERS).clamp(LEAST, 1472);
        self.socket.send(&payload[..length]).expect("the datagram is taken");
        self.next += 1;
    }

    /// Sends `count` datagrams, never so far ahead of `dataplane` that the interface's queue of
    /// 1000 frames overflows: nothing else would hold the sender back. No other traffic may use the
    /// link.
    pub fn send_all(&mut self, count: u64, length: usize, dataplane: &Dataplane) {
        let pipe = || dataplane.pipes().expect("pipes").swap_remove(0).statistics;
        let taken = || pipe().offered.frames;
        let before = taken();
        for sent in 1..=count {
            self.send(length);
            if sent % 400 == 0 || sent == count {
                let start = Instant::now();
                while taken() < before + sent {
                    let waited = start.elapsed();
                    assert!(waited < PATIENCE, "{sent} were sent, but taken is {:?}", pipe());
                    thread::yield_now();
                }
            }
        }
    }

    /// Returns the number of datagrams sent.
    pub fn sent(&self) -> u64 {
        self.next
    }
}

/// Receives at host 2.
pub struct Receiver(UdpSocket);

impl Receiver {
    pub fn new(host: &Namespace) -> Self {
        let socket = host.run(|| UdpSocket::bind((ipv4(2), PORT)).expect("a socket"));
        setsockopt(&socket, ReceiveTimestampns, &true).expect("timestamps");
        setsockopt(&socket, RcvBufForce, &(256 << 20)).expect("a large buffer; run as root");
        setsockopt(&socket, ReceiveTimeout, &TimeVal::milliseconds(100)).expect("a timeout");
        Self(socket)
    }

    /// Returns all datagrams that arrive while `send` runs, and until none has arrived for
    /// `patience` afterwards.
    pub fn collect_while(&self, timeout: Duration, send: impl FnOnce()) -> Vec<Arrival> {
        let stop = AtomicBool::new(false);
        thread::scope(|scope| {
            let arrivals = scope.spawn(|| self.collect(&stop, timeout));
            // The receiver stops even if the sender panics.
            let result = catch_unwind(AssertUnwindSafe(send));
            stop.store(true, Ordering::Relaxed);
            result.unwrap_or_else(|panic| resume_unwind(panic));
            arrivals.join().expect("the receiver ends")
        })
    }

    fn collect(&self, stop: &AtomicBool, timeout: Duration) -> Vec<Arrival> {
        let mut arrivals = Vec::new();
        let mut quiet = Duration::ZERO;
        while quiet < timeout {
            match self.receive() {
                Some(arrival) => {
                    arrivals.push(arrival);
                    quiet = Duration::ZERO;
                }
                None if stop.load(Ordering::Relaxed) => quiet += Duration::from_millis(100),
                None => {}
            }
        }
        arrivals
    }

    fn receive(&self) -> Option<Arrival> {
        let mut bytes = [0; 2048];
        let mut control = nix::cmsg_space!(libc::timespec);
        let mut parts = [IoSliceMut::new(&mut bytes)];
        let fd = self.0.as_raw_fd();
        let message = recvmsg::<()>(fd, &mut parts, Some(&mut control), MsgFlags::empty()).ok()?;
        let stamp = message.cmsgs().ok()?.find_map(|control| match control {
            ControlMessageOwned::ScmTimestampns(time) => Some(time),
            _ => None,
        })?;
        let received = stamp.tv_sec() as u64 * 1_000_000_000 + stamp.tv_nsec() as u64;
        let payload = message.bytes;
        let number = u64::from_be_bytes(bytes[..8].try_into().expect("eight bytes"));
        let sent = u64::from_be_bytes(bytes[8..16].try_into().expect("eight bytes"));
        let intact = bytes[16..payload].iter().all(|byte| *byte == 0);
        Some(Arrival { number, sent, received, length: payload + HEADERS, intact })
    }
}

fn wall_clock() -> u64 {
    let now = clock_gettime(ClockId::CLOCK_REALTIME).expect("the wall clock exists");
    now.tv_sec() as u64 * 1_000_000_000 + now.tv_nsec() as u64
}
