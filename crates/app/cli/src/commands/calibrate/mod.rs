//! `netloom calibrate`: measures this machine by runs of small networks, as any user could make
//! them.
//!
//! | module | contents |
//! |---|---|
//! | `session` | the resources of a calibration; runs, and how Ctrl-C ends them |
//! | `network` | the networks and their traffic |
//! | `trial` | one run, and whether the machine could bear it |
//! | `edges` | the most traffic that it can bear, for networks and kinds of traffic |
//! | `crossing` | the time that the machine takes to carry a frame over a link |
//! | `shaping` | the most traffic that claims of `netloom shape` can bear |
//! | `costs` | the cost of nodes and links |
//! | `table` | a profile for people |

mod costs;
mod crossing;
mod edges;
mod network;
mod session;
mod shaping;
mod table;
mod trial;

use std::path::PathBuf;

use anyhow::{Context, Result, anyhow};
use netloom_gauge::{disk, load, wake_ups};
use netloom_profile::{Profile, Thoroughness};
use netloom_units::Duration;
use serde_json::json;

use crate::args::{Calibrate, Format};
use crate::{exit, profile_file};
use session::{Interrupted, Session};

/// Load by other work, as a part of all CPUs, from which on a measurement counts as disturbed.
const BUSY: f64 = 0.1;

/// Measures this machine, or shows the stored measurements.
pub async fn calibrate(args: Calibrate) -> Result<i32> {
    let file = args.output.clone().map_or_else(profile_file::location, Ok)?;
    if args.show {
        let profile = profile_file::read(&file)?.ok_or_else(|| {
            anyhow!("this machine has no profile ({}); run `netloom calibrate`", file.display())
        })?;
        return print(&profile, args.format);
    }
    profile_file::check(&file)?;
    let thoroughness = if args.quick { Thoroughness::Quick } else { Thoroughness::Full };
    if args.shape && !nix::unistd::geteuid().is_root() {
        return Err(exit::usage("`--shape` measures what root's daemon does: it is for root"));
    }
    let held = if args.shape { held(&file)? } else { None };
    let measured = async {
        match held {
            Some(profile) => with_shaping(profile, thoroughness).await,
            None => measure(thoroughness, args.shape).await,
        }
    };
    let profile = match measured.await {
        Err(error) if error.is::<Interrupted>() => {
            eprintln!("interrupted; nothing is left, and {} is as it was", file.display());
            return Ok(exit::INTERRUPTED);
        }
        measured => measured?,
    };
    profile_file::write(&file, &profile)?;
    eprintln!("profile: {}", file.display());
    print(&profile, args.format)
}

fn print(profile: &Profile, format: Format) -> Result<i32> {
    let stale = profile.staleness(&netloom_results::machine::describe());
    match format {
        Format::Table => print!("{}", table::page(profile, &stale)),
        Format::Json => {
            let net_internal = profile.net_internal();
            let shown = json!({"profile": profile, "net_internal": net_internal, "stale": stale});
            println!("{}", serde_json::to_string_pretty(&shown)?);
        }
    }
    Ok(exit::SUCCESS)
}

/// Durations of single measurements.
struct Spans {
    wake_ups: Duration,
    disk: std::time::Duration,
}

impl Spans {
    fn of(thoroughness: Thoroughness) -> Self {
        let millis = match thoroughness {
            Thoroughness::Full => 2000,
            Thoroughness::Quick => 500,
        };
        let disk = std::time::Duration::from_millis(millis / 2);
        Self { wake_ups: Duration::from_millis(millis), disk }
    }
}

/// Returns the stored profile, if it belongs to this machine.
fn held(file: &std::path::Path) -> Result<Option<Profile>> {
    let now = netloom_results::machine::describe();
    Ok(profile_file::read(file)?.filter(|profile| profile.staleness(&now).is_empty()))
}

/// Returns the profile with a new measurement of what claims can bear.
async fn with_shaping(profile: Profile, thoroughness: Thoroughness) -> Result<Profile> {
    let mut session = Session::begin()?;
    let disturbances = disturbances(&mut session).await?;
    for disturbance in &disturbances {
        eprintln!("warning: {disturbance}: claims may bear more than is measured now");
    }
    let shaping = shaping::measure(&mut session, thoroughness).await?;
    Ok(Profile { shaping, ..profile })
}

async fn measure(thoroughness: Thoroughness, with_claims: bool) -> Result<Profile> {
    let measured = chrono::Local::now().to_rfc3339_opts(chrono::SecondsFormat::Secs, false);
    let spans = Spans::of(thoroughness);
    let mut session = Session::begin()?;
    let disturbances = disturbances(&mut session).await?;
    for disturbance in &disturbances {
        eprintln!("warning: {disturbance}: the machine may bear more than is measured now");
    }
    let forwarding = edges::measure(&mut session, thoroughness).await?;
    let crossing = Some(crossing::measure(&mut session, thoroughness).await?);
    let shaping = match with_claims {
        true => shaping::measure(&mut session, thoroughness).await?,
        false => Vec::new(),
    };
    let memory = costs::measure(&mut session, thoroughness).await?;
    session.show("wake-ups");
    let idle_wake_ups = session.aside(move || wake_ups::idle(spans.wake_ups)).await?;
    let busy_wake_ups = session.aside(move || wake_ups::busy(spans.wake_ups)).await?;
    session.show("disk");
    let here: PathBuf = std::env::current_dir().context("cannot find the current folder")?;
    let disk = session.aside(move || Ok(disk::measure(&here, spans.disk))).await?;
    Ok(Profile {
        format: Profile::FORMAT,
        measured,
        thoroughness,
        machine: netloom_results::machine::describe(),
        forwarding,
        crossing,
        shaping,
        idle_wake_ups,
        busy_wake_ups,
        disk,
        memory,
        disturbances,
    })
}

/// Describes other work of the machine.
async fn disturbances(session: &mut Session) -> Result<Vec<String>> {
    let mut found = Vec::new();
    for experiment in netloom_host::experiments()?.iter().filter(|found| found.alive) {
        found.push(format!("experiment `{}` is running", experiment.name));
    }
    let busy = session.aside(|| load::busy(std::time::Duration::from_millis(500))).await?;
    if busy > BUSY {
        found.push(format!("other work takes {:.0} % of the CPUs", busy * 100.0));
    }
    Ok(found)
}
