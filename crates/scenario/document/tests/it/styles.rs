//! Edits keep the style of what they change.

use netloom_document::{Document, Step, Value};

use crate::support::read;

/// Parses a path like `links.0.rate`.
fn path(text: &str) -> Vec<Step> {
    let step = |part: &str| part.parse().map_or_else(|_| Step::from(part), Step::Index);
    text.split('.').filter(|part| !part.is_empty()).map(step).collect()
}

fn value(text: &str) -> Value {
    read(text).value(&[]).unwrap()
}

/// Edits a text by lines like `set PATH = VALUE`, `insert PATH = VALUE` and `remove PATH`.
fn edited(text: &str, edits: &str) -> String {
    let mut document = read(text);
    for edit in edits.lines() {
        carry_out(&mut document, edit).unwrap_or_else(|error| panic!("{edit}: {error}"));
    }
    document.text().to_owned()
}

pub fn carry_out(document: &mut Document, edit: &str) -> Result<(), String> {
    let (verb, rest) = edit.split_once(' ').unwrap();
    let (at, new) = rest.split_once(" = ").unwrap_or((rest, "~"));
    let done = match verb {
        "set" => document.set(&path(at), &value(new)),
        "insert" => document.insert(&path(at), &value(new)),
        _ => document.remove(&path(at)),
    };
    done.map_err(|error| error.message)
}

const TEXT: &str = "\
# A network.
name: \"two\"   # in quotes

topology:
  nodes:
    a:            # a host
    r: {kind: router, mtu: 1500}
  links:
  # the first
  - endpoints: [a, r]
    delay:   5ms  # slow
  # the second
  - {endpoints: ['a', 'r'], rate: 1Mbit/s}
processes:
  - name: p
    command: |
      ping b   # no comment

      true
    keep: [
      /a, # first
      /b  # second
    ]
";

#[test]
fn a_value_is_replaced_where_it_is() {
    let cases = [
        (
            "set topology.links.0.delay = 7ms",
            "    delay:   5ms  # slow",
            "    delay:   7ms  # slow",
        ),
        ("set name = three", "name: \"two\"   # in", "name: \"three\"   # in"),
        ("set topology.links.1.endpoints.0 = b", "['a', 'r']", "['b', 'r']"),
        ("set topology.links.1.endpoints.0 = \"it's\"", "['a', 'r']", "['it''s', 'r']"),
        ("set topology.nodes.r.mtu = [1, {x: 2}]", "mtu: 1500}", "mtu: [1, {x: 2}]}"),
        ("set topology.nodes.a = 1", "    a:            # a", "    a: 1            # a"),
        ("set topology.nodes.r = {kind: host}", "{kind: router, mtu: 1500}", "{kind: host}"),
        (
            "set processes.0.command = true",
            "command: |\n      ping b   # no comment\n\n      true\n",
            "command: true\n",
        ),
        (
            "set topology.links.0.delay = {a: 1, b: {c: 2}}",
            "    delay:   5ms  # slow\n",
            "    delay:  # slow\n      a: 1\n      b:\n        c: 2\n",
        ),
        (
            "set topology.links = none",
            "  links:\n  # the first\n  - endpoints: [a, r]\n    delay:   5ms  # slow\n  \
             # the second\n  - {endpoints: ['a', 'r'], rate: 1Mbit/s}\n",
            "  links: none\n  # the first\n",
        ),
        (
            "set topology.links.0 = {x: 1, y: 2}",
            "  - endpoints: [a, r]\n    delay:   5ms  # slow\n",
            "  - x: 1\n    y: 2\n",
        ),
        (
            "set topology.links.0 = x",
            "  - endpoints: [a, r]\n    delay:   5ms  # slow\n",
            "  - x\n",
        ),
    ];
    for (edit, old, new) in cases {
        assert!(TEXT.contains(old), "{old}");
        assert_eq!(edited(TEXT, edit), TEXT.replacen(old, new, 1), "{edit}");
    }
}

