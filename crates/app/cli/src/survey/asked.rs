//! Members that report, as the lead sees them: started, asked, and gone in the end.

use std::process::Stdio;
use std::time::Duration;

use anyhow::{Context, Error, Result, anyhow, bail};
use futures_util::future::join_all;
use netloom_gauge::ways::Place;
use netloom_lead::{Preamble, Secrets, frames_address, start_command};
use netloom_placement::{Machines, MemberMachine};
use netloom_scenario::Scenario;
use serde::Serialize;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader, Lines};
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::found::Survey;
use super::{Doors, Inquiry, MODE, Report, Said};

/// Longest time for a member to start and to report, and to ask the others.
const PATIENCE: Duration = Duration::from_secs(30);
/// Longest time for a member to end by itself.
const PARTING: Duration = Duration::from_secs(5);
/// Most of what a command complains that is read, in bytes.
const MOST: u64 = 64 << 10;

/// Surveys machines, for a scenario if there is one. A machine that cannot be asked is part of what
/// is found.
///
/// # Errors
/// If there are no random numbers.
pub async fn survey(machines: &Machines, scenario: Option<&Scenario>) -> Result<Survey> {
    let secrets = Secrets::random()?;
    let all: Vec<String> = machines.list.iter().map(|machine| machine.name.clone()).collect();
    let started = machines.list.iter().map(async |machine| {
        let place = Place {
            name: machine.name.clone(),
            machines: all.clone(),
            frames: frames_address(machines, machine)?,
            ports: machines.tunnel.ports,
            session: secrets.session,
            secret: machines.tunnel.encryption.then_some(secrets.key),
        };
        let inquiry = Inquiry { place, scenario: scenario.cloned().map(Box::new) };
        let mut asked = Asked::start(machines, machine, &secrets.in_words())?;
        let reported = timeout(PATIENCE, asked.report(&inquiry)).await;
        let reported = match reported {
            Ok(reported) => reported,
            Err(_) => Err(asked.no_member(&anyhow!("it said nothing for {PATIENCE:?}")).await),
        };
        match reported {
            Ok(report) => Ok((asked, report)),
            Err(error) => {
                asked.end().await;
                Err(error)
            }
        }
    });
    let started = join_all(started).await;
    let mut doors = Doors::new();
    for (name, started) in all.iter().zip(&started) {
        doors.extend(started.as_ref().ok().map(|(_, report)| (name.clone(), report.door)));
    }
    let ended = started.into_iter().map(async |started| {
        let (mut asked, report) = started?;
        let ways = timeout(PATIENCE, asked.ways(&doors)).await;
        Ok((asked, report, ways.unwrap_or_else(|_| Err(anyhow!("it stands still")))))
    });
    // They answer each other until all have asked.
    let ended = join_all(ended).await;
    let found = ended.into_iter().map(async |one: Result<_>| {
        let (mut asked, report, ways) = one?;
        asked.end().await;
        Ok((report, ways?))
    });
    let found = join_all(found).await;
    Ok(Survey::new(machines, found))
}

/// A member that reports.
struct Asked {
    /// The command that has started it, in words.
    command: String,
    word: String,
    child: Child,
    input: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
    complaint: JoinHandle<Vec<u8>>,
}

