//! Repository chores. `sh scripts/xtask.sh generate` rewrites the files that are made from types.
//! Tests compare them, so that a change of a type fails until they are generated again. `lint`
//! checks what can be counted. `test` runs test programs side by side.

mod generate;
mod lint;
mod live;
mod load;
mod properties;
mod python;
mod test_programs;

use std::env;
use std::process::ExitCode;

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["generate"] => generate::run().map(|()| ExitCode::SUCCESS),
        ["lint"] => lint::run(),
        ["test", ..] => test_programs::run(&arguments[1..]),
        _ => {
            eprintln!("usage: sh scripts/xtask.sh generate|lint|test");
            Ok(ExitCode::from(2))
        }
    }
}
