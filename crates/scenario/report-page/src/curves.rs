//! Samples of pipes over time, reduced while they are read to what a page can show. Counters are
//! cumulative, so a mean over a longer step is as exact as one over a short step. Not here: how
//! curves are drawn (`chart`).

use std::collections::BTreeMap;

use netloom_link::DropReason;
use netloom_units::{Duration, Time};

/// Largest number of steps in a curve: one for about every two pixels.
const STEPS: u64 = 300;

/// One of the two directions of a link.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Way {
    /// From the first endpoint to the second.
    Forward,
    /// From the second endpoint to the first.
    Reverse,
}

impl Way {
    /// Returns the direction with this name in the files of a run.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "forward" => Some(Self::Forward),
            "reverse" => Some(Self::Reverse),
            _ => None,
        }
    }
}

/// Counters of a pipe since the network was up, at one time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Sample {
    /// Time of the sample.
    pub time: Time,
    /// Bytes that were offered.
    pub offered_bytes: u64,
    /// Bytes that were delivered.
    pub delivered_bytes: u64,
    /// Frames that were delivered.
    pub delivered_frames: u64,
    /// Frames that were dropped, for each of [`DropReason::ALL`].
    pub dropped_frames: [u64; DropReason::ALL.len()],
    /// Sum of the delays of all delivered frames, in ns.
    pub delay_sum_ns: u64,
    /// Integral of the queue length over time, in frames × ns.
    pub queue_sum_ns: u64,
}

/// Mean of a value from one sample to another.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Step {
    pub from: Time,
    pub to: Time,
    pub mean: f64,
}

/// A sample that knows its time.
pub(crate) trait Timed: Copy + Default {
    /// Time of the sample.
    fn time(&self) -> Time;
}

impl Timed for Sample {
    fn time(&self) -> Time {
        self.time
    }
}

/// Samples of one pipe or flow, ordered by time.
#[derive(Debug, Default)]
pub(crate) struct Curve<S = Sample> {
    /// The sample at zero. Without one, nothing had been counted before.
    first: S,
    kept: Vec<S>,
    /// The last sample, if it came too soon after the last one that was kept.
    tail: Option<S>,
}

/// Returns the least time between two samples of a curve in a run that ended at `ended`.
pub(crate) fn step(ended: Time) -> Duration {
    Duration::from_nanos(ended.as_nanos() / STEPS)
}

/// Samples of some links.
#[derive(Debug)]
pub struct Curves {
    step: Duration,
    only_traffic: bool,
    links: BTreeMap<String, [Curve; 2]>,
}

impl Curves {
    /// Creates curves of these links in a run that ended at `ended`.
    pub fn new<'a>(ended: Time, links: impl IntoIterator<Item = &'a str>) -> Self {
        let step = step(ended);
        let links = links.into_iter().map(|link| (link.to_string(), Default::default()));
        Self { step, only_traffic: false, links: links.collect() }
    }

    /// Sets that samples contain only offered and delivered traffic, as in runs of old versions of
    /// NetLoom.
    pub fn set_only_traffic(&mut self) {
        self.only_traffic = true;
    }

    pub(crate) fn only_traffic(&self) -> bool {
        self.only_traffic
    }

    /// Adds the next sample of a pipe. Samples of other links are ignored.
    pub fn add(&mut self, link: &str, way: Way, sample: Sample) {
        if let Some(curves) = self.links.get_mut(link) {
            curves[way as usize].add(sample, self.step);
        }
    }

    pub(crate) fn of(&self, link: &str, way: Way) -> Option<&Curve> {
        self.links.get(link).map(|curves| &curves[way as usize])
    }
}

impl<S: Timed> Curve<S> {
    /// Adds the next sample. It is kept if it is more than a `step` after the last one.
    pub(crate) fn add(&mut self, sample: S, step: Duration) {
        if sample.time() == Time::ZERO {
            self.first = sample;
            return;
        }
        let last = self.kept.last().map_or(Time::default(), Timed::time);
        if sample.time().since(last) > step {
            self.kept.push(sample);
            self.tail = None;
        } else {
            self.tail = Some(sample);
        }
    }

    /// Returns the means of `value` (which gets two samples and the ns between them) from sample to
    /// sample, where it has a value.
    pub(crate) fn steps(&self, value: impl Fn(&S, &S, f64) -> Option<f64>) -> Vec<Step> {
        let (mut steps, mut before) = (Vec::new(), self.first);
        // A tail replaces the last sample that was kept, and lengthens its step.
        let whole = self.kept.len().saturating_sub(usize::from(self.tail.is_some()));
        for sample in self.kept[..whole].iter().chain(&self.tail) {
            let elapsed = sample.time().since(before.time()).as_nanos();
            if elapsed > 0
                && let Some(mean) = value(&before, sample, elapsed as f64)
            {
                steps.push(Step { from: before.time(), to: sample.time(), mean });
            }
            before = *sample;
        }
        steps
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn delivered(curve: &Curve) -> Vec<Step> {
        let bytes = |a: &Sample, b: &Sample| b.delivered_bytes - a.delivered_bytes;
        curve.steps(|a, b, ns| Some(bytes(a, b) as f64 / ns))
    }

    proptest! {
        /// However samples are reduced, there are no more steps than a page shows and no gap from
        /// zero to the last sample, and their sum equals the counters.
        #[test]
        fn thinning_loses_nothing(
            gaps in prop::collection::vec((1u64..5_000, 0u64..1_000), 1..2_000),
            before_zero in prop::option::of(0u64..1_000_000),
        ) {
            let ended = Time::from_nanos(gaps.iter().map(|(ns, _)| ns).sum());
            let mut curves = Curves::new(ended, ["a"]);
            let delivered_bytes = before_zero.unwrap_or(0);
            let mut sample = Sample { delivered_bytes, ..Sample::default() };
            if before_zero.is_some() {
                curves.add("a", Way::Reverse, sample);
            }
            for (ns, bytes) in gaps {
                sample.time += Duration::from_nanos(ns);
                sample.delivered_bytes += bytes;
                curves.add("a", Way::Reverse, sample);
                curves.add("b", Way::Reverse, sample);
            }
            let steps = delivered(curves.of("a", Way::Reverse).unwrap());
            prop_assert!(steps.len() as u64 <= STEPS + 1);
            prop_assert_eq!(steps[0].from, Time::default());
            prop_assert!(steps.windows(2).all(|pair| pair[0].to == pair[1].from));
            prop_assert_eq!(steps.last().unwrap().to, ended);
            let products = steps.iter().map(|s| s.mean * s.to.since(s.from).as_nanos() as f64);
            let sum: f64 = products.sum();
            // Each of some 300 products is exact to 53 bits.
            let since_zero = sample.delivered_bytes - before_zero.unwrap_or(0);
            prop_assert!((sum - since_zero as f64).abs() < 1e-6);
            prop_assert!(delivered(curves.of("a", Way::Forward).unwrap()).is_empty());
            prop_assert!(curves.of("b", Way::Reverse).is_none());
        }
    }
}
