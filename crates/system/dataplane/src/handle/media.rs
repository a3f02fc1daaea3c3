//! Shared media of a running data plane.

use netloom_fabric::{AirLogPart, MediaNews, MediumView, Neighbourhood, SegmentId};
use netloom_medium::{AssociationEvent, MediumChange, StationId};
use netloom_units::Time;

use super::{Dataplane, Location};
use crate::DataplaneError;
use crate::capture::{Capture, capture};
use crate::worker_id::WorkerId;

impl Dataplane {
    /// Changes a shared medium, all of it at one time. Returns that time once the change is in
    /// force.
    ///
    /// # Errors
    /// If there is no such medium, it cannot work with the change, or its worker has ended.
    pub fn change_medium(
        &self,
        medium: SegmentId,
        change: MediumChange,
    ) -> Result<Time, DataplaneError> {
        let worker = self.worker_of(medium)?;
        let changed = self.ask(worker, move |worker| {
            let now = worker.clock().now();
            worker.shard().change_medium(now, medium, &change).map(|()| now)
        })?;
        Ok(changed?)
    }

    /// Returns the shared media, in the order of their ids.
    ///
    /// # Errors
    /// If a worker has ended.
    pub fn media(&self) -> Result<Vec<MediumView>, DataplaneError> {
        let reports = self.ask_all(|worker| {
            let now = worker.clock().now();
            worker.shard().media(now)
        })?;
        let mut media: Vec<_> = reports.into_iter().flatten().collect();
        media.sort_unstable_by_key(|medium: &MediumView| medium.id);
        Ok(media)
    }

    /// Returns the stations that have joined or left access points since the last call, with their
    /// media, in the order of the events.
    ///
    /// # Errors
    /// If a worker has ended.
    pub fn take_associations(&self) -> Result<Vec<(SegmentId, AssociationEvent)>, DataplaneError> {
        let reports = self.ask_all(|worker| worker.shard().take_associations())?;
        let mut all: Vec<_> = reports.into_iter().flatten().collect();
        all.sort_by_key(|(_, event): &(SegmentId, AssociationEvent)| event.at);
        Ok(all)
    }

    /// Returns which stations reach each other on shared media, and how well. Each station is a
    /// query of its own, so that workers carry frames between two of them: the answers are of
    /// slightly different times.
    ///
    /// # Errors
    /// If a worker has ended.
    pub fn neighbours(&self, media: &[MediumView]) -> Result<Vec<Neighbourhood>, DataplaneError> {
        let mut all = Vec::new();
        for medium in media {
            let worker = self.worker_of(medium.id)?;
            for station in &medium.stations {
                all.extend(self.reached(worker, (medium.id, station.id), false)?);
            }
        }
        Ok(all)
    }

    /// Returns which stations one station reaches, and how well, with the stations hidden from
    /// them; `None` if the medium is gone.
    ///
    /// # Errors
    /// If there is no such medium, or its worker has ended.
    pub fn neighbours_of(
        &self,
        medium: SegmentId,
        station: StationId,
    ) -> Result<Option<Neighbourhood>, DataplaneError> {
        self.reached(self.worker_of(medium)?, (medium, station), true)
    }

    fn reached(
        &self,
        worker: WorkerId,
        of: (SegmentId, StationId),
        with_hidden: bool,
    ) -> Result<Option<Neighbourhood>, DataplaneError> {
        self.ask(worker, move |worker| {
            let now = worker.clock().now();
            worker.shard().network.neighbours_of(now, of, with_hidden)
        })
    }

    /// Returns the pairs that came within reach of each other, or left it, since the last call, on
    /// media with at most `most` stations, and the positions of all stations if `with_places`. The
    /// first call returns all pairs that are within reach.
    ///
    /// # Errors
    /// If a worker has ended.
    pub fn media_news(&self, most: usize, with_places: bool) -> Result<MediaNews, DataplaneError> {
        let mut news = MediaNews::default();
        let all = self.ask_all(move |worker| {
            let now = worker.clock().now();
            worker.shard().network.media_news(now, most, with_places)
        })?;
        for of_worker in all {
            news.changes.extend(of_worker.changes);
            news.places.extend(of_worker.places);
        }
        Ok(news)
    }

    /// Returns the entries of the air logs of shared media since the last call.
    ///
    /// # Errors
    /// If a worker has ended.
    pub fn take_air_logs(&self) -> Result<Vec<AirLogPart>, DataplaneError> {
        let parts = self.ask_all(|worker| {
            let now = worker.clock().now();
            worker.shard().take_air_logs(now)
        })?;
        Ok(parts.into_iter().flatten().collect())
    }

    /// Begins to capture all frames on a shared medium, as frames of IEEE 802.11 behind radiotap
    /// headers, as an ideal receiver would receive them.
    ///
    /// # Errors
    /// If there is no such medium, or its worker has ended.
    pub fn capture_medium(&self, medium: SegmentId) -> Result<Capture, DataplaneError> {
        let worker = self.worker_of(medium)?;
        let (sink, capture) = capture(false, self.capture_backlog);
        self.ask(worker, move |worker| worker.shard().network.sniff(medium, Box::new(sink)))?;
        Ok(capture)
    }

    /// Returns the worker that has a shared medium.
    fn worker_of(&self, medium: SegmentId) -> Result<WorkerId, DataplaneError> {
        let ends_there = |location: &&Location| {
            location.segments.iter().flatten().any(|segment| segment.id == medium)
        };
        let location = self.locations.values().find(ends_there);
        Ok(location.ok_or(DataplaneError::UnknownMedium(medium))?.worker)
    }
}
