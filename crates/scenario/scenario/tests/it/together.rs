//! Scenarios that several files make up.

use netloom_scenario::Unreadable;
use netloom_scenario::{Diagnostics, Loaded, load_all};

fn together(texts: &[&str]) -> Result<Loaded, Diagnostics> {
    load_all(texts, &mut |_: &str| Err(Unreadable::because("no files here")))
}

const LAB: &str = "name: lab\n\
                   topology: { nodes: { a: , b: }, links: [{ endpoints: [a, b], delay: 5ms }] }\n\
                   processes: [{ name: own, node: a, command: w }]\n\
                   duration: 10s";

#[test]
fn lists_come_behind_and_keys_join() {
    let check = "processes: [{ name: check, node: b, command: w }]\n\
                 expect: [{ process: check, exit: 0 }]\n\
                 topology: { nodes: { c: }, links: [{ endpoints: [b, c] }] }\n";
    let Loaded { scenario, warnings } = together(&[LAB, check]).unwrap();
    assert!(warnings.is_empty(), "{warnings}");
    let names: Vec<&str> = scenario.processes.iter().map(|process| &*process.name).collect();
    assert_eq!(names, ["own", "check"]);
    assert_eq!(scenario.size().to_string(), "3 nodes and 2 links");
    assert_eq!(scenario.expect.len(), 1);
}

/// Links are a list, so a value of one is changed by the timeline, as the error says.
#[test]
fn a_named_link_is_changed_by_the_timeline_of_a_later_file() {
    let lab = LAB.replace("endpoints", "name: l, endpoints");
    let again = "topology: { links: [{ name: l, endpoints: [a, b], delay: 9ms }] }";
    let refused = together(&[&lab, again]).unwrap_err();
    let refused = refused.render_all(&[("lab.yaml", &*lab), ("vary.yaml", again)]);
    let vary = "timeline: [{at: 0s, link: l, set: {delay: 9ms}}]";
    assert!(refused.contains(&vary.replace("delay: 9ms", "…")), "{refused}");
    let Loaded { scenario, warnings } = together(&[&lab, vary]).unwrap();
    assert!(warnings.is_empty(), "{warnings}");
    assert_eq!(scenario.timeline.len(), 1);
    let node = together(&[&lab, "topology: { nodes: { a: { env: { N: x } } } }"]).unwrap();
    assert!(node.warnings.is_empty() && node.scenario.links.len() == 1);
}

#[test]
fn a_value_that_both_have_is_that_of_the_later_file_and_it_is_said() {
    let Loaded { scenario, warnings } = together(&[LAB, "\nduration: 3s\n"]).unwrap();
    assert_eq!(scenario.duration.unwrap().to_string(), "3s");
    let said = warnings.render_all(&[("lab.yaml", LAB), ("check.yaml", "\nduration: 3s\n")]);
    assert!(said.contains("`duration` replaces that of a file before"), "{said}");
    assert!(said.contains("--> check.yaml:2:11") && said.contains("::: lab.yaml:4:11"), "{said}");
}

#[test]
fn errors_name_the_file_and_its_own_lines() {
    for (check, place) in [
        ("\n\nexpect: [{ process: nobody, exit: 0 }]\n", "check.yaml:3:"),
        ("# a comment\nexpect: [{\n", "check.yaml:"),
    ] {
        let errors = together(&[LAB, check]).unwrap_err();
        let said = errors.render_all(&[("lab.yaml", LAB), ("check.yaml", check)]);
        assert!(said.contains(place) && !said.contains("lab.yaml:5"), "{said}");
    }
    let wrong = LAB.replace("delay", "dealy");
    let said = together(&[&wrong, "duration: 3s\n"]).unwrap_err();
    let said = said.render_all(&[("lab.yaml", &wrong), ("check.yaml", "duration: 3s\n")]);
    assert!(said.contains("lab.yaml:2:"), "{said}");
    assert!(said.contains("lab.yaml with check.yaml: 1 error"), "{said}");
}
