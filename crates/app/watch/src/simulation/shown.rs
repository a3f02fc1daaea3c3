//! What is kept of the samples of a simulated run: those that somebody waits for. The run copies a
//! sample only then, and never waits for anybody.

use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use anyhow::Result;
use netloom_api::event::Event;
use netloom_api::flow::FlowStatus;
use netloom_api::state::LinkStatus;
use netloom_course::{Audience, Look, look_at};
use netloom_results::MediaSample;
use netloom_units::Time;
use tokio::sync::watch;

use crate::feed::{Feed, Line};
use crate::viewers::Watched;

/// Shortest time between two looks that are kept.
const PACE: Duration = Duration::from_millis(100);

/// Longest wait for the next sample. Later, the last one is the answer.
const PATIENCE: Duration = Duration::from_secs(2);

/// A part of a sample that somebody waits for.
#[derive(Debug, Clone, Copy)]
#[repr(u8)]
pub enum Part {
    /// All links, with all that is known of them.
    Links = 1,
    /// Shared media.
    Media = 2,
    /// Flows.
    Flows = 4,
    /// A look at the network.
    Look = 8,
}

/// What has been kept.
pub struct Shown {
    /// The last events.
    pub feed: Arc<Feed>,
    has_media: bool,
    /// [`Part`]s that are waited for.
    wanted: AtomicU8,
    kept: Mutex<Kept>,
    /// Number of parts that were kept so far.
    version: watch::Sender<u64>,
}

/// The last samples.
#[derive(Default)]
pub struct Kept {
    /// Time of the last sample.
    pub now: Time,
    /// Links.
    pub links: Arc<Vec<LinkStatus>>,
    /// Shared media.
    pub media: Arc<MediaSample>,
    /// Flows.
    pub flows: Arc<Vec<FlowStatus>>,
    look: Arc<Look>,
    /// A look that waits for its media.
    pending: Option<Look>,
    looked: Option<Instant>,
}

impl Shown {
    /// Nothing is kept yet: the first sample will be, as a whole.
    pub fn new(has_media: bool) -> Self {
        let wanted = [Part::Links, Part::Media, Part::Flows, Part::Look];
        Self {
            feed: Arc::default(),
            has_media,
            wanted: wanted.into_iter().fold(0, |all, part| all | part as u8).into(),
            kept: Mutex::default(),
            version: watch::Sender::new(0),
        }
    }

    /// Locks what was kept.
    pub fn kept(&self) -> MutexGuard<'_, Kept> {
        // A panic while the lock was held leaves whole parts.
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for the next sample of a part, or a while, and returns the last one.
    pub async fn next<T>(&self, part: Part, of: impl Fn(&Kept) -> T) -> T {
        let mut versions = self.version.subscribe();
        self.wanted.fetch_or(part as u8, Ordering::Relaxed);
        let is_kept = |_: &u64| self.wanted.load(Ordering::Relaxed) & part as u8 == 0;
        // The sender lives as long as `self`. Without a sample, the last one has to do.
        let _ = tokio::time::timeout(PATIENCE, versions.wait_for(is_kept)).await;
        of(&self.kept())
    }

    /// Whether a part is waited for.
    fn wants(&self, part: Part) -> bool {
        self.wanted.load(Ordering::Relaxed) & part as u8 != 0
    }

    /// Notes that a part was kept.
    fn has(&self, part: Part) {
        self.wanted.fetch_and(!(part as u8), Ordering::Relaxed);
        self.version.send_modify(|version| *version += 1);
    }

    fn keep(&self, kept: &mut Kept, look: Look) {
        kept.look = Arc::new(look);
        kept.looked = Some(Instant::now());
        self.has(Part::Look);
    }
}

impl Audience for Shown {
    fn links(&self, at: Time, links: &[LinkStatus]) {
        let kept = &mut *self.kept();
        kept.now = at;
        if self.wants(Part::Links) {
            kept.links = Arc::new(links.to_vec());
            self.has(Part::Links);
        }
        let is_due = kept.looked.is_none_or(|looked| looked.elapsed() >= PACE);
        // Two looks at one time say nothing of what happened between them.
        let is_new = kept.looked.is_none() || at > kept.look.at;
        if self.wants(Part::Look) && is_due && is_new {
            let links = links.iter().map(look_at).collect();
            let look = Look { at, links, simulated: true, ..Look::default() };
            match self.has_media {
                true => kept.pending = Some(look),
                false => self.keep(kept, look),
            }
        }
    }

    fn media(&self, media: &MediaSample) {
        let kept = &mut *self.kept();
        if self.wants(Part::Media) {
            kept.media = Arc::new(media.clone());
            self.has(Part::Media);
        }
        if let Some(look) = kept.pending.take() {
            self.keep(kept, Look { media: media.clone(), ..look });
        }
    }

    fn flows(&self, flows: &[FlowStatus]) {
        if self.wants(Part::Flows) {
            self.kept().flows = Arc::new(flows.to_vec());
            self.has(Part::Flows);
        }
    }

    fn happened(&self, event: &Event) {
        self.feed.add([Line::of(event)]);
    }
}

impl Watched for Shown {
    /// Returns the last look that was kept, and has the run keep another one.
    fn look(&self, _with_media: bool) -> Result<Arc<Look>> {
        let look = self.kept().look.clone();
        self.wanted.fetch_or(Part::Look as u8, Ordering::Relaxed);
        Ok(look)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn at(seconds: u64) -> Time {
        Time::from_nanos(seconds * 1_000_000_000)
    }

    #[test]
    fn a_run_keeps_what_is_waited_for_and_ten_looks_a_second_at_most() {
        let shown = Shown::new(false);
        shown.links(at(0), &[]);
        assert!(shown.look(false).unwrap().simulated, "the first one is kept");
        let first = shown.kept().links.clone();
        // Asked again at once: ten a second are enough.
        shown.links(at(1), &[]);
        assert_eq!((shown.look(false).unwrap().at, shown.kept().now), (at(0), at(1)));
        assert!(Arc::ptr_eq(&first, &shown.kept().links), "nobody waits for links");
        shown.kept().looked = Instant::now().checked_sub(PACE);
        shown.links(at(2), &[]);
        assert_eq!(shown.look(false).unwrap().at, at(2));
    }

    #[test]
    fn a_look_waits_for_the_media_of_its_time() {
        let shown = Shown::new(true);
        shown.links(at(3), &[]);
        assert_eq!(shown.look(true).unwrap().at, at(0), "its media are not known yet");
        shown.media(&MediaSample::default());
        assert_eq!(shown.look(true).unwrap().at, at(3));
    }
}
