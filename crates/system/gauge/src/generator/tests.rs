use std::io::Write;
use std::net::{TcpListener, TcpStream, UdpSocket};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::channel;
use std::thread;

use netloom_traffic::Sizes;
use netloom_units::Duration;

use super::stop::Stop;
use super::*;

/// The order that `json` describes, over the loopback interface.
fn order(protocol: Protocol, port: u16, model: &str, time: Option<Duration>) -> Send {
    Send {
        ip: Ip::V4,
        protocol: match protocol {
            Protocol::Udp => SendProtocol::Udp,
            Protocol::Tcp => SendProtocol::Tcp,
        },
        to: vec!["127.0.0.1".into()],
        port,
        flow: 3,
        model: serde_json::from_str(model).unwrap(),
        sizes: Sizes::Imix,
        seed: 1,
        stream: "traffic/test/a".into(),
        time,
        dscp: Some(46),
        congestion_control: None,
        timebase: TIMEBASE,
    }
}

const TIMEBASE: Timebase = Timebase {
    zero: 0,
    interval: Duration::from_millis(10),
    round_trip: Duration::ZERO,
    drain: Duration::from_secs(2),
    begin: None,
};

/// Sends to a listening receiver. Returns both reports.
fn over_loopback(order: &Send) -> (SentReport, ReceivedReport) {
    let (clock, stop) = (Clock::new(TIMEBASE), Stop::default());
    let (ready, is_ready) = channel();
    thread::scope(|scope| {
        let receiver = scope.spawn(|| {
            let ready = || ready.send(()).unwrap();
            match order.protocol {
                SendProtocol::Udp => {
                    let order = &receiver(order, Protocol::Udp);
                    receive::receive(order, &clock, &stop, ready).unwrap()
                }
                _ => {
                    let order = &receiver(order, Protocol::Tcp);
                    accept::receive(order, &clock, &stop, ready).unwrap()
                }
            }
        });
        is_ready.recv().unwrap();
        let sent = match order.protocol {
            SendProtocol::Udp => send::send(order, &clock, &Stop::default(), || {}).unwrap(),
            _ => over_tcp(order, &clock, &Stop::default(), || {}).unwrap(),
        };
        stop.ask();
        (sent, receiver.join().unwrap())
    })
}

/// A receiver for the traffic of `order`.
fn receiver(order: &Send, protocol: Protocol) -> Receive {
    Receive {
        protocol,
        ip: order.ip,
        port: order.port,
        serves: matches!(order.model, Model::Http(_)),
        dscp: None,
        congestion_control: None,
        timebase: TIMEBASE,
    }
}

/// `order` over IPv6.
fn over_v6(order: Send) -> Send {
    Send { ip: Ip::V6, to: vec!["::1".into()], ..order }
}

#[test]
fn ipv6_carries_it_as_well() {
    if UdpSocket::bind("[::1]:0").is_err() {
        // A machine may have no IPv6.
        return;
    }
    let trace = r#"{"trace":{"file":["0.001 80","0.021 1514"]}}"#;
    let (_, received) = over_loopback(&over_v6(order(Protocol::Udp, udp_port(), trace, None)));
    let bytes: u64 = received.flows[&3].values().map(|arrived| arrived.bytes).sum();
    assert_eq!(bytes, 80 + 1514);
    let port = TcpListener::bind("0.0.0.0:0").unwrap().local_addr().unwrap().port();
    let bulk = r#"{"bulk":{"bytes":"1MB"}}"#;
    let (_, received) = over_loopback(&over_v6(order(Protocol::Tcp, port, bulk, None)));
    let bytes: u64 = received.flows[&3].values().map(|arrived| arrived.bytes).sum();
    assert_eq!(bytes, 1_000_000);
}

fn udp_port() -> u16 {
    UdpSocket::bind("0.0.0.0:0").unwrap().local_addr().unwrap().port()
}

