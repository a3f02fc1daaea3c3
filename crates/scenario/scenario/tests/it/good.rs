//! Valid scenarios: they load without findings, and mean what they should.

use std::path::Path;
use std::sync::Arc;
use std::{env, fs};

use netloom_link::{Framing, InFlight, QueueLimit, RateLimit, RateTrace};
use netloom_scenario::{
    Addresses, Direction, LoopbackAddress, Milestone, Node, NodeKind, Routing, Scenario, Start,
    TimelineAction, Unreadable, load, load_with_files, properties,
};
use netloom_traffic::Model;

fn folder() -> std::path::PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/good")
}

/// Files beside the good scenarios.
fn read(file: &str) -> Result<String, Unreadable> {
    fs::read_to_string(folder().join(file)).map_err(|error| Unreadable::because(error.to_string()))
}

fn scenario(text: &str) -> Scenario {
    match load_with_files(text, &mut read) {
        Ok(loaded) => {
            assert!(loaded.warnings.is_empty(), "{}", loaded.warnings.render("scenario", text));
            loaded.scenario
        }
        Err(findings) => panic!("{}", findings.render("scenario", text)),
    }
}

fn file(name: &str) -> Scenario {
    scenario(&fs::read_to_string(folder().join(name)).unwrap())
}

fn interface<'a>(node: &'a Node, name: &str) -> &'a netloom_scenario::Interface {
    node.interfaces.iter().find(|interface| interface.name == name).unwrap()
}

#[test]
fn switches_may_form_loops_where_one_of_each_runs_a_spanning_tree() {
    let scenario = file("trees.yaml");
    let trees = scenario.nodes.iter().map(|node| node.spanning_tree.map(|tree| tree.priority));
    assert_eq!(trees.collect::<Vec<_>>(), [Some(4096), Some(32768), None, None, None]);
    // The switches are one segment.
    let bridged = scenario.nodes.iter().filter(|node| node.kind == NodeKind::Switch);
    assert_eq!(bridged.map(|node| node.interfaces.len()).collect::<Vec<_>>(), [3, 4, 3]);
}

#[test]
fn a_switch_with_a_spanning_tree_has_4095_ports_at_most() {
    let star = |hosts: usize| {
        let nodes: String = (0..hosts).map(|host| format!("    h{host}:\n")).collect();
        let links: String =
            (0..hosts).map(|host| format!("    - {{endpoints: [s, h{host}]}}\n")).collect();
        let switch = "    s: {kind: switch, spanning_tree: true}\n";
        format!(
            "name: star\ntopology:\n  defaults: {{node: {{ipv4: none}}}}\n  nodes:\n\
             {switch}{nodes}  links:\n{links}"
        )
    };
    assert_eq!(scenario(&star(4095)).links.len(), 4095);
    let findings = load(&star(4096)).unwrap_err().render("star", "");
    assert!(findings.contains("it may have 4095"), "{findings}");
}

#[test]
fn a_direct_link_has_no_properties_and_is_not_logged() {
    let scenario = file("direct.yaml");
    let [fast, slow] = &scenario.links[..] else { panic!("two links") };
    assert_eq!((fast.direct, slow.direct), (true, false));
    assert_eq!([&fast.forward, &fast.reverse], [&Default::default(); 2]);
    assert_eq!(slow.forward.rate.to_string(), "10Mbit/s");
    assert_eq!((fast.costs, interface(&scenario.nodes[0], "eth1").mtu), ([3; 2], 9000));
    assert_eq!(scenario.modelled_links().collect::<Vec<_>>(), [slow]);
    assert_eq!(scenario.measure.frames, ["slow"]);
    assert_eq!(scenario.measure.capture.len(), 1);
}

