//! Deficit round robin (Shreedhar & Varghese 1995, "Efficient Fair Queueing Using Deficit Round
//! Robin"). Classes take turns. In each turn, a class may send a quantum for each unit of its
//! weight. If it cannot use all of it, because its next frame is longer, it keeps the rest for its
//! next turn.

use std::collections::VecDeque;
use std::num::NonZeroU32;

use netloom_units::{Rate, Size, Time};
use serde::{Deserialize, Serialize};

use super::classes::{ClassConfig, ClassTerms, Classes, QUANTUM, check_quantum, check_shares};
use super::classful::{Policy, length_for_weight};
use super::config::Discipline;
use crate::Stream;

/// Parameters of `drr`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct DrrConfig {
    /// The classes, each with a `match` and a `weight`.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub classes: Option<Vec<ClassConfig>>,
    /// Number of queues of equal weight into which flows are hashed by their 5-tuple, instead of
    /// classes (default 64, at most 65536).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flows: Option<NonZeroU32>,
    /// Bytes on the line that a class of weight 1 may send in its turn (default `1514B`, at least
    /// `256B`). If it is at least the longest frame, serving a frame takes constant time.
    pub quantum: Size,
}

impl Default for DrrConfig {
    fn default() -> Self {
        Self { classes: None, flows: None, quantum: QUANTUM }
    }
}

impl DrrConfig {
    /// Checks the parameters.
    pub(super) fn check(&self) -> Result<(), String> {
        check_quantum(self.quantum)?;
        check_shares(self.classes.as_deref(), self.flows)
    }
}

/// The policy of deficit round robin.
#[derive(Debug)]
pub(super) struct Drr {
    /// Quantum of each class.
    quanta: Vec<i64>,
    /// Bytes that each class may still send in its turn. Negative if the class sent a longer frame
    /// than the one in front when it was picked, because its discipline dropped that one.
    deficits: Vec<i64>,
    /// The active classes; the one whose turn it is comes first.
    active: VecDeque<u32>,
    /// Whether the first class has received its quantum for this turn.
    granted: bool,
}

impl Drr {
    fn end_turn(&mut self) {
        self.active.pop_front();
        self.granted = false;
    }
}

impl Policy for Drr {
    type Config = DrrConfig;

    fn config(discipline: &Discipline) -> Option<&DrrConfig> {
        match discipline {
            Discipline::Drr(config) => Some(config),
            _ => None,
        }
    }

    fn new(config: &DrrConfig, stream: &Stream) -> (Self, Classes) {
        let classes = Classes::shared(config.classes.as_deref(), config.flows, stream);
        // A quantum of 0 would never end a round. `check` requires a larger one.
        let quantum = |terms: &ClassTerms| {
            let bytes = config.quantum.bytes().saturating_mul(terms.weight.into());
            i64::try_from(bytes).unwrap_or(i64::MAX).max(1)
        };
        let drr = Self {
            quanta: classes.terms.iter().map(quantum).collect(),
            deficits: vec![0; classes.terms.len()],
            active: VecDeque::new(),
            granted: false,
        };
        (drr, classes)
    }

    fn configure(&mut self, new: Self) {
        self.quanta = new.quanta;
    }

    fn activate(&mut self, _now: Time, class: usize, _bytes: u64, _rate: Option<Rate>) {
        self.deficits[class] = 0;
        self.active.push_back(class as u32);
    }

    fn deactivate(&mut self, class: usize) {
        if self.active.front() == Some(&(class as u32)) {
            self.end_turn();
        } else {
            self.active.retain(|active| *active != class as u32);
        }
    }

    fn pick(&mut self, head: impl Fn(usize) -> u64) -> Option<usize> {
        loop {
            let front = *self.active.front()?;
            let class = front as usize;
            if !self.granted {
                self.deficits[class] = self.deficits[class].saturating_add(self.quanta[class]);
                self.granted = true;
            }
            if i64::try_from(head(class)).unwrap_or(i64::MAX) <= self.deficits[class] {
                return Some(class);
            }
            self.end_turn();
            self.active.push_back(front);
        }
    }

    fn served(&mut self, _now: Time, class: usize, bytes: u64, next: Option<u64>) {
        self.deficits[class] = self.deficits[class].saturating_sub_unsigned(bytes);
        if next.is_none() {
            self.end_turn();
        }
    }

    fn burden(&self, _class: usize, bytes: u64, terms: ClassTerms) -> u64 {
        length_for_weight(bytes, terms)
    }
}
