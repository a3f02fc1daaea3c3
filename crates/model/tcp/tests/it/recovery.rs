//! Losses and their repair.

use netloom_tcp::{Config, LossDetection, RecoveryState, Segment};
use netloom_units::Time;

use crate::common::network::{Fate, Network, data_of};
use crate::common::{at_ms, ms};

const MSS: u32 = 1448;

/// Returns a path of 50 ms in each direction without a rate limit, after the handshake. `plan`
/// decides the fate of each data packet.
fn path(config: Config, plan: impl FnMut(u64, &Segment) -> Fate + 'static) -> Network {
    let mut network = Network::symmetric(config, 0, ms(50), 0);
    network.connect();
    network.lines[0].plan = Box::new(plan);
    network
}

/// Returns a plan that drops the packets with these numbers.
fn drop(numbers: &'static [u64]) -> impl FnMut(u64, &Segment) -> Fate {
    |number, segment| {
        if segment.len > 0 && numbers.contains(&number) { Fate::Drop } else { Fate::Pass }
    }
}

/// Returns the times at which the packet with the number `packet` was sent.
fn times(network: &Network, packet: u32) -> Vec<Time> {
    let data = data_of(network, 0);
    data.iter().filter(|(_, seq, _)| *seq == packet * MSS).map(|(at, ..)| *at).collect()
}

#[test]
fn a_single_loss_is_repaired_in_a_round_trip() {
    let mut network = path(Config::default(), drop(&[4]));
    network.send(100 * u64::from(MSS));
    network.run(at_ms(3_000));
    assert_eq!(network.hosts[1].received, 100 * u64::from(MSS));
    let times = times(&network, 4);
    assert_eq!(times.len(), 2);
    let gap = times[1].since(times[0]);
    assert!(gap >= ms(100) && gap < ms(102), "{gap}");
    let info = network.hosts[0].endpoint.info();
    assert_eq!((info.retransmitted, info.lost, info.backoff), (1, 1, 0));
    assert_eq!(info.recovery, RecoveryState::Open);
}

/// A delayed acknowledgement and one that a gap requires at once are sent as one segment. The data
/// that it acknowledges was not overtaken by the data that it SACKs, so the next loss needs no
/// reordering window (RFC 8985 §6.2, steps 3 and 4).
#[test]
fn a_delayed_acknowledgement_before_a_gap_is_no_reordering() {
    for first in [120, 121] {
        let plan = move |number, segment: &Segment| {
            let lost = segment.len > 0 && [first, first + 400].contains(&number);
            if lost { Fate::Drop } else { Fate::Pass }
        };
        let mut network = Network::symmetric(Config::default(), 20_000_000, ms(50), 1 << 20);
        network.lines[0].plan = Box::new(plan);
        network.send(900 * u64::from(MSS));
        network.run(at_ms(5_000));
        assert_eq!(network.hosts[1].received, 900 * u64::from(MSS));
        assert_eq!(network.hosts[0].endpoint.info().reordering, 3);
        // The second one is the packet `first + 399` if a packet was retransmitted before it.
        let packets = [first as u32 + 399, first as u32 + 400];
        let sent: Vec<_> = packets.iter().map(|packet| times(&network, *packet)).collect();
        let again = sent.iter().find(|times| times.len() == 2).expect("it was lost");
        let gap = again[1].since(again[0]);
        assert!(gap < ms(110), "{first}: {gap}");
    }
}

/// The window after a recovery is the threshold: packets SACKed meanwhile do not make it grow once
/// more.
#[test]
fn a_recovery_ends_at_the_threshold() {
    let mut network = path(Config::default(), drop(&[60]));
    network.send(2_000 * u64::from(MSS));
    let recovers =
        |network: &Network| network.hosts[0].endpoint.info().recovery == RecoveryState::Recovery;
    network.run_while(at_ms(3_000), |network| !recovers(network));
    network.run_while(at_ms(3_000), recovers);
    let info = network.hosts[0].endpoint.info();
    assert_eq!((info.lost, info.recovery), (1, RecoveryState::Open));
    assert_eq!(Some(info.cwnd), info.ssthresh);
}

#[test]
fn several_losses_in_a_window_need_no_timeout() {
    let mut network = path(Config::default(), drop(&[1, 3, 5, 6, 7]));
    network.send(200 * u64::from(MSS));
    network.run(at_ms(3_000));
    assert_eq!(network.hosts[1].received, 200 * u64::from(MSS));
    let info = network.hosts[0].endpoint.info();
    assert_eq!((info.retransmitted, info.lost), (5, 5));
    for packet in [1, 3, 5, 6, 7] {
        let times = times(&network, packet);
        assert_eq!(times.len(), 2);
        assert!(times[1].since(times[0]) < ms(300), "{packet}");
    }
}