#[test]
fn the_real_part_of_a_scenario_is_without_simulated_nodes_and_their_links() {
    let whole = file("hybrid.yaml");
    let simulated: Vec<_> =
        whole.nodes.iter().filter(|node| node.simulated).map(|node| node.name.as_str()).collect();
    assert_eq!(simulated, ["r", "c"]);
    let real = whole.real_part();
    let names = |scenario: &Scenario| -> Vec<String> {
        scenario.links.iter().map(|link| link.name.clone()).collect()
    };
    assert_eq!(names(&real), ["b--d"]);
    assert_eq!(whole.simulated_links().count(), 3);
    assert!(real.traffic.is_empty() && !real.is_hybrid() && whole.is_hybrid());
    // Interfaces at simulated links remain.
    assert_eq!(real.node("b").unwrap().interfaces.len(), 2);
}

#[test]
fn all_good_files_load_without_a_warning() {
    let mut count = 0;
    for entry in fs::read_dir(folder()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|extension| extension == "yaml") {
            file(path.file_name().unwrap().to_str().unwrap());
            count += 1;
        }
    }
    assert!(count >= 5);
}

#[test]
fn every_key_reaches_the_resolved_scenario() {
    for name in ["everything", "properties", "traffic", "vlans"] {
        let scenario = file(&format!("{name}.yaml"));
        let text = serde_json::to_string_pretty(&scenario).unwrap() + "\n";
        let golden = folder().join(format!("{name}.json"));
        if env::var_os("BLESS").is_some() {
            fs::write(&golden, &text).unwrap();
        }
        assert_eq!(text, fs::read_to_string(golden).unwrap(), "BLESS=1 accepts the new text");
        assert_eq!(serde_json::from_str::<Scenario>(&text).unwrap(), scenario);
    }
}

#[test]
fn every_property_is_in_the_scenario_of_properties() {
    let text = fs::read_to_string(folder().join("properties.yaml")).unwrap();
    let config = serde_json::to_value(netloom_link::PipeConfig::default()).unwrap();
    for property in config.as_object().unwrap().keys() {
        assert!(text.contains(&format!("{property}:")), "`{property}` is not there");
    }
    let scenario = file("properties.yaml");
    for link in &scenario.links {
        assert_eq!([&link.forward, &link.reverse].map(|pipe| pipe.unread_file()), [None, None]);
    }
}

#[test]
fn strings_of_other_tools_have_the_meaning_of_that_tool() {
    let scenario = file("properties.yaml");
    let tools = scenario.link("tools").unwrap();
    assert_eq!(
        tools.forward.in_words().join(" | "),
        "10Mbit/s | 10ms | jitter normal 2ms, correlation 25% | loss Gilbert-Elliott p 1% r 10% | \
         reorder by jitter"
    );
    assert_eq!(
        tools.forward.framing,
        Framing::Ethernet,
        "what is written wins over what is implied"
    );
    assert_eq!(tools.reverse.in_words().join(" | "), "4Mbit/s | 7ms | loss 1%");
    assert_eq!(tools.reverse.framing, Framing::None);
    assert_eq!(tools.reverse.queue.limit, QueueLimit::Packets(30));
    let bucket = scenario.link("bucket").unwrap();
    assert_eq!(bucket.forward.delay.to_string(), "3ms", "from the defaults");
    assert_eq!(bucket.forward.burst.to_string(), "10KiB");
}

#[test]
fn properties_can_stand_alone() {
    let change = properties("{netem: loss 1%, rate: {trace: files/cellular.trace}}", &mut read);
    let change = change.unwrap_or_else(|findings| panic!("{findings}"));
    assert_eq!(change.keys(), ["rate", "loss"]);
    assert_eq!(change.unread_file(), None);
    let findings = properties("dely: 5ms\nnetem: loss 1%\nloss: 2%\n", &mut read).unwrap_err();
    assert_eq!(
        findings.to_string(),
        "1:1: error: unknown key `dely`; did you mean `delay`?\n\
         3:1: error: `loss` is said twice, here and in `netem`; keep one of them"
    );
}

