//! Claims as they are shown: own ones whole, of others what everybody may know.

use std::time::Duration;

use netloom_dataplane::PipeStatus;
use netloom_shape::wire::{List, Listed, OfOther, PipeCount};
use netloom_shape::{Book, Entry, Moment, Owner};

/// The claims as `owner` may see them.
pub fn list(book: &Book, owner: &Owner, listed: impl Fn(&Entry) -> Listed) -> List {
    let is_shown = |entry: &&Entry| owner.is_root() || entry.owner.uid == owner.uid;
    let (own, others): (Vec<&Entry>, Vec<&Entry>) = book.entries().iter().partition(is_shown);
    List {
        claims: own.into_iter().map(listed).collect(),
        others: others.into_iter().map(OfOther::of).collect(),
    }
}

/// A claim, and how it does.
pub fn listed(
    entry: &Entry,
    pipes: &[PipeStatus],
    dropped_unread: u64,
    unshaped: Option<Duration>,
    suspended: Option<Moment>,
) -> Listed {
    let lost: u64 = pipes.iter().map(|pipe| pipe.statistics.lost_unmodelled.frames).sum();
    let unmodelled_drops = lost + dropped_unread;
    Listed {
        entry: entry.clone(),
        pipes: pipes.iter().map(count).collect(),
        unmodelled_drops,
        suspended: suspended
            .map(|since| format!("interface {} is gone since {since}", entry.device)),
        verdict: verdict(unmodelled_drops, unshaped),
    }
}

fn count(pipe: &PipeStatus) -> PipeCount {
    let statistics = &pipe.statistics;
    let offered = statistics.offered.frames + statistics.duplicated.frames;
    let delivered = statistics.delivered.frames;
    let held = statistics.queue.now.frames + statistics.in_flight.frames;
    let lost = statistics.lost_unmodelled.frames;
    let dropped = offered.saturating_sub(delivered + held + lost);
    PipeCount { offered: statistics.offered.frames, delivered, dropped, held }
}

/// Whether what was measured through a claim can be trusted.
fn verdict(unmodelled_drops: u64, unshaped: Option<Duration>) -> String {
    match (unshaped, unmodelled_drops) {
        (Some(time), _) => format!("invalid: not shaped for {} ms", time.as_millis()),
        (None, 0) => "valid".into(),
        (None, drops) => format!("invalid: {drops} frames lost that no model asked for"),
    }
}
