//! The state of the paths between real hosts in the last period of the simulated network, for
//! programs that choose among paths. Not here: the programs' interface (`netloom-engine`).

use netloom_api::path::PathStatus;
use netloom_symbiosis::PipeReport;
use netloom_units::{Duration, Time};

use super::{Calibrators, Order, PrunedPipe, Reports, Shrunk, Way};

/// Returns the state of the paths in the period that ended at `at`.
pub fn paths(shrunk: &Shrunk, reports: &Reports, orders: &[Order], at: Time) -> Vec<PathStatus> {
    let of_way = |way: &Way| {
        let orders = || way.small.iter().filter_map(|place| orders.get(*place));
        let time: f64 = orders().map(|order| order.calibration.time).sum();
        let passes: f64 = orders().map(|order| 1.0 - order.calibration.loss).product();
        let free = way.pipes.iter().filter_map(|place| {
            free_rate(&shrunk.pruned[*place], reports.pipes.get(*place)?, shrunk.period)
        });
        let free = free.reduce(f64::min).map(|rate| rate.round() as u64);
        status(shrunk, way, (Some(at), (time * 1e9).round() as u64, 1.0 - passes, free))
    };
    shrunk.ways.iter().map(of_way).collect()
}

impl Calibrators {
    /// Returns the state of the paths before there is a report: the network is idle.
    pub fn idle_paths(&self, shrunk: &Shrunk) -> Vec<PathStatus> {
        let of_way = |way: &Way| {
            let frames = way.pipes.iter().map(|place| {
                let pipe = &shrunk.pruned[*place];
                (pipe, netloom_symbiosis::transmission(&pipe.config, pipe.full))
            });
            let frames: Vec<(&PrunedPipe, Duration)> = frames.collect();
            let time: u64 = frames.iter().map(|(_, frame)| frame.as_nanos()).sum();
            let rates = frames.iter().filter_map(|(pipe, frame)| capacity(pipe, *frame));
            let free = rates.reduce(f64::min).map(|rate| rate.round() as u64);
            status(shrunk, way, (None, time, 0.0, free))
        };
        shrunk.ways.iter().map(of_way).collect()
    }
}

fn status(
    shrunk: &Shrunk,
    way: &Way,
    (at, time_ns, loss, free_bits_per_second): (Option<Time>, u64, f64, Option<u64>),
) -> PathStatus {
    let [from, to] = way.ends.map(|host| shrunk.hosts[host as usize].name.clone());
    let delays = way.small.iter().map(|place| shrunk.pipes[*place].delay.as_nanos());
    PathStatus {
        from,
        to,
        addresses: way.addresses.clone(),
        at,
        delay_ns: delays.sum(),
        time_ns,
        loss,
        free_bits_per_second,
    }
}

/// Returns the bits of full frames that a line carries per second. `None` if frames take no time.
fn capacity(pipe: &PrunedPipe, frame: Duration) -> Option<f64> {
    let bits = f64::from(pipe.full) * 8.0;
    (frame > Duration::ZERO).then(|| bits / frame.as_secs_f64())
}

/// Returns the part of this rate that other traffic left free in the period.
fn free_rate(pipe: &PrunedPipe, report: &PipeReport, period: Duration) -> Option<f64> {
    let whole = if report.is_down { 0.0 } else { capacity(pipe, report.transmission)? };
    let used = report.others.as_secs_f64() / period.as_secs_f64();
    Some(whole * (1.0 - used).max(0.0))
}
