//! Several users: who gets what, the words for those who do not, and that no claim touches another
//! user's traffic.

use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::{NETLOOM, takes_root, text};
use crate::host::{ALICE, BOB, DELAY, Host, PYTHON, SHAPED, THERE, WHY};

/// Sends requests that are damaged in some way, and none of which may make a claim: no rate.
const FUZZ: &str = "
import json, random, socket, sys
dice = random.Random(7)
words = ['claim', 'out', 'in', 'delay', 'client', 'ports', '1ms', '80']
words += ['[', '{', '\"', '-1', 'null', '\\u0000']
paths = ['/v1/claims', '/v1/claims/x', '/v1/claims/x/renew', '/v1/capacity']
paths += ['/v1/shutdown', '/v1/%2e%2e', '/']
base = json.dumps({'name': 'x', 'claim': {'client': {'ports': [80]}, 'delay': '5ms', 'for': '1h'}})
one, answers = None, 0
for _ in range(int(sys.argv[2])):
    body = list(base)
    for _ in range(dice.randrange(6)):
        at = dice.randrange(len(body) + 1)
        body[at:at + dice.randrange(4)] = dice.choice(words + [chr(dice.randrange(1, 300))])
    body = ''.join(body).encode()
    method = dice.choice(['GET', 'POST', 'POST', 'POST', 'PATCH', 'DELETE'])
    head = f'{method} {dice.choice(paths)} HTTP/1.1\\r\\nHost: x\\r\\n'
    head += f'Content-Length: {len(body)}\\r\\n\\r\\n'
    if one is None:
        one = socket.socket(socket.AF_UNIX)
        one.settimeout(30)
        one.connect(sys.argv[1])
    one.sendall(head.encode() + body)
    answer = b''
    while b'\\r\\n\\r\\n' not in answer:
        part = one.recv(65536)
        assert part, 'the daemon hung up'
        answer += part
    heading, rest = answer.split(b'\\r\\n\\r\\n', 1)
    fields = dict(line.lower().split(b': ', 1) for line in heading.split(b'\\r\\n')[1:])
    length = int(fields.get(b'content-length', b'0'))
    while len(rest) < length:
        rest += one.recv(65536)
    answers += 1
print(answers)
";

#[test]
fn a_claim_delays_its_users_traffic_and_no_others() {
    if !takes_root("a_claim_delays_its_users_traffic_and_no_others", WHY) {
        return;
    }
    let host = Host::new("d");
    let _server = host.server(1, None, THERE, 7001);
    let add = format!("add web --client tcp/7001 --both rate=10Mbit/s {DELAY}");
    host.ok(Some(ALICE), &add);
    assert!(host.round_trip(0, Some(ALICE), THERE, 7001) >= SHAPED);
    assert!(host.round_trip(0, Some(BOB), THERE, 7001) < SHAPED);
    // The same number in another's claim, and the same addresses.
    host.ok(Some(BOB), "add near --prefix 192.0.2.0/24 --both rate=10Mbit/s");
    assert!(host.round_trip(0, Some(BOB), THERE, 7001) < SHAPED);
    assert!(host.round_trip(0, Some(ALICE), THERE, 7001) >= SHAPED);
    // Bob sees whose it is, and not what it is for.
    let seen = host.ok(Some(BOB), "list --all");
    assert!(seen.contains("1001") && seen.contains("ports 7001"), "{seen}");
    assert!(!seen.contains("web"), "{seen}");
    host.ok(Some(ALICE), "remove web");
    assert!(host.round_trip(0, Some(ALICE), THERE, 7001) < SHAPED);
}

#[test]
fn a_port_that_changes_hands_leaves_the_claim() {
    if !takes_root("a_port_that_changes_hands_leaves_the_claim", WHY) {
        return;
    }
    let host = Host::new("h");
    host.ok(Some(ALICE), &format!("add mine --server tcp/7002 --both rate=10Mbit/s {DELAY}"));
    let alices = host.server(0, Some(ALICE), "192.0.2.1", 7002);
    assert!(host.round_trip(1, None, "192.0.2.1", 7002) >= SHAPED);
    drop(alices);
    let _bobs = host.server(0, Some(BOB), "192.0.2.1", 7002);
    assert!(host.round_trip(1, None, "192.0.2.1", 7002) < SHAPED);
}

