//! Ways in which a run ends early: each leaves a summary with verdict and reason, samples that can
//! be read, and nothing of the network.

mod common;

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use common::{Lab, NETLOOM, eventually, kill, takes_root, text};
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sys::signal::Signal;
use parquet::file::reader::{FileReader, SerializedFileReader};
use serde_json::Value;

/// Two nodes, and a process in one of them that says that it has begun.
fn lab() -> Lab {
    Lab::new(
        "topology: { nodes: { a: , b: }, links: [{ endpoints: [a, b], delay: 1ms }] }\n\
         processes:\n  \
         - { name: forever, node: a, command: echo begun; exec sleep 1000 }\n",
    )
}

fn has_begun(results: &Path) -> bool {
    let output = results.join("processes/forever@a.stdout");
    fs::read_to_string(output).is_ok_and(|text| text == "begun\n")
}

fn summary(results: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(results.join("summary.json")).unwrap()).unwrap()
}

/// How many samples the results have; they can be read.
fn samples(results: &Path) -> i64 {
    let file = File::open(results.join("pipes.parquet")).unwrap();
    SerializedFileReader::new(file).unwrap().metadata().file_metadata().num_rows()
}

/// Results that are all there, of a run that ended for this reason, with its report.
fn is_whole(results: &Path, reason: &str) {
    let summary = summary(results);
    assert_eq!(summary["reason"], reason);
    assert!(summary["verdict"]["judgement"].is_string(), "{summary}");
    assert!(samples(results) > 0);
    assert!(results.join("report.html").exists());
    assert!(!results.join("summary.json.part").exists());
}

