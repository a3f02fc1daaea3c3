//! `netloom logs`: the output of services and startup commands of a node.

use std::fs::{self, File};
use std::io::{IsTerminal, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use netloom_api::state::{ExperimentStatus, NodeStatus};

use crate::args::Logs;
use crate::client::Client;
use crate::output::{self, Data};
use crate::{exit, find};

/// Period at which a followed log is read.
const STEP: Duration = Duration::from_millis(200);

/// Prints the log of a service, or lists the logs of a node.
pub async fn logs(args: Logs) -> Result<i32> {
    let (node, experiment) = find::split_at(&args.node);
    let client = find::client(experiment, &args.scenario).await?;
    let status: ExperimentStatus = client.get("/experiment").await?;
    let nodes: Vec<NodeStatus> = client.get("/nodes").await?;
    if !nodes.iter().any(|known| known.name == node) {
        let of = client.experiment();
        return Err(anyhow!(
            "experiment `{of}`: there is no node `{node}`; `netloom inspect` lists them"
        ));
    }
    let folder = client.files(&status).join("services");
    let Some(service) = &args.service else {
        for name in names(&folder, node) {
            println!("{name}");
        }
        return Ok(exit::SUCCESS);
    };
    let file = folder.join(format!("{service}@{node}.log"));
    let open = File::open(&file).with_context(|| {
        let there = names(&folder, node);
        let help = match there.is_empty() {
            true => "nothing of it has printed anything".to_owned(),
            false => format!("there are {}", there.join(", ")),
        };
        format!("there is no log of `{service}` in node `{node}`: {help}")
    });
    let mut log = Log { file: open?, path: file, at: 0 };
    log.print()?;
    while args.follow && !output::is_closed() {
        tokio::time::sleep(STEP).await;
        let over = ended(&client).await;
        log.print()?;
        if over {
            break;
        }
    }
    Ok(exit::SUCCESS)
}

/// Whether the experiment has ended, so that nobody accepts connections any more.
async fn ended(client: &Client) -> bool {
    !client.is_listening().await
}

/// Returns the logs of a node, by the names of their services.
pub fn names(folder: &Path, node: &str) -> Vec<String> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let files = entries.filter_map(|entry| entry.file_name().into_string().ok());
    let suffix = format!("@{node}.log");
    let mut names: Vec<String> =
        files.filter_map(|file| file.strip_suffix(&suffix).map(str::to_owned)).collect();
    names.sort();
    names
}

/// A log, with the offset up to which it was printed.
struct Log {
    file: File,
    path: PathBuf,
    at: u64,
}

impl Log {
    /// Prints the new part. Control characters for a terminal are made harmless.
    fn print(&mut self) -> Result<()> {
        let describe = || format!("cannot read {}", self.path.display());
        let length = self.file.metadata().with_context(describe)?.len();
        if length < self.at {
            eprintln!(
                "note: the log was cut meanwhile; some of what was printed last may be missing"
            );
            self.at = length;
        }
        self.file.seek(SeekFrom::Start(self.at)).with_context(describe)?;
        let mut piece = vec![0; 1 << 16];
        loop {
            let count = self.file.read(&mut piece).with_context(describe)?;
            if count == 0 || output::is_closed() {
                return Ok(());
            }
            self.at += count as u64;
            match std::io::stdout().is_terminal() {
                true => print!("{}", String::from_utf8_lossy(&piece[..count])),
                // A write error is reported at the end.
                false => _ = Data { may_be_lost: true }.write_all(&piece[..count]),
            }
        }
    }
}
