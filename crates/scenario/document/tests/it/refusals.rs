//! Edits that are impossible are refused with their reasons, and change nothing.

use crate::styles::carry_out;
use crate::support::read;

const TEXT: &str = "\
fast: &fast
  rate: 1Gbit/s
  queue: {limit: 10ms}
a: *fast
b:
  <<: *fast
  delay: 1ms
list: [1, 2]
";

#[test]
fn impossible_edits_say_why() {
    let cases = [
        ("set a.rate = 1", "cannot set `a.rate`: `*fast` is an alias, and what it stands for"),
        ("insert a.loss = 1", "cannot insert `a.loss`: `*fast` is an alias"),
        ("remove a.queue.limit", "cannot remove `a.queue.limit`: `*fast` is an alias"),
        ("set b.rate = 1", "cannot set `b.rate`: `rate` comes from the merge key"),
        ("remove fast", "cannot remove `fast`: its anchor `&fast` is used elsewhere"),
        ("set c = 1", "cannot set `c`: this mapping has no `c`"),
        ("insert a = 1", "cannot insert `a`: this mapping has `a` already"),
        ("set list.7 = 1", "cannot set `list[7]`: the list has 2 elements, and none at 7"),
        ("insert list.3 = 1", "cannot insert `list[3]`: the list has 2 elements"),
        ("set list.x = 1", "there is no mapping here that could have `x`"),
        ("set b.0 = 1", "there is no list here that could have an element 0"),
        ("insert b.delay.x = 1", "cannot insert `b.delay.x`: this is no mapping"),
        ("remove ", "cannot remove the document: it is the whole document"),
    ];
    for (edit, reason) in cases {
        let mut document = read(TEXT);
        let message = carry_out(&mut document, edit).expect_err(edit);
        assert!(message.contains(reason), "{edit}: {message}");
        assert_eq!(document.text(), TEXT);
    }
}

#[test]
fn aliases_can_be_replaced_and_what_they_stand_for_changed() {
    let mut document = read(TEXT);
    for edit in ["set fast.rate = 2Gbit/s", "set a = 5", "insert b.rate = 3", "set b.delay = 2ms"] {
        carry_out(&mut document, edit).unwrap();
    }
    let expected = TEXT
        .replace("1Gbit/s", "2Gbit/s")
        .replace("a: *fast", "a: 5")
        .replace("  delay: 1ms\n", "  delay: 2ms\n  rate: 3\n");
    assert_eq!(document.text(), expected);
}