fn run(lab: &Lab) -> Child {
    let mut command = lab.command(&["run", "-o", "results"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    eventually("the run has begun", || has_begun(&lab.path("results")));
    child
}

/// The later a process was started, the sooner it is stopped, and the next one waits for its end.
#[test]
fn processes_are_stopped_in_reverse_order_of_their_start() {
    let process = |name: &str, start: &str| {
        format!(
            "  - {{ name: {name}, node: a, background: true, ready: {{ output: begun }}, {start} \
             command: \"trap 'sleep 0.3; echo {name} >> $PWD/order; exit 0' TERM; echo begun; \
             while :; do sleep 0.02; done\" }}\n"
        )
    };
    let after = |name: &str| format!("start: {{ after: {name} }},");
    let lab = Lab::new(&format!(
        "topology: {{ nodes: {{ a: , b: }}, links: [{{ endpoints: [a, b] }}] }}\nprocesses:\n\
         {}{}{}  - {{ name: end, node: b, start: {{ after: upper }}, command: \"true\" }}\n",
        process("middle", &after("lower")),
        process("lower", ""),
        process("upper", &after("middle")),
    ));
    let output = lab.command(&["run", "-o", "results"]).output().unwrap();
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
    let order = fs::read_to_string(lab.path("order")).unwrap();
    assert_eq!(order, "upper\nmiddle\nlower\n");
}

#[test]
fn every_signal_that_asks_for_the_end_keeps_the_results() {
    for signal in [Signal::SIGINT, Signal::SIGTERM, Signal::SIGHUP, Signal::SIGQUIT] {
        let lab = lab();
        let child = run(&lab);
        kill(i32::try_from(child.id()).unwrap(), signal);
        let output = child.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(128 + signal as i32), "{}", text(&output.stderr));
        is_whole(&lab.path("results"), "interrupted");
        assert_eq!(lab.remains(), [""; 0]);
    }
}

#[test]
fn a_terminal_that_is_closed_ends_the_run_and_keeps_the_results() {
    let lab = lab();
    let command = format!("{NETLOOM} run -o results");
    // A terminal whose other side `script` holds.
    let mut script = Command::new("script");
    script.args(["-qec", &command, "/dev/null"]).current_dir(&lab.directory);
    script.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut script = script.spawn().unwrap();
    eventually("the run has begun", || has_begun(&lab.path("results")));
    script.kill().unwrap();
    script.wait().unwrap();
    eventually("nothing is left", || lab.remains().is_empty());
    eventually("there is a report", || lab.path("results/report.html").exists());
    is_whole(&lab.path("results"), "interrupted");
}

#[test]
fn keys_of_the_terminal_do_not_reach_the_engine() {
    let lab = lab();
    // Of a process group of its own, as of a shell.
    let mut command = lab.command(&["run", "-o", "results"]);
    command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
    let child = command.spawn().unwrap();
    eventually("the run has begun", || has_begun(&lab.path("results")));
    let group = nix::unistd::Pid::from_raw(i32::try_from(child.id()).unwrap());
    // What Ctrl-Z does: the program stops, and the run goes on.
    nix::sys::signal::killpg(group, Signal::SIGTSTP).unwrap();
    let status = format!("/proc/{}/status", lab.engine_pid());
    let state = |status: &str| {
        let text = fs::read_to_string(status).unwrap();
        text.lines().find(|line| line.starts_with("State:")).unwrap().to_string()
    };
    let client = format!("/proc/{}/status", child.id());
    eventually("the client has stopped", || state(&client).contains("stopped"));
    assert!(!state(&status).contains("stopped"), "{}", state(&status));
    nix::sys::signal::killpg(group, Signal::SIGCONT).unwrap();
    nix::sys::signal::killpg(group, Signal::SIGQUIT).unwrap();
    assert_eq!(child.wait_with_output().unwrap().status.code(), Some(131));
    is_whole(&lab.path("results"), "interrupted");
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn an_engine_that_is_killed_leaves_samples_that_can_be_read() {
    let lab = lab();
    let child = run(&lab);
    let results = lab.path("results");
    eventually("there are samples", || samples(&results) > 0);
    kill(lab.engine_pid(), Signal::SIGKILL);
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(samples(&results) > 0);
    assert!(!results.join("summary.json.part").exists());
    assert_eq!(lab.remains(), [""; 0]);
}

/// A small file system of a test's own; unmounted when the test ends.
struct SmallDisk(PathBuf);

impl SmallDisk {
    fn new(lab: &Lab, size: &str) -> Self {
        let path = lab.path("disk");
        fs::create_dir(&path).unwrap();
        let options = format!("size={size}");
        mount(Some("tmpfs"), &path, Some("tmpfs"), MsFlags::empty(), Some(options.as_str()))
            .unwrap();
        Self(path)
    }

    /// Fills it to the last byte; how many bytes that took.
    fn fill(&self) -> u64 {
        let mut filler = File::create(self.0.join("filler")).unwrap();
        let zeros = fs::File::open("/dev/zero").unwrap();
        // It ends with an error: there is no more room.
        std::io::copy(&mut { zeros }, &mut filler).unwrap_err();
        filler.metadata().unwrap().len()
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        let _ = umount2(&self.0, MntFlags::MNT_DETACH);
    }
}

#[test]
fn a_full_disk_costs_neither_summary_nor_samples() {
    if !takes_root("runs::a_full_disk", "mounts a file system") {
        return;
    }
    let lab = lab();
    let disk = SmallDisk::new(&lab, "2m");
    let results = disk.0.join("results");
    let mut command = lab.command(&["run", "-o", "disk/results"]);
    let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    eventually("the run has begun", || has_begun(&results));
    eventually("there are samples", || samples(&results) > 0);
    assert!(disk.fill() > 0);
    kill(i32::try_from(child.id()).unwrap(), Signal::SIGINT);
    let output = child.wait_with_output().unwrap();
    let words = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(130), "{words}");
    assert!(words.contains("verdict on the machine: "), "{words}");
    let summary = summary(&results);
    assert_eq!(summary["reason"], "interrupted");
    assert!(summary["verdict"]["judgement"].is_string(), "{summary}");
    // What could not be written is said, and why.
    let failures = summary["failures"].to_string();
    assert!(failures.contains("No space left on device"), "{failures}");
    assert!(samples(&results) > 0);
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn a_disk_without_room_for_the_summary_is_refused_at_the_start() {
    if !takes_root("runs::a_disk_without_room", "mounts a file system") {
        return;
    }
    let lab = lab();
    let _disk = SmallDisk::new(&lab, "48k");
    let (code, error) = lab.fails(&["run", "-o", "disk/results"]);
    assert_eq!(code, 1);
    assert!(
        error.contains("room for the summary in") && error.contains("No space left"),
        "{error}"
    );
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn results_that_are_removed_during_the_run_are_printed() {
    let lab = lab();
    let child = run(&lab);
    fs::remove_dir_all(lab.path("results")).unwrap();
    kill(i32::try_from(child.id()).unwrap(), Signal::SIGINT);
    let output = child.wait_with_output().unwrap();
    let words = text(&output.stdout) + &text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{words}");
    assert!(words.contains("verdict on the machine: "), "{words}");
    assert!(words.contains("results/summary.json: No such file or directory"), "{words}");
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn a_run_in_which_nothing_can_happen_ends_at_once() {
    let lab = Lab::new("topology: { nodes: { a: , b: }, links: [{ endpoints: [a, b] }] }\n");
    let output = lab.netloom(&["run", "-o", "results"]);
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stdout));
    is_whole(&lab.path("results"), "completed");
    let warning = "there was nothing to do: the scenario has no `duration`, `processes`, `traffic`";
    assert!(text(&output.stdout).contains(warning), "{}", text(&output.stdout));
}

/// What root makes for somebody who called `sudo` is that person's, to the last file, and so are
/// the folders above that were made for it.
#[test]
fn results_belong_to_whoever_called_sudo() {
    if !takes_root("results_belong_to_whoever_called_sudo", "only root gives files away") {
        return;
    }
    let lab = Lab::new(
        "topology: { nodes: { a: , b: }, links: [{ endpoints: [a, b] }] }\n\
         processes: [{ name: p, node: a, command: echo done }]\n",
    );
    let arguments = ["run", "-o", "new/results", "--junit", "junit.xml"];
    let run = lab.command(&arguments).env("SUDO_UID", "4321").env("SUDO_GID", "8765").output();
    assert!(run.unwrap().status.success());
    let mut all = vec![lab.path("new"), lab.path("junit.xml")];
    let mut seen = 0;
    while let Some(path) = all.pop() {
        let of = fs::symlink_metadata(&path).unwrap();
        assert_eq!((of.uid(), of.gid()), (4321, 8765), "{}", path.display());
        seen += 1;
        if of.is_dir() {
            all.extend(fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        }
    }
    assert!(seen > 8, "only {seen} files");
}
