//! Lists claims: the user's own completely, those of others with the properties that all may read.

use netloom_dataplane::PipeStatus;
use netloom_monitor::Judgement;
use netloom_shape::wire::{List, Listed, OfOther, PipeCount};
use netloom_shape::{Book, Entry, Moment, Owner};

use crate::judging::Judged;

/// The claims to list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// Those of the user.
    Own,
    /// All of them.
    All,
}

/// The state of a claim.
pub struct State<'a> {
    /// Its pipes, since the claim began.
    pub pipes: &'a [PipeStatus],
    /// Its pipes over the last seconds, if these were requested.
    pub recent: &'a [PipeStatus],
    /// The judgement on its frames.
    pub judged: Judged,
    /// Reasons for which it was not shaped.
    pub unshaped: Vec<String>,
    /// Time since which its device is gone.
    pub suspended: Option<Moment>,
}

/// Returns the claims that `owner` may read.
pub fn list(
    book: &Book,
    owner: &Owner,
    whose: Whose,
    mut listed: impl FnMut(&Entry) -> Listed,
) -> List {
    let is_own = |entry: &&Entry| entry.owner.uid == owner.uid;
    let is_shown = |entry: &&Entry| is_own(entry) || (owner.is_root() && whose == Whose::All);
    let (shown, others): (Vec<&Entry>, Vec<&Entry>) = book.entries().iter().partition(is_shown);
    let others = others.into_iter().filter(|_| whose == Whose::All && !owner.is_root());
    List {
        claims: shown.into_iter().map(&mut listed).collect(),
        others: others.map(OfOther::of).collect(),
    }
}

/// Returns a claim with its state.
pub fn listed(entry: &Entry, state: State<'_>) -> Listed {
    let State { pipes, recent, judged, unshaped, suspended } = state;
    Listed {
        entry: entry.clone(),
        pipes: pipes.iter().map(count).collect(),
        recent: recent.iter().map(|pipe| pipe.statistics.clone()).collect(),
        unmodelled_drops: judged.unmodelled_drops,
        suspended: suspended
            .map(|since| format!("interface {} is gone since {since}", entry.device)),
        late_p99: judged.late,
        at_most_p99: judged.at_most,
        verdict: verdict(&judged, unshaped),
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
fn verdict(judged: &Judged, unshaped: Vec<String>) -> String {
    let word = if unshaped.is_empty() { judged.judgement } else { Judgement::Invalid };
    let why: Vec<String> = unshaped.into_iter().chain(judged.why.iter().cloned()).collect();
    if why.is_empty() { word.to_string() } else { format!("{word}: {}", why.join("; ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_claim_that_was_not_shaped_is_invalid_whatever_its_frames_were() {
        let late = Judged { why: vec!["lateness: frames".into()], ..Judged::unobserved() };
        let punctual = Judged { judgement: Judgement::Valid, why: vec![], ..late.clone() };
        assert_eq!(verdict(&punctual, vec![]), "valid");
        assert_eq!(verdict(&late, vec![]), "suspect: lateness: frames");
        let words = verdict(&late, vec!["not shaped for 500 ms".into()]);
        assert_eq!(words, "invalid: not shaped for 500 ms; lateness: frames");
    }
}
