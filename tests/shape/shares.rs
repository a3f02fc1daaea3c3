//! Shares of the daemon: what one user does, allowed or not, harms no other.

use std::fs;
use std::process::Stdio;

use crate::common::{eventually, takes_root, text};
use crate::host::{ALICE, BOB, Host, PYTHON, Running, THERE, WHY};

const STRANGER: u32 = 1003;

/// Opens connections to the daemon that send the same text, and keeps them open. Prints a line for
/// each: the first line of its answer, or `nothing` if none comes soon.
const CONNECT: &str = "
import socket, sys, time
path, count, sent, patience = sys.argv[1], int(sys.argv[2]), sys.argv[3], float(sys.argv[4])
head, _, length = sent.partition('+')
data = head.encode().decode('unicode_escape').encode() + b' ' * int(length or 0)
kept = []
for _ in range(count):
    one = socket.socket(socket.AF_UNIX)
    one.settimeout(patience)
    one.connect(path)
    try:
        one.sendall(data)
    except OSError:
        pass
    try:
        answer = one.recv(65536).split(b'\\r\\n')[0].decode() or 'nothing'
    except OSError:
        answer = 'nothing'
    print(answer, flush=True)
    kept.append(one)
print('all', flush=True)
time.sleep(600)
";

/// What a user's connections got, as long as they are kept.
struct Connections {
    _running: Running,
    answers: Vec<String>,
}

impl Connections {
    /// Opens `count` connections that send `text`, with `patience` in s for each answer.
    fn open(host: &Host, user: u32, count: usize, sent: &str, patience: f64) -> Self {
        let file = host.directory.join(format!("answers-{user}-{}", sent.len()));
        let mut command = host.command(0, Some(user), PYTHON);
        command.args(["-c", CONNECT]).arg(host.directory.join("state/api.sock"));
        command.args([&count.to_string(), sent, &patience.to_string()]);
        let stdout = fs::File::create(&file).unwrap();
        let running = Running(command.stdout(stdout).stderr(Stdio::inherit()).spawn().unwrap());
        let read = || fs::read_to_string(&file).unwrap();
        eventually("all have an answer", || read().ends_with("all\n"));
        let answers = read().lines().map(String::from).filter(|line| line != "all").collect();
        Self { _running: running, answers }
    }

    fn count(&self, what: &str) -> usize {
        self.answers.iter().filter(|answer| answer.contains(what)).count()
    }
}

/// The resident memory of the daemon, in MiB.
fn memory(host: &Host) -> u64 {
    let status = fs::read_to_string(format!("/proc/{}/status", host.daemon.as_ref().unwrap().id()));
    let status = status.unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.split_whitespace().next().unwrap().parse::<u64>().unwrap() / 1024
}

fn post(length: usize) -> String {
    format!(r"POST /v1/claims HTTP/1.1\r\nhost: l\r\ncontent-length: {length}\r\n\r\n")
}

/// A stream that does not end.
const EVENTS: &str = r"GET /v1/events HTTP/1.1\r\nhost: l\r\n\r\n";

#[test]
fn nothing_is_read_of_who_may_not_ask() {
    if !takes_root("nothing_is_read_of_who_may_not_ask", WHY) {
        return;
    }
    let host = Host::new("s");
    // The refusal does not wait for the body, of which nothing was sent.
    let before = memory(&host);
    let strangers = Connections::open(&host, STRANGER, 20, &post(1 << 20), 30.0);
    assert_eq!(strangers.count("409"), 20, "{:?}", strangers.answers);
    // All of them together have eight connections, and another number does not help.
    let streams = Connections::open(&host, STRANGER, 10, EVENTS, 30.0);
    assert_eq!((streams.count("200"), streams.count("503")), (8, 2), "{:?}", streams.answers);
    let others = Connections::open(&host, STRANGER + 1, 2, &post(10), 30.0);
    assert_eq!(others.count("503"), 2, "{:?}", others.answers);
    assert!(memory(&host) < before + 32, "{before} -> {} MiB", memory(&host));
    host.ok(Some(ALICE), "add web --client tcp/7001 --both rate=1Mbit/s");
    let records = host.records();
    let refused = records.iter().filter(|record| record["uid"] == STRANGER).count();
    assert_eq!(refused, 20);
}

