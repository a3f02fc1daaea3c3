//! Times for which claims were not shaped although they existed: their device was gone, or the
//! daemon stood still or was dead.

use std::collections::BTreeMap;
use std::time::Duration;

use netloom_shape::{Entry, Location, Moment};

/// The times of all claims.
#[derive(Debug, Default)]
pub struct Unshaped {
    times: BTreeMap<u64, Duration>,
    /// Times at which claims of an earlier daemon were taken up.
    taken_up: BTreeMap<u64, Moment>,
    /// Devices that are gone, and since when.
    gone: BTreeMap<Location, Moment>,
}

impl Unshaped {
    /// Records that a claim of an earlier daemon is shaped again from `at` on.
    pub fn take_up(&mut self, entry: &Entry, at: Moment) {
        self.taken_up.insert(entry.id, at);
    }

    /// Records that the daemon stood still until `at`.
    pub fn stood_still(&mut self, entry: &Entry, silent: Duration, at: Moment) {
        *self.times.entry(entry.id).or_default() += silent.min(at.since(entry.began).into());
    }

    /// Records that a device is gone.
    pub fn device_gone(&mut self, device: &Location, at: Moment) {
        self.gone.insert(device.clone(), at);
    }

    /// Records that a device is back, with its claims among `entries`.
    pub fn device_back(&mut self, device: &Location, entries: &[Entry], at: Moment) {
        let Some(since) = self.gone.remove(device) else { return };
        for entry in entries.iter().filter(|entry| entry.location() == *device) {
            *self.times.entry(entry.id).or_default() += without_device(entry, since, at);
        }
    }

    /// Forgets devices that are gone and not among `known`.
    pub fn keep_devices(&mut self, known: &[Location]) {
        self.gone.retain(|device, _| known.contains(device));
    }

    /// Forgets a claim.
    pub fn forget(&mut self, claim: u64) {
        self.times.remove(&claim);
        self.taken_up.remove(&claim);
    }

    /// Returns the time since which a device is gone.
    pub fn gone_since(&self, device: &Location) -> Option<Moment> {
        self.gone.get(device).copied()
    }

    /// Returns the reasons for which a claim was not shaped all the time until `at`.
    pub fn reasons(&self, entry: &Entry, at: Moment) -> Vec<String> {
        let taken_up = self.taken_up.get(&entry.id);
        let taken_up =
            taken_up.map(|at| format!("not shaped until the daemon was started anew at {at}"));
        let past = self.times.get(&entry.id).copied();
        let now = self.gone_since(&entry.location()).map(|since| without_device(entry, since, at));
        let whole = match (past, now) {
            (None, None) => None,
            _ => Some(past.unwrap_or_default() + now.unwrap_or_default()),
        };
        let whole = whole.map(|time| format!("not shaped for {} ms", time.as_millis()));
        taken_up.into_iter().chain(whole).collect()
    }
}

/// Returns the time for which a claim had no device, which has been gone since `since`.
fn without_device(entry: &Entry, since: Moment, at: Moment) -> Duration {
    at.since(since.max(entry.began)).into()
}

#[cfg(test)]
mod tests {
    use netloom_shape::{Claim, Owner};

    use super::*;

    fn at(ms: u64) -> Moment {
        Moment { unix_ms: 12 * 3_600_000 + ms, offset: 0 }
    }

    fn entry(id: u64, began: u64) -> Entry {
        Entry {
            id,
            name: "web".into(),
            owner: Owner { uid: 1001, name: "alice".into() },
            claim: Claim::default(),
            user: None,
            network: None,
            device: "eth0".into(),
            began: at(began),
            ends: None,
            cgroup: None,
            mtu: 1500,
            need: Default::default(),
            forced: false,
        }
    }

    #[test]
    fn a_claim_whose_device_is_gone_is_not_shaped_from_then_on() {
        let (mut unshaped, old) = (Unshaped::default(), entry(1, 0));
        assert_eq!(unshaped.reasons(&old, at(100)), [""; 0]);
        unshaped.device_gone(&old.location(), at(100));
        assert_eq!(unshaped.reasons(&old, at(300)), ["not shaped for 200 ms"]);
        let new = entry(2, 400);
        unshaped.device_back(&old.location(), &[old.clone(), new.clone()], at(500));
        assert_eq!(unshaped.reasons(&old, at(900)), ["not shaped for 400 ms"]);
        assert_eq!(unshaped.reasons(&new, at(900)), ["not shaped for 100 ms"]);
        unshaped.forget(1);
        assert_eq!(unshaped.reasons(&old, at(900)), [""; 0]);
    }

    #[test]
    fn a_daemon_that_stands_still_or_dies_shapes_nothing() {
        let mut unshaped = Unshaped::default();
        let (old, new) = (entry(1, 0), entry(2, 900));
        for entry in [&old, &new] {
            unshaped.stood_still(entry, Duration::from_millis(600), at(1000));
        }
        assert_eq!(unshaped.reasons(&old, at(1000)), ["not shaped for 600 ms"]);
        assert_eq!(unshaped.reasons(&new, at(1000)), ["not shaped for 100 ms"]);
        unshaped.forget(1);
        unshaped.take_up(&old, at(60_000));
        let reasons = unshaped.reasons(&old, at(61_000));
        assert_eq!(reasons, ["not shaped until the daemon was started anew at 12:01"]);
    }
}
