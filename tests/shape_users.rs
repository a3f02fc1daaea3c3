//! `netloom shape` with several users: who gets what, the words for those who do not, and that no
//! claim touches another user's traffic. On a host of the test's own: two network namespaces joined
//! by veth, and users 1001 and 1002.

mod common;

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant};

use common::{NETLOOM, takes_root, text};

/// Why ordinary users leave these tests out.
const WHY: &str = "it shapes a host's traffic";

const ALICE: u32 = 1001;
const BOB: u32 = 1002;
const THERE: &str = "192.0.2.2";

/// One way, and much more than a busy machine takes for a round trip.
const DELAY: &str = "delay=100ms";
const SHAPED: Duration = Duration::from_millis(200);

const POLICY: &str =
    "allow: ['1001', '1002']\nrate_per_user: 100Mbit/s\nchanges_per_second: 100000\n";

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

/// An echo server that says when it listens.
const SERVER: &str = "
import socket, sys
server = socket.create_server((sys.argv[1], int(sys.argv[2])))
print('ready', flush=True)
while True:
    one = server.accept()[0]
    while data := one.recv(64):
        one.sendall(data)
";

/// A client that prints its shortest round trip of some, in ns.
const CLIENT: &str = "
import socket, sys, time
one = socket.create_connection((sys.argv[1], int(sys.argv[2])), 10)
trips = []
for _ in range(4):
    began = time.monotonic_ns()
    one.sendall(b'x')
    one.recv(1)
    trips.append(time.monotonic_ns() - began)
print(min(trips))
";

/// The system's own, which ordinary users may run, too.
const PYTHON: &str = "/usr/bin/python3";

/// Host `a` with a daemon, and host `b`.
struct Host {
    names: [String; 2],
    directory: PathBuf,
    daemon: Option<Child>,
}

impl Host {
    fn new(what: &str) -> Self {
        let names = ["a", "b"].map(|side| format!("shape{}{what}{side}", std::process::id()));
        let directory = std::env::temp_dir().join(format!("netloom-{}", names[0]));
        fs::create_dir_all(&directory).unwrap();
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o755)).unwrap();
        let mut host = Self { names, directory, daemon: None };
        let [a, b] = &host.names;
        batch(
            &[],
            &format!(
                "netns add {a}\nnetns add {b}\n\
             link add eth0 netns {a} type veth peer name eth0 netns {b}\n"
            ),
        );
        for (name, address) in [(a, "192.0.2.1"), (b, THERE)] {
            batch(
                &["-n", name],
                &format!("addr add {address}/24 dev eth0\nlink set eth0 up\nlink set lo up\n"),
            );
        }
        batch(&["-n", a], &format!("route add default via {THERE}\n"));
        host.serve();
        host
    }

    fn serve(&mut self) {
        let policy = self.directory.join("policy.yaml");
        fs::write(&policy, POLICY).unwrap();
        let records = self.directory.join("shape.jsonl");
        let mut command = self.command(0, None, NETLOOM);
        command.args(["shape", "--state"]).arg(self.directory.join("state")).arg("serve");
        command.arg("--policy").arg(policy).arg("--records").arg(records);
        command.args(["--bears", "2Gbit/s"]);
        let log = File::create(self.directory.join("daemon.log")).unwrap();
        self.daemon = Some(command.stdout(Stdio::null()).stderr(log).spawn().unwrap());
        let began = Instant::now();
        while !self.shape(None, &["capacity"]).status.success() {
            assert!(began.elapsed() < Duration::from_secs(60), "{}", self.log());
            sleep(Duration::from_millis(20));
        }
    }

    fn log(&self) -> String {
        fs::read_to_string(self.directory.join("daemon.log")).unwrap_or_default()
    }

    /// A command on a side, as root or as a user.
    fn command(&self, side: usize, user: Option<u32>, program: &str) -> Command {
        let mut command = Command::new("ip");
        command.args(["netns", "exec", &self.names[side]]).stdin(Stdio::null());
        if let Some(user) = user {
            command.arg("setpriv").arg(format!("--reuid={user}")).arg(format!("--regid={user}"));
            command.arg("--clear-groups");
        }
        command.arg(program);
        command
    }

    fn shape(&self, user: Option<u32>, words: &[&str]) -> Output {
        let mut command = self.command(0, user, NETLOOM);
        command.args(["shape", "--state"]).arg(self.directory.join("state")).args(words);
        command.output().unwrap()
    }

    fn ok(&self, user: Option<u32>, words: &str) -> String {
        let output = self.shape(user, &words.split_whitespace().collect::<Vec<_>>());
        let said = text(&output.stdout) + &text(&output.stderr);
        assert!(output.status.success(), "{words}: {said}{}", self.log());
        said
    }

    fn refusal(&self, user: Option<u32>, words: &str) -> String {
        let output = self.shape(user, &words.split_whitespace().collect::<Vec<_>>());
        assert!(!output.status.success(), "{words} was not refused");
        text(&output.stderr)
    }

    /// An echo server of a user.
    fn server(&self, side: usize, user: Option<u32>, address: &str, port: u16) -> Running {
        let mut command = self.command(side, user, PYTHON);
        command.args(["-c", SERVER, address, &port.to_string()]).stdout(Stdio::piped());
        let mut server = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        Running(server)
    }

    /// The shortest round trip of a user's connection.
    fn round_trip(&self, side: usize, user: Option<u32>, address: &str, port: u16) -> Duration {
        let mut command = self.command(side, user, PYTHON);
        let output = command.args(["-c", CLIENT, address, &port.to_string()]).output().unwrap();
        let nanos = text(&output.stdout).trim().parse();
        Duration::from_nanos(nanos.unwrap_or_else(|_| panic!("{}", text(&output.stderr))))
    }

    fn records(&self) -> Vec<serde_json::Value> {
        let text = fs::read_to_string(self.directory.join("shape.jsonl")).unwrap();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Drop for Host {
    fn drop(&mut self) {
        if let Some(daemon) = &mut self.daemon {
            let _ = daemon.kill();
            let _ = daemon.wait();
        }
        for name in &self.names {
            let _ = Command::new("ip").args(["netns", "delete", name]).status();
        }
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// A process that goes with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn batch(options: &[&str], lines: &str) {
    let mut ip = Command::new("ip");
    ip.args(options).args(["-batch", "-"]).stdin(Stdio::piped());
    let mut running = ip.spawn().unwrap();
    running.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    assert!(running.wait().unwrap().success(), "{lines}");
}

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
    let seen = host.ok(Some(BOB), "list");
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
            "port tcp/8081 is bound by a process of 1002 (pid ",
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
    let list: serde_json::Value =
        serde_json::from_str(&host.ok(None, "list --format json")).unwrap();
    assert_eq!(list["claims"].as_array().unwrap().len(), 1, "{list}");
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
    let list: serde_json::Value =
        serde_json::from_str(&host.ok(None, "list --format json")).unwrap();
    assert_eq!(list["claims"].as_array().unwrap().len(), 0, "{list}");
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
        // Within a minute it is Alice's to have again, however the two come.
        assert!(again && !taken, "{port}: {again} {taken}");
    }
}
