//! The least time that frames ever take on each link, over all changes of the timeline.

use netloom_scenario::load;
use netloom_units::Duration;

/// Returns the least times, in µs, of links between `a` and `b` with this timeline.
fn least(links: &[&str], timeline: &[&str]) -> Vec<[u64; 2]> {
    let mut text = "name: x\ntopology:\n  nodes: {a: , b: }\n  links:\n".to_owned();
    for (number, link) in links.iter().enumerate() {
        text += &format!("    - {{endpoints: [a, b], name: l{number}, {link}}}\n");
    }
    text += "processes: [{name: p, node: a, command: 'true'}]\ntimeline:\n";
    for event in timeline {
        text += &format!("  - {{link: l0, {event}}}\n");
    }
    let scenario = load(&text).unwrap_or_else(|findings| panic!("{findings}")).scenario;
    let micros = |least: Duration| least.as_nanos() / 1000;
    scenario.least_propagations().into_iter().map(|both| both.map(micros)).collect()
}

#[test]
fn links_without_changes_have_their_own_least_delay() {
    let links = ["delay: 5ms, jitter: 1ms", "forward: {delay: 2ms}", "rate: 1Mbit/s"];
    assert_eq!(least(&links, &[]), [[4000, 4000], [2000, 0], [0, 0]]);
}

#[test]
fn changes_count_in_the_order_of_their_times() {
    // The jitter is gone before the delay becomes short.
    let timeline = ["at: 2s, set: {delay: 3ms}", "at: 1s, set: {jitter: 0}"];
    assert_eq!(least(&["delay: 5ms, jitter: 1ms"], &timeline), [[3000, 3000]]);
    let timeline = ["at: 1s, set: {delay: 3ms}", "at: 2s, set: {jitter: 0}"];
    assert_eq!(least(&["delay: 5ms, jitter: 1ms"], &timeline), [[2000, 2000]]);
    // A change of one direction, which is taken back.
    let timeline = ["at: 1s, for: 1s, direction: reverse, set: {delay: 1ms}"];
    assert_eq!(least(&["delay: 5ms", "delay: 7ms"], &timeline), [[5000, 1000], [7000, 7000]]);
}

#[test]
fn changes_at_unknown_times_count_in_any_order() {
    let timeline = [
        "at: {after: p, when: done}, set: {delay: 3ms}",
        "at: 1s, set: {jitter: 2ms}",
        "at: 2s, set: {jitter: 0, delay: 4ms}",
    ];
    assert_eq!(least(&["delay: 5ms"], &timeline), [[1000, 1000]]);
}
