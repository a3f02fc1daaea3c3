//! `netloom plan`

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use netloom_placement::{
    Account, CutLink, MachineLoad, Machines, Placement, Problem, WrittenPlacement, check, place,
};
use netloom_profile::Profile;
use netloom_units::readable::{bit_rate, counted, micros};
use serde::Serialize;

use crate::args::{Format, Plan};
use crate::table::table;
use crate::{exit, find, placing};

/// A placement and what it means, for programs.
#[derive(Serialize)]
struct Shown<'a> {
    scenario: &'a str,
    /// Number of machines that have nodes.
    used: usize,
    /// Number of machines that no placement can go below; absent for a given placement.
    #[serde(skip_serializing_if = "Option::is_none")]
    least_machines: Option<usize>,
    /// Whether no other placement is better; absent for a given placement.
    #[serde(skip_serializing_if = "Option::is_none")]
    is_optimal: Option<bool>,
    #[serde(flatten)]
    account: &'a Account,
    remarks: &'a [String],
}

/// Places the nodes of a scenario on machines, or checks a placement.
pub fn plan(mut args: Plan) -> Result<i32> {
    if args.only_file.is_some() {
        args.scenario.file = args.only_file.take();
    }
    let (machines, profiles) = machines(&args)?;
    let scenario = find::scenario(&args.scenario)?.scenario;
    let bounds = machines.assumed_bounds();
    let (problem, remarks) = placing::problem(&scenario, &machines, &profiles, bounds)?;
    let (placement, least_machines, is_optimal) = match &args.check {
        Some(file) => (checked(file, &scenario.name, &problem)?, None, None),
        None => {
            let found = place(&problem);
            let found =
                found.map_err(|why| exit::usage(format!("{why}\n  = help: {}", why.help())))?;
            (found.placement, Some(found.least_machines), Some(found.is_optimal))
        }
    };
    if let Some(file) = &args.output {
        write(file, &WrittenPlacement::new(&scenario.name, &problem, &placement))?;
    }
    let account = Account::new(&problem, &placement);
    let shown = Shown {
        scenario: &scenario.name,
        used: placement.used().len(),
        least_machines,
        is_optimal,
        account: &account,
        remarks: &remarks,
    };
    match args.format {
        Format::Json => println!("{}", serde_json::to_string_pretty(&shown)?),
        Format::Table => show(&shown),
    }
    Ok(exit::SUCCESS)
}

/// Returns the machines that the user names, and their profiles.
fn machines(args: &Plan) -> Result<(Machines, Vec<Option<Profile>>)> {
    if let Some(named) = &args.machines {
        let machines = placing::machines(named)?;
        if machines.list.is_empty() {
            return Err(exit::usage(format!(
                "nothing says how many machines `{named}` has; write `{named},count=3`"
            )));
        }
        let profiles = placing::profiles(named, &machines)?;
        return Ok((machines, profiles));
    }
    let count = args.count.map_or(1, |count| usize::from(count.get()));
    let profile = args.like.as_deref().map(placing::profile).transpose()?;
    Ok((Machines::alike(count), vec![profile; count]))
}

/// Reads a placement and checks it.
fn checked(file: &Path, scenario: &str, problem: &Problem) -> Result<Placement> {
    let placement = placing::placement(file, scenario, problem)?;
    let broken = check(problem, &placement);
    if broken.is_empty() {
        return Ok(placement);
    }
    let each: Vec<String> = broken.iter().map(|violation| format!("\n  {violation}")).collect();
    let many = counted(broken.len(), "rule");
    Err(exit::usage(format!("the placement {} breaks {many}:{}", file.display(), each.concat())))
}

fn write(file: &Path, written: &WrittenPlacement) -> Result<()> {
    let text = if file.extension().is_some_and(|extension| extension == "json") {
        serde_json::to_string_pretty(written)? + "\n"
    } else {
        netloom_document::write(&netloom_document::encode(written)?)
    };
    fs::write(file, text).with_context(|| format!("cannot write {}", file.display()))
}

fn show(shown: &Shown<'_>) {
    for remark in shown.remarks {
        eprintln!("note: {remark}");
    }
    let account = shown.account;
    let has_mnp = account.machines.iter().any(|load| load.mnp_bits_per_second.is_some());
    let mut headings = vec!["machine", "nodes", "CPU", "memory", "out", "in", "uplink"];
    if has_mnp {
        headings.extend(["ports", "ANC", "MNP"]);
    }
    let mut machines = table(&headings);
    for load in account.machines.iter().filter(|load| !load.nodes.is_empty()) {
        machines.add_row(machine(load, has_mnp));
    }
    println!("{machines}");
    if !account.cut.is_empty() {
        let mut links = table(&["cut link", "machines", "rate", "delay", "bound", "slack"]);
        for link in &account.cut {
            links.add_row(cut(link));
        }
        println!("{links}");
    }
    println!("{}", summary(shown));
    let late = account.cut.iter().filter(|link| link.is_late).map(|link| link.link.clone());
    let late: Vec<String> = late.collect();
    if !late.is_empty() {
        eprintln!(
            "warning: frames will be late on {} (`cut: any`): {}; runs are `suspect` at best",
            counted(late.len(), "link"),
            netloom_units::readable::first_of(&late)
        );
    }
}

fn machine(load: &MachineLoad, has_mnp: bool) -> Vec<String> {
    let share =
        |part: Option<f64>| part.map_or("–".into(), |part| format!("{:.1} %", part * 100.0));
    let memory = match load.memory {
        Some(_) => share(load.memory),
        None => format!("{:.1} MB", load.memory_bytes / 1e6),
    };
    let rate = |bits: f64| if bits > 0.0 { bit_rate(bits) } else { "–".into() };
    let mut row = vec![
        load.machine.clone(),
        load.nodes.len().to_string(),
        share(load.cpu),
        memory,
        rate(load.out_bits_per_second),
        rate(load.in_bits_per_second),
        share(load.uplink),
    ];
    if has_mnp {
        let mnp = load.mnp_bits_per_second.map_or("–".into(), bit_rate);
        row.extend([load.ports.to_string(), rate(load.anc_bits_per_second), mnp]);
    }
    row
}

fn cut(link: &CutLink) -> [String; 6] {
    let time = |nanos: f64| micros(nanos / 1e3);
    let [from, to] = &link.machines;
    [
        link.link.clone(),
        format!("{from}–{to}"),
        bit_rate(link.bits_per_second),
        time(link.least_ns as f64),
        time(link.bound_ns as f64),
        if link.is_late { "late".into() } else { time(link.slack_ns as f64) },
    ]
}

/// Describes a placement in a line.
fn summary(shown: &Shown<'_>) -> String {
    let account = shown.account;
    let all = counted(account.machines.len(), "machine");
    let cut = counted(account.cut.len(), "cut link");
    let rate = bit_rate(account.cut_bits_per_second);
    let quality = match (shown.is_optimal, shown.least_machines) {
        (Some(true), _) => "; no placement is better".to_owned(),
        (Some(false), Some(least)) if shown.used <= least => {
            "; no placement has fewer machines".to_owned()
        }
        (Some(false), Some(least)) => {
            format!("; {least} at least, so a gap of {}", shown.used - least)
        }
        _ => "; it keeps all rules".to_owned(),
    };
    format!("{}: {} of {all}, {rate} over {cut}{quality}", shown.scenario, shown.used)
}
