//! A real client of a simulated server: `a` is real, `r` is the router, and the server of a flow
//! listens at `h`.

use etherparse::{PacketBuilder, SlicedPacket, TransportSlice};
use netloom_sim::{Cell, FlowSpec, InterfaceId};

use crate::common::{Sketch, at, datagrams, over_tcp, whole};

const A: InterfaceId = InterfaceId { node: 0, interface: 0 };
const ROUTER: [u8; 6] = [2, 0, 0, 0, 0, 2];
const PORT: u16 = 8000;

/// Returns the network, whose links have `properties`.
fn joined(properties: &str, flows: impl FnOnce(u32) -> Vec<FlowSpec>) -> Cell {
    let mut sketch = Sketch::new(1);
    let (a, r) = (sketch.node("a", false), sketch.node("r", true));
    let h = sketch.node("h", false);
    sketch.link([a, r], properties);
    sketch.link([h, r], properties);
    sketch.default_route(h, 0);
    sketch.network.nodes[a as usize].real = true;
    let mut simulation = whole(sketch.network, flows(r));
    simulation.cells.remove(0)
}

/// Returns a flow whose server listens for a client that asks for one byte at once.
fn web(from: u32) -> Vec<FlowSpec> {
    vec![over_tcp(from, "10.0.1.1", PORT, r#"{"http": {"requests": 1, "sizes": "1B"}}"#)]
}

/// A minimal client: it accepts data in order only, and acknowledges each packet.
struct Client {
    cell: Cell,
    millis: u64,
    sent: u32,
    /// The next sequence number that it expects, once it has received one.
    awaited: Option<u32>,
    got: Vec<u8>,
    has_ended: bool,
    was_reset: bool,
}

impl Client {
    fn new(cell: Cell) -> Self {
        let (got, awaited) = (Vec::new(), None);
        Self { cell, millis: 5, sent: 1000, awaited, got, has_ended: false, was_reset: false }
    }

    fn send(&mut self, sequence: u32, payload: &[u8], fin: bool) {
        let v4 = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 1, 1], 64);
        let tcp = v4.tcp(4000, PORT, sequence, 65_535);
        let tcp = match self.awaited {
            None => tcp.syn(),
            Some(awaited) if fin => tcp.ack(awaited).fin(),
            Some(awaited) => tcp.ack(awaited),
        };
        let mut packet = Vec::new();
        tcp.write(&mut packet, payload).expect("memory");
        self.cell.enter(A, ROUTER, &packet).expect("it is taken");
    }

    /// Lets time pass, and acknowledges the packets that arrive.
    fn wait(&mut self, millis: u64) {
        let end = self.millis + millis;
        while self.millis < end {
            self.millis += 1;
            self.cell.advance(at(self.millis)).expect("no loop");
            for leaving in self.cell.take_leaving() {
                self.take(&leaving.packet);
            }
        }
    }

    fn take(&mut self, packet: &[u8]) {
        let sliced = SlicedPacket::from_ip(packet).expect("a packet");
        let Some(TransportSlice::Tcp(tcp)) = &sliced.transport else { panic!("{sliced:?}") };
        let Some(etherparse::NetSlice::Ipv4(ip)) = &sliced.net else { panic!("{sliced:?}") };
        let right = tcp.to_header().calc_checksum_ipv4(&ip.header().to_header(), tcp.payload());
        assert_eq!(Ok(tcp.checksum()), right);
        self.was_reset |= tcp.rst();
        let taken = tcp.payload().len() as u32 + u32::from(tcp.fin());
        match self.awaited {
            None => {
                assert!(tcp.syn() && tcp.ack());
                self.awaited = Some(tcp.sequence_number().wrapping_add(1));
            }
            Some(awaited) if tcp.sequence_number() == awaited => {
                self.got.extend(tcp.payload());
                self.has_ended |= tcp.fin();
                self.awaited = Some(awaited.wrapping_add(taken));
            }
            Some(_) => {}
        }
        if taken > 0 {
            self.send(self.sent, &[], false);
        }
    }

    fn open(&mut self) {
        self.send(self.sent, &[], false);
        self.sent += 1;
        self.wait(100);
        assert!(self.awaited.is_some(), "it is answered");
    }

    fn ask(&mut self, request: &[u8]) {
        self.send(self.sent, request, false);
        self.sent += request.len() as u32;
    }
}

