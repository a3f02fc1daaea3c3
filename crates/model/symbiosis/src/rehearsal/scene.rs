//! A scene of a rehearsal, and what is recorded of it.

use netloom_link::{Emission, PipeConfig};
use netloom_units::{Duration, Time};

use crate::{LossMethod, PipeReport};

/// A path, its traffic, and the interval between reports.
#[derive(Debug, Clone)]
pub struct Scene {
    /// The links of the path, in order.
    pub links: Vec<SceneLink>,
    /// Frames of the real flow, by time.
    pub real: Vec<Emission>,
    /// Length of a full frame in bytes.
    pub full: u32,
    /// T: duration of a period.
    pub period: Duration,
    /// Seed of all random streams.
    pub seed: u64,
}

/// A link of a path.
#[derive(Debug, Clone)]
pub struct SceneLink {
    /// Configuration of its pipe.
    pub config: PipeConfig,
    /// The other frames that are offered to it, by time. They leave the path behind it.
    pub cross: Vec<Emission>,
}

/// The fate of a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fate {
    /// Time at which it was sent.
    pub sent: Time,
    /// Time at which it left the path, if it did.
    pub left: Option<Time>,
}

/// The results of the original path.
#[derive(Debug, Clone, PartialEq)]
pub struct Recording {
    /// The fate of each real frame.
    pub fates: Vec<Fate>,
    /// The reports of all links, for each period.
    pub reports: Vec<Vec<PipeReport>>,
}

/// The method by which a small network follows the original.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// One pipe stands for the path, calibrated by the M/D/1 model.
    Md1(Inherited, LossMethod),
    /// Each link has a pipe, which gets the other traffic again.
    CrossTraffic,
}

impl Method {
    /// The method `md1` as it is used in runs.
    pub const MD1: Self = Self::Md1(Inherited::Head, LossMethod::Positions);
}

/// The ways in which a small pipe can inherit the backlog of the network (5.11): the one that is
/// used in runs, and others for comparison.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Inherited {
    /// Once: the line is held.
    Head,
    /// Each frame of the period gets an extra delay.
    Each,
    /// Not at all.
    Not,
}

/// The delay of the small network behind the original.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lag {
    /// In each period the small network does what the original did in the same period.
    None,
    /// In each period the small network does what the original did in the period before, as in a
    /// real run.
    Period,
}

/// Returns those of `frames` that are sent in a period.
pub(super) fn frames_of<'a>(scene: &Scene, period: u64, frames: &'a [Emission]) -> &'a [Emission] {
    let place = |number| {
        let begin = Time::ZERO + times(scene.period, number);
        frames.partition_point(|frame| frame.at < begin)
    };
    &frames[place(period)..place(period + 1)]
}

pub(super) fn times(period: Duration, count: u64) -> Duration {
    Duration::from_nanos(period.as_nanos() * count)
}
