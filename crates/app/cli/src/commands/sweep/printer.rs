//! Progress and results of a sweep, for people and programs.

use std::cell::RefCell;
use std::fmt::Write as _;

use comfy_table::CellAlignment;
use netloom_monitor::Judgement;
use netloom_sweep::{Metric, Mode, Outcome, Record};
use netloom_units::readable::counted;
use serde_json::{Value, json};

use super::room::Room;
use super::running::Running;
use super::setup::Setup;
use crate::args::{self, Format};
use crate::table::table;

/// Prints what a sweep does.
pub struct Printer {
    format: Format,
    /// What is to be said below the table.
    notes: RefCell<Vec<String>>,
}

impl Printer {
    /// Prints as the options say.
    pub fn new(args: &args::Sweep) -> Self {
        Self { format: args.format, notes: RefCell::default() }
    }

    /// Prints an object as a line, if programs read.
    fn line(&self, value: &Value) -> bool {
        if self.format == Format::Json {
            println!("{value}");
        }
        self.format == Format::Json
    }

    /// Says what would be run.
    pub fn plan(&self, setup: &Setup, room: &Room) {
        if self.line(&begin("plan", setup, room, 0)) {
            return;
        }
        let sweep = &setup.sweep;
        let mut text = format!("{}\n", in_words(setup, room));
        for point in &setup.points {
            // Writing to a string does not fail.
            let _ = writeln!(text, "  {}", point.in_words(sweep));
        }
        print!("{text}");
    }

    /// Says what is run, and how much of it is done.
    pub fn begin(&self, setup: &Setup, room: &Room, done: usize) {
        if self.line(&begin("begin", setup, room, done)) {
            return;
        }
        note!("{}", in_words(setup, room));
        if done > 0 {
            note!("{done} done before");
        }
    }

    /// Says that a run has ended.
    pub fn run(&self, setup: &Setup, point: usize, record: &Record, done: usize) {
        let values = record.values.iter();
        let object = json!({
            "event": "run", "done": done, "point": record.point, "seed": record.seed,
            "key": record.key, "verdict": record.verdict, "attempt": record.attempt,
            "seconds": record.seconds,
            "values": values.clone().map(|(name, value)| (name.clone(), json!(value.value)))
                .collect::<serde_json::Map<String, Value>>(),
        });
        if self.line(&object) {
            return;
        }
        let of = setup.sweep.metrics.iter().filter_map(|metric| {
            let value = record.value(&metric.name)?;
            Some(format!("{} {}", metric.name, metric.in_words(value)))
        });
        let judged = match record.verdict {
            Some(Judgement::Valid) | None => String::new(),
            Some(other) => format!("; {}", other.to_string().to_uppercase()),
        };
        let of: Vec<String> = of.collect();
        let run = setup.in_words(point, record.seed);
        note!("{done:>5}  {run}: {}{judged}", of.join(", "));
    }

    /// Says that a run has failed.
    pub fn failed(
        &self,
        setup: &Setup,
        point: usize,
        seed: u64,
        message: &str,
        results: Option<&str>,
    ) {
        let object = json!({
            "event": "failed", "point": setup.values(point), "seed": seed, "message": message,
            "results": results,
        });
        if !self.line(&object) {
            let place = results.map(|results| format!("; its results: {results}"));
            let place = place.unwrap_or_default();
            eprintln!("failed: {}: {message}{place}", setup.in_words(point, seed));
        }
    }

    /// Says what is to be known.
    pub fn note(&self, message: &str) {
        if !self.line(&json!({ "event": "note", "message": message })) {
            eprintln!("note: {message}");
            self.notes.borrow_mut().push(message.to_owned());
        }
    }

    /// Prints the means of all points.
    pub fn end(&self, setup: &Setup, outcomes: &[Outcome], running: &Running<'_>, code: i32) {
        let points: Vec<Value> = outcomes.iter().map(|outcome| point(setup, outcome)).collect();
        let object = json!({
            "event": "end", "directory": setup.directory, "code": code, "done": running.done(),
            "failed_points": running.ended(), "points": points,
        });
        if self.line(&object) {
            return;
        }
        print!("{}", page(setup, outcomes));
        self.notes.borrow().iter().for_each(|note| println!("note: {note}"));
        println!("results: {}", setup.directory.display());
    }
}

