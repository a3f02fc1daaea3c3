//! Links to the world outside. The machine of these tests is made up: a network namespace in which
//! `netloom` runs as a whole, with an uplink to another namespace, the world, in which a server is.

#[path = "../common/mod.rs"]
mod common;
mod machine;

use std::process::Stdio;

use common::{Lab, eventually, kill, rewrite};
use machine::{Inner, Machine, destroyed, inside, ip, killed};
use nix::sys::signal::Signal;
use serde_json::Value;

#[test]
fn the_machine_reaches_nodes_and_they_reach_it_over_a_modelled_link() {
    let name = "the_machine_reaches_nodes_and_they_reach_it_over_a_modelled_link";
    let Some(machine) = Machine::new(name) else { return };
    let before = machine.devices();
    let lab = Lab::new(
        "topology:\n  nodes: { a: , b: }\n  links:\n    \
         - { endpoints: ['a:mgmt', 'host:net0'], addresses: [172.30.0.1/24, fd30::1/64], \
         delay: 20ms }\n    \
         - { endpoints: ['a:eth1', 'b:eth1'] }\n",
    );
    machine.ok(&lab, &["deploy"]);
    let nodes: Value =
        serde_json::from_str(&machine.ok(&lab, &["inspect", "--format", "json"])).unwrap();
    let address = |family: usize| {
        let addresses = &nodes["nodes"][0]["interfaces"][0]["addresses"];
        addresses[family].as_str().unwrap().split('/').next().unwrap().to_owned()
    };
    assert!(address(0).starts_with("172.30.0."), "{nodes}");
    for family in [0, 1] {
        let answer = machine.sh(&format!("ping -n -c 3 -i 0.1 -W 2 {}", address(family)));
        let time = answer.split(" = ").nth(1).unwrap().split('/').next().unwrap();
        let least: f64 = time.trim().parse().unwrap();
        assert!((40.0..400.0).contains(&least), "20 ms there and back: {answer}");
    }
    lab.sh("a", "ping -n -c 1 -W 2 172.30.0.1");
    // Large transfers are super-frames, which are cut on the way.
    lab.sh("a", "python3 -m http.server 80 -d /usr/bin >/dev/null 2>&1 </dev/null & true");
    eventually("the server listens", || lab.sh("a", "ss -tln").contains(":80 "));
    let fetched = machine.sh(&format!(
        "python3 -c \"import urllib.request as u; \
         print(len(u.urlopen('http://{}/python3').read()))\"",
        address(0)
    ));
    let size = std::fs::metadata("/usr/bin/python3").unwrap().len();
    assert_eq!(fetched.trim(), size.to_string());
    destroyed(&machine, &lab, &before);
}

