//! Whatever users write of machines and of placements is read or refused with reasons, and what is
//! read keeps its promises: names are there once, and a placement is written as the same one.
//!
//! The first byte of an input says what the text behind it is.
#![no_main]

use std::collections::BTreeSet;

use libfuzzer_sys::fuzz_target;
use netloom_placement::{Machines, WrittenPlacement};

fn check(machines: &Machines) {
    let names: BTreeSet<String> =
        machines.names().iter().map(|name| name.to_ascii_lowercase()).collect();
    assert!(!names.is_empty() && names.len() == machines.list.len(), "{names:?}");
    let bounds = machines.assumed_bounds();
    assert_eq!(bounds.pairs().count(), names.len() * (names.len() - 1));
}

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, Ok(text))) =
        bytes.split_first().map(|(kind, text)| (kind, std::str::from_utf8(text)))
    else {
        return;
    };
    match kind % 3 {
        0 => match Machines::local(&format!("local:{text}")) {
            Some(Ok(machines)) => check(&machines),
            Some(Err(why)) => assert!(!why.is_empty()),
            None => panic!("it begins as machines on this one do"),
        },
        1 => match Machines::parse(text) {
            Ok(machines) => check(&machines),
            Err(findings) => assert!(!findings.to_string().is_empty()),
        },
        _ => match WrittenPlacement::parse(text) {
            Ok(placement) => {
                let written = serde_json::to_string(&placement).expect("it is plain data");
                let again = WrittenPlacement::parse(&written);
                assert_eq!(again.map_err(|error| error.to_string()), Ok(placement));
            }
            Err(findings) => assert!(!findings.to_string().is_empty()),
        },
    }
});
