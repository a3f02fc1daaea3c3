//! What can be asked of shared media: who hears whom, and what was logged.

use netloom_medium::{Medium, NeighbourChange, StationId};
use netloom_units::{Duration, Time};

use super::Network;
use crate::{AirLogPart, MediaNews, Memory, Neighbourhood, Observer, SegmentId, Sniffer};

impl<M: Memory + 'static, O: Observer<M::Frame>> Network<M, O> {
    /// Who reaches whom how well at `now`: on each shared medium that is here, or those that one
    /// station reaches.
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

    /// Pairs of stations that came within reach of each other, or left it, since this was last
    /// called: the first time, all that are within reach. Media with more than `most` stations are
    /// left aside.
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

    /// What the air logs of shared media have got up to `now` since this was last called.
    pub fn take_air_logs(&mut self, now: Time) -> Vec<AirLogPart> {
        let mut parts = Vec::new();
        for index in 0..self.segments.len() {
            self.with_segment(index, (now, Duration::ZERO), |segment, out| {
                parts.extend(segment.take_air_log(now, out));
            });
        }
        parts
    }

    /// From now on `sniffer` hears all that is on a shared medium. `false` if that is not here.
    pub fn sniff(&mut self, medium: SegmentId, sniffer: Box<dyn Sniffer<M::Frame>>) -> bool {
        let Some(place) = self.homes.get(&medium).copied() else { return false };
        let Some(home) = self.segments[place].as_mut() else { return false };
        home.segment.sniff(sniffer);
        true
    }

    /// What is new on shared media: pairs as [`neighbour_changes`](Self::neighbour_changes) has
    /// them, and where stations are.
    pub fn media_news(&mut self, now: Time, most: usize) -> MediaNews {
        let changes = self.neighbour_changes(now, most);
        let places = self.shared_media().flat_map(|(_, medium)| medium.positions(now)).collect();
        MediaNews { changes, places }
    }

    fn shared_media(&mut self) -> impl Iterator<Item = (SegmentId, &mut Medium<M::Frame>)> {
        self.segments.iter_mut().flatten().filter_map(|home| home.segment.shared_medium())
    }
}
