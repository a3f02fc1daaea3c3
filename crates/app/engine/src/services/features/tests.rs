use super::*;

fn scenario(text: &str) -> (Scenario, Plan) {
    let scenario = netloom_scenario::load(text).unwrap().scenario;
    let plan = netloom_plan::plan(&scenario).unwrap();
    (scenario, plan)
}

#[test]
fn commands_that_make_a_kind_are_recognised() {
    let shell = |line: &str| named(&Command::Shell(line.into()));
    let discipline = |kind: &str| Some(Feature::Discipline(kind.into()));
    let interfaces = |kind: &str| Some(Feature::Interfaces(kind.into()));
    assert_eq!(shell("tc qdisc add dev eth1 root netem delay 5ms"), discipline("netem"));
    assert_eq!(shell("/sbin/tc -s qdisc replace dev e parent 1:1 handle 2: fq"), discipline("fq"));
    assert_eq!(shell("tc qdisc add dev eth1 ingress"), discipline("ingress"));
    assert_eq!(shell("ip link add red type vrf table 10"), interfaces("vrf"));
    assert_eq!(shell("ip link add link eth1 name eth1.5 type vlan id 5"), interfaces("vlan"));
    let argv = ["ip", "link", "add", "x", "type", "dummy"].map(String::from);
    assert_eq!(named(&Command::Exec(argv.to_vec())), interfaces("dummy"));
}

#[test]
fn other_commands_ask_for_nothing() {
    for line in [
        "tc qdisc show dev eth1",
        "tc qdisc del dev eth1 root",
        "tc -s",
        "ip link set eth1 up",
        "ip link add",
        "ip link add x type $KIND",
        "tc qdisc add dev eth1 root fq || true",
        "echo tc qdisc add dev eth1 root fq",
        "",
    ] {
        assert_eq!(named(&Command::Shell(line.into())), None, "{line}");
    }
}

#[test]
fn everything_that_nodes_of_the_machine_ask_for_is_named_with_its_users() {
    let (scenario, plan) = scenario(
        "name: x\nduration: 9s\ntopology:\n  nodes:\n    \
           a: { sysctls: { net.ipv4.ip_default_ttl: 9 }, \
                startup: [tc qdisc add dev eth1 root fq] }\n    \
           b: { sysctls: { net.ipv4.ip_default_ttl: 9 } }\n    \
           own: { kernel: own, sysctls: { net.core.rmem_max: 9 }, \
                  startup: [tc qdisc add dev eth1 root cake] }\n  links:\n    \
           - { endpoints: [a, b], direct: true }\n    - { endpoints: [own, b] }\n    \
           - { endpoints: [a, b], rate: 1Mbit/s, queue: { full: wait } }\n\
         processes:\n  - { name: p, node: b, command: [ip, link, add, v, type, vrf] }\n",
    );
    let words = |run| -> Vec<String> {
        let asked = asked(&scenario, &plan, run).0;
        asked.iter().map(|(feature, by)| format!("{feature}: {}", first_of(by))).collect()
    };
    let all = words(true);
    let has = |text: &str| all.iter().any(|line| line.starts_with(text));
    assert!(has("parameter `net.ipv4.ip_default_ttl`: `a`, `b`"), "{all:?}");
    assert!(has("interfaces of kind `veth`: link "), "{all:?}");
    assert!(has("interfaces of kind `vrf`: process `p` in `b`"), "{all:?}");
    assert!(has("queueing discipline `fq`: `startup` in `a`"), "{all:?}");
    assert!(has("queueing discipline `tbf`: link "), "{all:?}");
    assert!(!all.iter().any(|line| line.contains("own") || line.contains("cake")), "{all:?}");
    assert!(!words(false).iter().any(|line| line.contains("vrf")), "{:?}", words(false));
}

#[test]
fn parameters_of_interfaces_that_a_node_lacks_are_refused() {
    let with = |key: &str| {
        scenario(&format!(
            "name: x\ntopology:\n  nodes: {{ a: {{ sysctls: {{ {key}: 1 }} }}, b: }}\n  \
             links: [{{ endpoints: [a, b] }}]\n"
        ))
    };
    for key in ["net.ipv4.conf.eth1.proxy_arp", "net.ipv4.conf.all.proxy_arp", "net.ipv4.x"] {
        check_interfaces(&with(key).1).unwrap();
    }
    let error = check_interfaces(&with("net.ipv4.conf.eth9.proxy_arp").1).unwrap_err().to_string();
    assert!(error.contains("no interface `eth9`, only `lo` and eth1"), "{error}");
}