#[test]
fn nodes_reach_the_world_through_the_machines_address() {
    let name = "nodes_reach_the_world_through_the_machines_address";
    let Some(mut machine) = Machine::new(name) else { return };
    machine.serve();
    let before = machine.devices();
    // Of IPv6, one device is said to forward, which is of no effect while the machine as a whole
    // does not.
    machine.sh("sysctl -qw net.ipv6.conf.lo.forwarding=1");
    let forwarding = || {
        let files = ["ipv4/conf/up0", "ipv6/conf/all", "ipv6/conf/default", "ipv6/conf/up0"];
        let all = files.map(|file| machine.sh(&format!("cat /proc/sys/net/{file}/forwarding")));
        all.concat() + &machine.sh("cat /proc/sys/net/ipv6/conf/lo/forwarding")
    };
    let not_forwarding = "0\n0\n0\n0\n1\n";
    assert_eq!(forwarding(), not_forwarding);
    let lab = Lab::new(
        "topology:\n  nodes:\n    r: { kind: router, routes: \
         [{ to: 0.0.0.0/0, via: 172.30.0.1 }, { to: '::/0', via: 'fd30::1' }] }\n  links:\n    \
         - { endpoints: ['r:out', 'nat:nat0'], addresses: [172.30.0.1/24, fd30::1/63], \
         delay: 5ms }\n",
    );
    let seen_from = |server: &str| {
        let client = format!(
            "import socket; print(socket.create_connection(('{server}', 7), 5).recv(99).decode())"
        );
        lab.sh("r", &format!("python3 -c \"{client}\""))
    };
    for end in ["destroy", "kill"] {
        machine.ok(&lab, &["deploy"]);
        assert_eq!(seen_from("198.51.100.2"), "198.51.100.1\n");
        assert_eq!(seen_from("fd98::2"), "fd98::1\n");
        assert_eq!(forwarding(), "1\n1\n1\n1\n1\n");
        if end == "kill" {
            killed(&machine, &lab, &before);
        } else {
            destroyed(&machine, &lab, &before);
        }
        assert_eq!(forwarding(), not_forwarding);
    }
    // A machine that has its default route from a router's advertisement would lose it.
    // Who advertises is a router. Another's neighbour advertisements would say that it is none, and
    // the kernel would drop the route with the first of them (RFC 4861, section 7.2.5).
    machine.in_world("sysctl -qw net.ipv6.conf.all.forwarding=1");
    // Routers say it again and again: the world's address may not be ready for the first.
    eventually("the machine has a default route", || {
        machine.in_world(&format!("python3 -c \"{ADVERTISE}\""));
        machine.ip("-6 route").contains("default")
    });
    let words = machine.fails(&lab, &["deploy"]);
    assert!(words.contains("net.ipv6.conf.up0.accept_ra=2"), "{words}");
    assert_eq!(machine.devices(), before);
    machine.sh("sysctl -qw net.ipv6.conf.up0.accept_ra=2");
    machine.ok(&lab, &["deploy"]);
    assert_eq!(seen_from("fd98::2"), "fd98::1\n");
    assert!(machine.ip("-6 route").contains("default"));
    destroyed(&machine, &lab, &before);
    assert!(machine.ip("-6 route").contains("default"));
}

#[test]
fn the_machine_is_no_router_for_those_around_it() {
    let name = "the_machine_is_no_router_for_those_around_it";
    let Some(machine) = Machine::new(name) else { return };
    let inner = Inner::new(&machine);
    let scenario = |device: &str, net: u8| {
        format!(
            "topology:\n  nodes:\n    r: {{ kind: router, routes: [{{ to: 0.0.0.0/0, via: \
             172.{net}.0.1 }}, {{ to: '::/0', via: 'fd{net}::1' }}] }}\n  links:\n    \
             - {{ endpoints: \
             ['r:out', 'nat:{device}'], addresses: [172.{net}.0.1/24, 'fd{net}::1/63'] }}\n"
        )
    };
    let ping = |to: &str| format!("ping -n -c 1 -W 1 {to} >/dev/null && echo yes || echo no");
    let from_world = |to: &str| machine.in_world(&ping(to)) == "yes\n";
    let from_node = |lab: &Lab, to: &str| lab.sh("r", &ping(to)) == "yes\n";
    let [first, second] = [("nat0", 30), ("nat1", 31)].map(|it| Lab::new(&scenario(it.0, it.1)));
    machine.ok(&first, &["deploy"]);
    // What they ask for themselves is answered.
    for to in ["198.51.100.2", "fd98::2", "10.99.0.5", "fd99::5"] {
        assert!(from_node(&first, to), "{to}");
    }
    let before = inner.echoes();
    for to in ["10.99.0.5", "fd99::5"] {
        assert!(!from_world(to), "{to}");
    }
    assert_eq!(inner.echoes(), before, "the world reaches what is behind the machine");
    for to in ["172.30.0.2", "fd30::2"] {
        assert!(!from_world(to), "{to}");
    }
    assert_eq!(inner.sh(&ping("198.51.100.2")), "no\n");
    // Another experiment beside it, which the first one's bounds let pass.
    machine.ok(&second, &["deploy"]);
    for to in ["198.51.100.2", "fd98::2"] {
        assert!(from_node(&second, to) && from_node(&first, to), "{to}");
    }
    machine.ok(&second, &["destroy"]);
    machine.ok(&first, &["destroy"]);
    // What the machine forwards by itself, it goes on to forward.
    machine.sh("sysctl -qw net.ipv4.conf.all.forwarding=1 net.ipv6.conf.all.forwarding=1");
    let all = |when: &str| {
        assert!(from_world("10.99.0.5") && from_world("fd99::5"), "{when}");
        assert_eq!(inner.sh(&ping("198.51.100.2")), "yes\n", "{when}");
    };
    all("before");
    machine.ok(&first, &["deploy"]);
    all("meanwhile");
    assert!(from_node(&first, "198.51.100.2") && from_node(&first, "fd98::2"));
    assert!(!from_world("172.30.0.2") && !from_world("fd30::2"));
    machine.ok(&first, &["destroy"]);
    all("after");
}

