//! Queries of shared media: neighbours, positions and air logs.

use netloom_medium::{Medium, NeighbourChange, StationId};
use netloom_units::{Duration, Time};

use super::Network;
use crate::{AirLogPart, MediaNews, Memory, Neighbourhood, Observer, SegmentId, Sniffer};

impl<M: Memory + 'static, O: Observer<M::Frame>> Network<M, O> {
    /// Returns how well stations reach each other at `now`: all stations on each shared medium of
    /// this network, or only the stations that one station reaches.
    pub fn neighbours(
        &mut self,
        now: Time,
        of: Option<(SegmentId, StationId)>,
    ) -> Vec<Neighbourhood> {
        let mut all = Vec::new();
        for (id, medium) in self.shared_media() {
            let reached = match of {
                Some((wanted, _)) if wanted != id => continue,
                Some((_, station)) => vec![(station, medium.neighbours(now, station))],
                None => medium.all_neighbours(now),
            };
            let of = |(station, reached)| Neighbourhood { medium: id, station, reached };
            all.extend(reached.into_iter().map(of));
        }
        all
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
    /// [`neighbour_changes`](Self::neighbour_changes), and the positions of stations.
    pub fn media_news(&mut self, now: Time, most: usize) -> MediaNews {
        let changes = self.neighbour_changes(now, most);
        let places = self.shared_media().flat_map(|(_, medium)| medium.positions(now)).collect();
        MediaNews { changes, places }
    }

    fn shared_media(&mut self) -> impl Iterator<Item = (SegmentId, &mut Medium<M::Frame>)> {
        self.segments.iter_mut().flatten().filter_map(|home| home.segment.shared_medium())
    }
}