#[test]
fn what_is_inserted_has_the_style_of_its_neighbours() {
    let cases = [
        (
            "insert topology.nodes.b = {kind: host}",
            "    r: {kind: router, mtu: 1500}\n",
            "    r: {kind: router, mtu: 1500}\n    b:\n      kind: host\n",
        ),
        ("insert topology.nodes.r.root = /srv", "mtu: 1500}", "mtu: 1500, root: /srv}"),
        (
            "insert topology.nodes.a.kind = host",
            "    a:            # a host\n",
            "    a:            # a host\n      kind: host\n",
        ),
        (
            "insert topology.links.0 = {endpoints: [x, y]}",
            "  # the first\n  - endpoints: [a, r]",
            "  # the first\n  - endpoints: [x, y]\n  - endpoints: [a, r]",
        ),
        (
            "insert topology.links.1 = x",
            "    delay:   5ms  # slow\n  # the second\n",
            "    delay:   5ms  # slow\n  - x\n  # the second\n",
        ),
        ("insert topology.links.2 = x", "rate: 1Mbit/s}\n", "rate: 1Mbit/s}\n  - x\n"),
        ("insert topology.links.1.endpoints.1 = x", "['a', 'r']", "['a', x, 'r']"),
        ("insert processes.0.keep.2 = /c", "/b  # second", "/b, /c  # second"),
        ("insert seed = 7", "    ]\n", "    ]\nseed: 7\n"),
    ];
    for (edit, old, new) in cases {
        assert!(TEXT.contains(old), "{old}");
        assert_eq!(edited(TEXT, edit), TEXT.replacen(old, new, 1), "{edit}");
    }
}

#[test]
fn what_is_removed_takes_its_lines_along_and_no_other() {
    let cases = [
        ("remove topology.nodes.a", "    a:            # a host\n", ""),
        ("remove topology.nodes.r.kind", "{kind: router, mtu: 1500}", "{mtu: 1500}"),
        ("remove topology.nodes.r.mtu", "{kind: router, mtu: 1500}", "{kind: router}"),
        ("remove topology.links.0.endpoints", "  - endpoints: [a, r]\n    delay", "  - delay"),
        ("remove topology.links.0.delay", "    delay:   5ms  # slow\n", ""),
        ("remove topology.links.0", "  - endpoints: [a, r]\n    delay:   5ms  # slow\n", ""),
        ("remove processes.0.keep.0", "      /a, # first\n", ""),
        ("remove processes.0.keep.1", "      /b  # second\n", ""),
        (
            "remove processes.0.command",
            "    command: |\n      ping b   # no comment\n\n      true\n",
            "",
        ),
        ("remove name", "name: \"two\"   # in quotes\n", ""),
    ];
    for (edit, old, new) in cases {
        assert!(TEXT.contains(old), "{old}");
        assert_eq!(edited(TEXT, edit), TEXT.replacen(old, new, 1), "{edit}");
    }
    let all = "remove topology.nodes.a\nremove topology.nodes.r\nremove topology.links.0\n\
               remove topology.links.0";
    assert!(
        edited(TEXT, all).contains("topology:\n  nodes: {}\n  links: []\n"),
        "{}",
        edited(TEXT, all)
    );
}

#[test]
fn line_breaks_stay_what_they_are() {
    let dos = TEXT.replace('\n', "\r\n");
    let edits = "set topology.links.0.delay = {a: 1}\ninsert topology.nodes.b = 1\n\
                 insert topology.links.0 = {x: 1}\nremove topology.nodes.a";
    assert_eq!(edited(&dos, edits), edited(TEXT, edits).replace('\n', "\r\n"));
    assert_eq!(edited("a: 1", "insert b = 2"), "a: 1\nb: 2");
    assert_eq!(edited("a: 1\nb: 2", "remove b"), "a: 1");
    assert_eq!(edited("a: 1\n", "remove a"), "{}\n");
    assert_eq!(edited("{}", "insert a = 1"), "{a: 1}");
}

#[test]
fn an_indented_comment_does_not_become_text() {
    let text = "a: 1\n  # about nothing\n";
    let mut document = read(text);
    document.set(&path("a"), &Value::from("one\ntwo\n")).unwrap();
    assert_eq!(document.text(), "a: \"one\\ntwo\\n\"\n  # about nothing\n");
    document.insert(&path("b"), &Value::from("one\ntwo\n")).unwrap();
    assert_eq!(document.text(), "a: \"one\\ntwo\\n\"\nb: \"one\\ntwo\\n\"\n  # about nothing\n");
}

#[test]
fn comments_have_places() {
    let document = read(TEXT);
    let comments: Vec<(usize, usize, String, bool)> = document
        .comments()
        .into_iter()
        .map(|comment| (comment.span.line, comment.span.column, comment.text, comment.is_alone))
        .collect();
    let texts: Vec<&str> = comments.iter().map(|comment| comment.2.as_str()).collect();
    assert_eq!(
        texts,
        [
            "# A network.",
            "# in quotes",
            "# a host",
            "# the first",
            "# slow",
            "# the second",
            "# first",
            "# second",
        ]
    );
    assert_eq!((comments[0].0, comments[0].1, comments[0].3), (1, 1, true));
    assert_eq!((comments[1].0, comments[1].1, comments[1].3), (2, 15, false));
}