/// Returns all references of `scenario` to its one trace.
fn traces(scenario: &Scenario) -> Vec<&Arc<RateTrace>> {
    fn of(rate: &RateLimit) -> &Arc<RateTrace> {
        match rate {
            RateLimit::Trace(trace) => trace.values().expect("the file is read"),
            other => panic!("{other:?}"),
        }
    }
    let pipes = scenario.links.iter().flat_map(|link| [&link.forward.rate, &link.reverse.rate]);
    let changes = scenario.timeline.iter().map(|event| match &event.action {
        TimelineAction::SetLink { change, .. } => change.rate.as_ref().expect("a rate"),
        other => panic!("{other:?}"),
    });
    pipes.chain(changes).map(of).collect()
}

#[test]
fn a_file_that_many_links_name_is_read_once_and_held_once() {
    const LINKS: usize = 1000;
    let link = "    - {endpoints: [a, b], rate: {trace: files/cellular.trace}}\n";
    let text = format!(
        "name: one\ntopology:\n  nodes: {{a: , b: }}\n  links:\n{}timeline:\n  \
         - {{at: 1s, link: 'a:eth1--b:eth1', set: {{rate: {{trace: files/cellular.trace}}}}}}\n",
        link.repeat(LINKS)
    );
    let mut times = 0;
    let loaded = load_with_files(&text, &mut |file: &str| {
        times += 1;
        read(file)
    });
    let scenario = loaded.unwrap_or_else(|findings| panic!("{findings}")).scenario;
    assert_eq!(times, 1);
    let one_copy = |scenario: &Scenario| {
        let traces = traces(scenario);
        assert_eq!(traces.len(), 2 * LINKS + 1);
        traces.iter().all(|trace| Arc::ptr_eq(trace, traces[0]))
    };
    assert!(one_copy(&scenario));
    // The scenario as an engine receives it.
    let mut sent: Scenario =
        serde_json::from_str(&serde_json::to_string(&scenario).unwrap()).unwrap();
    assert!(!one_copy(&sent));
    sent.share_data();
    assert!(one_copy(&sent));
    assert_eq!(sent, scenario);
}

#[test]
fn properties_come_from_the_nearest_layer() {
    let scenario = file("everything.yaml");
    let node = |name| scenario.node(name).unwrap();
    assert_eq!(node("a").kind, NodeKind::Host);
    assert_eq!(node("r2").kind, NodeKind::Router, "from its group");
    assert_eq!(node("a").routing, Routing::Hops, "from the defaults");
    assert_eq!(node("r1").routing, Routing::Cost, "from its group");
    assert_eq!(node("r2").routing, Routing::None, "its own");
    assert_eq!(node("a").sysctls["net.ipv4.tcp_congestion_control"], "cubic", "from its kind");
    assert_eq!(node("a").sysctls["net.ipv4.tcp_sack"], "0", "from its group");
    assert_eq!(node("c").sysctls["net.ipv4.tcp_sack"], "1", "from its kind");
    assert_eq!(node("r1").groups, ["core", "edge"]);
    assert_eq!(node("r1").loopback.ipv4, LoopbackAddress::None, "from its later group");
    assert_eq!(node("r2").loopback.ipv4, LoopbackAddress::Auto, "from its kind");
    assert_eq!(interface(node("b"), "eth1").ipv6, Addresses::None);
}

#[test]
fn limits_merge_key_by_key_and_none_takes_one_away() {
    let scenario = scenario(
        "{name: x, topology: {total_limits: {memory: 1GiB}, defaults: {node: {limits: {cpu: 2, \
         pids: 9}}},
            groups: {g: {limits: {cpu: 0.5}, total_limits: {cpu: 0.75}, members: [b]}, \
            h: {members: [b]}},
            nodes: {a: , b: {limits: {pids: none, memory: 64MiB}}}, links: [{endpoints: [a, b]}]}}",
    );
    let limits = |name: &str| scenario.node(name).unwrap().limits.to_string();
    assert_eq!(limits("a"), "cpu 2, pids 9");
    assert_eq!(limits("b"), "cpu 0.5, memory 64MiB");
    let over = |name: &str| {
        let all = scenario.limits_over(scenario.node(name).unwrap());
        all.map(|limits| limits.to_string())
    };
    assert_eq!(over("a"), ["cpu 2, pids 9", "", "memory 1GiB"]);
    assert_eq!(over("b"), ["cpu 0.5, memory 64MiB", "cpu 0.75", "memory 1GiB"]);
    let json = serde_json::to_string(&scenario).unwrap();
    assert_eq!(serde_json::from_str::<Scenario>(&json).unwrap(), scenario);
}