#[test]
fn refusals_have_their_words_and_their_records() {
    if !takes_root("refusals_have_their_words_and_their_records", WHY) {
        return;
    }
    let host = Host::new("r");
    const PIPES: &str = "--both rate=1Mbit/s";
    host.ok(Some(ALICE), &format!("add web --server tcp/8080 {PIPES}"));
    let _bobs = host.server(0, Some(BOB), "192.0.2.1", 8081);
    let cases = [
        (
            BOB,
            format!("add x --server 8080 {PIPES}"),
            "port tcp/8080 is claimed by 1001 as \"web\" until ",
        ),
        (
            ALICE,
            format!("add x --server tcp/8081 {PIPES}"),
            "port tcp/8081 is bound by a process of 1002",
        ),
        (
            ALICE,
            format!("add x --server 443 {PIPES}"),
            "port 443 is below 1024: the policy of this machine",
        ),
        (ALICE, "add x --client 80 --both rate=60Mbit/s".into(), "120Mbit/s more are too much"),
        (ALICE, "add x --client 80 --out rate=1Mbit/s".into(), "--in has no rate"),
        (ALICE, format!("add x --client 80 --over {PIPES}"), "`--over` is for root"),
        (ALICE, format!("add x --user {BOB} {PIPES}"), "`user` of others is for root"),
        (ALICE, "remove x".into(), "there is no claim \"x\" of yours"),
        (1003, format!("add x --client 80 {PIPES}"), "1003 may not shape traffic here"),
    ];
    for (user, words, expected) in &cases {
        let expected = expected.replace("`--over`", "`over`");
        let said = host.refusal(Some(*user), words);
        assert!(said.contains(&expected), "{words}: {said}");
        let last = host.records().pop().unwrap();
        assert_eq!(last["uid"], *user, "{last}");
        assert_eq!(last["result"], "refused", "{last}");
        assert!(last["reason"].as_str().unwrap().contains(&expected), "{last}");
    }
    assert_eq!(host.claims().len(), 1);
}

#[test]
fn a_killed_daemon_leaves_traffic_and_nothing_else() {
    if !takes_root("a_killed_daemon_leaves_traffic_and_nothing_else", WHY) {
        return;
    }
    let mut host = Host::new("k");
    let _server = host.server(1, None, THERE, 7001);
    host.ok(None, &format!("add web --client tcp/7001 --both {DELAY} --for 2h"));
    assert!(host.round_trip(0, None, THERE, 7001) >= SHAPED);
    let mut daemon = host.daemon.take().unwrap();
    daemon.kill().unwrap();
    daemon.wait().unwrap();
    let began = Instant::now();
    let devices = |host: &Host| {
        let mut command = host.command(0, None, "ip");
        text(&command.args(["-o", "link"]).output().unwrap().stdout)
    };
    while devices(&host).contains("nls") {
        assert!(began.elapsed() < Duration::from_secs(10), "{}", devices(&host));
        sleep(Duration::from_millis(20));
    }
    assert!(host.round_trip(0, None, THERE, 7001) < SHAPED);
    // The next one takes the claim up.
    host.serve();
    assert!(host.ok(None, "list").contains("web"));
    assert!(host.round_trip(0, None, THERE, 7001) >= SHAPED);
    // Nobody shaped it meanwhile.
    assert!(host.verdict().starts_with("invalid: not shaped until"), "{}", host.verdict());
    host.ok(None, "stop");
    let began = Instant::now();
    while host.daemon.as_mut().unwrap().try_wait().unwrap().is_none() {
        assert!(began.elapsed() < Duration::from_secs(60));
        sleep(Duration::from_millis(20));
    }
    assert!(!devices(&host).contains("nls"));
    assert!(host.refusal(None, "list").contains("the daemon does not run"));
}

#[test]
fn a_claim_ends_and_connections_live_on() {
    if !takes_root("a_claim_ends_and_connections_live_on", WHY) {
        return;
    }
    let host = Host::new("e");
    let _server = host.server(1, None, THERE, 7001);
    host.ok(
        Some(ALICE),
        &format!("add web --client tcp/7001 --both rate=10Mbit/s {DELAY} --for 10s"),
    );
    let mut client = host.command(0, Some(ALICE), PYTHON);
    let lasting = "
import socket, sys, time
one = socket.create_connection((sys.argv[1], int(sys.argv[2])), 10)
began, trips = time.monotonic(), []
while len(trips) < 5 or min(trips[-3:]) > 150e6 and time.monotonic() - began < 60:
    sent = time.monotonic_ns()
    one.sendall(b'x')
    assert one.recv(1)
    trips.append(time.monotonic_ns() - sent)
print(trips[0], min(trips[-3:]))
";
    let output = client.args(["-c", lasting, THERE, "7001"]).output().unwrap();
    let printed = text(&output.stdout);
    let trips: Vec<u64> = printed.split_whitespace().map(|trip| trip.parse().unwrap()).collect();
    let [first, last] = trips[..] else { panic!("{}", text(&output.stderr)) };
    assert!(Duration::from_nanos(first) >= SHAPED, "{printed}");
    assert!(Duration::from_nanos(last) < SHAPED, "{printed}");
    let gone = host.refusal(Some(ALICE), "set web delay=5ms");
    assert!(gone.contains("claim \"web\" ended"), "{gone}");
    assert!(host.records().iter().any(|record| record["verb"] == "expired"));
    host.ok(Some(ALICE), "renew web --for 1h");
    assert!(host.round_trip(0, Some(ALICE), THERE, 7001) >= SHAPED);
}

