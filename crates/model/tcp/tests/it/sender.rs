//! How much is sent, and when: windows, idle periods, bursts, pacing, buffers, packet sizes.

use std::sync::Arc;

use netloom_tcp::{Algorithm, Buffer, Config, Ecn, EcnMode, Endpoint, Flags, SackBlocks, Segment};
use netloom_units::Time;

use crate::common::network::{Fate, Line, Network, data_of};
use crate::common::{at_ms, ms};

const MSS: u64 = 1448;

fn reno() -> Config {
    Config { congestion_control: Algorithm::Reno, ..Config::default() }
}

#[test]
fn ten_packets_go_out_at_first() {
    let mut network = Network::symmetric(reno(), 0, ms(50), 0);
    network.connect();
    network.send(1_000_000);
    network.run(network.now + ms(99));
    assert_eq!(data_of(&network, 0).len(), 10);
    // In slow start, each acknowledged packet lets two be sent.
    network.run(network.now + ms(100));
    assert_eq!(data_of(&network, 0).len(), 30);
}

#[test]
fn a_lost_syn_costs_seconds_and_two_the_initial_window() {
    for (lost, seconds, window) in [(1u64, 1, 10), (2, 2, 1)] {
        let config = reno();
        let mut syns = 0;
        let mut lines = [Line::new(0, ms(50), 0), Line::new(0, ms(50), 0)];
        lines[0].plan = Box::new(move |_, segment| {
            syns += u64::from(segment.flags.contains(Flags::SYN));
            if segment.flags.contains(Flags::SYN) && syns <= lost { Fate::Drop } else { Fate::Pass }
        });
        let mut network = Network::new(config, lines);
        network.connect();
        let expected = ms(seconds * 1000 + 150);
        let took = network.now.since(Time::ZERO);
        assert!(took >= expected && took < expected + ms(300), "{took}");
        assert_eq!(network.hosts[0].endpoint.info().cwnd, window);
    }
}

/// RFC 2861: the window is halved for each timeout without transmission, but not below ten packets.
#[test]
fn an_idle_sender_restarts() {
    let run = |slow_start_after_idle: bool, idle: u64| {
        let config = Config { slow_start_after_idle, ..reno() };
        let mut network = Network::symmetric(config, 0, ms(50), 0);
        network.connect();
        network.send(160 * MSS);
        network.run(at_ms(3_000));
        let before = network.hosts[0].endpoint.info().cwnd;
        network.run(at_ms(3_000 + idle));
        network.send(1);
        (before, network.hosts[0].endpoint.info().cwnd)
    };
    let (before, after) = run(true, 0);
    // 160 packets are sent as 10, 20, 40, 80 and the rest. The timeout is 300 ms, and the sender
    // has been idle for 2.5 s already.
    assert!(before >= 100 && after == 10, "{before} {after}");
    let (before, after) = run(false, 10_000);
    assert_eq!(before, after);
}

#[test]
fn an_application_that_sends_little_has_a_small_window() {
    let mut network = Network::symmetric(reno(), 0, ms(10), 0);
    network.connect();
    for step in 0..400 {
        network.send(3 * MSS);
        network.run(at_ms(100 + 25 * step));
    }
    let info = network.hosts[0].endpoint.info();
    // Three packets per round trip do not use a window of ten, so it does not grow.
    assert!(info.cwnd <= 12, "{info:?}");
}

#[test]
fn bursts_are_a_millisecond_long_two_packets_at_least() {
    let longest = |rate: u64, delay: u64| {
        let config = Config { tso_rtt_log: 0, ..reno() };
        let lines = [Line::new(rate, ms(delay), 10_000_000), Line::new(0, ms(delay), 0)];
        let mut network = Network::new(config, lines);
        network.hosts[0].keep = false;
        network.hosts[1].keep = false;
        network.connect();
        let endpoint = &mut network.hosts[0].endpoint;
        endpoint.write(network.now, u64::MAX);
        let first = endpoint.poll_transmit(network.now).unwrap();
        first.segment.packets()
    };
    // Ten packets in 100 ms, doubled, make 290 kB/s. Two packets are then more than a millisecond.
    assert_eq!(longest(0, 50), 2);
    // In 2 ms they make 14.5 MB/s: 14,140 bytes in 1/1024 s.
    assert_eq!(longest(0, 1), 9);
}

