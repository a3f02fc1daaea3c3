//! Drawings of scenarios.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use netloom_drawing as drawing;
use netloom_scenario::{Scenario, load};
use netloom_units::Duration;

fn good(name: &str) -> Scenario {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../scenario/tests/good").join(name);
    load(&fs::read_to_string(path).unwrap()).unwrap().scenario
}

#[test]
fn dot_shows_kinds_of_nodes_and_properties_of_links() {
    let text = drawing::dot(&good("lan.yaml"));
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
        drawing::mermaid(&good("hello.yaml")),
        "graph LR\n  n0[\"a\"]\n  n1[\"b\"]\n  n0 ---|\"100Mbit/s 10ms\"| n1\n"
    );
}

#[test]
fn directions_that_differ_are_both_shown() {
    let text = drawing::dot(&good("everything.yaml"));
    let label = "→ 20Mbit/s 5ms loss 0.1% ← 10Mbit/s 5ms loss 1%";
    assert!(text.contains(label), "{text}");
}

#[test]
fn direct_links_are_dashed_and_named() {
    let scenario = good("direct.yaml");
    let dot = drawing::dot(&scenario);
    assert!(dot.contains("\"a\" -- \"r\" [label=\"direct\", style=dashed];"), "{dot}");
    assert_eq!(dot.matches("dashed").count(), 1, "{dot}");
    let mermaid = drawing::mermaid(&scenario);
    assert!(mermaid.contains("n0 -.-|\"direct\"| n1"), "{mermaid}");
    let image = drawing::svg(&scenario);
    assert_eq!(image.matches("<g class=\"link direct\">").count(), 1);
    assert!(image.contains(">direct</text>"), "{image}");
}

#[test]
fn svg_shows_every_node_and_link() {
    for name in ["abilene.yaml", "everything.yaml", "hello.yaml"] {
        let scenario = good(name);
        let image = drawing::svg(&scenario);
        assert_eq!(image.matches("<g class=\"link\">").count(), scenario.links.len());
        assert_eq!(image.matches("<g class=\"node ").count(), scenario.nodes.len());
        for node in &scenario.nodes {
            assert!(image.contains(&format!(">{}</text>", node.name)), "{}", node.name);
        }
        assert_eq!(image.matches("<g ").count(), image.matches("</g>").count());
        assert!(!image.contains("NaN") && !image.contains("inf"), "{image}");
        assert_eq!(image, drawing::svg(&scenario), "the same drawing every time");
    }
}

/// Returns the numbers that follow `key` in `text`.
fn numbers(text: &str, key: &str) -> Vec<f64> {
    let found = text.split(key).skip(1).filter_map(|rest| rest.split('"').next()?.parse().ok());
    found.collect()
}

#[test]
fn a_drawing_at_a_time_shows_positions_and_which_stations_hear_each_other() {
    let text = "
name: x
topology:
  media:
    air: { propagation: { range: { reach: 100m } }, members: [a, b, c] }
  nodes:
    a: { position: [0m, 0m] }
    b: { position: [50m, 0m] }
    c: { kind: router, position: [300m, 0m] }
    wired:
  links: [{ endpoints: [c, wired] }]
timeline:
  - { at: 10s, node: c, move: { to: [130m, 0m], speed: 10m/s } }
  - { at: 40s, node: b, radio: off }
  - { at: 50s, link: wired--c, state: down }
"
    .replace("wired--c", "c--wired");
    let scenario = load(&text).unwrap_or_else(|bad| panic!("{}", bad.render("x", &text))).scenario;
    let heard = |seconds| {
        let image = drawing::svg_at(&scenario, Duration::from_secs(seconds)).unwrap();
        let lines = |class: &str| image.matches(&format!("<g class=\"{class}\">")).count();
        (lines("hears"), lines("link"), image.matches("class=\"reach\"").count())
    };
    // After 17 s, b is near enough. From 40 s on, b is off, and then its link is cut.
    assert_eq!(heard(0), (1, 1, 3));
    assert_eq!(heard(24), (1, 1, 3));
    assert_eq!(heard(27), (2, 1, 3));
    assert_eq!(heard(45), (0, 1, 2));
    assert_eq!(heard(55), (0, 0, 2));
    let image = drawing::svg_at(&scenario, Duration::from_secs(27)).unwrap();
    // c is 130 m from a, which is 1.3 times the reach on paper.
    let (x, r) = (numbers(&image, "cx=\""), numbers(&image, "r=\""));
    assert!(((x[2] - x[0]) / r[0] - 1.3).abs() < 0.01, "{x:?} {r:?}");
    let dot = drawing::dot_at(&scenario, Duration::from_secs(27)).unwrap();
    assert!(dot.contains("\"b\" -- \"c\" [style=dotted];"), "{dot}");
    assert!(dot.contains("\"wired\" [shape=box, pos="), "{dot}");
    assert!(!dot.contains("\"air\""), "{dot}");
    let error = drawing::svg_at(&good("hello.yaml"), Duration::ZERO).unwrap_err();
    assert!(error.contains("give nodes on shared media a `position`"), "{error}");
}

