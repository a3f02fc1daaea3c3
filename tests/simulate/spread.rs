//! Sweeps over several machines: the same results wherever a run was, each once.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

use serde_json::Value;

use crate::common::{Lab, NETLOOM, text};
use crate::sweeps::{SWEEP, keys, lab};

/// The rows of a sweep's runs without where they were, and how many were on each machine.
fn rows(lab: &Lab, folder: &str) -> (Vec<Value>, BTreeMap<String, usize>) {
    let file = format!("{folder}/runs.parquet");
    let table = lab.ok(&["table", &file, "--format", "json"]);
    let mut machines = BTreeMap::new();
    let rows = table.lines().map(|line| {
        let mut row: Value = serde_json::from_str(line).unwrap();
        let columns = row.as_object_mut().unwrap();
        columns.remove("beside").unwrap();
        let machine = columns.remove("machine").unwrap();
        *machines.entry(machine.as_str().unwrap().to_owned()).or_default() += 1;
        row
    });
    (rows.collect(), machines)
}

/// Writes a list of two machines that are this one, each with its own folder. A script starts
/// members, and `m2` may die in the midst of a run.
fn list(lab: &Lab, m2: &str) {
    let script = format!(
        "#!/bin/sh\nmachine=$1\nshift\nexport XDG_CACHE_HOME={}/$machine\n\
         case $machine-$2 in {m2}) {NETLOOM} __member \"$@\" | sed -u 2q ;;\n\
         *) exec {NETLOOM} __member \"$@\" ;; esac\n",
        lab.path("cache").display()
    );
    fs::write(lab.path("machine.sh"), script).unwrap();
    fs::set_permissions(lab.path("machine.sh"), Permissions::from_mode(0o755)).unwrap();
    let list = format!(
        "start: {{ command: \"{} {{address}}\" }}\n\
         machines:\n  m1: {{ address: m1 }}\n  m2: {{ address: m2 }}\n",
        lab.path("machine.sh").display()
    );
    fs::write(lab.path("machines.yaml"), list).unwrap();
    fs::write(lab.path(".netloomignore"), "cache\n").unwrap();
    for machine in ["m1", "m2"] {
        fs::create_dir_all(lab.path("cache").join(machine)).unwrap();
    }
}

/// What machines keep of runs.
fn left(lab: &Lab) -> usize {
    let folder = |machine: &str| lab.path(&format!("cache/{machine}/netloom/sweeps"));
    let count = |machine: &&str| fs::read_dir(folder(machine)).map_or(0, Iterator::count);
    ["m1", "m2"].iter().map(count).sum()
}

#[test]
fn machines_change_no_byte_of_a_sweep() {
    let lab = lab(SWEEP);
    lab.ok(&["sweep", "s.sweep.yaml", "-o", "one"]);
    lab.ok(&["sweep", "s.sweep.yaml", "-o", "local", "--machines", "local:3"]);
    list(&lab, "none");
    lab.ok(&["sweep", "s.sweep.yaml", "-o", "listed", "--machines", "machines.yaml"]);
    let (expected, _) = rows(&lab, "one");
    for (folder, names) in [("local", &["m1", "m2", "m3"][..]), ("listed", &["m1", "m2"])] {
        let (rows, machines) = rows(&lab, folder);
        assert_eq!(rows, expected, "{folder}");
        assert_eq!(machines.keys().map(String::as_str).collect::<Vec<_>>(), names, "{folder}");
        let points = |folder: &str| fs::read(lab.path(folder).join("points.csv")).unwrap();
        assert!(points(folder) == points("one"), "{folder}");
    }
    assert_eq!(left(&lab), 0);
    // The same command on one machine has nothing to do.
    let again = lab.ok(&["sweep", "s.sweep.yaml", "-o", "listed", "--format", "json"]);
    assert!(!again.contains("\"event\":\"run\""), "{again}");
}

#[test]
fn a_lost_machines_run_is_done_again_elsewhere_and_none_twice() {
    let lab = lab(SWEEP);
    list(&lab, "m2-sweep");
    let words = ["sweep", "s.sweep.yaml", "-o", "lost", "--machines", "machines.yaml"];
    let output = lab.netloom(&words);
    let said = text(&output.stderr);
    assert!(output.status.success(), "{said}");
    assert!(said.contains("machine `m2` was lost"), "{said}");
    let all = keys(&lab, "lost");
    assert_eq!((all.len(), all.iter().collect::<BTreeSet<_>>().len()), (20, 20));
    assert_eq!(rows(&lab, "lost").1.into_keys().collect::<Vec<_>>(), ["m1"]);

    // Without any machine the sweep ends, keeps what it has, and goes on later.
    list(&lab, "*-sweep");
    let words = ["sweep", "s.sweep.yaml", "-o", "all", "--machines", "machines.yaml"];
    let (code, said) = lab.fails(&words);
    assert!(code == 3 && said.contains("all machines are lost, and 20 runs not done"), "{said}");
    list(&lab, "none");
    lab.ok(&words);
    assert_eq!(keys(&lab, "all").len(), 20);
}

#[test]
fn machines_that_cannot_carry_runs_are_named_before_the_first() {
    let lab = lab(SWEEP);
    list(&lab, "none");
    let listed = fs::read_to_string(lab.path("machines.yaml")).unwrap();
    let wrong = listed.replace("m2: { address", "m2: { frames: 10.0.0.9, address");
    fs::write(lab.path("machines.yaml"), wrong.replace("/machine.sh ", "/{address}.sh ")).unwrap();
    fs::copy(lab.path("machine.sh"), lab.path("m1.sh")).unwrap();
    let (code, said) =
        lab.fails(&["sweep", "s.sweep.yaml", "-o", "none", "--machines", "machines.yaml"]);
    assert_eq!(code, 2, "{said}");
    assert!(said.contains("m2: start: ") && said.contains("not found"), "{said}");
    assert!(!said.contains("m1: start"), "{said}");
    assert!(keys(&lab, "none").is_empty());
    for (machines, why) in [
        ("local:2,delay=1ms", "no network between them"),
        ("local:0", "has no machine"),
        ("gone.yaml", "cannot read the list of machines"),
    ] {
        let (code, said) = lab.fails(&["sweep", "s.sweep.yaml", "--machines", machines]);
        assert!(code == 2 && said.contains(why), "{said}");
    }
}