#[test]
fn bbr_spreads_its_packets() {
    let config = Config { congestion_control: Algorithm::Bbr, ..Config::default() };
    let lines = [Line::new(10_000_000, ms(20), 1_000_000), Line::new(0, ms(20), 0)];
    let mut network = Network::new(config, lines);
    network.send(u64::MAX / 4);
    network.run(at_ms(4_000));
    let data = data_of(&network, 0);
    let late: Vec<_> = data.iter().filter(|(at, ..)| *at > at_ms(2_000)).collect();
    let in_a_row = |count: usize| {
        late.windows(count).map(|some| some[count - 1].0.since(some[0].0)).min().unwrap()
    };
    // Two packets are sent at once, then the next after 2.4 ms at 10 Mbit/s, or 1.9 ms while
    // probing. Four are never sent in less.
    assert!(in_a_row(4).as_nanos() > 1_500_000, "{}", in_a_row(4));
    assert!(network.lines[0].queued_bytes() < 60_000);
}

#[test]
fn a_bounded_pacing_rate_paces_any_control() {
    let config = Config { max_pacing_rate: 500_000, ..reno() };
    let mut network = Network::symmetric(config, 0, ms(10), 0);
    network.hosts[0].keep = false;
    network.send(u64::MAX / 4);
    network.run(at_ms(10_000));
    // Payload is paced, headers are not. The handshake takes 20 ms.
    let rate = network.hosts[1].received / 10;
    assert!((495_000..=502_000).contains(&rate), "{rate}");
}

#[test]
fn the_send_buffer_grows_with_the_window() {
    let mut network = Network::symmetric(reno(), 0, ms(50), 0);
    network.connect();
    let start = network.hosts[0].endpoint.info().send_buffer;
    // Linux 6.18 shows tb46080 for ten packets of 1460 bytes.
    assert_eq!(start, 46_080);
    network.send(u64::MAX / 4);
    network.run(at_ms(1_000));
    let info = network.hosts[0].endpoint.info();
    assert_eq!(info.send_buffer, (2 * 2304 * u64::from(info.cwnd)).min(4_194_304));
    let fixed = Config { send_buffer: Some(50_000), ..reno() };
    let mut network = Network::symmetric(fixed, 0, ms(50), 0);
    network.send(u64::MAX / 4);
    network.run(at_ms(2_000));
    assert_eq!(network.hosts[0].endpoint.info().send_buffer, 50_000);
    // 50 kB in 100 ms.
    let rate = network.hosts[1].received / 2;
    assert!((350_000..=500_000).contains(&rate), "{rate}");
}

#[test]
fn little_waits_unsent_below_the_low_water_mark() {
    let config = Config { notsent_lowat: 20_000, ..reno() };
    let mut network = Network::symmetric(config, 0, ms(50), 0);
    network.send(u64::MAX / 4);
    for step in 0..300 {
        network.run(at_ms(200 + 10 * step));
        assert!(network.hosts[0].endpoint.info().unsent <= 20_000);
    }
    assert!(network.hosts[1].received > 5_000_000, "{}", network.hosts[1].received);
}

#[test]
fn a_smaller_path_mtu_makes_smaller_packets() {
    let mut network = Network::symmetric(reno(), 0, ms(50), 0);
    network.connect();
    // A router drops packets longer than 1000 bytes, and reports this.
    network.lines[0].plan =
        Box::new(
            |_, segment| {
                if segment.packet_bytes(20) > 1000 { Fate::Drop } else { Fate::Pass }
            },
        );
    network.send(100_000);
    let now = network.now;
    network.hosts[0].endpoint.handle_mtu(now, 1000);
    network.settle(0);
    network.run(at_ms(5_000));
    assert_eq!(network.hosts[1].received, 100_000);
    let longest = data_of(&network, 0).iter().skip(10).map(|(.., len)| *len).max();
    assert_eq!(longest, Some(948));
}

