//! The machine's side: a run in a process of its own, which ends when the lead does.

use std::fs;
use std::io::{self, BufRead, BufReader, Read, Stdin, Write};
use std::path::PathBuf;
use std::process::Child;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use netloom_api::member::{LEASE, PULSE, greeting};
use netloom_lead::files;
use netloom_results::private_folder;
use nix::errno::Errno;
use nix::sys::signal::{Signal, kill};
use nix::sys::wait::{Id, WaitPidFlag, waitid};
use nix::unistd::Pid;

use super::super::child;
use super::{Ended, Request, Said};

/// Longest request, in bytes.
const LONGEST: u64 = 64 << 20;
/// Longest time for a run to end that is asked to.
const TAKEDOWN: Duration = Duration::from_secs(15);
/// Folder for results on a machine, in that of what members keep.
const FOLDER: &str = "sweeps";

/// Carries out the run that standard input asks for. Returns the exit code.
pub fn main(word: &str) -> i32 {
    println!("{}", greeting(word));
    match carried_out() {
        Ok(()) => 0,
        Err(error) => {
            say(&Said::Failed(netloom_api::in_words(error.as_ref())));
            1
        }
    }
}

fn carried_out() -> Result<()> {
    let mut input = BufReader::new(io::stdin());
    let mut line = Vec::new();
    let read = input.by_ref().take(LONGEST).read_until(b'\n', &mut line);
    read.context("cannot read what is asked")?;
    let request: Request =
        serde_json::from_slice(&line).context("cannot understand what is asked")?;
    let folder = files::unpacked(&request.folder, || {
        say(&Said::Want);
        let mut bytes = Vec::new();
        input.by_ref().take(request.bytes).read_to_end(&mut bytes)?;
        Ok(bytes)
    })?;
    let results = Results::new()?;
    let order = request.order.moved(folder, results.0.join("run"));
    let began = Instant::now();
    let mut child = child::command().spawn().context("cannot start a run")?;
    let mut orders = child.stdin.take().context("the run takes no orders")?;
    orders.write_all(&serde_json::to_vec(&order)?).context("the run takes no orders")?;
    drop(orders);
    let running = Running::new(&child);
    running.follow(input, request.pulses);
    let failed = running.ended(child)?;
    say(&Said::Ended(Ended { failed, seconds: began.elapsed().as_secs_f64() }));
    let made = results.0.join("run");
    if !made.is_dir() {
        fs::create_dir(&made).context("cannot keep what a run has left")?;
    }
    files::pack(&made, io::stdout().lock())
}

fn say(said: &Said) {
    let line = serde_json::to_string(said).unwrap_or_default();
    // Who does not listen any more is gone, which standard input tells.
    let _ = writeln!(io::stdout(), "{line}").and_then(|()| io::stdout().flush());
}

/// The process of a run, until it has ended.
#[derive(Clone)]
struct Running(Arc<Mutex<Option<Pid>>>);

impl Running {
    fn new(child: &Child) -> Self {
        Self(Arc::new(Mutex::new(i32::try_from(child.id()).ok().map(Pid::from_raw))))
    }

    /// Says that it goes on, until it does not. Ends it with the lead.
    fn follow(&self, mut input: BufReader<Stdin>, pulses: bool) {
        let running = self.clone();
        thread::spawn(move || {
            while running.with(|_| say(&Said::Here)) {
                thread::sleep(PULSE);
            }
        });
        let (hears, heard) = channel();
        thread::spawn(move || {
            let mut piece = [0; 4096];
            while matches!(input.read(&mut piece), Ok(1..)) && hears.send(()).is_ok() {}
        });
        let running = self.clone();
        thread::spawn(move || {
            loop {
                match heard.recv_timeout(LEASE) {
                    Ok(()) => {}
                    Err(RecvTimeoutError::Timeout) if !pulses => {}
                    Err(_) => break,
                }
            }
            running.with(|run| _ = kill(run, Signal::SIGTERM));
            thread::sleep(TAKEDOWN);
            running.with(|run| _ = kill(run, Signal::SIGKILL));
        });
    }

    /// Does something with it while it cannot end. Returns whether it is there.
    fn with(&self, act: impl FnOnce(Pid)) -> bool {
        let run = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        run.map(act).is_some()
    }

    /// Waits for its end. Returns why it has failed, if it has.
    fn ended(&self, mut child: Child) -> Result<Option<String>> {
        let mut words = Vec::new();
        let mut printed = child.stderr.take().context("it has no standard error")?;
        printed.read_to_end(&mut words).context("cannot read what a run prints")?;
        // Its number stays its own until it is waited for.
        let id = Pid::from_raw(child.id() as i32);
        while waitid(Id::Pid(id), WaitPidFlag::WEXITED | WaitPidFlag::WNOWAIT) == Err(Errno::EINTR)
        {
        }
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
        let status = child.wait().context("cannot wait for a run")?;
        let words = String::from_utf8_lossy(&words);
        Ok((!status.success()).then(|| format!("{} ({status})", words.trim())))
    }
}

/// Directory for the results of a run, which is removed when this is dropped.
struct Results(PathBuf);

impl Results {
    fn new() -> Result<Self> {
        let all = files::cache()?.join(FOLDER);
        private_folder(&all).with_context(|| format!("cannot make {}", all.display()))?;
        // Of processes that were killed.
        for entry in fs::read_dir(&all)?.flatten() {
            let owner = entry.file_name().to_str().and_then(|name| name.parse().ok());
            if owner.is_some_and(|pid| kill(Pid::from_raw(pid), None) == Err(Errno::ESRCH)) {
                let _ = fs::remove_dir_all(entry.path());
            }
        }
        let own = all.join(std::process::id().to_string());
        let _ = fs::remove_dir_all(&own);
        fs::create_dir(&own).with_context(|| format!("cannot make {}", own.display()))?;
        Ok(Self(own))
    }
}

impl Drop for Results {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
