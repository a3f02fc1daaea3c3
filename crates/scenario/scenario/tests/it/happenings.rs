//! The expansion of timelines.

use netloom_scenario::{Lasting, Scenario, Start, TimelineAction};

fn load(timeline: &str) -> Scenario {
    let text = format!(
        "name: x\nduration: 100s\ntopology:\n  nodes: {{ a: , b: , c: }}\n  links:\n    \
         - {{ name: one, endpoints: [a, b], delay: 10ms }}\n    \
         - {{ name: two, endpoints: [b, c], forward: {{ state: down }} }}\ntimeline:\n{timeline}"
    );
    netloom_scenario::load(&text)
        .unwrap_or_else(|bad| panic!("{}", bad.render("x", &text)))
        .scenario
}

/// Returns the happenings: time in ms, link or node, and the change as JSON.
fn described(scenario: &Scenario) -> Vec<(u64, String)> {
    let described = scenario.happenings().into_iter().map(|one| {
        let Start::At(at) = one.at else { panic!("a milestone") };
        let what = match one.action {
            TimelineAction::SetLink { link, direction, change } => {
                let change = serde_json::to_string(&change).unwrap();
                format!("{link} {direction:?} {change}")
            }
            TimelineAction::SetNode { node, state, .. } => format!("{node} {state:?}"),
            TimelineAction::SetMedia { changes } => format!("{:?}", changes.keys()),
            TimelineAction::SetStation { node, .. } => node.clone(),
            TimelineAction::Route { node, change } => format!("{node} {}", change.destination()),
            TimelineAction::Run { command, .. } => command.argv().join(" "),
        };
        let pair = match one.lasting {
            None => String::new(),
            Some(Lasting::Begins(pair)) => format!(", begins {pair}"),
            Some(Lasting::Ends(pair)) => format!(", ends {pair}"),
        };
        let what = format!("{what}{pair}");
        (at.as_nanos() / 1_000_000, what)
    });
    described.collect()
}

fn of(timeline: &str) -> Vec<(u64, String)> {
    described(&load(timeline))
}

fn expected(all: &[(u64, &str)]) -> Vec<(u64, String)> {
    all.iter().map(|(at, what)| (*at, (*what).to_owned())).collect()
}

#[test]
fn a_change_with_a_duration_is_reverted() {
    let happens = of("  - { at: 20s, link: one, set: { delay: 30ms, loss: 1% }, for: 5s }\n  \
                      - { at: 10s, link: one, set: { delay: 20ms } }\n");
    assert_eq!(
        happens,
        expected(&[
            (20_000, r#"one Both {"delay":"30ms","loss":"1%"}"#),
            (25_000, r#"one Both {"delay":"20ms","loss":"0%"}"#),
            (10_000, r#"one Both {"delay":"20ms"}"#),
        ])
    );
}

#[test]
fn a_node_that_comes_back_leaves_links_down_that_were_down_before() {
    let happens = of("  - { at: 1s, node: b, state: down, for: 2s }\n");
    assert_eq!(
        happens,
        expected(&[
            (1000, "b Down"),
            (3000, r#"one Both {"state":"up"}"#),
            (3000, r#"two Reverse {"state":"up"}"#),
        ])
    );
}

#[test]
fn links_of_a_failed_node_come_back_before_the_node_does() {
    let happens = of("  - { at: 1s, node: b, state: failed, for: 2s }\n  \
                      - { at: 5s, node: b, state: failed }\n  \
                      - { at: 6s, node: b, state: up }\n");
    assert_eq!(
        happens,
        expected(&[
            (1000, "b Failed, begins 0"),
            (3000, r#"one Both {"state":"up"}"#),
            (3000, r#"two Reverse {"state":"up"}"#),
            (3000, "b Failed, ends 0"),
            (5000, "b Failed"),
            (6000, "b Up"),
        ])
    );
}

#[test]
fn a_route_change_with_a_duration_is_a_pair_of_happenings() {
    let happens = of("  - { at: 1s, every: 4s, times: 2, node: a, route: { remove: 10.0.0.0/8 }, \
                        for: 3s }\n  \
                      - { at: 2s, node: b, route: { add: { to: 10.9.0.0/16, interface: eth1 } }, \
                        for: 1s }\n  \
                      - { at: 9s, node: b, route: { remove: 10.9.0.0/16 } }\n");
    assert_eq!(
        happens,
        expected(&[
            (1000, "a 10.0.0.0/8, begins 0"),
            (4000, "a 10.0.0.0/8, ends 0"),
            (5000, "a 10.0.0.0/8, begins 2"),
            (8000, "a 10.0.0.0/8, ends 2"),
            (2000, "b 10.9.0.0/16, begins 1"),
            (3000, "b 10.9.0.0/16, ends 1"),
            (9000, "b 10.9.0.0/16"),
        ])
    );
}

#[test]
fn events_recur_until_something_ends_them() {
    let happens = of("  - { at: 6s, every: 10s, times: 2, link: one, state: down, for: 2s }\n  \
                      - { at: 1s, every: 2s, until: 5s, node: a, run: date }\n  \
                      - { at: 40s, every: 25s, link: one, set: { delay: 1ms } }\n");
    let (down, up) = (r#"one Both {"state":"down"}"#, r#"one Both {"state":"up"}"#);
    let run = "/bin/sh -c date";
    let set = r#"one Both {"delay":"1ms"}"#;
    assert_eq!(
        happens,
        expected(&[
            (6000, down),
            (8000, up),
            (16_000, down),
            (18_000, up),
            (1000, run),
            (3000, run),
            (40_000, set),
            (65_000, set),
            (90_000, set),
        ])
    );
}

#[test]
fn failures_are_drawn_from_the_seed_and_the_number_of_the_event() {
    let line = "  - { at: 1s, link: one, until: 60s,\n      \
                fails: { after: { exponential: 3s }, for: { exponential: 1s } } }\n";
    let mut scenario = load(line);
    let first = described(&scenario);
    assert_eq!(first, described(&scenario), "the same for the same seed");
    assert!(first.len() > 8, "{first:?}");
    assert!(first.iter().all(|(at, _)| *at >= 1000));
    let cuts: Vec<_> = first.iter().step_by(2).collect();
    assert!(cuts.iter().all(|(at, what)| *at < 60_000 && what.contains("down")), "{first:?}");
    assert!(first.iter().skip(1).step_by(2).all(|(_, what)| what.contains("up")), "{first:?}");
    assert!(first.is_sorted_by_key(|(at, _)| *at));
    scenario.seed = 2;
    assert_ne!(first, described(&scenario));
    assert!(scenario.is_random());
    let both = of(&format!("  - {{ at: 1s, link: one, set: {{ delay: 1ms }} }}\n{line}"));
    assert_ne!(both[1..], first[..], "another number, other times");
}
