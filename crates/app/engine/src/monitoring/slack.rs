//! Accounts for workers that wait awake: they keep their CPU busy, but have time left. A stretch in
//! which probes report a CPU as busy therefore ends when a worker had nothing to do, and a new one
//! begins after that. Others that want this CPU meanwhile are observed waiting for it
//! (`run_queue`). If others keep the CPU busy and the engine hardly uses it, they would have run in
//! those moments, so there was no time left.

use std::collections::BTreeMap;

use netloom_dataplane::Slack;
use netloom_monitor::{BusyStretch, Observation, Party};
use netloom_units::{Duration, Time};

/// The known slack of each CPU.
#[derive(Debug, Default)]
pub struct Slacks(BTreeMap<u32, Known>);

/// Moments at which a CPU had time left.
#[derive(Debug, Clone, Copy)]
struct Known {
    /// The last of them before the latest report of a stretch.
    before: Option<Time>,
    /// The first and the last since then.
    since: Option<(Time, Time)>,
}

/// The engine hardly uses a CPU if it uses less than one part in this many of the time.
const HARDLY: u64 = 10;

/// Flag in the number of a stretch that begins after slack, and not with a switch.
const AFTER_SLACK: u64 = 1 << 63;

impl Slacks {
    /// Adds slack that was observed since the last look.
    pub fn add(&mut self, slack: Slack) {
        let Slack { cpu, first, last } = slack;
        let known = self.0.entry(cpu).or_insert(Known { before: None, since: None });
        known.since = Some((known.since.map_or(first, |(before, _)| before.min(first)), last));
    }

    /// Passes on an observation of a probe at `at`, with slack taken into account.
    pub fn split(&mut self, at: Time, seen: Observation, sink: &mut dyn FnMut(Observation)) {
        match seen {
            Observation::CpuStretch { cpu, stretch } => {
                let Some(known) = self.0.get_mut(&cpu) else {
                    return sink(Observation::CpuStretch { cpu, stretch });
                };
                let mut slack = *known;
                if is_of_others(&stretch) {
                    slack.since = None;
                }
                // After the end of one stretch, another may be reported at the same time.
                if stretch.ended.is_none() {
                    known.since = slack.since;
                    known.report();
                }
                for stretch in slack.pieces(at, stretch) {
                    sink(Observation::CpuStretch { cpu, stretch });
                }
            }
            Observation::CpuInterval { cpu, over, idle } => {
                let had_time = self.0.get_mut(&cpu).is_some_and(|known| {
                    known.report();
                    known.before.is_some_and(|last| last + over > at)
                });
                let least = Duration::from_nanos(u64::from(had_time));
                sink(Observation::CpuInterval { cpu, over, idle: idle.max(least) });
            }
            other => sink(other),
        }
    }
}

/// Whether others than the engine keep the CPU busy, as far as is known.
fn is_of_others(stretch: &BusyStretch) -> bool {
    let used: u64 = stretch.by.iter().map(|(_, used)| used).sum();
    let engine = stretch.by.iter().filter(|(party, _)| *party == Party::Engine);
    engine.map(|(_, used)| used).sum::<u64>() * HARDLY < used
}

impl Known {
    fn report(&mut self) {
        self.before = self.since.take().map(|(_, last)| last).or(self.before);
    }

