//! A member of a run on several machines, as its lead sees it: its engine, the files that it has,
//! and what it leaves.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, anyhow};
use netloom_api::launch::{Launch, Mode, StartUp};
use netloom_api::member::{ClockStatus, Said};
use netloom_lead::PartOfResults;
use netloom_lead::files::{self, Packed};
use netloom_units::Time;
use tokio::sync::mpsc::UnboundedSender;

use crate::launch::{Engine, Saying};

/// Longest time for a machine to greet that was lost.
const REACHING: Duration = Duration::from_secs(4);

/// Longest time for a member to end.
pub const TAKEDOWN: Duration = Duration::from_secs(15);

/// The engine of one machine.
pub struct Running {
    pub name: String,
    /// The name by which its engine is found on its machine.
    pub experiment: String,
    pub engine: Engine,
    /// Where its results are in the end.
    pub directory: PathBuf,
    /// Where they are on another machine.
    pub elsewhere: Option<Elsewhere>,
    /// What it knew of the others' clocks when the run began, and at the end.
    pub at_first: BTreeMap<String, ClockStatus>,
    pub at_last: BTreeMap<String, ClockStatus>,
    /// When it was lost, and how.
    pub lost: Option<(Time, String)>,
}

/// A machine that a command leads to, with the files that it has there.
pub struct Elsewhere {
    pub command: String,
    pub word: String,
    pub results: PathBuf,
}

impl Elsewhere {
    /// Brings the scenario's folder there, and writes its path into the orders.
    pub async fn bring(
        command: String,
        word: String,
        packed: Arc<Packed>,
        orders: &mut Launch,
    ) -> Result<Self> {
        let (to, said) = (command.clone(), word.clone());
        let brought = tokio::task::spawn_blocking(move || packed.put(&to, &said)).await?;
        let (folder, _) = brought.context("cannot bring the scenario's folder there")?;
        let results = files::results_beside(&folder, &format!("{word}-{}", orders.name()));
        if let Some(name) = orders.file.file_name() {
            orders.file = folder.join(name);
        }
        orders.directory = folder;
        if let Mode::Run { results: to, .. } = &mut orders.mode {
            to.clone_from(&results);
        }
        Ok(Self { command, word, results })
    }

    /// Removes what an engine has left there that died in its start.
    pub fn forget(&self, experiment: &str) {
        // If it cannot be reached, nothing can be removed there.
        let _ = files::clean_up(&self.command, &self.word, Some(experiment));
        let _ = files::remove(&self.command, &self.word, &self.results);
    }

    /// Fetches the results into `target`. With `patience`, the machine may be gone.
    fn fetch(&self, target: &Path, patience: Option<Duration>) -> Result<()> {
        let fetched = files::get(&self.command, &self.word, &self.results, target, patience);
        fetched.context("cannot fetch its results")
    }
}

impl Running {
    /// Returns what it leaves. Results of another machine are fetched.
    pub fn part(&self) -> PartOfResults {
        let patience = self.lost.is_some().then_some(REACHING);
        let fetch = |there: &Elsewhere| there.fetch(&self.directory, patience);
        let fetched = self.elsewhere.as_ref().map(fetch);
        if let Some(Err(error)) = fetched {
            let why = netloom_api::in_words(error.as_ref());
            eprintln!("warning: machine `{}`: {why}", self.name);
        }
        PartOfResults {
            name: self.name.clone(),
            directory: self.directory.is_dir().then(|| self.directory.clone()),
            at_first: self.at_first.clone(),
            at_last: self.at_last.clone(),
            lost: self.lost.as_ref().map(|(at, _)| *at),
        }
    }

    /// Ends it, and removes what it has made.
    pub async fn take_back(&mut self) {
        // Without its lease, it ends by itself.
        self.engine.let_go();
        if tokio::time::timeout(TAKEDOWN, self.engine.wait()).await.is_err() {
            let _ = self.engine.kill().await;
        }
        self.clean_up();
        if let Some(there) = &self.elsewhere {
            let _ = files::remove(&there.command, &there.word, &there.results);
        }
        let _ = fs::remove_dir_all(&self.directory);
    }

    /// Removes what its engine has left if it was killed. One that lives ends by itself, and keeps
    /// its results.
    pub fn clean_up(&self) {
        let name = &self.experiment;
        match &self.elsewhere {
            None => _ = netloom_host::cleanup(name),
            // If it cannot be reached, nothing can be removed there.
            Some(there) => _ = files::clean_up(&there.command, &there.word, Some(name)),
        }
    }

    /// Returns the next thing that it says.
    pub async fn said(&mut self) -> Result<Said> {
        let said = self.engine.said().await;
        said.with_context(|| format!("machine `{}`", self.name))
    }

    pub fn unexpected(&self) -> anyhow::Error {
        anyhow!("`{}` said something else than was its turn: this is a defect", self.name)
    }
}

/// Hears what a member says, until it is gone.
pub fn listen(number: usize, mut lines: Saying, to: UnboundedSender<(usize, Option<StartUp>)>) {
    tokio::spawn(async move {
        while let Ok(Some(line)) = lines.next().await {
            if to.send((number, Some(line))).is_err() {
                return;
            }
        }
        let _ = to.send((number, None));
    });
}
