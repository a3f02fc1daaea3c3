//! Congestion controls compared with theory, on the path of Erazo 2013, §3.2.1: 10 Mbit/s, 64 ms in
//! each direction, a queue of 66 kB. A packet of 1514 bytes takes 1.2112 ms. 105.7 packets fill the
//! path, and 43 the queue.

use netloom_tcp::{Algorithm, Config, EcnMode, Flags, HyStart, Info, RecoveryState};
use netloom_units::Time;

use crate::common::network::{Fate, Line, Network};
use crate::common::{at_ms, ms};

/// Largest number of packets in flight without loss: path and queue.
const FULL: f64 = 105.7 + 43.6;

fn long_path(config: Config) -> Network {
    let lines = [Line::new(10_000_000, ms(64), 66_000), Line::new(0, ms(64), 0)];
    let mut network = Network::new(config, lines);
    network.hosts[0].keep = false;
    network.hosts[1].keep = false;
    network.send(u64::MAX / 4);
    network
}

fn with(congestion_control: Algorithm) -> Config {
    Config { congestion_control, ..Config::default() }
}

/// Samples of a sender's connection every 10 ms, from `from` to `to` seconds.
fn samples(network: &mut Network, from: u64, to: u64) -> Vec<(f64, Info)> {
    (from * 100..to * 100)
        .map(|step| {
            network.run(at_ms(10 * step));
            (step as f64 / 100.0, network.hosts[0].endpoint.info())
        })
        .collect()
}

/// Mean of the congestion window.
fn mean(samples: &[(f64, Info)]) -> f64 {
    samples.iter().map(|(_, info)| f64::from(info.cwnd)).sum::<f64>() / samples.len() as f64
}

/// Times at which recoveries begin.
fn recoveries(samples: &[(f64, Info)]) -> Vec<f64> {
    let recovers = |info: &Info| info.recovery == RecoveryState::Recovery;
    let begins = samples.windows(2).filter(|pair| !recovers(&pair[0].1) && recovers(&pair[1].1));
    begins.map(|pair| pair[1].0).collect()
}

fn goodput(network: &Network) -> f64 {
    network.hosts[1].received as f64 * 8.0 / (network.now.as_nanos() as f64 / 1e9)
}

/// The sawtooth of Reno starts at half of the full window and rises by a packet per round trip. A
/// round trip takes 128 ms until the path is full, and then as long as the queue makes it.
#[test]
fn renos_sawtooth_has_its_period_and_mean() {
    let mut network = long_path(with(Algorithm::Reno));
    let samples = samples(&mut network, 20, 300);
    let begins = recoveries(&samples);
    let period = (begins.last().unwrap() - begins[0]) / (begins.len() - 1) as f64;
    let rtt = |window: f64| (window * 0.001_211_2).max(0.128_06);
    let half = FULL / 2.0;
    let steps: Vec<f64> = (0..=half as u32).map(|n| half + f64::from(n)).collect();
    let theory: f64 = steps.iter().map(|window| rtt(*window)).sum();
    assert!((period / theory - 1.0).abs() < 0.05, "{period} {theory}");
    let weighted: f64 = steps.iter().map(|window| window * rtt(*window)).sum();
    let (measured, expected) = (mean(&samples), weighted / theory);
    assert!((measured / expected - 1.0).abs() < 0.05, "{measured} {expected}");
    let most = samples.iter().map(|(_, info)| info.cwnd).max().unwrap();
    assert!((f64::from(most) / FULL - 1.0).abs() < 0.03, "{most}");
    // One loss in each period.
    let losses = samples.last().unwrap().1.lost - samples[0].1.lost;
    assert!(losses <= 2 * begins.len() as u64, "{losses} {begins:?}");
}

