//! Which nodes reach which, what services print, and what shells complete.

mod common;

use std::io::{BufRead, BufReader};
use std::process::Stdio;

use common::{Lab, eventually, skeleton, text};
use serde_json::Value;

const THREE: &str = "topology:\n  nodes: { a: , b: , r: { kind: router }, c: { root: rootfs } }\n  \
    links: [{ endpoints: [a, r] }, { endpoints: [b, r] }, { endpoints: [c, r], delay: 5ms }]\n";

#[test]
fn pingall_asks_every_pair_whatever_is_in_the_nodes() {
    let lab = Lab::new(THREE);
    // In this one, there is not a single program.
    skeleton(&lab.path("rootfs"));
    lab.ok(&["deploy"]);
    let table = lab.ok(&["pingall"]);
    assert!(table.contains("IPv4: 6 of 6 pairs reached"), "{table}");
    assert!(table.contains("IPv6: 6 of 6 pairs reached"), "{table}");
    let json = |arguments: &[&str]| -> Vec<Value> {
        let output = lab.netloom(&[arguments, &["--format", "json"]].concat());
        serde_json::from_slice(&output.stdout).unwrap()
    };
    let reached = json(&["pingall", "-4"]);
    assert_eq!(reached.len(), 6);
    let slow = |row: &&Value| row["from"] == "c" || row["to"] == "c";
    for row in reached.iter().filter(slow) {
        assert!(row["rtt_ms"].as_f64().unwrap() >= 10.0, "{row}");
    }
    assert_eq!(json(&["pingall", "-6", "--routers"]).len(), 12);
    lab.ok(&["set", "b--r", "state=down"]);
    let output = lab.netloom(&["pingall", "-4", "--tries", "1"]);
    let table = text(&output.stdout);
    assert_eq!(output.status.code(), Some(1), "{table}");
    assert!(table.contains("IPv4: 2 of 6 pairs reached"), "{table}");
    let lost = json(&["pingall", "-4", "--tries", "1"]);
    let lost: Vec<&Value> = lost.iter().filter(|row| row["rtt_ms"].is_null()).collect();
    assert!(lost.len() == 4 && lost.iter().all(|row| row["sent"] == 1), "{lost:?}");
}

/// The client's own script stands in for a DHCP client: it adds an address that the plan does not
/// have.
#[test]
fn pingall_and_inspect_know_addresses_that_nodes_got_later() {
    let lab = Lab::deployed(
        "topology:\n  nodes:\n    server: { interfaces: { eth1: { ipv4: 10.7.0.1/24, \
         ipv6: none } } }\n    \
        client: { interfaces: { eth1: { ipv4: none, ipv6: none } } }\n  \
        links: [{ endpoints: [\"server:eth1\", \"client:eth1\"] }]\n",
    );
    let pingall = || {
        let output = lab.netloom(&["pingall"]);
        (output.status.code(), text(&output.stdout), text(&output.stderr))
    };
    let (code, table, why) = pingall();
    assert_eq!(code, Some(1), "nobody was pinged: {table}");
    assert!(table.contains("IPv4: no two nodes have an address"), "{table}");
    assert!(why.contains("nothing was pinged: of 2 nodes"), "{why}");

    lab.sh("client", "ip address add 10.7.0.77/24 dev eth1");
    let (code, table, why) = pingall();
    assert_eq!(code, Some(0), "{table}{why}");
    assert!(table.contains("IPv4: 2 of 2 pairs reached"), "{table}");
    let client = lab.inspect()["nodes"][1]["interfaces"][0].clone();
    assert_eq!(client["addresses"], serde_json::json!(["10.7.0.77/24"]));
}

/// A host that waits for its lease is none that was reached.
#[test]
fn pingall_names_hosts_that_have_no_address() {
    let lab = Lab::deployed(
        "topology:\n  nodes: { a: , b: , s: { kind: switch }, \
        late: { interfaces: { eth1: { ipv4: none, ipv6: none } } } }\n  \
        links: [{ endpoints: [a, s] }, { endpoints: [b, s] }, { endpoints: [\"late:eth1\", s] }]\n",
    );
    let output = lab.netloom(&["pingall", "-4"]);
    let (table, why) = (text(&output.stdout), text(&output.stderr));
    assert!(table.contains("IPv4: 2 of 2 pairs reached"), "{table}");
    assert!(output.status.code() == Some(1) && why.contains("of the others: late"), "{why}");
}

#[test]
fn logs_of_a_node_are_listed_shown_and_followed() {
    let lab = Lab::deployed(
        "topology: { nodes: { a: { startup: \
         [\"printf 'one\\\\n\\\\033[31mtwo\\\\n'\"], services: [web] }, b: } }\n",
    );
    assert_eq!(lab.ok(&["logs", "a"]), "startup\nweb\n");
    assert_eq!(lab.ok(&["logs", "b"]), "");
    // Not on a terminal, it is what was printed.
    assert_eq!(lab.ok(&["logs", "a", "startup"]), "one\n\u{1b}[31mtwo\n");
    let (_, error) = lab.fails(&["logs", "a", "wep"]);
    assert!(error.contains("no log of `wep`") && error.contains("startup, web"), "{error}");
    assert!(lab.fails(&["logs", "x"]).1.contains("no node `x`"));
    let mut client =
        lab.command(&["logs", "-f", "a", "startup"]).stdout(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(client.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "one");
    let log = common::state(&lab.name).join("services/startup@a.log");
    let said = lines.next().unwrap().unwrap();
    assert!(said.ends_with("two"));
    use std::io::Write;
    let mut file = std::fs::File::options().append(true).open(log).unwrap();
    file.write_all(b"three\n").unwrap();
    assert_eq!(lines.next().unwrap().unwrap(), "three");
    // A log that is cut goes on where it ends.
    file.set_len(4).unwrap();
    std::thread::sleep(std::time::Duration::from_secs(1));
    file.write_all(b"four\n").unwrap();
    assert_eq!(lines.next().unwrap().unwrap(), "four");
    lab.ok(&["destroy"]);
    eventually("it ends with the experiment", || client.try_wait().unwrap().is_some());
    assert!(client.wait().unwrap().success());
}

#[test]
fn inspect_lists_the_nearest_signals_and_all_on_request() {
    let lab = Lab::deployed("topology: { nodes: { a: , b: }, links: [{ endpoints: [a, b] }] }\n");
    let listed = |arguments: &[&str]| -> usize {
        let text = lab.ok(arguments);
        let table = text.split("\nsignal ").nth(1).unwrap();
        let rows = table.lines().skip(1);
        rows.take_while(|line| !line.is_empty() && !line.starts_with('(')).count()
    };
    eventually("the monitor has more than three signals", || {
        lab.inspect()["verdict"]["signals"].as_array().unwrap().len() > 3
    });
    assert_eq!(listed(&["inspect"]), 3);
    assert!(lab.ok(&["inspect"]).contains("more signals, none nearer to its limit"));
    let all = lab.inspect()["verdict"]["signals"].as_array().unwrap().len();
    assert!(listed(&["inspect", &lab.name, "--all"]) >= all.min(4));
    // By itself, it lists experiments.
    assert!(lab.ok(&["inspect", "--all"]).starts_with("experiment"));
}

#[test]
fn shells_complete_commands() {
    let lab = Lab::new("topology: { nodes: { a: } }\n");
    for shell in ["bash", "zsh", "fish"] {
        let script = lab.ok(&["completion", shell]);
        for word in ["netloom", "pingall", "deploy", "dry-run"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    assert_eq!(lab.fails(&["completion", "cmd"]).0, 2);
}
