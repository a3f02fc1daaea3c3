//! Starts all programs that run in nodes from the start. The number of nodes at a time is limited,
//! so that the programs get enough of the machine to become ready.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use futures_util::future::try_join_all;
use netloom_nodes::{ExitStatus, SpawnRequest};
use netloom_results::private_folder;
use netloom_scenario::Command;
use tokio::sync::Semaphore;
use tokio::sync::mpsc::{self, UnboundedSender};
use tokio::task::JoinSet;

use super::instance::{Instance, ended};
use super::log::Log;
use super::{NodeStart, Services};

/// Number of nodes that are started at a time, for each core.
const NODES_PER_CORE: usize = 4;
/// Duration of a startup command after which the user is informed that the start waits for it.
const SLOW: Duration = Duration::from_secs(5);

/// The progress of a start.
pub enum Progress {
    /// Number of services that are ready, and of all services.
    Ready(usize, usize),
    /// The slow command, and what to do, in words.
    Slow(String),
}

/// Runs the startup commands of all nodes and starts their services. Returns when all are ready.
///
/// # Errors
/// The first failure, in words, with the output of the program; or that the end was asked for.
pub async fn start(
    services: &Arc<Services>,
    starts: Vec<NodeStart>,
    progress: impl Fn(Progress),
) -> Result<()> {
    if starts.is_empty() {
        return Ok(());
    }
    let logs = services.table.logs();
    private_folder(logs).with_context(|| format!("cannot make {}", logs.display()))?;
    let turns = Arc::new(Semaphore::new(nodes_at_once()));
    let total: usize = starts.iter().map(|start| start.services.len()).sum();
    let mut ready = 0;
    let mut nodes = JoinSet::new();
    let (slow, mut slow_ones) = mpsc::unbounded_channel();
    for start in starts {
        let (turns, services) = (turns.clone(), services.clone());
        let slow = slow.clone();
        nodes.spawn(async move {
            // The semaphore is never closed.
            let _turn = turns.acquire().await;
            of_node(&services, start, &slow).await
        });
    }
    loop {
        let node = tokio::select! {
            node = nodes.join_next() => node,
            Some(words) = slow_ones.recv() => {
                progress(Progress::Slow(words));
                continue;
            }
            () = services.end.asked() => bail!("the start was interrupted"),
        };
        match node {
            Some(node) => {
                ready += node.context("the start of a node's services has panicked")??;
                progress(Progress::Ready(ready, total));
            }
            None => return Ok(()),
        }
    }
}

/// Returns the number of nodes in which programs are started at a time.
pub fn nodes_at_once() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from) * NODES_PER_CORE
}

/// Starts everything of one node. Returns the number of its services.
async fn of_node(
    services: &Arc<Services>,
    start: NodeStart,
    slow: &UnboundedSender<String>,
) -> Result<usize> {
    for command in &start.startup {
        let ended = run_once(services, &start.node, command);
        let mut ended = pin!(ended);
        tokio::select! {
            ended = &mut ended => ended?,
            () = tokio::time::sleep(SLOW) => {
                // There need not be a receiver.
                let _ = slow.send(slow_words(&start.node, command));
                ended.await?;
            }
        }
    }
    in_waves(services, start).await
}

/// Starts services of a node, each after those that it needs. Returns their number.
pub(super) async fn in_waves(services: &Arc<Services>, start: NodeStart) -> Result<usize> {
    let count = start.services.len();
    let last = start.services.iter().map(|service| service.wave).max();
    let mut waiting = start.services.into_iter().peekable();
    for wave in 0..=last.unwrap_or(0) {
        let mut together = vec![];
        while let Some(service) = waiting.next_if(|service| service.wave == wave) {
            let instance = Instance::new(services.clone(), start.node.clone(), service);
            together.push(instance.start());
        }
        try_join_all(together).await?;
    }
    Ok(count)
}

fn slow_words(node: &str, command: &Command) -> String {
    format!(
        "node `{node}`: the startup command `{}` has not ended after {} s, and the start \
         waits for it; what is to go on running belongs into `services` of the node, or into \
         `processes`",
        shown(command),
        SLOW.as_secs()
    )
}

fn shown(command: &Command) -> String {
    match command {
        Command::Shell(line) => line.clone(),
        Command::Exec(argv) => argv.join(" "),
    }
}

/// Runs a startup command, which must succeed.
async fn run_once(services: &Arc<Services>, node: &str, command: &Command) -> Result<()> {
    let log = Log::open(services, "startup", node, [])?;
    let stdio = log.stdio()?;
    let shown = shown(command);
    let failed = |how: String| anyhow!("node `{node}`: the startup command `{shown}` {how}");
    let request = SpawnRequest { argv: command.argv(), env: vec![], cwd: None, stdio };
    let running = services.network.spawn(node, request).await.map_err(|error| {
        failed(format!("could not be started: {}", netloom_api::in_words(error.as_ref())))
    })?;
    match running.exited.await {
        Ok(ExitStatus::Code(0)) => Ok(()),
        Ok(status) => Err(failed(format!("{}{}", ended(status), log.tail().await))),
        Err(_) => Err(failed("was ended with its node".into())),
    }
}
