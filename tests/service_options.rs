//! Effects of the options of all built-in services: a daemon's own default can make an option void.
//! The tables name every option of every template, so that a new option without a row fails.

mod common;

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use common::Lab;
use netloom_scenario::service::{builtin, builtin_names};

/// An option, `@` in front where an interface sets it, and how its effect shows: what a command in
/// a node prints sooner or later. A word that begins with `!` must be absent.
struct Row {
    service: &'static str,
    option: &'static str,
    node: &'static str,
    command: &'static str,
    shows: &'static [&'static str],
}

const fn row(
    service: &'static str,
    option: &'static str,
    node: &'static str,
    command: &'static str,
    shows: &'static [&'static str],
) -> Row {
    Row { service, option, node, command, shows }
}

/// Prints the intervals in Babel's hellos and updates that `eth1` receives in some seconds.
const BABEL: &str = r#"python3 -c '
import socket, struct, time
s = socket.socket(socket.AF_PACKET, socket.SOCK_DGRAM, socket.htons(0x86dd))
s.bind(("eth1", 0)); s.settimeout(1)
found, end = set(), time.time() + 8
while time.time() < end and len(found) < 2:
    try: data, sender = s.recvfrom(65535)
    except TimeoutError: continue
    if sender[2] == 4 or data[6] != 17 or data[42:44] != struct.pack("!H", 6696): continue
    at, body = 4, data[48:]
    while at + 2 <= len(body):
        kind, length = body[at], (0 if body[at] == 0 else body[at + 1])
        value = body[at + 2:at + 2 + length]
        if kind == 4: found.add("hello %d cs" % struct.unpack("!H", value[4:6]))
        if kind == 8: found.add("update %d cs" % struct.unpack("!H", value[4:6]))
        at += 1 if kind == 0 else 2 + length
print(*sorted(found), sep="\n")
'"#;

/// Routers of FRR's daemons in a row, all of one system. What is set differs from all defaults.
const FRR: &str = r#"topology:
  defaults: { node: { kind: router } }
  kinds:
    router:
      services:
        zebra: { ra: true, ra_interval: 7 }
        ospf: { area: 5, hello: 1, dead: 3 }
        ospf6: { area: 5, hello: 1, dead: 3 }
        isis: { area: "49.0007", level: level-1, hello: 2 }
        rip: { update: 5, timeout: 16, garbage: 9 }
        bgp: { as: 65001, keepalive: 3, hold: 9 }
        babel: { hello: 1500ms, update: 5s }
        bfd: { transmit: 550ms, receive: 600ms, multiplier: 7 }
        pim: { hello: 11, igmp_version: 2, query: 33 }
  nodes:
    a:
      services:
        static: { routes: [ip route 10.66.0.0/16 Null0, "ipv6 route fd66::/32 Null0"] }
        ospf: { spf_delay: 11ms, spf_hold: 77ms, spf_most: 999ms, redistribute: [static] }
        ospf6: { redistribute: [static] }
        isis: { lsp_interval: 4, spf_interval: 6 }
        rip: { redistribute: [static] }
        bgp: { networks: [10.77.0.0/16, "fd77::/32"], redistribute: [static] }
        babel: { redistribute: [static] }
        pim: { rp: [10.255.0.1 239.0.0.0/8] }
    b:
      services: { bgp: { route_reflector: true } }
      interfaces: { eth2: { services: &other {
        zebra: { ra_interval: 8 }, ospf: { area: 6, hello: 2, dead: 5 },
        ospf6: { area: 6, hello: 2, dead: 5 }, isis: { hello: 4 },
        babel: { hello: 1600ms, update: 6s },
        pim: { hello: 12, igmp: true, igmp_version: 3, query: 34 } } } }
    c: { interfaces: { eth1: { services: *other } } }
    d:
      services: { zebra: { ra: false }, pim: { igmp: false }, ospf: false, ospf6: false,
        isis: false, rip: false, bgp: false, babel: false, bfd: false }
      interfaces: { eth1: { services: { zebra: { ra: true }, pim: { igmp: true } } } }
  links: [{ endpoints: [a, b] }, { endpoints: [b, c] }, { endpoints: [d, c] },
    { endpoints: ["d:eth2", "c:eth3"] }]
"#;

