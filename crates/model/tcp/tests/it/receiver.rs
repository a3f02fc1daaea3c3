//! Acknowledgements and windows of the receiving half.

use netloom_tcp::{Buffer, Config, Flags, SackBlock};

use crate::common::network::{Fate, Line, Network, acks_of, data_of};
use crate::common::{at_ms, ms};

#[test]
fn the_first_segments_are_acknowledged_at_once_later_ones_in_pairs() {
    let mut network = Network::symmetric(Config::default(), 10_000_000, ms(20), 1_000_000);
    network.connect();
    network.send(300 * 1448);
    network.run(at_ms(2_000));
    let acks = acks_of(&network, 1);
    let covered: Vec<u32> = acks
        .windows(2)
        .map(|pair| pair[1].1.segment.ack.wrapping_sub(pair[0].1.segment.ack))
        .collect();
    // At most sixteen acknowledgements are quick. The handshake's SYN-ACK counts as one.
    assert!(covered[..10].iter().all(|bytes| *bytes == 1448), "{covered:?}");
    assert!(covered[20..80].iter().all(|bytes| *bytes == 2896), "{covered:?}");
}

/// A lone segment after the quick phase is acknowledged after 40 ms, or up to a tick more. It is
/// acknowledged at once if the application reads it, because the other end may be waiting, as Linux
/// 6.18 was recorded to do.
#[test]
fn a_lone_segment_is_acknowledged_after_40_ms_or_when_it_is_read() {
    let delay = |reads: bool| {
        let mut network = Network::symmetric(Config::default(), 0, ms(1), 0);
        network.connect();
        network.send(60 * 1448);
        network.run(at_ms(150));
        network.hosts[1].reads = reads;
        network.send(100);
        network.run(at_ms(1_000));
        let arrival = data_of(&network, 0).last().unwrap().0 + ms(1);
        acks_of(&network, 1).last().unwrap().0.since(arrival)
    };
    let delayed = delay(false);
    assert!(delayed >= ms(40) && delayed <= ms(42), "{delayed}");
    assert_eq!(delay(true), ms(0));
}

#[test]
fn gaps_are_reported_at_once_latest_block_first() {
    let config = Config { comp_sack_segments: 0, ..Config::default() };
    let mut network = Network::symmetric(config, 0, ms(20), 0);
    network.connect();
    network.lines[0].plan =
        Box::new(|number, _| if [2, 4, 6].contains(&number) { Fate::Drop } else { Fate::Pass });
    network.send(10 * 1448);
    network.run(at_ms(90));
    let start = network.hosts[0].sent[0].1.segment.seq.wrapping_add(1);
    let block = |from: u32, to: u32| SackBlock {
        start: start.wrapping_add(from * 1448),
        end: start.wrapping_add(to * 1448),
    };
    let acks = acks_of(&network, 1);
    let sacked: Vec<Vec<SackBlock>> =
        acks.iter().map(|(_, packet)| packet.sack.as_slice().to_vec()).collect();
    assert_eq!(
        sacked[..7],
        [
            vec![],
            vec![],
            vec![block(3, 4)],
            vec![block(5, 6), block(3, 4)],
            vec![block(7, 8), block(5, 6), block(3, 4)],
            vec![block(7, 9), block(5, 6), block(3, 4)],
            vec![block(7, 10), block(5, 6), block(3, 4)],
        ]
    );
    // Lengths on the wire: 20 + 12 + 4, and 8 for each block.
    let lengths: Vec<u32> = acks.iter().map(|(_, packet)| packet.segment.header_len()).collect();
    assert_eq!(lengths[1..5], [32, 44, 52, 60]);
}

#[test]
fn four_blocks_fit_without_timestamps() {
    let config = Config { timestamps: false, comp_sack_segments: 0, ..Config::default() };
    let mut network = Network::symmetric(config, 0, ms(20), 0);
    network.connect();
    network.lines[0].plan =
        Box::new(|number, _| if number % 2 == 0 && number < 10 { Fate::Drop } else { Fate::Pass });
    network.send(10 * 1460);
    network.run(at_ms(90));
    let most = acks_of(&network, 1).iter().map(|(_, packet)| packet.segment.header_len()).max();
    assert_eq!(most, Some(20 + 4 + 4 * 8));
}

#[test]
fn duplicates_are_reported() {
    let mut network = Network::symmetric(Config::default(), 0, ms(20), 0);
    network.connect();
    network.lines[0].plan =
        Box::new(|number, _| if number == 3 { Fate::Twice } else { Fate::Pass });
    network.send(10 * 1448);
    network.run(at_ms(90));
    let start = network.hosts[0].sent[0].1.segment.seq.wrapping_add(1 + 3 * 1448);
    let twice = SackBlock { start, end: start.wrapping_add(1448) };
    let acks = acks_of(&network, 1);
    let reports: Vec<_> =
        acks.iter().filter(|(_, packet)| packet.segment.sack_blocks > 0).collect();
    assert_eq!(reports.len(), 1);
    assert_eq!(reports[0].1.sack.as_slice(), [twice]);
}