/// W(t) = C (t − K)³ + W_max, K = ∛(W_max (1 − β)/C) (RFC 9438 §4.2), on a path whose buffer is
/// large enough for the whole curve.
#[test]
fn cubic_follows_its_curve() {
    let lines = [Line::new(0, ms(50), 0), Line::new(0, ms(50), 0)];
    let config = Config {
        wmem: netloom_tcp::Buffer { max: 1 << 30, ..Config::default().wmem },
        rmem: netloom_tcp::Buffer { max: 1 << 30, ..Config::default().rmem },
        hystart: HyStart::Off,
        ..with(Algorithm::Cubic)
    };
    let mut network = Network::new(config, lines);
    network.hosts[0].keep = false;
    network.hosts[1].keep = false;
    let mut lost = false;
    network.lines[0].plan = Box::new(move |number, _| {
        let drop = number == 500 && !lost;
        lost |= drop;
        if drop { Fate::Drop } else { Fate::Pass }
    });
    network.send(u64::MAX / 4);
    network.run_while(at_ms(10_000), |network| {
        let info = network.hosts[0].endpoint.info();
        info.ssthresh.is_none() || info.recovery != RecoveryState::Open
    });
    let begin = network.now;
    let info = network.hosts[0].endpoint.info();
    let after = f64::from(info.cwnd);
    let most = after / (717.0 / 1024.0);
    let k = ((most - after) / 0.4).cbrt();
    for tenth in 1..=120 {
        network.run(begin + ms(100 * tenth));
        let t = tenth as f64 / 10.0;
        let cwnd = f64::from(network.hosts[0].endpoint.info().cwnd);
        let curve = 0.4 * (t - k).powi(3) + most;
        // The window follows with a delay of a round trip. Near the plateau, Reno is faster.
        let reno = after + 0.53 * t / 0.1;
        let expected = curve.max(reno);
        assert!((cwnd / expected - 1.0).abs() < 0.06, "{t}: {cwnd} {curve} {reno} (K {k})");
    }
}

#[test]
fn hystart_leaves_slow_start_before_the_queue_overflows() {
    let run = |hystart: HyStart| {
        let config = Config { hystart, ..with(Algorithm::Cubic) };
        // A queue of several bandwidth-delay products leaves enough time to measure its delay.
        let lines = [Line::new(10_000_000, ms(64), 2_000_000), Line::new(0, ms(64), 0)];
        let mut network = Network::new(config, lines);
        network.send(u64::MAX / 4);
        network.run_while(at_ms(20_000), |network| {
            network.hosts[0].endpoint.info().ssthresh.is_none()
        });
        network.hosts[0].endpoint.info()
    };
    let (off, linux, plus_plus) = (run(HyStart::Off), run(HyStart::Linux), run(HyStart::PlusPlus));
    assert!(off.lost > 0, "{off:?}");
    assert_eq!((linux.lost, plus_plus.lost), (0, 0), "{linux:?} {plus_plus:?}");
    // Linux leaves slow start as soon as it measures the delay, HyStart++ five slower rounds later.
    assert!(linux.cwnd < plus_plus.cwnd && plus_plus.cwnd < off.cwnd, "{linux:?} {plus_plus:?}");
}

/// BBR: startup, drain, then twice the bandwidth-delay product as an upper bound, and a pacing rate
/// that cycles (1.25, 0.75, six times 1) around the bottleneck's rate; ProbeRTT every ten seconds.
#[test]
fn bbr_finds_rate_and_round_trip_and_cycles() {
    let mut network = long_path(with(Algorithm::Bbr));
    let samples = samples(&mut network, 5, 60);
    // 99 % of the payload's rate, because of its margin.
    let rate = 10e6 / 8.0 * 1448.0 / 1514.0 * 0.99;
    let count = |gain: f64| {
        let near = |info: &Info| {
            let paced = info.pacing_rate.unwrap() as f64 / rate;
            (paced / gain - 1.0).abs() < 0.03
        };
        samples.iter().filter(|(_, info)| near(info)).count() as f64 / samples.len() as f64
    };
    let (up, down, cruise) = (count(1.25), count(0.75), count(1.0));
    assert!(up > 0.08 && up < 0.25, "{up}");
    assert!(down > 0.05 && down < 0.25, "{down}");
    assert!(cruise > 0.5, "{cruise}");
    let probes = samples.windows(2).filter(|pair| pair[0].1.cwnd > 4 && pair[1].1.cwnd <= 4);
    let at: Vec<f64> = probes.map(|pair| pair[1].0).collect();
    assert!((4..=6).contains(&at.len()), "{at:?}");
    for pair in at.windows(2) {
        assert!(pair[1] - pair[0] > 10.0 && pair[1] - pair[0] < 11.5, "{at:?}");
    }
    let (_, last) = samples.last().unwrap();
    assert!((f64::from(last.cwnd) / (2.0 * 105.7) - 1.0).abs() < 0.12, "{last:?}");
    assert!(goodput(&network) > 0.92 * 10e6 * 1448.0 / 1514.0);
}

