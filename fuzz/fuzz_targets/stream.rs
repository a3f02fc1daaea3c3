//! The stream of bytes between a lead and a member: what a command prints before its member speaks,
//! the lines of both, and the archive of what a member has left. All of it is read or refused, what
//! is read is written as the same, and an archive leaves nothing outside of its directory.
//!
//! The first byte of an input says what the rest is.
#![no_main]

use std::fs;
use std::path::Path;

use libfuzzer_sys::fuzz_target;
use netloom_api::launch::StartUp;
use netloom_api::member::{Order, greeting};
use netloom_lead::{Preamble, files};

const WORD: &str = "7";

/// Reads lines until one is the greeting, and the rest as what a member says.
fn lines(text: &str) {
    let mut lines = text.lines();
    let mut preamble = Preamble::of(WORD);
    let greeted = lines.by_ref().find_map(|line| match preamble.read(line) {
        Ok(false) => None,
        Ok(true) => Some(true),
        Err(_) => Some(false),
    });
    match greeted {
        Some(true) => lines.for_each(said),
        Some(false) => {}
        None => assert!(!preamble.ended().to_string().is_empty()),
    }
}

fn said(line: &str) {
    if let Ok(said) = serde_json::from_str::<StartUp>(line) {
        let written = serde_json::to_string(&said).expect("it is plain data");
        let again: StartUp = serde_json::from_str(&written).expect("it was written so");
        assert_eq!(serde_json::to_string(&again).ok(), Some(written));
    }
}

fn order(line: &str) {
    if let Ok(order) = serde_json::from_str::<Order>(line) {
        let written = serde_json::to_string(&order).expect("it is plain data");
        assert_eq!(serde_json::from_str::<Order>(&written).ok(), Some(order));
    }
}

/// Everything in a directory is a plain file or a directory.
fn is_plain(directory: &Path) -> bool {
    fs::read_dir(directory).expect("it is a directory").all(|entry| {
        let path = entry.expect("an entry").path();
        let kind = fs::symlink_metadata(&path).expect("it is there").file_type();
        kind.is_file() || (kind.is_dir() && is_plain(&path))
    })
}

fn archive(bytes: &[u8]) {
    let room = tempfile::tempdir().expect("a directory");
    let target = room.path().join("target");
    fs::create_dir(&target).expect("a directory");
    let _ = files::unpack(bytes, &target);
    assert!(is_plain(&target));
    let beside = fs::read_dir(room.path()).expect("it is there").count();
    assert_eq!(beside, 1, "it is written beside its directory");
}

fuzz_target!(|bytes: &[u8]| {
    let Some((kind, rest)) = bytes.split_first() else { return };
    match (kind % 4, std::str::from_utf8(rest)) {
        (0, Ok(text)) => lines(text),
        (1, Ok(text)) => lines(&format!("{}\n{text}", greeting(WORD))),
        (2, Ok(text)) => text.lines().for_each(order),
        (3, _) => archive(rest),
        _ => {}
    }
});
