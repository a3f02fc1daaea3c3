//! The sender.

use std::io::{self, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs, UdpSocket};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};

use super::pace::{Pace, TICK};
use super::receive::LAST;
use super::{Protocol, Send, Sent};

/// Number of datagrams that end a UDP flow: one may be lost.
const LAST_TIMES: u32 = 3;

/// Sends as ordered.
pub fn send(order: &Send) -> Result<Sent> {
    let to = resolve(&order.to, order.port)?;
    let payload = vec![0; order.payload];
    let pace = Pace::new(order.pace, order.seconds);
    // Without this, sleeps are 50 µs longer. With a positive slack it cannot fail.
    let _ = nix::sys::prctl::set_timerslack(1);
    let writes = match order.protocol {
        Protocol::Udp => {
            let socket = UdpSocket::bind("0.0.0.0:0").context("cannot open a UDP socket")?;
            socket.connect(to).with_context(|| format!("cannot send to {to}"))?;
            let writes = keep(&pace, || socket.send(&payload).map(|_| ()));
            for _ in 0..LAST_TIMES {
                thread::sleep(Duration::from_millis(2));
                // If it is lost, the receiver copes with that.
                let _ = socket.send(&LAST);
            }
            writes?
        }
        Protocol::Tcp => {
            let mut stream =
                TcpStream::connect(to).with_context(|| format!("cannot connect to {to}"))?;
            stream.set_nodelay(true).context("cannot set up a TCP connection")?;
            keep(&pace, || stream.write_all(&payload))?
        }
    };
    Ok(Sent { planned: pace.planned(), writes })
}

pub(super) fn resolve(host: &str, port: u16) -> Result<SocketAddr> {
    let mut addresses =
        (host, port).to_socket_addrs().with_context(|| format!("cannot find the host {host}"))?;
    addresses.find(SocketAddr::is_ipv4).with_context(|| format!("{host} has no IPv4 address"))
}

/// Writes at a pace. Returns how many writes were made. A write that a full buffer refuses counts
/// as made, and is lost.
fn keep(pace: &Pace, mut write: impl FnMut() -> io::Result<()>) -> Result<u64> {
    let start = Instant::now();
    let mut made = 0;
    while let Some(due) = pace.due(start.elapsed(), made) {
        for _ in 0..due {
            match write() {
                Ok(()) => {}
                Err(error) if is_full(&error) => {}
                Err(error) => return Err(error).context("cannot send"),
            }
        }
        made += due;
        thread::sleep(TICK);
    }
    Ok(made)
}

fn is_full(error: &io::Error) -> bool {
    error.raw_os_error() == Some(nix::errno::Errno::ENOBUFS as i32)
}
