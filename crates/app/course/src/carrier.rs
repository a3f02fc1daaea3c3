//! What a run asks of whatever carries the frames of its network, or of a part of it.

use anyhow::Result;
use netloom_api::change::LinkChange;
use netloom_api::flow::FlowStatus;
use netloom_api::state::LinkStatus;
use netloom_link::{CapturedFrame, LogEntry, Window};
use netloom_results::MediaSample;
use netloom_units::Time;

use crate::live::{PipeLook, look_at};

/// A part of a network that carries frames: a data plane, a simulation in real or virtual time, or
/// [several of them](crate::Together).
pub trait Carrier {
    /// Whether it has a link of this name.
    fn has(&self, link: &str) -> bool;

    /// Returns all its links with the counts of their pipes, since their start or over `window`.
    ///
    /// # Errors
    /// If it has ended.
    fn links(&self, window: Option<Window>) -> Result<Vec<LinkStatus>>;

    /// Returns a look at all its links, in the order of [`links`](Self::links), for those who look
    /// several times a second.
    ///
    /// # Errors
    /// If it has ended.
    fn looks(&self) -> Result<Vec<[PipeLook; 2]>> {
        Ok(self.links(None)?.iter().map(look_at).collect())
    }

    /// Returns its shared media, with the stations that each station reaches if `with_neighbours`.
    ///
    /// # Errors
    /// If it has ended.
    fn media(&self, with_neighbours: bool) -> Result<MediaSample>;

    /// Takes the entries of its air logs since the last call, by the names of media.
    ///
    /// # Errors
    /// If it has ended.
    fn take_air(&self) -> Result<Vec<(String, Vec<u8>)>>;

    /// Returns the flows that it sends itself, with what they have sent and received.
    ///
    /// # Errors
    /// If it has ended.
    fn flows(&self) -> Result<Vec<FlowStatus>>;

    /// Takes logged and captured frames since the last call. A carrier that writes them itself has
    /// none.
    ///
    /// # Errors
    /// If it has ended.
    fn take_frames(&self) -> Result<Frames> {
        Ok(Frames::default())
    }

    /// Prepares changes of its links, all of which can be made once this returns. Until they are,
    /// or the result is dropped, nothing else may change the carrier.
    ///
    /// # Errors
    /// If one of the changes is impossible.
    fn prepare<'c>(&'c self, changes: &[LinkChange]) -> Result<Box<dyn Prepared + 'c>>;

    /// Whether links of the network may be changed by request while this carrier runs, its own or
    /// others.
    ///
    /// # Errors
    /// If they may not: the reason.
    fn lets_change(&self) -> Result<()> {
        Ok(())
    }
}

/// Frames that a carrier hands over.
#[derive(Debug, Default)]
pub struct Frames {
    /// Entries for the frame log, by time.
    pub log: Vec<LogEntry>,
    /// Captured frames, by time, each with the number of its capture in the scenario.
    pub captured: Vec<(u32, CapturedFrame)>,
}

/// Changes that a carrier has checked and is ready to make. Dropping them makes none of them.
pub trait Prepared {
    /// Makes the changes: now, or at `at`, the instant at which other carriers made theirs. Returns
    /// the instant.
    ///
    /// # Errors
    /// If the carrier has ended. Nothing was changed then.
    fn commit(&mut self, at: Option<Time>) -> Result<Time>;

    /// Does what has to follow the changes, once all carriers have made theirs.
    ///
    /// # Errors
    /// If a part of the machine does not follow.
    fn settle(self: Box<Self>) -> Result<()>;
}