#[test]
fn tables_and_devices_of_others_are_left_alone() {
    let Some(machine) = Machine::new("tables_and_devices_of_others_are_left_alone") else { return };
    let lab = Lab::new(
        "topology:\n  nodes: { r: }\n  links:\n    \
         - { endpoints: ['r:out', 'nat:nat0'], addresses: [172.30.0.1/24] }\n",
    );
    let table = format!("netloom-{}", lab.name);
    machine.sh(&format!("nft add table inet {table}; nft add chain inet {table} mine"));
    let words = machine.fails(&lab, &["deploy"]);
    assert!(words.contains("has not made"), "{words}");
    machine.ok(&lab, &["cleanup", &lab.name]);
    assert!(machine.sh(&format!("nft list table inet {table}")).contains("mine"));
    machine.sh(&format!("nft delete table inet {table}"));
    machine.ok(&lab, &["deploy"]);
    assert!(machine.sh(&format!("nft list table inet {table}")).contains("masquerade"));
    machine.ok(&lab, &["destroy"]);
    assert_eq!(machine.sh("nft list tables"), "");
    // Somebody takes the TAP away and makes one of that name.
    rewrite(&lab, "topology:\n  nodes: { r: }\n  links: [{ endpoints: ['r:out', 'tap:vm0'] }]\n");
    machine.ok(&lab, &["deploy"]);
    machine.ip("link delete vm0");
    machine.ip("tuntap add vm0 mode tap");
    kill(lab.engine_pid(), Signal::SIGKILL);
    machine.ok(&lab, &["cleanup", &lab.name]);
    assert!(machine.devices().contains(&"vm0".to_owned()));
}

/// The engine is killed between moving a device back and bringing it up.
#[test]
fn a_device_that_was_up_is_up_again_whenever_the_engine_was_killed() {
    let name = "a_device_that_was_up_is_up_again_whenever_the_engine_was_killed";
    let Some(machine) = Machine::new(name) else { return };
    machine.uplink("dev0");
    machine.sh("sysctl -qw net.ipv6.conf.dev0.disable_ipv6=1");
    let lab = Lab::new(
        "topology:\n  nodes: { a: }\n  links: [{ endpoints: ['a:eth1', 'device:dev0'] }]\n",
    );
    machine.ok(&lab, &["deploy"]);
    kill(lab.engine_pid(), Signal::SIGKILL);
    // What a destroying engine does first; the device is down then.
    let apart = format!("{}.+outside", lab.name);
    ip(&["-n", &apart, "link", "set", "dev0", "netns", &machine.machine]);
    assert!(!machine.ip("link show dev0").contains(",UP"));
    machine.ok(&lab, &["cleanup", &lab.name]);
    assert!(machine.ip("link show dev0").contains(",UP"));
    assert_eq!(lab.remains(), [""; 0]);
}

/// A router says to all at `up0` that it is one.
const ADVERTISE: &str = "\
import socket, struct
s = socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6)
s.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)
s.sendto(struct.pack('!BBHBBHII', 134, 0, 0, 64, 0, 1800, 0, 0), ('ff02::1', 0, 0, \
socket.if_nametoindex('up0')))
";

