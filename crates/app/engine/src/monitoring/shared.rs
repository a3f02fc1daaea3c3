//! The contention monitor of an experiment, which all threads share: every observer reports to it.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use netloom_dataplane::{Clock, Watch};
use netloom_monitor::{Marks, Monitor, Observation, Verdict};
use netloom_probes::{Probes, ProcRoots};
use netloom_units::Time;

use super::dataplane_probe::{self, DataplaneProbe};
use super::recorded::RecordedMonitor;
use crate::deployment::Deployment;
use crate::zero::Zero;

/// The monitor, and the objects that its thread is to watch from now on.
pub struct SharedMonitor {
    clock: Clock,
    zero: Arc<Zero>,
    is_enabled: bool,
    monitor: Mutex<RecordedMonitor>,
    replacements: Mutex<Replacements>,
}

/// Replacements for objects that the monitor's thread watches. `None` where nothing has changed.
#[derive(Default)]
pub struct Replacements {
    /// The data plane, by another watch.
    pub dataplane_probe: Option<DataplaneProbe>,
    /// The machine, with other nodes on it.
    pub probes: Option<Probes>,
}

impl SharedMonitor {
    /// Makes the monitor that the scenario wants, of a run that begins at `zero`.
    pub fn new(wanted: &netloom_scenario::Monitor, zero: Arc<Zero>) -> Self {
        let (criteria, trust) = (wanted.criteria.clone(), wanted.trust.clone());
        let monitor = Monitor::new(criteria, trust, Time::ZERO);
        Self {
            clock: zero.clock(),
            is_enabled: wanted.enabled,
            monitor: Mutex::new(RecordedMonitor::new(monitor, zero.clone())),
            zero,
            replacements: Mutex::default(),
        }
    }

    /// Locks the monitor.
    pub fn lock(&self) -> MutexGuard<'_, RecordedMonitor> {
        // A panic in the monitor must not hide its earlier observations.
        self.monitor.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Reports an observation that is made now.
    pub fn observe(&self, observation: &Observation) {
        let mut monitor = self.lock();
        // Read under the lock, so that times never go back.
        let now = self.clock.now();
        monitor.observe(now, observation);
    }

    /// Reports that the data plane is no longer watched, and why, so that the run cannot be valid.
    pub fn unwatch(&self, why: &str) {
        let mut monitor = self.lock();
        let now = self.clock.now();
        dataplane_probe::unwatch(why, &mut |observation| monitor.observe(now, &observation));
    }

    /// Reports that nothing at all is watched, and why.
    pub fn unwatch_all(&self, why: &str) {
        let mut monitor = self.lock();
        let now = self.clock.now();
        dataplane_probe::unwatch_all(why, &mut |observation| monitor.observe(now, &observation));
    }

    /// Returns whether the measurements so far can be trusted, with times since zero.
    pub fn verdict(&self) -> Verdict {
        let monitor = self.lock();
        monitor.verdict(self.zero.since(self.clock.now()))
    }

    /// Returns the times to be left out so far, since zero. `None` if nothing is watched.
    pub fn marks(&self) -> Option<Marks> {
        self.is_enabled.then(|| self.lock().marks())
    }

    /// Gives the monitor another watch of the data plane. `names` has the names of all nodes so
    /// far, each at its number.
    pub fn replace_watch(&self, watch: Watch, deployment: &Deployment, names: Vec<String>) {
        self.replacements().dataplane_probe = Some(DataplaneProbe::of(watch, deployment, names));
    }

    /// Gives the monitor probes for other places.
    pub fn replace_places(&self, places: &ProcRoots) {
        self.replacements().probes = Some(Probes::best(places));
    }

    /// Returns the replacements since the last call.
    pub fn take_replacements(&self) -> Replacements {
        std::mem::take(&mut *self.replacements())
    }

    fn replacements(&self) -> MutexGuard<'_, Replacements> {
        // Each part of it is replaced in one step.
        self.replacements.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
