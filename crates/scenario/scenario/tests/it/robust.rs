//! Whatever the text, loading terminates, does not panic, and reports the position of the error.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use netloom_scenario::load;
use proptest::prelude::*;
use proptest::test_runner::RngSeed;

static SCENARIOS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let mut texts = Vec::new();
    for folder in ["good", "bad"] {
        for entry in fs::read_dir(tests.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            if path.extension().is_some_and(|extension| extension == "yaml") {
                texts.push((path.clone(), fs::read_to_string(path).unwrap()));
            }
        }
    }
    texts.sort();
    texts.into_iter().map(|(_, text)| text).collect()
});

/// All findings have a position in the text, and can be formatted.
fn check(text: &str) {
    let findings = match load(text) {
        Ok(loaded) => {
            let json = serde_json::to_string(&loaded.scenario).unwrap();
            assert_eq!(
                serde_json::from_str::<netloom_scenario::Scenario>(&json).unwrap(),
                loaded.scenario
            );
            loaded.warnings
        }
        Err(findings) => {
            assert!(findings.error_count() > 0);
            findings
        }
    };
    let lines = text.matches(['\n', '\r']).count() + 1;
    for finding in &findings {
        assert!((1..=lines).contains(&finding.span.line), "{finding:?} in {lines} lines");
        assert!(finding.span.column >= 1);
        assert!(!finding.message.is_empty());
    }
    findings.render("x.yaml", text);
}

/// A change of a text: a part is removed, inserted, or doubled.
#[derive(Debug, Clone)]
enum Change {
    Cut { at: prop::sample::Index, length: usize },
    Insert { at: prop::sample::Index, text: String },
    Double { at: prop::sample::Index, length: usize },
    SwapLines { first: prop::sample::Index, second: prop::sample::Index },
}

fn change() -> impl Strategy<Value = Change> {
    let piece = prop_oneof![
        Just("{"),
        Just("}"),
        Just("["),
        Just("]"),
        Just(":"),
        Just(" "),
        Just("\n"),
        Just("-"),
        Just("&a "),
        Just("*a"),
        Just("<<: *a"),
        Just("~"),
        Just("'"),
        Just("\""),
        Just("\t"),
        Just("#"),
        Just("|\n"),
        Just("?"),
        Just("!x "),
        Just("é"),
        Just("\u{0}"),
        Just("0"),
        Just("9999999999999999999999"),
        Just("links"),
        Just("name"),
        Just("eth1"),
        Just("\r\n"),
    ]
    .prop_map(str::to_string);
    let index = any::<prop::sample::Index>;
    prop_oneof![
        (index(), 1..40usize).prop_map(|(at, length)| Change::Cut { at, length }),
        (index(), piece).prop_map(|(at, text)| Change::Insert { at, text }),
        (index(), 1..60usize).prop_map(|(at, length)| Change::Double { at, length }),
        (index(), index()).prop_map(|(first, second)| Change::SwapLines { first, second }),
    ]
}

fn apply(text: &str, change: &Change) -> String {
    let mut chars: Vec<char> = text.chars().collect();
    let piece = |at: &prop::sample::Index, length: usize| {
        let start = at.index(chars.len() + 1);
        start..(start + length).min(chars.len())
    };
    match change {
        Change::Cut { at, length } => {
            let piece = piece(at, *length);
            chars.drain(piece);
        }
        Change::Insert { at, text } => {
            let start = at.index(chars.len() + 1);
            chars.splice(start..start, text.chars());
        }
        Change::Double { at, length } => {
            let piece = piece(at, *length);
            let copy = chars[piece.clone()].to_vec();
            chars.splice(piece.start..piece.start, copy);
        }
        Change::SwapLines { first, second } => {
            let mut lines: Vec<&str> = text.lines().collect();
            if !lines.is_empty() {
                let (first, second) = (first.index(lines.len()), second.index(lines.len()));
                lines.swap(first, second);
            }
            return lines.join("\n");
        }
    }
    chars.into_iter().collect()
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 1500,
        rng_seed: RngSeed::Fixed(1),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn changed_scenarios_never_panic(
        which in any::<prop::sample::Index>(),
        changes in prop::collection::vec(change(), 1..6),
    ) {
        let mut text = SCENARIOS[which.index(SCENARIOS.len())].clone();
        for change in &changes {
            text = apply(&text, change);
        }
        check(&text);
    }

    #[test]
    fn arbitrary_text_never_panics(text in "[a-z:{}\\[\\]\\-&*<!|>'\"#, \n\t0-9]{0,200}") {
        check(&text);
    }
}

#[test]
fn deep_nesting_is_an_error() {
    for (open, close) in [("[", "]"), ("{a: ", "}")] {
        let text = open.repeat(3000) + &close.repeat(3000);
        check(&text);
        assert!(load(&text).is_err());
    }
    let text: String = (0..3000).map(|depth| " ".repeat(depth) + "a:\n").collect();
    assert!(load(&text).is_err());
}

#[test]
fn many_errors_end() {
    let links = "    - {endpoints: [a, b], rate: 1}\n".repeat(2000);
    let text = format!("name: x\ntopology:\n  nodes: {{a: , b: }}\n  links:\n{links}");
    let findings = load(&text).unwrap_err();
    assert!((100..=102).contains(&findings.error_count()), "{}", findings.error_count());
}

#[test]
fn a_large_scenario_loads() {
    let nodes: String =
        (0..5000).map(|index| format!("    n{index}x: {{kind: router}}\n")).collect();
    let links: String = (0..5000)
        .map(|index| {
            format!("    - {{endpoints: [n{index}x, n{}x], delay: 1ms}}\n", (index + 1) % 5000)
        })
        .collect();
    let text = format!("name: ring\ntopology:\n  nodes:\n{nodes}  links:\n{links}");
    let scenario = load(&text).unwrap().scenario;
    assert_eq!((scenario.nodes.len(), scenario.links.len()), (5000, 5000));
}