/// Returns the head and the body of a response.
fn parts(response: &[u8]) -> (&str, &[u8]) {
    let end = response.windows(4).position(|four| four == b"\r\n\r\n").expect("a head") + 4;
    (std::str::from_utf8(&response[..end]).expect("text"), &response[end..])
}

#[test]
fn a_real_client_gets_what_it_asks_a_simulated_server_for() {
    let mut client = Client::new(joined(r#"{"rate":"10Mbit/s","delay":"1ms"}"#, web));
    client.open();
    client.ask(b"GET /100000 HTTP/1.1\r\nHost: h\r\n\r\n");
    client.wait(2000);
    let (head, body) = parts(&client.got);
    assert!(head.starts_with("HTTP/1.1 200 OK\r\n"), "{head}");
    assert!(head.contains("Content-Length: 100000\r\n"), "{head}");
    assert!(body.len() == 100_000 && body.iter().all(|byte| *byte == 0));
    // The connection stays open until the client asks for something that does not exist.
    client.got.clear();
    client.ask(b"GET /index.html HTTP/1.1\r\n\r\n");
    client.wait(2000);
    assert!(parts(&client.got).0.starts_with("HTTP/1.1 404 "));
    assert!(client.has_ended && !client.was_reset);
}

#[test]
fn lost_packets_are_sent_again_with_their_bytes() {
    let lossy = r#"{"rate":"10Mbit/s","delay":"1ms","loss":"5%"}"#;
    let mut client = Client::new(joined(lossy, web));
    client.open();
    let requests = b"GET /3000 HTTP/1.1\r\n\r\n".repeat(20);
    // The second half arrives first, and all of it several times.
    let (first, second) = requests.split_at(200);
    for _ in 0..5 {
        client.send(client.sent + 200, second, false);
        client.send(client.sent, first, false);
        client.wait(50);
    }
    client.sent += requests.len() as u32;
    client.wait(60_000);
    let mut rest = &client.got[..];
    for _ in 0..20 {
        let (head, body) = parts(rest);
        assert!(head.contains("Content-Length: 3000\r\n"), "{head}");
        assert_eq!(body[..3000], [0; 3000]);
        rest = &body[3000..];
    }
    assert!(rest.is_empty(), "{} bytes more", rest.len());
}

#[test]
fn a_client_that_closes_after_its_request_gets_the_response() {
    let mut client = Client::new(joined(r#"{"delay":"1ms"}"#, web));
    client.open();
    let request = b"GET /10 HTTP/1.0\r\n\r\n";
    client.send(client.sent, request, true);
    client.sent += request.len() as u32 + 1;
    client.wait(2000);
    assert_eq!(parts(&client.got).1, [0; 10]);
    assert!(client.has_ended && !client.was_reset);
}

#[test]
fn whoever_receives_a_transfer_reads_what_a_real_client_sends() {
    let transfers = r#"{"flows": {"arrivals": {"gaps": "100ms"}, "bytes": "10B"}}"#;
    let listening = |from| {
        let transfers = over_tcp(from, "10.0.1.1", PORT, transfers);
        vec![transfers, datagrams(from, "10.0.1.1", Vec::new())]
    };
    let mut client = Client::new(joined(r#"{"delay":"1ms"}"#, listening));
    client.wait(1000);
    let before = client.cell.counts(0).expect("it is there").received.bytes;
    client.open();
    client.ask(&[7; 1000]);
    client.wait(500);
    client.send(client.sent, &[], true);
    client.sent += 1;
    client.wait(500);
    assert_eq!(client.cell.counts(0).expect("it is there").received.bytes, before + 1000);
    assert!(client.has_ended && !client.was_reset);
    // A datagram to a port that a flow receives on causes no error message.
    let mut packet = Vec::new();
    let udp = PacketBuilder::ipv4([10, 0, 0, 1], [10, 0, 1, 1], 64).udp(5000, 9);
    udp.write(&mut packet, b"hello").expect("memory");
    client.cell.enter(A, ROUTER, &packet).expect("it is taken");
    client.cell.advance(at(client.millis + 100)).expect("no loop");
    assert_eq!(client.cell.take_leaving(), []);
}
