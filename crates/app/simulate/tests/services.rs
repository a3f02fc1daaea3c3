//! Routing services in simulations: planned routes in their place, or a refusal.

use netloom_scenario::Scenario;
use netloom_simulate::{Commands, check};

/// Three routers in a row with `SERVICES`, of which one has `ONE` besides.
const ROW: &str = "
name: row
duration: 1s
topology:
  kinds: { router: { services: { SERVICES } } }
  nodes:
    a: { kind: router ONE }
    b: { kind: router }
    c: { kind: router }
    h:
  links:
    - { endpoints: [a, b] }
    - { endpoints: [b, c], cost: 3 }
    - { endpoints: [c, h] }
traffic:
  - { name: x, from: a, to: h, udp: {}, cbr: { rate: 1Mbit/s } }
";

fn scenario(services: &str, one: &str) -> Scenario {
    let text = ROW.replace("SERVICES", services).replace("ONE", one);
    netloom_scenario::load(&text).unwrap_or_else(|findings| panic!("{findings}")).scenario
}

fn errors(services: &str, one: &str) -> String {
    check(&scenario(services, one), Commands::Refused).errors.join("\n")
}

#[test]
fn routing_services_are_tolerated_with_a_note() {
    for services in
        ["ospf: , ospf6: ", "isis: , bfd: ", "rip: ", "bird: ", "ospf: , bgp: { as: 1 }"]
    {
        let support = check(&scenario(services, ""), Commands::Refused);
        assert_eq!(support.errors, [""; 0], "{services}");
        let [note] = &support.notes[..] else { panic!("{:?}", support.notes) };
        assert!(note.contains("no routing protocol runs ("), "{note}");
        assert!(support.not_modelled.iter().any(|what| what.starts_with("Routing protocols")));
    }
    assert_eq!(check(&scenario("", ""), Commands::Refused).notes, [""; 0]);
}

#[test]
fn what_shortest_paths_cannot_stand_for_is_refused_by_name() {
    for (services, one, says) in [
        ("ospf: , web: ", "", "service `web` of node `a` cannot be simulated"),
        ("ospf: , pim: ", "", "service `pim` of node `a`"),
        ("static: ", "", "service `static` of node `a`"),
        ("babel: ", "", "service `babel` of node `a`"),
        ("bird: { babel: true }", "", "service `bird` (`babel: true`) of node `a`"),
        ("ospf: , zebra: { ra: true }", "", "service `zebra` (`ra: true`) of node `a`"),
        ("ospf: { redistribute: [kernel] }", "", "service `ospf` (`redistribute: [kernel]`)"),
        ("bgp: { as: 1 }", "", "`bgp` of node `a` without an interior protocol"),
        ("ospf: , bgp: { as: 1, networks: [10.9.0.0/16] }", "", "service `bgp` (`networks`)"),
        (
            "ospf: , bgp: { as: 1 }",
            ", services: { bgp: { as: 2 } }",
            "BGP between systems (1 of `b`, 2 of `a`), whose routes depend on policies",
        ),
        (
            "ospf: ",
            ", services: { ospf: { area: 1 } }, \
             interfaces: { eth1: { services: { ospf: { area: 0 } } } }",
            "areas of `ospf` (0, 1) cannot be simulated",
        ),
        ("ospf: ", ", services: { ospf: false, isis: }", "router `a` speaks isis and `b` ospf"),
        ("ospf: ", ", services: { ospf: false }", "router `a` speaks none and `b` ospf"),
        (
            "ospf: ",
            ", files: { /etc/frr/ospfd.conf: { content: x } }",
            "file `/etc/frr/ospfd.conf` of node `a`, which replaces what its services generate",
        ),
    ] {
        let found = errors(services, one);
        assert!(found.contains(says), "{services} {one}: {found}");
    }
}