#[test]
fn nodes_have_addresses_of_their_own_beside_a_device() {
    let Some(mut machine) = Machine::new("nodes_have_addresses_of_their_own_beside_a_device")
    else {
        return;
    };
    machine.serve();
    let before = machine.devices();
    let lab = Lab::new(
        "topology:\n  nodes:\n    \
         a: { interfaces: { eth1: { ipv4: 198.51.100.10/24 } } }\n    \
         b: { interfaces: { eth1: { ipv4: 198.51.100.11/24 } } }\n  links:\n    \
         - { endpoints: ['a:eth1', 'macvlan:up0'], delay: 10ms }\n    \
         - { endpoints: ['b:eth1', 'macvlan:up0'] }\n",
    );
    machine.ok(&lab, &["deploy"]);
    let client =
        "import socket; print(socket.create_connection(('198.51.100.2', 7), 5).recv(99).decode())";
    for (node, address) in [("a", "198.51.100.10\n"), ("b", "198.51.100.11\n")] {
        assert_eq!(lab.sh(node, &format!("python3 -c \"{client}\"")), address);
    }
    machine.in_world("ping -n -c 1 -W 2 198.51.100.10");
    // Between the two, and the machine goes on using its device.
    lab.sh("a", "ping -n -c 1 -W 2 198.51.100.11");
    machine.sh("ping -n -c 1 -W 2 198.51.100.2");
    let inspected: Value =
        serde_json::from_str(&lab.ok(&["inspect", &lab.name, "--format", "json"])).unwrap();
    assert_eq!(inspected["links"][1]["endpoints"][1]["interface"], "up0~2");
    assert_eq!(inspected["timing"]["unmodelled_drops"], serde_json::json!({}));
    destroyed(&machine, &lab, &before);
}

#[test]
fn a_device_is_taken_and_given_back() {
    let Some(mut machine) = Machine::new("a_device_is_taken_and_given_back") else { return };
    machine.uplink("dev0");
    machine.in_world("ip address add 203.0.113.2/24 dev dev0");
    // Who answers to requests for an address in VLAN 7, with a tag.
    let tagged = "\
import socket
s = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(0x0806))
s.bind(('dev0', 0x0806))
print('listening', flush=True)
mac = s.getsockname()[4]
while True:
    frame = s.recv(2000)
    if frame[38:42] == bytes([203, 0, 114, 2]):
        s.send(frame[6:12] + mac + b'\\x81\\0\\0\\7' + frame[12:20] + b'\\0\\2' + mac + \
        frame[38:42] + frame[22:32])
";
    let mut answering = inside(&machine.world, &["python3", "-c", tagged]);
    machine.server = Some(answering.stdout(Stdio::piped()).spawn().unwrap());
    let output = machine.server.as_mut().unwrap().stdout.as_mut().unwrap();
    std::io::Read::read_exact(output, &mut [0; 9]).unwrap();
    let before = machine.devices();
    let lab = Lab::new(
        "topology:\n  nodes:\n    s: { kind: switch }\n    \
         a: { interfaces: { eth1: { ipv4: 203.0.113.10/24 }, eth1.7: { ipv4: \
         203.0.114.10/24 } } }\n    \
         b: { interfaces: { eth1: { ipv4: 203.0.113.11/24 } } }\n  links:\n    \
         - { endpoints: ['a:eth1', 's:p1'] }\n    \
         - { endpoints: ['b:eth1', 's:p2'] }\n    \
         - { endpoints: ['s:p3', 'device:dev0'], delay: 5ms }\n",
    );
    for end in ["destroy", "kill", "destroy"] {
        machine.ok(&lab, &["deploy"]);
        assert!(!machine.devices().contains(&"dev0".to_owned()));
        for node in ["a", "b"] {
            lab.sh(node, "ping -n -c 2 -i 0.1 -W 2 203.0.113.2");
        }
        // The kernel keeps the tag beside the frame.
        eventually("the address in the VLAN is resolved", || {
            lab.try_sh("a", "ping -n -c 1 -W 0.3 203.0.114.2");
            lab.sh("a", "ip neighbour show dev eth1.7").contains("lladdr")
        });
        if end == "kill" {
            killed(&machine, &lab, &before);
        } else {
            destroyed(&machine, &lab, &before);
        }
        assert!(machine.ip("link show dev0").contains("state UP"), "it was up before");
    }
}