/// A link with losses delivers the contents of a sender's socket buffer long after the sender's
/// end.
#[test]
fn a_receiver_reports_even_if_data_keeps_coming() {
    let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let sent = order(Protocol::Tcp, port, r#"{"bulk":{}}"#, None);
    let order = receiver(&sent, Protocol::Tcp);
    let (clock, stop) = (Clock::new(TIMEBASE), Stop::default());
    let (ready, is_ready) = channel();
    let has_reported = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            let report = accept::receive(&order, &clock, &stop, || ready.send(()).unwrap());
            has_reported.store(true, Ordering::SeqCst);
            assert!(report.unwrap().flows[&3].values().any(|arrived| arrived.bytes > 0));
        });
        is_ready.recv().unwrap();
        let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.write_all(&[&connection::MAGIC[..], &3_u16.to_be_bytes()].concat()).unwrap();
        stop.ask();
        for _ in 0..1000 {
            if has_reported.load(Ordering::SeqCst) {
                return;
            }
            // A receiver that has ended takes no more.
            let _ = stream.write_all(&[0; 100]);
            thread::sleep(Duration::from_millis(20).into());
        }
        panic!("after twenty seconds it still receives");
    });
}

#[test]
fn frames_are_counted_by_their_intended_time() {
    let trace = r#"{"trace":{"file":["0.001 60","0.021 1514","0.021 60","0.022 590"]}}"#;
    let (sent, received) = over_loopback(&order(Protocol::Udp, udp_port(), trace, None));
    assert_eq!(received.flows.keys().collect::<Vec<_>>(), [&3]);
    let arrived = &received.flows[&3];
    // Everything that leaves the loopback interface arrives.
    assert!(sent.intervals.keys().eq(arrived.keys()));
    let packets = arrived.values().map(|arrived| arrived.packets);
    assert!(sent.intervals.values().map(|sent| sent.packets).eq(packets));
    let bytes: u64 = arrived.values().map(|arrived| arrived.bytes).sum();
    assert_eq!(bytes, 60 + 1514 + 60 + 590);
    assert_eq!(sent.intervals.values().map(|sent| sent.bytes).sum::<u64>(), bytes);
    let delays = &received.delays[&3];
    let sum: u64 = arrived.values().map(|arrived| arrived.delay_sum).sum();
    assert_eq!((delays.count(), delays.sum_ns()), (4, sum.into()));
    let most = arrived.values().map(|arrived| arrived.delay_most).max().unwrap();
    assert_eq!(delays.extremes().unwrap().1.as_nanos(), most);
}

/// A sender that is there early begins at its time, also if that is the experiment's zero; one that
/// is late begins at once, and keeps the distances of its frames.
#[test]
fn senders_begin_at_their_time() {
    let now = || Clock::new(TIMEBASE).now();
    let first = |begin: Duration, zero: u64| {
        let trace = r#"{"trace":{"file":["0.001 60"]}}"#;
        let mut order = order(Protocol::Udp, udp_port(), trace, None);
        let zero = i64::try_from(zero).unwrap();
        order.timebase = Timebase { zero, begin: Some(begin), ..TIMEBASE };
        let report = send::send(&order, &Clock::new(order.timebase), &Stop::default(), || {});
        *report.unwrap().intervals.keys().next().unwrap()
    };
    let soon = now() + 300_000_000;
    // Intervals last 10 ms.
    assert_eq!(first(Duration::ZERO, soon), 0);
    assert!(now() >= soon, "it has waited for zero");
    let zero = now();
    assert_eq!(first(Duration::from_millis(200), zero), 20);
    assert!(first(Duration::from_millis(10), zero) >= 20, "it is late, and begins at once");
}

