//! The contention monitor of an experiment, as all threads share it: whoever observes something
//! shows it here.

use std::sync::{Mutex, MutexGuard, PoisonError};

use netloom_dataplane::{Clock, Watch};
use netloom_monitor::{Marks, Monitor, Observation, Verdict};
use netloom_probes::{Places, Probes};

use super::recorded::RecordedMonitor;
use super::sights::{self, Sights};
use crate::deployment::Deployment;

/// The monitor, and what its thread is to watch from now on.
pub struct SharedMonitor {
    clock: Clock,
    is_enabled: bool,
    monitor: Mutex<RecordedMonitor>,
    replacements: Mutex<Replacements>,
}

/// What is to be watched from now on in place of what was, where that has changed.
#[derive(Default)]
pub struct Replacements {
    /// The data plane, by another watch.
    pub sights: Option<Sights>,
    /// The machine, with other nodes on it.
    pub probes: Option<Probes>,
}

impl SharedMonitor {
    /// A monitor as the scenario wants it, by the experiment's clock.
    pub fn new(wanted: &netloom_scenario::Monitor, clock: Clock) -> Self {
        let (criteria, trust) = (wanted.criteria.clone(), wanted.trust.clone());
        let monitor = Monitor::new(criteria, trust, clock.now());
        Self {
            clock,
            is_enabled: wanted.enabled,
            monitor: Mutex::new(RecordedMonitor::new(monitor, clock.dilation())),
            replacements: Mutex::default(),
        }
    }

    /// The monitor, for nobody else meanwhile.
    pub fn lock(&self) -> MutexGuard<'_, RecordedMonitor> {
        // A panic in the monitor must not hide what it had seen before.
        self.monitor.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Shows it something that happens now.
    pub fn observe(&self, observation: &Observation) {
        let mut monitor = self.lock();
        // Not before: times never go back.
        let now = self.clock.now();
        monitor.observe(now, observation);
    }

    /// Says that the data plane is not watched any more, and why: so the run cannot be valid.
    pub fn unwatch(&self, why: &str) {
        let mut monitor = self.lock();
        let now = self.clock.now();
        sights::unwatch(why, &mut |observation| monitor.observe(now, &observation));
    }

    /// Says that nothing at all is watched, and why.
    pub fn unwatch_all(&self, why: &str) {
        let mut monitor = self.lock();
        let now = self.clock.now();
        sights::unwatch_all(why, &mut |observation| monitor.observe(now, &observation));
    }

    /// Whether what was measured so far can be trusted.
    pub fn verdict(&self) -> Verdict {
        let monitor = self.lock();
        monitor.verdict(self.clock.now())
    }

    /// Which times are to be left out so far; nothing if nobody watches.
    pub fn marks(&self) -> Option<Marks> {
        self.is_enabled.then(|| self.lock().marks())
    }

    /// From now on the data plane is watched by another watch. `names` are those of all nodes so
    /// far, each at its number.
    pub fn replace_watch(&self, watch: Watch, deployment: &Deployment, names: Vec<String>) {
        self.replacements().sights = Some(Sights::of(watch, deployment, names));
    }

    /// From now on probes look elsewhere.
    pub fn replace_places(&self, places: &Places) {
        self.replacements().probes = Some(Probes::best(places));
    }

    /// What was replaced since the last call.
    pub fn take_replacements(&self) -> Replacements {
        std::mem::take(&mut *self.replacements())
    }

    fn replacements(&self) -> MutexGuard<'_, Replacements> {
        // Each part of it is replaced in one step.
        self.replacements.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
