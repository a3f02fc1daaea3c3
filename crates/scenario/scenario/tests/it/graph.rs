//! Scenarios as drawings.

use std::fs;
use std::path::Path;

use netloom_scenario::{Scenario, graph, load};

fn good(name: &str) -> Scenario {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/good").join(name);
    load(&fs::read_to_string(path).unwrap()).unwrap().scenario
}

#[test]
fn dot_names_nodes_by_kind_and_links_by_what_they_do() {
    let text = graph::dot(&good("lan.yaml"));
    for line in [
        "graph \"lan\" {",
        "  \"switch\" [shape=hexagon];",
        "  \"alice\" [shape=box];",
        "  \"gateway\" [shape=ellipse];",
        "  \"alice\" -- \"switch\" [label=\"1Gbit/s\"];",
        "  \"gateway\" -- \"server\" [label=\"5ms\"];",
    ] {
        assert!(text.lines().any(|own| own == line), "{line} is not in\n{text}");
    }
}

#[test]
fn mermaid_is_a_flowchart() {
    assert_eq!(
        graph::mermaid(&good("hello.yaml")),
        "graph LR\n  n0[\"a\"]\n  n1[\"b\"]\n  n0 ---|\"100Mbit/s 10ms\"| n1\n"
    );
}

#[test]
fn directions_that_differ_are_both_told() {
    let text = graph::dot(&good("everything.yaml"));
    let label = "→ 20Mbit/s 5ms loss 0.1% ← 10Mbit/s 5ms loss 1%";
    assert!(text.contains(label), "{text}");
}

#[test]
fn direct_links_are_dashed_and_named() {
    let scenario = good("direct.yaml");
    let dot = graph::dot(&scenario);
    assert!(dot.contains("\"a\" -- \"r\" [label=\"direct\", style=dashed];"), "{dot}");
    assert_eq!(dot.matches("dashed").count(), 1, "{dot}");
    let mermaid = graph::mermaid(&scenario);
    assert!(mermaid.contains("n0 -.-|\"direct\"| n1"), "{mermaid}");
    let image = graph::svg(&scenario);
    assert_eq!(image.matches("<g class=\"link direct\">").count(), 1);
    assert!(image.contains(">direct</text>"), "{image}");
}

#[test]
fn svg_shows_every_node_and_link() {
    for name in ["abilene.yaml", "everything.yaml", "hello.yaml"] {
        let scenario = good(name);
        let image = graph::svg(&scenario);
        assert_eq!(image.matches("<g class=\"link\">").count(), scenario.links.len());
        assert_eq!(image.matches("<g class=\"node ").count(), scenario.nodes.len());
        for node in &scenario.nodes {
            assert!(image.contains(&format!(">{}</text>", node.name)), "{}", node.name);
        }
        assert_eq!(image.matches("<g ").count(), image.matches("</g>").count());
        assert!(!image.contains("NaN") && !image.contains("inf"), "{image}");
        assert_eq!(image, graph::svg(&scenario), "the same drawing every time");
    }
}
