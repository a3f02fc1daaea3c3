//! Strict priority: a class is served only while nothing waits in the classes that are written
//! before it.

use netloom_units::{Rate, Time};
use serde::{Deserialize, Serialize};

use super::classes::{ClassConfig, ClassMatch, ClassTerms, Classes, check_classes};
use super::classful::Policy;
use super::config::Discipline;
use super::dscp::Dscps;
use super::heap::IndexedHeap;
use crate::Stream;

/// Parameters of `prio`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct PrioConfig {
    /// Classes in the order of their priority, the highest first. By default, expedited forwarding
    /// (`ef`) and network control (`cs6`, `cs7`) come before everything else.
    pub classes: Vec<ClassConfig>,
}

impl Default for PrioConfig {
    fn default() -> Self {
        let urgent = ClassMatch { dscp: Some(Dscps::of([46, 48, 56])), ..ClassMatch::default() };
        let urgent = ClassConfig { matches: Some(urgent), ..ClassConfig::default() };
        Self { classes: vec![urgent, ClassConfig::default()] }
    }
}

impl PrioConfig {
    /// Checks the parameters.
    pub(super) fn check(&self) -> Result<(), String> {
        if let Some(index) = self.classes.iter().position(|class| class.weight.is_some()) {
            return Err(format!(
                "class {}: `weight` has no meaning in prio, which serves classes in the order in \
                 which they are written; leave it out, or use drr or wf2q+",
                index + 1
            ));
        }
        check_classes(&self.classes)
    }
}

/// The classes with frames, the most important one on top.
#[derive(Debug)]
pub(super) struct Prio {
    active: IndexedHeap<()>,
}

impl Policy for Prio {
    type Config = PrioConfig;

    fn config(discipline: &Discipline) -> Option<&PrioConfig> {
        match discipline {
            Discipline::Prio(config) => Some(config),
            _ => None,
        }
    }

    fn new(config: &PrioConfig, _stream: &Stream) -> (Self, Classes) {
        let classes = Classes::listed(&config.classes);
        (Self { active: IndexedHeap::new(classes.terms.len()) }, classes)
    }

    /// Does nothing, because there are no parameters beside the classes.
    fn configure(&mut self, _new: Self) {}

    fn activate(&mut self, _now: Time, class: usize, _bytes: u64, _rate: Option<Rate>) {
        self.active.set(class, ());
    }

    fn deactivate(&mut self, class: usize) {
        self.active.remove(class);
    }

    fn pick(&mut self, _head: impl Fn(usize) -> u64) -> Option<usize> {
        self.active.peek().map(|(class, ())| class)
    }

    fn served(&mut self, _now: Time, class: usize, _bytes: u64, next: Option<u64>) {
        if next.is_none() {
            self.deactivate(class);
        }
    }

    /// The least important class makes room for the others.
    fn burden(&self, class: usize, _bytes: u64, _terms: ClassTerms) -> u64 {
        class as u64
    }
}