#[test]
fn what_strangers_send_is_neither_kept_nor_recorded_whole() {
    if !takes_root("what_strangers_send_is_neither_kept_nor_recorded_whole", WHY) {
        return;
    }
    let host = Host::new("z");
    host.ok(Some(ALICE), "add web --client tcp/7001 --both rate=1Mbit/s");
    let before = memory(&host);
    for _ in 0..100 {
        let strangers =
            Connections::open(&host, STRANGER, 8, &format!("{}+1000000", post(1_000_000)), 30.0);
        assert_eq!(strangers.count("409") + strangers.count("503") + strangers.count("nothing"), 8);
    }
    assert!(memory(&host) < before + 32, "{before} -> {} MiB", memory(&host));
    let size = fs::metadata(host.directory.join("shape.jsonl")).unwrap().len();
    assert!(size < 100_000, "{size} bytes of records");
    // Others' records are there still.
    assert!(host.records().iter().any(|record| record["claim"] == "web"));
}

#[test]
fn an_allowed_users_requests_have_bounds_in_number_and_length() {
    if !takes_root("an_allowed_users_requests_have_bounds_in_number_and_length", WHY) {
        return;
    }
    let host = Host::new("y");
    let long = Connections::open(&host, ALICE, 1, &post(64 << 20), 30.0);
    assert_eq!(long.count("409"), 1, "{:?}", long.answers);
    // Two of 4 MiB may be under way at once.
    let unfinished = format!("{}+4000000", post(4 << 20));
    let some = Connections::open(&host, BOB, 6, &unfinished, 5.0);
    assert_eq!((some.count("nothing"), some.count("409")), (2, 4), "{:?}", some.answers);
    let streams = Connections::open(&host, ALICE, 20, EVENTS, 30.0);
    // The one that was refused may not be gone yet.
    assert!([15, 16].contains(&streams.count("200")), "{:?}", streams.answers);
    assert_eq!(streams.count("200") + streams.count("503"), 20);
    if streams.count("200") == 16 {
        let said = host.refusal(Some(ALICE), "capacity");
        assert!(said.contains("you have 16 connections"), "{said}");
    }
    // Of others, none waits.
    host.ok(None, "add web --client tcp/7001 --both rate=1Mbit/s");
    drop(streams);
    eventually("Alice is served again", || host.shape(Some(ALICE), &["capacity"]).status.success());
}

#[test]
fn captures_hold_up_nobody_and_are_few() {
    if !takes_root("captures_hold_up_nobody_and_are_few", WHY) {
        return;
    }
    let host = Host::new("q");
    host.ok(Some(ALICE), "add web --client tcp/7001 --both rate=1Mbit/s");
    host.ok(Some(BOB), "add short --client tcp/7001 --both rate=1Mbit/s --for 5s");
    let get = r"GET /v1/claims/web/capture?at=host HTTP/1.1\r\nhost: l\r\n\r\n";
    let captures = Connections::open(&host, ALICE, 10, get, 30.0);
    assert_eq!((captures.count("200"), captures.count("409")), (4, 6), "{:?}", captures.answers);
    let said = host.refusal(Some(ALICE), "capture web -w -");
    assert!(said.contains("you have 4 captures"), "{said}");
    // A claim ends at its time, and others are served.
    eventually("Bob's claim has ended", || host.claims().len() == 1);
    let bobs =
        Connections::open(&host, BOB, 1, r"GET /v1/claims HTTP/1.1\r\nhost: l\r\n\r\n", 30.0);
    assert_eq!(bobs.count("200"), 1);
    drop(captures);
    eventually("there is room again", || {
        let one = Connections::open(&host, ALICE, 1, get, 30.0);
        one.count("200") == 1
    });
}

/// Sends small datagrams.
const SEND: &str = "
import socket, sys
one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(int(sys.argv[3])):
    one.sendto(b'x', (sys.argv[1], int(sys.argv[2])))
";

