//! Bytes that TCP sockets of a node have written and read, as the kernel counts them (`inet_diag`),
//! for any program and without its cooperation.

use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use super::sock_diag::{SockDiag, attributes, word};

/// Numbers of a socket's attributes.
const INFO: u16 = 2;
const CONGESTION: u16 = 4;
/// Requested attributes, as bits.
const WANTED: u8 = 1 << (INFO - 1) | 1 << (CONGESTION - 1);

/// States that are distinguished here (`tcp_states.h`).
const FIN_WAIT_1: u8 = 4;
const LAST_ACK: u8 = 9;
const CLOSING: u8 = 11;
/// ESTABLISHED, SYN_SENT, FIN_WAIT_1, FIN_WAIT_2, CLOSE_WAIT, LAST_ACK and CLOSING: the states with
/// byte counters.
const STATES: u32 = 1 << 1 | 1 << 2 | 1 << 4 | 1 << 5 | 1 << 8 | 1 << 9 | 1 << 11;

/// Length of `inet_diag_msg` in bytes, and offsets in it.
const MESSAGE: usize = 72;
const STATE: usize = 1;
const PORTS: usize = 4;
const ADDRESSES: [usize; 2] = [8, 24];
const UNREAD: usize = 56;

/// Offsets in `tcp_info`.
const BYTES_RECEIVED: usize = 128;
const NOT_SENT: usize = 144;
const BYTES_SENT: usize = 200;
const BYTES_RETRANSMITTED: usize = 208;

/// Reads the TCP sockets of a node. It holds the node's namespace.
#[derive(Debug)]
pub struct TcpSockets {
    netlink: SockDiag,
    /// Default congestion control of the node.
    algorithm: String,
}

/// A TCP socket with a connection.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TcpSocket {
    /// Local and remote end.
    pub ends: [SocketAddr; 2],
    /// Bytes that the program has written.
    pub written: u64,
    /// Bytes that arrived in order.
    pub received: u64,
    /// Number of these bytes that the program has not read yet.
    pub unread: u64,
    /// Congestion control of the socket.
    pub algorithm: String,
}

impl TcpSockets {
    /// Opens a diagnostics socket in the namespace of the calling thread.
    pub(crate) fn open() -> io::Result<Self> {
        let algorithm = std::fs::read_to_string("/proc/sys/net/ipv4/tcp_congestion_control")?;
        Ok(Self { netlink: SockDiag::open()?, algorithm: algorithm.trim().into() })
    }

    /// Returns the default congestion control of the node.
    pub fn default_algorithm(&self) -> &str {
        &self.algorithm
    }

    /// Returns the current sockets.
    ///
    /// # Errors
    /// The kernel does not answer.
    pub fn read(&self) -> io::Result<Vec<TcpSocket>> {
        let mut all = Vec::new();
        for family in [libc::AF_INET, libc::AF_INET6] {
            self.netlink
                .dump(&request(family as u8), &mut |message| all.extend(socket(message)))?;
        }
        Ok(all)
    }
}

/// Builds an `inet_diag_req_v2`: family, protocol, attributes, padding, states, and any socket.
fn request(family: u8) -> Vec<u8> {
    let mut bytes = vec![family, libc::IPPROTO_TCP as u8, WANTED, 0];
    bytes.extend(STATES.to_ne_bytes());
    bytes.extend([0; 48]);
    bytes
}

