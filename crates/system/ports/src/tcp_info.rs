//! What the kernel knows of a TCP connection (`TCP_INFO`).

use std::io;
use std::os::fd::{AsFd, AsRawFd};

/// Size of `tcp_info` in bytes, up to the last field that is read here. Linux 5.15 has all of them.
const SIZE: usize = 208;

/// State of the sending end of a TCP connection.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct TcpInfo {
    /// Congestion window, in packets.
    pub cwnd: u64,
    /// Slow-start threshold in packets; absent before the first reduction.
    pub ssthresh: Option<u64>,
    /// Packets in flight.
    pub in_flight: u64,
    /// Smoothed round-trip time, in µs.
    pub srtt_us: u64,
    /// Deviation of the round-trip time, in µs.
    pub rttvar_us: u64,
    /// Retransmission timeout, in µs.
    pub rto_us: u64,
    /// Smallest round-trip time of the past minutes, in µs.
    pub min_rtt_us: u64,
    /// Most recent delivery rate, in bytes per second.
    pub delivery_rate: u64,
    /// Bytes that the other end has acknowledged.
    pub acked_bytes: u64,
    /// Packets retransmitted.
    pub retransmitted: u64,
    /// Packets considered lost and not yet sent again.
    pub lost: u64,
    /// Packets whose acknowledgement echoed an ECN mark.
    pub marked: u64,
}

/// Reads the state of a connection.
///
/// # Errors
/// Fails if `socket` is not a TCP socket.
pub fn tcp_info(socket: impl AsFd) -> io::Result<TcpInfo> {
    let mut bytes = [0u8; SIZE];
    let mut length = SIZE as libc::socklen_t;
    // SAFETY: the descriptor is open, and the kernel writes at most `length` bytes, which is the
    // size of the array.
    let done = unsafe {
        libc::getsockopt(
            socket.as_fd().as_raw_fd(),
            libc::IPPROTO_TCP,
            libc::TCP_INFO,
            bytes.as_mut_ptr().cast(),
            &raw mut length,
        )
    };
    if done != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(parse(&bytes))
}

/// Offsets are those of `tcp_info` in `linux/tcp.h`.
fn parse(bytes: &[u8; SIZE]) -> TcpInfo {
    let word = |at: usize| {
        u64::from(u32::from_ne_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]))
    };
    let long = |at: usize| {
        let mut eight = [0; 8];
        eight.copy_from_slice(&bytes[at..at + 8]);
        u64::from_ne_bytes(eight)
    };
    // unacked - sacked - lost + retrans, as the kernel counts packets in flight.
    let in_flight = (word(24) + word(36)).saturating_sub(word(28) + word(32));
    TcpInfo {
        cwnd: word(80),
        // The kernel's "infinite" threshold.
        ssthresh: Some(word(76)).filter(|packets| *packets < 0x7fff_ffff),
        in_flight,
        srtt_us: word(68),
        rttvar_us: word(72),
        rto_us: word(8),
        min_rtt_us: word(148),
        delivery_rate: long(160),
        acked_bytes: long(120),
        retransmitted: word(100),
        lost: word(32),
        marked: word(196),
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream};

    use super::*;

    #[test]
    fn the_kernel_tells_of_a_connection() {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let mut client = TcpStream::connect(listener.local_addr().expect("bound")).expect("there");
        let (mut server, _) = listener.accept().expect("a connection");
        client.write_all(&[1; 5000]).expect("room");
        server.read_exact(&mut [0; 5000]).expect("it comes");
        server.write_all(&[1]).expect("room");
        client.read_exact(&mut [0]).expect("it comes");
        let info = tcp_info(&client).expect("it is TCP");
        // The SYN counts as a byte in some kernels.
        assert!((5000..=5001).contains(&info.acked_bytes), "{info:?}");
        assert_eq!((info.in_flight, info.lost, info.marked), (0, 0, 0), "{info:?}");
        assert!(info.cwnd > 0 && info.srtt_us > 0 && info.rto_us >= 1000, "{info:?}");
        assert!(info.min_rtt_us <= info.srtt_us + 4 * info.rttvar_us, "{info:?}");
        let udp = std::net::UdpSocket::bind("127.0.0.1:0").expect("a port");
        assert!(tcp_info(&udp).is_err());
    }
}