const OSPF1: &str = "vtysh -c 'show ip ospf interface eth1'";
const OSPF2: &str = "vtysh -c 'show ip ospf interface eth2' -c 'show ip ospf neighbor'";
const OSPF6_1: &str = "vtysh -c 'show ipv6 ospf6 interface eth1'";
const OSPF6_2: &str = "vtysh -c 'show ipv6 ospf6 interface eth2' -c 'show ipv6 ospf6 neighbor'";
const RIP: &str = "vtysh -c 'show ip rip status'";
const BGP: &str = "vtysh -c 'show bgp neighbors'";
const BGP_ROUTES: &str = "vtysh -c 'show bgp ipv4 unicast' -c 'show bgp ipv6 unicast'";
const SPF: &str = "vtysh -c 'show ip ospf'";
const BFD: &str = "vtysh -c 'show bfd peers'";
const IGMP: &str = "vtysh -c 'show ip igmp interface detail'";

const OF_FRR: &[Row] = &[
    row(
        "zebra",
        "ra",
        "a",
        "vtysh -c 'show interface eth1'",
        &["ND router advertisements are sent"],
    ),
    row("zebra", "@ra", "d", "vtysh -c 'show interface'", &["ND router advertisements are sent"]),
    row("zebra", "ra_interval", "a", "vtysh -c 'show interface eth1'", &["sent every 7 seconds"]),
    row("zebra", "@ra_interval", "b", "vtysh -c 'show interface eth2'", &["sent every 8 seconds"]),
    row("static", "routes", "a", "ip route; ip -6 route", &["blackhole 10.66.0.0/16", "fd66::/32"]),
    row("ospf", "area", "a", OSPF1, &["Area 0.0.0.5"]),
    row("ospf", "@area", "b", OSPF2, &["Area 0.0.0.6", "Full/"]),
    row("ospf", "hello", "a", OSPF1, &["Hello 1s"]),
    row("ospf", "@hello", "b", OSPF2, &["Hello 2s"]),
    row("ospf", "dead", "a", OSPF1, &["Dead 3s"]),
    row("ospf", "@dead", "b", OSPF2, &["Dead 5s"]),
    row("ospf", "spf_delay", "a", SPF, &["Initial SPF scheduling delay 11 millisec"]),
    row("ospf", "spf_hold", "a", SPF, &["Minimum hold time between consecutive SPFs 77 millisec"]),
    row("ospf", "spf_most", "a", SPF, &["Maximum hold time between consecutive SPFs 999 millisec"]),
    row("ospf", "redistribute", "b", "vtysh -c 'show ip ospf database external'", &["10.66.0.0"]),
    row("ospf6", "area", "a", OSPF6_1, &["Area ID 0.0.0.5"]),
    row("ospf6", "@area", "b", OSPF6_2, &["Area ID 0.0.0.6", "Full/"]),
    row("ospf6", "hello", "a", OSPF6_1, &["Hello 1("]),
    row("ospf6", "@hello", "b", OSPF6_2, &["Hello 2("]),
    row("ospf6", "dead", "a", OSPF6_1, &["Dead 3"]),
    row("ospf6", "@dead", "b", OSPF6_2, &["Dead 5"]),
    row(
        "ospf6",
        "redistribute",
        "b",
        "vtysh -c 'show ipv6 ospf6 database as-external'",
        &["fd66::"],
    ),
    row("isis", "area", "a", "vtysh -c 'show isis summary'", &["49.0007"]),
    row("isis", "level", "a", "vtysh -c 'show isis neighbor'", &["  1  Up"]),
    row("isis", "hello", "a", "vtysh -c 'show isis interface detail'", &["Hello interval: 2"]),
    row("isis", "@hello", "b", "vtysh -c 'show isis interface detail'", &["Hello interval: 4"]),
    row("isis", "lsp_interval", "a", "vtysh -c 'show running-config isisd'", &["gen-interval 4"]),
    row("isis", "spf_interval", "a", "vtysh -c 'show isis summary'", &["minimum interval  : 6"]),
    row("rip", "update", "a", RIP, &["Sending updates every 5 seconds"]),
    row("rip", "timeout", "a", RIP, &["Timeout after 16 seconds"]),
    row("rip", "garbage", "a", RIP, &["garbage collect after 9 seconds"]),
    row("rip", "redistribute", "b", "vtysh -c 'show ip rip'", &["10.66.0.0/16"]),
    row("bgp", "as", "b", BGP, &["remote AS 65001, local AS 65001, internal link"]),
    row("bgp", "keepalive", "b", BGP, &["keepalive interval is 3 seconds"]),
    row("bgp", "hold", "b", BGP, &["hold time is 9 seconds"]),
    row("bgp", "networks", "b", BGP_ROUTES, &["10.77.0.0/16", "fd77::/32"]),
    row("bgp", "redistribute", "b", BGP_ROUTES, &["10.66.0.0/16", "fd66::/32"]),
    row("bgp", "route_reflector", "c", BGP_ROUTES, &["10.77.0.0/16", "fd77::/32"]),
    row("babel", "hello", "b", BABEL, &["hello 150 cs"]),
    row("babel", "@hello", "c", BABEL, &["hello 160 cs"]),
    row("babel", "update", "b", BABEL, &["update 500 cs"]),
    row("babel", "@update", "c", BABEL, &["update 600 cs"]),
    row(
        "babel",
        "redistribute",
        "c",
        "vtysh -c 'show babel route'",
        &["10.66.0.0/16", "fd66::/32"],
    ),
    row("bfd", "transmit", "a", BFD, &["Status: up", "Transmission interval: 550ms"]),
    row("bfd", "receive", "a", BFD, &["Receive interval: 600ms"]),
    row("bfd", "multiplier", "a", BFD, &["Detect-multiplier: 7"]),
    row("pim", "rp", "a", "vtysh -c 'show ip pim rp-info'", &["10.255.0.1", "239.0.0.0/8"]),
    row("pim", "hello", "a", "vtysh -c 'show ip pim interface eth1'", &["Period", "11"]),
    row("pim", "@hello", "b", "vtysh -c 'show ip pim interface eth2'", &["Period", "12"]),
    row("pim", "igmp", "d", "vtysh -c 'show ip igmp interface' | tr -s ' '", &["!eth2 up"]),
    row("pim", "@igmp", "d", "vtysh -c 'show ip igmp interface' | tr -s ' '", &["eth1 up"]),
    row("pim", "igmp_version", "a", IGMP, &["eth1", "2"]),
    row("pim", "@igmp_version", "b", "vtysh -c 'show ip igmp interface'", &[" 3 "]),
    row("pim", "query", "a", IGMP, &["33"]),
    row("pim", "@query", "b", IGMP, &["34"]),
];

