//! `netloom calibrate`, and what runs take from it.

mod common;

use std::fs;
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;

use common::{Lab, eventually, kill, remains, text};
use nix::sys::signal::Signal;
use serde_json::Value;

/// The experiment of calibrations.
const EXPERIMENT: &str = "netloom-calibration";
/// Only one calibration at a time measures a machine.
static ONE: Mutex<()> = Mutex::new(());

/// Two hosts that ping each other.
fn pinging() -> Lab {
    Lab::new(
        "topology:
  nodes: { a: , b: }
  links: [{ endpoints: ['a:eth1', 'b:eth1'], delay: 1ms }]
processes: [{ name: ping, node: a, command: ping -i 0.01 -c 10 b }]
",
    )
}

fn json(file: &Path) -> Value {
    serde_json::from_str(&fs::read_to_string(file).unwrap()).unwrap()
}

/// Returns the source of the threshold for internal traffic and the threshold, from the verdict of
/// the lab's run in `results`.
fn net_internal(lab: &Lab, results: &str) -> (String, Value) {
    let verdict = &json(&lab.path(results).join("summary.json"))["verdict"];
    let of = |list: &str| {
        let all = verdict[list].as_array().unwrap();
        all.iter().find(|one| one["signal"] == "net_internal").unwrap().clone()
    };
    let from = of("coverage")["threshold"].as_str().unwrap_or_default().to_string();
    (from, of("signals")["threshold"].clone())
}

#[test]
fn runs_take_their_threshold_from_a_calibration_that_holds() {
    let why = "without real-time workers, a busy machine may bear no traffic at all";
    if !common::takes_root("runs_take_their_threshold_from_a_calibration_that_holds", why) {
        return;
    }
    let _one = ONE.lock();
    let lab = pinging();
    lab.ok(&["run", "-o", "before"]);
    let (from, threshold) = net_internal(&lab, "before");
    assert_eq!(from, "not tested: no calibration; run `netloom calibrate`");
    assert_eq!(threshold, Value::Null);

    let shown: Value =
        serde_json::from_str(&lab.ok(&["calibrate", "--quick", "--format", "json"])).unwrap();
    assert_eq!(remains(EXPERIMENT), [""; 0]);
    let profile = json(&lab.profile());
    assert_eq!((&shown["profile"], &shown["stale"]), (&profile, &Value::Array(vec![])));
    let forwarding = profile["forwarding"].as_array().unwrap();
    assert_eq!(forwarding.len(), 6);
    // A machine that tests run on bears something, however busy it is.
    let rate = shown["net_internal"].as_str().expect("a threshold");
    assert!(profile["memory"]["total_bytes"].as_u64() > Some(0));
    assert!(profile["idle_wake_ups"]["count"].as_u64() > Some(0));
    assert!(profile["busy_wake_ups"]["count"].as_u64() > Some(0));

    lab.ok(&["run", "-o", "after"]);
    let (from, threshold) = net_internal(&lab, "after");
    let measured = profile["measured"].as_str().unwrap();
    assert_eq!(from, format!("from the calibration of {measured}"));
    let peaks = forwarding.iter().filter_map(|one| one["edge"]["peak_bits_per_second"].as_f64());
    let most = peaks.fold(0.0, f64::max);
    assert!(threshold.as_f64().unwrap() > most && threshold.as_f64().unwrap() <= most + 1.0);
    assert!(rate.ends_with("bit/s"));

    // The scenario's own wins.
    let own = "monitor: { criteria: { net_internal: { rate: 7Mbit/s } } }\n";
    let scenario = fs::read_to_string(lab.path("netloom.yaml")).unwrap() + own;
    fs::write(lab.path("own.yaml"), scenario).unwrap();
    lab.ok(&["run", "-t", "own.yaml", "-o", "own"]);
    assert_eq!(net_internal(&lab, "own"), (String::new(), Value::from(7e6)));

    // On another machine it does not hold.
    let mut stale = profile;
    stale["machine"]["kernel"] = "2.6.32".into();
    fs::write(lab.profile(), stale.to_string()).unwrap();
    let output = lab.netloom(&["run", "-o", "stale"]);
    assert!(text(&output.stderr).contains("is stale (the kernel was 2.6.32"), "{output:?}");
    let (from, threshold) = net_internal(&lab, "stale");
    assert!(from.starts_with("not tested: the calibration of "), "{from}");
    assert_eq!(threshold, Value::Null);
    assert!(lab.ok(&["calibrate", "--show"]).contains("stale: the kernel was 2.6.32 and is "));
}

