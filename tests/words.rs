//! Messages of commands whose users probably mean something else.

mod common;

use common::{Lab, rewrite, text};

#[test]
fn a_change_says_what_it_leaves_without_effect() {
    let lab = Lab::pair(", rate: 10Mbit/s, burst: 20kB, queue: { limit: 50kB }");
    lab.ok(&["deploy"]);
    let set = |what: &str| text(&lab.netloom(&["set", &format!("a--b@{}", lab.name), what]).stderr);
    assert!(!set("delay=1ms").contains("no effect"));
    let said = set("rate=unlimited");
    assert!(said.contains("`burst` has no effect now"), "{said}");
    assert!(said.contains("`queue.limit` has no effect now"), "{said}");
    // It was so before.
    assert!(!set("delay=2ms").contains("no effect"));
}

#[test]
fn words_of_other_tools_are_understood_and_answered() {
    let lab = Lab::new("topology: { nodes: { a: { image: alpine } } }\n");
    let (_, said) = lab.fails(&["validate"]);
    assert!(said.contains("did you mean `root`?"), "{said}");
    let pair = |rest: &str| {
        format!("topology: {{ nodes: {{ a: , b: }}, links: [{{ endpoints: {rest} }}] }}\n")
    };
    rewrite(&lab, &pair("[a, b], loss: 0.01"));
    let (_, said) = lab.fails(&["validate"]);
    assert!(said.contains("`1%` for the fraction 0.01, or `0.01%`"), "{said}");
    rewrite(&lab, &pair("a b"));
    let (_, said) = lab.fails(&["validate"]);
    assert!(said.contains("expected a list, like `[a, b]`"), "{said}");
}