/// The other daemons, and those that share gateway addresses.
const OTHERS: &str = r##"topology:
  groups:
    area: { members: [x, y], kind: router, services: { bird: { area: 3, hello: 2, dead: 7,
      babel: true, babel_hello: 3s, as: 65010, bfd: true } } }
    system: { members: ["k[1-3]"], kind: router, services: { bird: { ospf: false, as: 65020 } } }
    inner: { members: ["u[1-3]"], kind: router, services: { ospf: { hello: 1, dead: 3 },
      bgp: { as: 65030, reflectors: [u2] } } }
    babel: { members: [m, n, o], kind: router, services: { babeld: { hello: 3, update: 9 } } }
    mesh: { members: [p, q], kind: router, services: { batmand: { interval: 100ms } } }
    gate: { members: [v1, v2], kind: router, services: { vrrp: {
      address: [10.9.0.254, "fd09::fe"], id: 7, priority: 150, interval: 500ms, preempt: false } } }
  nodes:
    x: { interfaces: { eth2: { services: &other { bird: { area: 4, hello: 3, dead: 9 } } } } }
    y: { interfaces: { eth2: { services: *other } } }
    k1: { loopback: { ipv4: 10.99.0.1 } }
    k2: { services: { bird: { route_reflector: true } } }
    k3:
    u1: { loopback: { ipv4: 10.98.0.1 } }
    u2: { loopback: { ipv4: 10.98.0.2 } }
    u3: { loopback: { ipv4: 10.98.0.3 } }
    m:
    n: { interfaces: { eth2: { services: &far { babeld: { hello: 4, update: 10 } } } } }
    o: { interfaces: { eth1: { services: *far } } }
    p:
    q:
    v1: { interfaces: { eth1: { ipv4: 10.9.0.1/24, ipv6: "fd09::1/64" } } }
    v2:
      interfaces:
        eth1:
          ipv4: 10.9.0.2/24
          ipv6: fd09::2/64
          services: { vrrp: { address: [10.9.0.253], id: 8, priority: 90, interval: 600ms,
            preempt: true } }
    server:
      interfaces: { eth1: { ipv4: 10.8.0.1/24 } }
      services:
        dnsmasq: { lease: 10min, domain: lab.example, records: ["www.example,192.0.2.7"] }
        web: { port: 8081, directory: /run/mine }
        SSHD
      files: { /run/mine/page: { content: mine } }
    mute: { interfaces: { eth1: { ipv4: 10.6.0.1/24 } }, services: { dnsmasq: { dhcp: false } } }
    client:
      interfaces: { eth1: { ipv4: none }, eth2: { ipv4: none } }
      files: { /run/show: { mode: "0755", content: "#!/bin/sh\necho domain=$domain\n" } }
  links: [{ endpoints: [x, y] }, { endpoints: [x, y] }, { endpoints: [k1, k2] },
    { endpoints: [k2, k3] }, { endpoints: [u1, u2] }, { endpoints: [u2, u3] },
    { endpoints: [m, n] }, { endpoints: [n, o] }, { endpoints: [p, q] },
    { endpoints: [v1, v2] }, { endpoints: [server, client] }, { endpoints: [client, mute] }]
