//! Means of each point, with intervals and differences.

use netloom_monitor::Judgement;
use serde::Serialize;

use crate::file::Sweep;
use crate::interval::Interval;
use crate::points::Point;
use crate::record::Record;

/// Greatest share of a point's runs that may be left out. Where more are, the rest is a biased
/// sample.
const MOST_LEFT_OUT: f64 = 0.2;

/// Which runs count.
#[derive(Debug, Clone, Copy, Default)]
pub struct Rule {
    /// Whether suspect runs are left out, too.
    pub strict: bool,
}

impl Rule {
    /// Whether a run enters means.
    pub fn counts(self, record: &Record) -> bool {
        match record.verdict {
            Some(Judgement::Invalid) => false,
            Some(Judgement::Suspect) => !self.strict,
            Some(Judgement::Valid) | None => true,
        }
    }
}

/// What the runs of a point say of a metric.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outcome {
    /// Number of the point.
    #[serde(skip)]
    pub point: usize,
    /// Number of the metric.
    #[serde(skip)]
    pub metric: usize,
    /// Number of runs that count.
    pub runs: usize,
    /// Number of runs that are left out: invalid ones, and those that have no value.
    pub left_out: usize,
    /// Mean of the runs that count.
    pub mean: Option<f64>,
    /// Half of the mean's confidence interval, over seeds.
    pub half: Option<f64>,
    /// Greatest error that the machine may have made in a run. More runs do not lessen it.
    pub machine: Option<f64>,
    /// `half` and `machine` together.
    pub total: Option<f64>,
    /// Difference from the baseline.
    #[serde(flatten)]
    pub difference: Difference,
    /// Confidence of the interval, which is 95 % or more.
    pub level: f64,
    /// What is to be known about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// Difference of a point's mean from that of its baseline, by runs of the same seed.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize)]
pub struct Difference {
    /// The mean of the differences.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference: Option<f64>,
    /// Half of its confidence interval.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub difference_half: Option<f64>,
}

/// The runs of a point, with the value of each.
struct Sample<'r> {
    records: &'r [&'r Record],
    /// Seed and value of each run that counts.
    values: Vec<(u64, f64)>,
}

impl<'r> Sample<'r> {
    fn of(records: &'r [&'r Record], metric: &str, rule: Rule) -> Self {
        let counting = records.iter().filter(|record| rule.counts(record));
        let values = counting.filter_map(|record| Some((record.seed, record.value(metric)?)));
        Self { records, values: values.collect() }
    }

    fn left_out(&self) -> usize {
        self.records.len() - self.values.len()
    }

    /// Whether too many are left out for the rest to stand for all.
    fn is_biased(&self) -> bool {
        self.left_out() as f64 > MOST_LEFT_OUT * self.records.len() as f64
    }

    fn plain(&self) -> Vec<f64> {
        self.values.iter().map(|(_, value)| *value).collect()
    }
}

/// Returns the means of all metrics at all points, in this order. `records` are the runs of each
/// point, by seed.
pub fn outcomes(
    sweep: &Sweep,
    points: &[Point],
    records: &[Vec<&Record>],
    rule: Rule,
) -> Vec<Outcome> {
    let mut all = Vec::new();
    for (point, runs) in records.iter().enumerate() {
        for (number, metric) in sweep.metrics.iter().enumerate() {
            let sample = Sample::of(runs, &metric.name, rule);
            let is_compared = sweep.compare.as_ref().is_some_and(|one| one.metric == number);
            let baseline = is_compared.then(|| sweep.baseline(points, point)).flatten();
            let baseline = baseline.map(|other| Sample::of(&records[other], &metric.name, rule));
            let difference = baseline.map(|other| difference(&sample, &other, sweep.level()));
            let machine = machine(&sample, &metric.name, rule);
            let mut outcome = outcome(&sample, machine, sweep.level());
            (outcome.point, outcome.metric) = (point, number);
            outcome.difference = difference.unwrap_or_default();
            all.push(outcome);
        }
    }
    all
}

/// Returns the greatest error bound of the runs that count. `None` if one of them has none.
fn machine(sample: &Sample<'_>, metric: &str, rule: Rule) -> Option<f64> {
    let counting = sample.records.iter().filter(|record| rule.counts(record));
    let errors = counting.filter_map(|record| record.values.get(metric));
    let errors = errors.filter(|value| value.value.is_some()).map(|value| value.error);
    errors.reduce(|a, b| Some(a?.max(b?))).flatten()
}

fn outcome(sample: &Sample<'_>, machine: Option<f64>, level: f64) -> Outcome {
    let values = sample.plain();
    let interval = (!values.is_empty()).then(|| Interval::of(&values, level));
    let mut half = interval.and_then(|interval| interval.half);
    let mut note = None;
    let (left_out, of) = (sample.left_out(), sample.records.len());
    if sample.is_biased() {
        half = None;
        note = Some(format!(
            "{left_out} of {of} runs are left out, more than a fifth: the rest is a biased sample"
        ));
    } else if half == Some(0.0) {
        note = Some("all runs have this value: nothing in it was drawn at random".into());
    }
    Outcome {
        point: 0,
        metric: 0,
        runs: values.len(),
        left_out,
        mean: interval.map(|interval| interval.mean),
        half,
        machine,
        total: half.map(|half| half + machine.unwrap_or(0.0)),
        difference: Difference::default(),
        level,
        note,
    }
}

/// Returns the difference of two samples, by runs of the same seed.
fn difference(sample: &Sample<'_>, baseline: &Sample<'_>, level: f64) -> Difference {
    let other = |seed| baseline.values.iter().find(|(other, _)| *other == seed);
    let pairs = sample.values.iter().filter_map(|(seed, value)| Some(value - other(*seed)?.1));
    let pairs: Vec<f64> = pairs.collect();
    if pairs.is_empty() {
        return Difference::default();
    }
    let interval = Interval::of(&pairs, level);
    let is_biased = sample.is_biased() || baseline.is_biased();
    let difference_half = interval.half.filter(|_| !is_biased);
    Difference { difference: Some(interval.mean), difference_half }
}
