//! Lists claims: the user's own completely, those of others with the properties that all may read.

use std::time::Duration;

use netloom_dataplane::PipeStatus;
use netloom_shape::wire::{List, Listed, OfOther, PipeCount};
use netloom_shape::{Book, Entry, Moment, Owner};
use netloom_units::Duration as Span;

use super::lateness::LATEST;

/// Disturbances of a claim's traffic that no model caused.
pub struct Ill {
    /// Frames that the kernel has dropped because the engine did not read them in time.
    pub unread: u64,
    /// Lateness that 99 of 100 frames did not exceed.
    pub late: Option<Span>,
    /// Time for which the claim was not shaped.
    pub unshaped: Option<Duration>,
}

/// Returns the claims that `owner` may read.
pub fn list(book: &Book, owner: &Owner, listed: impl Fn(&Entry) -> Listed) -> List {
    let is_shown = |entry: &&Entry| owner.is_root() || entry.owner.uid == owner.uid;
    let (own, others): (Vec<&Entry>, Vec<&Entry>) = book.entries().iter().partition(is_shown);
    List {
        claims: own.into_iter().map(listed).collect(),
        others: others.into_iter().map(OfOther::of).collect(),
    }
}

/// Returns a claim with its state.
pub fn listed(entry: &Entry, pipes: &[PipeStatus], ill: &Ill, suspended: Option<Moment>) -> Listed {
    let lost: u64 = pipes.iter().map(|pipe| pipe.statistics.lost_unmodelled.frames).sum();
    let unmodelled_drops = lost + ill.unread;
    Listed {
        entry: entry.clone(),
        pipes: pipes.iter().map(count).collect(),
        unmodelled_drops,
        suspended: suspended
            .map(|since| format!("interface {} is gone since {since}", entry.device)),
        late_p99: ill.late,
        verdict: verdict(unmodelled_drops, ill),
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

/// Returns whether measurements through a claim can be trusted, with the reasons if not.
fn verdict(unmodelled_drops: u64, ill: &Ill) -> String {
    let mut why = Vec::new();
    if let Some(time) = ill.unshaped {
        why.push(format!("not shaped for {} ms", time.as_millis()));
    }
    if unmodelled_drops > 0 {
        why.push(format!("unmodelled_drop: {unmodelled_drops} frames"));
    }
    if let Some(late) = ill.late.filter(|late| *late > LATEST) {
        why.push(format!("lateness: one frame in 100 was more than {late} late"));
    }
    if why.is_empty() { "valid".into() } else { format!("invalid: {}", why.join("; ")) }
}
