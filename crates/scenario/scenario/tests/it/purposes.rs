//! What a run is for that does not say so, and how exact it has to be then.

use netloom_monitor::{Purpose, Trust};
use netloom_scenario::load;
use netloom_units::Duration;

/// Returns how exact a run of two nodes at a link of 80 ms with these further keys has to be.
fn trust(more: &str) -> Trust {
    let text = format!(
        "name: test\ntopology:\n  nodes: {{ a: , b: }}\n  \
         links: [{{ endpoints: [a, b], delay: 80ms }}]\n{more}"
    );
    load(&text).unwrap().scenario.monitor.trust
}

const PROCESS: &str = "processes: [{ name: p, node: a, command: w }]\n";
const EXPECT: &str = "expect: [{ process: p, exit: 0 }]\n";
const BULK: &str = "{ name: t, from: a, to: b, tcp: , bulk: { bytes: 1MB } }";
const PING: &str = "{ name: e, from: a, to: b, ping: { count: 1 } }";

#[test]
fn the_purpose_follows_from_the_scenario() {
    let traffic = |entries: &str| format!("traffic: [{entries}]\n");
    for (more, purpose) in [
        (String::new(), Purpose::Delay),
        (PROCESS.into(), Purpose::Delay),
        (format!("{PROCESS}{EXPECT}"), Purpose::Functional),
        (traffic(BULK), Purpose::Throughput),
        (format!("{PROCESS}{EXPECT}{}", traffic(BULK)), Purpose::Throughput),
        (traffic(PING), Purpose::Delay),
        (traffic(&format!("{BULK}, {PING}")), Purpose::Delay),
        (format!("{}trust: {{ for: functional }}\n", traffic(PING)), Purpose::Functional),
    ] {
        assert_eq!(trust(&more).purpose, purpose, "{more}");
    }
}

#[test]
fn needs_follow_from_the_purpose_unless_they_are_given() {
    let delay = |more: &str| trust(more).delay;
    assert_eq!(delay("trust: { for: delay }"), Duration::from_millis(1));
    assert_eq!(delay("trust: { for: throughput }"), Duration::from_millis(8));
    assert_eq!(delay("trust: { for: functional }"), Duration::from_millis(50));
    assert_eq!(delay("trust: { for: functional, delay: 3ms }"), Duration::from_millis(3));
    let criteria = "monitor: { criteria: { lateness: { tolerance: 7ms } } }";
    assert_eq!(
        delay(&format!("trust: {{ for: functional }}\n{criteria}")),
        Duration::from_millis(7)
    );
}
