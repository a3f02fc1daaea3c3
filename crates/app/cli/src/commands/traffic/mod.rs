//! `netloom traffic`: traffic models without a network.
//!
//! | file | command |
//! |---|---|
//! | `generate` | `generate`: writes the arrivals of a model into a file |
//! | `check` | `check`: mean, variance and Hurst parameter of a file, beside a model's |
//! | `chosen` | the model that both are about |
//! | `headers` | the headers of frames in a generated pcap |

mod check;
mod chosen;
mod generate;
mod headers;

use anyhow::Result;
use netloom_traffic::Model;

use crate::args::Traffic;
use crate::exit;
use crate::table::table;

/// Runs a command of `netloom traffic`.
pub fn traffic(args: &Traffic) -> Result<i32> {
    match args {
        Traffic::Models => Ok(models()),
        Traffic::Generate(args) => generate::generate(args),
        Traffic::Check(args) => check::check(args),
    }
}

/// Lists the models.
fn models() -> i32 {
    let mut rows = table(&["model", "what it is"]);
    for (name, what) in Model::ALL {
        rows.add_row([*name, what.trim()]);
    }
    println!("{rows}");
    exit::SUCCESS
}
