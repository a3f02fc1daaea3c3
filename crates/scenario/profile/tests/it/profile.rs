//! Conclusions from a profile, when it no longer holds, and profiles as text.

use netloom_api::machine::Machine;
use netloom_profile::{
    Crossing, Disk, Edge, Forwarding, Memory, MemoryCost, NotBorne, Profile, ProfileError,
    Scheduling, Shape, ShapedEdge, Shaping, SmallWrites, Thoroughness, Traffic, WakeUps,
};
use proptest::prelude::*;

fn machine() -> Machine {
    Machine {
        netloom: "0.1.0".into(),
        kernel: "6.1.0-18-amd64".into(),
        architecture: "x86_64".into(),
        distribution: Some("Debian".into()),
        host: "lab1".into(),
        processor: Some("A Processor".into()),
        processors: 8,
        memory_bytes: Some(16 << 30),
        clock_source: Some("tsc".into()),
        frequency_mhz: Some(3000),
        frequency_governor: None,
        tcp_congestion_control: Some("cubic".into()),
    }
}

fn profile(edges: &[Option<f64>]) -> Profile {
    let forwarding = |peak: &Option<f64>| Forwarding {
        network: Shape::Chain { hops: 3 },
        traffic: Traffic::Udp1514,
        edge: peak.map(|peak| Edge {
            bits_per_second: peak / 3.0,
            frames_per_second: Some(peak / 36_336.0),
            peak_bits_per_second: peak,
        }),
        beyond: Some(NotBorne { bits_per_second: 1e9, why: "late".into() }),
    };
    let wake_ups = WakeUps {
        scheduling: Scheduling::RealTime,
        count: 9,
        p50_us: 5.1,
        p99_us: 20.0,
        max_us: 0.3,
    };
    let cost = MemoryCost { kernel_bytes: Some(100_000), engine_bytes: None };
    Profile {
        format: Profile::FORMAT,
        measured: "2026-11-21T18:00:00+00:00".into(),
        thoroughness: Thoroughness::Full,
        machine: machine(),
        forwarding: edges.iter().map(forwarding).collect(),
        crossing: Some(Crossing { p50_us: 24.5, least_us: 20.0, most_us: 31.25 }),
        shaping: vec![Shaping {
            traffic: Traffic::Udp1514,
            edge: Some(ShapedEdge { bits_per_second: 2e9, frames_per_second: Some(165_000.0) }),
            beyond: None,
        }],
        idle_wake_ups: wake_ups,
        busy_wake_ups: wake_ups,
        disk: Disk {
            directory: "/".into(),
            sequential: None,
            synchronous: Some(SmallWrites { count: 3, p50_us: 1.0, p99_us: 2.5 }),
            missing: vec!["no direct writes".into()],
        },
        memory: Memory {
            total_bytes: 16 << 30,
            available_bytes: 1 << 30,
            limit_bytes: None,
            node: Some(cost),
            link: None,
        },
        disturbances: vec!["somebody".into()],
    }
}

#[test]
fn claims_bear_what_was_measured_of_large_frames() {
    let measured = profile(&[]);
    assert_eq!(measured.shaping_rate().map(|rate| rate.bits_per_second()), Some(2_000_000_000));
    let not_measured = Profile { shaping: Vec::new(), ..measured };
    assert_eq!(not_measured.shaping_rate(), None);
}

#[test]
fn the_threshold_is_above_the_most_that_was_borne() {
    let of = |edges: &[Option<f64>]| profile(edges).net_internal().map(|r| r.bits_per_second());
    assert_eq!(of(&[Some(5e6), Some(7e6), None, Some(2e6)]), Some(7_000_001));
    assert_eq!(of(&[Some(0.5)]), Some(1));
    assert_eq!(of(&[None]), None);
    assert_eq!(of(&[]), None);
    assert_eq!(of(&[Some(1e30)]), Some(10_000_000_000_000));
}

#[test]
fn the_machine_that_was_measured_is_not_stale() {
    let mut now = machine();
    // Changes that do not matter: names, a frequency measured again, memory that the kernel took.
    now.host = "lab2".into();
    now.distribution = None;
    now.frequency_mhz = Some(2999);
    now.memory_bytes = Some((16 << 30) - (8 << 20));
    assert_eq!(profile(&[]).staleness(&now), [""; 0]);
}

#[test]
fn another_machine_is_stale_with_a_reason() {
    type Change = fn(&mut Machine);
    let changes: [(Change, &str); 9] = [
        (|m| m.netloom = "0.2.0".into(), "NetLoom was 0.1.0 and is 0.2.0"),
        (|m| m.kernel = "6.8".into(), "the kernel was 6.1.0-18-amd64 and is 6.8"),
        (|m| m.architecture = "aarch64".into(), "the architecture was x86_64 and is aarch64"),
        (|m| m.processor = Some("B".into()), "the processor was A Processor and is B"),
        (|m| m.processors = 4, "the number of processors was 8 and is 4"),
        (|m| m.clock_source = Some("hpet".into()), "the clock source was tsc and is hpet"),
        (
            |m| m.frequency_governor = Some("powersave".into()),
            "the frequency governor was unknown and is powersave",
        ),
        (|m| m.frequency_mhz = Some(2000), "the processor's frequency in MHz was 3000 and is 2000"),
        (|m| m.memory_bytes = None, "the memory in MiB was 16384 and is unknown"),
    ];
    let mut all = machine();
    for (change, words) in changes {
        let mut now = machine();
        change(&mut now);
        change(&mut all);
        assert_eq!(profile(&[]).staleness(&now), [words]);
    }
    assert_eq!(profile(&[]).staleness(&all).len(), changes.len());
}

proptest! {
    #[test]
    fn a_profile_survives_writing_and_reading(
        edges in proptest::collection::vec(proptest::option::of(1.0..1e14f64), 0..5),
        p50_us in 0.0..1e9f64,
    ) {
        let mut profile = profile(&edges);
        profile.idle_wake_ups.p50_us = p50_us;
        let text = profile.to_json().unwrap();
        prop_assert!(text.ends_with(char::is_whitespace), "no line end");
        prop_assert_eq!(Profile::from_json(&text).unwrap(), profile);
    }

    #[test]
    fn a_damaged_profile_is_refused(cut in 0..1000usize) {
        let text = profile(&[Some(1e9)]).to_json().unwrap();
        let error = Profile::from_json(&text[..cut.min(text.len() - 2)]).unwrap_err();
        prop_assert!(matches!(error, ProfileError::Damaged(_)), "{error}");
    }
}

#[test]
fn another_format_is_refused_by_its_number() {
    let error = Profile::from_json(r#"{"format": 7, "novel": true}"#).unwrap_err();
    assert_eq!(error.to_string(), "it has format 7, and this version of NetLoom reads format 1");
}
