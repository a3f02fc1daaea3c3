//! Connections between real nodes and simulated hosts: segments that are sent carry the bytes that
//! their application writes. Not here: what TCP does (`connections`), and how packets of real nodes
//! enter and leave (`hosts::border`).

use std::collections::{BTreeMap, VecDeque};

use netloom_tcp::{Endpoint, SackBlocks, Segment};
use netloom_traffic::{Exchange, HttpHead};
use netloom_units::{Duration, Size, Time};

use crate::AddressBook;
use crate::bytes::{TCP, segment_with};
use crate::packet::{Body, Packet, RawBody};

/// The application of a simulated host behind a connection with a real node.
#[derive(Debug)]
pub(crate) struct Guest {
    /// Sequence numbers of the first byte in each direction: the real node's, then the host's.
    first: [u32; 2],
    came: Came,
    /// The server. `None` if the host only reads.
    server: Option<Server>,
}

/// A web server that has objects of every length.
#[derive(Debug, Default)]
struct Server {
    /// The bytes of the next request that have arrived.
    request: Vec<u8>,
    /// Heads of responses that may have to be sent again, by their place in the stream that is
    /// written.
    heads: VecDeque<(u64, Vec<u8>)>,
    /// Place in the stream at which the next response begins.
    end: u64,
    /// Bytes that remain to be written.
    left: u64,
    /// Whether the connection ends after these bytes.
    closes: bool,
}

/// Bytes that have arrived and were not read yet, by their place in the stream that arrives.
#[derive(Debug, Default)]
struct Came {
    read: u64,
    pieces: BTreeMap<u64, Vec<u8>>,
}

/// Maximum distance ahead of the bytes read so far at which bytes are kept. It exceeds any window.
const AHEAD: u64 = 1 << 24;

impl Came {
    /// Stores bytes that have arrived, which begin at the place `at` of the stream.
    fn put(&mut self, at: u64, bytes: &[u8]) {
        if at + bytes.len() as u64 > self.read && at < self.read + AHEAD {
            let longer = |known: &Vec<u8>| known.len() >= bytes.len();
            if !self.pieces.get(&at).is_some_and(longer) {
                self.pieces.insert(at, bytes.to_vec());
            }
        }
    }

    /// Takes the next `count` bytes.
    fn take(&mut self, count: u64) -> Vec<u8> {
        let (from, to) = (self.read, self.read + count);
        let mut all = vec![0; count as usize];
        for (at, piece) in self.pieces.range(..to) {
            overlay(&mut all, from, *at, piece);
        }
        self.read = to;
        self.pieces.retain(|at, piece| at + piece.len() as u64 > to);
        all
    }
}

/// Copies the part of `piece`, which begins at `at`, that lies in `all`, which begins at `from`.
fn overlay(all: &mut [u8], from: u64, at: u64, piece: &[u8]) {
    let begin = at.max(from);
    let end = (at + piece.len() as u64).min(from + all.len() as u64);
    if begin < end {
        let part = &piece[(begin - at) as usize..(end - at) as usize];
        all[(begin - from) as usize..(end - from) as usize].copy_from_slice(part);
    }
}

impl Server {
    /// Takes bytes of requests, and answers the requests that are complete.
    fn take(&mut self, bytes: &[u8]) {
        self.request.extend(bytes);
        while !self.closes && !self.request.is_empty() {
            let is_whole = self.request.windows(4).any(|four| four == b"\r\n\r\n");
            let is_long = self.request.len() as u64 > HttpHead::MOST;
            if !is_whole && !is_long {
                return;
            }
            match HttpHead::read(&mut &self.request[..]) {
                Ok(Some(head)) => {
                    self.request.drain(..head.bytes as usize);
                    self.answer(&head);
                }
                // The bytes are not a request.
                Ok(None) | Err(_) => self.closes = true,
            }
        }
    }

    fn answer(&mut self, request: &HttpHead) {
        let Some(bytes) = request.asks_for() else {
            self.closes = true;
            return self.respond(HttpHead::NOT_FOUND.into(), 0);
        };
        self.closes = request.closes;
        let response = Exchange { think: Duration::ZERO, response: Size::from_bytes(bytes) };
        self.respond(response.response_head(!request.closes), bytes);
    }

    fn respond(&mut self, head: String, body: u64) {
        let bytes = (head.len() as u64).saturating_add(body);
        self.heads.push_back((self.end, head.into_bytes()));
        self.left = self.left.saturating_add(bytes);
        self.end = self.end.saturating_add(bytes);
    }

    /// Returns `count` bytes of the written stream, from a place on: heads, and bodies of zeros.
    fn written(&self, from: u64, count: u32) -> Vec<u8> {
        let mut all = vec![0; count as usize];
        for (at, head) in &self.heads {
            overlay(&mut all, from, *at, head);
        }
        all
    }

    /// Forgets the heads before `place`: nothing before it is sent again.
    fn forget_before(&mut self, place: u64) {
        while let Some((at, head)) = self.heads.front()
            && at + head.len() as u64 <= place
        {
            self.heads.pop_front();
        }
    }
}