/// BBR 3 probes the round-trip time every five seconds with half the bandwidth-delay product, and
/// the bandwidth in between. Its long-term bound keeps it from losing anything after Startup.
#[test]
fn bbr3_probes_without_losing() {
    let mut network = long_path(with(Algorithm::Bbr3));
    let samples = samples(&mut network, 5, 60);
    let half = 105.7 / 2.0;
    let probes = |info: &Info| (f64::from(info.cwnd) / half - 1.0).abs() < 0.1;
    let begins = samples.windows(2).filter(|pair| !probes(&pair[0].1) && probes(&pair[1].1));
    let at: Vec<f64> = begins.map(|pair| pair[1].0).collect();
    assert!(at.len() >= 8, "{at:?}");
    for pair in at.windows(2) {
        assert!(pair[1] - pair[0] > 5.0 && pair[1] - pair[0] < 6.0, "{at:?}");
    }
    assert_eq!(samples[0].1.lost, samples.last().unwrap().1.lost);
    assert!(goodput(&network) > 0.9 * 10e6 * 1448.0 / 1514.0);
}

/// Reno under random loss has the goodput MSS/RTT · √(3/2p) (Mathis and others 1997, with an
/// acknowledgement for every packet; delayed ones do not matter where bytes are counted).
#[test]
fn reno_under_random_loss_is_near_mathis() {
    for loss in [0.01, 0.001, 0.0003] {
        let lines = [Line::new(0, ms(50), 0), Line::new(0, ms(50), 0)];
        let mut network = Network::new(with(Algorithm::Reno), lines);
        network.hosts[0].keep = false;
        network.hosts[1].keep = false;
        let mut state = 12345u64;
        network.lines[0].plan = Box::new(move |_, segment| {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let draw = (state >> 11) as f64 / (1u64 << 53) as f64;
            if segment.len > 0 && draw < loss { Fate::Drop } else { Fate::Pass }
        });
        network.send(u64::MAX / 4);
        network.run(at_ms(300_000));
        let mathis = 1448.0 * 8.0 / 0.1 * (1.5f64 / loss).sqrt();
        let ratio = goodput(&network) / mathis;
        assert!((0.8..1.2).contains(&ratio), "{loss}: {ratio}");
    }
}

/// Vegas keeps two to four packets in the queue.
#[test]
fn vegas_keeps_two_to_four_packets_queued() {
    let mut network = long_path(with(Algorithm::Vegas));
    let samples = samples(&mut network, 30, 60);
    let most = samples.iter().map(|(_, info)| info.cwnd).max().unwrap();
    let least = samples.iter().map(|(_, info)| info.cwnd).min().unwrap();
    // The window minus the path: 105.7 packets of 1.2112 ms take 128 ms, and the rest waits.
    assert!(f64::from(least) - 105.7 >= 1.0 && f64::from(most) - 105.7 <= 6.5, "{least} {most}");
    assert_eq!(samples[0].1.lost, samples.last().unwrap().1.lost);
}

/// Median ratio of the windows after and before a loss in congestion avoidance.
fn reduction(congestion_control: Algorithm, queue: u64) -> f64 {
    let config = with(congestion_control);
    let lines = [Line::new(10_000_000, ms(64), queue), Line::new(0, ms(64), 0)];
    let mut network = Network::new(config, lines);
    network.hosts[0].keep = false;
    network.hosts[1].keep = false;
    network.send(u64::MAX / 4);
    let samples = samples(&mut network, 20, 200);
    let mut ratios: Vec<f64> = Vec::new();
    for at in recoveries(&samples) {
        let index = samples.iter().position(|(t, _)| *t >= at).unwrap();
        let before = f64::from(samples[index - 1].1.cwnd);
        if let Some(threshold) = samples[index].1.ssthresh {
            ratios.push(f64::from(threshold) / before);
        }
    }
    assert!(ratios.len() >= 3, "{congestion_control}: {ratios:?}");
    ratios.sort_by(f64::total_cmp);
    ratios[ratios.len() / 2]
}

