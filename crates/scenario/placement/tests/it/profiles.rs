//! What machines bear, from their profiles.

use netloom_placement::{Machine, Machines, capacities};
use netloom_profile::Profile;

/// A profile whose chains of 1, 2 and 4 links bore these frames per second.
fn profile(small: [f64; 3], large: [f64; 3]) -> Profile {
    let forwarding = |traffic: &str, borne: [f64; 3]| {
        let one = |(hops, frames): (u32, f64)| {
            format!(
                r#"{{"network":{{"chain":{{"hops":{hops}}}}},"traffic":"{traffic}","edge":{{
                "bits_per_second":1.0,"frames_per_second":{frames},"peak_bits_per_second":1.0}},
                "beyond":null}}"#
            )
        };
        [1, 2, 4].into_iter().zip(borne).map(one).collect::<Vec<_>>().join(",")
    };
    let wake_ups = r#"{"scheduling":"normal","count":1,"p50_us":1.0,"p99_us":1.0,"max_us":1.0}"#;
    let text = format!(
        r#"{{"format":1,"measured":"2026-11-28T00:00:00+00:00","thoroughness":"full",
        "machine":{{"netloom":"0.1.0","kernel":"6.18","architecture":"x86_64","distribution":null,
        "host":"h","processor":null,"processors":8,"memory_bytes":16000000000,"clock_source":null,
        "frequency_governor":null,"tcp_congestion_control":null}},
        "forwarding":[{},{}],"crossing":null,"idle_wake_ups":{wake_ups},"busy_wake_ups":{wake_ups},
        "disk":{{"directory":"/","sequential":null,"synchronous":null,"missing":[]}},
        "memory":{{"total_bytes":16000000000,"available_bytes":1,"limit_bytes":12000000000,
        "node":null,"link":null}},"disturbances":[]}}"#,
        forwarding("udp60", small),
        forwarding("udp1514", large)
    );
    Profile::from_json(&text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

#[test]
fn a_crossing_costs_what_the_weakest_chain_of_two_and_more_bore() {
    // 2 × 100,000 is less than 4 × 60,000; the chain of one does not count.
    let profile = profile([150e3, 100e3, 60e3], [70e3, 50e3, 20e3]);
    let machine = Machine::of_profile("m", &profile);
    let share = |bytes: f64| machine.inside.frame + machine.inside.byte * bytes;
    assert!((share(60.0) - 1.0 / 200e3).abs() < 1e-12);
    assert!((share(1514.0) - 1.0 / 80e3).abs() < 1e-12);
    let across = machine.across.frame + machine.across.byte * 1514.0;
    assert!((across - 3.0 / 80e3).abs() < 1e-12);
    assert_eq!((machine.cpus, machine.memory), (8.0, 12e9));
}

#[test]
fn what_is_reserved_is_no_capacity() {
    let mut machine = Machine::of_profile("m", &profile([1e5; 3], [1e5; 3]));
    let before = machine.inside.frame;
    machine.reserve(2.0, 2e9);
    assert_eq!((machine.cpus, machine.memory), (6.0, 10e9));
    // A quarter of the CPUs less: each frame takes a third more of the rest.
    assert!((machine.inside.frame / before - 4.0 / 3.0).abs() < 1e-9);
}

#[test]
fn a_machine_without_a_profile_counts_as_the_weakest_that_has_one() {
    let list =
        "machines:\n  a: {address: a}\n  b: {address: b, uplink: 1Gbit/s}\n  c: {address: c}\n";
    let list = Machines::parse(list).unwrap();
    let (strong, weak) = (profile([2e5; 3], [2e5; 3]), profile([1e5; 3], [1e5; 3]));
    let (machines, remarks) = capacities(&list, &[Some(strong), None, Some(weak)]);
    assert_eq!(machines[1].inside, machines[2].inside);
    assert!(machines[0].inside.frame < machines[1].inside.frame);
    assert_eq!((machines[1].name.as_str(), machines[1].uplink), ("b", 1e9));
    assert_eq!(remarks, ["`b` has no profile and counts like `c`, the weakest that has one"]);
    let (machines, remarks) = capacities(&list, &[None, None, None]);
    assert!(machines.iter().all(|machine| machine.cpus.is_infinite()));
    assert!(remarks.len() == 1 && remarks[0].contains("netloom calibrate"), "{remarks:?}");
}

#[test]
fn machines_on_this_one_share_it() {
    let list = Machines::local("local:4").unwrap().unwrap();
    let here = profile([1e5; 3], [1e5; 3]);
    let whole = Machine::of_profile("m", &here);
    let (machines, remarks) = capacities(&list, &vec![Some(here); 4]);
    assert!(remarks.is_empty());
    for machine in machines {
        assert_eq!((machine.cpus, machine.memory), (whole.cpus / 4.0, whole.memory / 4.0));
        assert_eq!(machine.inside.frame, whole.inside.frame * 4.0);
    }
}
