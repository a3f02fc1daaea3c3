//! What an event of the timeline means, whoever makes it happen.

use netloom_api::change::{LinkChange, happening_in_words};
use netloom_api::event::{Origin, TimelineStatus, What};
use netloom_api::medium::MediumRequest;
use netloom_scenario::{Happening, Scenario};
use netloom_units::Time;

/// Returns the failures of events, in words.
pub fn failures(timeline: &[TimelineStatus]) -> impl Iterator<Item = String> {
    let failed = timeline.iter().filter(|status| status.failure.is_some());
    failed.map(TimelineStatus::in_words)
}

/// An event of the timeline.
#[derive(Debug, Clone)]
pub struct Event {
    /// Its outcome so far: nothing has happened.
    pub status: TimelineStatus,
    /// Changes of links that it makes.
    pub links: Vec<LinkChange>,
    /// Changes of shared media that it makes, by medium.
    pub media: Vec<(String, MediumRequest)>,
}

impl Event {
    /// The event of this number in the timeline of `scenario`.
    pub fn new(scenario: &Scenario, number: usize, happening: &Happening) -> Self {
        let links = LinkChange::of_happening(scenario, happening);
        let event = happening_in_words(happening, &links);
        let status = TimelineStatus { number, event, planned: None, happened: None, failure: None };
        Self { status, links, media: MediumRequest::of_action(scenario, &happening.action) }
    }

    /// Records the changes that it has made at `at`. They are recorded once.
    pub fn record_changes(&mut self, at: Time, record: &mut dyn FnMut(Time, What)) {
        let by = Origin::Timeline;
        let changes = std::mem::take(&mut self.links);
        if !changes.is_empty() {
            record(at, What::Changed { by, changes });
        }
        for (medium, change) in std::mem::take(&mut self.media) {
            record(at, What::MediumChanged { by, medium, change: Box::new(change) });
        }
    }
}
