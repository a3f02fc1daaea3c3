//! A host of the test's own: two network namespaces joined by veth, a daemon in the first one, and
//! users 1001 and 1002.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread::sleep;
use std::time::{Duration, Instant};

use crate::common::{NETLOOM, text};

/// Why ordinary users leave these tests out.
pub const WHY: &str = "it shapes a host's traffic";

pub const ALICE: u32 = 1001;
pub const BOB: u32 = 1002;
pub const HERE: &str = "192.0.2.1";
pub const THERE: &str = "192.0.2.2";

/// One way, and much more than a busy machine takes for a round trip.
pub const DELAY: &str = "delay=100ms";
pub const SHAPED: Duration = Duration::from_millis(200);

const POLICY: &str =
    "allow: ['1001', '1002']\nrate_per_user: 100Mbit/s\nchanges_per_second: 100000\n";

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
pub const CLIENT: &str = "
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
pub const PYTHON: &str = "/usr/bin/python3";

/// Host `a` with a daemon, and host `b`.
pub struct Host {
    pub names: [String; 2],
    pub directory: PathBuf,
    pub daemon: Option<Child>,
}

impl Host {
    pub fn new(what: &str) -> Self {
        Self::with_policy(what, POLICY)
    }

    /// A host with another policy.
    pub fn with_policy(what: &str, policy: &str) -> Self {
        static HOSTS: AtomicU32 = AtomicU32::new(0);
        let (process, host) = (std::process::id(), HOSTS.fetch_add(1, Ordering::Relaxed));
        let names = ["a", "b"].map(|side| format!("shape{process}{what}{host}{side}"));
        let directory = std::env::temp_dir().join(format!("netloom-{}", names[0]));
        fs::create_dir_all(&directory).unwrap();
        fs::set_permissions(&directory, fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(directory.join("policy.yaml"), policy).unwrap();
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

    pub fn serve(&mut self) {
        let policy = self.directory.join("policy.yaml");
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

    pub fn log(&self) -> String {
        fs::read_to_string(self.directory.join("daemon.log")).unwrap_or_default()
    }

    /// A command on a side, as root or as a user.
    pub fn command(&self, side: usize, user: Option<u32>, program: &str) -> Command {
        // Unlike `ip netns exec`, this leaves `/sys` as it is, and with it the cgroups.
        let mut command = Command::new("nsenter");
        command.arg(format!("--net=/run/netns/{}", self.names[side])).stdin(Stdio::null());
        if let Some(user) = user {
            command.arg("setpriv").arg(format!("--reuid={user}")).arg(format!("--regid={user}"));
            command.arg("--clear-groups");
        }
        command.arg(program);
        command
    }

    pub fn shape(&self, user: Option<u32>, words: &[&str]) -> Output {
        let mut command = self.command(0, user, NETLOOM);
        command.args(["shape", "--state"]).arg(self.directory.join("state")).args(words);
        command.output().unwrap()
    }

    pub fn ok(&self, user: Option<u32>, words: &str) -> String {
        let output = self.shape(user, &words.split_whitespace().collect::<Vec<_>>());
        let said = text(&output.stdout) + &text(&output.stderr);
        assert!(output.status.success(), "{words}: {said}{}", self.log());
        said
    }

    pub fn refusal(&self, user: Option<u32>, words: &str) -> String {
        let output = self.shape(user, &words.split_whitespace().collect::<Vec<_>>());
        assert!(!output.status.success(), "{words} was not refused");
        text(&output.stderr)
    }

    /// An echo server of a user.
    pub fn server(&self, side: usize, user: Option<u32>, address: &str, port: u16) -> Running {
        let mut command = self.command(side, user, PYTHON);
        command.args(["-c", SERVER, address, &port.to_string()]).stdout(Stdio::piped());
        let mut server = command.spawn().unwrap();
        let mut line = String::new();
        BufReader::new(server.stdout.take().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        Running(server)
    }

    /// The shortest round trip of a user's connection.
    pub fn round_trip(&self, side: usize, user: Option<u32>, address: &str, port: u16) -> Duration {
        let mut command = self.command(side, user, PYTHON);
        let output = command.args(["-c", CLIENT, address, &port.to_string()]).output().unwrap();
        let nanos = text(&output.stdout).trim().parse();
        Duration::from_nanos(nanos.unwrap_or_else(|_| panic!("{}", text(&output.stderr))))
    }

    /// The claims that root sees, as JSON.
    pub fn claims(&self) -> Vec<serde_json::Value> {
        let list = self.ok(None, "list --all --format json");
        let list: serde_json::Value = serde_json::from_str(&list).unwrap();
        list["claims"].as_array().unwrap().clone()
    }

    /// The verdict of the only claim.
    pub fn verdict(&self) -> String {
        self.claims()[0]["verdict"].as_str().unwrap().into()
    }

    /// Runs lines of `ip -batch` on a side.
    pub fn ip(&self, side: usize, lines: &str) {
        batch(&["-n", &self.names[side]], lines);
    }

    /// Waits for an event that nobody asked for.
    pub fn await_event(&self, verb: &str) -> serde_json::Value {
        let began = Instant::now();
        loop {
            let records = self.records();
            if let Some(found) = records.iter().rev().find(|record| record["verb"] == verb) {
                return found.clone();
            }
            assert!(began.elapsed() < Duration::from_secs(60), "no {verb}: {}", self.log());
            sleep(Duration::from_millis(50));
        }
    }

    pub fn records(&self) -> Vec<serde_json::Value> {
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
pub struct Running(pub Child);

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs lines of `ip -batch`.
pub fn batch(options: &[&str], lines: &str) {
    let mut ip = Command::new("ip");
    ip.args(options).args(["-batch", "-"]).stdin(Stdio::piped());
    let mut running = ip.spawn().unwrap();
    running.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    assert!(running.wait().unwrap().success(), "{lines}");
}
