//! Sweeps: what is run, what counts, and what stays when one is killed.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Stdio;

use nix::sys::signal::Signal;
use serde_json::Value;

use crate::common::{Lab, eventually, kill, text};

/// A TCP flow over a link with losses, for a moment.
const SCENARIO: &str = "
duration: 300ms
topology:
  nodes: { a: , b: }
  links:
    - { name: l, endpoints: [a, b], rate: 5Mbit/s, delay: 5ms, forward: { loss: 1% } }
traffic: [{ name: t, from: a, to: b, tcp: { congestion_control: cubic }, bulk: {} }]
";

pub const SWEEP: &str = "
scenario: netloom.yaml
mode: simulate
vary:
  links.l.rate: [5Mbit/s, 10Mbit/s]
  control: {paths: [traffic.t.tcp.congestion_control], values: [cubic, reno]}
seeds: 5
inputs: [note.txt]
metrics: {goodput: {measure: goodput}, load: {pipe: l/forward, measure: load}}
compare: {metric: goodput, baseline: {control: cubic}}
";

pub fn lab(sweep: &str) -> Lab {
    let lab = Lab::new(SCENARIO);
    // The file that `Lab` writes has the name of no experiment but its own.
    fs::write(lab.path("s.sweep.yaml"), sweep).unwrap();
    fs::write(lab.path("note.txt"), "one").unwrap();
    lab
}

/// The keys of the finished runs, in the order in which they finished.
pub fn keys(lab: &Lab, folder: &str) -> Vec<String> {
    let text = fs::read_to_string(lab.path(folder).join("sweep.jsonl")).unwrap_or_default();
    let whole = &text[..text.rfind('\n').map_or(0, |end| end + 1)];
    let key = |line: &str| {
        let line: Value = serde_json::from_str(line).unwrap();
        line["key"].as_str().unwrap().to_owned()
    };
    whole.lines().map(key).collect()
}

/// The tables of a sweep.
fn tables(lab: &Lab, folder: &str) -> [Vec<u8>; 2] {
    ["runs.parquet", "points.csv"].map(|name| fs::read(lab.path(folder).join(name)).unwrap())
}

#[test]
fn a_killed_sweep_goes_on_and_ends_as_an_unbroken_one() {
    let lab = lab(SWEEP);
    let mut first = lab.command(&["sweep", "s.sweep.yaml", "-o", "killed", "--jobs", "1"]);
    let mut child = first.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    eventually("seven runs", || keys(&lab, "killed").len() >= 7);
    kill(child.id() as i32, Signal::SIGKILL);
    child.wait().unwrap();
    let before = keys(&lab, "killed");
    assert!(before.len() < 20, "it was killed too late");
    // A line that was being written when the machine died.
    let lines = lab.path("killed").join("sweep.jsonl");
    let cut = fs::read_to_string(&lines).unwrap() + "{\"key\": \"0";
    fs::write(&lines, cut).unwrap();

    let output = lab.netloom(&["sweep", "s.sweep.yaml", "-o", "killed", "--jobs", "1"]);
    assert!(output.status.success(), "{}", text(&output.stderr));
    let said = text(&output.stderr);
    assert!(said.contains("the last line of sweep.jsonl is incomplete"), "{said}");
    let all = keys(&lab, "killed");
    assert_eq!((all.len(), &all[..before.len()]), (20, &before[..]));
    assert_eq!(all.iter().collect::<BTreeSet<_>>().len(), 20, "none twice");
    assert_eq!(fs::read_dir(lab.path("killed").join("runs")).unwrap().count(), 20);

    lab.ok(&["sweep", "s.sweep.yaml", "-o", "two", "--jobs", "2"]);
    assert!(tables(&lab, "killed") == tables(&lab, "two"), "tables depend on the runs alone");

    // Nothing is missing: nothing is run. Another contents of an input: all is.
    let code = lab.ok(&["sweep", "s.sweep.yaml", "-o", "two", "--format", "json"]);
    assert!(!code.contains("\"event\":\"run\""), "{code}");
    fs::write(lab.path("note.txt"), "two").unwrap();
    let only = ["--only", "control=cubic", "--only", "links.l.rate=5Mbit/s"];
    let again = [&["sweep", "s.sweep.yaml", "-o", "two", "--format", "json"], &only[..]].concat();
    let again = lab.ok(&again);
    assert_eq!(again.matches("\"event\":\"run\"").count(), 5, "{again}");

    // Rows are to be had by themselves, and runs by their values.
    let rows = lab.ok(&[
        "table",
        "killed/runs.parquet",
        "--format",
        "json",
        "--where",
        "seed=3",
        "--where",
        "metric=load",
    ]);
    assert_eq!(rows.lines().count(), 4, "{rows}");
    let row: Value = serde_json::from_str(rows.lines().next().unwrap()).unwrap();
    assert!(row["value"].as_f64().is_some_and(|load| load > 0.0 && load <= 1.0), "{row}");
    let compared = lab.ok(&["compare", "killed:control=cubic", "--with", "killed:control=reno"]);
    assert!(compared.contains("flow t"), "{compared}");
}

