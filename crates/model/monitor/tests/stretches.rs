//! Stretches that are reported from time to time give the same verdict as the switches that they
//! were made of, and as the formulas.

mod offline;

use std::collections::BTreeMap;

use netloom_monitor::{
    BusyStretch, Criteria, Monitor, Observation as O, Party, SignalKind, Trust, Verdict,
};
use netloom_units::{Duration, Time};
use offline::Offline;
use offline::compare::differences;
use proptest::prelude::*;

const CPU: u32 = 3;
/// Period of a probe of stretches, in µs.
const PERIOD: u64 = 50_000;

fn time(us: u64) -> Time {
    Time::from_nanos(us * 1000)
}

fn for_us(us: u64) -> Duration {
    Duration::from_micros(us)
}

/// A stretch: the parties that used the CPU, from when to when, in µs.
type Slices = Vec<(Party, u64, u64)>;

/// The stretches of a series of switches, whose last one is to idle.
fn stretches(switches: &[(u64, Option<Party>)]) -> Vec<Slices> {
    let mut stretches: Vec<Slices> = vec![];
    let mut was_idle = true;
    for (switch, next) in switches.iter().zip(&switches[1..]) {
        if let (from, Some(party)) = *switch {
            if was_idle {
                stretches.push(vec![]);
            }
            stretches.last_mut().unwrap().push((party, from, next.0));
        }
        was_idle = switch.1.is_none();
    }
    stretches
}

/// Report of a probe that looks every [`PERIOD`], at `at`, on the time since `last`.
fn reported(number: u64, slices: &Slices, last: u64, at: u64) -> Option<BusyStretch> {
    let (from, to) = (slices[0].1, slices[slices.len() - 1].2);
    if from > at || to <= last {
        return None;
    }
    let mut by = BTreeMap::<Party, u64>::new();
    for (party, from, to) in slices {
        let us = (*to).min(at).saturating_sub((*from).max(last));
        *by.entry(*party).or_default() += us * 1000;
    }
    let ended = (to <= at).then(|| for_us(at - to));
    let by = by.into_iter().filter(|(_, ns)| *ns > 0).collect();
    Some(BusyStretch { number: number + 1, began: for_us(at - from), ended, by })
}

/// The verdict by switches, and the one by stretches.
fn verdicts(switches: &[(u64, Option<Party>)]) -> [Verdict; 2] {
    let monitor = || Monitor::new(Criteria::default(), Trust::default(), Time::ZERO);
    let (mut by_switches, mut by_stretches) = (monitor(), monitor());
    let mut trace = vec![];
    for signal in SignalKind::ALL {
        let seen = O::Watched { signal, probe: "test".into(), cannot_see: vec![], partial: false };
        by_switches.observe(Time::ZERO, &seen);
        by_stretches.observe(Time::ZERO, &seen);
        trace.push((Time::ZERO, seen));
    }
    for (at, to) in switches {
        by_switches.observe(time(*at), &O::CpuSwitch { cpu: CPU, to: *to });
    }
    let stretches = stretches(switches);
    let end = switches.last().unwrap().0.next_multiple_of(PERIOD);
    for at in (PERIOD..=end).step_by(PERIOD as usize) {
        for (number, slices) in (0..).zip(&stretches) {
            if let Some(stretch) = reported(number, slices, at - PERIOD, at) {
                let seen = O::CpuStretch { cpu: CPU, stretch };
                by_stretches.observe(time(at), &seen);
                trace.push((time(at), seen));
            }
        }
        by_stretches.observe(time(at), &O::Looked);
    }
    let seen = by_stretches.verdict(time(end));
    let criteria = Criteria::default();
    let by_formulas = Offline::new(&trace, &criteria, time(end));
    assert_eq!(differences(&seen, &by_formulas), Vec::<String>::new());
    [by_switches.verdict(time(end)), seen]
}

proptest! {
    #[test]
    fn stretches_give_the_same_verdict_as_switches(
        steps in prop::collection::vec(
            // A moment of 1 µs, and a time longer than any limit.
            (
                prop_oneof![Just(1), 1..40_000u64, 150_000..400_000u64],
                prop::option::weighted(0.85, 0..3u32),
            ),
            1..60,
        )
    ) {
        let mut at = 0;
        let mut switches = vec![];
        for (length, node) in steps {
            switches.push((at, node.map(Party::Node)));
            at += length;
        }
        switches.push((at, None));
        let [expected, seen] = verdicts(&switches);
        // If no stretch is reported, nothing is known of the CPU; switches show that it was idle.
        if !stretches(&switches).is_empty() {
            prop_assert_eq!(seen.signals, expected.signals);
        }
        prop_assert_eq!(seen.judgement, expected.judgement);
    }
}

/// Silence after a reported stretch does not prove that it goes on, and another stretch proves that
/// the one before is over.
#[test]
fn silence_proves_nothing() {
    let mut monitor = Monitor::new(Criteria::default(), Trust::default(), Time::ZERO);
    let stretch = |number, began| {
        let by = vec![(Party::Node(0), 1)];
        O::CpuStretch { cpu: CPU, stretch: BusyStretch { number, began, ended: None, by } }
    };
    monitor.observe(time(190_000), &stretch(1, for_us(190_000)));
    monitor.observe(time(250_000), &O::Looked);
    monitor.observe(time(250_000), &stretch(2, for_us(10)));
    monitor.observe(time(400_000), &stretch(2, for_us(150_010)));
    assert!(monitor.poll_signal().is_none());
    monitor.observe(time(450_000), &stretch(2, for_us(200_010)));
    assert_eq!(monitor.poll_signal().unwrap().value, 200_010_000.0);
}
