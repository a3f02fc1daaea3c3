//! Prints claims for users.

use netloom_shape::wire::{Done, List, Listed, PipeCount, Room, properties};
use netloom_shape::{Entry, Lifetime};

use crate::table::table;

/// Prints a new claim.
pub fn added(done: &Done) {
    let Done { is, notes, .. } = done;
    println!("{}: {} at {}, {}", is.name, is.claim.selector, is.device, end(is));
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

/// Prints all claims.
pub fn list(list: &List) {
    let mut table =
        table(&["CLAIM", "OWNER", "TAKES", "AT", "OUT", "IN", "FRAMES", "ENDS", "VERDICT"]);
    for listed in &list.claims {
        table.add_row(row(listed));
    }
    for other in &list.others {
        let ports =
            other.ports.clone().map_or_else(|| "-".into(), |ports| format!("ports {ports}"));
        let ends = other.ends.map_or_else(|| "-".into(), |ends| ends.to_string());
        table.add_row(["-", &other.owner, &ports, "-", "-", "-", "-", &ends, "-"]);
    }
    println!("{table}");
}

fn row(listed: &Listed) -> [String; 9] {
    let Listed { entry, pipes, suspended, verdict, .. } = listed;
    let frames = pipes.iter().map(|PipeCount { delivered, .. }| delivered.to_string());
    let ends = match suspended {
        Some(why) => why.clone(),
        None => end(entry),
    };
    [
        entry.name.clone(),
        entry.owner.name.clone(),
        entry.claim.selector.to_string(),
        entry.device.clone(),
        properties(&entry.claim.out),
        properties(&entry.claim.inward),
        frames.collect::<Vec<_>>().join("/"),
        ends,
        verdict.clone(),
    ]
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
