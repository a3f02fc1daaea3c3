//! Properties that hold whatever the network does: bytes arrive once and in order, and nothing
//! panics.

use std::sync::Arc;

use netloom_tcp::{
    Algorithm, Config, Ecn, EcnMode, Endpoint, Flags, LossDetection, SackBlock, SackBlocks,
    Segment, State, SynOptions, Timestamps,
};
use netloom_units::{Duration, Time};
use proptest::prelude::*;

use crate::common::network::{Fate, Line, Network};
use crate::common::{at_ms, ms};

/// A pseudo-random number for each packet.
fn mixed(seed: u64, number: u64) -> u64 {
    let mut z = seed.wrapping_add(number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Losses, delays, duplicates and marks, each with a probability in 256ths.
#[derive(Debug, Clone, Copy)]
struct Trouble {
    seed: u64,
    loss: u64,
    late: u64,
    twice: u64,
    mark: u64,
}

impl Trouble {
    fn plan(self) -> impl FnMut(u64, &Segment) -> Fate {
        let mut number = 0;
        move |_, _| {
            number += 1;
            let draw = mixed(self.seed, number);
            let (kind, more) = (draw % 256, draw >> 32 & 0x3f);
            let bounds = [self.loss, self.late, self.twice, self.mark];
            let fates =
                [Fate::Drop, Fate::Late(Duration::from_millis(more)), Fate::Twice, Fate::Mark];
            let mut below = 0;
            for (bound, fate) in bounds.into_iter().zip(fates) {
                below += bound;
                if kind < below {
                    return fate;
                }
            }
            Fate::Pass
        }
    }
}

fn trouble() -> impl Strategy<Value = Trouble> {
    (any::<u64>(), 0..40u64, 0..40u64, 0..30u64, 0..30u64)
        .prop_map(|(seed, loss, late, twice, mark)| Trouble { seed, loss, late, twice, mark })
}

fn config() -> impl Strategy<Value = Config> {
    let algorithm = proptest::sample::select(Algorithm::ALL);
    (algorithm, any::<[bool; 8]>(), proptest::sample::select(&[100u32, 250, 1000][..])).prop_map(
        |(congestion_control, flags, hz)| Config {
            congestion_control,
            sack: flags[0] || flags[1],
            timestamps: flags[2] || flags[1],
            window_scaling: flags[3],
            dsack: flags[4],
            tail_loss_probe: flags[5],
            frto: flags[5],
            no_delay: flags[6],
            ecn: if flags[7] { EcnMode::On } else { EcnMode::Off },
            recovery: if flags[6] {
                LossDetection::Rack
            } else {
                LossDetection::DuplicateThreshold
            },
            hz,
            ..Config::default()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 200,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn all_bytes_arrive_once(
        config in config(),
        there in trouble(),
        back in trouble(),
        sizes in (0..400_000u64, 0..100_000u64),
        rate in proptest::sample::select(&[0u64, 2_000_000, 50_000_000][..]),
        mtu in 100u16..1500,
        whole in any::<bool>(),
    ) {
        // Without timestamps, the timeout stays doubled as long as no packet arrives at the first
        // try (Karn). If many are lost, minutes pass between two packets.
        let milder = |trouble: Trouble| Trouble {
            loss: if config.timestamps { trouble.loss } else { trouble.loss / 4 },
            ..trouble
        };
        let (there, back) = (milder(there), milder(back));
        let line = || Line::new(rate, ms(20), 60_000);
        let second = Config { mtu, ..config.clone() };
        let mut network = Network::with_configs(config, second, [line(), line()]);
        network.whole = whole;
        network.hosts[0].keep = false;
        network.hosts[1].keep = false;
        network.lines[0].plan = Box::new(there.plan());
        network.lines[1].plan = Box::new(back.plan());
        network.hosts[0].to_write = sizes.0;
        network.hosts[1].to_write = sizes.1;
        network.hosts[0].close = true;
        network.hosts[1].close = true;
        let over = |network: &Network| network.hosts[1].received >= sizes.0
            && network.hosts[0].received >= sizes.1
            && network.hosts.iter().all(|host| {
                matches!(host.endpoint.state(), State::Closed | State::TimeWait)
            });
        // Where a third of the packets is lost, timeouts of two minutes follow each other.
        network.run_while(at_ms(30_000_000), |network| {
            for host in &network.hosts {
                check(&host.endpoint);
            }
            !over(network)
        });
        let infos = network.hosts.each_ref().map(|host| host.endpoint.info());
        prop_assert_eq!(network.hosts[1].received, sizes.0, "{:?}", infos);
        prop_assert_eq!(network.hosts[0].received, sizes.1, "{:?}", infos);
        prop_assert!(over(&network), "{:?}", infos);
    }

    #[test]
    fn no_segment_makes_an_endpoint_panic(
        config in config(),
        connects in any::<bool>(),
        segments in proptest::collection::vec(segment(), 1..60),
    ) {
        let config = Arc::new(config);
        let mut endpoint = if connects {
            Endpoint::connect(Time::ZERO, config, 1000)
        } else {
            Endpoint::listen(config, 1000)
        };
        let mut now = Time::ZERO;
        for (wait, segment, sack, act) in segments {
            now += Duration::from_micros(wait);
            if let Some(due) = endpoint.next_deadline().filter(|due| *due <= now) {
                endpoint.handle_timeout(due.max(now));
            }
            endpoint.handle_segment(now, &segment, &sack);
            match act {
                0 => { endpoint.write(now, 50_000); }
                1 => { endpoint.read(now, 5_000); }
                2 => endpoint.shutdown(now),
                3 => endpoint.handle_mtu(now, 600),
                _ => {}
            }
            let mut sent = 0;
            while endpoint.poll_transmit(now).is_some() {
                sent += 1;
                prop_assert!(sent < 10_000);
            }
            while endpoint.poll_event().is_some() {}
            check(&endpoint);
        }
    }
}

/// Checks what must hold at all times.
fn check(endpoint: &Endpoint) {
    let info = endpoint.info();
    assert!(info.cwnd >= 1, "{info:?}");
    assert!(info.in_flight <= 2 * info.unacked, "{info:?}");
    assert!(info.sacked + info.lost_now <= info.unacked, "{info:?}");
    // Every packet is in flight, has arrived, or is lost. It may be both lost and in flight again.
    assert!(info.in_flight + info.sacked + info.lost_now >= info.unacked, "{info:?}");
    // Without SACK, each duplicate acknowledgement counts as a packet.
    if endpoint.config().sack {
        assert!(info.delivered <= info.packets_sent + 4, "{info:?}");
    }
}

/// Segments close to those that the endpoint expects, and others.
fn segment() -> impl Strategy<Value = (u64, Segment, SackBlocks, u8)> {
    let near = prop_oneof![0u32..200_000, any::<u32>()];
    let ack = prop_oneof![900u32..120_000, Just(1001u32), any::<u32>()];
    let blocks = proptest::collection::vec((900u32..120_000, 0u32..20_000), 0..4);
    let header = (near, ack, any::<u8>(), any::<u16>(), 0u32..4_000);
    let rest = (any::<bool>(), any::<[u32; 2]>(), 0u8..8, 0u64..400_000);
    (header, blocks, rest).prop_map(|((seq, ack, bits, window, len), blocks, rest)| {
        let (stamped, stamps, act, wait) = rest;
        let flags = Flags::from_bits(bits);
        let mut sack = SackBlocks::NONE;
        for (start, len) in blocks {
            sack.push(SackBlock { start, end: start.wrapping_add(len) });
        }
        let options =
            SynOptions { mss: window, window_scale: Some(bits & 15), sack_permitted: true };
        let timestamps = stamped.then_some(Timestamps { value: stamps[0], echo: stamps[1] });
        let segment = Segment {
            seq,
            ack,
            len,
            flags,
            window,
            timestamps,
            syn: flags.contains(Flags::SYN).then_some(options),
            ecn: if bits & 1 == 1 { Ecn::Ce } else { Ecn::NotEct },
            sack_blocks: sack.count(),
            ..Segment::EMPTY
        };
        (wait, segment, sack, act)
    })
}