#[test]
fn a_bulk_of_bytes_arrives_whole_over_all_connections() {
    let port = TcpListener::bind("0.0.0.0:0").unwrap().local_addr().unwrap().port();
    let bulk = r#"{"bulk":{"bytes":"1MB","connections":3}}"#;
    let (sent, received) = over_loopback(&order(Protocol::Tcp, port, bulk, None));
    // The head of each connection is no payload. A FIN may count as a byte.
    let tcp = sent.tcp.unwrap();
    assert_eq!(tcp.connections, 3);
    assert!((3_000_018..3_000_030).contains(&tcp.acked_bytes), "{tcp:?}");
    assert!(tcp.cwnd > 0 && tcp.srtt_ns > 0 && tcp.in_flight <= 3, "{tcp:?}");
    assert!(sent.intervals.values().any(|sent| sent.tcp.is_some()));
    let sent: u64 = sent.intervals.values().map(|sent| sent.bytes).sum();
    assert_eq!(sent, 3_000_000);
    let arrived: u64 = received.flows[&3].values().map(|arrived| arrived.bytes).sum();
    assert_eq!(arrived, sent);
}

#[test]
fn transfers_are_complete_when_they_have_arrived() {
    let port = TcpListener::bind("0.0.0.0:0").unwrap().local_addr().unwrap().port();
    let flows = r#"{"flows":{"file":["0, 0, 1000","0.01, 0, 200000","0.01, 0, 1"]}}"#;
    let (sent, received) = over_loopback(&order(Protocol::Tcp, port, flows, None));
    let total = |of: fn(&Sent) -> u64| sent.intervals.values().map(of).sum::<u64>();
    assert_eq!((total(|sent| sent.flows), total(|sent| sent.completed)), (3, 3));
    assert!(total(|sent| sent.completion_sum) >= total(|sent| sent.completion_most));
    assert_eq!(total(|sent| sent.bytes), 201_001);
    let arrived: u64 = received.flows[&3].values().map(|arrived| arrived.bytes).sum();
    assert_eq!(arrived, 201_001);
}

#[test]
fn bursts_last_as_long_as_the_model_says_and_carry_what_they_can() {
    let port = TcpListener::bind("0.0.0.0:0").unwrap().local_addr().unwrap().port();
    let on_off = r#"{"on_off":{"on":"20ms","off":"20ms"}}"#;
    let time = Some(Duration::from_millis(100));
    let (sent, received) = over_loopback(&order(Protocol::Tcp, port, on_off, time));
    let total = |of: fn(&Sent) -> u64| sent.intervals.values().map(of).sum::<u64>();
    assert!((2..=3).contains(&total(|sent| sent.flows)));
    assert_eq!(total(|sent| sent.flows), total(|sent| sent.completed));
    let arrived: u64 = received.flows[&3].values().map(|arrived| arrived.bytes).sum();
    assert_eq!(arrived, total(|sent| sent.bytes));
    assert!(arrived > 0);
}

#[test]
fn a_client_gets_what_it_asks_for() {
    for persistent in [true, false] {
        let port = TcpListener::bind("0.0.0.0:0").unwrap().local_addr().unwrap().port();
        let http = format!(
            r#"{{"http":{{"requests":4,"sizes":"30kB","think":"1ms","persistent":{persistent}}}}}"#
        );
        let (sent, received) = over_loopback(&order(Protocol::Tcp, port, &http, None));
        let total = |of: fn(&Sent) -> u64| sent.intervals.values().map(of).sum::<u64>();
        assert_eq!((total(|sent| sent.flows), total(|sent| sent.completed)), (4, 4));
        let got = total(|sent| sent.bytes);
        assert!((120_000..121_000).contains(&got), "{got}");
        let served: u64 = received.flows[&3].values().map(|arrived| arrived.bytes).sum();
        assert_eq!(served, got);
    }
}

#[test]
fn orders_are_text() {
    let order = Order::Send(Box::new(order(Protocol::Udp, 9, r#"{"ping":{}}"#, None)));
    let text = serde_json::to_string(&order).unwrap();
    assert_eq!(serde_json::from_str::<Order>(&text).unwrap(), order);
}
