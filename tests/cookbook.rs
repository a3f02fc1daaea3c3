//! Every recipe of docs/cookbook.md is run as it stands there, and checks itself.

mod common;

use common::{Lab, shows, text};

/// The scenarios of the cookbook, by the name that each gives itself.
fn recipes() -> Vec<(String, String)> {
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/cookbook.md");
    let page = std::fs::read_to_string(file).unwrap();
    let blocks = page.split("```yaml\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let named = blocks.map(|block| {
        let (name, rest) = block.split_once('\n').unwrap();
        (name.strip_prefix("name: ").unwrap().to_owned(), rest.to_owned())
    });
    named.collect()
}

fn runs(name: &str) {
    let (_, scenario) = recipes().into_iter().find(|(found, _)| found == name).unwrap();
    let run = || {
        let lab = Lab::new(&scenario);
        let output = lab.netloom(&["run", "-o", "results"]);
        (text(&output.stdout) + &text(&output.stderr), output.status.code(), lab.remains())
    };
    let not_valid = ["on the machine: SUSPECT", "on the machine: INVALID"];
    let is_valid = |(said, ..): &(String, _, _)| !not_valid.iter().any(|it| said.contains(it));
    shows(run, is_valid, |(said, code, remains)| {
        assert_eq!(*code, Some(0), "{said}");
        assert_eq!(*remains, [""; 0]);
    });
}

#[test]
fn every_recipe_is_tested_here() {
    let names: Vec<String> = recipes().into_iter().map(|(name, _)| name).collect();
    assert_eq!(
        names,
        ["partition", "crash", "dhcp", "nat", "dns", "cellular-line", "vpn", "satellite"]
    );
}

#[test]
fn a_partition() {
    runs("partition");
}

#[test]
fn a_crash() {
    runs("crash");
}

#[test]
fn dhcp() {
    runs("dhcp");
}

#[test]
fn nat() {
    runs("nat");
}

#[test]
fn a_dns_server_for_each_node() {
    runs("dns");
}

#[test]
fn a_cellular_line() {
    runs("cellular-line");
}

#[test]
fn a_vpn() {
    runs("vpn");
}

#[test]
fn a_satellite_link() {
    runs("satellite");
}
