//! Real kernels at both ends of a link between two data planes.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::os::fd::AsRawFd;
use std::thread;

use crate::common::*;
use crate::lab::{Namespace, available, ipv4, two_hosts};
use crate::machines::{M1, M2, Machines, half};
use netloom_dataplane::End;
use netloom_ports::Tap;

/// What Ethernet carries in a datagram over IPv4.
const DATAGRAM: usize = 1472;

/// Two hosts, each at a machine of its own.
fn joined(text: &str, mtu: i32) -> ([Namespace; 2], Machines) {
    let (hosts, [a, b]) = two_hosts();
    hosts.iter().for_each(|host| host.set_mtu(mtu).unwrap());
    let end = |tap: Tap| End::Port(Box::new(tap));
    let halves = [half(M1, "l", 0, end(a), false, text), half(M2, "l", 1, end(b), false, text)];
    (hosts, Machines::start(halves.map(|half| wiring([half])), DATAGRAM, None))
}

/// Never fragments what the socket sends (`IP_PMTUDISC_DO`), like `ping -M do`.
fn never_fragment(socket: &UdpSocket) {
    let (level, option) = (libc::IPPROTO_IP, libc::IP_MTU_DISCOVER);
    let value = libc::IP_PMTUDISC_DO;
    let length = size_of_val(&value) as libc::socklen_t;
    // SAFETY: the descriptor is open, and the value lives through the call and has this length.
    let set = unsafe {
        libc::setsockopt(socket.as_raw_fd(), level, option, (&raw const value).cast(), length)
    };
    assert_eq!(set, 0);
}

/// Checks that what the model delivers comes or is lost. Kernels send by themselves while an
/// interface is new, also before the machines are connected, so some is lost, and some may still be
/// on its way.
fn all_accounted_for(machines: &Machines) {
    eventually("all frames have come or are lost", || {
        let (delivered, came, lost) = machines.forward_counts(0);
        delivered == came + lost
    });
}

#[test]
fn packets_of_any_mtu_cross_whole() {
    if !available("packets_of_any_mtu_cross_whole") {
        return;
    }
    for mtu in [1500, 9000, 65_521] {
        let ([a, b], machines) = joined(r#"{"delay":"20ms"}"#, mtu);
        let socket = |host: &Namespace, number| {
            let socket = host.run(|| UdpSocket::bind((ipv4(number), 7)).unwrap());
            socket.set_read_timeout(Some(PATIENCE)).unwrap();
            never_fragment(&socket);
            socket
        };
        let (client, server) = (socket(&a, 1), socket(&b, 2));
        // Without headers of IPv4 and UDP.
        let bytes: Vec<u8> = (0..mtu as usize - 28).map(|index| (index % 251) as u8).collect();
        let mut seen = vec![0; 65_536];
        for (from, to, host) in [(&client, &server, 2), (&server, &client, 1)] {
            from.send_to(&bytes, (ipv4(host), 7)).unwrap();
            let (length, _) = to.recv_from(&mut seen).unwrap();
            assert!(seen[..length] == bytes, "MTU {mtu}: {length} bytes came");
        }
        machines.end();
        all_accounted_for(&machines);
    }
}

/// Its super-frames stay whole on the way between the machines, and their checksums hold.
#[test]
fn a_tcp_stream_crosses_and_every_frame_is_accounted_for() {
    if !available("a_tcp_stream_crosses_and_every_frame_is_accounted_for") {
        return;
    }
    const BYTES: usize = 20 << 20;
    let ([a, b], machines) = joined(r#"{"delay":"1ms"}"#, 1500);
    let listener = b.run(|| TcpListener::bind((ipv4(2), 9)).unwrap());
    let mut sender = a.run(|| TcpStream::connect((ipv4(2), 9)).unwrap());
    let (mut receiver, _) = listener.accept().unwrap();
    receiver.set_read_timeout(Some(PATIENCE)).unwrap();
    let block: Vec<u8> = (0..BYTES).map(|index| (index % 251) as u8).collect();
    let seen = thread::scope(|scope| {
        let block = &block;
        scope.spawn(move || sender.write_all(block).unwrap());
        let mut seen = vec![0; BYTES];
        receiver.read_exact(&mut seen).unwrap();
        seen
    });
    assert!(seen == block);
    assert_eq!(b.counter("Tcp", "InCsumErrors"), 0);
    drop((a, b));
    machines.end();
    all_accounted_for(&machines);
    let pipe = statistics(&machines.planes[0], forward(0));
    assert!(pipe.delivered.bytes > BYTES as u64);
}
