//! A template that somebody wrote can do no more than fail: not end the engine, not fill its
//! memory, not keep it busy for ever.

mod common;

use std::fs;

use common::{Lab, rewrite};

/// A scenario whose node `c` has a service of the template `mine.yaml`.
const MINE: &str = "topology:
  nodes: { a: , b: , c: { services: { s: { template: mine.yaml } } } }
  links: [{ endpoints: [a, b] }, { endpoints: [c, b] }]
";

fn template(lab: &Lab, content: &str) {
    let content = serde_json::to_string(content).unwrap();
    let text =
        format!("files: {{ /run/x/f: {{ content: {content} }} }}\ncommand: [sleep, '1000']\n");
    fs::write(lab.path("mine.yaml"), text).unwrap();
}

/// Texts that a process may die of, and what is said of them.
fn hostile() -> Vec<(&'static str, String)> {
    let loops = "{% for a in range(50000) %}{% for b in range(50000) %}{% endfor %}{% endfor %}";
    let doubled = "{% set n = namespace(x='xxxxxxxxxxxxxxxx') %}{% for i in range(40) %}\
                   {% set n.x = n.x ~ n.x %}{% endfor %}{{ n.x }}";
    vec![
        ("nests too deep", format!("{{{{ {}1 }}}}", "-".repeat(50_000))),
        ("recursion limits", "{% if 1 %}".repeat(50_000)),
        ("nests too deep", format!("{{{{ 1{} }}}}", "+1".repeat(400_000))),
        ("memory", "{{ 'x' | indent(999999999999) }}".into()),
        ("memory", doubled.into()),
        ("out of fuel", loops.into()),
        (
            "longer than 16 MiB",
            "{% for a in range(99999) %}".to_owned() + &"x".repeat(300) + "{% endfor %}",
        ),
    ]
}

#[test]
fn a_hostile_template_leaves_the_live_network_alone() {
    let lab = Lab::deployed("topology: { nodes: { a: , b: }, links: [{ endpoints: [a, b] }] }\n");
    let engine = lab.engine_pid();
    lab.sh("a", "touch /run/alive");
    rewrite(&lab, MINE);
    for (reason, text) in hostile() {
        template(&lab, &text);
        let (_, error) = lab.fails(&["apply", "--dry-run"]);
        let shown: String = error.chars().take(500).collect();
        assert!(error.contains("node `c`, service `s`"), "{shown}");
        assert!(error.contains(reason), "{reason}: {shown}");
        assert_eq!(lab.engine_pid(), engine);
    }
    lab.sh("a", "test -e /run/alive");
    // Good ones are filled in as ever, and can be applied.
    template(&lab, "{{ node.name }} {% for i in interfaces %}{{ i.name }}{% endfor %}");
    lab.ok(&["apply"]);
    assert_eq!(lab.sh("c", "cat /run/x/f"), "c eth1");
    assert_eq!(lab.engine_pid(), engine);
}

#[test]
fn a_hostile_template_is_an_error_of_the_start() {
    let lab = Lab::new(MINE);
    for (reason, text) in hostile() {
        template(&lab, &text);
        let (_, error) = lab.fails(&["deploy"]);
        let shown: String = error.chars().take(500).collect();
        assert!(error.contains(reason), "{reason}: {shown}");
        assert_eq!(lab.remains(), [""; 0]);
    }
}
