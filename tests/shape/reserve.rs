//! `reserve`: local ports that nobody else may bind.

use std::process::Output;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::{takes_root, text};
use crate::host::{ALICE, BOB, HERE, Host, PYTHON, THERE, WHY};

const POLICY: &str = "allow: ['1001', '1002']\nreserve: true\n";

/// Binds ports, given as `tcp4:7001`, and prints what happened to each.
const BIND: &str = "
import errno, socket, sys
for word in sys.argv[1:]:
    kind, port = word.split(':')
    family = socket.AF_INET6 if kind.endswith('6') else socket.AF_INET
    of = socket.SOCK_STREAM if kind.startswith('tcp') else socket.SOCK_DGRAM
    try:
        socket.socket(family, of).bind(('', int(port)))
        print('ok')
    except OSError as error:
        print(errno.errorcode[error.errno])
";

/// What happens to a user who binds ports on a side.
fn bind(host: &Host, side: usize, user: Option<u32>, ports: &[&str]) -> Vec<String> {
    let mut command = host.command(side, user, PYTHON);
    let Output { stdout, stderr, .. } = command.args(["-c", BIND]).args(ports).output().unwrap();
    let found: Vec<String> = text(&stdout).lines().map(Into::into).collect();
    assert_eq!(found.len(), ports.len(), "{}", text(&stderr));
    found
}

#[test]
fn a_reserved_port_is_bound_by_its_user_alone() {
    if !takes_root("a_reserved_port_is_bound_by_its_user_alone", WHY) {
        return;
    }
    let mut host = Host::with_policy("v", POLICY);
    const ADD: &str = "--server tcp/7001,7100-7163 --both rate=1Mbit/s --reserve";
    let said = host.ok(Some(ALICE), &format!("add web {ADD}"));
    assert!(said.contains("its ports reserved"), "{said}");
    let claimed = ["tcp4:7001", "tcp6:7001", "tcp4:7163"];
    assert_eq!(bind(&host, 0, Some(BOB), &claimed), ["EPERM"; 3]);
    for user in [Some(ALICE), None] {
        assert_eq!(bind(&host, 0, user, &claimed), ["ok"; 3]);
    }
    // Other ports, the other protocol, a port of the kernel's choice, and another host.
    let others = ["tcp4:7002", "tcp4:7164", "udp4:7001", "tcp4:0"];
    assert_eq!(bind(&host, 0, Some(BOB), &others), ["ok"; 4]);
    assert_eq!(bind(&host, 1, Some(BOB), &claimed), ["ok"; 3]);
    // On whatever device the other one claims.
    let there = "add x --server tcp/7001 --interface lo --both rate=1Mbit/s";
    let said = host.refusal(Some(BOB), there);
    assert!(said.contains("port tcp/7001 is claimed by 1001 as \"web\""), "{said}");
    host.ok(Some(ALICE), "remove web");
    assert_eq!(bind(&host, 0, Some(BOB), &claimed), ["ok"; 3]);
    // It goes with the daemon, and comes with the next one.
    host.ok(Some(ALICE), &format!("add web {ADD}"));
    assert_eq!(bind(&host, 0, Some(BOB), &claimed), ["EPERM"; 3]);
    let mut daemon = host.daemon.take().unwrap();
    daemon.kill().unwrap();
    daemon.wait().unwrap();
    let began = Instant::now();
    while bind(&host, 0, Some(BOB), &claimed) != ["ok"; 3] {
        assert!(began.elapsed() < Duration::from_secs(10));
        sleep(Duration::from_millis(50));
    }
    host.serve();
    assert_eq!(bind(&host, 0, Some(BOB), &claimed), ["EPERM"; 3]);
}

#[test]
fn what_cannot_be_reserved_is_refused() {
    if !takes_root("what_cannot_be_reserved_is_refused", WHY) {
        return;
    }
    let host = Host::with_policy("w", POLICY);
    const PIPES: &str = "--both rate=1Mbit/s --reserve";
    let said = host.refusal(Some(ALICE), &format!("add x --client 7001 {PIPES}"));
    assert!(said.contains("`reserve` keeps local ports for you"), "{said}");
    let _bobs = host.server(0, Some(BOB), HERE, 7001);
    for user in [Some(ALICE), None] {
        let said = host.refusal(user, &format!("add x --server tcp/7001 {PIPES}"));
        assert!(said.contains("port tcp/7001 is bound by a process of 1002"), "{said}");
    }
    let strict = Host::new("u");
    let said = strict.refusal(Some(ALICE), &format!("add x --server 7002 {PIPES}"));
    assert!(said.contains("`reserve: false` in /"), "{said}");
    // Root needs no policy. The port is for the user that root names.
    strict.ok(None, &format!("add his --server tcp/7002 --user {BOB} {PIPES}"));
    assert_eq!(bind(&strict, 0, Some(ALICE), &["tcp4:7002"]), ["EPERM"]);
    assert_eq!(bind(&strict, 0, Some(BOB), &["tcp4:7002"]), ["ok"]);
    // Whom a reservation keeps out can still send from there.
    let _server = strict.server(1, None, THERE, 7003);
    strict.round_trip(0, Some(ALICE), THERE, 7003);
}
