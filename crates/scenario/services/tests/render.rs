//! Filled-in services of small scenarios: files and commands.

use std::collections::BTreeMap;

use netloom_scenario::Scenario;
use netloom_scenario::service::builtin_names;
use netloom_services::{NodeServices, Question, ServiceError, render};

fn scenario(text: &str) -> Scenario {
    netloom_scenario::load(text).unwrap_or_else(|findings| panic!("{findings}")).scenario
}

fn rendered(scenario: &Scenario) -> Result<BTreeMap<String, NodeServices>, ServiceError> {
    let plan = netloom_plan::plan(scenario).unwrap();
    render(scenario, &plan, &|_, name, _| Some(format!("/bin/{name}")), &Question::answer)
}

const TWO: &str = "name: two
topology:
  defaults: { node: { kind: router } }
  nodes:
    a: { services: SERVICES }
    b: { services: SERVICES }
    c:
  links:
    - { endpoints: [a, b] }
    - { endpoints: [a, c] }
";

fn two(services: &str) -> BTreeMap<String, NodeServices> {
    rendered(&scenario(&TWO.replace("SERVICES", services))).unwrap()
}

#[test]
fn every_service_can_be_filled_in() {
    for name in builtin_names() {
        let nodes =
            two(&format!("{{ {name}: {} }}", if name == "bgp" { "{as: 65001}" } else { "" }));
        let service = nodes["a"].services.last().unwrap();
        assert_eq!(service.name, name);
        assert!(service.command[0].starts_with("/bin/"), "{:?}", service.command);
        for (path, file) in &nodes["a"].files {
            assert!(
                !file.content.contains("{%") && !file.content.contains("{{"),
                "{path}: {}",
                file.content
            );
            assert!(
                file.content.is_empty() || file.content.ends_with('\n'),
                "{path}: {}",
                file.content
            );
        }
    }
}

#[test]
fn ospf_is_spoken_with_those_who_speak_it() {
    let nodes = two("{ ospf: { hello: 1, dead: 4 } }");
    let config = &nodes["a"].files["/etc/frr/ospfd.conf"].content;
    let of = |interface: &str| {
        let start = config.find(&format!("interface {interface}\n")).unwrap();
        config[start..].split('!').next().unwrap()
    };
    assert!(of("eth1").contains("network point-to-point"), "{config}");
    assert!(of("eth1").contains("hello-interval 1\n"), "{config}");
    assert!(of("eth2").contains("passive"), "{config}");
    let names: Vec<&str> = nodes["a"].services.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names, ["zebra", "ospf"]);
    assert!(!nodes.contains_key("c"));
}

#[test]
fn bgp_has_its_neighbours_with_their_numbers() {
    let text = TWO.replacen("SERVICES", "{ bgp: { as: 65001 } }", 1).replacen(
        "SERVICES",
        "{ bird: { as: 65002, ospf: false } }",
        1,
    );
    let nodes = rendered(&scenario(&text)).unwrap();
    let config = &nodes["a"].files["/etc/frr/bgpd.conf"].content;
    assert!(config.contains("router bgp 65001\n"), "{config}");
    assert_eq!(config.matches(" remote-as 65002\n").count(), 2, "{config}");
    assert_eq!(config.matches(" activate\n").count(), 2, "{config}");
    let bird = &nodes["b"].files["/etc/bird/bird.conf"].content;
    assert_eq!(bird.matches(" as 65001;").count(), 2, "{bird}");
    assert!(!bird.contains("ospf"), "{bird}");
}

#[test]
fn a_file_of_the_scenario_wins() {
    let text = TWO.replacen(
        "{ services: SERVICES }",
        "{ services: [ospf], files: { /etc/frr/ospfd.conf: { content: mine } } }",
        1,
    );
    let nodes = rendered(&scenario(&text.replace("{ services: SERVICES }", ""))).unwrap();
    let file = &nodes["a"].files["/etc/frr/ospfd.conf"];
    assert_eq!(
        (file.content.as_str(), file.owner.as_deref(), file.mode),
        ("mine", Some("frr"), 0o640)
    );
}

#[test]
fn addresses_are_given_out_where_some_are_free() {
    let text = "name: lan
topology:
  nodes:
    s: { kind: switch }
    dns: { services: { dnsmasq: { lease: 10min } }, interfaces: { eth1: { ipv4: 10.1.0.1/24 } } }
    a: { interfaces: { eth1: { ipv4: 10.1.0.9/24 } } }
    b: { ipv4: none }
  links: [{ endpoints: [dns, s] }, { endpoints: [a, s] }, { endpoints: [b, s] }]
";
    let nodes = rendered(&scenario(text)).unwrap();
    let config = &nodes["dns"].files["/etc/dnsmasq.conf"].content;
    assert!(config.contains("10.1.0.10,10.1.0.254,255.255.255.0,600\n"), "{config}");
}