#[test]
fn ends_of_links_can_be_outside() {
    let scenario = scenario(
        "{name: x, topology: {nodes: {a: , b: , s: {kind: switch}}, links: [
            {endpoints: [a, 'macvlan:eth0']}, {endpoints: ['macvlan:eth0', b]}, {endpoints: [s, \
            'device:eth1']},
            {endpoints: ['a:m', 'host:m0'], addresses: [172.30.0.1/24]}, {endpoints: ['s:p', \
            a]}]}}",
    );
    let outside = ["macvlan", "device", "host"];
    let kinds = scenario.nodes.iter().map(|node| (node.name.as_str(), node.kind));
    let found: Vec<_> = kinds.filter(|(_, kind)| *kind == NodeKind::Outside).collect();
    assert_eq!(found, outside.map(|name| (name, NodeKind::Outside)), "behind all others");
    assert_eq!(scenario.links[1].endpoints[0].to_string(), "macvlan:eth0~2");
    let given = |node, name| interface(scenario.node(node).unwrap(), name).clone();
    assert_eq!(given("a", "eth1").ipv4, Addresses::None, "nobody knows what is free there");
    assert_eq!(given("a", "m").ipv4, Addresses::Auto, "beside the machine's");
    assert_eq!(given("a", "m").ipv6, Addresses::None);
    assert_eq!(given("a", "eth2").ipv4, Addresses::Auto, "beyond a switch there may be more");
    assert!(matches!(given("host", "m0").ipv4, Addresses::Fixed(all) if all.len() == 1));
}

#[test]
fn mtus_come_from_interface_then_link_then_node_then_all_links() {
    let scenario = file("everything.yaml");
    let mtu = |node, name| interface(scenario.node(node).unwrap(), name).mtu;
    assert_eq!(mtu("a", "eth1"), 1400);
    assert_eq!(mtu("r1", "eth2"), 9000);
    assert_eq!(mtu("c", "eth1"), 1500);
}

#[test]
fn directions_differ_only_where_the_file_sets_them() {
    let scenario = file("everything.yaml");
    let link = scenario.link("access").unwrap();
    let rate = |text: &str| RateLimit::Limited(text.parse().unwrap());
    assert_eq!(link.forward.rate, rate("20Mbit/s"));
    assert_eq!(link.reverse.rate, rate("10Mbit/s"));
    assert_eq!(link.forward.queue.limit, QueueLimit::Time("50ms".parse().unwrap()));
    assert_eq!(link.reverse.queue.limit, QueueLimit::Bytes("64KiB".parse().unwrap()));
    assert_eq!(link.forward.loss.to_string(), "0.1%");
    assert_eq!(link.reverse.loss.to_string(), "1%");
    assert_eq!(link.forward.framing, Framing::Ethernet);
    assert_eq!(link.forward.in_flight, InFlight::Deliver);
    assert_eq!(link.costs, [7, 9]);
    let other = &scenario.links[1];
    assert_eq!((other.forward.framing, other.costs), (Framing::None, [3; 2]), "from the defaults");
    assert_eq!(other.forward.delay.to_string(), "1ms");
}

