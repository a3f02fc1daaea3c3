//! Real kernels at both ends: TAP interfaces in namespaces that the tests create, sockets in them,
//! and a data plane between them.

use std::io::{Read, Write};
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener, TcpStream, UdpSocket};
use std::thread;
use std::time::{Duration, Instant};

use crate::common::*;
use crate::lab::netlink::delete_interface;
use crate::lab::{Namespace, available, ipv4, ipv6, two_hosts};
use netloom_dataplane::{Dataplane, End};
use netloom_fabric::{LinkId, SegmentId};
use netloom_ports::{FrameBuffer, FrameDevice as _, Tap};
use nix::sys::socket::setsockopt;
use nix::sys::socket::sockopt::UdpGsoSegment;

fn end(tap: Tap) -> End {
    End::Port(Box::new(tap))
}

/// Connects two hosts by one link.
fn joined(text: &str) -> ([Namespace; 2], Dataplane) {
    let (namespaces, [a, b]) = two_hosts();
    let wiring = wiring(vec![link("l", [end(a), end(b)], text)]);
    (namespaces, Dataplane::start(wiring, options()).unwrap())
}

fn udp(namespace: &Namespace, host: u8) -> UdpSocket {
    namespace.run(|| UdpSocket::bind((ipv4(host), 7)).unwrap())
}

