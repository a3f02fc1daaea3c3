//! A system call of the daemon of `netloom shape` fails, or the daemon is killed, at each step of
//! making a claim. Whatever the step: the claim is there and works, or `add` says why not and
//! leaves the host as it was.

use std::env;
use std::fs;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::{NETLOOM, takes_root, text};
use crate::injector::{Fault, Injector};
use crate::{At, Outcome, PATIENCE, Problem, ended, faults, kills, nothing_is_left};

/// A host of the test's own: a network namespace with a device.
struct Host {
    namespace: String,
    directory: PathBuf,
}

impl Host {
    fn new() -> Self {
        let namespace = format!("faultshape{}", std::process::id());
        let directory = env::temp_dir().join(format!("netloom-{namespace}"));
        fs::create_dir_all(&directory).unwrap();
        let host = Self { namespace, directory };
        for words in [
            format!("netns add {}", host.namespace),
            format!("-n {} link add eth0 type veth peer name far0", host.namespace),
            format!("-n {} addr add 192.0.2.1/24 dev eth0", host.namespace),
            format!("-n {} link set eth0 up", host.namespace),
            format!("-n {} link set far0 up", host.namespace),
        ] {
            assert!(Command::new("ip").args(words.split(' ')).status().unwrap().success());
        }
        host
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.namespace, NETLOOM, "shape", "--state"]);
        command.arg(self.directory.join("state")).args(words).stdin(Stdio::null());
        command
    }

    fn shape(&self, words: &[&str]) -> Result<Outcome, Problem> {
        let output = self.directory.join("output");
        ended(self.command(words), &output, &format!("shape {}", words.join(" ")))
    }

    fn serve(&self) -> Result<Child, Problem> {
        let records = self.directory.join("shape.jsonl");
        let mut command = self.command(&["serve", "--bears", "2Gbit/s", "--records"]);
        let mut daemon =
            command.arg(records).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let deadline = Instant::now() + PATIENCE;
        while !self.shape(&["capacity"]).is_ok_and(|outcome| outcome.succeeded) {
            if let Some(status) = daemon.try_wait().unwrap() {
                return Err(format!("the daemon ended with {status}"));
            }
            if Instant::now() > deadline {
                let _ = daemon.kill();
                let _ = daemon.wait();
                return Err("the daemon does not answer".into());
            }
            sleep(Duration::from_millis(20));
        }
        Ok(daemon)
    }

    fn add(&self) -> Result<Outcome, Problem> {
        self.shape(
            &["add", "web", "--client", "tcp/80", "--interface", "eth0", "--both"]
                .into_iter()
                .chain(["rate=1Mbit/s", "delay=5ms", "--for", "1h"])
                .collect::<Vec<_>>(),
        )
    }

    /// Names of the devices of claims.
    fn devices(&self) -> Vec<String> {
        let list = ["-n", &self.namespace, "-o", "link", "show"];
        let output = Command::new("ip").args(list).output().unwrap();
        let names = text(&output.stdout);
        let names = names.lines().filter_map(|line| line.split(": ").nth(1));
        names.filter(|name| name.starts_with("nls")).map(Into::into).collect()
    }

    /// No device of a claim is left.
    fn is_clean(&self) -> Result<(), Problem> {
        nothing_is_left(|| self.devices())
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        // Also a daemon that a command has started in place of one that was killed.
        let daemon = format!("__shape {}/", self.directory.display());
        let _ = Command::new("pkill").args(["-KILL", "-f", &daemon]).status();
        let _ = Command::new("ip").args(["netns", "delete", &self.namespace]).status();
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// Adds a claim with a fault, or without, and removes it.
fn claim(injector: &Injector, host: &Host, at: At<'_>) -> Result<(), Problem> {
    let mut daemon = host.serve()?;
    injector.arm(at.cloned());
    let outcome = host.add();
    injector.pause();
    let result = outcome.and_then(|outcome| after(host, &mut daemon, at, &outcome));
    // Without it, nothing is left.
    let _ = host.shape(&["stop"]);
    let _ = daemon.kill();
    let _ = daemon.wait();
    result.and_then(|()| host.is_clean())
}

fn after(host: &Host, daemon: &mut Child, at: At<'_>, outcome: &Outcome) -> Result<(), Problem> {
    if kills(at) {
        // Dead already, or about to be: it may be killed when it has answered.
        let _ = daemon.kill();
        let _ = daemon.wait();
        host.is_clean()?;
        *daemon = host.serve()?;
        // A daemon takes up what the one before had written down.
        let _ = host.shape(&["remove", "web"]);
    } else if outcome.succeeded {
        let removed = host.shape(&["remove", "web"])?;
        if !removed.succeeded {
            return Err(format!("remove failed: {removed:?}"));
        }
    } else {
        outcome.reports_why()?;
    }
    host.is_clean()?;
    let again = host.add()?;
    if !again.succeeded || host.devices().len() != 2 {
        return Err(format!("after {outcome:?}: {again:?}, {:?}", host.devices()));
    }
    Ok(())
}

#[test]
fn shape() {
    if !takes_root("shape", "it shapes a host's traffic") {
        return;
    }
    let wanted = env::var("NETLOOM_FAULTS").ok();
    Injector::around(|injector| {
        let host = Host::new();
        claim(injector, &host, None).unwrap();
        let (counts, _) = injector.disarm();
        let (steps, mut had, mut problems) = (counts.len(), 0, Vec::new());
        for (place, fault) in faults(counts, wanted.as_deref()) {
            let at: (_, Fault) = (place, fault);
            println!("{at:?}");
            let outcome = claim(injector, &host, Some(&at));
            had += usize::from(injector.disarm().1);
            if let Err(problem) = outcome {
                println!("{problem}");
                problems.push(format!("{at:?}: {problem}"));
            }
        }
        println!("{had} faults in {steps} steps");
        assert!(had > 0 && problems.is_empty(), "{problems:#?}");
    });
}