#[test]
fn a_lost_tail_is_repaired_by_a_probe() {
    let mut network = path(Config::default(), drop(&[9]));
    network.send(10 * u64::from(MSS));
    network.run(at_ms(3_000));
    assert_eq!(network.hosts[1].received, 10 * u64::from(MSS));
    let times = times(&network, 9);
    assert_eq!(times.len(), 2);
    // The acknowledgement of the packets before arrives after 100 ms. The probe is sent two round
    // trips later.
    let gap = times[1].since(times[0]);
    assert!(gap >= ms(300) && gap < ms(550), "{gap}");
    let info = network.hosts[0].endpoint.info();
    assert_eq!(info.backoff, 0);
    // When more is acknowledged, it is clear that the probe repaired a loss, so the window is
    // reduced nevertheless (RFC 8985 §7.4.2).
    network.send(u64::from(MSS));
    network.run(at_ms(4_000));
    assert!(network.hosts[0].endpoint.info().ssthresh.is_some());
}

#[test]
fn a_lost_retransmission_is_found_by_time() {
    let mut network = path(Config::default(), drop(&[4, 20]));
    // Packet 20 in the order of sending is the retransmission of packet 4, or close to it: drop
    // that one.
    let mut retransmitted = 0;
    network.lines[0].plan = Box::new(move |number, segment| {
        let is_fourth = segment.seq == 0xffff_f001u32.wrapping_add(4 * MSS) && segment.len > 0;
        retransmitted += u32::from(is_fourth && number != 4);
        let lost = number == 4 || (is_fourth && retransmitted == 1);
        if lost { Fate::Drop } else { Fate::Pass }
    });
    network.send(900 * u64::from(MSS));
    network.run(at_ms(5_000));
    assert_eq!(network.hosts[1].received, 900 * u64::from(MSS));
    let times = times(&network, 4);
    assert_eq!(times.len(), 3);
    // The next retransmission takes one more round trip plus at most a quarter of it. A timeout
    // would take 300 ms.
    let again = times[2].since(times[1]);
    assert!(again >= ms(100) && again < ms(160), "{again}");
}

#[test]
fn everything_lost_is_repaired_after_the_timeout() {
    let config = Config { tail_loss_probe: false, ..Config::default() };
    let mut network = path(config, |number, _| if number < 10 { Fate::Drop } else { Fate::Pass });
    network.send(10 * u64::from(MSS));
    network.run(at_ms(3_000));
    assert_eq!(network.hosts[1].received, 10 * u64::from(MSS));
    let times = times(&network, 0);
    let gap = times[1].since(times[0]);
    // RTO = SRTT + max(4 RTTVAR, 200 ms) = 300 ms, rounded up by the timer wheel.
    assert!(gap >= ms(300) && gap < ms(310), "{gap}");
}

/// RFC 6298 §5.1: more data does not postpone the timeout.
#[test]
fn an_application_that_goes_on_writing_does_not_put_the_timeout_off() {
    for probe in [false, true] {
        let config = Config { tail_loss_probe: probe, no_delay: true, ..Config::default() };
        let mut network = path(config, |_, _| Fate::Drop);
        for step in 0..20 {
            network.send(100);
            network.run(at_ms(150 + 50 * (step + 1)));
        }
        let data = data_of(&network, 0);
        let first: Vec<_> = data.iter().filter(|(_, seq, _)| *seq == 0).collect();
        let gap = first[1].0.since(first[0].0);
        // A probe is sent at the time of the timeout, and the timeout comes 300 ms after it.
        let expected = if probe { ms(600) } else { ms(300) };
        assert!(gap >= expected && gap < expected + ms(30), "{probe} {gap}");
    }
}

#[test]
fn timeouts_double() {
    let config = Config { tail_loss_probe: false, ..Config::default() };
    let mut network =
        path(config, |_, segment| if segment.len > 0 { Fate::Drop } else { Fate::Pass });
    network.send(10 * u64::from(MSS));
    network.run(at_ms(20_000));
    let times = times(&network, 0);
    let gaps: Vec<f64> =
        times.windows(2).map(|pair| pair[1].since(pair[0]).as_millis_f64()).collect();
    assert!(gaps.len() >= 5, "{gaps:?}");
    for (n, gap) in gaps.iter().enumerate() {
        let rto = 300.0 * f64::from(1 << n);
        // Timers are late by at most an eighth.
        assert!(*gap >= rto && *gap <= rto * 1.13, "{n}: {gap} {rto}");
    }
}