/// The fraction of the window that remains after a loss is as in each algorithm's paper.
#[test]
fn losses_reduce_the_window_as_published() {
    let expected = [
        (Algorithm::Reno, 0.5, 0.02),
        (Algorithm::Cubic, 0.7, 0.02),
        // 819 of 1024.
        (Algorithm::Bic, 0.8, 0.02),
        (Algorithm::Scalable, 0.875, 0.02),
        // b(w) between 118 and 221 packets is 0.41.
        (Algorithm::HighSpeed, 0.59, 0.02),
        // RTTmin/RTTmax with 43 packets queued: 128/(149 · 1.2112) = 0.71.
        (Algorithm::Htcp, 0.71, 0.09),
        // Illinois: half, at the largest delay.
        (Algorithm::Illinois, 0.5, 0.02),
        (Algorithm::Hybla, 0.5, 0.02),
        // Veno: half, where more than three packets queue.
        (Algorithm::Veno, 0.5, 0.02),
        // Westwood: what the path holds, 105.7 of 149.
        (Algorithm::Westwood, 0.71, 0.06),
        // DCTCP halves the window without ECN.
        (Algorithm::Dctcp, 0.5, 0.02),
    ];
    for (algorithm, part, tolerance) in expected {
        let measured = reduction(algorithm, 66_000);
        assert!((measured - part).abs() <= tolerance, "{algorithm}: {measured} {part}");
    }
}

/// Growth in congestion avoidance, in packets per round trip without a queue, is as in each paper.
#[test]
fn windows_grow_as_published() {
    let growth = |congestion_control: Algorithm| {
        let lines = [Line::new(0, ms(50), 0), Line::new(0, ms(50), 0)];
        let mut network = Network::new(with(congestion_control), lines);
        network.hosts[0].keep = false;
        network.hosts[1].keep = false;
        network.lines[0].plan =
            Box::new(|number, _| if number == 280 { Fate::Drop } else { Fate::Pass });
        network.send(u64::MAX / 4);
        network.run_while(at_ms(5_000), |network| {
            let info = network.hosts[0].endpoint.info();
            info.ssthresh.is_none() || info.recovery != RecoveryState::Open
        });
        network.run(network.now + ms(50));
        let (begin, before) = (network.now, network.hosts[0].endpoint.info());
        network.run(begin + ms(500));
        let after = network.hosts[0].endpoint.info();
        (f64::from(after.cwnd) - f64::from(before.cwnd), f64::from(before.cwnd))
    };
    // Five round trips add a packet each.
    let (reno, window) = growth(Algorithm::Reno);
    assert!((4.0..=6.0).contains(&reno), "{reno} {window}");
    let (dctcp, _) = growth(Algorithm::Dctcp);
    assert!((4.0..=6.0).contains(&dctcp), "{dctcp}");
    // The window grows by 1 % for each packet acknowledged if it is above 100, else like Reno's.
    let (scalable, window) = growth(Algorithm::Scalable);
    let expected = if window > 100.0 { window * (1.01f64.powi(5) - 1.0) } else { 5.0 };
    assert!((scalable - expected).abs() <= expected * 0.3 + 1.0, "{scalable} {expected} {window}");
    // a(w) of RFC 3649, appendix B.
    let (highspeed, window) = growth(Algorithm::HighSpeed);
    let each = [(38.0, 1.0), (118.0, 2.0), (221.0, 3.0), (347.0, 4.0)];
    let each = each.iter().find(|(bound, _)| window <= *bound).unwrap().1;
    // Half of it, because only every second packet is acknowledged.
    assert!((highspeed - 2.5 * each).abs() <= 2.0, "{highspeed} {each} {window}");
    // ρ² packets, with ρ = 100 ms / 25 ms. Half of that, for the same reason.
    let (hybla, _) = growth(Algorithm::Hybla);
    assert!((28.0..=42.0).contains(&hybla), "{hybla}");
    // α = 10 where nothing queues. The ends of the measured period add up to a round trip.
    let (illinois, _) = growth(Algorithm::Illinois);
    assert!((40.0..=62.0).contains(&illinois), "{illinois}");
}

/// Seconds from one loss to the next on the long path, compared with those of a Linux 6.1 kernel
/// there, whose clock ticks 100 times a second (`benches/tcp/kernels.py --own`,
/// docs/simulated-tcp.md). LP has the round-trip time and the goodput of Reno there.
#[test]
fn periods_are_those_of_a_kernel() {
    let kernel = [
        (Algorithm::Bic, 6.487),
        (Algorithm::HighSpeed, 6.922),
        (Algorithm::Veno, 18.57),
        (Algorithm::Reno, 11.23),
        (Algorithm::Lp, 11.23),
        (Algorithm::Scalable, 2.562),
    ];
    for (algorithm, period) in kernel {
        let mut network = long_path(Config { hz: 100, ..with(algorithm) });
        let samples = samples(&mut network, 10, 150);
        let mut begins = recoveries(&samples);
        // As in that measurement, a recovery that begins within a second of another one is the same
        // episode.
        let mut before = f64::NEG_INFINITY;
        begins.retain(|at| *at - std::mem::replace(&mut before, *at) >= 1.0);
        let measured = (begins.last().unwrap() - begins[0]) / (begins.len() - 1) as f64;
        assert!((measured / period - 1.0).abs() < 0.12, "{algorithm}: {measured} {period}");
    }
}

