//! ICMP echo like `ping`: timestamped by this program when sent, and by the kernel when received.

use std::io::{IoSliceMut, Result};
use std::os::fd::{AsRawFd, OwnedFd};
use std::thread;
use std::time::{Duration, Instant};

use netloom_ports::checksum;
use nix::errno::Errno;
use nix::sys::socket::sockopt::{ReceiveTimeout, ReceiveTimestampns};
use nix::sys::socket::{
    AddressFamily, ControlMessageOwned, MsgFlags, SockFlag, SockProtocol, SockType, SockaddrIn,
    recvmsg, sendto, setsockopt, socket,
};
use nix::sys::time::{TimeVal, TimeValLike};
use nix::time::{ClockId, clock_gettime};

use super::{Namespace, ipv4};

const INTERVAL: Duration = Duration::from_millis(5);

/// Returns the round-trip times in ns of `count` probes from `namespace` to host 2. Lost probes are
/// missing.
pub fn round_trips(namespace: &Namespace, count: u16) -> Vec<u64> {
    let socket = namespace.run(open).expect("a raw socket; run as root");
    // Let both hosts resolve each other's addresses first.
    probe(&socket, u16::MAX).expect("a probe");
    thread::sleep(Duration::from_millis(200));
    thread::scope(|scope| {
        let receiver = scope.spawn(|| collect(&socket, count));
        let mut next = Instant::now();
        for number in 0..count {
            thread::sleep(next.saturating_duration_since(Instant::now()));
            next += INTERVAL;
            probe(&socket, number).expect("a probe");
        }
        receiver.join().expect("the receiver ends")
    })
}

fn open() -> Result<OwnedFd> {
    let icmp = SockProtocol::Icmp;
    let socket = socket(AddressFamily::Inet, SockType::Raw, SockFlag::SOCK_CLOEXEC, icmp)?;
    setsockopt(&socket, ReceiveTimestampns, &true)?;
    setsockopt(&socket, ReceiveTimeout, &TimeVal::seconds(1))?;
    Ok(socket)
}

/// Sends echo request `number` with the time in it.
fn probe(socket: &OwnedFd, number: u16) -> Result<()> {
    let mut message = vec![8, 0, 0, 0, 0x4e, 0x4c];
    message.extend(number.to_be_bytes());
    message.extend(wall_clock().to_ne_bytes());
    message.resize(64, 0);
    let sum = !checksum::sum(&message);
    message[2..4].copy_from_slice(&sum.to_be_bytes());
    let to = SockaddrIn::from(std::net::SocketAddrV4::new(ipv4(2), 0));
    sendto(socket.as_raw_fd(), &message, &to, MsgFlags::empty())?;
    Ok(())
}

fn collect(socket: &OwnedFd, count: u16) -> Vec<u64> {
    let mut times = Vec::with_capacity(count.into());
    while times.len() < count.into() {
        match receive(socket) {
            Ok(Some((number, time))) if number < count => times.push(time),
            Ok(_) => {}
            Err(_) => break,
        }
    }
    times
}

/// Returns the number and the round-trip time of the next echo reply.
fn receive(socket: &OwnedFd) -> std::result::Result<Option<(u16, u64)>, Errno> {
    let mut bytes = [0; 256];
    let mut control = nix::cmsg_space!(libc::timespec);
    let mut parts = [IoSliceMut::new(&mut bytes)];
    let fd = socket.as_raw_fd();
    let message = recvmsg::<()>(fd, &mut parts, Some(&mut control), MsgFlags::empty())?;
    let stamp = message.cmsgs()?.find_map(|control| match control {
        ControlMessageOwned::ScmTimestampns(time) => Some(time),
        _ => None,
    });
    let length = message.bytes;
    let Some(stamp) = stamp else { return Ok(None) };
    let reply = &bytes[..length];
    let Some(reply) = reply.get(20..36).filter(|reply| reply[0] == 0) else { return Ok(None) };
    let number = u16::from_be_bytes([reply[6], reply[7]]);
    let sent = u64::from_ne_bytes(reply[8..16].try_into().expect("eight bytes"));
    let back = stamp.tv_sec() as u64 * 1_000_000_000 + stamp.tv_nsec() as u64;
    Ok(Some((number, back.saturating_sub(sent))))
}

fn wall_clock() -> u64 {
    let now = clock_gettime(ClockId::CLOCK_REALTIME).expect("the wall clock exists");
    now.tv_sec() as u64 * 1_000_000_000 + now.tv_nsec() as u64
}
