//! The `netloom` binary: one file that is client, engine and node init, and the only place that
//! knows all of them.

use std::path::Path;
use std::process::ExitCode;

use netloom_cli::{Cleaned, Found, Machine, Size, Wall};
use netloom_engine::{daemon, filler, local};
use netloom_gauge::{generator, traffic};

fn main() -> ExitCode {
    // The hidden commands are how the binary starts itself; they take no options. In nodes, it goes
    // by another name as well.
    let mut arguments = std::env::args();
    let name = arguments.next().unwrap_or_default();
    let first = arguments.next();
    let code = match first.as_deref() {
        // In nodes, the binary has the name of another command.
        Some(traffic::ROLE) if arguments.next().is_none() => generator::main(),
        Some(traffic::ROLE) => traffic::main(),
        _ if Path::new(&name).ends_with(netloom_cli::report_metric::NAME) => {
            netloom_cli::report_metric::main()
        }
        Some("__engine") => daemon::main(),
        Some(filler::ROLE) => filler::main(),
        Some("__init") => netloom_nodes::init::main(),
        _ => netloom_cli::main(&ThisMachine),
    };
    // Exit codes are a byte wide.
    ExitCode::from(u8::try_from(code & 0xff).unwrap_or(u8::MAX))
}

/// The command line's view of this machine.
struct ThisMachine;

impl Machine for ThisMachine {
    fn names(&self) -> Vec<String> {
        netloom_nodes::Layout::all()
    }

    fn experiments(&self) -> anyhow::Result<Vec<Found>> {
        Ok(local::experiments()?.into_iter().map(found).collect())
    }

    fn inspect(&self, name: &str) -> anyhow::Result<Found> {
        local::inspect(name).map(found)
    }

    fn cleanup(&self, name: &str) -> anyhow::Result<Cleaned> {
        let local::Cleaned { nodes: report, images } = local::cleanup(name)?;
        let counts = [
            (report.processes, "processes"),
            (report.namespaces, "namespaces"),
            (report.cgroups, "control groups"),
            (usize::from(report.state), "state directory"),
            (images, "images unpacked in part"),
        ];
        let found = counts.into_iter().filter(|(count, _)| *count > 0);
        let removed = found.map(|(count, what)| format!("{count} {what}")).collect();
        Ok(Cleaned { removed, foreign: report.foreign })
    }

    fn describe(&self) -> netloom_cli::MachineDescription {
        netloom_engine::describe_machine()
    }

    fn walls(&self, size: Size) -> Vec<Wall> {
        let Size { nodes, interfaces, opened, neighbours } = size;
        let demand = netloom_nodes::Demand { nodes, interfaces, opened, neighbours };
        let walls = netloom_nodes::walls(demand);
        let wall = |wall: netloom_nodes::Wall| {
            let netloom_nodes::Wall { what, needs, has, stops_start, advice } = wall;
            Wall { what, needs, has, stops_start, advice }
        };
        walls.into_iter().map(wall).collect()
    }

    fn enforcer(&self, controller: netloom_cli::Controller) -> Result<&'static str, String> {
        netloom_nodes::enforcer(controller)
    }

    fn kill_engine(&self, name: &str) -> anyhow::Result<()> {
        local::kill_engine(name)
    }
}

fn found(found: local::Found) -> Found {
    Found { name: found.name, alive: found.alive, pid: found.pid, socket: found.socket }
}
