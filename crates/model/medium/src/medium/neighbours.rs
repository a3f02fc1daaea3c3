//! How well stations hear each other without interference, and pairs that come within reach of each
//! other or leave it. `receiving` decides which frames are received.

use std::collections::VecDeque;

use netloom_link::Frame;
use netloom_mobility::Point;
use netloom_radio::{dbm, milliwatts};
use netloom_units::{Duration, Rate, Time};

use super::Medium;
use crate::StationId;
use crate::config::ReceptionRule;
use crate::field::{FOREVER, Path};
use crate::phy::air_bytes;

/// Size of the Ethernet frame, without FCS, for which deliveries are computed: a packet of 1500
/// bytes.
const BYTES: u32 = 1514;

/// Interval at which the pairs within reach are computed.
const LOOK: Duration = Duration::from_millis(100);

/// How well another station hears a station.
#[derive(Debug, Clone, PartialEq)]
pub struct NeighbourView {
    /// The station that hears it.
    pub station: StationId,
    /// Distance between the two in m, along the cable if there is one.
    pub distance: f64,
    /// Power that arrives there in dBm, without fading.
    pub power: f64,
    /// The ratio of that power to noise, in dB.
    pub snr: f64,
    /// Whether the signal can be decoded. One that cannot still keeps the other from sending.
    pub decodes: bool,
    /// Rate of the next frame with a packet of 1500 bytes to it.
    pub rate: Rate,
    /// Probability that such a frame survives there, without fading and interference.
    pub delivery: f64,
    /// Stations that are heard there and do not hear the sender, so they may send while it does.
    /// Filled in only if a single station was queried.
    pub hidden: Vec<StationId>,
}

/// A pair of stations that can decode each other from now on, or cannot any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NeighbourChange {
    /// First whole nanosecond at which the change holds.
    pub at: Time,
    /// The two, the lower number first.
    pub pair: (StationId, StationId),
    /// Whether they can decode each other.
    pub up: bool,
}

/// Two stations, or a path from the first to the second.
type Pair = (StationId, StationId);

/// The pairs that can decode each other, and the changes of that set.
#[derive(Debug)]
pub(super) struct NeighbourWatch {
    /// In order.
    pairs: Vec<Pair>,
    looked: Time,
    /// When it is looked next.
    next: Time,
    changes: VecDeque<NeighbourChange>,
}

impl<F: Frame> Medium<F> {
    /// Returns the stations that a station reaches at `now`, in the order of their numbers.
    pub fn neighbours(&mut self, now: Time, id: StationId) -> Vec<NeighbourView> {
        let mut views = self.reached(now, id);
        let sensed = self.senses(id);
        let deaf = self.ids().into_iter().filter(|other| *other != id && !sensed.contains(other));
        for other in deaf.collect::<Vec<_>>() {
            let reached = self.senses(other);
            for view in views.iter_mut().filter(|view| reached.contains(&view.station)) {
                view.hidden.push(other);
            }
        }
        views
    }

    /// Returns the stations that a station reaches at `now`, without hidden stations, in the order
    /// of their numbers.
    pub fn reached(&mut self, now: Time, id: StationId) -> Vec<NeighbourView> {
        self.run(now);
        let (paths, _) = self.ways(self.now, id);
        let sensed = paths.iter().filter(|path| self.is_sensed(path));
        sensed.map(|path| self.view(id, path)).collect()
    }

    /// Returns the stations that each station reaches at `now`, without hidden stations.
    pub fn all_neighbours(&mut self, now: Time) -> Vec<(StationId, Vec<NeighbourView>)> {
        let ids = self.ids();
        ids.into_iter().map(|id| (id, self.reached(now, id))).collect()
    }

    /// Returns the positions of stations at `now`, in the order of their numbers; `None` for one
    /// that is away.
    pub fn positions(&mut self, now: Time) -> Vec<(StationId, Option<Point>)> {
        self.run(now);
        let ids = self.ids();
        ids.into_iter().map(|id| (id, self.field.position(self.now, id))).collect()
    }

    /// Starts to record the pairs that come within reach of each other or leave it, for
    /// [`poll_neighbour`](Self::poll_neighbour). Pairs are compared every 100 ms and at every
    /// change. Changes that are undone in between are missed.
    pub fn watch_neighbours(&mut self, now: Time) {
        self.run(now);
        let ((pairs, next), looked) = (self.pairs(self.now), self.now);
        let up = |pair: &Pair| NeighbourChange { at: looked, pair: *pair, up: true };
        let changes = pairs.iter().map(up).collect();
        self.watch = Some(NeighbourWatch { pairs, looked, next, changes });
    }

    /// Returns whether pairs are watched.
    pub fn watches_neighbours(&self) -> bool {
        self.watch.is_some()
    }

    /// Stops watching pairs.
    pub fn forget_neighbours(&mut self) {
        self.watch = None;
    }

    /// Returns the next pair that came or went by `now`, in the order of time. The first ones are
    /// all pairs that are within reach at the start.
    pub fn poll_neighbour(&mut self, now: Time) -> Option<NeighbourChange> {
        self.run(now);
        self.watch.as_mut()?.changes.pop_front()
    }

    /// Compares the pairs now, because a change takes effect immediately.
    pub(super) fn look_around(&mut self) {
        if self.watch.is_some() {
            self.look(self.now);
        }
    }

