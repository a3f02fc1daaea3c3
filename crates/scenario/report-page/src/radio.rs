//! Shared media, reduced while they are read to what a page can show.

use std::collections::{BTreeMap, BTreeSet};

use netloom_units::Time;

/// Largest number of points in a track. Beyond it, every second point is left out.
const POINTS: usize = 256;

/// Number of bins into which distances up to the reach are grouped.
const BINS: usize = 24;

/// Totals of stations on shared media, tracks of nodes, and neighbours.
#[derive(Debug, Clone, Default)]
pub struct Radio {
    tracks: BTreeMap<String, Track>,
    stations: BTreeMap<(String, String), StationTotals>,
    /// By medium, the pairs of stations that reached each other in the last sample.
    reached: BTreeMap<String, Reached>,
    /// By medium, the probability of delivery for distances in m.
    deliveries: BTreeMap<String, Deliveries>,
}

/// Positions of a node, in m.
#[derive(Debug, Clone, Default)]
pub(crate) struct Track {
    pub points: Vec<(f64, f64)>,
    /// Number of samples for each point, and number of samples since the last point.
    every: usize,
    since: usize,
    pub last: (f64, f64),
}

/// Totals of a station up to the last sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StationTotals {
    /// Attempts to send.
    pub attempts: u64,
    /// Attempts that were not the first for their frame.
    pub retries: u64,
    /// Number of completed frames.
    pub sent: u64,
    /// Number of frames that it gave up.
    pub failed: u64,
    /// Number of signals that others destroyed at it.
    pub collisions: u64,
    /// Time during which it sent, in ns, in the order of [`Radio::KINDS`].
    pub airtime: [u64; Radio::KINDS.len()],
}

/// The pairs of stations that reach each other at one time.
#[derive(Debug, Clone, Default)]
struct Reached {
    at: Time,
    /// Sender and receiver, and whether the receiver can decode the sender.
    ways: BTreeMap<(String, String), bool>,
}

/// Deliveries by distance.
#[derive(Debug, Clone, Default)]
pub(crate) struct Deliveries {
    /// For each whole metre, the number of values and their sum.
    by_metre: BTreeMap<u64, (u64, f64)>,
}

impl Radio {
    /// Kinds of transmissions.
    pub const KINDS: [&'static str; 5] = ["data", "rts", "cts", "ack", "jam"];

    /// Returns whether there are no data.
    pub fn is_empty(&self) -> bool {
        self.stations.is_empty()
    }

    /// Sets the current totals of a station. Calls are in the order of time.
    pub fn add_station(&mut self, medium: &str, node: &str, totals: StationTotals) {
        self.stations.insert((medium.into(), node.into()), totals);
    }

    /// Adds a position of a node, in m. Calls are in the order of time.
    pub fn add_place(&mut self, node: &str, place: (f64, f64)) {
        let track = self.tracks.entry(node.into()).or_default();
        track.last = place;
        track.since += 1;
        if track.since < track.every || track.points.last() == Some(&place) {
            return;
        }
        track.since = 0;
        track.points.push(place);
        if track.points.len() == POINTS {
            track.every = 2 * track.every.max(1);
            let mut place = 0..;
            track
                .points
                .retain(|_| place.next().is_some_and(|place: usize| place.is_multiple_of(2)));
        }
    }

    /// Adds that a station reaches another at `time`, with the `distance` in m and the probability
    /// of delivery. Calls are in the order of time.
    pub fn add_neighbour(
        &mut self,
        time: Time,
        medium: &str,
        (from, to): (&str, &str),
        decodes: bool,
        (distance, delivery): (f64, f64),
    ) {
        let reached = self.reached.entry(medium.into()).or_default();
        if reached.at != time {
            *reached = Reached { at: time, ways: BTreeMap::new() };
        }
        reached.ways.insert((from.into(), to.into()), decodes);
        let deliveries = self.deliveries.entry(medium.into()).or_default();
        let (count, sum) = deliveries.by_metre.entry(distance as u64).or_default();
        *count += 1;
        *sum += delivery;
    }

    pub(crate) fn tracks(&self) -> &BTreeMap<String, Track> {
        &self.tracks
    }

    /// Returns the media that have stations.
    pub(crate) fn media(&self) -> BTreeSet<&str> {
        self.stations.keys().map(|(medium, _)| medium.as_str()).collect()
    }

    /// Returns the stations of a medium with their totals.
    pub(crate) fn stations(&self, medium: &str) -> impl Iterator<Item = (&str, &StationTotals)> {
        let here = self.stations.iter().filter(move |((of, _), _)| of == medium);
        here.map(|((_, node), totals)| (node.as_str(), totals))
    }

    /// Returns the pairs of stations that both reach a third one and do not hear each other, each
    /// with the number of such third stations at the last sample.
    pub(crate) fn hidden(&self, medium: &str) -> Vec<(&str, &str, usize)> {
        let Some(Reached { ways, .. }) = self.reached.get(medium) else { return Vec::new() };
        let mut senders: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        for ((from, to), _) in ways.iter().filter(|(_, decodes)| **decodes) {
            senders.entry(to.as_str()).or_default().push(from);
        }
        let mut pairs: BTreeMap<(&str, &str), usize> = BTreeMap::new();
        for from in senders.values() {
            for (place, a) in from.iter().enumerate() {
                for b in &from[place + 1..] {
                    let hears = |a: &str, b: &str| ways.contains_key(&(a.into(), b.into()));
                    if !hears(a, b) && !hears(b, a) {
                        *pairs.entry((a, b)).or_default() += 1;
                    }
                }
            }
        }
        pairs.into_iter().map(|((a, b), count)| (a, b, count)).collect()
    }

    pub(crate) fn deliveries(&self, medium: &str) -> Option<&Deliveries> {
        self.deliveries.get(medium)
    }
}

impl Deliveries {
    /// Returns the middles of distance bins in m, each with the mean delivery.
    pub fn by_distance(&self) -> Vec<(f64, f64)> {
        let Some((farthest, _)) = self.by_metre.last_key_value() else { return Vec::new() };
        let width = (farthest + 1).div_ceil(BINS as u64).max(1);
        let mut bins: BTreeMap<u64, (u64, f64)> = BTreeMap::new();
        for (metre, (count, sum)) in &self.by_metre {
            let (all, total) = bins.entry(metre / width).or_default();
            *all += count;
            *total += sum;
        }
        let mean = |(bin, (count, sum)): (u64, (u64, f64))| {
            ((bin as f64 + 0.5) * width as f64, sum / count as f64)
        };
        bins.into_iter().map(mean).collect()
    }
}