#[test]
fn interfaces_are_numbered_around_those_that_are_named() {
    let scenario = scenario(
        "{name: x, topology: {nodes: {a: , b: , c: }, links: [
            {endpoints: [a, b]}, {endpoints: ['a:eth1', c]}, {endpoints: [a, 'c:wan']}, \
            {endpoints: [c, b]}]}}",
    );
    let ends: Vec<String> = scenario
        .links
        .iter()
        .map(|link| format!("{} {}", link.endpoints[0], link.endpoints[1]))
        .collect();
    assert_eq!(ends, ["a:eth2 b:eth1", "a:eth1 c:eth1", "a:eth3 c:wan", "c:eth2 b:eth2"]);
    let names: Vec<&str> =
        scenario.node("a").unwrap().interfaces.iter().map(|one| one.name.as_str()).collect();
    assert_eq!(names, ["eth2", "eth1", "eth3"], "in the order in which the links name them");
}

#[test]
fn links_get_short_names_where_these_are_unique() {
    let names = |links: &str| -> Vec<String> {
        let nodes = "{a: , b: , c: , a--b: }";
        let text = format!("{{name: x, topology: {{nodes: {nodes}, links: [{links}]}}}}");
        let loaded = load(&text).unwrap_or_else(|error| panic!("{error}"));
        loaded.scenario.links.into_iter().map(|link| link.name).collect()
    };
    assert_eq!(names("{endpoints: [a, b]}, {endpoints: [b, c]}"), ["a--b", "b--c"]);
    assert_eq!(
        names("{endpoints: [a, b]}, {endpoints: [b, a]}"),
        ["a:eth1--b:eth1", "b:eth2--a:eth2"]
    );
    assert_eq!(
        names("{endpoints: [b, c], name: a--b}, {endpoints: [a, b]}"),
        ["a--b", "a:eth1--b:eth2"]
    );
    assert_eq!(
        names("{endpoints: [a--b, c]}, {endpoints: [a, b]}, {endpoints: [b, c]}"),
        ["a--b--c", "a--b", "b--c"]
    );
}

#[test]
fn the_timeline_refers_to_links_by_either_name() {
    let scenario = file("everything.yaml");
    let TimelineAction::SetLink { link, direction, .. } = &scenario.timeline[1].action else {
        panic!("{:?}", scenario.timeline[1]);
    };
    assert_eq!((link.as_str(), *direction), ("r1:eth2--r2:eth1", Direction::Both));
    assert!(scenario.link(link).is_some());
    let Start::After { process, when, delay } = &scenario.timeline[2].at else {
        panic!("{:?}", scenario.timeline[2]);
    };
    assert_eq!(
        (process.as_str(), *when, delay.to_string().as_str()),
        ("client", Milestone::Done, "500ms")
    );
}

#[test]
fn texts_are_taken_as_they_are_written() {
    let scenario = scenario(
        "{name: x, topology: {nodes: {a: }}, processes: [
            {name: p, node: a, command: [sleep, 1.50, true, 0x10], env: {A: 1.50, B: yes, \
            C: ''}}]}",
    );
    let process = &scenario.processes[0];
    assert_eq!(process.command.argv(), ["sleep", "1.50", "true", "0x10"]);
    assert_eq!(process.env["A"], "1.50");
    assert_eq!(process.env["B"], "yes");
    assert_eq!(process.env["C"], "");
}

#[test]
fn recorded_frames_that_udp_changes_are_counted() {
    let text = "name: t\ntopology: { nodes: { a: , b: }, links: [{ endpoints: [a, b] }] }\n\
                traffic:\n  - { name: r, from: a, to: b, udp: {}, family: FAMILY, trace: { file: \
                [\"0 59\", \"0.1 60\", \"0.2 80\", \"0.3 1514\", \"0.4 1515\", \"0.5 9000\"] } }\n";
    for (family, expected) in [
        (
            "ipv4",
            "of 6 recorded frames, 1 are shorter than 60B and sent as that, 2 are longer than",
        ),
        (
            "ipv6",
            "of 6 recorded frames, 2 are shorter than 80B and sent as that, 2 are longer than",
        ),
    ] {
        let loaded = load(&text.replace("FAMILY", family)).unwrap();
        let warnings = loaded.warnings.render("scenario", text);
        assert!(warnings.contains(expected), "{warnings}");
    }
    let fits = text.replace("FAMILY", "ipv4").replace("0 59", "0 60");
    let fits = fits.replace("0.4 1515", "0.4 1500").replace("0.5 9000", "0.5 61");
    assert!(load(&fits).unwrap().warnings.is_empty());
}

