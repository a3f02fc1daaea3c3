//! Wrong input and offline commands.

mod common;

use common::{Lab, text};

#[test]
fn a_bad_scenario_is_refused_with_all_its_errors() {
    let lab = Lab::new(
        "topology:\n  nodes: { a: , b: }\n  links:\n    \
         - { endpoints: [a, c], dely: 5ms }\n    - { endpoints: [a, b], rate: 100 }\n",
    );
    for command in ["validate", "run", "deploy", "graph"] {
        let (code, error) = lab.fails(&[command]);
        assert_eq!(code, 2, "{command}: {error}");
        for part in ["netloom.yaml:5:", "netloom.yaml:6:", "`dely`", "`delay`", "`c`", "no unit"] {
            assert!(error.contains(part), "{command} does not say {part}: {error}");
        }
    }
    let output = lab.netloom(&["validate", "--format", "json", "netloom.yaml"]);
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(report[0]["valid"], false);
    assert_eq!(report[0]["diagnostics"].as_array().unwrap().len(), 3, "{report}");
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn a_good_scenario_is_valid_and_can_be_drawn() {
    let lab = Lab::pair(", delay: 5ms");
    assert!(lab.ok(&["validate"]).contains("valid"));
    assert!(lab.ok(&["graph"]).contains("graph"));
    assert!(lab.ok(&["graph", "--format", "mermaid"]).contains("5ms"));
    let svg = lab.ok(&["graph", "--format", "svg"]);
    assert!(svg.starts_with("<svg") && svg.contains(">a<"), "{svg}");
}

#[test]
fn files_that_a_scenario_names_are_read_beside_it() {
    let lab = Lab::pair(", rate: { trace: lte.trace }, jitter: { pattern: late.txt }");
    let (code, error) = lab.fails(&["validate"]);
    assert_eq!(code, 2);
    for part in ["cannot read the Mahimahi trace `lte.trace`", "there is no file", "`late.txt`"] {
        assert!(error.contains(part), "{error} does not say {part}");
    }
    std::fs::write(lab.path("lte.trace"), "1\n2\nthree\n").unwrap();
    std::fs::write(lab.path("late.txt"), "1ms\n-1ms\n").unwrap();
    let (_, error) = lab.fails(&["validate"]);
    assert!(error.contains("`lte.trace`, line 3: `three` is not a whole number"), "{error}");
    std::fs::write(lab.path("lte.trace"), "1\n2\n").unwrap();
    // From another folder: names are relative to the scenario's.
    let file = lab.path("netloom.yaml");
    let output =
        lab.command(&["validate", file.to_str().unwrap()]).current_dir("/").output().unwrap();
    assert!(text(&output.stdout).contains("valid"), "{output:?}");
}

#[test]
fn what_cannot_be_found_is_reported() {
    let lab = Lab::pair("");
    let fails = |arguments: &[&str], parts: &[&str]| {
        let (_, error) = lab.fails(arguments);
        for part in parts {
            assert!(error.contains(part), "{arguments:?} does not say {part:?}: {error}");
        }
    };
    fails(&["run", "-t", "nothing.yaml"], &["cannot read the scenario nothing.yaml"]);
    fails(&["destroy", &lab.name], &["there is no experiment", &lab.name]);
    fails(&["exec", &format!("a@{}", lab.name), "--", "true"], &["is not running"]);
    fails(&["deploy", "--name", "two words"], &["cannot be the name of an experiment"]);
    std::fs::rename(lab.path("netloom.yaml"), lab.path("other.txt")).unwrap();
    fails(&["run"], &["there is no scenario in this folder", "-t FILE"]);
    std::fs::write(lab.path("one.netloom.yaml"), "").unwrap();
    std::fs::write(lab.path("two.netloom.yaml"), "").unwrap();
    fails(&["run"], &["more than one scenario", "one.netloom.yaml, two.netloom.yaml"]);
}

#[test]
fn help_and_version_are_there() {
    let lab = Lab::pair("");
    assert!(lab.ok(&["--version"]).contains(env!("CARGO_PKG_VERSION")));
    let help = text(&lab.netloom(&["--help"]).stdout);
    for command in [
        "run", "deploy", "destroy", "inspect", "exec", "connect", "capture", "set", "graph",
        "validate", "cleanup",
    ] {
        assert!(help.contains(&format!("  {command}")), "{help}");
    }
    assert_eq!(lab.fails(&["frobnicate"]).0, 2);
}

#[test]
fn a_seed_without_effect_is_reported() {
    let planned = |properties: &str| {
        let lab = Lab::pair(properties);
        text(&lab.netloom(&["apply", "--dry-run", "--seed", "7"]).stderr)
    };
    assert!(planned(", delay: 5ms").contains("nothing in this scenario is random"));
    assert_eq!(planned(", loss: 1%"), "");
}
