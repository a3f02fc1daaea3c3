//! Edits of any text: one that is accepted reads back and leaves the text before and behind it, one
//! that is refused changes nothing; and what a text means is the same when it is written anew.

#![no_main]

use libfuzzer_sys::fuzz_target;
use netloom_document::{Dialect, Document, Step, Value, write};

/// Values that edits write.
const VALUES: [&str; 8] = ["10ms", "", "a: b", "one\ntwo\n", "- x", "true", "'", " é#"];

/// Takes a number below `end` from the data.
fn draw(data: &mut &[u8], end: usize) -> usize {
    let Some((first, rest)) = data.split_first() else { return 0 };
    *data = rest;
    usize::from(*first) % end.max(1)
}

fn value(data: &mut &[u8]) -> Value {
    let scalar = Value::from(VALUES[draw(data, VALUES.len())]);
    match draw(data, 4) {
        0 => Value::List(vec![scalar.clone(), Value::Mapping(vec![("k".into(), scalar)])]),
        1 => Value::Mapping(vec![("k".into(), scalar), ("n".into(), Value::Unsigned(7))]),
        2 => Value::Null,
        _ => scalar,
    }
}

/// Walks down from the whole document.
fn path(document: &Document, data: &mut &[u8]) -> Vec<Step> {
    let (mut path, mut node) = (Vec::new(), document.tree().root());
    for _ in 0..draw(data, 6) {
        let tree = document.tree();
        if let elements @ [_, ..] = tree.elements(node) {
            let index = draw(data, elements.len());
            path.push(index.into());
            node = elements[index];
        } else if let entries @ [_, ..] = tree.entries(node) {
            let (key, below) = entries[draw(data, entries.len())];
            path.push(tree.text(key).unwrap_or_default().into());
            node = below;
        }
    }
    path
}

fn edit(document: &mut Document, data: &mut &[u8]) {
    let before = document.text().to_owned();
    let mut path = path(document, data);
    let new = value(data);
    let (is_accepted, is_there) = match draw(data, 3) {
        0 => (document.set(&path, &new).is_ok(), true),
        1 => {
            path.push("new".into());
            (document.insert(&path, &new).is_ok(), true)
        }
        _ => (document.remove(&path).is_ok(), false),
    };
    if !is_accepted {
        assert_eq!(document.text(), before);
    } else if is_there {
        assert_eq!(document.value(&path).as_ref(), Some(&new), "{path:?} of\n{before}");
    }
}

fuzz_target!(|data: &[u8]| {
    // The end of the data says what is edited.
    let (text, mut edits) = data.split_at(data.len() - data.len().min(24));
    let Ok(text) = std::str::from_utf8(text) else { return };
    let Ok(mut document) = Document::read(text, &Dialect::PLAIN) else { return };
    assert_eq!(document.text(), text);
    document.comments();
    for _ in 0..3 {
        edit(&mut document, &mut edits);
    }
    let Some(whole) = document.value(&[]) else { return };
    let written = write(&whole);
    if let Ok(again) = Document::read(&written, &Dialect::PLAIN) {
        assert_eq!(again.value(&[]), Some(whole), "{written}");
    }
});
