//! Moves links from workers that cannot bear them to others, as the data plane finds it worth
//! while. Not here: when and how (`netloom-dataplane`).

use std::fs;
use std::sync::Arc;
use std::time::{Duration, Instant};

use netloom_dataplane::{DataplaneError, Overload};
use nix::unistd::{SysconfVar, sysconf};
use tokio::task::JoinHandle;

use crate::events::EventLog;
use crate::live::LiveNetwork;
use crate::monitoring::{SharedMonitor, limits};

/// How often workers are looked at.
const PERIOD: Duration = Duration::from_millis(250);

/// Moves links between workers.
pub struct Relief {
    /// Whose workers they are.
    pub network: Arc<LiveNetwork>,
    /// Watches the links where they are.
    pub monitor: Arc<SharedMonitor>,
    /// Where it is recorded that links cannot be moved.
    pub events: Arc<EventLog>,
}

impl Relief {
    /// Looks after the workers for as long as the network lives.
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

    /// One look; `idle` is what the machine had left since the last one, as a share of a CPU.
    fn look(&self, idle: f64) -> Result<(), DataplaneError> {
        // Whoever changes the network counts on its places; there is another look soon.
        let Some(_turn) = self.network.try_turn() else { return Ok(()) };
        // An error of the outer kind says that the network is being taken down.
        let Ok(looked) = self.network.with(|live| Ok(live.dataplane.overload(idle))) else {
            return Ok(());
        };
        let Some(overload) = looked? else { return Ok(()) };
        // Only what takes its time has another thread do this one's other work meanwhile.
        tokio::task::block_in_place(|| self.move_links(overload))
    }

    fn move_links(&self, overload: Overload) -> Result<(), DataplaneError> {
        let deployment = self.network.deployment();
        let mut held = self.network.hold();
        let Some(live) = held.as_mut() else { return Ok(()) };
        let watched = deployment.scenario.monitor.enabled.then(|| limits(&deployment));
        let relieved = live.dataplane.relieve(overload, watched)?;
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

    /// The data plane could not say what the monitor is to watch: a run that ends so is not valid.
    fn lose_sight(&self, error: &DataplaneError) {
        let message = format!("workers of the engine cannot be relieved of links: {error}");
        self.monitor.unwatch(&message);
        self.events.warn(message);
    }
}

/// For how long CPUs of the machine have been idle, together.
struct Idle {
    at: Instant,
    /// In seconds; nothing where the machine does not say.
    seconds: Option<f64>,
}

impl Idle {
    fn now() -> Self {
        let stat = fs::read_to_string("/proc/stat").unwrap_or_default();
        let ticks = sysconf(SysconfVar::CLK_TCK).ok().flatten().unwrap_or(100);
        Self { at: Instant::now(), seconds: idle_ticks(&stat).map(|idle| idle / ticks as f64) }
    }

    /// The share of one CPU that was idle since `before`. Nothing is known to be left where the
    /// machine does not say.
    fn since(&self, before: &Self) -> f64 {
        let (Some(now), Some(then)) = (self.seconds, before.seconds) else { return 0.0 };
        (now - then) / self.at.duration_since(before.at).as_secs_f64().max(1e-9)
    }
}

/// The sum of all CPUs, waiting for disks included.
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
