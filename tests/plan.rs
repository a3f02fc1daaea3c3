//! `netloom plan`: placements of scenarios on machines.

mod common;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use common::{Lab, NETLOOM, text};
use serde_json::Value;

/// Runs `netloom plan` in a folder, without a profile of this machine.
fn plan(folder: &Path, arguments: &[&str]) -> Output {
    let command = &mut Command::new(NETLOOM);
    let command = command.arg("plan").args(arguments).current_dir(folder);
    command.env("NETLOOM_PROFILE", folder.join("none.json")).output().unwrap()
}

fn json(output: &Output) -> Value {
    assert!(output.status.success(), "{}", text(&output.stderr));
    serde_json::from_slice(&output.stdout).unwrap()
}

/// What a command that refuses says.
fn refused(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(2), "{}", text(&output.stdout));
    assert!(output.stdout.is_empty());
    text(&output.stderr)
}

fn example() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("examples/empower-mapping")
}

/// Two nodes that are apart, with these properties of the link between them.
fn apart(link: &str) -> Lab {
    Lab::new(&format!(
        "topology:\n  nodes: {{a: {{apart: x}}, b: {{apart: x}}}}\n  links:\n    \
         - {{endpoints: [a, b], {link}}}\n"
    ))
}

#[test]
fn the_mapping_of_zheng_is_valid_and_ours_is_better() {
    let machines = ["--machines", "machines.yaml"];
    let found = json(&plan(&example(), &[&machines[..], &["--format", "json"]].concat()));
    assert_eq!((&found["used"], &found["is_optimal"]), (&Value::from(3), &Value::from(true)));
    assert_eq!(found["cut_bits_per_second"], 220e6);
    let theirs = [&machines[..], &["--check", "zheng.placement.yaml", "--format", "json"]].concat();
    let theirs = json(&plan(&example(), &theirs));
    assert_eq!((&theirs["used"], &theirs["cut_bits_per_second"]), (&3.into(), &280e6.into()));
    let anc = |name: &str| {
        let all = theirs["machines"].as_array().unwrap();
        let machine = all.iter().find(|machine| machine["machine"] == name).unwrap();
        (machine["ports"].as_u64(), machine["anc_bits_per_second"].as_f64())
    };
    assert_eq!(anc("m1"), (Some(9), Some(270e6)));
    assert_eq!(anc("m3"), (Some(12), Some(220e6)));
    assert_eq!(anc("m2"), (Some(9), Some(290e6)));
    let shown = text(&plan(&example(), &machines).stdout);
    let last = shown.trim_end().lines().last().unwrap();
    assert!(last.starts_with("empower-mapping: 3 of 4 machines, 220 Mbit/s over "), "{last}");
    assert!(last.ends_with("; no placement is better"), "{last}");
}

#[test]
fn a_short_link_between_nodes_that_are_apart_is_refused_or_marked() {
    let folder = apart("delay: 50us");
    let why = refused(&plan(&folder.directory, &["--machines", "local:2"]));
    for part in ["`a--b`", "50us", "300us", "`apart`", "cut: any"] {
        assert!(why.contains(part), "{part}: {why}");
    }
    let folder = apart("delay: 50us, cut: any");
    let output = plan(&folder.directory, &["--machines", "local:2"]);
    let (shown, warned) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{warned}");
    assert!(shown.contains("late"), "{shown}");
    assert!(warned.contains("suspect") && warned.contains("a--b"), "{warned}");
    let found = json(&plan(&folder.directory, &["--machines", "local:2", "--format", "json"]));
    let cut = &found["cut"][0];
    assert_eq!((&cut["least_ns"], &cut["bound_ns"]), (&50_000.into(), &300_000.into()));
    assert_eq!((&cut["slack_ns"], &cut["is_late"]), (&(-250_000).into(), &true.into()));
}

#[test]
fn a_placement_is_written_and_checked() {
    let folder = apart("delay: 5ms");
    let machines = ["--machines", "local:3,delay=1ms"];
    for file in ["p.yaml", "p.json"] {
        let written = plan(&folder.directory, &[&machines[..], &["-o", file]].concat());
        let checked = plan(&folder.directory, &[&machines[..], &["--check", file]].concat());
        assert!(written.status.success() && checked.status.success(), "{}", text(&checked.stderr));
        let (written, checked) = (text(&written.stdout), text(&checked.stdout));
        let but_last = |shown: &str| shown.trim_end().rsplit_once('\n').unwrap().0.to_owned();
        assert_eq!(but_last(&written), but_last(&checked));
        assert!(checked.trim_end().ends_with("it keeps all rules"), "{checked}");
    }
    let wrong = folder.path("wrong.yaml");
    fs::write(&wrong, format!("scenario: {}\nnodes: {{a: m1, b: m1}}\n", folder.name)).unwrap();
    let why =
        refused(&plan(&folder.directory, &[&machines[..], &["--check", "wrong.yaml"]].concat()));
    assert!(why.contains("`a` and `b` are on one machine"), "{why}");
    fs::write(&wrong, format!("scenario: {}\nnodes: {{a: m1, b: m9}}\n", folder.name)).unwrap();
    let why =
        refused(&plan(&folder.directory, &[&machines[..], &["--check", "wrong.yaml"]].concat()));
    assert!(why.contains("`m9`, which is not among the machines"), "{why}");
}

#[test]
fn wrong_arguments_and_files_are_refused() {
    let folder = apart("delay: 5ms");
    fs::write(folder.path("machines.yaml"), "machines: {m1: {adress: a}}\n").unwrap();
    for (arguments, words) in [
        (&[][..], "--machines"),
        (&["--machines", "local:0"], "has no machine"),
        (&["--machines", "absent.yaml"], "cannot read the list of machines"),
        (&["--machines", "machines.yaml"], "did you mean `address`?"),
        (&["--machines", "local:1"], "no placement fits"),
        (&["--like", "absent.json", "--count", "2"], "netloom calibrate"),
        (&["--machines", "local:2", "--check", "absent.yaml"], "cannot read the placement"),
        (&["--machines", "local:2", "absent.yaml"], "cannot read the scenario"),
    ] {
        let why = refused(&plan(&folder.directory, arguments));
        assert!(why.contains(words), "{arguments:?}: {why}");
    }
}