#[test]
fn acknowledgements_of_many_gaps_are_compressed() {
    let run = |segments: u32| {
        let config = Config { comp_sack_segments: segments, ..Config::default() };
        let lines = [Line::new(100_000_000, ms(20), 1_000_000), Line::new(0, ms(20), 0)];
        let mut network = Network::new(config, lines);
        network.connect();
        network.lines[0].plan =
            Box::new(|number, _| if number == 150 { Fate::Drop } else { Fate::Pass });
        network.send(400 * 1448);
        network.run(at_ms(2_000));
        assert_eq!(network.hosts[1].received, 400 * 1448);
        let acks = acks_of(&network, 1);
        acks.iter().filter(|(_, packet)| packet.segment.sack_blocks > 0).count()
    };
    let (without, with) = (run(0), run(44));
    assert!(with * 3 < without, "{with} {without}");
}

#[test]
fn a_closed_window_is_probed_and_opens_again() {
    let mut network = Network::symmetric(Config::default(), 0, ms(10), 0);
    network.connect();
    network.hosts[1].reads = false;
    network.send(1_000_000);
    network.run(at_ms(5_000));
    let info = network.hosts[0].endpoint.info();
    assert_eq!(info.peer_window, 0, "{info:?}");
    assert!(info.unsent > 0);
    let readable = network.hosts[1].endpoint.readable();
    assert!((60_000..=131_072).contains(&readable), "{readable}");
    // Probes have an old sequence number without payload, and are sent at growing intervals.
    let una = network.hosts[1].sent.last().unwrap().1.segment.ack;
    let probes: Vec<_> = network.hosts[0]
        .sent
        .iter()
        .filter(|(_, packet)| packet.segment.seq == una.wrapping_sub(1) && packet.segment.len == 0)
        .map(|(at, _)| *at)
        .collect();
    assert!(probes.len() >= 3, "{probes:?}");
    let gaps: Vec<u64> =
        probes.windows(2).map(|pair| pair[1].since(pair[0]).as_nanos() / 1_000_000).collect();
    for pair in gaps.windows(2) {
        assert!(pair[1] > pair[0] * 17 / 10, "{gaps:?}");
    }
    network.hosts[1].reads = true;
    network.settle(1);
    network.run(at_ms(10_000));
    assert_eq!(network.hosts[1].received, 1_000_000);
}

/// The segment that opens the window is lost. The next probe finds the window open.
#[test]
fn a_lost_window_update_is_found_by_the_probe() {
    let mut network = Network::symmetric(Config::default(), 0, ms(10), 0);
    network.connect();
    network.hosts[1].reads = false;
    network.send(300_000);
    network.run(at_ms(3_000));
    network.hosts[1].reads = true;
    network.lines[1].plan = Box::new(|_, _| Fate::Drop);
    network.settle(1);
    network.lines[1].plan = Box::new(|_, _| Fate::Pass);
    network.run(at_ms(20_000));
    assert_eq!(network.hosts[1].received, 300_000);
}

#[test]
fn the_receive_window_grows_with_what_is_read() {
    let run = |max: u32| {
        let rmem = Buffer { max, ..Config::default().rmem };
        let config = Config { rmem, ..Config::default() };
        let lines = [Line::new(100_000_000, ms(50), 2_000_000), Line::new(0, ms(50), 0)];
        let mut network = Network::new(config, lines);
        network.hosts[0].keep = false;
        network.send(u64::MAX / 4);
        network.run(at_ms(10_000));
        (network.hosts[0].endpoint.info().peer_window, network.hosts[1].received)
    };
    let (small, slow) = run(131_072);
    let (large, fast) = run(6_291_456);
    assert_eq!(small, 86_016);
    assert!(large > 1_250_000, "{large}");
    // A window of 84 KiB every 100 ms, compared with 100 Mbit/s.
    assert!((7_000_000..8_700_000).contains(&slow), "{slow}");
    assert!(fast > 90_000_000, "{fast}");
}

#[test]
fn nagle_holds_small_segments_back() {
    let run = |no_delay: bool| {
        let config = Config { no_delay, ..Config::default() };
        let mut network = Network::symmetric(config, 0, ms(50), 0);
        network.connect();
        for n in 0..10 {
            network.send(100);
            network.run(at_ms(151 + n));
        }
        network.run(at_ms(2_000));
        assert_eq!(network.hosts[1].received, 1_000);
        data_of(&network, 0).iter().map(|(_, _, len)| *len).collect::<Vec<u32>>()
    };
    assert_eq!(run(false), [100, 900]);
    assert_eq!(run(true), [100; 10]);
}

#[test]
fn data_carries_the_acknowledgement() {
    let mut network = Network::symmetric(Config::default(), 0, ms(10), 0);
    network.connect();
    for n in 0..20 {
        let host = n % 2;
        network.hosts[host].to_write = 200;
        network.settle(host);
        network.run(network.now + ms(11));
    }
    // Once the exchange is interactive, acknowledgements are not sent alone.
    let pure: usize = [0, 1].map(|host| acks_of(&network, host).len()).iter().sum();
    assert!(pure <= 5, "{pure}");
    let last = network.hosts[0].sent.last().unwrap().1.segment;
    assert!(last.flags.contains(Flags::ACK));
}
