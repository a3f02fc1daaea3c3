//! `netloom compare`: the differences between two runs, or two groups of runs.

mod group;

use std::path::PathBuf;

use anyhow::Result;
use netloom_sweep::{Interval, Measure, P95, Tolerance};
use serde::Serialize;

use crate::args::{Compare, Format};
use crate::exit;
use crate::part::Part;
use crate::table::table;
use group::{Group, LeftOut};

/// Compares two runs or groups of runs and prints the differences.
pub fn run(args: &Compare) -> Result<i32> {
    let is_part = args.from.is_some() || args.to.is_some() || args.good;
    let from = args.from.unwrap_or_default();
    let part = is_part.then_some(Part { from, to: args.to, good: args.good });
    check_measures(part, &args.tolerance)?;
    let (first, second) = sides(args)?;
    let (a, b) = (group::read(first, part)?, group::read(second, part)?);
    let mut comparison = compare(&a, &b, &args.tolerance);
    comparison.notes = notes(part, &a, &b);
    match args.format {
        Format::Json => println!("{}", serde_json::to_string_pretty(&comparison)?),
        Format::Table => print!("{}", page(&comparison)),
    }
    let outside = comparison.rows.iter().any(|row| row.outside) || !comparison.only.is_empty();
    Ok(match outside && !args.tolerance.is_empty() {
        true => exit::DIFFERENT,
        false => exit::SUCCESS,
    })
}

/// Returns the directories of both sides.
fn sides(args: &Compare) -> Result<(&[PathBuf], &[PathBuf])> {
    match (&args.directories[..], &args.with[..]) {
        ([first, second], []) => Ok((std::slice::from_ref(first), std::slice::from_ref(second))),
        (_, []) => Err(exit::usage(format!(
            "two runs are compared, not {}: name two, or two groups, like `compare A1 A2 --with B1 \
             B2`",
            args.directories.len()
        ))),
        (first, second) => Ok((first, second)),
    }
}

/// Refuses tolerances of measures that a part of a run does not have.
fn check_measures(part: Option<Part>, tolerances: &[Tolerance]) -> Result<()> {
    let lacks = |tolerance: &&Tolerance| !Part::MEASURES.contains(&tolerance.measure);
    match tolerances.iter().find(lacks).filter(|_| part.is_some()) {
        None => Ok(()),
        Some(tolerance) => Err(exit::usage(format!(
            "`{}` is known of whole runs only; of a part there are {}",
            tolerance.measure.name(),
            Part::MEASURES.map(Measure::name).join(", ")
        ))),
    }
}

