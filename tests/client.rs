//! The client at its edges: outputs that nobody reads, engines that do not answer, folders whose
//! scenario does not run, text that a terminal would obey.

mod common;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Read, Write};
use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::time::{Duration, Instant};

use common::{Lab, NETLOOM, eventually, text};
use nix::sys::signal::Signal;

const ONE_NODE: &str = "topology: { nodes: { a: } }\n";

/// Waits for the end of a client that must not go on for ever.
fn ended(mut client: Child, what: &str) -> ExitStatus {
    let deadline = Instant::now() + Duration::from_secs(60);
    loop {
        if let Some(status) = client.try_wait().unwrap() {
            return status;
        }
        if Instant::now() > deadline {
            client.kill().unwrap();
            client.wait().unwrap();
            panic!("{what} has not ended");
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Whether a process with these words in its command line is in node `a`.
fn runs(lab: &Lab, words: &str) -> bool {
    lab.sh("a", "cat /proc/[0-9]*/cmdline | tr '\\0' ' '").contains(words)
}

#[test]
fn an_output_that_nobody_reads_ends_the_command_as_in_a_shell() {
    let lab = Lab::deployed(ONE_NODE);
    let node = format!("a@{}", lab.name);
    // One writes without end; the other only once its reader is gone.
    for line in ["exec yes", "echo y; sleep 1; echo n; exec sleep 1000.25"] {
        let mut client = lab
            .command(&["exec", &node, "--", "sh", "-c", line])
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut lines = BufReader::new(client.stdout.take().unwrap());
        let mut first = String::new();
        lines.read_line(&mut first).unwrap();
        assert_eq!(first, "y\n");
        drop(lines);
        assert_eq!(ended(client, line).code(), Some(128 + 13), "{line}");
    }
    eventually("the commands have ended", || !runs(&lab, "yes ") && !runs(&lab, "1000.25"));
}

#[test]
fn an_output_without_room_is_the_commands_own() {
    let lab = Lab::deployed(ONE_NODE);
    let node = format!("a@{}", lab.name);
    let full = || File::options().write(true).open("/dev/full").unwrap();
    let mut client = lab
        .command(&["exec", &node, "--", "yes"])
        .stdout(full())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut error = String::new();
    client.stderr.take().unwrap().read_to_string(&mut error).unwrap();
    assert_eq!(ended(client, "yes").code(), Some(1));
    assert!(error.contains("yes: standard output: No space left"), "{error}");
    eventually("the command has ended", || !runs(&lab, "yes "));
    let output = lab.command(&["inspect", &lab.name]).stdout(full()).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(text(&output.stderr).contains("cannot write to standard output: No space left"));
}

#[test]
fn a_lease_ends_with_whoever_holds_it() {
    let lab = Lab::new(ONE_NODE);
    let text = fs::read_to_string(lab.path("netloom.yaml")).unwrap();
    let arguments = ["deploy", "--lease", "--format", "json", "-t", "-", "--directory", "."];
    let mut client =
        lab.command(&arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let mut lease = client.stdin.take().unwrap();
    lease.write_all(text.as_bytes()).unwrap();
    lease.write_all(b"\0").unwrap();
    let mut lines = BufReader::new(client.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("\"ready\"")));
    assert_eq!(lab.sh("a", "echo here"), "here\n");
    assert!(lab.request("GET", "/v1/scenario", "").contains("nodes: { a: }"));
    drop(lease);
    assert_eq!(ended(client, "deploy --lease").code(), Some(0));
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn no_command_minds_that_nobody_reads_what_it_prints() {
    let lab = Lab::deployed(
        "topology: { nodes: { a: } }\nprocesses: [{ name: p, node: a, command: \"true\" }]\n",
    );
    let name = lab.name.as_str();
    let closed = |arguments: &[&str]| -> Output {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let errors = writer.try_clone().unwrap();
        lab.command(arguments).stdout(writer).stderr(errors).output().unwrap()
    };
    let commands: &[&[&str]] = &[
        &["validate", "--format", "json", "netloom.yaml"],
        &["validate"],
        &["graph", "--format", "svg"],
        &["inspect", name],
        &["inspect", name, "--format", "json"],
        &["inspect", name, "--watch"],
        &["inspect", "--tc"],
        &["inspect", "--all"],
        &["deploy"],
        &["apply"],
        &["apply", "--format", "json"],
        &["exec", name, "true"],
        &["--help"],
        &["destroy", name],
        &["cleanup", name],
        &["deploy"],
        &["destroy", name],
        &["run", "-o", "results"],
        &["report", "results"],
    ];
    for arguments in commands {
        let code = closed(arguments).status.code();
        let expected = if arguments[0] == "exec" { 125 } else { 0 };
        assert_eq!(code, Some(expected), "{arguments:?}");
    }
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn the_scenario_of_the_folder_decides_which_experiment_is_meant() {
    let (running, idle) = (Lab::deployed(ONE_NODE), Lab::pair(""));
    let commands: &[&[&str]] =
        &[&["destroy"], &["set", "a-b", "state=down"], &["exec", "a", "true"], &["connect", "a"]];
    for arguments in commands {
        let (code, error) = idle.fails(arguments);
        assert!(matches!(code, 2 | 125), "{arguments:?}: {code}");
        let expected = format!("`{}`, the scenario in this folder, is not running", idle.name);
        assert!(error.contains(&expected), "{arguments:?}: {error}");
        assert!(error.contains(&running.name) && error.contains("netloom destroy"), "{error}");
    }
    // A scenario that is wrong meanwhile does not mean others either.
    fs::write(idle.path("netloom.yaml"), "nonsense: 1\n").unwrap();
    assert!(idle.fails(&["destroy"]).1.contains("netloom.yaml"));
    assert!(running.inspect()["experiment"]["phase"] == "deployed");
    // One under another name is found by the file that it was started from.
    running.ok(&["destroy"]);
    let other = format!("{}-other", running.name);
    running.ok(&["deploy", "--name", &other]);
    let (_, error) = running.fails(&["exec", "nowhere", "true"]);
    assert!(
        error.contains(&format!("experiment `{other}`: there is no node `nowhere`")),
        "{error}"
    );
    running.ok(&["destroy"]);
    assert_eq!(common::remains(&other), [""; 0]);
}

#[test]
fn an_engine_that_does_not_answer_holds_nobody_up() {
    let lab = Lab::deployed(ONE_NODE);
    let node = format!("a@{}", lab.name);
    let engine = lab.engine_pid();
    let command = &["exec", &node, "--", "sleep", "1000.5"];
    let mut running = lab.command(command).stderr(Stdio::null()).spawn().unwrap();
    eventually("it runs", || runs(&lab, "1000.5"));
    common::kill(engine, Signal::SIGSTOP);
    // What waits for its start ends at once.
    let waiting = lab.command(&["exec", &node, "true"]).stderr(Stdio::null()).spawn().unwrap();
    std::thread::sleep(Duration::from_millis(500));
    common::kill(waiting.id().cast_signed(), Signal::SIGTERM);
    let status = ended(waiting, "exec that waits");
    assert!(status.code() == Some(143) || status.signal() == Some(15), "{status:?}");
    // What runs ends at the second signal.
    let pid = running.id().cast_signed();
    let began = Instant::now();
    let code = loop {
        common::kill(pid, Signal::SIGINT);
        assert!(began.elapsed() < Duration::from_secs(30), "exec goes on");
        std::thread::sleep(Duration::from_millis(700));
        if let Some(status) = running.try_wait().unwrap() {
            break status.code();
        }
    };
    assert_eq!(code, Some(130));
    let asked = lab.command(&["inspect", &lab.name]).stderr(Stdio::piped()).spawn().unwrap();
    let output = asked.wait_with_output().unwrap();
    let error = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{error}");
    for part in [&format!("(pid {engine})"), "has not answered", "netloom cleanup --force"] {
        assert!(error.contains(part), "{error} does not say {part}");
    }
    let destroying = lab.command(&["destroy", &lab.name]).spawn().unwrap();
    assert!(ended(destroying, "destroy").success());
    assert_eq!(lab.remains(), [""; 0]);
}

/// A process whose first thread has ended and whose second has not: to the kernel's account it is
/// going, and it does not end.
const GOING: &str = "\
import ctypes, platform, threading, time
threading.Thread(target=time.sleep, args=(1000.25,)).start()
time.sleep(0.1)
ctypes.CDLL(None).syscall({'x86_64': 60}.get(platform.machine(), 93), 0)
";

#[test]
fn an_engine_of_another_experiment_that_does_not_end_holds_nobody_up() {
    let mut stuck = Command::new("python3").args(["-c", GOING]).spawn().unwrap();
    let is_going = || netloom_nodes::is_going(stuck.id());
    eventually("its first thread has ended", is_going);
    let other = format!("t{}-stuck", std::process::id());
    let state = common::state(&other);
    fs::create_dir_all(&state).unwrap();
    let started = netloom_nodes::started_at(stuck.id()).unwrap();
    fs::write(state.join("engine.started"), started.to_string()).unwrap();
    fs::write(state.join("engine.pid"), stuck.id().to_string()).unwrap();

    let lab = Lab::deployed(
        "topology:\n  nodes: { a: , b: }\n  links: [{ name: slow, endpoints: [a, b] }]\n",
    );
    // None of these names the experiment.
    lab.ok(&["set", "slow", "delay=3ms"]);
    lab.ok(&["exec", "a", "true"]);
    lab.ok(&["inspect"]);
    let listed =
        text(&Command::new(NETLOOM).arg("inspect").current_dir("/").output().unwrap().stdout);
    assert!(listed.contains(&other) || listed.contains(&lab.name), "{listed}");
    let alone = Lab::new("topology: { nodes: { a: } }\n");
    let (_, error) = alone.fails(&["exec", "a", "true"]);
    assert!(error.contains("is not running"), "{error}");
    lab.ok(&["destroy"]);

    stuck.kill().unwrap();
    stuck.wait().unwrap();
    fs::remove_dir_all(&state).unwrap();
}

#[test]
fn a_second_signal_kills_a_run_whose_engine_does_not_answer() {
    let lab = Lab::new(
        "topology: { nodes: { a: } }\nprocesses: [{ name: p, node: a, command: sleep 1000 }]\n",
    );
    let run = lab.command(&["run", "-o", "results"]).stderr(Stdio::null()).spawn().unwrap();
    eventually("it runs", || {
        let output = lab.netloom(&["inspect", &lab.name, "--format", "json"]);
        text(&output.stdout).contains("\"running\"")
    });
    common::kill(lab.engine_pid(), Signal::SIGSTOP);
    for _ in 0..2 {
        common::kill(run.id().cast_signed(), Signal::SIGINT);
        std::thread::sleep(Duration::from_millis(500));
    }
    assert_eq!(ended(run, "run").code(), Some(1));
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn options_of_a_command_in_a_node_are_its_own() {
    let lab = Lab::deployed(ONE_NODE);
    assert_eq!(lab.ok(&["exec", "a", "echo", "-n", "--tty", "--", "x"]), "--tty -- x");
    assert_eq!(lab.ok(&["exec", "a", "--", "echo", "-n", "--tty"]), "--tty");
    let line = ["exec", "--env", "X=1", "a", "sh", "-c", "echo $X-$0", "--env"];
    assert_eq!(lab.ok(&line), "1---env\n");
    assert_eq!(lab.fails(&["exec", "a"]).0, 2);
}

#[test]
fn a_startup_command_that_goes_on_is_named_and_the_start_can_be_ended() {
    let scenario = "topology: { nodes: { a: { startup: [\"sleep 1000.75\"] } } }\n";
    for signal in [Signal::SIGTERM, Signal::SIGHUP, Signal::SIGINT, Signal::SIGKILL] {
        let lab = Lab::new(scenario);
        let mut client = lab.command(&["deploy"]).stderr(Stdio::piped()).spawn().unwrap();
        let mut lines = BufReader::new(client.stderr.take().unwrap());
        let mut note = String::new();
        lines.read_line(&mut note).unwrap();
        for part in ["node `a`", "`sleep 1000.75`", "the start waits for it", "`services`"] {
            assert!(note.contains(part), "{note} does not say {part}");
        }
        let status = lab.inspect();
        assert_eq!(status["experiment"]["phase"], "starting");
        common::kill(client.id().cast_signed(), signal);
        let status = ended(client, "deploy");
        if signal != Signal::SIGKILL {
            assert_eq!(status.code(), Some(128 + signal as i32), "{signal}");
            assert_eq!(lab.remains(), [""; 0], "{signal}");
        }
        eventually("nothing is left", || lab.remains().is_empty());
    }
}

#[test]
fn a_terminal_obeys_nothing_that_others_wrote() {
    let lab = Lab::new(
        "topology: { nodes: { a: { startup: [\"printf '\\\\033]0;title\\\\a\\\\302\\\\233m'; \
         false\"] } } }\n",
    );
    let (_, error) = lab.fails(&["deploy"]);
    assert!(error.contains("\\u001b]0;title\\u0007\\u009bm"), "{error:?}");
    // The file's own text, in what is wrong with it.
    fs::write(lab.path("netloom.yaml"), "top\"\\e[31m\": 1\n\"\\u202e\\e]0;x\\a\": 2\n").unwrap();
    for arguments in [&["validate"][..], &["validate", "netloom.yaml"], &["deploy"]] {
        let error = lab.fails(arguments).1;
        let obeyed = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
        assert!(!error.contains(obeyed), "{error:?}");
    }
    // What a process of a run says last, in the run's summary.
    let run = Lab::new(
        "topology: { nodes: { a: } }\nprocesses:\n  - { name: p, node: a, command: \"printf \
         '\\\\033]0;title\\\\a\\\\n' >&2; exit 1\" }\n",
    );
    let output = run.netloom(&["run", "-o", "results"]);
    let said = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(3), "{said}");
    let printed = fs::read_to_string(run.path("results/processes/p@a.stderr")).unwrap();
    assert!(printed.starts_with("\u{1b}]0;"), "{printed:?}");
    assert!(!said.contains(|c: char| c.is_control() && c != '\n'), "{said:?}");
    let json = text(&lab.netloom(&["validate", "--format", "json", "netloom.yaml"]).stdout);
    assert!(json.is_ascii() || !json.contains('\u{202e}'), "{json:?}");
    serde_json::from_str::<serde_json::Value>(&json).unwrap();
}
