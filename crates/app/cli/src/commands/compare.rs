//! `netloom compare`: the differences between two runs of one scenario.

use anyhow::Result;
use serde::Serialize;

use crate::args::{Compare, Format};
use crate::measures::{Measure, Measured, Tolerance, measured};
use crate::table::table;
use crate::{exit, results};

/// Compares two runs and prints the differences.
pub fn run(args: &Compare) -> Result<i32> {
    let [a, b] = [&args.first, &args.second].map(|directory| results::summary(directory));
    let (a, b) = (a?, b?);
    let comparison = compare(&measured(&a), &measured(&b), &args.tolerance);
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

/// The common flows and pipes of two runs, with their differences.
#[derive(Debug, Serialize)]
struct Comparison {
    rows: Vec<Row>,
    /// Flows and pipes that only one of the runs has, with which run that is.
    only: Vec<String>,
}

/// A measure of a flow or pipe in both runs.
#[derive(Debug, Serialize)]
struct Row {
    what: String,
    measure: Measure,
    a: f64,
    b: f64,
    /// The second less the first, as a share of the first. `None` if the first is 0 and the second
    /// is not.
    difference: Option<f64>,
    tolerance: Option<f64>,
    outside: bool,
}

fn compare(a: &[Measured], b: &[Measured], tolerances: &[Tolerance]) -> Comparison {
    let key = |one: &Measured| (one.what.clone(), one.measure);
    let find = |all: &[Measured], wanted: &Measured| {
        all.iter().find(|one| key(one) == key(wanted)).map(|one| one.value)
    };
    let mut comparison = Comparison { rows: Vec::new(), only: Vec::new() };
    for one in a {
        let Some(other) = find(b, one) else {
            comparison.missing(one, b, "first");
            continue;
        };
        let tolerance = tolerances.iter().find(|tolerance| tolerance.measure == one.measure);
        let tolerance = tolerance.map(|tolerance| tolerance.share);
        let difference = difference(one.value, other);
        let outside = tolerance
            .is_some_and(|share| difference.is_none_or(|difference| difference.abs() > share));
        let (what, measure) = key(one);
        let row = Row { what, measure, a: one.value, b: other, difference, tolerance, outside };
        comparison.rows.push(row);
    }
    for one in b.iter().filter(|one| find(a, one).is_none()) {
        comparison.missing(one, a, "second");
    }
    comparison
}

impl Comparison {
    /// Records a flow or pipe that the other run lacks completely. A missing measure alone does not
    /// count, since some exist in one kind of run only.
    fn missing(&mut self, one: &Measured, other: &[Measured], run: &str) {
        let note = format!("{} is in the {run} run only", one.what);
        if !other.iter().any(|other| other.what == one.what) && !self.only.contains(&note) {
            self.only.push(note);
        }
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
            (false, None) => "",
        };
        rows.add_row([
            row.what.clone(),
            row.measure.name().into(),
            row.measure.in_words(row.a),
            row.measure.in_words(row.b),
            in_percent(row.difference),
            verdict.into(),
        ]);
    }
    let mut text = format!("{rows}\n");
    for only in &comparison.only {
        text += &format!("{only}\n");
    }
    let size = |row: &&Row| row.difference.map_or(f64::INFINITY, f64::abs);
    let largest = comparison.rows.iter().max_by(|x, y| size(x).total_cmp(&size(y)));
    if let Some(row) = largest {
        let apart = in_percent(row.difference);
        text += &format!("largest difference: {apart}, {} of {}\n", row.measure.name(), row.what);
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

    fn of(what: &str, measure: Measure, value: f64) -> Measured {
        Measured { what: what.into(), measure, value }
    }

    #[test]
    fn what_is_outside_its_tolerance_is_found_and_what_is_missing_named() {
        let a = [of("f", Measure::Goodput, 100.0), of("f", Measure::Delay, 10.0)];
        let b = [of("f", Measure::Goodput, 97.0), of("g", Measure::Delay, 10.0)];
        let tolerances = ["goodput=2%".parse().unwrap(), "rtt=5%".parse().unwrap()];
        let found = compare(&a, &b, &tolerances);
        assert!(found.rows.len() == 1 && found.rows[0].outside);
        assert_eq!(found.rows[0].difference, Some(-0.03));
        assert_eq!(found.only, ["g is in the second run only"]);
        assert!(!compare(&a, &a, &tolerances).rows.iter().any(|row| row.outside));
    }

    #[test]
    fn a_tolerance_says_what_is_wrong_with_it() {
        let error = |text: &str| text.parse::<Tolerance>().unwrap_err();
        assert!(error("speed=2%").contains("goodput"));
        assert_eq!(error("goodput"), "`goodput` is no tolerance: write like `goodput=2%`");
        assert_eq!(error("goodput=2"), "`2` is no share: write like `2%`");
    }
}