#[test]
fn all_points_are_checked_before_anything_runs() {
    let lab = lab(SWEEP);
    let many: Vec<String> = (1..=100).map(|rate| format!("{rate}Mbit/s")).collect();
    let rates = |rates: String| SWEEP.replace("5Mbit/s, 10Mbit/s", &rates);
    let wrong_value = rates(many.join(", ").replace("97Mbit/s", "97Mbps"));
    let cases = [
        (SWEEP.replace("links.l.rate", "links.m.rate"), "there is no `m` in `links`"),
        (SWEEP.replace("links.l.rate", "links.l.rat"), "did you mean `rate`?"),
        (wrong_value, "links.l.rate=97Mbps, control=cubic"),
        (SWEEP.replace("measure: goodput", "flow: u, measure: goodput"), "no flow `u`"),
        (SWEEP.replace("l/forward", "k/forward"), "there is no link `k`"),
        (SWEEP.replace("note.txt", "gone.txt"), "cannot read the input `gone.txt`"),
        (SWEEP.replace("seeds: 5", "seeds: five"), "these are no seeds"),
    ];
    for (sweep, expected) in cases {
        fs::write(lab.path("s.sweep.yaml"), sweep).unwrap();
        let (code, said) = lab.fails(&["sweep", "s.sweep.yaml", "-o", "none"]);
        assert_eq!(code, 2, "{said}");
        assert!(said.contains(expected), "{expected}: {said}");
        assert!(said.contains("s.sweep.yaml:"), "the place is in the sweep's file: {said}");
        assert!(!Path::new(&lab.path("none")).exists(), "nothing was run");
    }
    let (code, said) = lab.fails(&["run", "--simulate", "--set", "links.l.rat=5Mbit/s"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("did you mean `rate`?") && said.contains("--set:1:9"), "{said}");
}

#[test]
fn one_folder_has_one_sweep_and_a_failing_point_ends_alone() {
    let lab = lab(SWEEP);
    fs::create_dir_all(lab.path("busy").join("runs")).unwrap();
    let file = fs::File::create(lab.path("busy").join("sweep.jsonl")).unwrap();
    let lock = nix::fcntl::Flock::lock(file, nix::fcntl::FlockArg::LockExclusive).unwrap();
    let (code, said) = lab.fails(&["sweep", "s.sweep.yaml", "-o", "busy"]);
    assert!(code == 2 && said.contains("another sweep uses"), "{code}: {said}");
    drop(lock);

    // A metric that no run has: all is run, kept, and said; it is corrected without a run.
    let wrong = SWEEP.replace("{pipe: l/forward, measure: load}", "{summary: links.l.gone}");
    fs::write(lab.path("s.sweep.yaml"), wrong.replace("seeds: 5", "seeds: 1")).unwrap();
    let (code, said) = lab.fails(&["sweep", "s.sweep.yaml", "-o", "busy"]);
    assert_eq!(code, 3, "{said}");
    assert!(said.contains("has no `load` (links.l.gone of the summary)"), "{said}");
    fs::write(lab.path("s.sweep.yaml"), SWEEP.replace("seeds: 5", "seeds: 1")).unwrap();
    let mended = lab.ok(&["sweep", "s.sweep.yaml", "-o", "busy", "--format", "json"]);
    assert!(!mended.contains("\"event\":\"run\""), "{mended}");
}

#[test]
fn kept_summaries_are_packed_and_read_again() {
    let kept = SWEEP.replace("seeds: 5", "seeds: 1") + "keep: summary\n";
    let lab = lab(&kept);
    lab.ok(&["sweep", "s.sweep.yaml", "-o", "kept"]);
    let runs = fs::read_dir(lab.path("kept").join("runs")).unwrap();
    let names = |run: fs::DirEntry| {
        let files = fs::read_dir(run.path()).unwrap();
        files.map(|file| file.unwrap().file_name().into_string().unwrap()).collect::<Vec<_>>()
    };
    let all: Vec<Vec<String>> = runs.map(|run| names(run.unwrap())).collect();
    assert_eq!(all, vec![["summary.json.gz"]; 4]);
    // A metric that is new is read from them, and so are runs that are compared.
    let more = "metrics: {bytes: {summary: flows.t.received.bytes}, gone: {summary: flows.t.x}, ";
    fs::write(lab.path("s.sweep.yaml"), kept.replace("metrics: {", more)).unwrap();
    let (code, said) = lab.fails(&["sweep", "s.sweep.yaml", "-o", "kept", "--format", "json"]);
    assert!(code == 3 && !said.contains("\"event\":\"run\""), "{said}");
    let points = fs::read_to_string(lab.path("kept").join("points.csv")).unwrap();
    let has = |metric: &str| points.lines().find(|line| line.contains(metric)).unwrap().to_owned();
    assert!(!has("bytes").contains("no run has it"), "{points}");
    assert!(has("gone").contains("no run has it"), "{points}");
    let compared = lab.ok(&["compare", "kept:control=cubic", "--with", "kept:control=reno"]);
    assert!(compared.contains("flow t"), "{compared}");
}

/// The examples: one is run, and all points of the other are checked.
#[test]
fn the_examples_sweep() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("examples");
    let lab = Lab::new("");
    let file = examples.join("sweep").join("fair.sweep.yaml");
    let said = lab.ok(&["sweep", file.to_str().unwrap(), "-o", "fair"]);
    assert!(said.contains("difference") && said.contains("bbr"), "{said}");
    let points = fs::read_to_string(lab.path("fair").join("points.csv")).unwrap();
    assert_eq!(points.lines().count(), 1 + 4 * 2, "{points}");
    let report = fs::read_to_string(lab.path("fair").join("report.html")).unwrap();
    assert_eq!(report.matches("<polyline").count(), 4, "two controls in two plots");
    let file = examples.join("aqm-study").join("aqm.sweep.yaml");
    let said = lab.ok(&["sweep", file.to_str().unwrap(), "--dry-run"]);
    assert!(said.contains("36 points") && said.contains("360 runs"), "{said}");
}

