//! The options of `netloom shell`.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args;

/// `netloom shell`
#[derive(Debug, Args)]
pub struct Shell {
    /// Delay in both directions, like `20ms`.
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    pub delay: Option<String>,
    /// Rate in both directions, like `10Mbit/s`.
    #[arg(long, value_name = "RATE")]
    pub rate: Option<String>,
    /// Loss in both directions, like `1%`.
    #[arg(long, value_name = "SHARE")]
    pub loss: Option<String>,
    /// Limit of the queue in both directions, like `100p`, `64kB` or `50ms`.
    #[arg(long, value_name = "LIMIT")]
    pub queue: Option<String>,
    /// Properties in both directions: those of links in scenarios, like `jitter.normal=2ms
    /// queue.discipline=codel`. Files are relative to this folder.
    #[arg(long, value_name = "KEY=VALUE", num_args = 1..)]
    pub set: Vec<String>,
    /// Properties of what the command sends, instead of those in both directions.
    #[arg(long, value_name = "KEY=VALUE", num_args = 1..)]
    pub out: Vec<String>,
    /// Properties of what the command receives, like `rate.trace=down.trace`.
    #[arg(long = "in", value_name = "KEY=VALUE", num_args = 1..)]
    pub into: Vec<String>,
    /// A port of the caller's side that leads to a port of the command, as `8080:80`,
    /// `127.0.0.1:8080:80` or `53:53/udp`. What comes this way crosses no link.
    #[arg(long, value_name = "[ADDRESS:]PORT:PORT[/PROTOCOL]")]
    pub publish: Vec<String>,
    /// The command reaches nothing beyond the caller's side of the link.
    #[arg(long)]
    pub offline: bool,
    /// Name of the experiment; by default `shell-PID`.
    #[arg(long)]
    pub name: Option<String>,
    /// Seed of all random streams.
    #[arg(long)]
    pub seed: Option<u64>,
    /// Run the `timeline` of this file, a part of a scenario in which the link is called `shell`;
    /// it begins when the network is ready. Results are kept.
    #[arg(long, value_name = "FILE")]
    pub timeline: Option<PathBuf>,
    /// Keep the results, with a verdict, in this directory, which must not exist yet; with
    /// `--timeline` by default in `netloom-results/NAME/TIME`.
    #[arg(short, long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// The command and its arguments; by default your shell.
    #[arg(last = true, value_name = "COMMAND")]
    pub command: Vec<OsString>,
}
