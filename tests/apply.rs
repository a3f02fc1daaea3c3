//! A network becomes what another scenario says while it runs, and what stays is not touched.

mod common;

use common::*;

const CHAIN: &str = "\
topology:
  defaults: {link: {delay: 1ms}}
  nodes: {a: , r: {kind: router}, b: }
  links:
    - endpoints: [\"a:eth1\", \"r:eth1\"]
    - endpoints: [\"r:eth2\", \"b:eth1\"]
";

/// All addresses, routes and parameters of a node, as its kernel reports them.
fn stack(lab: &Lab, node: &str) -> String {
    lab.sh(
        node,
        "ip -o address | sed 's/ *valid_lft.*//'; ip -4 route | sort; ip -6 route | sort; \
         cat /etc/hosts; \
         sysctl net.ipv4.ip_forward net.ipv4.ip_default_ttl; ip -o link | sed 's/^[0-9]*: \
         //' | sort",
    )
}

fn reach(lab: &Lab, from: &str, to: &str) {
    for family in ["-4", "-6"] {
        lab.sh(from, &format!("ping {family} -n -c 3 -i 0.2 -W 2 {to}"));
    }
}

#[test]
fn nodes_and_links_come_and_go_under_running_processes() {
    let lab = Lab::deployed(CHAIN);
    let pings = format!("a@{}", lab.name);
    let line = "exec ping -n -q -i 0.01 -c 300 b";
    let ping = lab.command(&["exec", &pings, "--", "sh", "-c", line]);
    let ping = {
        let mut ping = ping;
        ping.stdout(std::process::Stdio::piped()).spawn().unwrap()
    };
    eventually("it runs", || lab.sh("a", "ps ax").contains("ping -n"));
    let before = stack(&lab, "b");
    let wider = CHAIN.replace("b: }", "b: , sw: {kind: switch}, c: , d: }")
        + "    - endpoints: [\"r:eth3\", sw]\n    - endpoints: [sw, c]\n    - endpoints: [sw, d]\n";
    rewrite(&lab, &wider);
    let plan = planned(&lab);
    assert_eq!(plan[..3], ["+ node c: host", "+ node d: host", "+ node sw: switch"]);
    assert!(
        plan.iter().all(|line| line.starts_with('+') || line.starts_with("~ routes")),
        "{plan:?}"
    );
    assert_eq!(stack(&lab, "b"), before, "a dry run does nothing");
    lab.ok(&["apply"]);
    reach(&lab, "c", "a");
    reach(&lab, "a", "d");
    assert_eq!(planned(&lab), [""; 0], "it is there");
    assert!(lab.ok(&["deploy"]).contains("nothing was done"));
    rewrite(&lab, CHAIN);
    assert_eq!(planned(&lab).iter().filter(|line| line.starts_with("- ")).count(), 6);
    lab.ok(&["apply"]);
    assert_eq!(stack(&lab, "b"), before, "as it was");
    let output = ping.wait_with_output().unwrap();
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(printed.contains("300 packets transmitted, 300 received"), "{printed}");
    let interfaces = lab.sh("r", "ls /sys/class/net");
    assert!(!interfaces.contains("eth3"), "{interfaces}");
    assert!(
        lab.fails(&["exec", &format!("c@{}", lab.name), "--", "true"]).1.contains("no node `c`")
    );
    lab.ok(&["destroy"]);
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn what_was_set_by_hand_becomes_what_the_file_says_at_one_instant() {
    let lab = Lab::deployed(CHAIN);
    let link = format!("a--r@{}", lab.name);
    lab.ok(&["set", &link, "rate=5Mbit/s", "delay=7ms"]);
    assert_eq!(planned(&lab).len(), 1);
    assert!(planned(&lab)[0].starts_with("~ link a--r: "), "{:?}", planned(&lab));
    rewrite(&lab, &CHAIN.replace("\"r:eth1\"]", "\"r:eth1\"]\n      forward: {loss: 3%}"));
    lab.ok(&["apply"]);
    let links = lab.inspect()["links"].clone();
    let config = |direction: &str| links[0][direction]["config"].clone();
    assert_eq!(config("forward")["loss"], "3%");
    assert_eq!(
        (config("reverse")["loss"].as_str(), config("forward")["rate"].as_str()),
        (Some("0%"), Some("unlimited"))
    );
    assert_eq!(
        (config("forward")["delay"].as_str(), config("reverse")["delay"].as_str()),
        (Some("1ms"), Some("1ms"))
    );
}

/// Returns the offered background traffic of the first link's forward pipe, and the time of that
/// count in seconds of the pipe.
fn background(lab: &Lab) -> (u64, f64) {
    let statistics = lab.inspect()["links"][0]["forward"]["statistics"].clone();
    let offered = statistics["background"]["offered"]["frames"].as_u64().unwrap_or(0);
    (offered, statistics["at"].as_u64().unwrap() as f64 / 1e9)
}

/// How many virtual frames a second came between two looks, the second of which is taken now.
fn background_rate(lab: &Lab, (before, from): (u64, f64)) -> f64 {
    let (offered, at) = background(lab);
    (offered - before) as f64 / (at - from)
}

#[test]
fn background_comes_and_goes_on_a_running_link() {
    let text = CHAIN.replace("delay: 1ms", "rate: 10Mbit/s");
    let lab = Lab::deployed(&text);
    let link = format!("a--r@{}", lab.name);
    let set = |what: &str| ["set", &link, "--direction", "forward", what].map(str::to_owned);
    let ok = |what: &str| lab.ok(&set(what).each_ref().map(String::as_str));
    ok("background=[{cbr: {load: 40%}, size: 500B}]");
    eventually("it has begun", || background(&lab).0 > 500);
    let nonsense = set("background=[{poisson: {load: 40%}, as: fluid}]");
    let (_, why) = lab.fails(&nonsense.each_ref().map(String::as_str));
    assert!(why.contains("fluid"), "{why}");
    let look = background(&lab);
    eventually("it goes on", || background(&lab).0 > look.0 + 500);
    let rate = background_rate(&lab, look);
    assert!(
        (940.0..960.0).contains(&rate),
        "4 Mbit/s are 954 frames a second, not {rate}: they have 524 bytes"
    );
    // The file knows nothing of it.
    assert!(planned(&lab)[0].ends_with("-> background none"), "{:?}", planned(&lab));
    lab.ok(&["apply"]);
    let (ended, _) = background(&lab);
    let wanted = "\"r:eth1\"]\n      forward: {background: [{cbr: {load: 80%}, size: 500B}]}";
    assert_eq!(background(&lab).0, ended, "it is over");
    rewrite(&lab, &text.replace("\"r:eth1\"]", wanted));
    lab.ok(&["apply"]);
    let look = background(&lab);
    eventually("it is there again", || background(&lab).0 > look.0 + 1000);
    let rate = background_rate(&lab, look);
    assert!((1890.0..1920.0).contains(&rate), "8 Mbit/s are 1908 frames a second, not {rate}");
    assert_eq!(planned(&lab), [""; 0], "it is what the file says");
}

#[test]
fn parameters_addresses_and_kinds_of_links_change_in_place() {
    let lab = Lab::deployed(CHAIN);
    let before = stack(&lab, "b");
    let changed = CHAIN
        .replace(
            "b: }",
            "b: {sysctls: {net.ipv4.ip_default_ttl: 33}, interfaces: {eth1: {ipv4: \
            10.9.0.2/24, mtu: 1400}}}}",
        )
        .replace("\"b:eth1\"]", "\"b:eth1\"]\n      direct: true")
        .replace(
            "r: {kind: router}",
            "r: {kind: router, interfaces: {eth2: {ipv4: 10.9.0.1/24}}, \
            sysctls: {net.ipv4.conf.eth2.proxy_arp: 1}}",
        )
        .replace("delay: 1ms", "cost: 1");
    rewrite(&lab, &changed);
    assert!(
        planned(&lab).iter().any(|line| line.starts_with("! link r--b: ")),
        "{:?}",
        planned(&lab)
    );
    lab.ok(&["apply"]);
    reach(&lab, "a", "b");
    assert_eq!(lab.sh("b", "sysctl -n net.ipv4.ip_default_ttl").trim(), "33");
    assert_eq!(lab.sh("r", "sysctl -n net.ipv4.conf.eth2.proxy_arp").trim(), "1");
    assert!(lab.sh("b", "ip -o link show eth1").contains("mtu 1400"));
    assert!(lab.sh("b", "ip -d link show eth1").contains("veth"));
    rewrite(&lab, CHAIN);
    lab.ok(&["apply"]);
    reach(&lab, "b", "a");
    let masked = |text: String| text.replace(|c: char| c.is_ascii_digit(), "");
    // Interface numbers differ, as devices are new.
    assert_eq!(masked(stack(&lab, "b")), masked(before));
    let kinds = lab.sh("r", "ip -d link show eth2");
    assert!(kinds.contains("tun"), "{kinds}");
    assert_eq!(lab.sh("b", "sysctl -n net.ipv4.ip_default_ttl").trim(), "64", "the default");
}

#[test]
fn a_step_that_fails_takes_back_those_before_it() {
    let lab = Lab::deployed(CHAIN);
    let nodes = ["a", "r", "b"];
    let before = nodes.map(|node| stack(&lab, node));
    let more = CHAIN.replace("b: }", "b: {sysctls: {PARAMETER}}, c: }").replace("1ms", "2ms")
        + "    - endpoints: [\"r:eth3\", \"c:eth1\"]\n    - {endpoints: [\"a:eth5\", \"c:eth2\"], \
            direct: true}\n";
    // After nodes, interfaces and links were made.
    rewrite(&lab, &more.replace("PARAMETER", "net.ipv4.tcp_congestion_control: bbr3"));
    let (code, error) = lab.fails(&["apply"]);
    assert!(
        code == 1 && error.contains("nothing has changed") && error.contains("node `b`"),
        "{error}"
    );
    // The name is taken: no interface can be made.
    lab.sh("a", "ip link add eth5 type veth peer name other");
    rewrite(&lab, &more.replace("PARAMETER", "net.ipv4.ip_default_ttl: 33"));
    let (_, error) = lab.fails(&["apply"]);
    assert!(error.contains("eth5") && error.contains("nothing has changed"), "{error}");
    lab.sh("a", "ip link del eth5");
    assert_eq!(nodes.map(|node| stack(&lab, node)), before);
    reach(&lab, "a", "b");
    assert_eq!(lab.inspect()["links"][0]["forward"]["config"]["delay"], "1ms");
    lab.ok(&["apply"]);
    reach(&lab, "c", "b");
    lab.ok(&["destroy"]);
    assert_eq!(lab.remains(), [""; 0]);
}

#[test]
fn what_holds_for_all_of_an_experiment_is_refused_and_what_only_runs_obey_is_reported() {
    let lab = Lab::deployed(CHAIN);
    rewrite(&lab, &format!("workers: {{ dedicated_cpus: 1 }}\n{CHAIN}"));
    let (code, error) = lab.fails(&["apply"]);
    assert!(code == 1 && error.contains("`workers` of the scenario has changed"), "{error}");
    rewrite(&lab, &format!("seed: 7\n{CHAIN}"));
    let (code, error) = lab.fails(&["apply"]);
    assert!(code == 1 && error.contains("`seed` of the scenario has changed"), "{error}");
    rewrite(&lab, &format!("monitor: {{warm_up: 5s}}\n{CHAIN}"));
    assert!(lab.fails(&["apply"]).1.contains("`monitor` of the scenario"));
    rewrite(&lab, &format!("duration: 7s\n{CHAIN}"));
    let output = lab.netloom(&["apply"]);
    let note = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success() && note.contains("`duration` have changed"), "{note}");
    rewrite(&lab, "topology: {nodes: {a: }, lniks: []}\n");
    assert_eq!(lab.fails(&["apply"]).0, 2);
    rewrite(&lab, CHAIN);
    // One that does not run is brought up.
    lab.ok(&["destroy"]);
    assert!(lab.ok(&["apply", "--dry-run"]).contains("3 nodes and 2 links would be brought up"));
    assert!(lab.ok(&["apply"]).contains("3 nodes and 2 links up"));
    reach(&lab, "a", "b");
}

#[test]
fn a_switch_begins_to_run_a_spanning_tree_and_then_its_loop_is_closed() {
    let line = "topology:\n  nodes: { a: , b: , s: { kind: switch }, t: { kind: switch } }\n  \
        links:\n    \
                - { endpoints: [a, s] }\n    - { endpoints: [s, t] }\n    \
                - { endpoints: [t, b] }\n";
    let lab = Lab::deployed(line);
    reach(&lab, "a", "b");
    let with_tree = line.replace("s: { kind: switch }", "s: { kind: switch, spanning_tree: true }");
    let closed = format!("{with_tree}    - {{ name: second, endpoints: [s, t] }}\n");
    rewrite(&lab, &closed);
    lab.ok(&["apply"]);
    common::eventually("a way", || lab.try_sh("a", "ping -n -c 1 -W 1 b").0 == 0);
    let table = lab.ok(&["inspect"]);
    assert!(table.contains("backup") && table.contains("designated, edge"), "{table}");
    // As before: its own ports forward from the beginning.
    rewrite(&lab, line);
    lab.ok(&["apply"]);
    reach(&lab, "a", "b");
    assert!(!lab.ok(&["inspect"]).contains("designated"));
}

#[test]
fn a_node_that_becomes_a_switch_is_made_anew() {
    let lab = Lab::deployed(CHAIN);
    let switched = CHAIN.replace("{kind: router}", "{kind: switch}");
    rewrite(&lab, &switched);
    assert!(planned(&lab).iter().any(|line| line.starts_with("! node r: it was a router")));
    lab.ok(&["apply"]);
    reach(&lab, "a", "b");
    rewrite(&lab, CHAIN);
    lab.ok(&["apply"]);
    reach(&lab, "a", "b");
    assert!(lab.sh("a", "ping -n -c 1 -t 1 b || true").contains("Time"), "through a router");
    let error = lab.ok(&["inspect"]);
    assert!(error.contains("router"), "{error}");
}

#[test]
fn media_their_members_and_their_places_become_others() {
    let cell = |members: &str, nodes: &str, mac: &str| {
        format!(
            "topology:\n  media:\n    air: {{preset: 802.11b, propagation: {{range: {{reach: \
             100m}}}}, \
             members: [{members}], mac: {mac}}}\n  nodes: {{a: {{position: [0m, 0m]}}, {nodes}}}\n"
        )
    };
    let near = cell("a, b", "b: {position: [10m, 0m]}", "dcf");
    let lab = Lab::deployed(&near);
    reach(&lab, "a", "b");
    let more = "b: {position: [10m, 0m]}, c: {position: [20m, 0m]}";
    rewrite(&lab, &cell("a, b, c", more, "{dcf: {rts_threshold: 0B}}"));
    let plan = planned(&lab);
    assert_eq!(plan[0], "+ node c: host");
    let is_there = |start: &str| plan.iter().any(|line| line.starts_with(start));
    assert!(is_there("+ link c--air: ") && is_there("~ medium air: mac "), "{plan:?}");
    lab.ok(&["apply"]);
    reach(&lab, "c", "b");
    assert_eq!(planned(&lab), [""; 0], "it is there");
    // Properties that were set by hand become what the file says.
    lab.ok(&["set", &format!("air@{}", lab.name), "lock=any"]);
    assert!(planned(&lab)[0].starts_with("~ medium air: lock any -> decodable"), "{plan:?}");
    // Out of reach, and back without the third.
    rewrite(&lab, &cell("a, b", "b: {position: [500m, 0m]}", "dcf"));
    let plan = planned(&lab);
    assert!(plan.iter().any(|line| line.starts_with("! link b--air: ")), "{plan:?}");
    lab.ok(&["apply"]);
    lab.sh("a", "! ping -4 -n -c 2 -i 0.2 -W 1 b");
    rewrite(&lab, &near);
    lab.ok(&["apply"]);
    reach(&lab, "a", "b");
    lab.ok(&["destroy"]);
    assert_eq!(lab.remains(), [""; 0]);
}
