//! `netloom shell`. The machine of these tests is made up, as of those of links to the outside: a
//! network namespace in which `netloom` runs as a whole, with an uplink to another one, the world.

#[path = "../common/mod.rs"]
mod common;
#[path = "../outside/machine.rs"]
#[allow(dead_code, reason = "others use the rest")]
mod machine;

mod ends;
mod names;
mod rootless;
mod session;

use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};

use common::{NETLOOM, eventually, remains, text};
use machine::{Machine, inside};

/// The world's address.
pub const WORLD: &str = "198.51.100.2";

/// A machine with a default route into the world, for shells under a name of the test's own.
pub struct Place {
    /// The machine.
    pub machine: Machine,
    /// The name of its shells.
    pub name: String,
    /// A folder of the test's own.
    pub folder: PathBuf,
    before: String,
}

impl Place {
    /// Creates a place. For ordinary users it reports that the test is skipped and returns `None`.
    pub fn new(of: &str) -> Option<Self> {
        let machine = Machine::new(of)?;
        machine.ip("route add default via 198.51.100.2");
        machine.ip("-6 route add default via fd98::2");
        let name = format!("s-{}", machine.machine.trim_start_matches("l-machine-"));
        let folder = std::env::temp_dir().join(format!("netloom-test-{name}"));
        std::fs::create_dir_all(&folder).unwrap();
        let before = state_of(&machine);
        Some(Self { machine, name, folder, before })
    }

    /// `netloom shell` on the machine, under the test's name.
    pub fn command(&self, arguments: &[&str]) -> Command {
        self.command_as(&[], arguments)
    }

    /// Returns the command of [`command`](Self::command), run by the command `behind`.
    pub fn command_as(&self, behind: &[&str], arguments: &[&str]) -> Command {
        let words = [behind, &[NETLOOM, "shell", "--name", &self.name], arguments].concat();
        let mut command = inside(&self.machine.machine, &words);
        command.env_remove("SUDO_UID").stdin(Stdio::null());
        command.env("NETLOOM_PROFILE", "/nonexistent");
        command
    }

    /// A shell to its end.
    pub fn shell(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// A shell whose command must succeed; what it prints.
    pub fn ok(&self, arguments: &[&str]) -> String {
        machine::ok(self.shell(arguments), &arguments.join(" "))
    }

    /// Starts a shell that keeps running, and returns when its command has printed a line.
    pub fn started(&self, arguments: &[&str]) -> Child {
        self.started_as(&[], arguments)
    }

    /// Starts a shell like [`started`](Self::started), run by the command `behind`.
    pub fn started_as(&self, behind: &[&str], arguments: &[&str]) -> Child {
        use std::io::BufRead;
        let mut child = self.command_as(behind, arguments).stdout(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        std::io::BufReader::new(child.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
        assert_eq!(line, "ready\n");
        child
    }

    /// The engine of the shell.
    pub fn engine(&self) -> i32 {
        let pid = common::state(&self.name).join("engine.pid");
        std::fs::read_to_string(pid).unwrap().trim().parse().unwrap()
    }

    /// Looks that nothing of the shell is left and the machine is as it was.
    pub fn is_as_before(&self) {
        eventually("nothing is left", || remains(&self.name).is_empty());
        assert_eq!(state_of(&self.machine), self.before);
        let count = "ip netns pids $(ip netns identify $$) | wc -l";
        // This very line: the shell, `ip`, `wc`.
        let alone = || self.machine.sh(count).trim().parse::<u32>().unwrap() <= 3;
        eventually("no process is left on the machine", alone);
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        // Errors show in what later tests find.
        let words = [NETLOOM, "cleanup", "--force", &self.name];
        let _ = inside(&self.machine.machine, &words).output();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// Returns the state of the machine that a shell may change.
fn state_of(machine: &Machine) -> String {
    let files = "/proc/sys/net/ipv4/conf/*/forwarding /proc/sys/net/ipv6/conf/*/forwarding";
    machine.sh(&format!("ip -br address; nft list ruleset; grep . {files}"))
}

/// The least round trip of a `ping`'s output, in ms.
pub fn least(ping: &str) -> f64 {
    let times = ping.rsplit(" = ").next().unwrap();
    times.split('/').next().unwrap().trim().parse().unwrap_or_else(|_| panic!("{ping}"))
}

/// All that a program has printed.
pub fn said(output: &Output) -> String {
    text(&output.stdout) + &text(&output.stderr)
}
