//! Tasks of a Ray cluster: programs that Ray starts where there is room, and again elsewhere if a
//! node is lost. Each takes a request and gives a line and an archive.

use std::collections::HashMap;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::{Context, Result, anyhow, bail};
use netloom_api::member::{ROLE, greeting};
use netloom_placement::{Machines, MemberMachine};
use tokio::sync::{Notify, mpsc, oneshot};
use tokio::task::JoinHandle;

use super::helper::{Done, Helper, Request, Said};
use crate::placed::binary;

/// Tasks that are asked for at a time, as a multiple of those for which there is room: a cluster
/// may grow by those that wait.
const AHEAD: usize = 2;

/// Tasks of a Ray cluster.
pub struct Tasks {
    places: usize,
    requests: mpsc::UnboundedSender<Asked>,
    waiting: Waiting,
    ends: Arc<Notify>,
    serving: JoinHandle<()>,
}

/// A task's number, its request, and the file for its archive.
type Asked = (u64, String, PathBuf);

/// Who waits for which task, and the number of the last one. `None`: nothing comes any more.
#[derive(Clone)]
struct Waiting(Arc<Mutex<Option<All>>>);

#[derive(Default)]
struct All {
    last: u64,
    by_id: HashMap<u64, oneshot::Sender<Done>>,
}

impl Waiting {
    fn with<T>(&self, act: impl FnOnce(&mut Option<All>) -> T) -> T {
        act(&mut self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Tasks {
    /// Connects to the cluster that `machines` names. A task is a member with this word and mode,
    /// alone on its node or not. `folder` is an archive that all may ask for.
    ///
    /// # Errors
    /// If the cluster cannot be reached, or has no node for such tasks.
    pub async fn open(
        machines: &Machines,
        is_alone: bool,
        (word, mode): (&str, &str),
        folder: &[u8],
    ) -> Result<Self> {
        let ray = machines.ray.as_ref().context("these machines are no Ray cluster's")?;
        if ray.is_listed {
            bail!(
                "Ray chooses where tasks run, so a list cannot say it: write `--machines ray:{}`",
                ray.address
            );
        }
        let note = |text: &str| eprintln!("note: {text}");
        let (mut helper, _, _) = Helper::connected(ray, &note).await?;
        let mut file = tempfile::NamedTempFile::new().context("cannot make a file")?;
        file.write_all(folder).context("cannot keep the scenario's folder")?;
        let greeting = greeting(word);
        let asked = super::helper::Tasks {
            command: format!("{} {ROLE} {word} {mode} -", binary(&MemberMachine::named("m"))),
            // Whatever the architecture.
            greeting: greeting.rsplit_once(' ').map_or(&*greeting, |(begin, _)| begin).to_owned(),
            cpus: ray.cpus,
            is_alone,
            folder: file.path(),
        };
        helper.ask(&Request::Tasks(asked)).await?;
        let Said::Tasks { places } = helper.answer(&note).await? else {
            return Err(helper.unexpected());
        };
        let places = match machines.list.len() {
            0 => places * AHEAD,
            count => count,
        };
        let (requests, asked) = mpsc::unbounded_channel();
        let waiting = Waiting(Arc::new(Mutex::new(Some(All::default()))));
        let ends = Arc::new(Notify::new());
        let serving = serve(helper, asked, waiting.clone(), Arc::clone(&ends));
        let serving = tokio::spawn(serving);
        Ok(Self { places, requests, waiting, ends, serving })
    }

    /// Returns how many may be asked for at a time.
    pub fn places(&self) -> usize {
        self.places
    }

    /// Carries out a request. Its archive goes to a file. Returns the node that carried it, and
    /// what it said before its archive.
    ///
    /// # Errors
    /// If the task, or Ray, has failed.
    pub async fn carried(&self, request: String, archive: &Path) -> Result<(String, String)> {
        let (sender, done) = oneshot::channel();
        let id = self.waiting.with(|waiting| {
            let all = waiting.as_mut()?;
            all.last += 1;
            all.by_id.insert(all.last, sender);
            Some(all.last)
        });
        let gone = || anyhow!("Ray has gone away");
        let id = id.ok_or_else(gone)?;
        self.requests.send((id, request, archive.to_owned())).map_err(|_| gone())?;
        let Done { node, said, error, .. } = done.await.map_err(|_| gone())?;
        error.map_or(Ok((node, said)), |why| Err(anyhow!(why)))
    }

    /// Whether nothing comes any more.
    pub fn are_gone(&self) -> bool {
        self.waiting.with(|waiting| waiting.is_none())
    }

    /// Ends all.
    pub fn end(&self) {
        self.ends.notify_one();
    }
}

impl Drop for Tasks {
    fn drop(&mut self) {
        // Its helper's input closes, and what Ray runs for us ends.
        self.serving.abort();
    }
}

/// Hands requests on, and what comes back, until nothing does.
async fn serve(
    mut helper: Helper,
    mut asked: mpsc::UnboundedReceiver<Asked>,
    waiting: Waiting,
    ends: Arc<Notify>,
) {
    let note = |text: &str| eprintln!("note: {text}");
    loop {
        tokio::select! {
            Some((id, request, into)) = asked.recv() => {
                let request = Request::Task { id, request, into: &into };
                if helper.ask(&request).await.is_err() {
                    break;
                }
            }
            answer = helper.answer(&note) => match answer {
                Ok(Said::Done(done)) => {
                    let waits = waiting.with(|waiting| waiting.as_mut()?.by_id.remove(&done.id));
                    if let Some(waits) = waits {
                        let _ = waits.send(done);
                    }
                }
                Ok(_) => break,
                Err(error) => {
                    eprintln!("error: {error:#}");
                    break;
                }
            },
            () = ends.notified() => break,
        }
    }
    // Whoever waits hears that nothing comes.
    drop(waiting.with(Option::take));
    helper.release().await;
}
