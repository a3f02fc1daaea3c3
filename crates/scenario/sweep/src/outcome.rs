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
            let has_it = |record: &&Record| record.value(&metric.name).is_some();
            if !runs.is_empty() && !runs.iter().any(has_it) {
                outcome.note = Some("no run has it".into());
            }
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

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use netloom_units::Stream;

    use super::*;
    use crate::record::Value;

    const SWEEP: &str = "
scenario: s.yaml
vary: {a.b: [1, 2], control: {paths: [c], values: [x, y]}}
seeds: 5
metrics: {m: {summary: ended}}
compare: {metric: m, baseline: {control: x}}
";

    fn record(seed: u64, value: f64, verdict: Judgement) -> Record {
        let value = Value { of: String::new(), value: Some(value), error: Some(0.5) };
        Record {
            key: String::new(),
            point: BTreeMap::new(),
            seed,
            verdict: Some(verdict),
            values: BTreeMap::from([("m".into(), value)]),
            machine: String::new(),
            beside: None,
            attempt: 1,
            seconds: 0.0,
        }
    }

    fn of(sweep: &Sweep, runs: &[Vec<Record>]) -> Vec<Outcome> {
        let borrowed: Vec<Vec<&Record>> = runs.iter().map(|runs| runs.iter().collect()).collect();
        outcomes(sweep, &sweep.points(), &borrowed, Rule::default())
    }

    #[test]
    fn an_invalid_run_enters_no_mean_and_over_a_fifth_there_is_no_interval() {
        let sweep = Sweep::parse(SWEEP).unwrap();
        let point = |invalid: u64| -> Vec<Record> {
            let verdict = |seed| match seed <= invalid {
                true => Judgement::Invalid,
                false => Judgement::Valid,
            };
            (1..=5).map(|seed| record(seed, seed as f64, verdict(seed))).collect()
        };
        let all = of(&sweep, &[point(0), point(1), point(2), point(5)]);
        let [whole, fifth, more, none] = &all[..] else { panic!("{all:?}") };
        assert_eq!((whole.mean, whole.runs, whole.left_out), (Some(3.0), 5, 0));
        assert_eq!((fifth.mean, fifth.runs, fifth.left_out), (Some(3.5), 4, 1));
        assert!(fifth.half.is_some() && fifth.note.is_none());
        assert_eq!((more.mean, more.half, more.total), (Some(4.0), None, None));
        assert!(more.note.as_ref().unwrap().contains("2 of 5"));
        assert_eq!((none.mean, none.runs), (None, 0));
        assert_eq!(whole.total, Some(whole.half.unwrap() + 0.5), "the machine's part adds");
        // Pairs of the same seed: y of the point less x of its baseline.
        assert_eq!(fifth.difference.difference, Some(0.0));
        assert_eq!(whole.difference, Difference::default(), "a baseline has none");
        assert_eq!(none.difference.difference, None);
    }

    /// A normal variable (Box and Muller).
    fn normal(stream: &mut Stream) -> f64 {
        let (one, other) = (1.0 - stream.uniform(), stream.uniform());
        (-2.0 * one.ln()).sqrt() * (std::f64::consts::TAU * other).cos()
    }

    /// The standard deviation of a share of 2,000 is 0.5 % where it is 95 %: the limits are three
    /// of them away.
    #[test]
    fn intervals_of_2000_sweeps_cover_as_often_as_they_say() {
        let sweep = Sweep::parse(SWEEP).unwrap();
        let (mut mean, mut difference) = (0, 0);
        for number in 0..2000 {
            let mut stream = Stream::new(number, "coverage");
            // Runs of a seed have something in common, which pairs take out.
            let common: Vec<f64> = (0..5).map(|_| 3.0 * normal(&mut stream)).collect();
            let mut point = |truth: f64| -> Vec<Record> {
                let value = |seed: u64, stream: &mut Stream| {
                    truth + common[seed as usize - 1] + normal(stream)
                };
                (1..=5)
                    .map(|seed| record(seed, value(seed, &mut stream), Judgement::Valid))
                    .collect()
            };
            let runs: Vec<Vec<Record>> = [100.0, 101.0, 110.0, 120.0].map(&mut point).into();
            let all = of(&sweep, &runs);
            let covers = |mean: f64, half: Option<f64>, truth: f64| {
                usize::from((mean - truth).abs() <= half.unwrap())
            };
            mean += covers(all[0].mean.unwrap(), all[0].half, 100.0);
            let paired = &all[1].difference;
            difference += covers(paired.difference.unwrap(), paired.difference_half, 1.0);
        }
        println!("covered: means {mean}, differences {difference} of 2000");
        assert!((1870..=1930).contains(&mean), "{mean}");
        assert!((1870..=1930).contains(&difference), "{difference}");
    }

    #[test]
    fn intervals_of_2000_sweeps_that_stop_cover_at_least_as_often() {
        let text = SWEEP.replace("seeds: 5", "stop: {metric: m, half_width: 2%, seeds: 5-50}");
        let sweep = Sweep::parse(&text).unwrap();
        let stop = sweep.stop.as_ref().unwrap();
        let (mut covered, mut seeds) = (0, 0);
        for number in 0..2000 {
            let mut stream = Stream::new(number, "stop");
            let values: Vec<f64> = (0..50).map(|_| 100.0 + 4.0 * normal(&mut stream)).collect();
            let mut looks = stop.looks.iter().map(|look| look as usize);
            let used = looks.find(|look| stop.is_enough(&values[..*look])).unwrap_or(50);
            let runs = (1..).zip(&values[..used]);
            let runs = runs.map(|(seed, value)| record(seed, *value, Judgement::Valid)).collect();
            let outcome = &of(&sweep, &[runs, vec![], vec![], vec![]])[0];
            let error = (outcome.mean.unwrap() - 100.0).abs();
            covered += usize::from(error <= outcome.half.unwrap());
            seeds += used;
        }
        println!("covered: {covered} of 2000, with {} seeds in the mean", seeds / 2000);
        assert!(covered >= 1880, "{covered}");
        assert!((20..45).contains(&(seeds / 2000)), "it stops early: {seeds}");
    }
}