#[test]
fn a_damaged_profile_is_named_and_kept() {
    let lab = pinging();
    fs::write(lab.profile(), "{\"format\": 1").unwrap();
    let (code, words) = lab.fails(&["calibrate", "--show"]);
    let file = lab.profile().display().to_string();
    assert_eq!(code, 1);
    assert!(words.contains(&file) && words.contains("damaged"), "{words}");
    let output = lab.netloom(&["run", "-o", "results"]);
    assert!(output.status.success(), "{output:?}");
    assert!(text(&output.stderr).contains("damaged"), "{output:?}");
    assert!(net_internal(&lab, "results").0.contains("damaged"));
    assert_eq!(fs::read_to_string(lab.profile()).unwrap(), "{\"format\": 1");
}

#[test]
fn without_a_profile_there_is_nothing_to_show() {
    let lab = Lab::pair("");
    let (code, words) = lab.fails(&["calibrate", "--show"]);
    assert_eq!(code, 1);
    assert!(words.contains("no profile") && words.contains("run `netloom calibrate`"), "{words}");
}

#[test]
fn a_file_that_cannot_be_written_is_reported_before_anything_is_measured() {
    let lab = Lab::pair("");
    // A file is no folder.
    let (code, words) = lab.fails(&["calibrate", "-o", "netloom.yaml/profile.json"]);
    assert_eq!(code, 1);
    assert!(words.contains("cannot write netloom.yaml/profile.json"), "{words}");
    assert!(!words.contains("warning"), "{words}");
}

/// A calibration under way, in a process group of its own.
fn start(lab: &Lab) -> Child {
    let mut command: Command = lab.command(&["calibrate"]);
    command.process_group(0).stdout(Stdio::piped()).stderr(Stdio::piped());
    // Its folder for results goes where this test can see it.
    command.env("TMPDIR", &lab.directory).spawn().unwrap()
}

fn running() -> bool {
    common::state(EXPERIMENT).join("api.sock").exists()
}

#[test]
fn an_interrupted_calibration_leaves_nothing_and_keeps_the_profile() {
    let _one = ONE.lock();
    for signal in [Signal::SIGINT, Signal::SIGTERM] {
        let lab = Lab::pair("");
        fs::write(lab.profile(), "the old one").unwrap();
        let calibration = start(&lab);
        eventually("a run of the calibration", running);

        let (code, words) = lab.fails(&["calibrate", "--quick"]);
        assert_eq!(code, 1);
        assert!(words.contains("another `netloom calibrate`"), "{words}");

        kill(i32::try_from(calibration.id()).unwrap(), signal);
        let output = calibration.wait_with_output().unwrap();
        assert_eq!(output.status.code(), Some(130), "{output:?}");
        assert!(text(&output.stderr).contains("interrupted; nothing is left"), "{output:?}");
        assert_eq!(remains(EXPERIMENT), [""; 0]);
        assert_eq!(fs::read_to_string(lab.profile()).unwrap(), "the old one");
        let left: Vec<String> = fs::read_dir(&lab.directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned())
            .filter(|name| name.starts_with("netloom-calibrate") || name.starts_with(".profile"))
            .collect();
        assert_eq!(left, [""; 0]);
    }
}

#[test]
fn the_networks_of_a_killed_calibration_are_gone() {
    let _one = ONE.lock();
    let lab = Lab::pair("");
    let mut calibration = start(&lab);
    eventually("a run of the calibration", running);
    calibration.kill().unwrap();
    calibration.wait().unwrap();
    eventually("the engine has ended the run", || remains(EXPERIMENT).is_empty());
}
