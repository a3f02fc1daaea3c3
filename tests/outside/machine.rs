//! The made-up machine of these tests, the world behind its uplink, and a network inside.

use std::process::{Child, Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};

use crate::common::{Lab, NETLOOM, eventually, kill, takes_root, text};
use nix::sys::signal::Signal;
use serde_json::Value;

/// A machine, and the world behind its uplink `up0` (198.51.100.1/24 on the machine, .2 in the
/// world).
pub struct Machine {
    pub machine: String,
    pub world: String,
    pub server: Option<Child>,
}

impl Machine {
    /// Creates a machine. For ordinary users it reports that the test is skipped and returns
    /// `None`.
    pub fn new(of: &str) -> Option<Self> {
        static NEXT: AtomicU32 = AtomicU32::new(0);
        if !takes_root(of, "the machine's devices are root's") {
            return None;
        }
        let number = NEXT.fetch_add(1, Ordering::Relaxed);
        let name = |what: &str| format!("l-{what}-{}-{number}", std::process::id());
        let made = Self { machine: name("machine"), world: name("world"), server: None };
        for namespace in [&made.machine, &made.world] {
            ip(&["netns", "add", namespace]);
            ip(&["-n", namespace, "link", "set", "lo", "up"]);
        }
        made.uplink("up0");
        made.ip("address add 198.51.100.1/24 dev up0");
        made.ip("address add fd98::1/64 dev up0 nodad");
        made.in_world("ip address add 198.51.100.2/24 dev up0");
        made.in_world("ip address add fd98::2/64 dev up0 nodad");
        Some(made)
    }

    /// A cable between the two, whose ends have the same name.
    pub fn uplink(&self, name: &str) {
        let (machine, world) = (&self.machine, &self.world);
        ip(&[
            "-n", machine, "link", "add", name, "type", "veth", "peer", "name", name, "netns",
            world,
        ]);
        ip(&["-n", machine, "link", "set", name, "up"]);
        ip(&["-n", world, "link", "set", name, "up"]);
    }

    pub fn ip(&self, arguments: &str) -> String {
        self.sh(&format!("ip {arguments}"))
    }

    /// A shell line on the machine, which must succeed.
    pub fn sh(&self, line: &str) -> String {
        ok(inside(&self.machine, &["sh", "-c", line]).output().unwrap(), line)
    }

    /// A shell line in the world, which must succeed.
    pub fn in_world(&self, line: &str) -> String {
        ok(inside(&self.world, &["sh", "-c", line]).output().unwrap(), line)
    }

    /// Starts a server in the world that sends clients their address.
    pub fn serve(&mut self) {
        let program = "\
import socket
s = socket.create_server(('::', 7), family=socket.AF_INET6, dualstack_ipv6=True)
while True:
    c, a = s.accept()
    c.sendall(a[0].removeprefix('::ffff:').encode()); c.close()
";
        let mut command = inside(&self.world, &["python3", "-c", program]);
        self.server = Some(command.stdin(Stdio::null()).spawn().unwrap());
        eventually("the server listens", || self.in_world("ss -tln").contains(":7 "));
    }

    /// `netloom` on this machine.
    pub fn netloom(&self, lab: &Lab, arguments: &[&str]) -> Output {
        let all = [&[NETLOOM], arguments].concat();
        let mut command = inside(&self.machine, &all);
        command.current_dir(&lab.directory).env("NETLOOM_PROFILE", lab.profile());
        command.stdin(Stdio::null()).output().unwrap()
    }

    pub fn ok(&self, lab: &Lab, arguments: &[&str]) -> String {
        ok(self.netloom(lab, arguments), &arguments.join(" "))
    }

    /// `netloom`, which must fail; its words.
    pub fn fails(&self, lab: &Lab, arguments: &[&str]) -> String {
        let output = self.netloom(lab, arguments);
        assert!(!output.status.success(), "netloom {} succeeded", arguments.join(" "));
        text(&output.stderr)
    }

