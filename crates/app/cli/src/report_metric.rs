//! `netloom-report NAME VALUE`: the command with which processes in nodes report a metric.

use std::path::PathBuf;

use anyhow::{Context, Result};
use clap::Parser;
use netloom_api::metric::{COMMAND, MetricReport, SOCKET_VARIABLE};

use crate::client::Client;
use crate::exit;

/// Name of the command in nodes.
pub const NAME: &str = COMMAND;

/// Reports a value of a metric to the experiment that this node belongs to.
#[derive(Debug, Parser)]
#[command(name = COMMAND)]
struct Arguments {
    /// The metric's name; `monitor.criteria.application` of the scenario may have a threshold for
    /// it.
    name: String,
    /// The value, in the metric's own unit.
    #[arg(allow_negative_numbers = true)]
    value: f64,
}

/// Runs the command. Returns its exit code.
pub fn main() -> i32 {
    let Arguments { name, value } = Arguments::parse();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let sent = runtime
        .context("cannot start")
        .and_then(|runtime| runtime.block_on(send(MetricReport { name, value })));
    match sent {
        Ok(()) => exit::SUCCESS,
        Err(error) => exit::report(&error),
    }
}

async fn send(report: MetricReport) -> Result<()> {
    let socket = std::env::var_os(SOCKET_VARIABLE).map(PathBuf::from).with_context(|| {
        format!("{SOCKET_VARIABLE} is not set: {COMMAND} works in nodes of a NetLoom experiment")
    })?;
    let experiment = std::env::var("NETLOOM_EXPERIMENT").unwrap_or_default();
    Client::new(&experiment, &socket).post("/metrics", &report).await
}