    /// Returns the part of the stretch until its first slack, and the part after its last.
    fn pieces(self, at: Time, stretch: BusyStretch) -> impl Iterator<Item = BusyStretch> {
        let (began, ended) = (at - stretch.began, stretch.ended.map_or(at, |ended| at - ended));
        let within = |time: &Time| began < *time && *time < ended;
        let before = self.before.filter(within);
        let (first, last) = self.since.unzip();
        let (first, last) = (first.filter(within), last.filter(within));
        let piece = |from: Option<Time>, ended, by| BusyStretch {
            number: from.map_or(stretch.number, |from| from.as_nanos() | AFTER_SLACK),
            began: at.since(from.unwrap_or(began)),
            ended,
            by,
        };
        match last {
            None => [Some(piece(before, stretch.ended, stretch.by)), None],
            Some(last) => {
                let first = first.unwrap_or(last);
                // The users of the CPU are not known in such detail: the longer piece is charged
                // with all of them.
                let is_first_longer = first.since(before.unwrap_or(began)) > ended.since(last);
                let (mine, other) = (stretch.by, Vec::new());
                let (by, then) = if is_first_longer { (mine, other) } else { (other, mine) };
                [
                    Some(piece(before, Some(at.since(first)), by)),
                    Some(piece(Some(last), stretch.ended, then)),
                ]
            }
        }
        .into_iter()
        .flatten()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(time: u64) -> Time {
        Time::ZERO + Duration::from_millis(time)
    }

    /// Returns the stretches, as begin, end and number, that result from one of CPU 0 reported at
    /// `at`.
    fn pieces(
        slacks: &mut Slacks,
        at: u64,
        began: u64,
        ended: Option<u64>,
    ) -> Vec<(u64, Option<u64>, u64)> {
        pieces_of(slacks, at, began, ended, vec![(Party::Engine, 7)])
    }

    fn pieces_of(
        slacks: &mut Slacks,
        at: u64,
        began: u64,
        ended: Option<u64>,
        by: Vec<(Party, u64)>,
    ) -> Vec<(u64, Option<u64>, u64)> {
        let ago = |time: u64| Duration::from_millis(at - time);
        let (ended, all) = (ended.map(ago), by.len());
        let stretch = BusyStretch { number: 5, began: ago(began), ended, by };
        let mut pieces = Vec::new();
        let mut parties = 0;
        slacks.split(ms(at), Observation::CpuStretch { cpu: 0, stretch }, &mut |seen| {
            let Observation::CpuStretch { stretch, .. } = seen else { panic!("{seen:?}") };
            let to_ms = |ago: Duration| at - ago.as_nanos() / 1_000_000;
            parties += stretch.by.len();
            pieces.push((to_ms(stretch.began), stretch.ended.map(to_ms), stretch.number));
        });
        assert_eq!(parties, all);
        pieces
    }

    fn slack(first: u64, last: u64) -> Slack {
        Slack { cpu: 0, first: ms(first), last: ms(last) }
    }

    fn after(time: u64) -> u64 {
        ms(time).as_nanos() | AFTER_SLACK
    }

    #[test]
    fn a_stretch_ends_and_begins_anew_where_a_worker_had_nothing_to_do() {
        let mut slacks = Slacks::default();
        assert_eq!(pieces(&mut slacks, 100, 20, None), [(20, None, 5)]);
        slacks.add(slack(110, 140));
        assert_eq!(
            pieces(&mut slacks, 150, 20, None),
            [(20, Some(110), 5), (140, None, after(140))]
        );
        // It continues from there, and ends.
        assert_eq!(pieces(&mut slacks, 200, 20, None), [(140, None, after(140))]);
        slacks.add(slack(210, 215));
        assert_eq!(
            pieces(&mut slacks, 250, 20, Some(230)),
            [(140, Some(210), after(140)), (215, Some(230), after(215))]
        );
        // The next stretch has no slack in it.
        assert_eq!(pieces(&mut slacks, 250, 240, None), [(240, None, 5)]);
    }

    #[test]
    fn a_cpu_that_others_keep_busy_has_no_time_left() {
        let mut slacks = Slacks::default();
        let by = |engine| vec![(Party::Node(0), 100 - engine), (Party::Engine, engine)];
        assert_eq!(pieces_of(&mut slacks, 100, 20, None, by(50)), [(20, None, 5)]);
        slacks.add(slack(110, 140));
        assert_eq!(pieces_of(&mut slacks, 150, 20, None, by(9)), [(20, None, 5)]);
        // Those moments do not count as slack later, either. Later moments may.
        assert_eq!(pieces_of(&mut slacks, 200, 20, None, by(50)), [(20, None, 5)]);
        slacks.add(slack(210, 240));
        assert_eq!(
            pieces_of(&mut slacks, 250, 20, None, by(10)),
            [(20, Some(210), 5), (240, None, after(240))]
        );
        slacks.add(slack(260, 270));
        assert_eq!(pieces_of(&mut slacks, 300, 20, None, by(0)), [(240, None, after(240))]);
    }

    #[test]
    fn an_interval_with_slack_in_it_is_not_without_an_idle_moment() {
        let mut slacks = Slacks::default();
        let idle = |slacks: &mut Slacks, at, cpu| {
            let (over, idle) = (Duration::from_millis(50), Duration::ZERO);
            let mut shown = None;
            let seen = Observation::CpuInterval { cpu, over, idle };
            slacks.split(ms(at), seen, &mut |seen| shown = Some(seen));
            let Some(Observation::CpuInterval { idle, .. }) = shown else { panic!("{shown:?}") };
            idle > Duration::ZERO
        };
        slacks.add(slack(60, 70));
        assert!(idle(&mut slacks, 100, 0));
        assert!(!idle(&mut slacks, 100, 1));
        assert!(!idle(&mut slacks, 150, 0));
    }
}
