//! Shared media: changes, and queries of states, neighbours, positions and air logs.

use netloom_medium::{
    AssociationEvent, Medium, MediumChange, NeighbourChange, RadioError, StationId,
};
use netloom_units::{Duration, Time};

use super::Network;
use crate::{
    AirLogPart, MediaNews, MediumView, Memory, Neighbourhood, Observer, SegmentId, Sniffer,
};

impl<M: Memory + 'static, O: Observer<M::Frame>> Network<M, O> {
    /// Changes a shared medium at `now`, if it is in this network.
    ///
    /// # Errors
    /// The channel cannot work with the new configuration. Nothing is changed in that case.
    pub fn change_medium(
        &mut self,
        now: Time,
        medium: SegmentId,
        change: &MediumChange,
    ) -> Result<(), RadioError> {
        let Some(segment) = self.homes.get(&medium).copied() else { return Ok(()) };
        let mut changed = Ok(());
        self.with_segment(segment, (now, Duration::ZERO), |segment, out| {
            changed = segment.change_medium(now, change, out);
        });
        changed
    }

    /// Returns the state of the shared media at `now`.
    pub fn media(&mut self, now: Time) -> Vec<MediumView> {
        let homes = self.segments.iter_mut().flatten();
        homes.filter_map(|home| home.segment.medium(now)).collect()
    }

    /// Returns the association events since the last call, by medium, in the order in which they
    /// happened.
    pub fn take_associations(&mut self) -> Vec<(SegmentId, AssociationEvent)> {
        let mut taken = Vec::new();
        for (id, home) in &self.homes {
            let Some(home) = &mut self.segments[*home] else { continue };
            let events = std::iter::from_fn(|| home.segment.poll_association());
            taken.extend(events.map(|event| (*id, event)));
        }
        taken
    }

    /// Returns how well all stations on shared media of this network reach each other at `now`.
    pub fn neighbours(&mut self, now: Time) -> Vec<Neighbourhood> {
        let mut all = Vec::new();
        for (id, medium) in self.shared_media() {
            let of = |(station, reached)| Neighbourhood { medium: id, station, reached };
            all.extend(medium.all_neighbours(now).into_iter().map(of));
        }
        all
    }

    /// Returns the stations that one station on a shared medium reaches at `now`, with the stations
    /// hidden from them if `with_hidden`, which takes as long as all stations together. Returns
    /// `None` if this network does not have the medium.
    pub fn neighbours_of(
        &mut self,
        now: Time,
        (medium, station): (SegmentId, StationId),
        with_hidden: bool,
    ) -> Option<Neighbourhood> {
        let (_, shared) = self.shared_media().find(|(id, _)| *id == medium)?;
        let reached = match with_hidden {
            true => shared.neighbours(now, station),
            false => shared.reached(now, station),
        };
        Some(Neighbourhood { medium, station, reached })
    }

    /// Returns the pairs of stations that came within reach of each other or left it since the last
    /// call. The first call returns all pairs within reach. Media with more than `most` stations
    /// are skipped.
    pub fn neighbour_changes(
        &mut self,
        now: Time,
        most: usize,
    ) -> Vec<(SegmentId, NeighbourChange)> {
        let mut all = Vec::new();
        for (id, medium) in self.shared_media() {
            if medium.count_stations() > most {
                medium.forget_neighbours();
                continue;
            }
            if !medium.watches_neighbours() {
                medium.watch_neighbours(now);
            }
            let changes = std::iter::from_fn(|| medium.poll_neighbour(now));
            all.extend(changes.map(|change| (id, change)));
        }
        all
    }

    /// Returns the parts of the air logs of shared media up to `now` that are new since the last
    /// call.
    pub fn take_air_logs(&mut self, now: Time) -> Vec<AirLogPart> {
        let mut parts = Vec::new();
        for index in 0..self.segments.len() {
            self.with_segment(index, (now, Duration::ZERO), |segment, out| {
                parts.extend(segment.take_air_log(now, out));
            });
        }
        parts
    }

    /// Attaches `sniffer` to a shared medium. Returns `false` if the network does not have it.
    pub fn sniff(&mut self, medium: SegmentId, sniffer: Box<dyn Sniffer<M::Frame>>) -> bool {
        let Some(place) = self.homes.get(&medium).copied() else { return false };
        let Some(home) = self.segments[place].as_mut() else { return false };
        home.segment.sniff(sniffer);
        true
    }

    /// Returns news of shared media: the changes of pairs, as in
    /// [`neighbour_changes`](Self::neighbour_changes), and the positions of stations if
    /// `with_places`.
    pub fn media_news(&mut self, now: Time, most: usize, with_places: bool) -> MediaNews {
        let changes = self.neighbour_changes(now, most);
        let media = self.shared_media().filter(|_| with_places);
        let places = media.flat_map(|(_, medium)| medium.positions(now)).collect();
        MediaNews { changes, places }
    }

    fn shared_media(&mut self) -> impl Iterator<Item = (SegmentId, &mut Medium<M::Frame>)> {
        self.segments.iter_mut().flatten().filter_map(|home| home.segment.shared_medium())
    }
}
