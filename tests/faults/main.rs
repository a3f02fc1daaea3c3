//! A system call fails, or the engine is killed, at each step of deploying, changing and destroying a network.
//!
//! Whatever the step: a command says that it failed, or what it says is up works; a change that fails leaves the
//! network as it was; and nothing is left at the end. CI does a part of the steps; `NETLOOM_FAULTS=all` does all of
//! them, at the first and at the last call of each.

#[path = "../common/mod.rs"]
mod common;
mod injector;

use std::env;
use std::fs;
use std::io::Read;
use std::process::Stdio;
use std::thread;
use std::time::{Duration, Instant};

use common::Lab;
use injector::{Fault, Injector, Place};

/// Nodes of each kind of link, with all that is made for them.
const BEFORE: &str = "topology:
  nodes:
    n1: { sysctls: { net.ipv4.ip_default_ttl: 33 }, limits: { pids: 100 }, files: { /etc/motd: { content: hello } } }
    n2: { kind: router, startup: [\"touch /run/started\"] }
    n3:
  links:
    - { endpoints: [\"n1:eth1\", \"n2:eth1\"], delay: 1ms }
    - { endpoints: [\"n2:eth2\", \"n3:eth1\"], direct: true }
";

/// Something of everything that can be changed.
const AFTER: &str = "topology:
  nodes:
    n1: { sysctls: { net.ipv4.ip_default_ttl: 44 }, limits: { pids: 100 }, files: { /etc/motd: { content: hello } } }
    n2: { kind: router, startup: [\"touch /run/started\"] }
    n4: { kind: router }
    n5:
  links:
    - { endpoints: [\"n1:eth1\", \"n2:eth1\"], delay: 2ms }
    - { endpoints: [\"n2:eth2\", \"n4:eth1\"], direct: true }
    - { endpoints: [\"n4:eth2\", \"n5:eth1\"], delay: 2ms }
";

/// How a command ended.
#[derive(Debug)]
struct Outcome {
    code: Option<i32>,
    words: String,
}

/// Runs `netloom` to its end, which must come.
fn netloom(lab: &Lab, arguments: &[&str]) -> Result<Outcome, String> {
    const PATIENCE: Duration = Duration::from_secs(40);
    let output = lab.path("output");
    let file = fs::File::create(&output).unwrap();
    let mut command = lab.command(arguments);
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
                return Err(format!("`netloom {}` does not end", arguments.join(" ")));
            }
        }
    };
    let mut words = String::new();
    fs::File::open(output).unwrap().read_to_string(&mut words).unwrap();
    Ok(Outcome { code: status.code(), words })
}

fn succeeds(lab: &Lab, arguments: &[&str]) -> Result<(), String> {
    let outcome = netloom(lab, arguments)?;
    match outcome.code {
        Some(0) => Ok(()),
        _ => Err(format!("`netloom {}` failed: {}", arguments.join(" "), outcome.words)),
    }
}

/// What a network looks like from inside, as far as the file says it.
fn looks(lab: &Lab, nodes: &[&str]) -> Result<Vec<String>, String> {
    const LINE: &str = "ip -o addr | sed 's/ [0-9]*: //;s/valid_lft.*//' | sort; ip route | sort; ip -6 route | grep -v fe80 | sort; \
                        sysctl net.ipv4.ip_default_ttl; cat /etc/motd /run/started; tail -n +1 /etc/hosts";
    let look = |node: &&str| {
        let at = format!("{node}@{}", lab.name);
        let output = lab.netloom(&["exec", &at, "--", "sh", "-c", LINE]);
        let text = common::text(&output.stdout) + &common::text(&output.stderr);
        let is_there = text.contains("ip_default_ttl");
        is_there.then_some(text.clone()).ok_or_else(|| format!("no look into {node}: {text}"))
    };
    nodes.iter().map(look).collect()
}

fn nothing_remains(lab: &Lab) -> Result<(), String> {
    // The kernel takes its time with processes that were killed.
    let deadline = Instant::now() + Duration::from_secs(2);
    loop {
        let remains = lab.remains();
        if remains.is_empty() {
            return Ok(());
        }
        if Instant::now() > deadline {
            return Err(format!("remains: {remains:?}"));
        }
        thread::sleep(Duration::from_millis(5));
    }
}

/// A command that failed must have said why, and must not have panicked.
fn told(outcome: &Outcome) -> Result<(), String> {
    let is_told = outcome.words.contains("error: ") && !outcome.words.contains("panicked");
    is_told.then_some(()).ok_or_else(|| format!("not told well: {outcome:?}"))
}

/// The fault at each of `places`; what went wrong at any is told of all.
fn at_each(
    operation: &str,
    body: impl Fn(&Injector, &Lab, Option<(Place, Fault)>) -> Result<String, String> + Sync + Send,
) {
    Injector::around(|injector| {
        let all = env::var("NETLOOM_FAULTS").ok();
        let lab = Lab::new(BEFORE);
        body(injector, &lab, None).unwrap();
        let (counts, _) = injector.disarm();
        let mut problems = Vec::new();
        let mut had = 0;
        for (index, (step, count)) in counts.iter().enumerate() {
            if let Some(all) = &all
                && all != "all"
                && !step.contains(all.as_str())
            {
                continue;
            }
            let mut places = vec![0, count - 1];
            places.dedup();
            for after in places {
                for fault in [Fault::Error, Fault::Kill] {
                    if all.is_none() && index % 4 != 0 {
                        continue;
                    }
                    let place = Place { step: step.clone(), after };
                    let lab = Lab::new(BEFORE);
                    let began = Instant::now();
                    let outcome = body(injector, &lab, Some((place, fault)));
                    let (_, done) = injector.disarm();
                    had += usize::from(done);
                    let outcome = outcome.and_then(|how| nothing_remains(&lab).map(|()| how));
                    if env::var_os("NETLOOM_FAULTS_TOLD").is_some() {
                        eprintln!(
                            "{:?} {operation} {fault:?} {step} {after} {done} {outcome:?}",
                            began.elapsed()
                        );
                    }
                    if let Err(problem) = outcome {
                        problems.push(format!(
                            "{operation}: {fault:?} at {step} ({after}; {done}): {problem}"
                        ));
                        let _ = lab.netloom(&["cleanup", "--force", &lab.name]);
                    }
                }
            }
        }
        println!("{operation}: {had} faults at {} steps", counts.len());
        assert!(problems.is_empty(), "{} of {had}:\n{}", problems.len(), problems.join("\n"));
    });
}

#[test]
fn deploy() {
    at_each("deploy", |injector, lab, at| {
        let kills = at.as_ref().is_some_and(|(_, fault)| *fault == Fault::Kill);
        injector.arm(at.clone());
        let outcome = netloom(lab, &["deploy"])?;
        if at.is_some() {
            injector.pause();
        } else {
            // Counted, and nothing else is.
            injector.pause();
        }
        match outcome.code {
            Some(0) if !kills => {
                let seen = looks(lab, &["n1", "n2", "n3"])?;
                let expected = [
                    ("n1", "inet 10"),
                    ("n1", "= 33"),
                    ("n2", "default_ttl = 64"),
                    ("n3", "default via"),
                ];
                for (node, part) in expected {
                    let index = ["n1", "n2", "n3"].iter().position(|name| *name == node).unwrap();
                    if !seen[index].contains(part) {
                        return Err(format!("{node} lacks {part}: {}", seen[index]));
                    }
                }
                if !seen[0].contains("hello") {
                    return Err("no file".into());
                }
                succeeds(
                    lab,
                    &[
                        "exec",
                        &format!("n1@{}", lab.name),
                        "--",
                        "ping",
                        "-n",
                        "-c",
                        "1",
                        "-W",
                        "3",
                        "n3",
                    ],
                )?;
                succeeds(lab, &["destroy", &lab.name])?;
                Ok("up".into())
            }
            _ if kills => succeeds(lab, &["cleanup", &lab.name]).map(|()| outcome.words),
            _ => told(&outcome).and_then(|()| nothing_remains(lab)).map(|()| outcome.words),
        }
    });
}

#[test]
fn apply() {
    at_each("apply", |injector, lab, at| {
        let kills = at.as_ref().is_some_and(|(_, fault)| *fault == Fault::Kill);
        succeeds(lab, &["deploy"])?;
        let before = looks(lab, &["n1", "n2", "n3"])?;
        fs::write(lab.path("netloom.yaml"), format!("name: {}\n{AFTER}", lab.name)).unwrap();
        injector.arm(at.clone());
        let outcome = netloom(lab, &["apply"])?;
        injector.pause();
        let reach = |from: &str, to: &str| {
            succeeds(
                lab,
                &[
                    "exec",
                    &format!("{from}@{}", lab.name),
                    "--",
                    "ping",
                    "-n",
                    "-c",
                    "1",
                    "-W",
                    "3",
                    to,
                ],
            )
        };
        match outcome.code {
            _ if kills => return succeeds(lab, &["cleanup", &lab.name]).map(|()| outcome.words),
            Some(0) => {
                reach("n1", "n5")?;
            }
            _ => {
                told(&outcome)?;
                if !outcome.words.contains("nothing has changed") {
                    return Err(outcome.words);
                }
                let after = looks(lab, &["n1", "n2", "n3"])?;
                if before != after {
                    return Err(format!("before {before:#?}\nafter {after:#?}"));
                }
                reach("n1", "n3")?;
                succeeds(lab, &["apply"])?;
                reach("n1", "n5")?;
            }
        }
        succeeds(lab, &["destroy", &lab.name])
            .map(|()| format!("{:?} {}", outcome.code, outcome.words))
    });
}

#[test]
fn destroy() {
    at_each("destroy", |injector, lab, at| {
        let kills = at.as_ref().is_some_and(|(_, fault)| *fault == Fault::Kill);
        succeeds(lab, &["deploy"])?;
        injector.arm(at.clone());
        let outcome = netloom(lab, &["destroy", &lab.name])?;
        injector.pause();
        if outcome.code != Some(0) {
            if !kills {
                told(&outcome)?;
            }
            if !lab.remains().is_empty() {
                succeeds(lab, &["cleanup", &lab.name])?;
            }
        }
        Ok(format!("{:?} {}", outcome.code, outcome.words))
    });
}
