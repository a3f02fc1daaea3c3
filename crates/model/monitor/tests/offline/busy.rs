//! Times during which something was busy without a break for too long: Eqs. 4.2 and 4.4 of Maier
//! 2011, over events, over intervals, and over reported stretches.

use std::collections::BTreeMap;

use netloom_monitor::{BusyStretch, Observation as O, Party, Resource, SignalKind as S};
use netloom_units::Duration;

use super::Offline;
use super::groups::Piece;

/// A busy time without a break.
#[derive(Default)]
struct Busy {
    from: u64,
    to: u64,
    /// When it was detected that the time is too long; the next field: that it is over.
    seen: Option<u64>,
    over: u64,
    shares: BTreeMap<Party, u64>,
}

impl Offline<'_> {
    /// Eq. 4.2: from the end of one idle time to the beginning of the next.
    pub(super) fn cpus(&mut self) {
        let longest = self.criteria.cpu.longest.as_nanos();
        let switches = self.pick(|at, seen| match seen {
            O::CpuSwitch { cpu, to } => Some((*cpu, (at, *to))),
            _ => None,
        });
        for (cpu, switches) in &switches {
            let mut busy: Vec<(u64, u64, BTreeMap<Party, u64>)> = Vec::new();
            let ends = switches.iter().skip(1).map(|(at, _)| *at).chain([self.end]);
            let mut was_idle = true;
            for ((at, to), end) in switches.iter().zip(ends) {
                match (to, busy.last_mut()) {
                    (Some(party), Some((_, known, shares))) if !was_idle => {
                        *known = end;
                        *shares.entry(*party).or_default() += end - at;
                    }
                    (Some(party), _) => busy.push((*at, end, [(*party, end - at)].into())),
                    (None, _) => {}
                }
                was_idle = to.is_none();
            }
            self.stretches((S::Cpu, Resource::Cpu { cpu: *cpu }), busy, longest);
        }
        let reported = self.pick(|at, seen| match seen {
            O::CpuStretch { cpu, stretch } => Some((*cpu, (at, stretch.clone()))),
            _ => None,
        });
        let intervals = self.pick(|at, seen| match seen {
            O::CpuInterval { cpu, over, idle }
                if !switches.contains_key(cpu) && !reported.contains_key(cpu) =>
            {
                Some((*cpu, (at, over.as_nanos(), *idle == Duration::ZERO)))
            }
            _ => None,
        });
        for (cpu, intervals) in intervals {
            self.polled((S::Cpu, Resource::Cpu { cpu }), intervals, longest);
        }
        for (cpu, reported) in reported {
            self.reported((S::Cpu, Resource::Cpu { cpu }), &reported, longest);
        }
    }

    /// Eq. 4.4: from the first request to an idle disk until none is pending.
    pub(super) fn disks(&mut self) {
        let longest = self.criteria.disk.longest.as_nanos();
        let requests = self.pick(|at, seen| match seen {
            O::DiskIssued { disk, party } => Some((*disk, (at, Some(*party)))),
            O::DiskCompleted { disk } => Some((*disk, (at, None))),
            _ => None,
        });
        for (disk, requests) in &requests {
            let mut busy: Vec<(u64, u64, BTreeMap<Party, u64>)> = Vec::new();
            let mut pending = 0u64;
            for (at, issued) in requests {
                match (issued, pending) {
                    (Some(party), 0) => {
                        busy.push((*at, self.end, [(*party, 1)].into()));
                        pending = 1;
                    }
                    (Some(party), _) => {
                        *busy.last_mut().unwrap().2.entry(*party).or_default() += 1;
                        pending += 1;
                    }
                    (None, 0) => {}
                    (None, _) => {
                        pending -= 1;
                        if pending == 0 {
                            busy.last_mut().unwrap().1 = *at;
                        }
                    }
                }
            }
            let name = disk.to_string();
            self.stretches((S::Disk, Resource::Disk { name }), busy, longest);
        }
        let reported = self.pick(|at, seen| match seen {
            O::DiskStretch { disk, stretch } => Some((*disk, (at, stretch.clone()))),
            _ => None,
        });
        let intervals = self.pick(|at, seen| match seen {
            O::DiskInterval { disk, over, idle }
                if !requests.contains_key(disk) && !reported.contains_key(disk) =>
            {
                Some((*disk, (at, over.as_nanos(), *idle == Duration::ZERO)))
            }
            _ => None,
        });
        for (disk, intervals) in intervals {
            let name = disk.to_string();
            self.polled((S::Disk, Resource::Disk { name }), intervals, longest);
        }
        for (disk, reported) in reported {
            let name = disk.to_string();
            self.reported((S::Disk, Resource::Disk { name }), &reported, longest);
        }
    }

    /// Busy times with their users. Contention holds from the limit on.
    fn stretches(
        &mut self,
        key: (S, Resource),
        busy: Vec<(u64, u64, BTreeMap<Party, u64>)>,
        longest: u64,
    ) {
        let counted = busy.iter().filter(|(_, to, _)| self.counts(*to));
        let worst = counted.map(|(from, to, _)| (to - from) as f64).reduce(f64::max);
        let long = busy.into_iter().filter(|(from, to, _)| to - from >= longest);
        let piece = |(from, to, shares): (u64, u64, BTreeMap<Party, u64>)| Piece {
            from,
            to,
            seen: from + longest,
            over: if to == self.end { u64::MAX } else { to },
            peak: (to - from) as f64,
            shares,
        };
        let pieces = long.map(piece).collect();
        self.conclude(key, pieces, worst);
    }

    /// Intervals: (end, length, without an idle moment). Adjacent busy intervals make a stretch.
    fn polled(&mut self, key: (S, Resource), intervals: Vec<(u64, u64, bool)>, longest: u64) {
        // From, to, when it was long enough, when its end was detected.
        let mut busy: Vec<(u64, u64, Option<u64>, u64)> = Vec::new();
        for (at, over, full) in intervals {
            let from = at - over;
            let last = busy.last_mut().filter(|(.., seen_over)| *seen_over == u64::MAX);
            match last {
                Some((since, to, seen, _)) if full && *to == from => {
                    *to = at;
                    if seen.is_none() && at - *since >= longest {
                        *seen = Some(at);
                    }
                }
                last => {
                    if let Some((.., over)) = last {
                        *over = at;
                    }
                    if full {
                        let seen = (at - from >= longest).then_some(at);
                        busy.push((from, at, seen, u64::MAX));
                    }
                }
            }
        }
        let unattributed = |(from, to, seen, over): (u64, u64, Option<u64>, u64)| Busy {
            from,
            to,
            seen,
            over,
            shares: [(Party::Unattributed, to - from)].into(),
        };
        self.busy(key, busy.into_iter().map(unattributed).collect());
    }

    /// Stretches as they were reported: (when, stretch). If another stretch follows, the one before
    /// lasted at least until it was last reported.
    fn reported(&mut self, key: (S, Resource), reported: &[(u64, BusyStretch)], longest: u64) {
        let mut busy: Vec<(u64, Busy)> = Vec::new();
        let mut known = 0;
        for (at, stretch) in reported {
            let same =
                |(number, last): &(u64, Busy)| *number == stretch.number && last.over == u64::MAX;
            if !busy.last().is_some_and(same) {
                if let Some((_, last)) = busy.last_mut() {
                    last.over = last.over.min(*at);
                }
                let from = at - stretch.began.as_nanos();
                busy.push((
                    stretch.number,
                    Busy { from, to: from, over: u64::MAX, ..Busy::default() },
                ));
            }
            let (_, last) = busy.last_mut().expect("there is one");
            let ended = at - stretch.ended.map_or(0, Duration::as_nanos);
            last.to = ended.max(last.from).max(known);
            known = last.to;
            for (party, amount) in &stretch.by {
                *last.shares.entry(*party).or_default() += amount;
            }
            if last.to - last.from >= longest {
                last.seen.get_or_insert(last.to);
            }
            if stretch.ended.is_some() {
                last.over = *at;
            }
        }
        self.busy(key, busy.into_iter().map(|(_, busy)| busy).collect());
    }

    fn busy(&mut self, key: (S, Resource), busy: Vec<Busy>) {
        let counted = busy.iter().filter(|busy| self.counts(busy.over));
        let worst = counted.map(|busy| (busy.to - busy.from) as f64).reduce(f64::max);
        let piece = |Busy { from, to, seen, over, shares }| {
            let peak = (to - from) as f64;
            seen.map(|seen| Piece { from, to, seen, over, peak, shares })
        };
        let pieces = busy.into_iter().filter_map(piece).collect();
        self.conclude(key, pieces, worst);
    }
}
