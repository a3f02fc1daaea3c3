//! Worst-case fair weighted fair queueing (WF²Q+; Bennett & Zhang 1997, "Hierarchical Packet Fair
//! Queueing Algorithms"). Of the frames whose service would have begun in an ideal fluid system, it
//! serves the one that would finish first.

use std::num::NonZeroU32;

use netloom_units::{Rate, Time};
use serde::{Deserialize, Serialize};

use super::classes::{ClassConfig, ClassTerms, Classes, check_shares};
use super::classful::{Policy, length_for_weight};
use super::config::Discipline;
use super::heap::IndexedHeap;
use crate::Stream;

/// Parameters of `wf2q+`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct Wf2qConfig {
    /// The classes, each with a `match` and a `weight`. A class is guaranteed the share of the rate
    /// that corresponds to its weight.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes: Option<Vec<ClassConfig>>,
    /// Number of queues of equal weight into which flows are hashed by their 5-tuple, instead of
    /// classes (default 64, at most 65536).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flows: Option<NonZeroU32>,
}

impl Wf2qConfig {
    /// Checks the parameters.
    pub(super) fn check(&self) -> Result<(), String> {
        check_shares(self.classes.as_deref(), self.flows)
    }
}

/// Virtual time: bytes that the line has sent, in units of 2⁻³² bytes. 128 bits never overflow.
type Virtual = u128;

const fn virtual_time(bytes: u64) -> Virtual {
    (bytes as Virtual) << 32
}

/// Virtual times at which a class's first frame begins and ends in the fluid system, in which each
/// class has its guaranteed rate.
#[derive(Debug, Clone, Copy, Default)]
struct Tags {
    start: Virtual,
    finish: Virtual,
    /// Length of the frame in bytes.
    bytes: u64,
}

/// The frame on the line.
#[derive(Debug, Clone, Copy, Default)]
struct OnLine {
    since: Time,
    bytes: u64,
}

/// The scheduler.
#[derive(Debug)]
pub(super) struct Wf2q {
    /// Virtual time that a byte of each class takes at its guaranteed rate.
    per_byte: Vec<Virtual>,
    tags: Vec<Tags>,
    /// Active classes whose first frames have begun in the fluid system, ordered by finish.
    eligible: IndexedHeap<Virtual>,
    /// Active classes whose first frames may not have begun, ordered by start.
    early: IndexedHeap<Virtual>,
    /// Virtual time at which the frame on the line began.
    now: Virtual,
    line: OnLine,
    /// Latest finish of all frames.
    last_finish: Virtual,
}

impl Wf2q {
    /// Returns the virtual time V at `now`. It advances with the work of the line. The class whose
    /// frame is on the line counts as begun with it, so V never jumps while the line is busy.
    fn virtual_now(&self, now: Time, rate: Option<Rate>) -> Virtual {
        let sent = rate.map_or(u64::MAX, |rate| rate.bytes_in(now.since(self.line.since)).bytes());
        self.now + virtual_time(sent.min(self.line.bytes))
    }

    fn tag(&mut self, class: usize, start: Virtual, bytes: u64) {
        let finish = start + Virtual::from(bytes) * self.per_byte[class];
        self.tags[class] = Tags { start, finish, bytes };
        self.last_finish = self.last_finish.max(finish);
        self.early.set(class, start);
    }
}

impl Policy for Wf2q {
    type Config = Wf2qConfig;

    fn config(discipline: &Discipline) -> Option<&Wf2qConfig> {
        match discipline {
            Discipline::Wf2q(config) => Some(config),
            _ => None,
        }
    }

    fn new(config: &Wf2qConfig, stream: &Stream) -> (Self, Classes) {
        let classes = Classes::shared(config.classes.as_deref(), config.flows, stream);
        let total: u64 = classes.terms.iter().map(|terms| u64::from(terms.weight)).sum();
        let per_byte =
            |terms: &ClassTerms| virtual_time(total) / Virtual::from(terms.weight.max(1));
        let count = classes.terms.len();
        let wf2q = Self {
            per_byte: classes.terms.iter().map(per_byte).collect(),
            tags: vec![Tags::default(); count],
            eligible: IndexedHeap::new(count),
            early: IndexedHeap::new(count),
            now: 0,
            line: OnLine::default(),
            last_finish: 0,
        };
        (wf2q, classes)
    }

    /// The first frames of classes keep their tags.
    fn configure(&mut self, new: Self) {
        self.per_byte = new.per_byte;
    }

    /// Sets the start: S = max(V, F of the class's previous frame).
    fn activate(&mut self, now: Time, class: usize, bytes: u64, rate: Option<Rate>) {
        let start = self.virtual_now(now, rate).max(self.tags[class].finish);
        self.tag(class, start, bytes);
    }

    /// Resets the finish to the start, because the class did not use the service.
    fn deactivate(&mut self, class: usize) {
        self.eligible.remove(class);
        self.early.remove(class);
        self.tags[class].finish = self.tags[class].start;
    }

    /// Sets V ← max(V + work, least start of the active classes). Of the frames that have begun,
    /// picks the first to finish.
    fn pick(&mut self, _head: impl Fn(usize) -> u64) -> Option<usize> {
        self.now += virtual_time(std::mem::take(&mut self.line.bytes));
        if self.eligible.peek().is_none() {
            let (_, first) = self.early.peek()?;
            self.now = self.now.max(first);
        }
        while let Some((class, start)) = self.early.peek()
            && start <= self.now
        {
            self.early.remove(class);
            self.eligible.set(class, self.tags[class].finish);
        }
        self.eligible.peek().map(|(class, _)| class)
    }

    /// While the class stays active, the start is S = F of the previous frame.
    fn served(&mut self, now: Time, class: usize, bytes: u64, next: Option<u64>) {
        self.line = OnLine { since: now, bytes };
        self.eligible.remove(class);
        if bytes != self.tags[class].bytes {
            // A discipline of the class has dropped the frame that was in front.
            self.tag(class, self.tags[class].start, bytes);
            self.early.remove(class);
        }
        if let Some(next) = next {
            self.tag(class, self.tags[class].finish, next);
        }
    }

    /// The fluid system is empty, too. The service that classes received in the busy period that
    /// ends is forgotten.
    fn idle(&mut self) {
        self.now = self.now.max(self.last_finish);
        self.line = OnLine::default();
    }

    fn burden(&self, _class: usize, bytes: u64, terms: ClassTerms) -> u64 {
        length_for_weight(bytes, terms)
    }
}
