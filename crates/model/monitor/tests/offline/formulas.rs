//! When each criterion is met: Eqs. 4.1 to 4.4 of Maier 2011 and those of the specification, over
//! all times at which anything changes.

use std::collections::{BTreeMap, BTreeSet};

use netloom_monitor::{
    Direction, Observation as O, PageCause, Party, Pressure, Resource, Route, SignalKind as S, Who,
};
use netloom_units::Duration;

use super::Offline;
use super::groups::Piece;

/// Time, party, amount, and length of the interval that ended then.
type Amount = (u64, Party, u64, u64);

impl Offline<'_> {
    pub fn evaluate(&mut self) {
        self.lateness();
        self.drops();
        self.cpus();
        self.disks();
        self.run_queues();
        self.traffic();
        self.memory();
        self.parts_of_time();
        self.metrics();
        self.timeline();
        self.simulation();
        self.divergence();
    }

    /// Every observation that `pick` accepts, by the key that it returns.
    pub(super) fn pick<K: Ord, T>(
        &self,
        pick: impl Fn(u64, &O) -> Option<(K, T)>,
    ) -> BTreeMap<K, Vec<T>> {
        let mut picked: BTreeMap<K, Vec<T>> = BTreeMap::new();
        for (key, value) in self.trace.iter().filter_map(|(at, seen)| pick(at.as_nanos(), seen)) {
            picked.entry(key).or_default().push(value);
        }
        picked
    }

    fn lateness(&mut self) {
        let samples = self.pick(|at, seen| match seen {
            O::Lateness { party, delay, frames } => {
                Some(((), (at, *party, delay.as_nanos(), *frames)))
            }
            _ => None,
        });
        let samples = samples.get(&()).cloned().unwrap_or_default();
        let (tolerance, window) =
            (self.criteria.lateness.tolerance(), self.criteria.lateness.window);
        self.percentile((S::Lateness, Resource::Frames), &samples, tolerance, window);
        let limit = self.criteria.lateness.hard_limit().as_nanos();
        let single =
            samples.iter().map(|(at, party, delay, frames)| (*at, *party, *delay, *frames));
        self.moments((S::Lateness, Resource::SingleFrame), single.collect(), limit);
        let pauses = self.pick(|at, seen| match seen {
            O::Pause { lasted } => {
                let lasted = lasted.as_nanos();
                Some(((), (at, Party::Unattributed, lasted, lasted)))
            }
            _ => None,
        });
        let pauses = pauses.get(&()).cloned().unwrap_or_default();
        self.moments((S::Lateness, Resource::Engine), pauses, limit);
    }

    /// Each value above the limit makes a piece of its own, which ends when it is observed.
    fn moments(&mut self, key: (S, Resource), seen: Vec<(u64, Party, u64, u64)>, limit: u64) {
        let worst =
            seen.iter().filter(|(at, ..)| self.counts(*at)).map(|(_, _, lasted, _)| *lasted);
        let worst = worst.max().map(|lasted| lasted as f64);
        let piece = |(at, party, lasted, amount): &(u64, Party, u64, u64)| Piece {
            from: at.saturating_sub(*lasted),
            to: *at,
            seen: *at,
            over: *at,
            peak: *lasted as f64,
            shares: [(*party, *amount)].into(),
        };
        let pieces = seen.iter().filter(|(_, _, lasted, _)| *lasted > limit).map(piece).collect();
        self.conclude(key, pieces, worst);
    }

    fn drops(&mut self) {
        let lost = self.pick(|at, seen| match seen {
            O::Drops { cause, party, frames } => {
                let key = (S::UnmodelledDrop, Resource::Losses { cause: *cause });
                Some((key, (at, *party, *frames)))
            }
            O::Overrun { of, party, packets } => {
                let key = (S::Buffers, Resource::Buffer { of: *of, who: node(*party) });
                Some((key, (at, *party, *packets)))
            }
            _ => None,
        });
        for (key, lost) in lost {
            let piece = |(at, party, frames): &(u64, Party, u64)| Piece {
                from: *at,
                to: *at,
                seen: *at,
                over: *at,
                peak: 0.0,
                shares: [(*party, *frames)].into(),
            };
            self.conclude(key.clone(), lost.iter().map(piece).collect(), None);
            // The value is the number lost in an episode.
            let outcome = self.outcomes.get_mut(&key).unwrap();
            for episode in &mut outcome.episodes {
                episode.peak = episode.shares.values().sum::<u64>() as f64;
            }
            let counted = outcome.episodes.iter().filter(|episode| !episode.warm_up);
            outcome.worst = counted.map(|episode| episode.peak).reduce(f64::max);
        }
    }

    fn run_queues(&mut self) {
        let (tolerance, window) =
            (self.criteria.run_queue.tolerance(), self.criteria.run_queue.window);
        let parties = self.pick(|at, seen| match seen {
            O::RunQueue { party, delay, times } => {
                let beyond = delay.saturating_sub(tolerance).as_nanos() * times;
                Some((*party, (at, None, beyond, Party::Unattributed)))
            }
            O::Waited { party, began, ended, carried, by } => {
                let from = at.saturating_sub(began.as_nanos().min(window.as_nanos()));
                let left = tolerance.as_nanos().saturating_sub(carried.as_nanos());
                let to = at.saturating_sub(ended.as_nanos() + left);
                Some((*party, (at, Some((from, to)), 0, *by)))
            }
            _ => None,
        });
        // Above 1 % of the time: from the next whole nanosecond on.
        let limit = window.as_nanos() / 100 + 1;
        for (party, waits) in parties {
            let key = (S::RunQueue, Resource::RunQueue { who: node(party) });
            let mut intervals = Vec::new();
            let amounts = waits.into_iter().map(|(at, interval, beyond, by)| {
                let before = union(&intervals);
                intervals.extend(interval);
                (at, by, beyond + union(&intervals) - before, 0)
            });
            let amounts = amounts.collect();
            self.sum(key, amounts, window, limit, 1.0 / window.as_nanos() as f64);
        }
    }

    /// The 99th percentile of the window, at every time at which something enters or leaves.
    fn percentile(
        &mut self,
        key: (S, Resource),
        samples: &[(u64, Party, u64, u64)],
        tolerance: Duration,
        window: Duration,
    ) {
        let (tolerance, window) = (tolerance.as_nanos(), window.as_nanos());
        let times = self.times(samples.iter().map(|sample| sample.0), window);
        let inside = |at: u64| samples.iter().filter(move |s| s.0 <= at && at < s.0 + window);
        let above = |at: u64, limit: u64| -> u64 {
            inside(at).filter(|sample| sample.2 > limit).map(|sample| sample.3).sum()
        };
        let total = |at: u64| inside(at).map(|sample| sample.3).sum::<u64>().max(100);
        let value = |at: u64| -> f64 {
            let candidates = inside(at).map(|sample| sample.2).chain([0]);
            let least = candidates.filter(|delay| above(at, *delay) * 100 <= total(at)).min();
            edge(least.expect("none is above the greatest")) as f64
        };
        let met: Vec<bool> =
            times.iter().map(|at| above(*at, tolerance) * 100 > total(*at)).collect();
        let values: Vec<f64> = times.iter().map(|at| value(*at)).collect();
        // Late frames belong to the first time at which they are in a contended window.
        let counted = samples.iter().filter(|sample| sample.2 > tolerance).map(|sample| {
            let first = times
                .iter()
                .zip(&met)
                .position(|(at, met)| *met && sample.0 <= *at && *at < sample.0 + window);
            (first, sample.1, sample.3)
        });
        let pieces = self.pieces(&times, &met, &values, counted.collect());
        let worst = self.worst(&times, &values);
        self.conclude(key, pieces, worst);
    }

    /// Eq. 4.1.
    fn traffic(&mut self) {
        let routes = self.pick(|at, seen| match seen {
            O::Forwarded { route, party, size, over } => {
                Some((*route, (at, *party, size.bytes() * 8, over.as_nanos())))
            }
            _ => None,
        });
        for (route, amounts) in routes {
            let (key, criteria) = match route {
                Route::Internal => {
                    ((S::NetInternal, Resource::Internal), &self.criteria.net_internal)
                }
                Route::Uplink(n) => (
                    (S::NetExternal, Resource::Uplink { name: n.to_string() }),
                    &self.criteria.net_external,
                ),
            };
            let window = criteria.window;
            let per_second = 1e9 / window.as_nanos() as f64;
            // Σ l / δ ≥ θ, with δ in ns: Σ l · 10⁹ ≥ θ δ.
            let limit = criteria.rate.map_or(u64::MAX, |rate| {
                let bits = u128::from(rate.bits_per_second()) * u128::from(window.as_nanos());
                bits.div_ceil(1_000_000_000) as u64
            });
            self.sum(key, amounts, window, limit, per_second);
        }
    }

    /// Eq. 4.3.
    fn memory(&mut self) {
        let kinds = self.pick(|at, seen| match seen {
            O::Paged { direction, cause, party, pages, over } => {
                let key = match (direction, cause) {
                    (Direction::Out, _) => (S::MemoryOut, Resource::Swap),
                    (Direction::In, PageCause::Swap) => (S::MemoryIn, Resource::Swap),
                    (Direction::In, PageCause::Fault) => (S::MemoryIn, Resource::Faults),
                };
                Some((key, (at, *party, *pages, over.as_nanos())))
            }
            _ => None,
        });
        for (key, amounts) in kinds {
            let criteria = match &key {
                (S::MemoryOut, _) => &self.criteria.memory_out,
                (_, Resource::Swap) => &self.criteria.memory_in,
                _ => &self.criteria.faults,
            };
            let (limit, window) = (criteria.limit, criteria.window);
            self.sum(key, amounts, window, limit, 1.0 / window.as_secs_f64());
        }
    }

    fn parts_of_time(&mut self) {
        let places = self.pick(|at, seen| match seen {
            O::Steal { cpu, stolen, over } => {
                let key = (S::Steal, Resource::Cpu { cpu: *cpu });
                Some((key, (at, Party::Hypervisor, stolen.as_nanos(), over.as_nanos())))
            }
            O::Stalled { of, party, stalled, over } => {
                let key = (S::Pressure, Resource::Pressure { of: *of, who: node(*party) });
                Some((key, (at, *party, stalled.as_nanos(), over.as_nanos())))
            }
            _ => None,
        });
        for (key, amounts) in places {
            let part = match key.0 {
                S::Steal => &self.criteria.steal,
                _ => &self.criteria.pressure,
            };
            let nanos = part.window.as_nanos() as f64;
            // Above the share: from the next whole nanosecond on.
            let limit = match key.1 {
                Resource::Pressure { of: Pressure::Io, .. } => u64::MAX,
                _ => (part.limit.value() * nanos) as u64 + 1,
            };
            self.sum(key, amounts, part.window, limit, 1.0 / nanos);
        }
    }

    /// The sum over the window, at every time at which something enters or leaves. Intervals longer
    /// than the window are compared by their density, each by itself.
    fn sum(
        &mut self,
        key: (S, Resource),
        amounts: Vec<Amount>,
        window: Duration,
        limit: u64,
        worth: f64,
    ) {
        let window = window.as_nanos();
        let (long, events): (Vec<Amount>, Vec<Amount>) =
            amounts.into_iter().partition(|(_, _, _, over)| *over >= window);
        // An interval is in the window as a whole, until its beginning leaves.
        let leaves = |event: &Amount| event.0 + window - event.3;
        let changes: BTreeSet<u64> =
            events.iter().flat_map(|event| [event.0, leaves(event)]).collect();
        let times: Vec<u64> = changes.into_iter().filter(|at| *at <= self.end).collect();
        let sum = |at: u64| -> u64 {
            let inside = events.iter().filter(|event| event.0 <= at && at < leaves(event));
            inside.map(|event| event.2).sum()
        };
        let met: Vec<bool> = times.iter().map(|at| sum(*at) >= limit).collect();
        let values: Vec<f64> = times.iter().map(|at| sum(*at) as f64 * worth).collect();
        let counted = events.iter().map(|event| {
            let first = times
                .iter()
                .zip(&met)
                .position(|(at, met)| *met && event.0 <= *at && *at < leaves(event));
            (first, event.1, event.2)
        });
        let mut pieces = self.pieces(&times, &met, &values, counted.collect());
        let mut worst = self.worst(&times, &values);

        let mut intervals: BTreeMap<(u64, u64), BTreeMap<Party, u64>> = BTreeMap::new();
        for (at, party, amount, over) in long {
            *intervals.entry((at, over)).or_default().entry(party).or_default() += amount;
        }
        for ((at, over), shares) in intervals {
            let total: u64 = shares.values().sum();
            let value = total as f64 * window as f64 / over as f64 * worth;
            if self.counts(at) {
                worst = Some(worst.map_or(value, |worst| worst.max(value)));
            }
            // The amount in a window if it is spread evenly. If any amount is too much, any
            // suffices.
            let spread = u128::from(total) * u128::from(window);
            let met = spread >= u128::from(limit) * u128::from(over) || (limit == 1 && total > 0);
            if met {
                let from = at - over;
                pieces.push(Piece { from, to: at, seen: at, over: at, peak: value, shares });
            }
        }
        // Intervals just below and just above the length of the window may alternate.
        pieces.sort_by_key(|piece| piece.seen);
        self.conclude(key, pieces, worst);
    }

    fn metrics(&mut self) {
        let metrics = self.pick(|at, seen| match seen {
            O::Metric { metric, party, value } => Some(((*metric, *party), (at, *value))),
            _ => None,
        });
        for ((metric, party), reports) in metrics {
            let name = self.trace.iter().find_map(|(_, seen)| match seen {
                O::Named { what: netloom_monitor::Subject::Metric(n), name } if *n == metric => {
                    Some(name.clone())
                }
                _ => None,
            });
            let name = name.expect("the metric has a name");
            let limit = self.criteria.application[&name];
            let mut pieces: Vec<Piece> = Vec::new();
            let mut above = false;
            for (at, value) in &reports {
                let last = pieces.last_mut().filter(|_| above);
                match last {
                    Some(piece) if *value > limit => {
                        piece.to = *at;
                        piece.peak = piece.peak.max(*value);
                        *piece.shares.get_mut(&party).unwrap() += 1;
                    }
                    Some(piece) => {
                        (piece.to, piece.over) = (*at, *at);
                    }
                    None if *value > limit => pieces.push(Piece {
                        from: *at,
                        to: *at,
                        seen: *at,
                        over: u64::MAX,
                        peak: *value,
                        shares: [(party, 1)].into(),
                    }),
                    None => {}
                }
                above = *value > limit;
            }
            let counted = reports.iter().filter(|(at, _)| self.counts(*at));
            let worst = counted.map(|(_, value)| *value).reduce(f64::max);
            let key = (S::Application, Resource::Metric { name, who: node(party) });
            self.conclude(key, pieces, worst);
        }
    }

    fn timeline(&mut self) {
        let tolerance = self.criteria.timeline.tolerance.as_nanos();
        let late = self.pick(|at, seen| match seen {
            O::Event { late } => Some(((), (at, late.as_nanos() as f64))),
            _ => None,
        });
        self.events((S::Timeline, Resource::Events), late.get(&()).cloned(), tolerance as f64);
        let missed = self.pick(|at, seen| match seen {
            O::MissedEvent { due_for } => Some(((), (at, due_for.as_nanos().max(1) as f64))),
            _ => None,
        });
        self.events((S::Timeline, Resource::MissedEvents), missed.get(&()).cloned(), 0.0);
    }

    /// Late: more than a period. Lost: two late ones in turn, or one of more than three periods.
    fn simulation(&mut self) {
        let followed = self.pick(|at, seen| match seen {
            O::Simulated { period, took } => {
                Some(((), (at, took.as_nanos() as f64 / period.as_nanos().max(1) as f64)))
            }
            _ => None,
        });
        let all = followed.get(&()).cloned().unwrap_or_default();
        let late = |place: usize| all[place].1 > 1.0;
        let lost = (0..all.len()).filter(|place| {
            late(*place) && (all[*place].1 > 3.0 || (*place > 0 && late(place - 1)))
        });
        let lost = lost.map(|place| all[place]).collect();
        self.events((S::Simulation, Resource::LostPeriods), Some(lost), 1.0);
        self.events((S::Simulation, Resource::Periods), Some(all), 1.0);
    }

    /// A difference of more than a tenth of the twin's value.
    fn divergence(&mut self) {
        let delay = self.pick(|at, seen| match seen {
            O::Compared { delay, .. } => Some(((), (at, (*delay)?))),
            _ => None,
        });
        self.events((S::Divergence, Resource::FlowDelay), delay.get(&()).cloned(), 0.1);
        let throughput = self.pick(|at, seen| match seen {
            O::Compared { throughput, .. } => Some(((), (at, (*throughput)?))),
            _ => None,
        });
        self.events((S::Divergence, Resource::FlowThroughput), throughput.get(&()).cloned(), 0.1);
    }

    /// Each value above the limit makes a moment of its own, without shares.
    fn events(&mut self, key: (S, Resource), seen: Option<Vec<(u64, f64)>>, limit: f64) {
        let seen = seen.unwrap_or_default();
        let worst =
            seen.iter().filter(|(at, _)| self.counts(*at)).map(|(_, late)| *late).reduce(f64::max);
        let piece = |(at, late): &(u64, f64)| Piece {
            from: *at,
            to: *at,
            seen: *at,
            over: *at,
            peak: *late,
            shares: [].into(),
        };
        let pieces = seen.iter().filter(|(_, late)| *late > limit).map(piece).collect();
        self.conclude(key, pieces, worst);
    }

    /// All times at which a window changes.
    fn times(&self, events: impl Iterator<Item = u64>, window: u64) -> Vec<u64> {
        let changes: BTreeSet<u64> = events.flat_map(|at| [at, at + window]).collect();
        changes.into_iter().filter(|at| *at <= self.end).collect()
    }

    /// Series of times at which a criterion is met. `counted`: (index of a time, party, amount).
    fn pieces(
        &self,
        times: &[u64],
        met: &[bool],
        values: &[f64],
        counted: Vec<(Option<usize>, Party, u64)>,
    ) -> Vec<Piece> {
        let mut pieces: Vec<Piece> = Vec::new();
        for (index, at) in times.iter().enumerate().filter(|(index, _)| met[*index]) {
            let next = times.get(index + 1).copied();
            let goes_on = index > 0 && met[index - 1];
            if !goes_on {
                pieces.push(Piece { from: *at, seen: *at, ..Piece::default() });
            }
            let piece = pieces.last_mut().expect("one has begun");
            piece.to = next.unwrap_or(self.end);
            piece.over = next.unwrap_or(u64::MAX);
            piece.peak = piece.peak.max(values[index]);
            for (_, party, amount) in counted.iter().filter(|(time, ..)| *time == Some(index)) {
                *piece.shares.entry(*party).or_default() += amount;
            }
        }
        pieces
    }

    /// The worst value since the warm-up, including the value at its end.
    fn worst(&self, times: &[u64], values: &[f64]) -> Option<f64> {
        let since = self
            .settled
            .map_or(0, |settled| times.iter().rposition(|at| *at <= settled).unwrap_or(0));
        values.iter().skip(since).copied().reduce(f64::max)
    }
}

/// Total length of the union of the intervals.
fn union(intervals: &[(u64, u64)]) -> u64 {
    let mut sorted = intervals.to_vec();
    sorted.sort_unstable();
    let (mut covered, mut until) = (0, 0);
    for (from, to) in sorted {
        covered += to.saturating_sub(from.max(until));
        until = until.max(to);
    }
    covered
}

fn node(party: Party) -> Who {
    match party {
        Party::Node(node) => Who::Node { name: node.to_string() },
        _ => Who::Unattributed,
    }
}

/// The upper edge of a delay's bucket. There are 16 buckets to an octave.
fn edge(delay: u64) -> u64 {
    if delay < 16 {
        return delay;
    }
    let width = 1 << (delay.ilog2() - 4);
    (delay / width + 1) * width - 1
}
