//! Code that end-to-end tests share: an experiment for each test, which is removed when the test
//! ends, however it ends.

#![allow(dead_code, reason = "each test binary uses its part of it")]

use std::fs::{self, File};
use std::io::{Read, Write};
use std::os::unix::fs::{PermissionsExt, symlink};
use std::os::unix::net::UnixStream;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::RwLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use netloom_nodes::Layout;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketOption;
use pcap_file::pcapng::{Block, PcapNgReader};

/// The binary under test.
pub const NETLOOM: &str = env!("CARGO_BIN_EXE_netloom");

/// An experiment of a test's own: a scenario in a folder of its own, under a name that no other
/// test and no other run of the tests has.
pub struct Lab {
    pub name: String,
    pub directory: PathBuf,
}

impl Lab {
    /// A lab with this scenario, whose `name:` line is added here.
    pub fn new(scenario: &str) -> Self {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = format!("t{}-{number}", std::process::id());
        let directory = std::env::temp_dir().join(format!("netloom-test-{name}"));
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("netloom.yaml"), format!("name: {name}\n{scenario}")).unwrap();
        Self { name, directory }
    }

    /// Two hosts `a` and `b` and one link between their `eth1`, with these inline properties.
    pub fn pair(properties: &str) -> Self {
        Self::new(&format!(
            "topology:\n  nodes: {{ a: , b: }}\n  links:\n    \
             - {{ endpoints: [\"a:eth1\", \"b:eth1\"]{properties} }}\n"
        ))
    }

    /// A lab that is deployed.
    pub fn deployed(scenario: &str) -> Self {
        let lab = Self::new(scenario);
        lab.ok(&["deploy"]);
        lab
    }

    /// The `netloom` command in the lab's folder.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(NETLOOM);
        command.args(arguments).current_dir(&self.directory).stdin(Stdio::null());
        // The capacity of this machine must not affect the tests.
        command.env("NETLOOM_PROFILE", self.profile());
        command
    }

    /// Where this lab's profile of the machine is; at first there is none.
    pub fn profile(&self) -> PathBuf {
        self.path("profile.json")
    }

    /// Runs `netloom` to its end.
    pub fn netloom(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs `netloom`, which must succeed; its standard output.
    pub fn ok(&self, arguments: &[&str]) -> String {
        let output = self.netloom(arguments);
        assert!(
            output.status.success(),
            "netloom {} failed: {}{}",
            arguments.join(" "),
            text(&output.stdout),
            text(&output.stderr),
        );
        text(&output.stdout)
    }

    /// Runs `netloom`, which must fail; its exit code and standard error.
    pub fn fails(&self, arguments: &[&str]) -> (i32, String) {
        let output = self.netloom(arguments);
        assert!(!output.status.success(), "netloom {} succeeded", arguments.join(" "));
        (output.status.code().unwrap(), text(&output.stderr))
    }

    /// Runs a shell line in a node, which must succeed; its standard output.
    pub fn sh(&self, node: &str, line: &str) -> String {
        self.ok(&["exec", &format!("{node}@{}", self.name), "--", "sh", "-c", line])
    }

    /// Runs a shell line in a node; its exit code and both outputs.
    pub fn try_sh(&self, node: &str, line: &str) -> (i32, String) {
        let node = format!("{node}@{}", self.name);
        let output = self.netloom(&["exec", &node, "--", "sh", "-c", line]);
        (output.status.code().unwrap(), text(&output.stdout) + &text(&output.stderr))
    }

    /// `netloom inspect --format json` of this lab.
    pub fn inspect(&self) -> serde_json::Value {
        serde_json::from_str(&self.ok(&["inspect", &self.name, "--format", "json"])).unwrap()
    }

    /// The engine's process id.
    pub fn engine_pid(&self) -> i32 {
        i32::try_from(self.inspect()["experiment"]["engine_pid"].as_i64().unwrap()).unwrap()
    }

    /// An HTTP request on the engine's socket, and everything it answers.
    pub fn request(&self, method: &str, path: &str, body: &str) -> String {
        let mut stream = UnixStream::connect(state(&self.name).join("api.sock")).unwrap();
        write!(
            stream,
            "{method} {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\
             content-length: {}\r\n\r\n{body}",
            body.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    }

    /// A path in the lab's folder.
    pub fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    /// Everything of this experiment that is still there, in words: must be empty after its end.
    pub fn remains(&self) -> Vec<String> {
        remains(&self.name)
    }
}

impl Drop for Lab {
    fn drop(&mut self) {
        // Whatever state the test left it in. Errors show in what later tests find.
        let _ = self.command(&["cleanup", "--force", &self.name]).output();
        let _ = fs::remove_dir_all(&self.directory);
    }
}

/// Checks what runs show. One that does not call itself valid may show anything on a machine that
/// stood still, so after one that failed there is another, up to three, with no other of these runs
/// beside it. What a valid run shows must be right.
pub fn shows<R>(run: impl Fn() -> R, is_valid: impl Fn(&R) -> bool, check: impl Fn(&R)) {
    static MACHINE: RwLock<()> = RwLock::new(());
    let checked = |results: R| {
        let outcome = catch_unwind(AssertUnwindSafe(|| check(&results)));
        outcome.map_err(|failed| (failed, is_valid(&results)))
    };
    let results = {
        let _beside_others = MACHINE.read();
        run()
    };
    let mut outcome = checked(results);
    for _ in 1..3 {
        let Err((failed, is_valid)) = outcome else { return };
        if is_valid {
            resume_unwind(failed);
        }
        eprintln!("that run was not valid: it is done again");
        let _alone = MACHINE.write();
        outcome = checked(run());
    }
    if let Err((failed, _)) = outcome {
        resume_unwind(failed);
    }
}

/// Whether the tests run as root. A part that takes root is left out otherwise, and says so in a
/// line that the runner of the tests counts and lists (`xtask/src/test_programs.rs`).
pub fn takes_root(what: &str, why: &str) -> bool {
    let root = nix::unistd::geteuid().is_root();
    if !root {
        println!("skipped: {what}: {why}");
    }
    root
}

/// Whether a node can be entered by `ip netns exec`; a part of the test `of` that does is left out
/// otherwise.
pub fn has_ip_netns(of: &str) -> bool {
    takes_root(
        &format!("{of}: `ip netns exec`"),
        "the names of an ordinary user's namespaces are seen by the engine alone",
    )
}

/// The state directory of an experiment.
pub fn state(name: &str) -> PathBuf {
    Layout::new(name).state_dir().into()
}

/// Everything of an experiment that is still there: namespaces, mounts, state, cgroups, processes
/// and sockets whose names or arguments carry its name.
pub fn remains(name: &str) -> Vec<String> {
    let mut found = Vec::new();
    let prefix = format!("{name}.");
    for entry in fs::read_dir("/run/netns").into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(&prefix) {
            found.push(format!("namespace {}", entry.path().display()));
        }
    }
    let state = state(name);
    if state.exists() {
        found.push(format!("state {}", state.display()));
    }
    for line in fs::read_to_string("/proc/self/mountinfo").unwrap().lines() {
        if line.contains(&prefix) || line.contains(&format!("netloom/{name}")) {
            found.push(format!("mount {line}"));
        }
    }
    for root in ["/sys/fs/cgroup", "/sys/fs/cgroup/unified"] {
        let cgroup = Path::new(root).join("netloom").join(name);
        if cgroup.exists() {
            found.push(format!("cgroup {}", cgroup.display()));
        }
    }
    for entry in fs::read_dir("/proc").unwrap().flatten() {
        let environ = fs::read(entry.path().join("environ")).unwrap_or_default();
        let needle = format!("NETLOOM_EXPERIMENT={name}\0");
        if environ.windows(needle.len()).any(|window| window == needle.as_bytes()) {
            found.push(format!("process {}", entry.path().display()));
        }
    }
    for line in fs::read_to_string("/proc/net/unix").unwrap().lines() {
        if line.contains(&format!("{}/", state.display())) {
            found.push(format!("socket {line}"));
        }
    }
    found
}