impl Guest {
    /// Returns the host's side of a connection. The arguments are the initial sequence numbers of
    /// the real node and of the host.
    pub fn new([theirs, ours]: [u32; 2], is_served: bool) -> Self {
        let first = [theirs, ours].map(|initial| initial.wrapping_add(1));
        Self { first, came: Came::default(), server: is_served.then(Server::default) }
    }

    /// Whether the host sends data.
    pub const fn is_served(&self) -> bool {
        self.server.is_some()
    }

    /// Takes a segment that has arrived, with its bytes.
    pub fn receive(&mut self, sequence: u32, payload: &[u8]) {
        if self.server.is_some() && !payload.is_empty() {
            let at = place(self.came.read, self.first[0], sequence);
            at.into_iter().for_each(|at| self.came.put(at, payload));
        }
    }

    /// Reads all that has arrived in order. Returns the number of bytes.
    pub fn read(&mut self, now: Time, endpoint: &mut Endpoint) -> u64 {
        let read = endpoint.read(now, u64::MAX);
        if let Some(server) = &mut self.server {
            server.take(&self.came.take(read));
        }
        read
    }

    /// Writes what remains, as far as the send buffer has room.
    pub fn write(&mut self, now: Time, endpoint: &mut Endpoint) {
        let Some(server) = &mut self.server else { return };
        // The count includes the SYN as a byte, and may be one too high.
        server.forget_before(endpoint.info().bytes_acked.saturating_sub(1));
        if server.left > 0 {
            server.left -= endpoint.write(now, server.left);
        }
        if server.left == 0 && server.closes {
            endpoint.shutdown(now);
        }
    }

    /// Handles the real node's close: the rest is still written, and then the connection ends.
    pub fn finish(&mut self, now: Time, endpoint: &mut Endpoint) {
        self.read(now, endpoint);
        match &mut self.server {
            Some(server) => server.closes = true,
            None => endpoint.close(now),
        }
        self.write(now, endpoint);
    }

    /// Returns the packet that carries a segment, with its bytes, to the real node.
    pub fn packet(
        &self,
        packet: Packet,
        (segment, sack): (&Segment, &SackBlocks),
        acked: u64,
        book: &AddressBook,
    ) -> Packet {
        let at = place(acked, self.first[1], segment.seq).unwrap_or(0);
        let payload = match &self.server {
            Some(server) => server.written(at, segment.len),
            None => Vec::new(),
        };
        let ends = [packet.source, packet.destination].map(|id| book.address(id));
        let ports = [packet.source_port, packet.destination_port];
        let data = segment_with((segment, sack), ports, ends, &payload);
        Packet { body: Body::Raw(Box::new(RawBody::new(TCP, &data))), ..packet }
    }
}

/// Returns the place in a stream of a sequence number close to the place `near`. `None` if it lies
/// before the stream. The first byte has the number `first`.
fn place(near: u64, first: u32, sequence: u32) -> Option<u64> {
    let expected = first.wrapping_add(near as u32);
    near.checked_add_signed(i64::from(sequence.wrapping_sub(expected) as i32))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_read_in_order_however_they_come() {
        let mut came = Came::default();
        came.put(4, b"efgh");
        came.put(2, b"cdef");
        came.put(0, b"ab");
        assert_eq!(came.take(3), b"abc");
        came.put(0, b"ab");
        came.put(3, b"de");
        assert_eq!(came.take(5), b"defgh");
        assert!(came.pieces.is_empty());
        came.put(8 + AHEAD, b"x");
        assert!(came.pieces.is_empty(), "it is beyond all windows");
    }

    #[test]
    fn requests_are_answered_once_they_are_whole_and_in_turn() {
        let mut server = Server::default();
        server.take(b"GET /10 HTTP/1.1\r\nHost: x\r\n");
        assert_eq!(server.left, 0);
        server.take(b"\r\nGET /7 HTTP/1.1\r\n\r\nGET /");
        let head = |bytes: u64| {
            let response = Exchange { think: Duration::ZERO, response: Size::from_bytes(bytes) };
            response.response_head(true)
        };
        let wanted = [head(10).as_bytes(), &[0; 10], head(7).as_bytes(), &[0; 7]].concat();
        assert_eq!(server.written(0, server.end as u32), wanted);
        assert_eq!(server.written(5, 20), wanted[5..25]);
        server.forget_before(wanted.len() as u64 - 7);
        assert!(server.heads.is_empty() && !server.closes);
        server.take(b"index.html HTTP/1.1\r\n\r\n");
        assert!(server.closes);
        assert_eq!(server.written(wanted.len() as u64, 12), b"HTTP/1.1 404");
    }

    #[test]
    fn a_place_follows_from_a_sequence_number_across_the_wrap() {
        assert_eq!(place(0, 5, 5), Some(0));
        assert_eq!(place(0, 5, 4), None);
        assert_eq!(place(1 << 32, u32::MAX, u32::MAX), Some(1 << 32));
        assert_eq!(place(10, u32::MAX - 3, 8), Some(12));
        assert_eq!(place(10, 0, 4), Some(4));
    }
}