#[test]
fn a_virtual_machine_opens_its_tap() {
    let Some(machine) = Machine::new("a_virtual_machine_opens_its_tap") else { return };
    let before = machine.devices();
    let lab = Lab::new(
        "topology:\n  nodes:\n    a: { interfaces: { eth1: { ipv4: 192.0.2.1/24 } } }\n  \
         links:\n    \
         - { endpoints: ['a:eth1', 'tap:vm0'], delay: 10ms }\n",
    );
    machine.ok(&lab, &["deploy"]);
    // What a virtual machine does: opens the TAP, and answers a request for its address.
    let vm = "\
import fcntl, os, struct
tap = os.open('/dev/net/tun', os.O_RDWR)
fcntl.ioctl(tap, 0x400454ca, struct.pack('16sH', b'vm0', 0x1002))
mac = bytes.fromhex('020000000077')
print('open', flush=True)
while True:
    frame = os.read(tap, 2000)
    if frame[12:14] == b'\\x08\\x06' and frame[38:42] == bytes([192, 0, 2, 2]):
        os.write(tap, frame[6:12] + mac + frame[12:20] + b'\\0\\2' + mac + frame[38:42] \
        + frame[22:32])
";
    let mut command = inside(&machine.machine, &["python3", "-c", vm]);
    let mut vm = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = [0; 5];
    std::io::Read::read_exact(vm.stdout.as_mut().unwrap(), &mut line).unwrap();
    eventually("the address is resolved", || {
        lab.try_sh("a", "ping -n -c 1 -W 0.3 192.0.2.2");
        lab.sh("a", "ip neighbour").contains("02:00:00:00:00:77")
    });
    // What a virtual machine uses cannot be taken away, and stays as it was.
    rewrite(&lab, "topology:\n  nodes: { a: }\n");
    let refused = machine.fails(&lab, &["apply"]);
    assert!(refused.contains("tap:vm0") && refused.contains("nothing has changed"), "{refused}");
    lab.sh("a", "ip neighbour flush dev eth1");
    eventually("the address is resolved again", || {
        lab.try_sh("a", "ping -n -c 1 -W 0.3 192.0.2.2");
        lab.sh("a", "ip neighbour").contains("02:00:00:00:00:77")
    });
    vm.kill().unwrap();
    vm.wait().unwrap();
    machine.ok(&lab, &["apply"]);
    assert_eq!(machine.devices(), before);
    destroyed(&machine, &lab, &before);
}

