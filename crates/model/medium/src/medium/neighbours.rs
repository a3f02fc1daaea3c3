//! Who hears whom how well, without what disturbs it; and pairs that come within reach of each
//! other or leave it. Not here: what is received (`receiving`).

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

/// The Ethernet frame that deliveries are reckoned for, without FCS: a packet of 1500 bytes.
const BYTES: u32 = 1514;

/// How often it is looked who is within reach.
const LOOK: Duration = Duration::from_millis(100);

/// How well a station is heard by another.
#[derive(Debug, Clone, PartialEq)]
pub struct NeighbourView {
    /// Who hears it.
    pub station: StationId,
    /// How far away that is, in m; along the cable if there is one.
    pub distance: f64,
    /// Power that arrives there, in dBm, without fading.
    pub power: f64,
    /// The ratio of that power to noise, in dB.
    pub snr: f64,
    /// Whether what arrives can be decoded; if not, it keeps the other from sending.
    pub decodes: bool,
    /// The rate of the next frame of 1500 bytes of packet to it.
    pub rate: Rate,
    /// The probability that such a frame survives there, without fading and interference.
    pub delivery: f64,
    /// Others that are heard there and do not hear the station: they may send while it does. Known
    /// if a single station was asked for.
    pub hidden: Vec<StationId>,
}

/// A pair of stations that can decode each other from now on, or cannot any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NeighbourChange {
    /// The first whole nanosecond at which it is so.
    pub at: Time,
    /// The two, the lower number first.
    pub pair: (StationId, StationId),
    /// Whether they can.
    pub up: bool,
}

/// Two stations, or a way from one to another.
type Pair = (StationId, StationId);

/// Which pairs can decode each other, and what has changed of that.
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
    /// Those that a station reaches at `now`, in the order of their numbers.
    pub fn neighbours(&mut self, now: Time, id: StationId) -> Vec<NeighbourView> {
        self.run(now);
        let mut views = self.reached(id);
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

    /// Those that each station reaches at `now`, without who is hidden from it.
    pub fn all_neighbours(&mut self, now: Time) -> Vec<(StationId, Vec<NeighbourView>)> {
        self.run(now);
        let ids = self.ids();
        ids.into_iter().map(|id| (id, self.reached(id))).collect()
    }

    /// Where stations are at `now`, in the order of their numbers; nothing where one is away.
    pub fn positions(&mut self, now: Time) -> Vec<(StationId, Option<Point>)> {
        self.run(now);
        let ids = self.ids();
        ids.into_iter().map(|id| (id, self.field.position(self.now, id))).collect()
    }

    /// Keeps from now on which pairs come within reach of each other and leave it, for
    /// [`poll_neighbour`](Self::poll_neighbour). It is looked each 100 ms, and at every change;
    /// what comes and goes in between is not seen.
    pub fn watch_neighbours(&mut self, now: Time) {
        self.run(now);
        let ((pairs, next), looked) = (self.pairs(self.now), self.now);
        let up = |pair: &Pair| NeighbourChange { at: looked, pair: *pair, up: true };
        let changes = pairs.iter().map(up).collect();
        self.watch = Some(NeighbourWatch { pairs, looked, next, changes });
    }

    /// Whether pairs are watched.
    pub fn watches_neighbours(&self) -> bool {
        self.watch.is_some()
    }

    /// Watches pairs no more.
    pub fn forget_neighbours(&mut self) {
        self.watch = None;
    }

    /// The next pair that came or went by `now`, in order of time; at first all that are within
    /// reach.
    pub fn poll_neighbour(&mut self, now: Time) -> Option<NeighbourChange> {
        self.run(now);
        self.watch.as_mut()?.changes.pop_front()
    }

    /// Looks who is within reach now, since something changes at once.
    pub(super) fn look_around(&mut self) {
        if self.watch.is_some() {
            self.look(self.now);
        }
    }

    /// Takes the looks that are due up to `now`.
    pub(super) fn look_until(&mut self, now: Time) {
        while let Some(next) = self.watch.as_ref().map(|watch| watch.next)
            && next <= now
        {
            self.look(next);
        }
    }

    /// Compares the pairs at `at` with those of the look before.
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

    /// The first nanosecond after `before` and up to `after` at which a pair is as it is then.
    fn turn(&mut self, (a, b): Pair, up: bool, (mut before, mut after): (Time, Time)) -> Time {
        while after.since(before) > Duration::from_nanos(1) {
            let middle = before + Duration::from_nanos(after.since(before).as_nanos() / 2);
            let is_up = self.reaches(middle, a, b) && self.reaches(middle, b, a);
            *(if is_up == up { &mut after } else { &mut before }) = middle;
        }
        after
    }

    /// The pairs that decode each other at `at`, in order, and when to look again.
    fn pairs(&mut self, at: Time) -> (Vec<Pair>, Time) {
        let mut ways = Vec::new();
        // As long as nothing moves there is nothing to see.
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

    /// The ways from a station to all that are on and may hear it, and until when that stays so.
    fn ways(&mut self, at: Time, from: StationId) -> (Vec<Path>, Time) {
        let (mut paths, mut until) = (Vec::new(), FOREVER);
        if self.may_hear(from) {
            until = self.field.paths(at, from, &mut paths);
        }
        paths.retain(|path| self.may_hear(path.to));
        paths.sort_unstable_by_key(|path| path.to);
        (paths, until)
    }

    /// Whether a station's radio is switched on. One that is on its way to an access point counts:
    /// it is where it is.
    fn may_hear(&self, id: StationId) -> bool {
        self.station(id).is_some_and(|station| !station.config.off)
    }

    fn decodes(&self, path: &Path) -> bool {
        path.can_decode && path.power >= self.config.sensitivity()
    }

    /// Who a station keeps from sending.
    fn senses(&mut self, from: StationId) -> Vec<StationId> {
        let threshold = self.config.cs_threshold.dbm();
        let (paths, _) = self.ways(self.now, from);
        let sensed = paths.iter().filter(|path| self.decodes(path) || path.power >= threshold);
        sensed.map(|path| path.to).collect()
    }

    fn reached(&mut self, id: StationId) -> Vec<NeighbourView> {
        let sensed = self.senses(id);
        let (mut paths, _) = self.ways(self.now, id);
        paths.retain(|path| sensed.contains(&path.to));
        paths.iter().map(|path| self.view(id, path)).collect()
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

/// Those of `pairs` that are not among `others`; both are in order.
fn missing<'a>(pairs: &'a [Pair], others: &'a [Pair]) -> impl Iterator<Item = Pair> + use<'a> {
    pairs.iter().copied().filter(|pair| others.binary_search(pair).is_err())
}
