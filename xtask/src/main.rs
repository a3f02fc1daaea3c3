//! Repository chores: `cargo run -p xtask -- generate` rewrites the files that are made from the
//! types. Tests compare them, so that a change of a type that is not generated anew fails.

mod generate;
mod properties;

use std::env;
use std::process::ExitCode;

fn main() -> anyhow::Result<ExitCode> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["generate"] => generate::run().map(|()| ExitCode::SUCCESS),
        _ => {
            eprintln!("usage: cargo run -p xtask -- generate");
            Ok(ExitCode::from(2))
        }
    }
}