#[test]
fn the_old_tools_words_make_claims() {
    if !takes_root("the_old_tools_words_make_claims", WHY) {
        return;
    }
    let host = Host::new("n");
    let config = "netconfig config client 80 -t 2hours IN delay 100ms OUT bw 1Mbit/s";
    host.ok(None, config);
    assert!(host.ok(None, "list").contains("client-80"));
    host.ok(None, "netconfig config service 80 IN bw 1Mbit/s OUT bw 1Mbit/s");
    let list = host.ok(None, "netconfig show rules");
    assert!(list.contains("service-80") && !list.contains("client-80"), "{list}");
    host.ok(None, "netconfig refresh service 80 -t 3hours");
    host.ok(None, "netconfig delete service 80");
    assert!(!host.ok(None, "list").contains("service-80"));
}

#[test]
fn every_example_of_the_old_tools_help_works_by_its_own_name() {
    if !takes_root("every_example_of_the_old_tools_help_works_by_its_own_name", WHY) {
        return;
    }
    let host = Host::new("l");
    let help = host.ok(None, "netconfig help");
    let is_example = |line: &&str| line.starts_with("netconfig ") && !line.contains(['[', '{']);
    let examples: Vec<&str> = help.lines().filter(is_example).collect();
    assert!(examples.len() >= 6, "{help}");
    for example in examples {
        let words = example.trim_start_matches("netconfig ");
        host.ok(None, &format!("netconfig {words}"));
        let words: Vec<&str> = words.split_whitespace().collect();
        let [verb, rest @ ..] = &words[..] else { panic!("{example}") };
        let [kind, ports, ..] = rest else { continue };
        let claim = format!("{kind}-{}", ports.split('@').next().unwrap());
        let is_there = host.ok(None, "list").contains(&claim);
        assert_eq!(is_there, *verb != "delete", "{example}");
    }
    // A link to the binary takes the words alone; it has no daemon of this test's to ask.
    let link = host.directory.join("netconfig");
    std::os::unix::fs::symlink(NETLOOM, &link).unwrap();
    let said = Command::new(link).arg("help").output().unwrap();
    assert_eq!(text(&said.stdout), help);
}

#[test]
fn damaged_requests_make_no_claim_and_harm_nobody() {
    if !takes_root("damaged_requests_make_no_claim_and_harm_nobody", WHY) {
        return;
    }
    let host = Host::new("f");
    let socket = host.directory.join("state/api.sock");
    let mut command = host.command(0, Some(ALICE), PYTHON);
    let output = command.args(["-c", FUZZ]).arg(&socket).arg("10000").output().unwrap();
    assert_eq!(text(&output.stdout).trim(), "10000", "{}{}", text(&output.stderr), host.log());
    assert_eq!(host.claims().len(), 0);
    let log = host.log();
    assert!(!log.contains("panicked"), "{log}");
}

#[test]
fn what_has_ended_is_had_again_by_one_user_only() {
    if !takes_root("what_has_ended_is_had_again_by_one_user_only", WHY) {
        return;
    }
    let host = Host::new("t");
    const PIPES: &str = "--both rate=1Mbit/s";
    for port in 8100..8105 {
        host.ok(Some(ALICE), &format!("add p{port} --server {port} {PIPES} --for 1s"));
    }
    let is_over = || {
        let records = host.records();
        records.iter().filter(|record| record["verb"] == "expired").count() == 5
    };
    let began = Instant::now();
    while !is_over() {
        assert!(began.elapsed() < Duration::from_secs(60));
        sleep(Duration::from_millis(50));
    }
    for port in 8100..8105 {
        let [again, taken] = std::thread::scope(|scope| {
            let renew = || host.shape(Some(ALICE), &["renew", &format!("p{port}"), "--for", "1h"]);
            let port = port.to_string();
            let add = ["add", "x", "--server", &port, "--both", "rate=1Mbit/s"];
            let both = [
                scope.spawn(move || renew().status.success()),
                scope.spawn({
                    let host = &host;
                    let add = add.map(String::from);
                    move || {
                        host.shape(Some(BOB), &add.each_ref().map(String::as_str)).status.success()
                    }
                }),
            ];
            both.map(|one| one.join().unwrap())
        });
        // A claim of a second leaves its place at once: whoever comes first has it.
        assert!(again != taken, "{port}: {again} {taken}");
    }
}

#[test]
fn a_daemon_answers_who_ends_it() {
    if !takes_root("a_daemon_answers_who_ends_it", WHY) {
        return;
    }
    let mut host = Host::new("a");
    for _ in 0..5 {
        // Without claims, it ends at once.
        assert_eq!(host.ok(None, "stop"), "the daemon ends\n");
        assert!(host.daemon.take().unwrap().wait().unwrap().success());
        host.serve();
    }
}
