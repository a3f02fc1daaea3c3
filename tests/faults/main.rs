//! A system call fails, or the engine is killed, at each step of deploying, changing and destroying
//! a network, and of making a claim of `netloom shape`.
//!
//! Whatever the step: a command says that it failed and why, or what it says is up works; a change
//! that fails leaves the network as it was; nothing hangs; and nothing is left at the end. CI does
//! a part of the steps; `NETLOOM_FAULTS=all` does all of them, at the first and at the last call of
//! each (`make faults`), and another word those that have it in their name.

#[path = "../common/mod.rs"]
mod common;
mod injector;
mod shape;

use std::env;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use common::Lab;
use injector::{Fault, Injector, Place};

/// Something of everything that is made for a network.
const BEFORE: &str = "topology:
  nodes:
    n1: { sysctls: { net.ipv4.ip_default_ttl: 33 }, LIMITS files: { /etc/motd: { content: \
    hello } } }
    n2: { kind: router, startup: [\"touch /run/started\"] }
    n3:
  links:
    - { endpoints: [\"n1:eth1\", \"n2:eth1\"], delay: 1ms }
    - { endpoints: [\"n2:eth2\", \"n3:eth1\"], direct: true }
";

/// Nodes, links, limits and files that come, go and change, one of them in a way that makes its
/// node anew.
const AFTER: &str = "topology:
  nodes:
    n1: { sysctls: { net.ipv4.ip_default_ttl: 44 }, LIMITS_TOO files: { /etc/motd: { content: \
    hullo } } }
    n2: { kind: router, startup: [\"touch /run/started\"] }
    n4: { kind: router, startup: [\"touch /run/started\"], LIMITS }
    n5:
  links:
    - { endpoints: [\"n1:eth1\", \"n2:eth1\"], delay: 2ms }
    - { endpoints: [\"n2:eth2\", \"n4:eth1\"], direct: true }
    - { endpoints: [\"n4:eth2\", \"n5:eth1\"], delay: 2ms }
";

/// CI tests one step of this many: each takes the CPU time of one or two starts of an engine.
const CI_DOES_ONE_IN: usize = 16;

/// Longest time for a command to end, and for the kernel to remove what was given up.
const PATIENCE: Duration = Duration::from_secs(60);

/// Description of a failure.
type Problem = String;

/// The fault to inject into a command, if any.
type At<'a> = Option<&'a (Place, Fault)>;

/// How a command ended.
#[derive(Debug)]
struct Outcome {
    succeeded: bool,
    words: String,
}

impl Outcome {
    /// One that failed must have said why, in words for users.
    fn reports_why(&self) -> Result<(), Problem> {
        let is_reported = self.words.contains("error: ") && !self.words.contains("panicked");
        if is_reported { Ok(()) } else { Err(format!("it does not say why: {self:?}")) }
    }
}

/// The scenario; an ordinary user's nodes have no limits.
fn scenario(text: &str) -> String {
    let root = nix::unistd::geteuid().is_root();
    let limits = |text: &'static str| if root { text } else { "" };
    text.replace("LIMITS_TOO", limits("limits: { pids: 90, cpu: 1 },"))
        .replace("LIMITS", limits("limits: { pids: 100 },"))
}

/// Runs `netloom` to its end, which must come.
fn netloom(lab: &Lab, arguments: &[&str]) -> Result<Outcome, Problem> {
    ended(lab.command(arguments), &lab.path("output"), &arguments.join(" "))
}

/// Runs a command called `name` to its end, which must come. What it says goes to the file
/// `output`.
fn ended(mut command: Command, output: &Path, name: &str) -> Result<Outcome, Problem> {
    let file = fs::File::create(output).unwrap();
    command.stdout(Stdio::null()).stderr(Stdio::from(file));
    let mut child = command.spawn().unwrap();
    let deadline = Instant::now() + PATIENCE;
    let status = loop {
        match child.try_wait().unwrap() {
            Some(status) => break status,
            None if Instant::now() < deadline => thread::sleep(Duration::from_millis(2)),
            None => {
                child.kill().unwrap();
                child.wait().unwrap();
                return Err(format!("`netloom {name}` does not end"));
            }
        }
    };
    let words = fs::read_to_string(output).unwrap();
    Ok(Outcome { succeeded: status.success(), words })
}

fn succeeds(lab: &Lab, arguments: &[&str]) -> Result<(), Problem> {
    let outcome = netloom(lab, arguments)?;
    match outcome.succeeded {
        true => Ok(()),
        false => Err(format!("`netloom {}` failed: {}", arguments.join(" "), outcome.words)),
    }
}

/// A node has an answer from another one.
fn reaches(lab: &Lab, from: &str, to: &str) -> Result<(), Problem> {
    let from = format!("{from}@{}", lab.name);
    succeeds(lab, &["exec", &from, "--", "ping", "-n", "-c", "1", "-W", "5", to])
}

/// Returns the properties of a node that the scenario decides, as they appear inside it.
fn look(lab: &Lab, node: &str) -> Result<String, Problem> {
    const LINE: &str = "ip -o addr | sed 's/^[0-9]*: //;s/valid_lft.*//' | sort; ip route | sort; \
                        ip -6 route | grep -v fe80 | sort; sysctl net.ipv4.ip_default_ttl; \
                        cat /etc/motd /run/started; cat /etc/hosts";
    let at = format!("{node}@{}", lab.name);
    let output = lab.netloom(&["exec", &at, "--", "sh", "-c", LINE]);
    let text = common::text(&output.stdout) + &common::text(&output.stderr);
    if text.contains("ip_default_ttl") { Ok(text) } else { Err(format!("in {node}: {text}")) }
}

fn look_everywhere(lab: &Lab) -> Result<Vec<String>, Problem> {
    ["n1", "n2", "n3"].into_iter().map(|node| look(lab, node)).collect()
}

/// All of [`BEFORE`] is there.
fn is_up(lab: &Lab) -> Result<(), Problem> {
    let there = [
        ("n1", ["inet 10.0.0.1/30", "inet6 fe80:", "ip_default_ttl = 33", "hello"]),
        ("n2", ["inet 10.0.0.2/30", "inet6 fe80:", "ip_default_ttl = 64", "10.0.0.4/30"]),
        ("n3", ["inet 10.0.0.6/30", "inet6 fe80:", "ip_default_ttl = 64", "default via"]),
    ];
    for (node, parts) in there {
        let seen = look(lab, node)?;
        if let Some(missing) = parts.iter().find(|part| !seen.contains(**part)) {
            return Err(format!("{node} lacks {missing}: {seen}"));
        }
    }
    reaches(lab, "n1", "n3")
}

fn nothing_remains(lab: &Lab) -> Result<(), Problem> {
    nothing_is_left(|| lab.remains())
}

/// Waits until nothing is left: the kernel takes its time with processes that were killed.
fn nothing_is_left(look: impl Fn() -> Vec<String>) -> Result<(), Problem> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        let remains = look();
        if remains.is_empty() {
            return Ok(());
        }
        if Instant::now() > deadline {
            return Err(format!("remains: {remains:?}"));
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// Removes what a dead engine has left, or a living one if the fault did not come.
fn cleaned_up(lab: &Lab) -> Result<(), Problem> {
    succeeds(lab, &["cleanup", &lab.name]).or_else(|_| succeeds(lab, &["destroy", &lab.name]))
}

/// A part of the steps, and how many parts there are. They are tests of their own, which run beside
/// each other.
type Part = (usize, usize);

/// Does `operation` with a fault at each of its steps that is in this part; reports all that went
/// wrong.
fn at_each_step(
    (part, parts): Part,
    operation: impl Fn(&Injector, &Lab, At<'_>) -> Result<(), Problem> + Send + Sync,
) {
    let wanted = env::var("NETLOOM_FAULTS").ok();
    Injector::around(|injector| {
        let lab = Lab::new(&scenario(BEFORE));
        operation(injector, &lab, None).unwrap();
        let (counts, _) = injector.disarm();
        let steps = counts.len();
        let mut problems = Vec::new();
        let mut had = 0;
        let chosen = faults(counts, wanted.as_deref()).into_iter();
        for (place, fault) in chosen.skip(part).step_by(parts) {
            let lab = Lab::new(&scenario(BEFORE));
            let at = (place, fault);
            let outcome = operation(injector, &lab, Some(&at)).and_then(|()| nothing_remains(&lab));
            had += usize::from(injector.disarm().1);
            problems.extend(outcome.err().map(|problem| format!("{at:?}: {problem}")));
        }
        println!("{had} faults in {steps} steps");
        assert!(had > 0 && problems.is_empty(), "{problems:#?}");
    });
}

/// Which faults there are to be.
fn faults(
    counts: impl IntoIterator<Item = (String, usize)>,
    wanted: Option<&str>,
) -> Vec<(Place, Fault)> {
    let mut faults = Vec::new();
    for (index, (step, count)) in counts.into_iter().enumerate() {
        let mut calls = match wanted {
            None if index % CI_DOES_ONE_IN == 0 => vec![0],
            Some(word) if word == "all" || step.contains(word) => vec![0, count - 1],
            _ => vec![],
        };
        calls.dedup();
        for after in calls {
            let place = |fault| (Place { step: step.clone(), after }, fault);
            faults.extend([Fault::Error, Fault::Kill].map(place));
        }
    }
    faults
}

fn kills(at: At<'_>) -> bool {
    at.is_some_and(|(_, fault)| *fault == Fault::Kill)
}

#[test]
fn deploy() {
    at_each_step((0, 1), |injector, lab, at| {
        injector.arm(at.cloned());
        let outcome = netloom(lab, &["deploy"])?;
        injector.pause();
        if kills(at) {
            return cleaned_up(lab);
        }
        if !outcome.succeeded {
            return outcome.reports_why();
        }
        is_up(lab)?;
        succeeds(lab, &["destroy", &lab.name])
    });
}

#[test]
fn apply_first_third() {
    apply((0, 3));
}

#[test]
fn apply_second_third() {
    apply((1, 3));
}

#[test]
fn apply_last_third() {
    apply((2, 3));
}

fn apply(part: Part) {
    at_each_step(part, |injector, lab, at| {
        succeeds(lab, &["deploy"])?;
        let before = look_everywhere(lab)?;
        let after = format!("name: {}\n{}", lab.name, scenario(AFTER));
        fs::write(lab.path("netloom.yaml"), after).unwrap();
        injector.arm(at.cloned());
        let outcome = netloom(lab, &["apply"])?;
        injector.pause();
        if kills(at) {
            return cleaned_up(lab);
        }
        if !outcome.succeeded {
            outcome.reports_why()?;
            let now = look_everywhere(lab).map_err(|problem| format!("{outcome:?}: {problem}"))?;
            if before != now || !outcome.words.contains("nothing has changed") {
                return Err(format!("{outcome:?}, before: {before:#?}, now: {now:#?}"));
            }
            reaches(lab, "n1", "n3")?;
            succeeds(lab, &["apply"])?;
        }
        reaches(lab, "n1", "n5")?;
        succeeds(lab, &["destroy", &lab.name])
    });
}

#[test]
fn destroy() {
    at_each_step((0, 1), |injector, lab, at| {
        succeeds(lab, &["deploy"])?;
        injector.arm(at.cloned());
        let outcome = netloom(lab, &["destroy", &lab.name])?;
        injector.pause();
        if outcome.succeeded {
            return Ok(());
        }
        outcome.reports_why()?;
        if lab.remains().is_empty() { Ok(()) } else { cleaned_up(lab) }
    });
}