#[test]
fn addresses_on_private_networks_may_repeat_with_a_warning() {
    let text = "{name: x, topology: {nodes: {
        a: {interfaces: {eth1: {ipv4: 192.168.1.2/24}}}, r: {kind: router},
        b: {interfaces: {eth1: {ipv4: 192.168.1.2/24}}}},
        links: [{endpoints: [a, r]}, {endpoints: [b, r]}]}}";
    let loaded = load(text).unwrap();
    assert_eq!(loaded.warnings.warning_count(), 1, "{}", loaded.warnings);
}

#[test]
fn findings_are_data_for_programs() {
    let findings = load("name: x\ntopology:\n  nodes: {a: {kind: ruter}}\n").unwrap_err();
    let json = serde_json::to_value(&findings).unwrap();
    assert_eq!(
        json,
        serde_json::json!([{
            "severity": "error",
            "line": 3, "column": 21, "end_line": 3, "end_column": 26,
            "message": "unknown value `ruter`",
            "help": "did you mean `router`?",
        }])
    );
    assert_eq!(findings.to_string(), "3:21: error: unknown value `ruter`; did you mean `router`?");
}

#[test]
fn lines_may_end_as_on_other_systems() {
    let text = "name: x\r\ntopology:\r\n  nodes:\r\n    a:\r\n    b:\r\n  links:\r\n    \
        - endpoints: [a, b]\r\n      rate: 1Mbps\r\n";
    let findings = load(text).unwrap_err();
    let first = findings.iter().next().unwrap();
    assert_eq!((first.span.line, first.span.column), (8, 13));
    assert!(!findings.render("x", text).contains('\r'));
    assert_eq!(load("\u{feff}name: x\ntopology: {nodes: {a: }}\n").unwrap().scenario.name, "x");
}

#[test]
fn ports_of_traffic_are_found_where_numbers_end() {
    let entry = |number: usize| {
        let (from, to) = if number.is_multiple_of(2) { ("a", "b") } else { ("b", "a") };
        format!(
            "  - {{name: t{number}, from: {from}, to: {to}, udp: {{}}, cbr: {{rate: 1kbit/s}}}}\n"
        )
    };
    let entries: String = (0..18_540).map(entry).collect();
    let text = format!(
        "name: x\nduration: 1s\ntopology:\n  nodes: {{a: , b: }}\n  \
         links: [{{endpoints: [a, b]}}]\ntraffic:\n{entries}"
    );
    let loaded = netloom_scenario::load(&text);
    let loaded = loaded.unwrap_or_else(|bad| panic!("{}", bad.render("x", &text)));
    let port = |number: usize| loaded.scenario.traffic[number].transport.port().unwrap().1;
    assert_eq!([port(0), port(1), port(18_535)], [47_000, 47_001, 65_535]);
    // The first entry uses port 47000 of b, the second 47001 of a.
    assert_eq!([18_536, 18_537, 18_538, 18_539].map(port), [47_001, 47_000, 47_003, 47_002]);
}

#[test]
fn a_range_of_names_is_as_many_nodes() {
    let scenario = file("node_ranges.yaml");
    let nodes = scenario.nodes.iter().map(|node| (node.name.as_str(), node.kind));
    let expected = [("n1", NodeKind::Router), ("n2", NodeKind::Host), ("n3", NodeKind::Router)];
    assert_eq!(nodes.collect::<Vec<_>>(), expected);
}

