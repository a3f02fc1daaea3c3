//! `runs.parquet`, `points.csv` and `report.html` of a sweep. They depend on its runs alone, not on
//! their order or on how often it was interrupted.

use std::fs::File;
use std::io::BufWriter;

use anyhow::{Context, Result};
use netloom_columnar::{Cell, Column, Csv, Kind, Parquet, Table};
use netloom_report_page::{SweepLine, SweepPage, SweepPlot, SweepPoint, sweep_page};
use netloom_sweep::{Outcome, Parameter, Point, Record, numbers};

use super::folder::write_whole;
use super::setup::Setup;

/// Writes the tables and the report.
pub fn write(setup: &Setup, records: &[Vec<Record>], outcomes: &[Outcome]) -> Result<()> {
    let file = |name: &str| setup.directory.join(name);
    write_whole(&file("runs.parquet"), |file| runs(setup, records, file))?;
    write_whole(&file("points.csv"), |file| points(setup, outcomes, file))?;
    let page = sweep_page(&page(setup, outcomes));
    write_whole(&file("report.html"), |file| {
        use std::io::Write;
        Ok(file.write_all(page.as_bytes())?)
    })
}

/// How the values of a parameter are written: as numbers, if all are.
fn kind(parameter: &Parameter) -> Kind {
    let all = |is_it: &dyn Fn(&String) -> bool| parameter.values.iter().all(is_it);
    match () {
        () if all(&|value| value.parse::<u32>().is_ok()) => Kind::Number,
        () if all(&|value| value.parse::<f64>().is_ok_and(f64::is_finite)) => Kind::Real,
        () => Kind::Name,
    }
}

fn cell(kind: Kind, value: &str) -> Cell<'_> {
    match kind {
        Kind::Number => Cell::Number(value.parse().unwrap_or_default()),
        Kind::Real => Cell::Real(value.parse().unwrap_or_default()),
        _ => Cell::Name(value),
    }
}

/// Returns the columns of the parameters.
fn parameters(setup: &Setup) -> Vec<Column<'_>> {
    let all = setup.sweep.parameters.iter();
    all.map(|parameter| (parameter.name.as_str(), kind(parameter))).collect()
}

fn cells<'s>(setup: &'s Setup, point: &Point) -> Vec<Cell<'s>> {
    point.values(&setup.sweep).map(|(parameter, value)| cell(kind(parameter), value)).collect()
}

fn runs(setup: &Setup, records: &[Vec<Record>], file: &mut File) -> Result<()> {
    let mut columns = parameters(setup);
    columns.extend([
        ("seed", Kind::Number),
        ("metric", Kind::Name),
        ("value", Kind::MaybeReal),
        ("unit", Kind::Name),
        ("verdict", Kind::MaybeName),
        ("error", Kind::MaybeReal),
        ("machine", Kind::Name),
        ("beside", Kind::MaybeNumber),
        ("run", Kind::Name),
    ]);
    let mut table = Box::new(Parquet::new(BufWriter::new(file), "runs", &columns)?);
    for (point, runs) in setup.points.iter().zip(records) {
        for record in runs {
            let verdict = record.verdict.map(|verdict| verdict.to_string());
            for metric in &setup.sweep.metrics {
                let value = record.values.get(&metric.name);
                let mut row = cells(setup, point);
                row.extend([
                    Cell::Number(record.seed),
                    Cell::Name(&metric.name),
                    value.and_then(|value| value.value).into(),
                    Cell::Name(&metric.unit),
                    verdict.as_deref().into(),
                    value.and_then(|value| value.error).into(),
                    Cell::Name(&record.machine),
                    record.beside.map(u64::from).into(),
                    Cell::Name(&record.key),
                ]);
                table.row(&row)?;
            }
        }
    }
    table.finish().context("the table of runs")
}