"##;

const BIRD: &str = "birdc -s /run/bird/bird.ctl show ospf interface";
const VRRP: &str = "vtysh -c 'show vrrp'";
const LEASE: &str = "udhcpc -f -n -q -t 5 -T 1 -i eth1 -s /run/show 2>&1";

const OF_OTHERS: &[Row] = &[
    row(
        "bgp",
        "reflectors",
        "u3",
        BGP,
        &["BGP neighbor is 10.98.0.2", "BGP state = Established", "!BGP neighbor is 10.98.0.1"],
    ),
    row("bird", "ospf", "k1", "birdc -s /run/bird/bird.ctl show protocols", &["!OSPF"]),
    row("bird", "area", "x", BIRD, &["Area: 0.0.0.3"]),
    row("bird", "@area", "x", BIRD, &["Area: 0.0.0.4"]),
    row("bird", "hello", "x", BIRD, &["Hello timer: 2"]),
    row("bird", "@hello", "x", BIRD, &["Hello timer: 3"]),
    row("bird", "dead", "x", BIRD, &["Dead timer: 7"]),
    row("bird", "@dead", "x", BIRD, &["Dead timer: 9"]),
    row("bird", "babel", "x", "birdc -s /run/bird/bird.ctl show babel neighbors", &["fe80::"]),
    row("bird", "babel_hello", "x", BABEL, &["hello 300 cs"]),
    row(
        "bird",
        "as",
        "x",
        "birdc -s /run/bird/bird.ctl show protocols all",
        &["Local AS:         65010"],
    ),
    row(
        "bird",
        "route_reflector",
        "k3",
        "birdc -s /run/bird/bird.ctl show route",
        &["10.99.0.1/32"],
    ),
    row("bird", "bfd", "x", "birdc -s /run/bird/bird.ctl show bfd sessions", &["Up"]),
    row("babeld", "hello", "m", BABEL, &["hello 300 cs"]),
    row("babeld", "@hello", "o", BABEL, &["hello 400 cs"]),
    row("babeld", "update", "m", BABEL, &["update 900 cs"]),
    row("babeld", "@update", "o", BABEL, &["update 1000 cs"]),
    // With the default of a second, two nodes send six in that time.
    row(
        "batmand",
        "interval",
        "q",
        "timeout 3 tcpdump -i eth1 -c 20 udp port 4305 2>&1",
        &["20 packets captured"],
    ),
    row(
        "dnsmasq",
        "dhcp",
        "client",
        "udhcpc -f -n -q -t 3 -T 1 -i eth2 -s /run/show 2>&1",
        &["no lease"],
    ),
    row("dnsmasq", "lease", "client", LEASE, &["lease time 600"]),
    row("dnsmasq", "domain", "client", LEASE, &["domain=lab.example"]),
    row("dnsmasq", "records", "server", "dig +short @10.8.0.1 www.example", &["192.0.2.7"]),
    row("web", "port", "server", "curl -s http://10.8.0.1:8081/page", &["mine"]),
    row("web", "directory", "server", "curl -s http://10.8.0.1:8081/page", &["mine"]),
    row("sshd", "port", "server", "ssh-keyscan -p 2222 10.8.0.1 2>/dev/null", &["ssh-ed25519"]),
    // Who has the key logs in: `names_pages_and_shells_are_served` of `tests/services.rs`.
    row("sshd", "authorized_keys", "server", "cat /etc/ssh/authorized_keys", &["ssh-ed25519 AAAA"]),
    row("vrrp", "address", "v1", VRRP, &["10.9.0.254", "fd09::fe"]),
    row("vrrp", "@address", "v2", VRRP, &["10.9.0.253", "!10.9.0.254"]),
    row("vrrp", "id", "v1", VRRP, &["00:00:5e:00:01:07", "Master"]),
    row("vrrp", "@id", "v2", VRRP, &["00:00:5e:00:01:08", "Master"]),
    row("vrrp", "priority", "v1", VRRP, &["150"]),
    row("vrrp", "@priority", "v2", VRRP, &["90"]),
    row("vrrp", "interval", "v1", VRRP, &["500 ms"]),
    row("vrrp", "@interval", "v2", VRRP, &["600 ms"]),
    row("vrrp", "preempt", "v1", "vtysh -c 'show vrrp' | grep Preempt", &["No", "!Yes"]),
    row("vrrp", "@preempt", "v2", "vtysh -c 'show vrrp' | grep Preempt", &["Yes", "!No"]),
];

