//! The description from which a medium is made, and the view of one station.

use netloom_link::Frame;
use netloom_mobility::Point;
use netloom_radio::RadioError;
use netloom_units::Time;

use crate::{Medium, MediumConfig, Setting, StationConfig, StationCounters, StationId};

/// Everything from which a medium is made.
#[derive(Debug, Clone)]
pub struct MediumSetup {
    /// Configuration of the medium.
    pub config: MediumConfig,
    /// Settings beside the configuration.
    pub setting: Setting,
    /// Whether events are logged from the beginning.
    pub logged: bool,
}

impl MediumSetup {
    /// Builds the medium, without stations.
    ///
    /// # Errors
    /// A file of the channel has not been read, or does not fit the stations.
    pub fn build<F: Frame>(&self, now: Time) -> Result<Medium<F>, RadioError> {
        Medium::new(self.config.clone(), self.setting.clone(), now)
    }
}

/// The state of a station.
#[derive(Debug, Clone)]
pub struct StationView {
    /// Number of the station.
    pub id: StationId,
    /// Configuration of the station.
    pub config: StationConfig,
    /// Whether its radio is on.
    pub on: bool,
    /// The access point that it belongs to, if to any.
    pub access_point: Option<StationId>,
    /// Position, or `None` while it is away.
    pub position: Option<Point>,
    /// Number of frames that wait in it, including the one that it serves.
    pub queued: u64,
    /// Contention window from which it draws its next backoff, in slots.
    pub window: u32,
    /// Counters of the station.
    pub counters: StationCounters,
}