#[test]
fn links_are_called_by_their_ends_in_either_order() {
    let text = "
name: x
topology:
  nodes: { a: , b: , c: , c--d: }
  links:
    - { endpoints: [a, b] }
    - { endpoints: [a, c] }
    - { endpoints: [a, c] }
    - { endpoints: [b, c--d], name: long }
";
    let loaded = scenario(text);
    let called = |name: &str| match loaded.link_called(name) {
        Ok((link, turned)) => (link.name.clone(), turned),
        Err(several) => (several.join(" "), false),
    };
    let one = |name: &str, turned| (name.to_owned(), turned);
    assert_eq!(called("a--b"), one("a--b", false));
    assert_eq!(called("b--a"), one("a--b", true));
    assert_eq!(called("b:eth1--a:eth1"), one("a--b", true));
    assert_eq!(called("b:eth1--a"), one("a--b", true));
    assert_eq!(called("a--c"), one("a:eth2--c:eth1 a:eth3--c:eth2", false));
    assert_eq!(called("c:eth2--a:eth3"), one("a:eth3--c:eth2", true));
    assert_eq!(called("long"), one("long", false));
    assert_eq!(called("c--d--b"), one("long", true));
    assert_eq!(called("b--c"), one("", false));
    let event = |event: &str| {
        let text = format!("{text}timeline:\n  - {{ at: 1s, {event} }}\n");
        load(&text).map(|loaded| loaded.scenario.timeline).map_err(|e| e.to_string())
    };
    let by_name = event("link: a--b, state: down");
    assert_eq!(event("link: b--a, state: down"), by_name);
    assert!(by_name.is_ok());
    let fault = event("link: c--a, state: down").unwrap_err();
    assert!(fault.contains("`c--a` stands for 2 links"), "{fault}");
    assert!(fault.contains("write one of `a:eth2--c:eth1`, `a:eth3--c:eth2`"), "{fault}");
    let fault = event("link: b--a, direction: forward, state: down").unwrap_err();
    assert!(fault.contains("`b--a` is link `a--b`, whose directions are its own"), "{fault}");
}

#[test]
fn a_matrix_is_an_entry_for_each_demand() {
    let text = "
name: x
duration: 1s
topology:
  nodes: { a: , b: , c: , s: { kind: switch } }
  links:
    - { endpoints: [a, s] }
    - { endpoints: [b, s] }
    - { endpoints: [c, s] }
traffic:
  - { name: x, from: c, to: b, udp: {}, cbr: { rate: 1Mbit/s } }
  - name: m
    matrix: { file: m.csv, unit: kbit/s, scale: 1.5 }
    udp: { dscp: ef }
    size: 1000B
";
    let mut files = |_: &str| Ok("a,b,2\nc,b,0\na,c,3\nb,c,1\n".to_owned());
    let loaded = load_with_files(text, &mut files).unwrap();
    let all = loaded.scenario.traffic.iter().skip(1).map(|one| {
        let rate = match &one.model {
            Model::Cbr(cbr) => cbr.rate.unwrap().bits_per_second(),
            other => panic!("{other:?}"),
        };
        (one.name.as_str(), one.from.join(" "), one.to.join(" "), rate, one.transport.port())
    });
    let entry = |name, from: &str, to: &str, rate, port| {
        (name, from.to_owned(), to.to_owned(), rate, Some((false, port)))
    };
    // Ports of each receiver begin behind the two entries of the file.
    assert_eq!(
        all.collect::<Vec<_>>(),
        [
            entry("m.a.b", "a", "b", 3000, 47002),
            entry("m.a.c", "a", "c", 4500, 47002),
            entry("m.b.c", "b", "c", 1500, 47003),
        ]
    );
}

/// A reflector that no link leads to has no session; the others load.
#[test]
fn a_reflector_may_have_no_link() {
    let text = "name: x\nduration: 1s\ntopology:\n  kinds: { router: { services: { ospf: , \
                bgp: { as: 65000, reflectors: [alone] } } } }\n  nodes:\n    \
                a: { kind: router }\n    b: { kind: router }\n    alone: { kind: router }\n  \
                links: [{ endpoints: [a, b] }]\n";
    load(text).unwrap_or_else(|bad| panic!("{}", bad.render("x", text)));
}