#[test]
fn missing_programs_are_named_with_package_and_node() {
    let scenario = scenario(&TWO.replace("SERVICES", "[ospf]"));
    let plan = netloom_plan::plan(&scenario).unwrap();
    let find = |_: &_, name: &str, _: &_| (name != "ospfd").then(|| name.to_string());
    let error = render(&scenario, &plan, &find, &Question::answer).unwrap_err().to_string();
    assert_eq!(
        error,
        "the service `ospf` of node `a` and of one other needs the program `ospfd`, which is not \
         there: install the package `frr` (`apt-get install frr`)"
    );
}

#[test]
fn isis_knows_its_intervals_before_it_begins() {
    // The option `net` starts the protocol. Later settings take effect from the second link-state
    // packet on, half a minute later.
    let nodes = two("[isis]");
    let config = &nodes["a"].files["/etc/frr/isisd.conf"].content;
    let at = |word: &str| config.find(word).unwrap_or_else(|| panic!("no {word}: {config}"));
    assert!(at("lsp-gen-interval") < at(" net ") && at("spf-interval") < at(" net "), "{config}");
}

/// Each daemon by the file it reads, and how it writes a metric of 7 and one of 1.
const METRICS: [(&str, &str, [&str; 2]); 4] = [
    ("ospf", "/etc/frr/ospfd.conf", [" ip ospf cost 7\n", " ip ospf cost 1\n"]),
    ("ospf6", "/etc/frr/ospf6d.conf", [" ipv6 ospf6 cost 7\n", " ipv6 ospf6 cost 1\n"]),
    ("isis", "/etc/frr/isisd.conf", [" isis metric 7\n", " isis metric 1\n"]),
    ("bird", "/etc/bird/bird.conf", [" cost 7;", " cost 1;"]),
];

#[test]
fn costs_of_links_are_metrics_of_daemons() {
    for (service, file, [written, default]) in METRICS {
        let services = format!("{{ {service}: }}");
        let without = two(&services);
        let without = &without["a"].files[file].content;
        assert!(!without.contains(written) && !without.contains(default), "{without}");
        let text = TWO.replace("SERVICES", &services).replace("[a, b]", "[a, b], cost: 7");
        let with = rendered(&scenario(&text)).unwrap();
        let with = &with["a"].files[file].content;
        assert_eq!([written, default].map(|line| with.matches(line).count()), [1, 1], "{with}");
    }
}

/// A chain of four routers of one system, and one of another at its end.
const CHAIN: &str = "name: chain
topology:
  kinds: { router: { services: { ospf: , ospf6: , bgp: { as: 65000, reflectors: [b, c] } } } }
  nodes:
    a: { kind: router }
    b: { kind: router }
    c: { kind: router }
    d: { kind: router }
    x: { kind: router, services: { ospf: false, ospf6: false, bgp: { as: 65001, reflectors: [] } } }
  links:
    - { endpoints: [a, b] }
    - { endpoints: [b, c] }
    - { endpoints: [c, d] }
    - { endpoints: [d, x] }
";

/// The neighbours of a family in a configuration, with whether each is a client.
fn sessions(config: &str, family: &str) -> Vec<(String, bool)> {
    let start = config.find(&format!("address-family {family} unicast")).unwrap();
    let block = config[start..].split("exit-address-family").next().unwrap();
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let lines: Vec<Vec<String>> = block.lines().map(words).collect();
    let with = |what: &'static str| {
        let lines = lines.iter().filter(move |line| line.len() == 3 && line[2] == what);
        lines.map(|line| line[1].clone())
    };
    let clients: Vec<String> = with("route-reflector-client").collect();
    with("activate").map(|one| (one.clone(), clients.contains(&one))).collect()
}

#[test]
fn reflectors_have_sessions_with_all_and_the_others_with_them_only() {
    let nodes = rendered(&scenario(CHAIN)).unwrap();
    let of = |node: &str| nodes[node].files["/etc/frr/bgpd.conf"].content.as_str();
    let own = |numbers: &[(u8, bool)]| -> Vec<(String, bool)> {
        numbers.iter().map(|(number, client)| (format!("10.255.0.{number}"), *client)).collect()
    };
    assert_eq!(sessions(of("a"), "ipv4"), own(&[(2, false), (3, false)]));
    assert_eq!(sessions(of("b"), "ipv4"), own(&[(1, true), (3, false), (4, true)]));
    assert_eq!(sessions(of("c"), "ipv4"), own(&[(1, true), (2, false), (4, true)]));
    // `d` has one with `x`, too, over their link.
    let d = sessions(of("d"), "ipv4");
    assert_eq!(d[..2], own(&[(2, false), (3, false)])[..]);
    assert_eq!(d.len(), 3, "{}", of("d"));
    assert_eq!(sessions(of("x"), "ipv4").len(), 1, "{}", of("x"));
    assert_eq!(sessions(of("b"), "ipv6").len(), 3, "{}", of("b"));
    assert_eq!(of("b").matches(" update-source lo\n").count(), 6, "{}", of("b"));
    assert!(of("b").contains(" bgp cluster-id 10.255.0.2\n"), "{}", of("b"));
    assert!(!of("a").contains("cluster-id"), "{}", of("a"));
    assert!(of("d").contains("neighbor 10.255.0.2 next-hop-self\n"), "{}", of("d"));
}
