//! The order in which processes were started: at the end of a run, they are stopped in reverse.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::ops::Bound::{Excluded, Unbounded};

use netloom_units::Time;
use tokio::sync::watch;

/// How many running processes were to start at each time. Clones share one order.
#[derive(Clone, Default)]
pub struct Order(watch::Sender<BTreeMap<Time, usize>>);

/// The place of a running process, which leaves when it is dropped.
pub struct Place {
    order: Order,
    planned: Time,
}

impl Order {
    /// Enters a process that was to start at `planned`.
    pub fn enter(&self, planned: Time) -> Place {
        self.0.send_modify(|running| *running.entry(planned).or_default() += 1);
        Place { order: self.clone(), planned }
    }
}

impl Place {
    /// Waits until all processes that were to start later have ended.
    pub async fn is_last(&self) {
        let is_last = |running: &BTreeMap<Time, usize>| {
            running.range((Excluded(self.planned), Unbounded)).next().is_none()
        };
        // The sender is ours, so waiting cannot fail.
        let _ = self.order.0.subscribe().wait_for(is_last).await;
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.order.0.send_modify(|running| {
            let Entry::Occupied(mut count) = running.entry(self.planned) else { return };
            *count.get_mut() -= 1;
            if *count.get() == 0 {
                count.remove();
            }
        });
    }
}
