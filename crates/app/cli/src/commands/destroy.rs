//! `netloom destroy`

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use netloom_host::{Activity, Found};

use crate::args::Destroy;
use crate::client::Client;
use crate::{exit, find};

/// Longest time for an engine to end before it is killed, and the additional time for each node.
/// The kernel takes more than a minute to free 5,000 nodes with 6,000 routes each.
const PATIENCE: Duration = Duration::from_secs(60);
const PATIENCE_PER_NODE: Duration = Duration::from_millis(100);
/// Longest time for an engine to do nothing at all, and not end, that does not answer.
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
        // The engine may be ending already, or be too busy to answer.
        let is_silent = client.shutdown().await.is_err();
        let (deadline, mut silence) = (Instant::now() + patience(nodes), Silence::of(found));
        while netloom_host::inspect(&found.name)?.alive {
            let is_stuck = is_silent && silence.lasts() > PATIENCE_WITH_SILENCE;
            if is_stuck || Instant::now() > deadline {
                eprintln!("warning: the engine of `{}` does not end; killing it", found.name);
                netloom_host::kill_engine(&found.name)?;
                break;
            }
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    }
    netloom_host::cleanup(&found.name).map(drop)
}

/// An engine that says nothing. On a busy machine it may work all the same, on the results of its
/// run, say, which it must not lose.
struct Silence<'a> {
    engine: &'a Found,
    seen: Option<Activity>,
    since: Instant,
}

impl<'a> Silence<'a> {
    fn of(engine: &'a Found) -> Self {
        Self { engine, seen: None, since: Instant::now() }
    }

    /// Looks at the engine, and returns how long it has done nothing.
    fn lasts(&mut self) -> Duration {
        let now = self.engine.pid.and_then(netloom_host::activity);
        if now.is_some_and(|now| now.at_work) || now != self.seen {
            self.since = Instant::now();
        }
        self.seen = now;
        self.since.elapsed()
    }
}

fn patience(nodes: usize) -> Duration {
    PATIENCE + PATIENCE_PER_NODE.saturating_mul(u32::try_from(nodes).unwrap_or(u32::MAX))
}
