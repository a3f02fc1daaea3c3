//! Times at which tasks of nodes waited for a CPU, from the events of the scheduler's program. A
//! wait begins when the task is woken, when the timer was due that woke it, or when it is
//! preempted. It ends when the task runs.

use aya::maps::{Array, MapData, RingBuf};
use netloom_monitor::{Observation, Party, SignalKind};
use netloom_units::{Duration, Time};

use super::clock::Clock;
use super::load::next;
use super::looking::Look;
use super::record;
use super::runners::Runners;
use super::why::{Why, in_words};
use crate::probe::{Sink, watches};

const NAME: &str = "eBPF on sched_waking";
const SIGNAL: SignalKind = SignalKind::RunQueue;
const PERIOD: Duration = Duration::from_millis(100);

pub struct Waits {
    waits: RingBuf<MapData>,
    lost: Array<MapData, u64>,
    reported_lost: u64,
    clock: Clock,
    /// Whether the waits of a node are reported, by the node's number.
    nodes: Vec<bool>,
    /// Whether all of them have been reported as observed.
    all_reported: bool,
    /// The reason why late timers of the kernel cannot be observed.
    without_timers: Option<String>,
    /// Names the parties that held the CPU meanwhile.
    runners: Runners,
    /// An event that ended after the last look.
    next: Option<[u64; WORDS]>,
}

/// Words of an event: the node, since when, until when, how late the task was before, and who held
/// the CPU meanwhile.
const WORDS: usize = 5;

impl Waits {
    pub fn new(
        waits: RingBuf<MapData>,
        lost: Array<MapData, u64>,
        timers: Result<(), Why>,
        nodes: impl Iterator<Item = u32>,
        runners: Runners,
    ) -> Self {
        let mut is_watched = Vec::new();
        for node in nodes.map(|node| node as usize) {
            is_watched.resize(is_watched.len().max(node + 1), false);
            is_watched[node] = true;
        }
        Self {
            waits,
            lost,
            reported_lost: 0,
            clock: Clock::default(),
            nodes: is_watched,
            all_reported: false,
            without_timers: timers.err().map(|why| in_words(&why)),
            runners,
            next: None,
        }
    }

    /// The next event that ended by `now`. Later ones are left, because they may come faster than
    /// they can be reported.
    fn next_until(&mut self, now: u64) -> Result<Option<[u64; WORDS]>, Why> {
        self.next = match self.next.take() {
            None => next(&mut self.waits)?,
            known => known,
        };
        Ok(self.next.take_if(|[_, _, ended, ..]| *ended <= now))
    }
}

impl Look for Waits {
    const NAME: &'static str = NAME;
    const SIGNAL: SignalKind = SIGNAL;
    const CANNOT_SEE: &'static str = "a wait is seen when it ends";

    fn period(&self) -> Duration {
        PERIOD
    }

    fn look(&mut self, at: Time, sink: Sink<'_>) -> Result<(), Why> {
        if !std::mem::replace(&mut self.all_reported, true) {
            for (node, _) in (0..).zip(&self.nodes).filter(|(_, is_watched)| **is_watched) {
                let (party, delay) = (Party::Node(node), Duration::ZERO);
                sink(Observation::RunQueue { party, delay, times: 0 });
            }
            if let Some(why) = &self.without_timers {
                let blind = format!("timers of programs that the kernel looks at late: {why}");
                watches(sink, NAME, &[SIGNAL], &[&blind]);
            }
        }
        let now = self.clock.look(at)?;
        while let Some([node, began, ended, carried, by]) = self.next_until(now)? {
            if self.nodes.get(node as usize).is_some_and(|is_watched| *is_watched) {
                let party = Party::Node(node as u32);
                let [began, ended] = [began, ended].map(|time| self.clock.ago(at, time));
                let carried = Duration::from_nanos(carried);
                let by = self.runners.named(at, record::party(by), sink);
                sink(Observation::Waited { party, began, ended, carried, by });
            }
        }
        let lost = self.lost.get(&0, 0)?;
        if lost > self.reported_lost {
            let blind = format!("{} waits were lost at {at}", lost - self.reported_lost);
            watches(sink, NAME, &[SIGNAL], &[&blind]);
            self.reported_lost = lost;
        }
        Ok(())
    }
}