/// Parses a message, if it has byte counters: a socket in TIME_WAIT has none.
fn socket(message: &[u8]) -> Option<TcpSocket> {
    let (head, rest) = message.split_at_checked(MESSAGE)?;
    let (mut info, mut algorithm) = (None, String::new());
    for (kind, value) in attributes(rest) {
        match kind {
            INFO => info = Some(value),
            CONGESTION => {
                let name = value.split(|byte| *byte == 0).next().unwrap_or_default();
                algorithm = String::from_utf8_lossy(name).into_owned();
            }
            _ => {}
        }
    }
    let info = info?;
    let long = |at: usize| {
        let bytes = info.get(at..at + 8).and_then(|bytes| bytes.try_into().ok());
        bytes.map_or(0, u64::from_ne_bytes)
    };
    let first_sent = long(BYTES_SENT).saturating_sub(long(BYTES_RETRANSMITTED));
    // A FIN counts as a byte while it waits behind written data.
    let not_sent = u64::from(word(info, NOT_SENT));
    let closes = matches!(head[STATE], FIN_WAIT_1 | LAST_ACK | CLOSING);
    let written = first_sent + not_sent.saturating_sub(u64::from(closes));
    Some(TcpSocket {
        ends: [end(head, 0), end(head, 1)],
        written,
        received: long(BYTES_RECEIVED),
        unread: word(head, UNREAD).into(),
        algorithm,
    })
}

/// Returns the local (0) or remote (1) end in a message. An IPv4 address may be written as an IPv6
/// one.
fn end(head: &[u8], number: usize) -> SocketAddr {
    let port = PORTS + 2 * number;
    let port = u16::from_be_bytes([head[port], head[port + 1]]);
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&head[ADDRESSES[number]..ADDRESSES[number] + 16]);
    let address = if i32::from(head[0]) == libc::AF_INET {
        IpAddr::V4(Ipv4Addr::new(bytes[0], bytes[1], bytes[2], bytes[3]))
    } else {
        IpAddr::V6(Ipv6Addr::from(bytes)).to_canonical()
    };
    SocketAddr::new(address, port)
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    use super::*;

    /// Two sockets of this process: bytes written, waiting, and read.
    #[test]
    fn the_kernel_counts_bytes_that_programs_write_and_read() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let mut client = TcpStream::connect(listener.local_addr().expect("bound")).expect("there");
        let (mut server, _) = listener.accept().expect("a connection");
        client.write_all(&[1; 5000]).expect("room");
        server.read_exact(&mut [0; 1200]).expect("it comes");
        let sockets = TcpSockets::open().expect("the kernel answers");
        let ends = |of: &TcpStream| [of.local_addr(), of.peer_addr()].map(|end| end.expect("open"));
        let find = |of: &TcpStream| {
            let all = sockets.read().expect("the kernel answers");
            let found = all.into_iter().find(|one| one.ends == ends(of));
            found.expect("the socket is there")
        };
        let (at_client, at_server) = (find(&client), find(&server));
        assert_eq!((at_client.written, at_client.received), (5000, 0));
        assert_eq!((at_server.written, at_server.received, at_server.unread), (0, 5000, 3800));
        assert_eq!(at_client.algorithm, sockets.default_algorithm());
    }

    #[test]
    fn a_fin_that_waits_is_no_byte_of_a_program() {
        let mut message = vec![0; MESSAGE];
        message[0] = libc::AF_INET as u8;
        message[PORTS..PORTS + 4].copy_from_slice(&[0x1f, 0x90, 0, 80]);
        message[ADDRESSES[0]..ADDRESSES[0] + 4].copy_from_slice(&[10, 0, 0, 1]);
        let mut info = vec![0; 232];
        info[NOT_SENT..NOT_SENT + 4].copy_from_slice(&101u32.to_ne_bytes());
        info[BYTES_SENT..BYTES_SENT + 8].copy_from_slice(&5000u64.to_ne_bytes());
        info[BYTES_RETRANSMITTED..BYTES_RETRANSMITTED + 8].copy_from_slice(&400u64.to_ne_bytes());
        message.extend((4 + info.len() as u16).to_ne_bytes());
        message.extend(INFO.to_ne_bytes());
        message.extend(&info);
        for (state, written) in [(1, 4701), (FIN_WAIT_1, 4700), (LAST_ACK, 4700)] {
            message[STATE] = state;
            let read = socket(&message).expect("it has an account");
            assert_eq!(read.written, written);
            assert_eq!(read.ends[0].to_string(), "10.0.0.1:8080");
        }
        assert_eq!(socket(&message[..MESSAGE]), None);
    }
}
