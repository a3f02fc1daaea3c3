//! The `netloom` binary: one file that is client, engine and node init, and the only place that
//! knows all of them.

use std::path::Path;
use std::process::ExitCode;

use netloom_api::member;
use netloom_cli::survey::{self, fresh};
use netloom_engine::{daemon, filler};
use netloom_gauge::{generator, traffic};
use netloom_lead::{dialled, files};
use netloom_nodes::{own_kernel, shell};
use netloom_simulate::worker;

fn main() -> ExitCode {
    // The hidden commands are how the binary starts itself; they take no options. In nodes, it goes
    // by another name as well.
    let mut arguments = std::env::args();
    let name = arguments.next().unwrap_or_default();
    let first = arguments.next();
    let code = match first.as_deref() {
        // In nodes, the binary has the name of another command.
        Some(traffic::ROLE) => match arguments.next().as_deref() {
            None => generator::main(),
            Some(generator::REPLAY) => generator::replay(&arguments.next().unwrap_or_default()),
            Some(_) => traffic::main(),
        },
        Some(own_kernel::stand_in::ROLE) => own_kernel::stand_in::main(arguments),
        _ if name == own_kernel::MODPROBE => own_kernel::modules::main(arguments),
        _ if Path::new(&name).ends_with(netloom_cli::report_metric::NAME) => {
            netloom_cli::report_metric::main()
        }
        Some("__engine") => daemon::main(),
        Some(member::ROLE) => {
            let word = arguments.next().unwrap_or_default();
            match arguments.next().as_deref() {
                None => {
                    println!("{}", member::greeting(&word));
                    daemon::main()
                }
                Some(survey::MODE) => survey::main(&word),
                Some(netloom_cli::PEERS_MODE) => netloom_cli::peers_there(&word),
                Some(netloom_cli::SWEEP_MODE) => netloom_cli::sweep_there(&word),
                Some("cleanup") => {
                    println!("{}", member::greeting(&word));
                    netloom_cli::clean_up(arguments.next())
                }
                Some(mode) => files::main(&word, mode, &arguments.next().unwrap_or_default()),
            }
        }
        Some(fresh::ROLE) => fresh::main(),
        Some(role @ (dialled::DIAL | dialled::RELAY)) => dialled::main(role, arguments),
        Some("__shape") => netloom_shaper::main(arguments),
        Some(filler::ROLE) => filler::main(),
        Some(own_kernel::launch::ROLE) => own_kernel::launch::main(),
        Some(own_kernel::agent::ROLE) => own_kernel::agent::main(),
        Some(shell::ROLE) => shell::main(),
        Some(netloom_cli::SWEEP_RUN) => netloom_cli::sweep_run(),
        Some("__init") => netloom_nodes::init::main(),
        Some(worker::ROLE) => worker::main(),
        _ => netloom_cli::main(|args| Box::pin(netloom_ui::serve(args))),
    };
    // Exit codes are a byte wide.
    ExitCode::from(u8::try_from(code & 0xff).unwrap_or(u8::MAX))
}