#[test]
fn ends_outside_come_and_go_while_the_network_runs() {
    let name = "ends_outside_come_and_go_while_the_network_runs";
    let Some(mut machine) = Machine::new(name) else { return };
    machine.serve();
    machine.uplink("dev0");
    machine.in_world("ip address add 203.0.113.2/24 dev dev0");
    let before = machine.devices();
    let forwarding = || machine.sh("cat /proc/sys/net/ipv4/conf/up0/forwarding");
    let nodes = [
        "a: {}",
        "b: {}",
        "r: { kind: router, routes: [{ to: 0.0.0.0/0, via: 172.30.0.1 }] }",
        "m: { interfaces: { eth1: { ipv4: 198.51.100.10/24 } } }",
        "d: { interfaces: { eth1: { ipv4: 203.0.113.10/24 } } }",
        "t: { interfaces: { eth1: { ipv4: 192.0.2.1/24 } } }",
    ];
    let of = |links: &[&str]| {
        let inner =
            ["- { endpoints: ['a:eth1', 'b:eth1'] }", "- { endpoints: ['r:lan', 'a:lan'] }"];
        let links = [&inner, links].concat().join("\n    ");
        let has_link = |node: &&&str| links.contains(&format!("'{}:", &node[..1]));
        let nodes: Vec<&str> = nodes.iter().filter(has_link).copied().collect();
        format!("topology:\n  nodes:\n    {}\n  links:\n    {links}\n", nodes.join("\n    "))
    };
    let host = "- { endpoints: ['r:out', 'host:lab0'], addresses: [172.30.0.1/24], delay: 5ms }";
    let nat = host.replace("host", "nat");
    let beside = "- { endpoints: ['m:eth1', 'macvlan:up0'] }";
    let device = "- { endpoints: ['d:eth1', 'device:dev0'] }";
    let tap = "- { endpoints: ['t:eth1', 'tap:vm0'] }";
    let moved = host.replace("172.30.0.1/24", "172.30.0.2/24");
    let lab = Lab::new(&of(&[host]));
    let apply = |links: &[&str]| {
        rewrite(&lab, &of(links));
        machine.ok(&lab, &["apply"])
    };
    machine.ok(&lab, &["deploy"]);
    // What stays is not touched.
    lab.sh("a", "ping -n -i 0.05 b > pings 2>&1 & true");
    let out = || lab.sh("r", "ip -4 -o address show dev out | grep -o '172[0-9.]*' | head -1");
    machine.sh(&format!("ping -n -c 1 -W 2 {}", out()));

    rewrite(&lab, &of(&[&nat, beside, device, tap]));
    let printed = machine.ok(&lab, &["apply", "--dry-run"]);
    assert!(printed.contains("- link r--host:") && printed.contains("+ link r--nat:"), "{printed}");
    assert_eq!(machine.devices().len(), before.len() + 1, "nothing was done yet");

    apply(&[&nat, beside, device, tap]);
    assert_eq!(forwarding(), "1\n");
    let client =
        "import socket; print(socket.create_connection(('198.51.100.2', 7), 5).recv(99).decode())";
    let seen_as = |node: &str| lab.sh(node, &format!("python3 -c \"{client}\""));
    assert_eq!(seen_as("r"), "198.51.100.1\n");
    assert_eq!(seen_as("m"), "198.51.100.10\n");
    lab.sh("d", "ping -n -c 1 -W 2 203.0.113.2");
    let devices = machine.devices();
    assert!(devices.contains(&"vm0".into()) && !devices.contains(&"dev0".into()), "{devices:?}");

    // Another address of the machine: the end is made anew.
    apply(&[&moved, tap]);
    assert_eq!(forwarding(), "0\n");
    machine.sh(&format!("ping -n -c 1 -W 2 {}", out()));
    lab.sh("r", "ping -n -c 1 -W 2 172.30.0.2");
    assert!(machine.ip("link show dev0").contains("state UP"), "it was up before");

    // What cannot be had is refused, and nothing has changed.
    let devices = machine.devices();
    rewrite(&lab, &of(&[&moved, tap, "- { endpoints: ['m:eth1', 'device:up0'] }"]));
    let refused = machine.fails(&lab, &["apply"]);
    assert!(
        refused.contains("the machine uses it") && refused.contains("nothing has changed"),
        "{refused}"
    );
    assert_eq!(machine.devices(), devices);

    // A later step fails: what was taken is given back, and what was given back is taken again.
    let fails = of(&[&nat, beside, device])
        .replace("a: {}", "a: { sysctls: { net.ipv4.tcp_congestion_control: bbr3 } }");
    rewrite(&lab, &fails);
    let failed = machine.fails(&lab, &["apply"]);
    assert!(failed.contains("nothing has changed") && failed.contains("bbr3"), "{failed}");
    assert_eq!((machine.devices(), forwarding()), (devices, "0\n".into()));
    machine.sh(&format!("ping -n -c 1 -W 2 {}", out()));

    apply(&[&nat, device]);
    assert_eq!(seen_as("r"), "198.51.100.1\n");
    apply(&[]);
    assert_eq!((machine.devices(), forwarding()), (before.clone(), "0\n".into()));
    apply(&[&nat, beside, device, tap]);
    lab.sh("a", "pkill -INT ping; sleep 0.2; grep ' 0% packet loss' pings");
    killed(&machine, &lab, &before);
    assert_eq!(forwarding(), "0\n");
}

#[test]
fn what_cannot_be_had_is_refused_before_anything_is_made() {
    let name = "what_cannot_be_had_is_refused_before_anything_is_made";
    let Some(machine) = Machine::new(name) else { return };
    let before = machine.devices();
    for (end, words) in [
        ("device:nothing0", "the machine has no device `nothing0`; it has up0"),
        ("device:up0", "the machine uses it, with the address 198.51.100.1"),
        ("tap:up0", "has a device `up0` already"),
        ("host:up0", "has a device `up0` already"),
    ] {
        let lab = Lab::new(&format!(
            "topology: {{ nodes: {{ a: }}, links: [{{ endpoints: ['a:eth1', '{end}'] }}] }}\n"
        ));
        let said = machine.fails(&lab, &["deploy"]);
        assert!(said.contains(words) && said.contains(end), "{said}");
        assert_eq!(lab.remains(), [""; 0]);
        assert_eq!(machine.devices(), before);
    }
}

#[test]
fn an_ordinary_user_is_refused() {
    if nix::unistd::geteuid().is_root() {
        return;
    }
    let lab =
        Lab::new("topology: { nodes: { a: }, links: [{ endpoints: ['a:eth1', 'tap:vm0'] }] }\n");
    let (_, words) = lab.fails(&["deploy"]);
    assert!(words.contains("run NetLoom as root"), "{words}");
    assert_eq!(lab.remains(), [""; 0]);
}
