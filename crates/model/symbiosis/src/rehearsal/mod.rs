//! The whole loop of symbiosis in virtual time, without programs and without a kernel: a path of
//! simulated pipes with other traffic on each, and the small network that follows it, period after
//! period. It is deterministic: the scene determines the result.
//!
//! [`record`] runs the original path. [`follow`] runs the small network, either as late as a real
//! one would be, or in the very period that it follows, as the thesis does. [`closed`] runs both in
//! turn, each with the results of the other.

mod chain;
mod scene;
mod small;

use netloom_link::Emission;
use netloom_units::Time;

use crate::PipeReport;
use chain::Chain;
pub use scene::{Fate, Inherited, Lag, Method, Recording, Scene, SceneLink};
use scene::{frames_of, times};
use small::SmallNetwork;

/// Runs the original path until all frames have been sent and the real ones have left it.
pub fn record(scene: &Scene) -> Recording {
    let mut original = Original::new(scene);
    let mut reports = Vec::new();
    while !original.is_over() {
        let real = frames_of(scene, reports.len() as u64, &scene.real);
        reports.push(original.period(scene, real));
    }
    Recording { fates: original.chain.into_fates(), reports }
}

/// Runs the small network on a recording. Returns the fate of each real frame.
pub fn follow(scene: &Scene, recording: &Recording, method: Method, lag: Lag) -> Vec<Fate> {
    let mut small = SmallNetwork::new(scene, method);
    for number in 0..recording.reports.len() + 1 {
        let known = match lag {
            Lag::None => Some(number),
            Lag::Period => number.checked_sub(1),
        };
        if let Some((period, reports)) = known.and_then(|it| Some((it, recording.reports.get(it)?)))
        {
            let before = number.checked_sub(1).map(|before| &recording.reports[before][..]);
            small.calibrate(scene, period as u64, reports, before);
        }
        small.period(scene, frames_of(scene, number as u64, &scene.real));
    }
    small.finish()
}

/// Runs both networks in turn, one period apart. In each period the small network lets the real
/// frames through; then the original runs the same period with their twins; then its reports
/// calibrate the small network. Returns the fates of the frames in the original and in the small
/// network.
pub fn closed(scene: &Scene, method: Method) -> (Vec<Fate>, Vec<Fate>) {
    let mut original = Original::new(scene);
    let mut small = SmallNetwork::new(scene, method);
    let (mut number, mut rest) = (0, &scene.real[..]);
    while !original.is_over() {
        let end = Time::ZERO + times(scene.period, number + 1);
        let (now, later) = rest.split_at(rest.partition_point(|frame| frame.at < end));
        rest = later;
        small.period(scene, now);
        let reports = original.period(scene, now);
        small.calibrate(scene, number, &reports, Some(&reports));
        number += 1;
    }
    small.period(scene, rest);
    (original.chain.into_fates(), small.finish())
}

/// The original path with all its traffic.
struct Original {
    chain: Chain,
    number: u64,
    /// Time at which the last frame is sent.
    last: Time,
}

impl Original {
    fn new(scene: &Scene) -> Self {
        let configs = scene.links.iter().map(|link| link.config.clone());
        let all = scene.links.iter().map(|link| &link.cross).chain([&scene.real]);
        let last = all.filter_map(|frames| frames.last()).map(|frame| frame.at).max();
        let chain = Chain::new(configs, scene.seed, "original");
        Self { chain, number: 0, last: last.unwrap_or(Time::ZERO) }
    }

    fn is_over(&self) -> bool {
        self.chain.now() > self.last && self.chain.is_empty()
    }

    /// Runs the next period with the given twins.
    fn period(&mut self, scene: &Scene, twins: &[Emission]) -> Vec<PipeReport> {
        for (place, link) in scene.links.iter().enumerate() {
            let cross = frames_of(scene, self.number, &link.cross);
            self.chain.bring(place, cross.iter().copied());
        }
        self.number += 1;
        self.chain.period(scene.period, twins);
        self.chain.reports(scene.full)
    }
}