fn points(setup: &Setup, outcomes: &[Outcome], file: &mut File) -> Result<()> {
    let mut columns = parameters(setup);
    columns.extend([
        ("metric", Kind::Name),
        ("unit", Kind::Name),
        ("runs", Kind::Number),
        ("left_out", Kind::Number),
        ("mean", Kind::MaybeReal),
        ("half", Kind::MaybeReal),
        ("machine", Kind::MaybeReal),
        ("total", Kind::MaybeReal),
        ("difference", Kind::MaybeReal),
        ("difference_half", Kind::MaybeReal),
        ("level", Kind::Real),
        ("note", Kind::MaybeName),
    ]);
    let mut table = Box::new(Csv::new(BufWriter::new(file), &columns)?);
    for outcome in outcomes {
        let metric = &setup.sweep.metrics[outcome.metric];
        let mut row = cells(setup, &setup.points[outcome.point]);
        row.extend([
            Cell::Name(&metric.name),
            Cell::Name(&metric.unit),
            Cell::Number(outcome.runs as u64),
            Cell::Number(outcome.left_out as u64),
            outcome.mean.into(),
            outcome.half.into(),
            outcome.machine.into(),
            outcome.total.into(),
            outcome.difference.difference.into(),
            outcome.difference.difference_half.into(),
            Cell::Real(outcome.level),
            outcome.note.as_deref().into(),
        ]);
        table.row(&row)?;
    }
    table.finish().context("the table of points")
}

/// Returns what the report shows: a plot for each metric, with the first parameter whose values are
/// numbers across.
fn page(setup: &Setup, outcomes: &[Outcome]) -> SweepPage {
    let sweep = &setup.sweep;
    let is_number = |place: &usize| numbers(&sweep.parameters[*place].values).is_some();
    let across = (0..sweep.parameters.len()).find(is_number);
    let across = across.or((!sweep.parameters.is_empty()).then_some(0));
    let plots = sweep.metrics.iter().enumerate().map(|(number, metric)| {
        let mut lines: Vec<SweepLine> = Vec::new();
        for outcome in outcomes.iter().filter(|outcome| outcome.metric == number) {
            let Some(mean) = outcome.mean else { continue };
            let point = &setup.points[outcome.point];
            let name = others(setup, point, across);
            let place = across.map_or(0, |across| point.choices[across]);
            let point = SweepPoint { place, mean, half: outcome.total };
            match lines.iter_mut().find(|line| line.name == name) {
                Some(line) => line.points.push(point),
                None => lines.push(SweepLine { name, points: vec![point] }),
            }
        }
        SweepPlot { metric: metric.name.clone(), unit: metric.unit.clone(), lines }
    });
    let names = sweep.parameters.iter().map(|parameter| parameter.name.clone());
    let rows = outcomes.iter().map(|outcome| {
        let metric = &sweep.metrics[outcome.metric];
        let word = |value: Option<f64>| value.map_or("–".into(), |value| metric.in_words(value));
        let values = setup.points[outcome.point].values(sweep);
        let mut row: Vec<String> = values.map(|(_, value)| value.to_owned()).collect();
        row.push(metric.name.clone());
        row.extend([outcome.mean, outcome.half, outcome.machine, outcome.total].map(word));
        row.extend([outcome.runs.to_string(), outcome.left_out.to_string()]);
        row.push(outcome.note.clone().unwrap_or_default());
        row
    });
    let ends = ["metric", "mean", "half", "machine", "total", "runs", "left out", ""];
    SweepPage {
        name: setup.directory.file_name().unwrap_or_default().to_string_lossy().into_owned(),
        across: across.map_or(String::new(), |place| sweep.parameters[place].name.clone()),
        places: across.map_or(vec![String::new()], |place| sweep.parameters[place].values.clone()),
        numbers: across.and_then(|place| numbers(&sweep.parameters[place].values)),
        level: sweep.level(),
        plots: plots.collect(),
        headings: names.chain(ends.map(Into::into)).collect(),
        rows: rows.collect(),
    }
}

/// Returns the values of the other parameters in words.
fn others(setup: &Setup, point: &Point, across: Option<usize>) -> String {
    let all = point.values(&setup.sweep).enumerate();
    let others = all.filter(|(place, _)| Some(*place) != across).map(|(_, (parameter, value))| {
        let name = parameter.name.rsplit('.').next().unwrap_or_default();
        format!("{name} {value}")
    });
    others.collect::<Vec<_>>().join(", ")
}
