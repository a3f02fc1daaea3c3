//! Which scenarios can run in dilated time.

use netloom_scenario::{Scenario, load};

fn scenario(text: &str) -> Scenario {
    load(&format!("name: test\n{text}")).unwrap().scenario
}

/// Returns why a scenario with nodes `a` and `b` with these properties, and with these further
/// keys, cannot be dilated.
fn undilatable(dilation: &str, nodes: [&str; 2], more: &str) -> Vec<String> {
    let [a, b] = nodes;
    scenario(&format!(
        "time: {{ dilation: {dilation} }}\n\
         topology:\n  nodes:\n    a: {a}\n    b: {b}\n  links: [{{ endpoints: [a, b] }}]\n{more}"
    ))
    .undilatable()
}

const OWN: &str = "{ kernel: own }";

#[test]
fn programs_need_a_kernel_of_their_own() {
    for (what, more) in [
        ("`look`", "processes: [{ name: look, node: b, command: w }]"),
        ("traffic `load`", "traffic: [{ name: load, from: a, to: b, ping: { count: 1 } }]"),
        ("commands of the timeline", "timeline: [{ at: 1s, node: b, run: w }]"),
    ] {
        let why = undilatable("10", [OWN, ""], more);
        assert_eq!(why.len(), 1, "{why:?}");
        let begin = format!("node `b` cannot run {what} at a dilation of 10");
        assert!(why[0].starts_with(&begin) && why[0].contains("kernel: own"), "{why:?}");
        assert_eq!(undilatable("10", [OWN, OWN], more), [""; 0]);
        assert_eq!(undilatable("1", ["", ""], more), [""; 0]);
    }
    let startup = "{ startup: [w] }";
    assert!(undilatable("0.5", [startup, ""], "")[0].contains("run its `startup`"));
    // No program runs in these nodes.
    assert_eq!(undilatable("10", ["", ""], ""), [""; 0]);
}

#[test]
fn cpu_time_is_the_experiments() {
    let limited = "{ kernel: own, limits: { cpu: 0.5 } }";
    assert_eq!(undilatable("10", [limited, ""], ""), [""; 0]);
    let why = undilatable("100", [limited, ""], "");
    assert!(why[0].contains("`cpu` of node `a` is 0.5") && why[0].contains("0.005"), "{why:?}");
}

#[test]
fn the_world_outside_has_its_own_time() {
    let text = "time: { dilation: 2 }\ntopology:\n  nodes: { a: }\n  links:\n    \
                - { endpoints: [a, 'host:nl0'] }\n";
    let why = scenario(text).undilatable();
    assert!(why.len() == 1 && why[0].contains("cannot meet"), "{why:?}");
}
