//! Options of `netloom ui`.

use std::future::Future;
use std::net::IpAddr;
use std::path::PathBuf;
use std::pin::Pin;

use anyhow::Result;
use clap::Args;

/// Serves the web UI until a signal comes, and returns the exit code.
pub type UiServer = fn(Ui) -> Pin<Box<dyn Future<Output = Result<i32>>>>;

/// `netloom ui`
#[derive(Debug, Args)]
pub struct Ui {
    /// The folder whose scenarios and results the page shows and edits, or a folder with the
    /// results of a run; by default this folder.
    #[arg(value_name = "DIR")]
    pub directory: Option<PathBuf>,
    /// Port on 127.0.0.1; by default a free one.
    #[arg(long, value_name = "N")]
    pub port: Option<u16>,
    /// Address to listen at: 127.0.0.1 and no other. From another machine, `ssh -L` leads here.
    #[arg(long, value_name = "ADDRESS", hide = true)]
    pub listen: Option<IpAddr>,
    /// Only print the address, without opening a browser.
    #[arg(long)]
    pub no_open: bool,
    /// Refuse everything that changes files or experiments, and commands in nodes.
    #[arg(long)]
    pub read_only: bool,
}
