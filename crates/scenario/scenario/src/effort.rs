//! How much there is to do in a simulated run: an estimate from what the scenario says, to warn of
//! runs that never end. Not here: how fast a simulator is.

use netloom_traffic::Model;
use netloom_units::Duration;

use crate::spec::{Scenario, Traffic};

/// Length of a frame in bytes where the scenario does not give it.
const FRAME: f64 = 1514.0;

impl Scenario {
    /// Returns about how many steps a simulated run takes: frames that are sent, samples, and
    /// hellos of spanning trees. Each takes a simulator something like a microsecond. Traffic whose
    /// rate depends on the network is left out, so that the estimate is rather too low.
    ///
    /// ```
    /// let text = "{ name: n, duration: 10s, topology: { nodes: { a: , b: }, links: [{ endpoints: \
    ///     [a, b] }] }, traffic: [{ name: t, from: a, to: b, udp: {}, cbr: { rate: 8Mbit/s }, \
    ///     size: 1000B }] }";
    /// let steps = netloom_scenario::load(text).unwrap().scenario.simulated_steps();
    /// assert!((10_000.0..10_100.0).contains(&steps), "{steps}");
    /// ```
    pub fn simulated_steps(&self) -> f64 {
        let sent: f64 = self.traffic.iter().map(|entry| self.frames(entry)).sum();
        let Some(duration) = self.duration else { return sent };
        let every = |interval: Duration| duration.as_secs_f64() / interval.as_secs_f64().max(1e-9);
        let pipes = 2.0 * self.links.len() as f64;
        let flows: usize = self.traffic.iter().map(|entry| entry.from.len()).sum();
        let samples = every(self.measure.interval) * pipes
            + every(self.measure.flow_interval()) * flows as f64;
        let trees = self.nodes.iter().filter_map(|node| {
            let hello = node.spanning_tree?.hello;
            Some(every(Duration::from_secs(hello.into())) * node.interfaces.len() as f64)
        });
        sent + samples + trees.sum::<f64>() + self.background_frames(duration)
    }

    /// Frames that all senders of an entry send.
    fn frames(&self, entry: &Traffic) -> f64 {
        let time = match (entry.time, self.duration) {
            (Some(time), Some(duration)) => time.min(duration),
            (Some(time), None) | (None, Some(time)) => time,
            (None, None) => Duration::ZERO,
        };
        let seconds = time.as_secs_f64();
        let of_each = match &entry.model {
            Model::Ping(ping) => {
                let most = ping.count.map_or(f64::INFINITY, |count| count as f64);
                // There may be no time limit beside the count.
                let in_time = seconds / ping.interval.as_secs_f64().max(1e-9);
                if seconds > 0.0 { in_time.min(most) } else { ping.count.unwrap_or(0) as f64 }
            }
            Model::Bulk(bulk) => bulk
                .bytes
                .map_or(0.0, |bytes| bytes.bytes() as f64 / FRAME * f64::from(bulk.connections)),
            model => {
                let mean = model.moments(&entry.sizes, None).map_or(0.0, |moments| moments.mean);
                let length = entry.sizes.law().map_or(FRAME, |law| law.mean());
                mean * seconds / (8.0 * length).max(1.0)
            }
        };
        of_each * entry.from.len() as f64
    }

    /// Frames of background traffic that is simulated frame by frame.
    fn background_frames(&self, duration: Duration) -> f64 {
        let pipes = self.links.iter().flat_map(|link| [&link.forward, &link.reverse]);
        let of_pipe = |pipe: &netloom_link::PipeConfig| {
            if pipe.background.is_none() || pipe.background.has_fluid() {
                return 0.0;
            }
            let load = pipe.background.mean_load(pipe).unwrap_or(0.0);
            let rate = pipe.rate.nominal().map_or(0.0, |rate| rate.bits_per_second() as f64);
            load * rate / (8.0 * FRAME)
        };
        pipes.map(of_pipe).sum::<f64>() * duration.as_secs_f64()
    }
}
