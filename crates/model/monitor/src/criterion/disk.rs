//! Disks with requests pending all the time: `e_d[k].t − e_d[i+1].t ≥ θ_d` (Maier 2011, Eq. 4.4),
//! for each disk, tested at every request and on a timer.
//!
//! If requests are observed, shares are the requests of each party since the disk was last idle. If
//! stretches are observed, they contain the shares. If intervals are observed, shares are busy
//! time, unattributed until uses of the disk are reported.

use std::collections::BTreeMap;

use netloom_units::{Duration, Time};

use super::{Criterion, nanos};
use crate::criteria::Busy;
use crate::names::ResourceId;
use crate::observation::BusyStretch;
use crate::party::Party;
use crate::signal::SignalKind;
use crate::stretch::Stretch;
use crate::tracker::{Outbox, Tracker};

#[derive(Debug, Clone)]
pub(crate) struct Disks {
    longest: Duration,
    disks: BTreeMap<u32, Disk>,
}

made_of!(Disks: disks);

#[derive(Debug, Clone)]
struct Disk {
    stretch: Stretch,
    /// Number of pending requests; `None` until a request has been observed.
    pending: Option<u64>,
    /// Whether its stretches are observed.
    stretches: bool,
}

impl Disks {
    pub fn new(criteria: &Busy) -> Self {
        Self { longest: criteria.longest, disks: BTreeMap::new() }
    }

    pub fn issued(&mut self, at: Time, disk: u32, party: Party, out: &mut Outbox) {
        let disk = self.disk(disk);
        disk.pending = Some(disk.pending.unwrap_or(0) + 1);
        disk.stretch.busy(at);
        disk.stretch.still(at, out);
        disk.stretch.add(party, 1);
    }

    /// A request completed. It may have been issued before anything was observed.
    pub fn completed(&mut self, at: Time, disk: u32, out: &mut Outbox) {
        let disk = self.disk(disk);
        let pending = disk.pending.unwrap_or(0).saturating_sub(1);
        disk.pending = Some(pending);
        if pending > 0 {
            disk.stretch.still(at, out);
        } else if disk.stretch.is_busy() {
            disk.stretch.idle(at, out);
        }
    }

    pub fn interval(
        &mut self,
        at: Time,
        disk: u32,
        over: Duration,
        idle: Duration,
        out: &mut Outbox,
    ) {
        let disk = self.disk(disk);
        if disk.pending.is_none() && !disk.stretches {
            disk.stretch.interval(at, over, idle, out);
        }
    }

    pub fn stretch(&mut self, at: Time, disk: u32, stretch: &BusyStretch, out: &mut Outbox) {
        let disk = self.disk(disk);
        disk.stretches = true;
        disk.stretch.reported(at, stretch, out);
    }

    fn disk(&mut self, disk: u32) -> &mut Disk {
        let longest = self.longest;
        self.disks.entry(disk).or_insert_with(|| {
            let tracker =
                Tracker::new(SignalKind::Disk, ResourceId::Disk(disk), Some(nanos(longest)));
            Disk { stretch: Stretch::new(tracker, longest), pending: None, stretches: false }
        })
    }
}

impl Criterion for Disk {
    fn tick(&mut self, now: Time, out: &mut Outbox) {
        self.stretch.tick(now, self.pending.is_some(), out);
    }

    fn visit<'a>(&'a self, visitor: &mut dyn FnMut(&'a Tracker)) {
        visitor(&self.stretch.tracker);
    }

    fn visit_mut(&mut self, visitor: &mut dyn FnMut(&mut Tracker)) {
        visitor(&mut self.stretch.tracker);
    }
}