/// Half of all connections have a receiver whose timestamps are behind the sender's. LP has the
/// goodput of Reno in these, too.
#[test]
fn lp_does_not_depend_on_which_clock_is_ahead() {
    let goodput_with = |server: u32| {
        let lines = [Line::new(10_000_000, ms(64), 66_000), Line::new(0, ms(64), 0)];
        let config = with(Algorithm::Lp);
        let mut network = Network::with_sequences(config.clone(), config, lines, server);
        network.hosts[0].keep = false;
        network.hosts[1].keep = false;
        network.send(u64::MAX / 4);
        network.run(at_ms(60_000));
        goodput(&network)
    };
    for server in [0x1000_0000, 0x5000_0000, 0x7fff_0000, 0x8000_ffff, 0xb000_0000, 0xf000_0000] {
        let goodput = goodput_with(server);
        assert!((8.2e6..9.2e6).contains(&goodput), "{server:#x}: {goodput}");
    }
}

/// DCTCP with a step marker keeps the queue near the threshold and α near its theoretical value,
/// without losses.
#[test]
fn dctcp_holds_the_queue_at_the_markers_threshold() {
    let config = Config { ecn: EcnMode::On, ..with(Algorithm::Dctcp) };
    let mut lines = [Line::new(100_000_000, ms(1), 1_000_000), Line::new(0, ms(1), 0)];
    lines[0].mark_above = 30_000;
    let mut network = Network::new(config, lines);
    network.hosts[0].keep = false;
    network.hosts[1].keep = false;
    network.send(u64::MAX / 4);
    network.run(at_ms(1_000));
    let mut queue = Vec::new();
    for step in 1_000..5_000 {
        network.run(at_ms(step));
        queue.push(network.lines[0].queued_bytes() as f64);
    }
    let mean = queue.iter().sum::<f64>() / queue.len() as f64;
    let most = queue.iter().fold(0.0f64, |most, bytes| most.max(*bytes));
    assert!(mean > 5_000.0 && mean < 35_000.0 && most < 60_000.0, "{mean} {most}");
    let info = network.hosts[0].endpoint.info();
    assert_eq!(info.lost, 0);
    assert!(info.delivered_ce > 0 && info.delivered_ce < info.delivered, "{info:?}");
    assert!(goodput(&network) > 0.9 * 100e6 * 1448.0 / 1514.0, "{}", goodput(&network));
}

/// RFC 3168: a mark halves the window once per round trip, the echo lasts until CWR, and nothing is
/// retransmitted.
#[test]
fn a_mark_reduces_the_window_once() {
    let config = Config { ecn: EcnMode::On, ..with(Algorithm::Reno) };
    let lines = [Line::new(0, ms(50), 0), Line::new(0, ms(50), 0)];
    let mut network = Network::new(config, lines);
    network.lines[0].plan =
        Box::new(|number, _| if (60..66).contains(&number) { Fate::Mark } else { Fate::Pass });
    network.send(600 * 1448);
    network.run(at_ms(5_000));
    assert_eq!(network.hosts[1].received, 600 * 1448);
    let info = network.hosts[0].endpoint.info();
    assert_eq!((info.retransmitted, info.lost), (0, 0));
    let flags = |host: usize, flag: Flags| {
        let sent = network.hosts[host].sent.iter().skip(1);
        sent.filter(|(_, packet)| packet.segment.flags.contains(flag)).count()
    };
    assert_eq!(flags(0, Flags::CWR), 1);
    assert!(flags(1, Flags::ECE) > 2);
    // Half of the window at that time, which was between 60 and 80 packets.
    assert!((30..=40).contains(&info.ssthresh.unwrap()), "{info:?}");
}

/// All algorithms fill most of the path, without timeouts. Those that yield to other traffic may
/// leave a part of it.
#[test]
fn every_algorithm_uses_the_path() {
    for algorithm in Algorithm::ALL {
        let mut network = long_path(with(*algorithm));
        network.run(Time::ZERO + ms(100_000));
        let share = goodput(&network) / (10e6 * 1448.0 / 1514.0);
        let least = match algorithm {
            Algorithm::Cdg | Algorithm::Lp => 0.6,
            _ => 0.8,
        };
        assert!(share > least && share <= 1.0, "{algorithm}: {share}");
    }
}