impl Asked {
    fn start(machines: &Machines, machine: &MemberMachine, word: &str) -> Result<Self> {
        let binary = std::env::current_exe().context("cannot find the netloom binary")?;
        let (name, mut command) = match start_command(machines, machine)? {
            Some(line) => {
                let mut command = Command::new("/bin/sh");
                command.arg("-c").arg(format!("{line} {word} {MODE} -"));
                (line, command)
            }
            None => {
                let mut command = Command::new(&binary);
                command.args([netloom_api::member::ROLE, word, MODE, "-"]);
                (binary.display().to_string(), command)
            }
        };
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.kill_on_drop(true).spawn().context("cannot start a shell")?;
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(complaint)) = pipes else {
            bail!("the command was started without pipes");
        };
        let complaint = tokio::spawn(async move {
            let (mut text, mut complaint) = (Vec::new(), complaint);
            let _ = (&mut complaint).take(MOST).read_to_end(&mut text).await;
            // A full pipe would stop it.
            let _ = tokio::io::copy(&mut complaint, &mut tokio::io::sink()).await;
            text
        });
        let (word, lines) = (word.to_owned(), BufReader::new(output).lines());
        Ok(Self { command: name, word, child, input: Some(input), lines, complaint })
    }

    /// Asks what its machine is like.
    async fn report(&mut self, inquiry: &Inquiry) -> Result<Box<Report>> {
        // What does not read has said why, or ends.
        let _ = self.give(inquiry).await;
        let word = self.word.clone();
        let mut preamble = Preamble::of(&word);
        loop {
            let Some(line) = self.line().await? else {
                return Err(self.no_member(&preamble.ended()).await);
            };
            match preamble.read(&line) {
                Ok(true) => break,
                Ok(false) => {}
                Err(why) => return Err(self.is_none(&why)),
            }
        }
        match self.said().await? {
            Said::Report(report) => Ok(report),
            _ => bail!("it said something else than was its turn: this is a defect"),
        }
    }

    /// Has it ask the others.
    async fn ways(&mut self, doors: &Doors) -> Result<super::Ways> {
        self.give(doors).await.context("it takes no orders")?;
        match self.said().await? {
            Said::Ways(ways) => Ok(ways),
            _ => bail!("it said something else than was its turn: this is a defect"),
        }
    }

    async fn give(&mut self, order: &impl Serialize) -> Result<()> {
        let input = self.input.as_mut().context("it has no standard input any more")?;
        let mut line = serde_json::to_vec(order)?;
        line.push(b'\n');
        input.write_all(&line).await?;
        Ok(input.flush().await?)
    }

    async fn line(&mut self) -> Result<Option<String>> {
        // A machine may say anything.
        self.lines.next_line().await.context("it says what is no text")
    }

    async fn said(&mut self) -> Result<Said> {
        let Some(line) = self.line().await? else {
            return Err(self.gone().await);
        };
        match serde_json::from_str(&line).context("cannot understand it")? {
            Said::Failed(why) => bail!(why),
            said => Ok(said),
        }
    }

    /// Waits for its end. Returns its exit code and its last complaints.
    async fn ended(&mut self) -> (Option<i32>, String) {
        self.input = None;
        let status = timeout(PARTING, self.child.wait()).await;
        let code = status.ok().and_then(Result::ok).and_then(|status| status.code());
        let complaint = timeout(PARTING, &mut self.complaint).await;
        let complaint = complaint.ok().and_then(Result::ok).unwrap_or_default();
        let text = String::from_utf8_lossy(&complaint);
        let lines: Vec<&str> =
            text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
        // Those of ssh are many.
        let last = &lines[lines.len().saturating_sub(12)..];
        (code, last.join("\n    "))
    }

    /// Returns the error if the command has ended without a member.
    async fn no_member(&mut self, why: &Error) -> Error {
        let (code, complaint) = self.ended().await;
        let code = code.map(|code| format!(" (exit code {code})")).unwrap_or_default();
        let said = if complaint.is_empty() { String::new() } else { format!("\n    {complaint}") };
        let remedy = remedy(&complaint, &why.to_string());
        anyhow!("`{}`: {why}{code}{said}\n    = help: {remedy}", self.command)
    }

    /// Returns the error if what the command has started is no member that can be led.
    fn is_none(&self, why: &Error) -> Error {
        let help = remedy("", &why.to_string());
        // An error may say itself what helps.
        let help = match help {
            BY_HAND if why.to_string().contains("version") => String::new(),
            help => format!("\n    = help: {help}"),
        };
        anyhow!("`{}`: {why}{help}", self.command)
    }

    async fn gone(&mut self) -> Error {
        let (code, complaint) = self.ended().await;
        let code = code.map_or_else(|| "a signal".into(), |code| format!("exit code {code}"));
        let said = if complaint.is_empty() { String::new() } else { format!("\n    {complaint}") };
        anyhow!("its member ended before it had answered ({code}){said}")
    }

    /// Has it end, or ends it.
    async fn end(&mut self) {
        self.input = None;
        if timeout(PARTING, self.child.wait()).await.is_err() {
            let _ = self.child.kill().await;
        }
    }
}

/// What helps if nothing else is known to.
const BY_HAND: &str = "run the command by hand: it is to start `netloom __member` with its \
                       standard input and output";

/// Returns what helps against what a command complains of.
fn remedy(complaint: &str, last: &str) -> &'static str {
    let text = format!("{complaint} {last}").to_lowercase();
    let says = |words: &[&str]| words.iter().any(|word| text.contains(word));
    // `env` hands a binary that the kernel does not know to a shell, as a script.
    if says(&["exec format error", "cannot execute binary", "syntax error"]) {
        "the binary there is for another architecture: install NetLoom for that machine's"
    } else if says(&["host key verification failed", "host identification has changed"]) {
        "if the machine was set up anew, forget its old key (`ssh-keygen -R HOST`) and log in once \
         by hand; if not, somebody else may answer in its place"
    } else if says(&["permission denied (", "too many authentication"]) {
        "let ssh log in without a password: `ssh-copy-id ADDRESS`"
    } else if says(&["could not resolve", "no route to host", "connection refused", "timed out"]) {
        "correct `address` in the list, or have the machine answer there"
    } else if says(&["not found", "no such file"]) {
        "install NetLoom there, or say where it is: `netloom: PATH` of the machine"
    } else {
        BY_HAND
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_command_complains_of_has_a_remedy() {
        for (complaint, help) in [
            ("sh: 1: netloom: not found", "install NetLoom there"),
            ("/opt/netloom: cannot execute: Exec format error", "another architecture"),
            ("/opt/netloom: 3: Syntax error: \")\" unexpected", "another architecture"),
            ("Host key verification failed.", "ssh-keygen -R"),
            ("ann@10.0.0.1: Permission denied (publickey).", "ssh-copy-id"),
            ("ssh: connect to host 10.0.0.1 port 22: No route to host", "correct `address`"),
            ("", "by hand"),
        ] {
            assert!(remedy(complaint, "").contains(help), "{complaint}");
        }
    }
}