#[test]
fn a_silent_peer_ends_the_connection_after_fifteen_timeouts() {
    let mut network =
        path(Config::default(), |_, segment| if segment.len > 0 { Fate::Drop } else { Fate::Pass });
    network.send(10 * u64::from(MSS));
    network.run(at_ms(2_000_000));
    let over = netloom_tcp::Event::Closed(netloom_tcp::CloseReason::TimedOut);
    let closed = network.hosts[0].events.contains(&over);
    assert!(closed, "{:?}", network.hosts[0].events);
    // 924.6 s (ip-sysctl: tcp_retries2), plus up to one more timeout of 120 s.
    let last = times(&network, 0).last().unwrap().since(Time::ZERO);
    assert!(last > ms(800_000) && last < ms(1_060_000), "{last}");
}

/// A handover delays all packets in flight by half a second: the timeout is spurious.
#[test]
fn a_spurious_timeout_is_undone() {
    for timestamps in [true, false] {
        let config = Config { timestamps, tail_loss_probe: false, ..Config::default() };
        let mss = if timestamps { 1448 } else { 1460 };
        let mut network = path(config, |_, _| Fate::Pass);
        network.send(2_000 * mss);
        network.run_while(at_ms(10_000), |network| network.hosts[0].endpoint.info().cwnd < 80);
        let before = network.hosts[0].endpoint.info();
        let start = network.now;
        network.lines[0].delay = ms(700);
        network.run(start + ms(650));
        let during = network.hosts[0].endpoint.info();
        assert_eq!(during.recovery, RecoveryState::Loss, "no timeout");
        network.run(start + ms(1_500));
        let after = network.hosts[0].endpoint.info();
        assert_ne!(after.recovery, RecoveryState::Loss);
        assert!(after.cwnd >= before.cwnd, "timestamps {timestamps}: {before:?} {after:?}");
        network.lines[0].delay = ms(50);
        network.run(at_ms(60_000));
        assert_eq!(network.hosts[1].received, 2_000 * mss);
    }
}

#[test]
fn reordering_is_undone_and_remembered() {
    // Every 50th packet arrives 30 ms late: more than a quarter of the round trip.
    let mut network =
        path(
            Config::default(),
            |number, _| {
                if number % 50 == 10 { Fate::Late(ms(30)) } else { Fate::Pass }
            },
        );
    network.send(3_000 * u64::from(MSS));
    network.run(at_ms(20_000));
    assert_eq!(network.hosts[1].received, 3_000 * u64::from(MSS));
    let info = network.hosts[0].endpoint.info();
    assert!(info.reordering > 3, "{info:?}");
    // RACK waits longer once DSACKs have shown that it had acted too early.
    assert!(info.retransmitted < 40, "{info:?}");
}

#[test]
fn a_burst_of_losses_is_repaired_with_and_without_sack() {
    for (sack, recovery) in [
        (true, LossDetection::Rack),
        (true, LossDetection::DuplicateThreshold),
        (false, LossDetection::Rack),
    ] {
        let config = Config { sack, recovery, ..Config::default() };
        let mut network = path(config, |number, _| {
            if (60..65).contains(&number) || number == 66 { Fate::Drop } else { Fate::Pass }
        });
        network.send(1_000 * u64::from(MSS));
        network.run(at_ms(30_000));
        assert_eq!(network.hosts[1].received, 1_000 * u64::from(MSS), "{sack} {recovery:?}");
        let info = network.hosts[0].endpoint.info();
        assert_eq!(info.recovery, RecoveryState::Open);
        if sack {
            assert_eq!(info.retransmitted, 6, "{recovery:?}");
        }
    }
}

/// NewReno repairs one hole in each round trip (RFC 6582 §3.2).
#[test]
fn without_sack_each_hole_takes_a_round_trip() {
    let config = Config { sack: false, ..Config::default() };
    let mut network = path(config, drop(&[20, 22, 24]));
    network.send(300 * u64::from(MSS));
    network.run(at_ms(10_000));
    let again = [20, 22, 24].map(|packet| times(&network, packet)[1]);
    for pair in again.windows(2) {
        let gap = pair[1].since(pair[0]);
        assert!(gap >= ms(99) && gap < ms(140), "{again:?}");
    }
}
