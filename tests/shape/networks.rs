//! Claims in other network namespaces: root's in those with a path, users' in those of their own
//! user namespaces.

use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::Duration;

use crate::common::{eventually, takes_root, text};
use crate::host::{ALICE, BOB, DELAY, Host, PYTHON, Running, SHAPED, THERE, WHY, batch};

const POLICY: &str = "\
allow: ['1001', '1002']
containers: true
interfaces: [eth0]
changes_per_second: 100000
";

/// Addresses of the container and of the other host, joined by a line of their own.
const INSIDE: &str = "198.51.100.1";
const OUTSIDE: &str = "198.51.100.2";

/// A process of a user with a network namespace of its own, as a rootless container has, joined to
/// host `b` by `in0`.
fn container(host: &Host, user: u32) -> Running {
    let mut command = host.command(0, Some(user), "unshare");
    command.args(["--user", "--map-root-user", "--net", "sh", "-c", "echo; exec sleep 600"]);
    let mut inside = command.stdout(Stdio::piped()).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(inside.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let (inside, b) = (Running(inside), &host.names[1]);
    let pid = inside.0.id();
    batch(&[], &format!("link add in0 netns {pid} type veth peer name out0 netns {b}\n"));
    host.ip(1, &format!("addr add {OUTSIDE}/24 dev out0\nlink set out0 up\n"));
    let mut ip = std::process::Command::new("nsenter");
    ip.arg(format!("--net=/proc/{pid}/ns/net")).args(["sh", "-ec"]);
    ip.arg(format!("ip addr add {INSIDE}/24 dev in0; ip link set in0 up; ip link set lo up"));
    assert!(ip.status().unwrap().success());
    inside
}

/// The shortest round trip from a container.
fn round_trip(inside: &Running, port: u16) -> Duration {
    let mut client = std::process::Command::new("nsenter");
    client.arg(format!("--net=/proc/{}/ns/net", inside.0.id())).arg(PYTHON);
    let output = client.args(["-c", crate::host::CLIENT, OUTSIDE, &port.to_string()]).output();
    let output = output.unwrap();
    let nanos = text(&output.stdout).trim().parse();
    Duration::from_nanos(nanos.unwrap_or_else(|_| panic!("{}", text(&output.stderr))))
}

/// The devices of a side that are a claim's.
fn taps(host: &Host, side: usize) -> usize {
    let links = host.command(side, None, "ip").args(["-o", "link"]).output().unwrap();
    text(&links.stdout).lines().filter(|line| line.contains(": nls")).count()
}

#[test]
fn root_claims_in_a_network_namespace_with_a_path() {
    if !takes_root("root_claims_in_a_network_namespace_with_a_path", WHY) {
        return;
    }
    let mut host = Host::with_policy("n", POLICY);
    let _server = host.server(1, None, "0.0.0.0", 7001);
    let there = format!("--netns /run/netns/{}", host.names[1]);
    // It has no default route.
    let said = host.refusal(None, &format!("add web {there} --server tcp/7001 --both {DELAY}"));
    assert!(said.contains("that network has no default route"), "{said}");
    let add = format!("add web {there} --interface eth0 --server tcp/7001 --both {DELAY}");
    let said = host.ok(None, &add);
    assert!(said.contains(&format!("in /run/netns/{} at eth0", host.names[1])), "{said}");
    assert!(host.round_trip(0, None, THERE, 7001) >= SHAPED);
    assert_eq!((taps(&host, 0), taps(&host, 1)), (0, 2));
    assert!(!host.verdict().contains("cannot"), "{}", host.verdict());
    // A claim at the device of the same name here is another matter.
    host.ok(None, "add here --server tcp/7001 --interface eth0 --both delay=1ms");
    assert!(host.refusal(None, &add.replace("web", "too")).contains("in your claim \"web\""));
    host.ok(None, "remove here");
    // The loopback there has settings of its own.
    let local = "/proc/sys/net/ipv4/conf/lo/route_localnet";
    let setting = |side| {
        let output = host.command(side, None, "cat").arg(local).output().unwrap();
        text(&output.stdout)
    };
    host.ok(None, &format!("add lo {there} --interface lo --server tcp/7001 --both {DELAY}"));
    assert_eq!([setting(0), setting(1)], ["0\n", "1\n"]);
    assert!(host.round_trip(1, None, "127.0.0.1", 7001) >= SHAPED);
    // A dead daemon leaves nothing there, and the next one takes the claims up.
    let mut daemon = host.daemon.take().unwrap();
    daemon.kill().unwrap();
    daemon.wait().unwrap();
    eventually("the kernel removes the TAPs", || taps(&host, 1) == 0);
    assert!(host.round_trip(0, None, THERE, 7001) < SHAPED);
    host.serve();
    assert_eq!(host.claims().len(), 2);
    assert!(host.round_trip(0, None, THERE, 7001) >= SHAPED);
    host.ok(None, "remove lo");
    eventually("the setting is put back", || {
        let output = host.command(1, None, "cat").arg(local).output().unwrap();
        text(&output.stdout) == "0\n"
    });
    // With the name goes the claim, which does not keep the namespace.
    batch(&[], &format!("netns delete {}\n", host.names[1]));
    let lost = host.await_event("lost");
    assert_eq!(lost["claim"], "web");
    eventually("there is no claim", || host.claims().is_empty());
}

#[test]
fn users_claim_in_network_namespaces_of_their_own() {
    if !takes_root("users_claim_in_network_namespaces_of_their_own", WHY) {
        return;
    }
    let host = Host::with_policy("u", POLICY);
    let _server = host.server(1, None, "0.0.0.0", 7001);
    let mut inside = container(&host, ALICE);
    let pid = inside.0.id();
    // All of it is Alice's, whoever its users are: no port is too low, and no device is another's.
    let add = format!("add box --pid {pid} --everything --interface in0 --both rate=10Mbit/s");
    host.ok(Some(ALICE), &format!("{add} {DELAY}"));
    assert!(round_trip(&inside, 7001) >= SHAPED);
    assert!(host.round_trip(0, None, THERE, 7001) < SHAPED);
    let said = host.refusal(None, &add);
    assert!(said.contains("everything is claimed by 1001 as \"box\""), "{said}");
    let said = host.refusal(Some(BOB), &add);
    assert!(said.contains(&format!("of process {pid} is not yours")), "{said}");
    let said = host.refusal(Some(ALICE), "add x --netns /run/netns/none --client 80");
    assert!(said.contains("`netns` is for root: give the `pid`"), "{said}");
    let said = host.refusal(None, "add x --pid 4194305 --everything");
    assert!(said.contains("of process 4194305: there is no such process"), "{said}");
    let said = host.refusal(None, &format!("add x --pid {pid} --user 0 --interface in0"));
    assert!(said.contains("has users of its own"), "{said}");
    let said = host.refusal(None, &format!("add x --pid {pid} --server 80 --reserve"));
    assert!(said.contains("`reserve` keeps ports of this host"), "{said}");
    // A process of the daemon's own network is no other network's.
    let daemon = host.daemon.as_ref().unwrap().id();
    let add = format!("add mine --pid {daemon} --client tcp/7001 --both rate=10Mbit/s {DELAY}");
    host.ok(Some(ALICE), &add);
    assert!(host.round_trip(0, Some(ALICE), THERE, 7001) >= SHAPED);
    assert!(host.round_trip(0, Some(BOB), THERE, 7001) < SHAPED);
    // The claim goes with the process.
    inside.0.kill().unwrap();
    inside.0.wait().unwrap();
    assert_eq!(host.await_event("lost")["claim"], "box");
}

#[test]
fn a_daemon_without_the_right_enters_no_other_network() {
    if !takes_root("a_daemon_without_the_right_enters_no_other_network", WHY) {
        return;
    }
    let host = Host::new("w");
    for selector in [format!("--netns /run/netns/{}", host.names[1]), "--pid 1".into()] {
        let said = host.refusal(None, &format!("add web {selector} --server 80 --both {DELAY}"));
        assert!(said.contains("write `containers: true` into /"), "{said}");
    }
    let said = host.refusal(None, "add web --netns b --server 80");
    assert!(said.contains("`b` is no path of a network namespace"), "{said}");
}