/// Puts another scenario into the lab's file.
pub fn rewrite(lab: &Lab, scenario: &str) {
    fs::write(lab.path("netloom.yaml"), format!("name: {}\n{scenario}", lab.name)).unwrap();
}

/// Returns the steps that `netloom apply` would take, as lines.
pub fn planned(lab: &Lab) -> Vec<String> {
    let printed = lab.ok(&["apply", "--dry-run"]);
    let lines =
        printed.lines().filter(|line| ["+ ", "- ", "! ", "~ "].iter().any(|s| line.starts_with(s)));
    lines.map(str::to_owned).collect()
}

/// A root file system without programs of its own, into which the machine's are bound.
pub fn skeleton(path: &Path) {
    for folder in ["etc", "usr"] {
        fs::create_dir_all(path.join(folder)).unwrap();
    }
    for name in ["bin", "sbin", "lib", "lib64"] {
        symlink(format!("usr/{name}"), path.join(name)).unwrap();
    }
    fs::write(path.join("etc/motd"), "another root\n").unwrap();
    fs::write(path.join("etc/passwd"), "root:x:0:0:root:/:/bin/sh\n").unwrap();
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}

/// Connects so often, to a port or to the socket for metrics, and stays; prints how many
/// connections still are once the last one has been refused.
pub const HOG: &str = "\
import os, resource, socket, sys, time
hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
family, where = socket.AF_UNIX, os.environ.get('NETLOOM_METRICS')
if sys.argv[2:]: family, where = socket.AF_INET, ('127.0.0.1', int(sys.argv[2]))
sockets = []
for _ in range(int(sys.argv[1])):
    s = socket.socket(family)
    try: s.connect(where)
    except ConnectionError: s = None
    sockets.append(s)
def is_there(s, seconds):
    if s is None: return False
    s.settimeout(seconds)
    try: return s.recv(1) != b''
    except TimeoutError: return True
    except ConnectionError: return False
is_there(sockets[-1], 60)
print(sum(is_there(s, 0.001) for s in sockets), flush=True)
time.sleep(1000)
";

/// Waits until `condition` holds; panics with `what` after a minute: other programs may want the
/// CPUs, too.
pub fn eventually(what: &str, mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while !condition() {
        assert!(Instant::now() < deadline, "waited 60 s in vain: {what}");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// Sends a signal to a process that this test started.
pub fn kill(pid: i32, signal: nix::sys::signal::Signal) {
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(pid), signal).unwrap();
}

/// Bytes as text.
pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Interface and comment of each frame of `length` bytes in a pcapng file, as far as it is written.
pub fn captured(file: &Path, length: u32) -> Vec<(u32, Option<String>)> {
    let mut reader = PcapNgReader::new(File::open(file).unwrap()).unwrap();
    let mut seen = Vec::new();
    while let Some(Ok(block)) = reader.next_block() {
        let Block::EnhancedPacket(packet) = block else { continue };
        let comment = packet.options.iter().find_map(|option| match option {
            EnhancedPacketOption::Comment(comment) => Some(comment.to_string()),
            _ => None,
        });
        if packet.original_len == length {
            seen.push((packet.interface_id, comment));
        }
    }
    seen
}
