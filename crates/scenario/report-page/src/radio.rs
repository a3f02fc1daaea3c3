//! What is known of shared media, thinned while it comes to what a page can show.

use std::collections::{BTreeMap, BTreeSet};

use netloom_units::Time;

/// A track has so many points at most; beyond, every other one is left out.
const POINTS: usize = 256;

/// Distances are put together so many to a reach.
const BINS: usize = 24;

/// What stations on shared media did, where they were, and whom they reached.
#[derive(Debug, Clone, Default)]
pub struct Radio {
    tracks: BTreeMap<String, Track>,
    stations: BTreeMap<(String, String), StationTotals>,
    /// By medium, what was reached of whom in the last sample.
    reached: BTreeMap<String, Reached>,
    /// By medium, distances in m with how likely frames arrived.
    deliveries: BTreeMap<String, Deliveries>,
}

/// Where a node was, in m.
#[derive(Debug, Clone, Default)]
pub(crate) struct Track {
    pub points: Vec<(f64, f64)>,
    /// How many samples one point stands for, and how many came since the last.
    every: usize,
    since: usize,
    pub last: (f64, f64),
}

/// What a station has done up to the last sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct StationTotals {
    /// Attempts to send.
    pub attempts: u64,
    /// Those that were not the first for their frame.
    pub retries: u64,
    /// Frames it is done with.
    pub sent: u64,
    /// Frames it gave up.
    pub failed: u64,
    /// Signals that others destroyed at it.
    pub collisions: u64,
    /// Nanoseconds that it sent, in the order of [`Radio::KINDS`].
    pub airtime: [u64; Radio::KINDS.len()],
}

/// Whom stations reach at one time.
#[derive(Debug, Clone, Default)]
struct Reached {
    at: Time,
    /// Sender, receiver, and whether it decodes what it hears.
    ways: BTreeMap<(String, String), bool>,
}

/// Deliveries by distance.
#[derive(Debug, Clone, Default)]
pub(crate) struct Deliveries {
    /// By whole metres: how many, and their sum.
    by_metre: BTreeMap<u64, (u64, f64)>,
}

impl Radio {
    /// What stations send.
    pub const KINDS: [&'static str; 5] = ["data", "rts", "cts", "ack", "jam"];

    /// Whether nothing is known.
    pub fn is_empty(&self) -> bool {
        self.stations.is_empty()
    }

    /// Takes what a station has done by now, in the order of time.
    pub fn add_station(&mut self, medium: &str, node: &str, totals: StationTotals) {
        self.stations.insert((medium.into(), node.into()), totals);
    }

    /// Takes where a node is, in m, in the order of time.
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

    /// Takes that a station reaches another at `time`, `distance` m away, and how likely a frame
    /// arrives, in the order of time.
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

    /// The media that have stations.
    pub(crate) fn media(&self) -> BTreeSet<&str> {
        self.stations.keys().map(|(medium, _)| medium.as_str()).collect()
    }

    /// The stations of a medium with what they did.
    pub(crate) fn stations(&self, medium: &str) -> impl Iterator<Item = (&str, &StationTotals)> {
        let here = self.stations.iter().filter(move |((of, _), _)| of == medium);
        here.map(|((_, node), totals)| (node.as_str(), totals))
    }

    /// Pairs that both reach a third and do not hear each other, each with how many of those: at
    /// the last sample.
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
    /// Middles of distances in m, each with the mean delivery there.
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
