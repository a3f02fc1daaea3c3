//! One file per command.

pub mod apply;
mod bring_up;
mod calibrate;
mod capture;
pub mod cleanup;
mod compare;
mod completion;
mod deploy;
mod destroy;
pub mod doctor;
mod exec;
mod frames;
mod graph;
mod inspect;
mod judge;
mod junit;
mod live;
mod logs;
mod machines;
#[cfg(test)]
mod made_up;
mod medium;
mod mobility;
pub mod peers;
mod pen;
mod pingall;
mod plan;
mod plan_failures;
mod radio;
mod ready;
mod recent;
mod repeat;
mod report;
mod run;
mod set;
mod shape;
mod shell;
mod signals;
mod summary;
pub mod sweep;
mod symbiosis;
mod table;
mod tc;
mod traffic;
mod usage;
mod validate;
mod view;

use anyhow::Result;

use crate::args::{Cli, Command, UiServer};

/// Runs a command. Returns its exit code.
pub async fn dispatch(cli: Cli, ui: UiServer) -> Result<i32> {
    match cli.command {
        Command::Run(args) => run::run(args).await,
        Command::Ui(args) => ui(args).await,
        Command::Deploy(args) => deploy::deploy(args).await,
        Command::Apply(args) => apply::apply(args).await,
        Command::Destroy(args) => destroy::destroy(args).await,
        Command::Inspect(args) => inspect::inspect(args).await,
        Command::Exec(args) => exec::exec(args).await,
        Command::Connect(args) => exec::connect(args).await,
        Command::Shell(args) => shell::shell(args).await,
        Command::Capture(args) => capture::capture(args).await,
        Command::Set(args) => set::set(args).await,
        Command::Frames(args) => frames::frames(&args),
        Command::Pingall(args) => pingall::pingall(args).await,
        Command::Logs(args) => logs::logs(args).await,
        Command::Pen => pen::pen(),
        Command::Completion(args) => completion::completion(&args),
        Command::Man(args) => completion::man(&args),
        Command::Compare(args) => compare::run(&args),
        Command::Sweep(args) => sweep::sweep(args).await,
        Command::Table(args) => table::table(&args),
        Command::Judge(args) => judge::judge(&args),
        Command::Report(args) => report::report(&args),
        Command::Graph(args) => graph::graph(args),
        Command::Validate(args) => validate::validate(args),
        Command::Plan(args) => plan::plan(args),
        Command::Machines(args) => machines::machines(args).await,
        Command::PlanFailures(args) => plan_failures::plan_failures(args),
        Command::Calibrate(args) => calibrate::calibrate(args).await,
        Command::Doctor(args) => doctor::doctor(args).await,
        Command::Medium(args) => medium::medium(&args),
        Command::Mobility(args) => mobility::mobility(&args),
        Command::Traffic(args) => traffic::traffic(&args),
        Command::Symbiosis(args) => symbiosis::symbiosis(args),
        Command::Shape(args) => shape::shape(args).await,
        Command::Cleanup(args) => cleanup::cleanup(args),
    }
}
