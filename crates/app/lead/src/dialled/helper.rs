//! The process that speaks with Ray, `python3 -m netloom_cluster`. What it is asked and says:
//! `python/netloom_cluster/lines.py`.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Result, anyhow, bail};
use netloom_placement::Ray;
use serde::{Deserialize, Serialize};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// The Python module.
const MODULE: &str = "netloom_cluster";
/// Longest time to connect to a cluster.
const CONNECTING: Duration = Duration::from_secs(60);
/// Longest time for Ray to give back what was reserved.
const RELEASE: Duration = Duration::from_secs(10);
/// Most bytes of what the process prints, at the end of it.
const LAST: usize = 64 << 10;

/// The process that speaks with Ray.
pub struct Helper {
    child: Child,
    input: Option<ChildStdin>,
    output: Lines<BufReader<ChildStdout>>,
    printed: Option<JoinHandle<String>>,
}

/// How it has ended.
pub enum Parting {
    /// It has given all back.
    InOrder,
    /// It had ended before.
    Gone,
    /// It did not answer.
    Silent,
}

/// What it is asked.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Request<'a> {
    Connect { address: &'a str },
    Start { machines: Vec<Wanted<'a>>, cpus: u32, orders: String },
    Tasks(Tasks<'a>),
    Task { id: u64, request: String, into: &'a Path },
}

/// A machine that is wanted.
#[derive(Serialize)]
pub struct Wanted<'a> {
    pub name: &'a str,
    pub address: Option<&'a str>,
    pub command: String,
}

/// What it answers.
#[derive(Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Said {
    Connected { here: String, nodes: Vec<Node> },
    Started(Vec<Started>),
    Tasks { places: usize },
    Done(Done),
    Note(String),
    Error(String),
}

/// Tasks that are to come.
#[derive(Serialize)]
pub struct Tasks<'a> {
    /// What starts one on a node.
    pub command: String,
    /// How its greeting begins.
    pub greeting: String,
    pub cpus: u32,
    /// Whether a node has one at a time.
    pub is_alone: bool,
    /// The archive of the scenario's folder.
    pub folder: &'a Path,
}

/// A task that has ended.
#[derive(Deserialize)]
pub struct Done {
    pub id: u64,
    /// The node that carried it, and the last line that it said.
    #[serde(default)]
    pub node: String,
    #[serde(default)]
    pub said: String,
    /// Why there is nothing of it.
    pub error: Option<String>,
}

/// A node of the cluster.
#[derive(Deserialize)]
pub struct Node {
    pub cpus: f64,
}

/// A machine that has been started.
#[derive(Deserialize)]
pub struct Started {
    pub name: String,
    pub address: String,
    pub said: String,
}

impl Helper {
    /// Starts it, and has it connect to a cluster. Returns also the address of this machine there,
    /// and the nodes.
    pub async fn connected(ray: &Ray, note: &impl Fn(&str)) -> Result<(Self, String, Vec<Node>)> {
        let mut helper = Self::start()?;
        helper.ask(&Request::Connect { address: &ray.address }).await?;
        let connected = timeout(CONNECTING, helper.answer(note)).await;
        let connected = connected.map_err(|_| {
            anyhow!(
                "Ray has not found a cluster at `{}` within a minute; `ray status --address {}` \
                 says more",
                ray.address,
                ray.address
            )
        });
        let Said::Connected { here, nodes } = connected?? else {
            return Err(helper.unexpected());
        };
        Ok((helper, here, nodes))
    }

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

    pub async fn ask(&mut self, request: &Request<'_>) -> Result<()> {
        let mut line = serde_json::to_vec(request)?;
        line.push(b'\n');
        let input = self.input.as_mut().context("it takes no requests any more")?;
        // If it has ended, its answer says why.
        let _ = input.write_all(&line).await;
        Ok(())
    }

    /// Returns the next answer. Notes are shown.
    pub async fn answer(&mut self, note: &impl Fn(&str)) -> Result<Said> {
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

    pub fn unexpected(&self) -> anyhow::Error {
        anyhow!("Ray's side said something else than was its turn: this is a defect")
    }

    /// Has it give back what was reserved, and end.
    pub async fn release(mut self) -> Parting {
        if self.child.try_wait().ok().flatten().is_some() {
            return Parting::Gone;
        }
        self.input = None;
        if timeout(RELEASE, self.child.wait()).await.is_err() {
            let _ = self.child.kill().await;
            return Parting::Silent;
        }
        Parting::InOrder
    }
}
