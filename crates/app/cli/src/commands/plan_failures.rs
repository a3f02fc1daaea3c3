//! `netloom plan-failures`

use anyhow::Result;
use netloom_simulate::failures::{self, Busiest, Failures, Kind, Outcome};
use netloom_units::readable::{bit_rate, counted};

use crate::args::{Failing, Format, PlanFailures};
use crate::exit;
use crate::find;
use crate::table::table;

/// Shows what links carry while each link or router is down.
pub fn plan_failures(mut args: PlanFailures) -> Result<i32> {
    if args.only_file.is_some() {
        args.scenario.file = args.only_file;
    }
    let scenario = find::scenario(&args.scenario)?.scenario;
    let only = args.only.map(|only| match only {
        Failing::Links => Kind::Link,
        Failing::Nodes => Kind::Node,
    });
    let found = failures::plan(&scenario, only).map_err(|why| exit::usage(format!("{why:#}")))?;
    if let [first, ..] = &found.left_out[..] {
        let all = counted(found.left_out.len(), "flow");
        eprintln!(
            "note: left out is traffic without a constant rate to one node: {all}, as `{first}`"
        );
    }
    if !scenario.timeline.is_empty() {
        eprintln!("note: the timeline has no effect here: all demands are sent at once");
    }
    match args.format {
        Format::Json => println!("{}", serde_json::to_string_pretty(&found)?),
        Format::Table => show(&found),
    }
    Ok(exit::SUCCESS)
}

fn show(found: &Failures) {
    let mut shown = table(&["failed", "busiest link", "load", "cut off", "rate", "lost elsewhere"]);
    for failure in &found.failures {
        let kind = if failure.kind == Kind::Node { "node" } else { "link" };
        shown.add_row(row(&format!("{kind} {}", failure.name), &failure.outcome));
    }
    shown.add_row(row("nothing", &found.intact));
    println!("{shown}\n{}", summary(found));
}

fn row(failed: &str, of: &Outcome) -> [String; 6] {
    let rate = |bits: u64| if bits == 0 { "–".into() } else { bit_rate(bits as f64) };
    let (link, load) = match &of.busiest {
        Some(Busiest { link, direction, load, .. }) => {
            (format!("{link}/{direction}"), format!("{:.1} %", load * 100.0))
        }
        None => ("–".into(), "–".into()),
    };
    let cut_off = if of.cut_off == 0 { "–".into() } else { of.cut_off.to_string() };
    [failed.into(), link, load, cut_off, rate(of.cut_off_rate), rate(of.lost_rate)]
}

/// Describes all failures in a line.
fn summary(found: &Failures) -> String {
    let over = found.failures.iter().filter(|one| one.outcome.lost_rate > 0).count();
    let cut = found.failures.iter().filter(|one| one.outcome.cut_off > 0).count();
    let loads = found.failures.iter().filter_map(|one| Some((one, one.outcome.busiest.as_ref()?)));
    let highest = loads.reduce(|best, next| if next.1.load > best.1.load { next } else { best });
    let highest = highest.map_or(String::new(), |(failure, busiest)| {
        let (name, load) = (&failure.name, busiest.load * 100.0);
        format!("; the highest load is {load:.1} %, of {} without {name}", busiest.link)
    });
    format!(
        "{} of {} in all, {}: {over} overload a link, {cut} cut demands off{highest}",
        counted(found.demands, "demand"),
        bit_rate(found.rate as f64),
        counted(found.failures.len(), "failure"),
    )
}
