//! Mistakes in the shape of a file, of the kinds that beginners make: the first finding is in the
//! line of the mistake, and hardly anything else is said until that is mended.

use netloom_scenario::{Diagnostics, Severity, load};

const LAB: &str = "\
name: lab
topology:
  nodes:
    pc1:
    pc2:
    r1:
      kind: router
  links:
    - endpoints: [pc1, r1]
      delay: 5ms
      rate: 10Mbit/s
    - endpoints: [r1, pc2]
      delay: 10ms
processes:
  - name: ping
    node: pc1
    command: ping -c 3 pc2
timeline:
  - at: 2s
    link: pc1--r1
    set:
      delay: 50ms
expect:
  - process: ping
    exit: 0
";

/// A mistake: its name, what is replaced in [`LAB`] by what, and its line.
type Mistake = (&'static str, &'static [(&'static str, &'static str)], usize);

const MISTAKES: &[Mistake] = &[
    ("a tab", &[("    pc2:", "\tpc2:")], 5),
    ("a list one level too deep", &[("  links:", "    links:")], 8),
    ("a section at the top", &[("  links:", "links:")], 8),
    ("a section at the top, and the next one not", &[("  nodes:", "nodes:")], 3),
    ("sections at the top", &[("  nodes:", "nodes:"), ("  links:", "links:")], 3),
    ("a section too deep", &[("processes:", "  processes:")], 14),
    ("a section in an element", &[("expect:", "    expect:")], 23),
    ("a section beside elements", &[("expect:", "  expect:")], 23),
    (
        "names as deep as their section",
        &[("    pc1:\n    pc2:\n    r1:", "  pc1:\n  pc2:\n  r1:")],
        4,
    ),
    ("one name less deep", &[("    pc2:", "  pc2:")], 5),
    ("one name deeper", &[("    pc2:", "     pc2:")], 5),
    ("a value as deep as its name", &[("      kind", "    kind")], 7),
    ("a key less deep", &[("      delay: 5ms", "    delay: 5ms")], 10),
    ("a key deeper", &[("      delay: 5ms", "        delay: 5ms")], 10),
    ("keys as deep as theirs", &[("      delay: 50ms", "    delay: 50ms")], 22),
    ("an element less deep than its keys", &[("    - endpoints: [pc1", "  - endpoints: [pc1")], 9),
    ("a key as deep as the elements", &[("    command:", "  command:")], 17),
    ("no colon behind a section", &[("  links:", "  links")], 8),
    ("no colon behind a name", &[("    pc1:", "    pc1")], 4),
    ("no colon behind a key", &[("    node: pc1", "    node pc1")], 16),
    ("no colon behind a single key", &[("kind: router", "kind router")], 7),
    ("no space behind a colon", &[("delay: 5ms", "delay:5ms")], 10),
    ("an equals sign", &[("delay: 5ms", "delay = 5ms")], 10),
    ("a colon in a text", &[("ping -c 3 pc2", "echo a: b")], 17),
    ("no first dash", &[("    - endpoints: [pc1", "      endpoints: [pc1")], 9),
    ("no second dash", &[("    - endpoints: [r1", "      endpoints: [r1")], 12),
    ("no dash at all", &[("  - name", "    name")], 15),
    ("no dash in the timeline", &[("  - at", "    at")], 19),
    ("no space behind a dash", &[("    - endpoints: [pc1", "    -endpoints: [pc1")], 9),
    ("a dash of a word processor", &[("    - endpoints: [pc1", "    – endpoints: [pc1")], 9),
    ("a dash with nothing", &[("topology:\n", "topology:\n  -\n")], 3),
    ("a key twice", &[("      rate: 10Mbit/s", "      delay: 7ms")], 11),
    ("a section twice", &[("expect:", "links:\n  - a\nlinks:\n  - b\nexpect:")], 25),
    ("an open quote", &[("command: ping", "command: \"ping")], 17),
    ("an open single quote", &[("command: ping", "command: 'ping")], 17),
    ("an open bracket", &[("[pc1, r1]", "[pc1, r1")], 9),
    (
        "a list of names",
        &[("    pc1:\n    pc2:\n    r1:\n      kind: router", "    - pc1\n    - r1")],
        4,
    ),
    (
        "a mapping of links",
        &[(
            "    - endpoints: [pc1, r1]\n      delay: 5ms\n      rate: 10Mbit/s\n    \
             - endpoints: [r1, pc2]\n      delay: 10ms",
            "    pc1: r1",
        )],
        9,
    ),
    ("a text for an element", &[("    - endpoints: [pc1, r1]", "    - pc1 r1")], 9),
    ("a text for a list", &[("[pc1, r1]", "pc1, r1")], 9),
    ("a list for a text", &[("node: pc1", "node: [pc1, pc2]")], 16),
    ("a misspelt section", &[("processes:", "proceses:")], 14),
    ("a misspelt section of topology", &[("  links:", "  lnks:")], 8),
    ("a capital letter", &[("topology:", "Topology:")], 2),
    ("no unit", &[("delay: 5ms", "delay: 5")], 10),
    ("a word for a number", &[("exit: 0", "exit: zero")], 25),
];

fn findings(text: &str) -> Diagnostics {
    load(text).expect_err("a mistake was accepted")
}

fn mistaken(replaced: &[(&str, &str)]) -> String {
    replaced.iter().fold(LAB.to_owned(), |text, (what, with)| {
        assert!(text.contains(what), "{what}");
        text.replacen(what, with, 1)
    })
}

#[test]
fn the_first_finding_is_in_the_line_of_the_mistake() {
    load(LAB).unwrap();
    let mut wrong = Vec::new();
    for (name, replaced, line) in MISTAKES {
        let found = findings(&mistaken(replaced));
        let first = found.iter().next().unwrap();
        let is_first = first.span.line == *line && first.severity == Severity::Error;
        if !is_first || found.iter().count() > 3 {
            wrong.push(format!("{name}, in line {line}:\n{found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The number of findings does not grow with what refers to the section that is in the wrong place.
#[test]
fn what_follows_from_the_shape_is_left_out() {
    let links = (0..30).map(|n| format!("  - {{ at: {n}s, link: pc1--r1, state: up }}\n"));
    let many = LAB.replace("timeline:\n", &format!("timeline:\n{}", links.collect::<String>()));
    let broken = many.replace("  links:\n", "links:\n");
    let found = findings(&broken);
    assert_eq!(found.iter().count(), 1, "{found}");
    let shown = found.render("lab.yaml", &broken);
    assert!(shown.contains("`links` belongs under `topology`"), "{shown}");
    assert!(shown.contains("other checks come once this is mended"), "{shown}");
    // Where nothing is out of place, all is found in one pass.
    let found = findings(&many.replace("pc1--r1", "pc1--r2").replace("10ms", "10"));
    assert_eq!(found.error_count(), 32, "{found}");
}

/// What people write in commands is not taken for a mistake of YAML.
#[test]
fn commands_are_not_suspected() {
    let text =
        LAB.replace("ping -c 3 pc2", "test -e x && [ -f y || x=1").replace("5ms", "5ms\n   x");
    let found = findings(&text);
    let first = found.iter().next().unwrap();
    assert!((10..=11).contains(&first.span.line), "{found}");
}
