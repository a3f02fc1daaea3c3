//! `netloom destroy`

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use netloom_host::Found;

use crate::args::Destroy;
use crate::client::Client;
use crate::{exit, find};

/// Longest time for an engine to end before it is killed, and the additional time for each node.
/// The kernel takes more than a minute to free 5,000 nodes with 6,000 routes each.
const PATIENCE: Duration = Duration::from_secs(60);
const PATIENCE_PER_NODE: Duration = Duration::from_millis(100);
/// Longest time for an engine to end that does not answer.
const PATIENCE_WITH_SILENCE: Duration = Duration::from_secs(2);

/// Takes experiments down. A failure for one does not affect the others.
pub async fn destroy(args: Destroy) -> Result<i32> {
    if !args.all {
        let found = find::experiment(args.experiment.as_deref(), &args.scenario).await?;
        if !found.alive && found.pid.is_none() {
            bail!("there is no experiment `{}`; `netloom inspect` lists what runs", found.name);
        }
        end_and_tell(&found).await?;
        return Ok(exit::SUCCESS);
    }
    let mut failed = vec![];
    for name in netloom_host::names() {
        let ended = match netloom_host::inspect(&name) {
            Ok(found) => end_and_tell(&found).await,
            Err(error) => Err(error),
        };
        if let Err(error) = ended {
            failed.push((name, error));
        }
    }
    exit::all_of("destroyed", failed)
}

async fn end_and_tell(found: &Found) -> Result<()> {
    let began = Instant::now();
    end(found).await?;
    println!("{}: gone in {:.2} s", found.name, began.elapsed().as_secs_f64());
    Ok(())
}

/// Ends one experiment, dead or alive, and leaves nothing of it.
pub async fn end(found: &Found) -> Result<()> {
    if found.alive {
        let client = Client::of(found);
        let nodes = client.status_soon().await.map_or(0, |it| it.nodes);
        let patience = match client.shutdown().await {
            Ok(()) => patience(nodes),
            // The engine may be ending already.
            Err(_) => PATIENCE_WITH_SILENCE,
        };
        let deadline = Instant::now() + patience;
        while netloom_host::inspect(&found.name)?.alive {
            if Instant::now() > deadline {
                eprintln!("warning: the engine of `{}` does not end; killing it", found.name);
                netloom_host::kill_engine(&found.name)?;
                break;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    netloom_host::cleanup(&found.name).map(drop)
}

fn patience(nodes: usize) -> Duration {
    PATIENCE + PATIENCE_PER_NODE.saturating_mul(u32::try_from(nodes).unwrap_or(u32::MAX))
}
