use std::net::UdpSocket;
use std::thread;

use super::receive::Receiver;
use super::*;

/// Sends over the loopback interface. Returns both reports.
fn over_loopback(protocol: Protocol, port: u16, pace: f64) -> (Sent, Received) {
    let receiver = Receiver::listen(protocol, port).unwrap();
    let order = Send { protocol, to: "127.0.0.1".into(), port, payload: 100, pace, seconds: 0.05 };
    thread::scope(|scope| {
        let received = scope.spawn(|| receiver.receive().unwrap());
        let sent = send::send(&order).unwrap();
        (sent, received.join().unwrap())
    })
}

/// A port that is free at the moment.
fn free_port() -> u16 {
    UdpSocket::bind("0.0.0.0:0").unwrap().local_addr().unwrap().port()
}

#[test]
fn sent_bytes_arrive_and_are_counted() {
    for protocol in [Protocol::Udp, Protocol::Tcp] {
        let (sent, received) = over_loopback(protocol, free_port(), 1000.0);
        assert_eq!(sent.planned, 50);
        assert_eq!(received.bytes, sent.writes * 100, "{protocol:?}");
    }
}

#[test]
fn a_pace_that_cannot_be_kept_is_reported() {
    let (sent, _) = over_loopback(Protocol::Tcp, free_port(), 1e9);
    assert!(sent.writes < sent.planned, "{sent:?}");
}

#[test]
fn orders_are_text() {
    let order = Order::Receive { protocol: Protocol::Udp, port: 9 };
    let text = serde_json::to_string(&order).unwrap();
    assert_eq!(serde_json::from_str::<Order>(&text).unwrap(), order);
}