/// Whether users can be changed to here: an ordinary user takes subordinate ids.
fn has_other_users() -> bool {
    let has = std::env::var("SUBORDINATE_IDS").as_deref() != Ok("no");
    if !has {
        eprintln!("not tested: FRR and sshd take subordinate ids");
    }
    has
}

/// Tries all rows until each has shown its effect.
fn check(lab: &Lab, rows: &[Row]) {
    let deadline = Instant::now() + Duration::from_secs(120);
    let mut open: Vec<&Row> = rows.iter().collect();
    loop {
        let mut missing = Vec::new();
        open.retain(|row| {
            let (_, output) = lab.try_sh(row.node, row.command);
            let shows = row.shows.iter().all(|word| match word.strip_prefix('!') {
                Some(absent) => !output.contains(absent),
                None => output.contains(word),
            });
            if !shows {
                missing.push(format!(
                    "{}.{}: `{}` in {} does not show {:?} but:\n{output}",
                    row.service, row.option, row.command, row.node, row.shows
                ));
            }
            !shows
        });
        if open.is_empty() {
            return;
        }
        assert!(Instant::now() < deadline, "{}", missing.join("\n\n"));
        std::thread::sleep(Duration::from_secs(1));
    }
}

#[test]
fn every_option_of_every_service_has_a_row() {
    let rows = || OF_FRR.iter().chain(OF_OTHERS);
    let named: BTreeSet<String> =
        rows().map(|row| format!("{}.{}", row.service, row.option)).collect();
    let mut all = BTreeSet::new();
    for service in builtin_names() {
        for (option, properties) in builtin(service).unwrap().options {
            all.insert(format!("{service}.{option}"));
            if properties.per_interface {
                all.insert(format!("{service}.@{option}"));
            }
        }
    }
    let missing: Vec<&String> = all.difference(&named).collect();
    let unknown: Vec<&String> = named.difference(&all).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "missing: {missing:?}, unknown: {unknown:?}");
    assert!(all.len() > 60 && rows().all(|row| !row.shows.is_empty()), "{all:?}");
}

#[test]
fn options_of_frr_have_their_effects() {
    if has_other_users() {
        check(&Lab::deployed(FRR), OF_FRR);
    }
}

#[test]
fn options_of_the_other_services_have_their_effects() {
    if !has_other_users() {
        return;
    }
    let sshd = "sshd: { port: 2222, authorized_keys: [ssh-ed25519 AAAAC3NzaC1lZDI1NTE5 x] }";
    check(&Lab::deployed(&OTHERS.replace("SSHD", sshd)), OF_OTHERS);
}

fn converges(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(90);
    while !condition() {
        assert!(Instant::now() < deadline, "waited 90 s in vain: {what}");
        std::thread::sleep(Duration::from_millis(200));
    }
}

