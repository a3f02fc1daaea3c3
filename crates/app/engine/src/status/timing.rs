//! How exactly the engine keeps its schedule.

use anyhow::Result;
use netloom_api::timing::{LatencySummary, Scheduling, Timing, WorkerLoad};

use crate::deployment::Deployment;
use crate::live::LiveNetwork;

/// Returns the data plane's measurements so far.
pub fn timing(network: &LiveNetwork) -> Result<Timing> {
    network.with_deployment(|live, deployment| {
        let overflow = live.not_read_in_time(deployment)?.values().sum();
        let mut timing = live.dataplane.timing()?;
        timing.failures.iter_mut().for_each(|one| one.at = network.zero().since(one.at));
        Ok(in_words(deployment, timing, overflow))
    })
}

/// Converts the data plane's measurements into the API's type.
///
/// `overflow` is the number of frames that the nodes' interfaces dropped because the engine did not
/// read them in time.
fn in_words(deployment: &Deployment, timing: netloom_dataplane::Timing, overflow: u64) -> Timing {
    let drops = timing.unmodelled;
    let causes = [
        ("not_read_in_time", overflow),
        ("device_full", drops.device_full),
        ("device_gone", drops.device_gone),
        ("rejected", drops.rejected),
        ("malformed", drops.malformed),
        ("no_memory", drops.no_memory),
        ("tunnel", drops.tunnel),
        ("tunnel_refused", drops.tunnel_refused),
    ];
    let failures = timing.failures.into_iter().map(|failure| {
        let link = deployment.link(failure.link);
        let end = link.and_then(|link| link.endpoints.get(failure.end));
        let name = end.map_or_else(|| "an interface".into(), ToString::to_string);
        format!("{name} failed at {}: {}", failure.at, failure.error)
    });
    let worker = |load: netloom_dataplane::WorkerLoad| WorkerLoad {
        busy: load.busy,
        spinning: load.spinning,
        scheduling: match load.scheduling {
            netloom_dataplane::Scheduling::RealTime => Scheduling::RealTime,
            netloom_dataplane::Scheduling::Favoured => Scheduling::Favoured,
            netloom_dataplane::Scheduling::Normal => Scheduling::Normal,
        },
        dedicated_cpu: load.dedicated_cpu,
        lateness: summary(load.lateness),
    };
    Timing {
        lateness: summary(timing.lateness),
        timer_wakeup: summary(timing.wakeup),
        unattended: summary(timing.unattended),
        unmodelled_drops: causes
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .map(|(cause, count)| (cause.to_string(), count))
            .collect(),
        interface_down: timing.interface_down,
        workers: timing.workers.into_iter().map(worker).collect(),
        failures: failures.collect(),
    }
}

fn summary(summary: netloom_dataplane::LatencySummary) -> LatencySummary {
    let micros = |nanos: u64| nanos as f64 / 1000.0;
    LatencySummary {
        count: summary.count,
        p50_us: micros(summary.p50_ns),
        p99_us: micros(summary.p99_ns),
        p999_us: micros(summary.p999_ns),
        max_us: micros(summary.max_ns),
    }
}