#[test]
fn datagrams_pass_and_the_round_trip_takes_both_delays() {
    if !available("datagrams_pass_and_the_round_trip_takes_both_delays") {
        return;
    }
    let ([a, b], dataplane) = joined(r#"{"delay":"5ms"}"#);
    let (client, server) = (udp(&a, 1), udp(&b, 2));
    let (client, server) = (with_patience(client), with_patience(server));
    let mut buffer = [0; 100];
    for round in 0..5u8 {
        let start = Instant::now();
        client.send_to(&[round; 40], (ipv4(2), 7)).unwrap();
        let (length, from) = server.recv_from(&mut buffer).unwrap();
        server.send_to(&buffer[..length], from).unwrap();
        let (length, _) = client.recv_from(&mut buffer).unwrap();
        assert_eq!(buffer[..length], [round; 40]);
        assert!(start.elapsed() >= Duration::from_millis(10));
    }
    let timing = dataplane.timing().unwrap();
    assert_eq!(timing.unmodelled.total(), 0);
    assert!(timing.lateness.count >= 10);
}

/// Whether this process is root of the machine, and not only of a user namespace.
fn is_root_of_the_machine() -> bool {
    let map = std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    nix::unistd::geteuid().is_root() && map.split_whitespace().eq(["0", "0", "4294967295"])
}

fn monotonic() -> u64 {
    let now = nix::time::clock_gettime(nix::time::ClockId::CLOCK_MONOTONIC).unwrap();
    now.tv_sec() as u64 * 1_000_000_000 + now.tv_nsec() as u64
}

#[test]
fn the_kernel_says_when_the_oldest_frame_came() {
    if !available("the_kernel_says_when_the_oldest_frame_came") {
        return;
    }
    let ([a, _b], [mut tap, _other]) = two_hosts();
    assert_eq!(tap.knows_arrivals(), is_root_of_the_machine());
    if !tap.knows_arrivals() {
        assert_eq!(tap.take_arrival(), None);
        return;
    }
    let socket = udp(&a, 1);
    let mut buffer = FrameBuffer::default();
    // The kernel also sends by itself, while an interface is new.
    eventually("a frame comes that was sent here", || {
        while tap.receive(&mut buffer).unwrap() {}
        let before = monotonic();
        socket.send_to(&[1; 40], (Ipv4Addr::new(10, 0, 0, 99), 7)).unwrap();
        let after = monotonic();
        thread::sleep(Duration::from_millis(20));
        socket.send_to(&[1; 40], (Ipv4Addr::new(10, 0, 0, 98), 7)).unwrap();
        let came = tap.take_arrival();
        came.is_some_and(|came| before <= came && came <= after)
    });
    // Once asked, it says nothing until another frame comes.
    eventually("nothing comes for a while", || {
        while tap.receive(&mut buffer).unwrap() {}
        thread::sleep(Duration::from_millis(20));
        tap.take_arrival().is_none()
    });
}

fn with_patience(socket: UdpSocket) -> UdpSocket {
    socket.set_read_timeout(Some(PATIENCE)).unwrap();
    socket
}

/// Returns bytes without a short period, so that a lost, duplicated or misplaced segment is
/// detected.
fn payload(length: usize) -> Vec<u8> {
    let mut state = 0x2545_f491_4f6c_dd1du64;
    let mut bytes = Vec::with_capacity(length + 8);
    while bytes.len() < length {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        bytes.extend(state.to_le_bytes());
    }
    bytes.truncate(length);
    bytes
}

/// Sends `bytes` over TCP from the first namespace to the second, and returns the bytes that
/// arrive.
fn transfer([a, b]: &[Namespace; 2], to: IpAddr, bytes: &[u8]) -> Vec<u8> {
    let listener = b.run(|| TcpListener::bind(SocketAddr::new(to, 9)).unwrap());
    thread::scope(|scope| {
        let received = scope.spawn(move || {
            let (mut stream, _) = listener.accept().unwrap();
            let mut received = Vec::new();
            stream.read_to_end(&mut received).unwrap();
            received
        });
        let mut stream = a.run(|| TcpStream::connect(SocketAddr::new(to, 9)).unwrap());
        stream.write_all(bytes).unwrap();
        drop(stream);
        received.join().unwrap()
    })
}

fn tcp_is_byte_exact(test: &str, text: &str, megabytes: usize, to: IpAddr) {
    if !available(test) {
        return;
    }
    let (namespaces, dataplane) = joined(text);
    let bytes = payload(megabytes << 20);
    assert!(transfer(&namespaces, to, &bytes) == bytes, "{text}: the bytes differ");
    for namespace in &namespaces {
        assert_eq!(namespace.counter("Tcp", "InErrs"), 0);
        assert_eq!(namespace.counter("Tcp", "InCsumErrors"), 0);
        assert_eq!(namespace.counter("Ip", "InHdrErrors"), 0);
    }
    let timing = dataplane.timing().unwrap();
    assert_eq!(timing.unmodelled.total(), 0, "{:?}", timing.unmodelled);
    let forward = statistics(&dataplane, forward(0));
    let least = bytes.len() as u64 / 1448;
    assert!(forward.delivered.frames >= least, "super-frames count as their wire frames");
}

#[test]
fn tcp_unlimited() {
    tcp_is_byte_exact("tcp_unlimited", "{}", 64, ipv4(2).into());
}

#[test]
fn tcp_unlimited_ipv6() {
    tcp_is_byte_exact("tcp_unlimited_ipv6", r#"{"delay":"1ms"}"#, 32, ipv6(2).into());
}

/// 50 µs at 2 Gbit/s is 12,500 bytes: super-frames are split into smaller ones.
#[test]
fn tcp_in_smaller_super_frames() {
    let text = r#"{"rate":"2Gbit/s"}"#;
    tcp_is_byte_exact("tcp_in_smaller_super_frames", text, 32, ipv4(2).into());
    tcp_is_byte_exact("tcp_in_smaller_super_frames", text, 32, ipv6(2).into());
}

#[test]
fn tcp_cut_into_frames() {
    let text = r#"{"rate":"200Mbit/s"}"#;
    tcp_is_byte_exact("tcp_cut_into_frames", text, 8, ipv4(2).into());
    tcp_is_byte_exact("tcp_cut_into_frames", text, 8, ipv6(2).into());
}

#[test]
fn tcp_over_a_lossy_link() {
    let text = r#"{"loss":"0.5%","delay":"500us"}"#;
    tcp_is_byte_exact("tcp_over_a_lossy_link", text, 4, ipv4(2).into());
}

/// 99 % interval of the binomial distribution: `n` × 10 % ± 2.576 × √(`n` × 10 % × 90 %). Seed and
/// order of draws are fixed, so only the few frames that the kernels send by themselves shift the
/// result.
#[test]
fn datagrams_are_lost_as_often_as_the_link_says() {
    if !available("datagrams_are_lost_as_often_as_the_link_says") {
        return;
    }
    let ([a, b], dataplane) = joined("{}");
    let (client, server) = (udp(&a, 1), with_patience(udp(&b, 2)));
    // First, the hosts resolve each other's addresses without loss.
    client.send_to(&[0], (ipv4(2), 7)).unwrap();
    server.recv(&mut [0; 1]).unwrap();
    server.set_nonblocking(true).unwrap();
    dataplane.change(&[(forward(0), change(r#"{"loss":"10%"}"#))]).unwrap();
    let before = statistics(&dataplane, forward(0));
    let mut received = 0;
    let mut now = before.clone();
    for sent in (10..=2000).step_by(10) {
        for _ in 0..10 {
            client.send_to(&[1; 100], (ipv4(2), 7)).unwrap();
        }
        eventually("ten frames through the link", || {
            now = statistics(&dataplane, forward(0));
            now.offered.frames >= before.offered.frames + sent
        });
        received += std::iter::from_fn(|| server.recv(&mut [0; 100]).ok()).count() as u64;
    }
    let offered = (now.offered.frames - before.offered.frames) as f64;
    let lost = now.dropped.loss.frames as f64;
    let bound = 2.576 * (offered * 0.1 * 0.9).sqrt();
    assert!((lost - offered * 0.1).abs() <= bound, "{lost} of {offered} were lost, ±{bound:.0}");
    // All delivered frames except those that the kernels sent by themselves reached the socket.
    let delivered = now.delivered.frames - before.delivered.frames;
    assert!((delivered - 30..=delivered).contains(&received), "{received} of {delivered}");
}

/// Datagrams that the sender hands over forty at a time arrive individually, whether the link or
/// the receiving kernel splits them.
#[test]
fn batches_of_datagrams_arrive_as_datagrams() {
    if !available("batches_of_datagrams_arrive_as_datagrams") {
        return;
    }
    const LENGTH: usize = 1400;
    for text in ["{}", r#"{"rate":"100Mbit/s","queue":{"limit":"1000packets"}}"#] {
        let ([a, b], dataplane) = joined(text);
        let (client, server) = (udp(&a, 1), with_patience(udp(&b, 2)));
        setsockopt(&client, UdpGsoSegment, &(LENGTH as i32)).unwrap();
        let bytes = payload(40 * LENGTH + 100);
        client.send_to(&bytes, (ipv4(2), 7)).unwrap();
        let mut buffer = [0; 65_536];
        for sent in bytes.chunks(LENGTH) {
            let length = server.recv(&mut buffer).unwrap();
            assert!(buffer[..length] == *sent, "{text}: a datagram differs");
        }
        assert_eq!(b.counter("Udp", "InCsumErrors"), 0);
        let offered = statistics(&dataplane, forward(0)).offered.frames;
        assert!(
            offered >= 41,
            "{text}: {offered} frames, and a super-frame counts as its datagrams"
        );
    }
}

#[test]
fn a_cut_link_has_no_carrier() {
    if !available("a_cut_link_has_no_carrier") {
        return;
    }
    let ([a, b], dataplane) = joined("{}");
    eventually("a carrier", || a.sees_carrier() && b.sees_carrier());
    let set = |text: &str| {
        dataplane.change(&[(forward(0), change(text)), (reverse(0), change(text))]).unwrap();
    };
    set(r#"{"state":"down"}"#);
    eventually("no carrier", || !a.sees_carrier() && !b.sees_carrier());
    set(r#"{"state":"up"}"#);
    eventually("a carrier again", || a.sees_carrier() && b.sees_carrier());
    let (client, server) = (udp(&a, 1), with_patience(udp(&b, 2)));
    client.send_to(&[1], (ipv4(2), 7)).unwrap();
    assert_eq!(server.recv(&mut [0; 1]).unwrap(), 1);
}

#[test]
fn an_interface_taken_down_by_its_owner_is_not_the_machines_fault() {
    if !available("an_interface_taken_down_by_its_owner_is_not_the_machines_fault") {
        return;
    }
    let ([a, b], dataplane) = joined("{}");
    b.set_up(false).unwrap();
    let client = udp(&a, 1);
    client.set_broadcast(true).unwrap();
    client.send_to(&[1], (ipv4(2), 7)).unwrap();
    eventually("a frame for a downed interface", || dataplane.timing().unwrap().interface_down > 0);
    let timing = dataplane.timing().unwrap();
    assert_eq!((timing.unmodelled.total(), timing.failures.len()), (0, 0));
}

#[test]
fn a_device_that_goes_away_takes_nothing_else_with_it() {
    if !available("a_device_that_goes_away_takes_nothing_else_with_it") {
        return;
    }
    let ([a, b], [tap_a, tap_b]) = two_hosts();
    let ([c, d], [tap_c, tap_d]) = two_hosts();
    let links = vec![
        link("doomed", [end(tap_a), end(tap_b)], "{}"),
        link("safe", [end(tap_c), end(tap_d)], "{}"),
    ];
    let dataplane = Dataplane::start(wiring(links), options()).unwrap();
    delete_interface(&b).unwrap();
    eventually("a failure", || dataplane.timing().unwrap().failures.len() == 1);
    let failure = dataplane.timing().unwrap().failures.remove(0);
    assert_eq!((failure.link, failure.end), (LinkId(0), 1));
    udp(&a, 1).send_to(&[1], (ipv4(2), 7)).unwrap();
    eventually("a frame for nobody", || dataplane.timing().unwrap().unmodelled.device_gone > 0);
    let (client, server) = (udp(&c, 1), with_patience(udp(&d, 2)));
    client.send_to(&[1], (ipv4(2), 7)).unwrap();
    assert_eq!(server.recv(&mut [0; 1]).unwrap(), 1);
}

#[test]
fn three_hosts_at_a_switch() {
    if !available("three_hosts_at_a_switch") {
        return;
    }
    let hosts: Vec<_> = (1..=3).map(|_| Namespace::new().unwrap()).collect();
    let links = hosts.iter().zip(1..).map(|(host, number)| {
        let ends = [end(host.add_tap(number).unwrap()), End::switch(SegmentId(0))];
        link(&format!("l{number}"), ends, r#"{"rate":"1Gbit/s"}"#)
    });
    let wiring = wiring(links);
    let _dataplane = Dataplane::start(wiring, options()).unwrap();
    let sockets: Vec<_> =
        hosts.iter().zip(1..).map(|(host, number)| with_patience(udp(host, number))).collect();
    for (from, to) in [(0, 1), (1, 2), (2, 0), (1, 0)] {
        sockets[from].send_to(&[from as u8], (ipv4(to as u8 + 1), 7)).unwrap();
        let mut byte = [9];
        sockets[to].recv(&mut byte).unwrap();
        assert_eq!(usize::from(byte[0]), from);
    }
}