#[test]
fn routers_share_a_gateway_and_hosts_take_prefixes() {
    if !has_other_users() {
        return;
    }
    let lab = Lab::deployed(
        "topology:
  defaults: { node: { loopback: none } }
  nodes:
    s: { kind: switch }
    r1:
      kind: router
      services: { zebra: { ra: true, ra_interval: 3 }, vrrp: { priority: 200 } }
      interfaces: { eth1: { ipv4: 10.9.0.1/24, ipv6: 'fd09::1/64',
        services: { vrrp: { address: 10.9.0.254, interval: 100ms } } } }
    r2:
      kind: router
      services: { vrrp: { address: 10.9.0.254, interval: 100ms } }
      interfaces: { eth1: { ipv4: 10.9.0.2/24, ipv6: none } }
    h: { interfaces: { eth1: { ipv4: 10.9.0.9/24, ipv6: none } },
      routes: [{ to: 0.0.0.0/0, via: 10.9.0.254 }],
      sysctls: { net.ipv6.conf.default.accept_ra: 1, net.ipv6.conf.all.accept_ra: 1 } }
  links:
    - { endpoints: [r1, s], name: first }
    - { endpoints: [r2, s] }
    - { endpoints: [h, s] }
",
    );
    let gateway = || lab.try_sh("h", "ping -c 1 -W 1 10.9.0.254 >/dev/null && ip neigh").1;
    converges("the gateway has the shared Ethernet address", || {
        gateway().contains("10.9.0.254 dev eth1 lladdr 00:00:5e:00:01:01")
    });
    converges("the first router is the master", || {
        lab.sh("r1", "vtysh -c 'show vrrp'").contains("Master")
            && lab.sh("r2", "vtysh -c 'show vrrp'").contains("Backup")
    });
    converges("the host has an address and a route that a router announces", || {
        let addresses = lab.sh("h", "ip -6 address show dev eth1; ip -6 route");
        addresses.contains("inet6 fd09::") && addresses.contains("default via fe80::")
    });
    lab.ok(&["set", &format!("first@{}", lab.name), "state=down"]);
    converges("the second router takes the gateway's address", || {
        lab.sh("r2", "vtysh -c 'show vrrp'").contains("Master") && !gateway().is_empty()
    });
}

#[test]
fn areas_multicast_and_lost_neighbours() {
    if !has_other_users() {
        return;
    }
    // `abr` is in two areas, without a file of its own. Hellos are too slow to notice a loss.
    let lab = Lab::deployed(
        "topology:
  kinds: { router: { ipv6: none, services: { bfd: , ospf: { hello: 1, dead: 40 }, pim: { rp: \
  10.99.0.1 } } } }
  defaults: { node: { ipv6: none } }
  nodes:
    a: { kind: router }
    abr: { kind: router, loopback: { ipv4: 10.99.0.1 }, interfaces: { eth2: { services: { ospf: \
    { area: 1 } } } } }
    c: { kind: router, services: { ospf: { area: 1 } } }
    sender:
    listener:
  links:
    - { endpoints: [sender, a] }
    - { endpoints: [a, abr] }
    - { endpoints: [abr, c], name: last }
    - { endpoints: [c, listener] }
",
    );
    converges("the other area's hosts are reached", || {
        lab.try_sh("sender", "ping -c 1 -W 1 listener").0 == 0
    });
    let between = lab.sh("c", "vtysh -c 'show ip route ospf'");
    assert!(between.contains("O>* 10.") || between.contains("O IA>* 10."), "{between}");
    assert!(lab.sh("abr", "vtysh -c 'show ip ospf'").contains("ABR"), "abr is none");
    let listen = "timeout 90 python3 -c '
import socket, struct
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.bind((\"\", 5000))
group = socket.inet_aton(\"239.1.1.1\") + struct.pack(\"!I\", 0)
s.setsockopt(socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, group)
print(s.recv(100).decode())'";
    let send = "timeout 90 python3 -c '
import os, socket, time
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, 16)
while not os.path.exists(\"/run/heard\"):
    s.sendto(b\"to all\", (\"239.1.1.1\", 5000))
    time.sleep(0.2)'";
    std::thread::scope(|scope| {
        scope.spawn(|| lab.try_sh("sender", send));
        let (code, heard) = lab.try_sh("listener", listen);
        lab.sh("sender", "touch /run/heard");
        assert_eq!((code, heard.trim()), (0, "to all"));
    });
    converges("BFD is up", || lab.sh("c", "vtysh -c 'show bfd peers'").contains("Status: up"));
    lab.ok(&["set", &format!("last@{}", lab.name), "loss=100%"]);
    let lost = Instant::now();
    while lab.sh("c", "vtysh -c 'show ip ospf neighbor'").contains("Full") {
        assert!(lost.elapsed() < Duration::from_secs(35), "BFD noticed nothing");
        std::thread::sleep(Duration::from_millis(200));
    }
}
