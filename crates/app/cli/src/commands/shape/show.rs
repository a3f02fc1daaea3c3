//! Prints claims for users.

use netloom_shape::wire::{Done, Room};
use netloom_shape::{Entry, Lifetime};

/// Prints a new claim.
pub fn added(done: &Done) {
    let Done { is, notes, .. } = done;
    let reserved = if is.claim.reserve { ", its ports reserved" } else { "" };
    println!("{}: {} at {}{reserved}, {}", is.name, is.claim.selector, is.device, end(is));
    notes.iter().for_each(|note| eprintln!("warning: {note}"));
}

/// Describes when a claim ends.
pub fn end(entry: &Entry) -> String {
    match (entry.ends, entry.claim.lifetime) {
        (Some(ends), _) => format!("until {ends}"),
        (None, Lifetime::Session) => "until your last session ends".into(),
        (None, _) => "until it is removed".into(),
    }
}

/// Prints the room that is left for claims.
pub fn room(room: &Room) {
    let megabits = |bits: u64| format!("{:.1} Mbit/s", bits as f64 / 1e6);
    let mebibytes = |bytes: u64| format!("{:.1} MiB", bytes as f64 / f64::from(1 << 20));
    println!("rates of all:    {} of {}", megabits(room.given.bits), megabits(room.all.bits));
    println!("buffers of all:  {} of {}", mebibytes(room.given.bytes), mebibytes(room.all.bytes));
    println!("your rates:      {} of {}", megabits(room.taken.bits), megabits(room.own.bits));
    println!("your buffers:    {} of {}", mebibytes(room.taken.bytes), mebibytes(room.own.bytes));
    if !room.is_calibrated {
        println!("the machine was not measured: it is taken to bear 1 Gbit/s");
    }
}