#[test]
fn frames_of_one_user_take_no_memory_of_others() {
    if !takes_root("frames_of_one_user_take_no_memory_of_others", WHY) {
        return;
    }
    let host = Host::new("j");
    let given = |user| {
        let path = host.ok(user, "capacity");
        let line = path.lines().find(|line| line.starts_with("your buffers:")).unwrap().to_owned();
        line.split_whitespace().nth(2).unwrap().parse::<f64>().unwrap()
    };
    // A packet of a loopback takes 66 KiB.
    let queue = "queue.limit=20000packets";
    let add = |device: &str| {
        format!(
            "add many --client udp/7001 --interface {device} --out rate=8kbit/s {queue} \
             --in rate=8kbit/s"
        )
    };
    let said = host.refusal(Some(ALICE), &add("lo"));
    assert!(said.contains("of buffers more are too much"), "{said}");
    // A small frame takes as much as one of 1500 bytes, for which the claim is charged.
    let long = "queue.limit=4MB";
    host.ok(
        Some(ALICE),
        &format!("add many --client udp/7001 --out rate=8kbit/s {long} --in rate=8kbit/s"),
    );
    host.ok(Some(BOB), "add web --client udp/7002 --both rate=10Mbit/s");
    let charged = given(Some(ALICE));
    assert!((5.0..8.0).contains(&charged), "{charged} MiB");
    let send = |user, port: &str, count: &str| {
        let mut command = host.command(0, Some(user), PYTHON);
        assert!(command.args(["-c", SEND, THERE, port, count]).status().unwrap().success());
    };
    send(ALICE, "7001", "20000");
    send(BOB, "7002", "100");
    let claim = |name: &str| {
        host.claims().into_iter().find(|claim| claim["entry"]["name"] == name).unwrap()
    };
    eventually("Bob's frames arrive", || claim("web")["pipes"][0]["delivered"] == 100);
    assert_eq!(claim("web")["unmodelled_drops"], 0);
    let held = claim("many")["pipes"][0]["held"].as_u64().unwrap();
    assert!((1000..4000).contains(&held), "{held} frames in {charged} MiB");
    eventually("Alice's losses are counted", || {
        claim("many")["unmodelled_drops"].as_u64().unwrap() > 10_000
    });
    // What a link still holds is charged after the claim, until it is gone.
    host.ok(Some(ALICE), "remove many");
    let left = given(Some(ALICE));
    assert!((charged - 1.5..=charged + 0.1).contains(&left), "{left} of {charged} MiB");
    eventually("the link is gone", || given(Some(ALICE)) == 0.0);
}

#[test]
fn a_claim_that_has_ended_is_renewed_by_the_rules() {
    if !takes_root("a_claim_that_has_ended_is_renewed_by_the_rules", WHY) {
        return;
    }
    let host = Host::with_policy("i", "allow: ['1001', '1002']\nrate_per_user: 20Mbit/s\n");
    for number in 0..2 {
        let claim = format!("--client tcp/710{number} --both rate=10Mbit/s --for 1s");
        host.ok(Some(ALICE), &format!("add c{number} {claim}"));
        eventually("it has ended", || host.claims().is_empty());
    }
    host.ok(Some(ALICE), "renew c0 --for 1h");
    let said = host.refusal(Some(ALICE), "renew c1 --for 1h");
    assert!(said.contains("20Mbit/s more are too much"), "{said}");
    assert_eq!(host.claims().len(), 1);
    let named = host.refusal(Some(1003), "add x --client 80 --both rate=1Mbit/s");
    let policy = host.directory.join("policy.yaml");
    assert!(named.contains(&format!("whom {} allows", policy.display())), "{named}");
    // The next daemon has another policy, and takes up what that allows.
    let mut host = host;
    host.ok(Some(BOB), "add mine --client tcp/7101 --both rate=1Mbit/s");
    let mut daemon = host.daemon.take().unwrap();
    daemon.kill().unwrap();
    daemon.wait().unwrap();
    fs::write(policy, "allow: ['1002']\n").unwrap();
    host.serve();
    let claims = host.claims();
    assert!(claims.len() == 1 && claims[0]["entry"]["name"] == "mine", "{claims:?}");
    let lost = host.await_event("lost");
    assert!(lost["reason"].as_str().unwrap().contains("1001 may not shape traffic here"), "{lost}");
    assert!(text(&host.shape(Some(BOB), &["log"]).stdout).contains("taken-up"));
}