#[test]
fn without_window_scaling_64_kb_are_in_flight() {
    let config = Config { window_scaling: false, ..reno() };
    let mut network = Network::symmetric(config, 0, ms(50), 0);
    network.hosts[0].keep = false;
    network.send(u64::MAX / 4);
    network.run(at_ms(5_000));
    let info = network.hosts[0].endpoint.info();
    // The congestion window grows only while it limits what is sent.
    assert!(info.cwnd <= 94, "{info:?}");
    assert!(info.unacked <= 46 && info.peer_window <= 65_535, "{info:?}");
}

#[test]
fn ecn_is_agreed_on_or_not() {
    let agreed = |first: EcnMode, second: EcnMode| {
        let config = |ecn| Config { ecn, ..reno() };
        let lines = [Line::new(0, ms(5), 0), Line::new(0, ms(5), 0)];
        let mut network = Network::with_configs(config(first), config(second), lines);
        network.connect();
        network.send(10_000);
        network.run(at_ms(100));
        let last = network.hosts[0].sent.iter().rfind(|(_, packet)| packet.segment.len > 0);
        last.unwrap().1.segment.ecn == Ecn::Ect0
    };
    assert!(agreed(EcnMode::On, EcnMode::On));
    assert!(agreed(EcnMode::On, EcnMode::Passive));
    assert!(!agreed(EcnMode::On, EcnMode::Off));
    assert!(!agreed(EcnMode::Passive, EcnMode::On));
    assert!(!agreed(EcnMode::Off, EcnMode::On));
}

/// RFC 7323 §5: a segment whose timestamp is older than the latest one is dropped and answered.
#[test]
fn old_timestamps_are_refused() {
    let mut network = Network::symmetric(reno(), 0, ms(5), 0);
    network.connect();
    network.send(3_000);
    network.run(at_ms(200));
    let (_, packet) = *network.hosts[0].sent.iter().rfind(|(_, p)| p.segment.len > 0).unwrap();
    let mut old = packet.segment;
    old.seq = old.seq.wrapping_add(old.len);
    old.timestamps.as_mut().unwrap().value = old.timestamps.unwrap().value.wrapping_sub(1000);
    let now = network.now;
    let endpoint = &mut network.hosts[1].endpoint;
    endpoint.handle_segment(now, &old, &SackBlocks::NONE);
    assert_eq!(endpoint.readable(), 0);
    let answer = endpoint.poll_transmit(now).unwrap().segment;
    assert_eq!((answer.flags, answer.len), (Flags::ACK, 0));
}

#[test]
fn super_segments_split_into_packets() {
    let config = Arc::new(Config { rmem: Buffer { max: 1 << 20, ..reno().rmem }, ..reno() });
    let endpoint = Endpoint::connect(Time::ZERO, config, 7);
    assert_eq!(endpoint.config().congestion_control, Algorithm::Reno);
    let mut rest = Segment {
        seq: 100,
        len: 3_500,
        mss: 1_000,
        flags: Flags::ACK | Flags::PSH | Flags::FIN | Flags::CWR,
        ..Segment::EMPTY
    };
    assert_eq!((rest.packets(), rest.packet_bytes(20)), (4, 3_500 + 4 * 40));
    let first = rest.split_off(3).unwrap();
    assert_eq!((first.seq, first.len, first.flags), (100, 3_000, Flags::ACK | Flags::CWR));
    let flags = Flags::ACK | Flags::PSH | Flags::FIN;
    assert_eq!((rest.seq, rest.len, rest.flags), (3_100, 500, flags));
    assert_eq!(rest.split_off(1), None);
}
