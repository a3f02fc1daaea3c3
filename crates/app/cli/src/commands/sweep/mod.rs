//! `netloom sweep`: many runs of one scenario, and what they say together.
//!
//! | file | contents |
//! |---|---|
//! | `setup` | the sweep file or the options, and all points, checked |
//! | `asked` | whether a scenario has what a metric asks for |
//! | `values` | metrics of a run, from its results |
//! | `folder` | the folder of a sweep: its lock, its lines, the results of its runs |
//! | `child` | a run, in a process of its own |
//! | `away` | runs on other machines |
//! | `room` | how many runs at a time: CPUs, memory, disk |
//! | `running` | the runs, one or several at a time |
//! | `trial` | whether several emulated runs at a time disturb each other |
//! | `printer` | progress and results, for people and programs |
//! | `tables` | `runs.parquet`, `points.csv`, `report.html` |
//!
//! Points, order, keys and statistics are those of `netloom-sweep`.

mod asked;
pub mod away;
pub mod child;
pub mod folder;
mod printer;
mod room;
mod running;
mod setup;
mod tables;
mod trial;
mod values;

use anyhow::Result;
use netloom_sweep::{Record, Rule, outcomes};

use crate::args::{Format, Sweep};
use crate::exit;
use crate::output;
use crate::owner::Handed;
use away::places::Places;
use folder::Folder;
use printer::{End, Printer};
use room::Room;
use running::Running;
use setup::Setup;

/// Runs a sweep, or what is missing of it.
pub async fn sweep(args: Sweep) -> Result<i32> {
    if args.quiet || args.format == Format::Json {
        output::be_quiet();
    }
    let setup = Setup::new(&args)?;
    let printer = Printer::new(&args);
    let mut room = Room::new(&args, &setup)?;
    if args.dry_run {
        away::surveyed(&setup).await?;
        printer.plan(&setup, room.jobs);
        return Ok(exit::SUCCESS);
    }
    let _handed = Handed::after([&*setup.directory]);
    let folder = Folder::open(&setup.directory)?;
    folder.keep_text("sweep.yaml", &setup.text)?;
    let mut running = Running::new(&args, &setup, folder, &printer)?;
    let mut ended = Ok(());
    if running.is_anything_missing() {
        away::surveyed(&setup).await?;
        trial::tested(&mut room, &setup, &setup.directory, &printer).await?;
        let mut places = Places::new(&room, &setup).await?;
        printer.begin(&setup, places.count(), running.done());
        ended = running.all(&room, &mut places).await;
    } else {
        printer.begin(&setup, room.jobs, running.done());
    }
    let rule = Rule { strict: args.strict };
    let records = running.records();
    let borrowed: Vec<Vec<&Record>> = records.iter().map(|runs| runs.iter().collect()).collect();
    let outcomes = outcomes(&setup.sweep, &setup.points, &borrowed, rule);
    // What ended the runs is more important than an error of writing tables.
    let written = tables::write(&setup, &records, &outcomes);
    ended?;
    written?;
    let code = running.code(&outcomes);
    let (done, failed_points) = (running.done(), running.ended());
    printer.end(&setup, &outcomes, &End { code, done, failed_points });
    Ok(code)
}