#[test]
fn satellites_are_on_a_map() {
    let text = "
name: x
duration: 60s
topology:
  nodes: {}
  constellations:
    sky:
      walker:
        { inclination: 86.4deg, planes: 6, satellites: 66, phasing: 2, altitude: 780km, star: true }
      ground: { here: { lat: 45, lon: 90, elevation: 8.2deg } }
";
    let scenario = load(text).unwrap_or_else(|bad| panic!("{}", bad.render("x", text))).scenario;
    let image = drawing::svg_at(&scenario, Duration::from_secs(30)).unwrap();
    assert_eq!(image.matches("class=\"node satellite\"").count(), 66);
    // 1440 pixels around the Earth, and 720 from pole to pole.
    assert!(image.contains("<ellipse cx=\"1080.0\" cy=\"180.0\""), "{image}");
    // 121 links between satellites, one to the ground, and again those that leave the map.
    let lines = image.matches("<g class=\"link\">").count();
    assert!((122..160).contains(&lines), "{lines}");
    assert_eq!(image, drawing::svg_at(&scenario, Duration::from_secs(30)).unwrap());
    let later = drawing::svg_at(&scenario, Duration::from_secs(31)).unwrap();
    assert_ne!(image, later);
}

/// What most of many links have in common is said once.
#[test]
fn the_usual_label_is_below_the_drawing() {
    let link =
        |n: usize, rate: &str| format!("    - {{ endpoints: [r{n}, r{}], rate: {rate} }}\n", n + 1);
    let network = |rates: &[&str]| {
        let nodes: String =
            (0..=rates.len()).map(|n| format!("    r{n}: {{ kind: router }}\n")).collect();
        let links: String = rates.iter().enumerate().map(|(n, rate)| link(n, rate)).collect();
        let text = format!("name: x\ntopology:\n  nodes:\n{nodes}  links:\n{links}");
        drawing::svg(&load(&text).unwrap().scenario)
    };
    let shown = |image: &str, text: &str| image.matches(&format!(">{text}</text>")).count();
    let (slow, fast) = ("10Mbit/s", "1Gbit/s");
    let most = network(&[slow, slow, slow, slow, fast, slow]);
    assert!(most.contains("links without a label: 10Mbit/s"), "{most}");
    assert_eq!((shown(&most, slow), shown(&most, fast)), (0, 1));
    for rates in [&[slow, slow, slow, fast, fast, fast][..], &[slow, slow, fast]] {
        let image = network(rates);
        assert!(!image.contains("without a label"), "{image}");
        assert_eq!(shown(&image, slow) + shown(&image, fast), rates.len());
    }
}

#[test]
fn links_are_drawn_by_what_they_carried() {
    let scenario = good("everything.yaml");
    let all =
        |carried: drawing::Carried| drawing::svg_of_run(&scenario, &BTreeMap::new(), |_| carried);
    let links = scenario.links.iter().filter(|link| !link.direct).count();
    for (load, down, class) in [
        (None, false, "link"),
        (Some(0.09), false, "link"),
        (Some(0.1), false, "link load-1"),
        (Some(0.6), false, "link load-2"),
        (Some(1.0), false, "link load-3"),
        (Some(1.0), true, "link down"),
    ] {
        let image = all(drawing::Carried { load, down });
        assert_eq!(image.matches(&format!("<g class=\"{class}\">")).count(), links, "{class}");
    }
}

