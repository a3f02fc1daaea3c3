//! The receiver.

use std::io::{self, ErrorKind, Read};
use std::net::{TcpListener, UdpSocket};
use std::time::Duration;

use anyhow::{Context, Result};
use nix::sys::socket::{setsockopt, sockopt};

use super::{Protocol, Received};

/// The datagram that ends a UDP flow. It is shorter than any datagram of the flow.
pub const LAST: [u8; 1] = [1];
/// How long a receiver waits for the first datagram, and for the next one.
const PATIENCE: (Duration, Duration) = (Duration::from_secs(10), Duration::from_millis(500));
/// Size of a UDP socket's buffer, in bytes. A receiver that the machine does not wake for some ms
/// must not lose what the network delivered.
const BUFFER: usize = 8 << 20;

/// A receiver that listens.
pub enum Receiver {
    Udp(UdpSocket),
    Tcp(TcpListener),
}

impl Receiver {
    pub fn listen(protocol: Protocol, port: u16) -> Result<Self> {
        let listen = || format!("cannot listen on port {port}");
        let here = ("0.0.0.0", port);
        Ok(match protocol {
            Protocol::Udp => {
                let socket = UdpSocket::bind(here).with_context(listen)?;
                // Only root may exceed the machine's limit. A smaller buffer is better than none.
                let _ = setsockopt(&socket, sockopt::RcvBufForce, &BUFFER)
                    .or_else(|_| setsockopt(&socket, sockopt::RcvBuf, &BUFFER));
                Self::Udp(socket)
            }
            Protocol::Tcp => Self::Tcp(TcpListener::bind(here).with_context(listen)?),
        })
    }

    /// Counts the bytes that arrive until the flow ends.
    pub fn receive(&self) -> Result<Received> {
        let bytes = match self {
            Self::Udp(socket) => datagrams(socket),
            Self::Tcp(listener) => stream(listener),
        };
        Ok(Received { bytes: bytes.context("cannot receive")? })
    }
}

fn datagrams(socket: &UdpSocket) -> io::Result<u64> {
    let mut buffer = vec![0; 64 << 10];
    let mut bytes = 0;
    socket.set_read_timeout(Some(PATIENCE.0))?;
    loop {
        match socket.recv(&mut buffer) {
            Ok(length) if length == LAST.len() => return Ok(bytes),
            Ok(length) => {
                if bytes == 0 {
                    socket.set_read_timeout(Some(PATIENCE.1))?;
                }
                bytes += length as u64;
            }
            Err(error) if matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut) => {
                return Ok(bytes);
            }
            Err(error) => return Err(error),
        }
    }
}

fn stream(listener: &TcpListener) -> io::Result<u64> {
    let (mut stream, _) = listener.accept()?;
    let mut buffer = vec![0; 256 << 10];
    let mut bytes = 0;
    loop {
        match stream.read(&mut buffer)? {
            0 => return Ok(bytes),
            length => bytes += length as u64,
        }
    }
}