/// The common flows and pipes of both sides, with their differences.
#[derive(Debug, Serialize)]
struct Comparison {
    rows: Vec<Row>,
    /// Flows and pipes that not all runs have, with which runs those are.
    only: Vec<String>,
    /// What is left out of runs.
    left_out: Vec<LeftOut>,
    /// What is to be known about the figures.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

/// Returns what is to be known about the figures of two groups.
fn notes(part: Option<Part>, a: &Group, b: &Group) -> Vec<String> {
    let mut notes = Vec::new();
    if a.is_cut || b.is_cut {
        let what = if part.is_some() { "all figures" } else { "goodput and load of pipes" };
        notes.push(format!(
            "{what} end with the scenario's `duration`; the runs went on until what was under way \
             had arrived"
        ));
    }
    if part.is_some() {
        let whole = Measure::ALL.into_iter().filter(|one| !Part::MEASURES.contains(one));
        let whole: Vec<&str> = whole.map(Measure::name).collect();
        notes.push(format!("not known of a part of a run: {}", whole.join(", ")));
    }
    notes
}

/// A measure of a flow or pipe on both sides. Halves are those of 95 % confidence intervals, and
/// are absent where a side is a single run.
#[derive(Debug, Serialize)]
struct Row {
    what: String,
    measure: Measure,
    /// Mean of the first side.
    a: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    a_half: Option<f64>,
    /// Mean of the second side.
    b: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    b_half: Option<f64>,
    /// The second less the first, as a share of the first. `None` if the first is 0 and the second
    /// is not.
    difference: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    difference_half: Option<f64>,
    tolerance: Option<f64>,
    outside: bool,
}

impl Row {
    /// Whether the interval of the difference does not contain 0.
    fn is_distinct(&self) -> bool {
        let difference = self.difference.map_or(f64::INFINITY, f64::abs);
        self.difference_half.is_some_and(|half| difference > half)
    }
}

fn compare(a: &Group, b: &Group, tolerances: &[Tolerance]) -> Comparison {
    let mut comparison = Comparison {
        rows: Vec::new(),
        only: Vec::new(),
        left_out: a.left_out.iter().chain(&b.left_out).cloned().collect(),
        notes: Vec::new(),
    };
    for key in &a.keys {
        let (what, measure) = key;
        let (Some(first), Some(second)) = (a.values(key), b.values(key)) else { continue };
        let [first, second] = [first, second].map(|values| Interval::of(values, P95));
        let tolerance = tolerances.iter().find(|tolerance| tolerance.measure == *measure);
        let tolerance = tolerance.map(|tolerance| tolerance.share);
        let difference = difference(first.mean, second.mean);
        let half = first.half_of_difference(&second, P95);
        let outside = tolerance
            .is_some_and(|share| difference.is_none_or(|difference| difference.abs() > share));
        comparison.rows.push(Row {
            what: what.clone(),
            measure: *measure,
            a: first.mean,
            a_half: first.half,
            b: second.mean,
            b_half: second.half,
            difference,
            difference_half: half.filter(|_| first.mean != 0.0).map(|half| half / first.mean.abs()),
            tolerance,
            outside,
        });
    }
    for (what, _) in a.keys.iter().chain(&b.keys) {
        let note = missing(what, a, b);
        if let Some(note) = note.filter(|note| !comparison.only.contains(note)) {
            comparison.only.push(note);
        }
    }
    comparison
}

/// Returns which runs have a flow or pipe, if not all do. A missing measure alone does not count,
/// since some exist in one kind of run only.
fn missing(what: &str, a: &Group, b: &Group) -> Option<String> {
    let are_groups = a.runs > 1 || b.runs > 1;
    match (a.having(what), b.having(what)) {
        (here, there) if here == a.runs && there == b.runs => None,
        (_, 0) if !are_groups => Some(format!("{what} is in the first run only")),
        (0, _) if !are_groups => Some(format!("{what} is in the second run only")),
        (here, there) => Some(format!(
            "{what} is in {here} of {} first runs and in {there} of {} second ones",
            a.runs, b.runs
        )),
    }
}

fn difference(a: f64, b: f64) -> Option<f64> {
    if a == b { Some(0.0) } else { (a != 0.0).then(|| (b - a) / a.abs()) }
}

fn page(comparison: &Comparison) -> String {
    let mut rows = table(&["flow or pipe", "", "first", "second", "difference", ""]);
    for row in &comparison.rows {
        let verdict = match (row.outside, row.tolerance) {
            (true, _) => "outside",
            (false, Some(_)) => "within",
            (false, None) if row.is_distinct() => "distinct",
            (false, None) => "",
        };
        let with_half = |mean: f64, half: Option<f64>| {
            let half = half.map(|half| format!(" ± {}", row.measure.in_words(half)));
            row.measure.in_words(mean) + &half.unwrap_or_default()
        };
        let half = row.difference_half.map(|half| format!(" ± {:.2} %", half * 100.0));
        rows.add_row([
            row.what.clone(),
            row.measure.name().into(),
            with_half(row.a, row.a_half),
            with_half(row.b, row.b_half),
            in_percent(row.difference) + &half.unwrap_or_default(),
            verdict.into(),
        ]);
    }
    let mut text = format!("{rows}\n");
    for only in &comparison.only {
        text += &format!("{only}\n");
    }
    for LeftOut { run, seconds, of_seconds } in &comparison.left_out {
        let run = run.display();
        text += &format!("left out of {run}: {seconds:.1} s of {of_seconds:.1} s\n");
    }
    for note in &comparison.notes {
        text += &format!("note: {note}\n");
    }
    let size = |row: &&Row| row.difference.map_or(f64::INFINITY, f64::abs);
    let largest = comparison.rows.iter().max_by(|x, y| size(x).total_cmp(&size(y)));
    if let Some(row) = largest {
        let apart = in_percent(row.difference);
        text += &format!("largest difference: {apart}, {} of {}\n", row.measure.name(), row.what);
    }
    if comparison.rows.iter().any(|row| row.difference_half.is_some()) {
        text += "± is half of a 95 % confidence interval; \
                 distinct: that of the difference does not contain 0\n";
    }
    let judged = comparison.rows.iter().filter(|row| row.tolerance.is_some()).count();
    let outside = comparison.rows.iter().filter(|row| row.outside).count();
    if judged > 0 {
        text += &format!("{outside} of {judged} outside their tolerance\n");
    }
    text
}

fn in_percent(difference: Option<f64>) -> String {
    difference.map_or("from nothing".into(), |share| format!("{:+.2} %", share * 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use netloom_sweep::Measured;

    fn of(what: &str, measure: Measure, value: f64) -> Measured {
        Measured { what: what.into(), measure, value }
    }

    #[test]
    fn values_outside_their_tolerance_are_found_and_missing_flows_named() {
        let a = vec![of("f", Measure::Goodput, 100.0), of("f", Measure::Delay, 10.0)];
        let b = vec![of("f", Measure::Goodput, 97.0), of("g", Measure::Delay, 10.0)];
        let [a, b] = [a, b].map(|run| Group::of([run]));
        let tolerances = ["goodput=2%".parse().unwrap(), "rtt=5%".parse().unwrap()];
        let found = compare(&a, &b, &tolerances);
        assert!(found.rows.len() == 1 && found.rows[0].outside);
        assert_eq!(found.rows[0].difference, Some(-0.03));
        assert_eq!(found.rows[0].a_half, None);
        assert_eq!(found.only, ["g is in the second run only"]);
        assert!(!compare(&a, &a, &tolerances).rows.iter().any(|row| row.outside));
    }

    #[test]
    fn groups_are_compared_by_their_means_and_intervals() {
        let group = |values: [f64; 3]| {
            Group::of(values.map(|value| vec![of("f", Measure::Goodput, value)]))
        };
        let (a, near, far) =
            (group([9.0, 10.0, 11.0]), group([10.0, 10.0, 11.0]), group([19.0, 20.0, 21.0]));
        let row = |b: &Group| compare(&a, b, &[]).rows.remove(0);
        let close = row(&near);
        assert_eq!((close.a, close.is_distinct()), (10.0, false));
        let half = close.a_half.unwrap();
        assert!((half - 4.302_653 / 3_f64.sqrt()).abs() < 1e-6, "{half}");
        let distinct = row(&far);
        assert_eq!((distinct.difference, distinct.is_distinct()), (Some(1.0), true));
        let lacks = Group::of([vec![of("f", Measure::Goodput, 10.0)], vec![]]);
        let only = compare(&a, &lacks, &[]).only;
        assert_eq!(only, ["f is in 3 of 3 first runs and in 1 of 2 second ones"]);
    }

    #[test]
    fn runs_with_the_same_figures_are_no_repetitions() {
        let run = |value: f64| vec![of("f", Measure::Goodput, value), of("f", Measure::Delay, 1.0)];
        assert!(Group::of([run(2.0), run(2.0), run(2.0)]).is_constant());
        assert!(!Group::of([run(2.0), run(2.0), run(2.1)]).is_constant());
        assert!(!Group::of([run(2.0)]).is_constant(), "a single run is no repetition");
        assert!(!Group::of([run(2.0), vec![of("f", Measure::Delay, 1.0)]]).is_constant());
    }

    #[test]
    fn a_tolerance_says_what_is_wrong_with_it() {
        let error = |text: &str| text.parse::<Tolerance>().unwrap_err();
        assert!(error("speed=2%").contains("goodput"));
        assert_eq!(error("goodput"), "`goodput` is no tolerance: write like `goodput=2%`");
        assert_eq!(error("goodput=2"), "`2` is no share: write like `2%`");
        let from = netloom_units::Duration::ZERO;
        let part = Some(Part { from, to: None, good: false });
        let why = check_measures(part, &["rtt=2%".parse().unwrap()]).unwrap_err().to_string();
        assert!(why.contains("`delay` is known of whole runs only"), "{why}");
    }
}