#[test]
fn nodes_of_a_machine_are_framed_and_links_between_machines_are_dashed() {
    let scenario = good("hello.yaml");
    let drawn = |machines: &[(&str, &str)]| {
        let placement = machines.iter().map(|(node, on)| ((*node).into(), (*on).into())).collect();
        drawing::svg_of_run(&scenario, &placement, |_| drawing::Carried::default())
    };
    assert_eq!(drawn(&[]), drawing::svg(&scenario));
    let two = drawn(&[("a", "m1"), ("b", "<m2>")]);
    assert_eq!(two.matches("<g class=\"machine\">").count(), 2, "{two}");
    assert!(two.contains(">&lt;m2&gt;</text>") && two.contains("<g class=\"link cut\">"), "{two}");
    let one = drawn(&[("a", "m1"), ("b", "m1")]);
    assert_eq!(one.matches("<g class=\"machine\">").count(), 1, "{one}");
    assert!(!one.contains("link cut"), "{one}");
}

/// The places of nodes in an image, by name: the first coordinates after each `<g class="node`.
fn places(image: &str) -> BTreeMap<String, [f64; 2]> {
    let nodes = image.split("<g class=\"node ").skip(1);
    let place = |node: &str| {
        let text = node.split("<text ").nth(1)?;
        let name = text.split(['>', '<']).nth(1)?.to_owned();
        Some((name, [numbers(text, "x=\"")[0], numbers(text, "y=\"")[0]]))
    };
    nodes.filter_map(place).collect()
}

#[test]
fn nodes_are_drawn_at_positions_of_the_scenario() {
    let text = "
name: x
topology:
  nodes: { a: , b: , c: , d: , lone: }
  links: [{ endpoints: [a, b] }, { endpoints: [b, c] }, { endpoints: [c, d] }]
drawing: { positions: { a: [0, 0], b: [0, 100], c: [50, 100] } }
";
    let scenario = load(text).unwrap_or_else(|bad| panic!("{}", bad.render("x", text))).scenario;
    let at = places(&drawing::svg(&scenario));
    assert_eq!(at.len(), 5, "{at:?}");
    // Taller than wide, and not turned: b is below a, c to the right of b.
    assert!(at["a"][0] == at["b"][0] && at["b"][1] - at["a"][1] > 50.0, "{at:?}");
    assert!(at["b"][1] == at["c"][1], "{at:?}");
    let share = (at["c"][0] - at["b"][0]) / (at["b"][1] - at["a"][1]);
    assert!((share - 0.5).abs() < 0.01, "{at:?}");
    // d is a link's length from its neighbour; what has no link is below all.
    assert!(at["lone"][1] > at["b"][1], "{at:?}");
    let dot = drawing::dot(&scenario);
    assert_eq!(dot.matches("!\"];").count(), 5, "{dot}");
    let north = text.replace(
        "a: [0, 0], b: [0, 100], c: [50, 100]",
        "a: { lat: 50, lon: 8 }, b: { lat: 51, lon: 8 }",
    );
    let scenario =
        load(&north).unwrap_or_else(|bad| panic!("{}", bad.render("x", &north))).scenario;
    let at = places(&drawing::svg(&scenario));
    assert!(at["b"][1] < at["a"][1], "north is at the top: {at:?}");
}

#[test]
fn nodes_on_media_are_drawn_at_their_position() {
    let text = "
name: x
topology:
  media: { air: { propagation: { range: { reach: 500m } }, members: [a, b, c] } }
  nodes:
    a: { position: [0m, 0m] }
    b: { position: [100m, 0m] }
    c: { position: [0m, 200m] }
";
    let scenario = load(text).unwrap_or_else(|bad| panic!("{}", bad.render("x", text))).scenario;
    let at = places(&drawing::svg(&scenario));
    assert!(at["c"][1] < at["a"][1] && at["b"][0] > at["a"][0], "{at:?}");
    let share = (at["b"][0] - at["a"][0]) / (at["a"][1] - at["c"][1]);
    assert!((share - 0.5).abs() < 0.01, "{at:?}");
    // A position on paper wins over the one in the air.
    let moved = format!("{text}drawing: {{ positions: {{ c: [0, 200] }} }}\n");
    let scenario =
        load(&moved).unwrap_or_else(|bad| panic!("{}", bad.render("x", &moved))).scenario;
    let at = places(&drawing::svg(&scenario));
    assert!(at["c"][1] > at["a"][1], "{at:?}");
}