fn begin(event: &str, setup: &Setup, room: &Room, done: usize) -> Value {
    let sweep = &setup.sweep;
    let metrics = sweep.metrics.iter();
    let parameters = sweep.parameters.iter();
    let points = setup.points.iter().enumerate();
    json!({
        "event": event,
        "directory": setup.directory,
        "mode": sweep.mode,
        "jobs": room.jobs,
        "runs": setup.points.len() * sweep.seeds.len(),
        "done": done,
        "seeds": sweep.seeds,
        "parameters": parameters.map(|one| json!({ "name": one.name, "values": one.values }))
            .collect::<Vec<Value>>(),
        "metrics": metrics.map(|one| json!({ "name": one.name, "unit": one.unit }))
            .collect::<Vec<Value>>(),
        "points": points.map(|(point, _)| json!(setup.values(point))).collect::<Vec<Value>>(),
    })
}

fn point(setup: &Setup, outcome: &Outcome) -> Value {
    let metric = &setup.sweep.metrics[outcome.metric];
    let mut object = json!({
        "point": setup.values(outcome.point), "metric": metric.name, "unit": metric.unit,
    });
    if let (Value::Object(all), Ok(Value::Object(more))) =
        (&mut object, serde_json::to_value(outcome))
    {
        all.extend(more);
    }
    object
}

fn in_words(setup: &Setup, room: &Room) -> String {
    let sweep = &setup.sweep;
    let most = if sweep.stop.is_some() { "at most " } else { "" };
    let runs = setup.points.len() * sweep.seeds.len();
    let how = if sweep.mode == Mode::Simulate { "simulated" } else { "emulated" };
    format!(
        "{} of {}, {most}{}, {how}, {} at a time",
        counted(setup.points.len(), "point"),
        setup
            .sweep
            .metrics
            .iter()
            .map(|metric| metric.name.as_str())
            .collect::<Vec<_>>()
            .join(", "),
        counted(runs, "run"),
        room.jobs
    )
}

/// Returns the table of means for people.
fn page(setup: &Setup, outcomes: &[Outcome]) -> String {
    let sweep = &setup.sweep;
    let mut text = String::new();
    for (number, metric) in sweep.metrics.iter().enumerate() {
        let names = sweep.parameters.iter().map(|one| one.name.as_str());
        let is_compared = sweep.compare.as_ref().is_some_and(|one| one.metric == number);
        let mut headings: Vec<&str> = names.collect();
        headings.extend([metric.name.as_str(), "half", "machine", "total", "runs", "left out"]);
        headings.extend(is_compared.then_some("difference"));
        let mut rows = table(&headings);
        for outcome in outcomes.iter().filter(|outcome| outcome.metric == number) {
            rows.add_row(row(setup, metric, outcome, is_compared));
        }
        for column in rows.column_iter_mut().skip(sweep.parameters.len()) {
            column.set_cell_alignment(CellAlignment::Right);
        }
        text += &format!("{rows}\n");
    }
    for outcome in outcomes {
        if let Some(note) = &outcome.note {
            let point = setup.points[outcome.point].in_words(sweep);
            text += &format!("{} at {point}: {note}\n", sweep.metrics[outcome.metric].name);
        }
    }
    // At most 4 decimals, and none that are not needed.
    let level = (sweep.level() * 1e6).round() / 1e4;
    text + &format!(
        "half: of a {level} % confidence interval over seeds; machine: greatest error of a run\n"
    )
}

fn row(setup: &Setup, metric: &Metric, outcome: &Outcome, is_compared: bool) -> Vec<String> {
    let point = &setup.points[outcome.point];
    let mut row: Vec<String> =
        point.values(&setup.sweep).map(|(_, value)| value.to_owned()).collect();
    let word = |value: Option<f64>| value.map_or("–".into(), |value| metric.in_words(value));
    row.extend([outcome.mean, outcome.half, outcome.machine, outcome.total].map(word));
    row.extend([outcome.runs.to_string(), outcome.left_out.to_string()]);
    if is_compared {
        let half = outcome.difference.difference_half;
        let half = half.map(|half| format!(" ± {}", metric.in_words(half)));
        let difference = outcome.difference.difference;
        row.push(
            difference
                .map_or(String::new(), |value| metric.in_words(value) + &half.unwrap_or_default()),
        );
    }
    row
}