    /// Makes the comparisons that are due up to `now`.
    pub(super) fn look_until(&mut self, now: Time) {
        while let Some(next) = self.watch.as_ref().map(|watch| watch.next)
            && next <= now
        {
            self.look(next);
        }
    }

    /// Compares the pairs at `at` with those of the last comparison.
    fn look(&mut self, at: Time) {
        let (pairs, next) = self.pairs(at);
        let Some(watch) = self.watch.take() else { return };
        let came = missing(&pairs, &watch.pairs).map(|pair| (pair, true));
        let went = missing(&watch.pairs, &pairs).map(|pair| (pair, false));
        let mut found: Vec<NeighbourChange> = came
            .chain(went)
            .map(|(pair, up)| NeighbourChange {
                at: self.turn(pair, up, (watch.looked, at)),
                pair,
                up,
            })
            .collect();
        found.sort_by_key(|change| (change.at, change.pair));
        let mut changes = watch.changes;
        changes.extend(found);
        self.watch = Some(NeighbourWatch { pairs, looked: at, next, changes });
    }

    /// Returns the first nanosecond after `before` and up to `after` at which a pair has its state
    /// of `after`.
    fn turn(&mut self, (a, b): Pair, up: bool, (mut before, mut after): (Time, Time)) -> Time {
        while after.since(before) > Duration::from_nanos(1) {
            let middle = before + Duration::from_nanos(after.since(before).as_nanos() / 2);
            let is_up = self.reaches(middle, a, b) && self.reaches(middle, b, a);
            *(if is_up == up { &mut after } else { &mut before }) = middle;
        }
        after
    }

    /// Returns the pairs that decode each other at `at`, in order, and the time of the next
    /// comparison.
    fn pairs(&mut self, at: Time) -> (Vec<Pair>, Time) {
        let mut ways = Vec::new();
        // Nothing changes as long as no station moves.
        let mut still = FOREVER;
        for from in self.ids() {
            let (paths, until) = self.ways(at, from);
            still = still.min(until);
            ways.extend(paths.iter().filter(|path| self.decodes(path)).map(|path| (from, path.to)));
        }
        let is_mutual = |(a, b): &&Pair| a < b && ways.binary_search(&(*b, *a)).is_ok();
        (ways.iter().filter(is_mutual).copied().collect(), still.max(at + LOOK))
    }

    fn reaches(&mut self, at: Time, from: StationId, to: StationId) -> bool {
        let are_on = self.may_hear(from) && self.may_hear(to);
        let way = if are_on { self.field.way(at, from, to) } else { None };
        way.is_some_and(|path| self.decodes(&path))
    }

    /// Returns the paths from a station to all stations that are on and may hear it, and the time
    /// until which they stay valid.
    fn ways(&mut self, at: Time, from: StationId) -> (Vec<Path>, Time) {
        let (mut paths, mut until) = (Vec::new(), FOREVER);
        if self.may_hear(from) {
            until = self.field.paths(at, from, &mut paths);
        }
        paths.retain(|path| self.may_hear(path.to));
        paths.sort_unstable_by_key(|path| path.to);
        (paths, until)
    }

    /// Returns whether a station's radio is switched on. A station that is joining an access point
    /// counts, because its position is known.
    fn may_hear(&self, id: StationId) -> bool {
        self.station(id).is_some_and(|station| !station.config.off)
    }

    fn decodes(&self, path: &Path) -> bool {
        path.can_decode && path.power >= self.config.sensitivity()
    }

    /// Returns the stations that a station keeps from sending.
    fn senses(&mut self, from: StationId) -> Vec<StationId> {
        let (paths, _) = self.ways(self.now, from);
        paths.iter().filter(|path| self.is_sensed(path)).map(|path| path.to).collect()
    }

    /// Returns whether a signal keeps its receiver from sending.
    fn is_sensed(&self, path: &Path) -> bool {
        self.decodes(path) || path.power >= self.config.cs_threshold.dbm()
    }

    fn view(&self, from: StationId, path: &Path) -> NeighbourView {
        let bytes = air_bytes(BYTES);
        let ratio = milliwatts(path.power) / self.rules.noise;
        let station = self.station(from);
        let rate = station.and_then(|station| station.mac.rate_to(path.to, bytes, ratio));
        let rate = rate.unwrap_or(self.timing.highest());
        let decodes = self.decodes(path);
        let survives = match self.config.reception {
            _ if !decodes => 0.0,
            ReceptionRule::Sinr if self.config.mac.disturbs() => {
                self.rules.coding(rate).success(ratio, f64::from(bytes) * 8.0)
            }
            ReceptionRule::Sinr | ReceptionRule::Threshold | ReceptionRule::Collision => 1.0,
        };
        NeighbourView {
            station: path.to,
            distance: path.distance,
            power: path.power,
            snr: path.power - dbm(self.rules.noise),
            decodes,
            rate,
            delivery: survives * (1.0 - path.channel.loses(BYTES)),
            hidden: Vec::new(),
        }
    }

    fn ids(&self) -> Vec<StationId> {
        let all = (0..).map(StationId).zip(&self.stations);
        all.filter(|(_, station)| station.is_some()).map(|(id, _)| id).collect()
    }
}

/// Returns the elements of `pairs` that are not in `others`. Both are sorted.
fn missing<'a>(pairs: &'a [Pair], others: &'a [Pair]) -> impl Iterator<Item = Pair> + use<'a> {
    pairs.iter().copied().filter(|pair| others.binary_search(pair).is_err())
}