/// Frames are always later than 1 ns: the runs of that point are invalid, and those of the other,
/// which allows 10 s, are not.
#[test]
fn an_invalid_run_is_repeated_alone_at_the_end_and_enters_no_mean() {
    let lab = Lab::new(
        "duration: 500ms
topology: { nodes: { a: , b: }, links: [{ name: l, endpoints: [a, b], rate: 5Mbit/s }] }
traffic: [{ name: t, from: a, to: b, udp: {}, cbr: { rate: 1Mbit/s } }]
trust: { delay: 10s, share: 0%, stall: 10s, losses: 1000, timeline: 10s, waits: 100% }
",
    );
    let sweep = "
scenario: netloom.yaml
vary: {trust.delay: [1ns, 10s]}
retry_invalid: 1
metrics: {goodput: {flow: t, measure: goodput}}
";
    fs::write(lab.path("s.sweep.yaml"), sweep).unwrap();
    let said = lab.ok(&["sweep", "s.sweep.yaml", "-o", "out", "--format", "json"]);
    let events: Vec<Value> = said.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let runs = events.iter().filter(|event| event["event"] == "run");
    let attempts: Vec<u64> = runs.map(|run| run["attempt"].as_u64().unwrap()).collect();
    assert_eq!(attempts, [1, 1, 2], "it is repeated once, at the end: {said}");
    let points = events.last().unwrap()["points"].as_array().unwrap();
    let [strict, lax] = ["1ns", "10s"]
        .map(|delay| points.iter().find(|point| point["point"]["trust.delay"] == delay).unwrap());
    assert_eq!((&strict["runs"], &strict["left_out"]), (&0.into(), &1.into()), "{said}");
    assert!(strict["mean"].is_null() && strict["note"].as_str().unwrap().contains("a fifth"));
    assert_eq!((&lax["runs"], &lax["left_out"]), (&1.into(), &0.into()), "{said}");
    assert_eq!(lab.remains(), [""; 0]);
}
