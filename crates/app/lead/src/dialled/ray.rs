//! The nodes of a Ray cluster as machines: `python3 -m netloom_cluster` reserves them and starts
//! [`dial`](super::dial) on each. What it is asked and says: `python/netloom_cluster/lines.py`.
//! Once the machines have dialled, nothing depends on Ray.

use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use netloom_placement::{Machines, MemberMachine};
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::desk::{Desk, here};
use super::line::{Answer, DIAL};
use crate::placed::binary;

/// The Python module.
const MODULE: &str = "netloom_cluster";
/// Longest time to connect to a cluster.
const CONNECTING: Duration = Duration::from_secs(60);
/// Longest time for Ray to give back what was reserved.
const RELEASE: Duration = Duration::from_secs(10);
/// Most bytes of what the process prints, at the end of it.
const LAST: usize = 64 << 10;

/// Machines of a Ray cluster that are reserved for us.
pub struct Cluster {
    helper: Helper,
    _desk: Desk,
}

/// The process that speaks with Ray.
struct Helper {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
    printed: Option<JoinHandle<String>>,
}

#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum Request<'a> {
    Connect { address: &'a str },
    Start { machines: Vec<Wanted<'a>>, cpus: u32, orders: String },
}

#[derive(Serialize)]
struct Wanted<'a> {
    name: &'a str,
    address: Option<&'a str>,
    command: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
enum Said {
    Connected { here: String, nodes: Vec<Node> },
    Started(Vec<Started>),
    Note(String),
    Error(String),
}

#[derive(Deserialize)]
struct Node {
    cpus: f64,
}

#[derive(Deserialize)]
struct Started {
    name: String,
    address: String,
    said: String,
}

impl Cluster {
    /// Reserves machines of the cluster that a list names, and starts NetLoom on each. `word` is
    /// one that nobody else has. The list then says how each is reached.
    ///
    /// # Errors
    /// If the cluster cannot be reached, or has no such machines.
    pub async fn reserve(
        machines: &mut Machines,
        word: u64,
        note: impl Fn(&str),
    ) -> Result<Option<Self>> {
        let Some(ray) = machines.ray.clone() else { return Ok(None) };
        let mut helper = Helper::start()?;
        helper.ask(&Request::Connect { address: &ray.address }).await?;
        let connected = timeout(CONNECTING, helper.answer(&note)).await;
        let connected = connected.map_err(|_| {
            anyhow!(
                "Ray has not found a cluster at `{}` within a minute; `ray status --address {}` \
                 says more",
                ray.address,
                ray.address
            )
        });
        let Said::Connected { here: at, nodes } = connected?? else {
            return Err(helper.unexpected());
        };
        let desk = Desk::open(here(&at)?, format!("netloom-{word:016x}"))?;
        if machines.list.is_empty() {
            let fit = nodes.iter().filter(|node| node.cpus >= f64::from(ray.cpus)).count();
            machines.list = Machines::alike(fit.max(1)).list;
        }
        let orders = serde_json::to_string(&desk.orders)?;
        let machines_wanted = machines.list.iter().map(|machine| Wanted {
            name: &machine.name,
            address: machine.address.as_deref(),
            command: format!("{} {DIAL}", binary(machine)),
        });
        let start = Request::Start { machines: machines_wanted.collect(), cpus: ray.cpus, orders };
        helper.ask(&start).await?;
        let Said::Started(started) = helper.answer(&note).await? else {
            return Err(helper.unexpected());
        };
        for (machine, started) in machines.list.iter_mut().zip(started) {
            reach(machine, &started, &desk)?;
        }
        machines.start = Some(desk.command()?);
        Ok(Some(Self { helper, _desk: desk }))
    }

    /// Gives the machines back. Returns what the user should know of that.
    pub async fn release(mut self) -> Option<String> {
        let is_gone = self.helper.child.try_wait().ok().flatten().is_some();
        self.helper.input = None;
        if !is_gone && timeout(RELEASE, self.helper.child.wait()).await.is_err() {
            let _ = self.helper.child.kill().await;
            return Some(
                "Ray does not answer any more: it gives the machines back by itself".into(),
            );
        }
        is_gone.then(|| {
            "Ray went away during the run, which does not need it then; it may have given the \
             machines to others"
                .into()
        })
    }
}

/// Writes into the list how a machine is reached.
fn reach(machine: &mut MemberMachine, started: &Started, desk: &Desk) -> Result<()> {
    let name = &machine.name;
    if started.name != *name {
        bail!(
            "Ray's side speaks of `{}` where `{name}` was its turn: this is a defect",
            started.name
        );
    }
    let answer: Answer = serde_json::from_str(&started.said).map_err(|_| {
        let said = started.said.escape_debug();
        anyhow!(
            "machine `{name}` ({}): that is no NetLoom of this version; it says: {said}",
            started.address
        )
    })?;
    desk.expect(name, answer.fingerprint);
    let address = started.address.parse();
    let address = address.with_context(|| format!("`{}` is no IP address", started.address))?;
    machine.frames.get_or_insert(address);
    machine.address = Some(name.clone());
    Ok(())
}

impl Helper {
    fn start() -> Result<Self> {
        let mut child = Command::new("python3")
            .args(["-m", MODULE])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            // Ctrl-C is ours.
            .process_group(0)
            .spawn()
            .context("cannot start `python3`, by which Ray is asked for machines")?;
        let output = child.stdout.take().context("it has no standard output")?;
        let input = child.stdin.take();
        let printed = child.stderr.take().map(|mut printed| {
            tokio::spawn(async move {
                let (mut last, mut piece) = (Vec::new(), vec![0; 4096]);
                while let Ok(count @ 1..) = printed.read(&mut piece).await {
                    last.extend_from_slice(&piece[..count]);
                    last.drain(..last.len().saturating_sub(LAST));
                }
                String::from_utf8_lossy(&last).into_owned()
            })
        });
        Ok(Self { child, input, output: BufReader::new(output).lines(), printed })
    }

    async fn ask(&mut self, request: &Request<'_>) -> Result<()> {
        let mut line = serde_json::to_vec(request)?;
        line.push(b'\n');
        let input = self.input.as_mut().context("it takes no requests any more")?;
        // If it has ended, its answer says why.
        let _ = input.write_all(&line).await;
        Ok(())
    }

    /// Returns the next answer. Notes are shown.
    async fn answer(&mut self, note: &impl Fn(&str)) -> Result<Said> {
        while let Some(line) = self.output.next_line().await? {
            match serde_json::from_str(&line).context("cannot understand Ray's side")? {
                Said::Note(text) => note(&text),
                Said::Error(why) => {
                    return Err(match self.last_printed().await.as_str() {
                        "" => anyhow!(why),
                        last => anyhow!("{why}; the last that Ray printed is: {last}"),
                    });
                }
                said => return Ok(said),
            }
        }
        let last = self.last_printed().await;
        if last.contains("No module named") {
            bail!(
                "`python3` has no module `{MODULE}`, by which Ray is asked for machines: \
                 `pip install 'netloom[cluster]'`, into the environment that is active here"
            );
        }
        bail!("`python3 -m {MODULE}` has ended; the last that it printed is: {last}")
    }

    /// Returns the last line that it has printed, once it has ended.
    async fn last_printed(&mut self) -> String {
        let Some(printed) = self.printed.take() else { return String::new() };
        let printed = timeout(RELEASE, printed).await;
        let printed = printed.ok().and_then(Result::ok).unwrap_or_default();
        let last = printed.lines().rev().find(|line| !line.trim().is_empty());
        last.unwrap_or_default().trim().escape_debug().to_string()
    }

    fn unexpected(&self) -> anyhow::Error {
        anyhow!("Ray's side said something else than was its turn: this is a defect")
    }
}
