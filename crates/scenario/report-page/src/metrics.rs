//! Metrics that applications in nodes reported, reduced while they are read to what a page can
//! show.

use std::collections::BTreeMap;

use netloom_api::metric::Metric;
use netloom_units::{Duration, Time};

use crate::curves::Step;

/// Largest number of steps in a curve: one for about every two pixels.
const STEPS: u64 = 300;

/// Largest number of curves, so that a program that invents names does not fill the page.
const KEPT: usize = 200;

/// All metrics of a run.
#[derive(Debug, Default)]
pub struct Metrics {
    step: Duration,
    ended: Time,
    /// By metric, then by node.
    series: BTreeMap<String, BTreeMap<String, Series>>,
    kept: usize,
    /// Number of values that belong to none of these curves.
    pub(crate) more: usize,
}

/// Values of a metric from one node.
#[derive(Debug)]
pub(crate) struct Series {
    /// Beginning, sum and number of values of each step.
    bins: Vec<(Time, f64, u64)>,
    pub count: u64,
    pub least: f64,
    pub most: f64,
    pub last: f64,
    sum: f64,
}

impl Metrics {
    /// Creates the metrics of a run that ended at `ended`.
    pub fn new(ended: Time) -> Self {
        let step = Duration::from_nanos(ended.as_nanos() / STEPS);
        Self { step, ended, ..Self::default() }
    }

    /// Adds the next value. Values are ordered by time.
    pub fn add(&mut self, metric: &Metric) {
        let nodes = self.series.get_mut(&metric.name);
        if let Some(series) = nodes.and_then(|nodes| nodes.get_mut(&metric.node)) {
            return series.add(metric, self.step);
        }
        if self.kept == KEPT {
            self.more += 1;
            return;
        }
        self.kept += 1;
        let nodes = self.series.entry(metric.name.clone()).or_default();
        nodes.entry(metric.node.clone()).or_default().add(metric, self.step);
    }

    /// Returns the metrics by name, each by node.
    pub(crate) fn by_name(&self) -> impl Iterator<Item = (&String, &BTreeMap<String, Series>)> {
        self.series.iter()
    }

    /// Returns a curve in which each value holds until the next one.
    pub(crate) fn steps(&self, series: &Series) -> Vec<Step> {
        let ends = series.bins.iter().skip(1).map(|(time, _, _)| *time).chain([self.ended]);
        let steps = series.bins.iter().zip(ends).map(|((from, sum, count), to)| Step {
            from: *from,
            to: to.max(*from),
            mean: sum / *count as f64,
        });
        steps.collect()
    }
}

impl Default for Series {
    fn default() -> Self {
        let (least, most) = (f64::INFINITY, f64::NEG_INFINITY);
        Self { bins: vec![], count: 0, least, most, last: 0.0, sum: 0.0 }
    }
}

impl Series {
    fn add(&mut self, metric: &Metric, step: Duration) {
        let value = metric.value;
        match self.bins.last_mut() {
            Some((from, sum, count)) if metric.time.since(*from) <= step => {
                *sum += value;
                *count += 1;
            }
            _ => self.bins.push((metric.time, value, 1)),
        }
        self.count += 1;
        self.sum += value;
        self.last = value;
        self.least = self.least.min(value);
        self.most = self.most.max(value);
    }

    pub fn mean(&self) -> f64 {
        self.sum / self.count as f64
    }
}
