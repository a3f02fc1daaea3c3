//! Moves links from overloaded workers to others, when the data plane considers it worth while. Not
//! here: when and how (`netloom-dataplane`).

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use netloom_dataplane::{DataplaneError, Overload};
use nix::unistd::{SysconfVar, sysconf};
use tokio::task::JoinHandle;

use crate::events::EventLog;
use crate::live::LiveNetwork;
use crate::monitoring::{SharedMonitor, limits};

/// Period of checks of the workers.
const PERIOD: Duration = Duration::from_millis(250);

/// Moves links between workers.
pub struct Rebalancer {
    /// The network of the workers.
    pub network: Arc<LiveNetwork>,
    /// The monitor, which must watch moved links at their new workers.
    pub monitor: Arc<SharedMonitor>,
    /// The log for errors.
    pub events: Arc<EventLog>,
}

impl Rebalancer {
    /// Checks the workers for as long as the network lives.
    pub fn start(self) -> JoinHandle<()> {
        tokio::spawn(async move {
            let mut idle = Idle::now();
            loop {
                tokio::time::sleep(PERIOD).await;
                let before = std::mem::replace(&mut idle, Idle::now());
                let left = idle.since(&before);
                if let Err(error) = self.look(left) {
                    self.lose_sight(&error);
                    return;
                }
            }
        })
    }

    /// Checks the workers once. `idle` is the time that the machine had left since the last check,
    /// as a share of a CPU.
    fn look(&self, idle: f64) -> Result<(), DataplaneError> {
        // A change of the network relies on the places of links. The next check comes soon.
        let Some(_turn) = self.network.try_turn() else { return Ok(()) };
        // The outer error means that the network is being taken down.
        let Ok(looked) = self.network.with(|live| Ok(live.dataplane.overload(idle))) else {
            return Ok(());
        };
        let Some(overload) = looked? else { return Ok(()) };
        // Only the slow part blocks, so that the runtime moves other work off this thread.
        tokio::task::block_in_place(|| self.move_links(overload))
    }

    fn move_links(&self, overload: Overload) -> Result<(), DataplaneError> {
        let deployment = self.network.deployment();
        let mut held = self.network.hold();
        let Some(live) = held.as_mut() else { return Ok(()) };
        let watched = deployment.mine.scenario.monitor.enabled.then(|| limits(&deployment));
        let relieved = live.dataplane.rebalance(overload, watched)?;
        if let Some(watch) = relieved.watch {
            let names = self.network.identities.node_names();
            self.monitor.replace_watch(watch, &deployment, names);
        }
        drop(held);
        if let Some(error) = relieved.refused {
            self.events
                .warn(format!("a worker of the engine cannot be relieved of links: {error}"));
        }
        Ok(())
    }

    /// Reports that the monitor has lost its watch of the data plane. A run that ends like this is
    /// not valid.
    fn lose_sight(&self, error: &DataplaneError) {
        let message = format!("workers of the engine cannot be relieved of links: {error}");
        self.monitor.unwatch(&message);
        self.events.warn(message);
    }
}

/// The total idle time of the machine's CPUs.
struct Idle {
    at: Instant,
    /// In seconds. `None` if the machine does not report it.
    seconds: Option<f64>,
}

impl Idle {
    fn now() -> Self {
        let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
        let ticks = sysconf(SysconfVar::CLK_TCK).ok().flatten().unwrap_or(100);
        Self { at: Instant::now(), seconds: idle_ticks(&stat).map(|idle| idle / ticks as f64) }
    }

    /// Returns the share of one CPU that was idle since `before`. It is 0 if the machine does not
    /// report it.
    fn since(&self, before: &Self) -> f64 {
        let (Some(now), Some(then)) = (self.seconds, before.seconds) else { return 0.0 };
        (now - then) / self.at.duration_since(before.at).as_secs_f64().max(1e-9)
    }
}

/// Returns the sum of all CPUs, including time in which they wait for disks.
fn idle_ticks(stat: &str) -> Option<f64> {
    let all = stat.lines().find_map(|line| line.strip_prefix("cpu "))?;
    let mut words = all.split_whitespace().skip(3);
    let mut tick = || words.next()?.parse::<f64>().ok();
    Some(tick()? + tick()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn idle_time_is_that_of_all_cpus() {
        let stat = "cpu  10 2 30 400 50 6 7 8 0 0\ncpu0 5 1 15 200 25 3 3 4 0 0\n";
        assert_eq!(idle_ticks(stat), Some(450.0));
        assert_eq!(idle_ticks("intr 1 2 3\n"), None);
    }
}
