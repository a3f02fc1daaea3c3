//! A medium as it is described, from which one is made; and what can be seen of one.

use netloom_link::Frame;
use netloom_mobility::Point;
use netloom_radio::RadioError;
use netloom_units::Time;

use crate::{Medium, MediumConfig, Setting, StationConfig, StationCounters, StationId};

/// What a medium is made from.
#[derive(Debug, Clone)]
pub struct MediumSetup {
    /// What it runs on.
    pub config: MediumConfig,
    /// What it needs beside that.
    pub setting: Setting,
    /// Whether what happens on it is logged from its beginning.
    pub logged: bool,
}

impl MediumSetup {
    /// The medium, without stations.
    ///
    /// # Errors
    /// A file of the channel has not been read, or does not fit the stations.
    pub fn build<F: Frame>(&self, now: Time) -> Result<Medium<F>, RadioError> {
        Medium::new(self.config.clone(), self.setting.clone(), now)
    }
}

/// A station as it is.
#[derive(Debug, Clone)]
pub struct StationView {
    /// Which one.
    pub id: StationId,
    /// What is particular to it.
    pub config: StationConfig,
    /// Whether its radio is on.
    pub on: bool,
    /// The access point that it belongs to, if to any.
    pub access_point: Option<StationId>,
    /// Where it is; `None` while it is away.
    pub position: Option<Point>,
    /// Frames that wait in it, with the one that it serves.
    pub queued: u64,
    /// The contention window from which it draws its next backoff, in slots.
    pub window: u32,
    /// What it has done and met.
    pub counters: StationCounters,
}