    /// The devices of the machine.
    pub fn devices(&self) -> Vec<String> {
        let all: Value = serde_json::from_str(&self.ip("-j link")).unwrap();
        let names = all.as_array().unwrap().iter().map(|link| link["ifname"].as_str().unwrap());
        let mut names: Vec<String> = names.map(Into::into).collect();
        names.sort();
        names
    }
}

impl Drop for Machine {
    fn drop(&mut self) {
        if let Some(mut server) = self.server.take() {
            let _ = server.kill();
            let _ = server.wait();
        }
        for namespace in [&self.machine, &self.world] {
            let _ = Command::new("ip").args(["netns", "delete", namespace]).output();
        }
    }
}

/// Not `ip netns exec`, which makes a mount namespace each time: names of namespaces are mounts.
pub fn inside(namespace: &str, command: &[&str]) -> Command {
    let mut inside = Command::new("nsenter");
    inside.arg(format!("--net=/run/netns/{namespace}")).args(command);
    inside
}

pub fn ip(arguments: &[&str]) {
    ok(Command::new("ip").args(arguments).output().unwrap(), &arguments.join(" "));
}

pub fn ok(output: Output, what: &str) -> String {
    let words = text(&output.stdout) + &text(&output.stderr);
    assert!(output.status.success(), "{what} failed: {words}");
    text(&output.stdout)
}

/// Ends an experiment, and looks that the machine is as before.
pub fn destroyed(machine: &Machine, lab: &Lab, before: &[String]) {
    machine.ok(lab, &["destroy"]);
    assert_eq!(lab.remains(), [""; 0]);
    assert_eq!(machine.devices(), before);
}

/// Kills an experiment's engine, cleans up, and looks that the machine is as before.
pub fn killed(machine: &Machine, lab: &Lab, before: &[String]) {
    kill(lab.engine_pid(), Signal::SIGKILL);
    eventually("the engine is gone", || {
        text(&machine.netloom(lab, &["inspect", "--all"]).stdout).contains("engine has died")
    });
    machine.ok(lab, &["cleanup", &lab.name]);
    assert_eq!(lab.remains(), [""; 0]);
    assert_eq!(machine.devices(), before);
}

/// A network behind the machine, at its device `in0`, that the world must not reach.
pub struct Inner(String);

impl Inner {
    pub fn new(machine: &Machine) -> Self {
        let name = format!("{}-inner", machine.machine);
        ip(&["netns", "add", &name]);
        let inner = Self(name);
        let (from, to) = (&machine.machine, &inner.0);
        ip(&["-n", from, "link", "add", "in0", "type", "veth", "peer", "name", "in0", "netns", to]);
        let of_machine = [
            "link set in0 up",
            "address add 10.99.0.1/24 dev in0",
            "address add fd99::1/64 dev in0 nodad",
            "route add default via 198.51.100.2",
            "route add default via 10.99.0.5 metric 500",
        ];
        of_machine.into_iter().for_each(|line| drop(machine.ip(line)));
        inner.sh("ip link set in0 up; ip address add 10.99.0.5/24 dev in0");
        inner.sh("ip address add fd99::5/64 dev in0 nodad");
        inner.sh("ip route add default via 10.99.0.1; ip route add default via fd99::1");
        let through = |to: &str, by: &str| machine.in_world(&format!("ip route add {to} via {by}"));
        [("10.99.0.0/24", "198.51.100.1"), ("172.30.0.0/24", "198.51.100.1")]
            .into_iter()
            .chain([("fd99::/64", "fd98::1"), ("fd30::/63", "fd98::1")])
            .for_each(|(to, by)| drop(through(to, by)));
        inner
    }

    pub fn sh(&self, line: &str) -> String {
        ok(inside(&self.0, &["sh", "-c", line]).output().unwrap(), line)
    }

    /// How many requests for an echo have come, of IPv4 and of IPv6.
    pub fn echoes(&self) -> [u64; 2] {
        let text = self.sh("nstat -asz IcmpInEchos Icmp6InEchos");
        let count = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            line.split_whitespace().next().unwrap().parse().unwrap()
        };
        [count("IcmpInEchos "), count("Icmp6InEchos ")]
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        let _ = Command::new("ip").args(["netns", "delete", &self.0]).output();
    }
}
