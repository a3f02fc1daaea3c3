//! The network that an ordinary user's shell has in place of the machine's: a network namespace of
//! the engine's own, in which it may make devices and translate addresses. `pasta` (package
//! `passt`) joins it to the machine by sockets of the user.

use std::fs::{self, File};
use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::net::if_::if_nametoindex;
use nix::sched::{CloneFlags, unshare};
use nix::sys::prctl::set_pdeathsig;
use nix::sys::signal::Signal;

use crate::books::variables::EXPERIMENT_VARIABLE;
use crate::stack::netlink::Netlink;
use crate::stack::{netns, requests};
use crate::{Layout, NodeError};

/// The program that joins a namespace to the machine.
const PASTA: &str = "pasta";
/// Its device in the namespace.
const DEVICE: &str = "machine0";
/// Longest time for it to make the device.
const PATIENCE: Duration = Duration::from_secs(10);
/// Period of checks for the device.
const PERIOD: Duration = Duration::from_millis(5);

/// The addresses between the gateway and the machine: the first usable one of a /30 and of a /64
/// that are free there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Uplink {
    /// The address of the /30.
    pub v4: Ipv4Addr,
    /// The address of the /64.
    pub v6: Ipv6Addr,
}

/// The namespace that is joined to the machine, until this is dropped.
#[derive(Debug)]
pub struct Gateway {
    pasta: Child,
}

impl Gateway {
    /// Moves the calling thread into a new network namespace, which everything that it starts from
    /// now on inherits. With `uplink`, the namespace is joined to the network that the thread comes
    /// from.
    ///
    /// # Errors
    /// [`NodeError::System`] if the kernel refuses a namespace, or `pasta` fails; then with its
    /// message.
    pub fn enter(layout: &Layout, uplink: Option<Uplink>) -> Result<Option<Self>, NodeError> {
        let made = new_namespace();
        let namespace =
            made.map_err(|error| NodeError::system("make the network of the shell's side", error))?;
        let joined = uplink.map(|uplink| {
            Self::join(layout, &namespace, uplink).map_err(|error| {
                NodeError::system("join the shell to the machine's network by `pasta`", error)
            })
        });
        let joined = joined.transpose()?;
        netns::enter(&namespace)
            .map_err(|error| NodeError::system("enter the network of the shell's side", error))?;
        Ok(joined)
    }

    /// Whether the namespace is still joined to the machine.
    pub fn is_alive(&mut self) -> bool {
        matches!(self.pasta.try_wait(), Ok(None))
    }

    fn join(layout: &Layout, namespace: &File, uplink: Uplink) -> io::Result<Self> {
        // It lacks the rights to take the namespace from another process, but finds it by name.
        let name = layout.state_dir().join("gateway");
        File::create(&name)?;
        let bind = || {
            let source = "/proc/thread-self/ns/net";
            Ok(mount(Some(source), &name, None::<&str>, MsFlags::MS_BIND, None::<&str>)?)
        };
        // The mounts of the calling thread, accessed from a thread in the namespace.
        netns::inside(namespace, bind)?;
        let log = layout.state_dir().join("pasta.log");
        let mut command = command(&name, uplink);
        command.env(EXPERIMENT_VARIABLE, layout.experiment());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(File::create(&log)?);
        let dies_with_us = || Ok(set_pdeathsig(Signal::SIGKILL)?);
        // SAFETY: between fork and exec, this calls the kernel and nothing else.
        unsafe { command.pre_exec(dies_with_us) };
        let started = command.spawn().map(|pasta| Self { pasta });
        let joined = started.and_then(|mut started| {
            started.wait_until_joined(namespace, &log)?;
            Ok(started)
        });
        let unmounted = umount2(&name, MntFlags::MNT_DETACH);
        let joined = joined?;
        unmounted?;
        Ok(joined)
    }

    fn wait_until_joined(&mut self, namespace: &File, log: &std::path::Path) -> io::Result<()> {
        let deadline = Instant::now() + PATIENCE;
        let failed = |what: &str| {
            let words = fs::read_to_string(log).unwrap_or_default();
            let lines = words.lines().filter(|line| !line.ends_with("bytes to syslog"));
            io::Error::other(format!("{what}: {}", lines.collect::<Vec<_>>().join("; ")))
        };
        loop {
            if let Some(status) = self.pasta.try_wait()? {
                return Err(failed(&format!("it ended ({status})")));
            }
            if netns::inside(namespace, || Ok(has_default_route()))? {
                return Ok(());
            }
            if Instant::now() >= deadline {
                return Err(failed("it did not make its device in 10 s"));
            }
            thread::sleep(PERIOD);
        }
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.pasta.kill();
        let _ = self.pasta.wait();
    }
}

/// Returns the path of `pasta`. `None` if it is not installed.
pub fn pasta() -> Option<PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    std::env::split_paths(&path).map(|folder| folder.join(PASTA)).find(|file| file.is_file())
}

/// Returns the command without the machine's own addresses, which would hide its servers, and
/// without any port that leads from one side to the other by itself.
fn command(namespace: &std::path::Path, uplink: Uplink) -> Command {
    let mut command = Command::new(pasta().unwrap_or_else(|| PASTA.into()));
    command.args(["--foreground", "--quiet", "--config-net", "--no-map-gw"]);
    command.args(["-t", "none", "-u", "none", "-T", "none", "-U", "none"]);
    command.args(["--ns-ifname", DEVICE, "--netmask", "255.255.255.252"]);
    let Uplink { v4, v6 } = uplink;
    let second_v6 = Ipv6Addr::from(u128::from(v6) + 1);
    let addresses: [(IpAddr, IpAddr); 2] =
        [(v4.into(), Ipv4Addr::from(u32::from(v4) + 1).into()), (v6.into(), second_v6.into())];
    for (machine, here) in addresses {
        command.args(["--address", &here.to_string(), "--gateway", &machine.to_string()]);
    }
    command.arg("--netns").arg(namespace);
    command
}

/// Makes a new network namespace, with a loopback device that is up.
fn new_namespace() -> io::Result<File> {
    let make = || {
        unshare(CloneFlags::CLONE_NEWNET)?;
        let up = vec![requests::up(if_nametoindex("lo")?, "lo")];
        Netlink::open()?.apply(up).map_err(|refused| refused.source)?;
        File::open("/proc/thread-self/ns/net")
    };
    thread::scope(|scope| {
        let thread = thread::Builder::new().spawn_scoped(scope, make)?;
        thread.join().unwrap_or_else(|_| Err(io::Error::other("a thread has panicked")))
    })
}

/// Whether the calling thread's network has a default route by the device, for IPv4 or IPv6.
fn has_default_route() -> bool {
    let read = |table: &str| fs::read_to_string(format!("/proc/thread-self/net/{table}"));
    let v4 = read("route").unwrap_or_default();
    let v6 = read("ipv6_route").unwrap_or_default();
    let by_v4 = v4.lines().any(|line| {
        let mut words = line.split_whitespace();
        words.next() == Some(DEVICE) && words.next() == Some("00000000")
    });
    let by_v6 = v6.lines().any(|line| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words.get(1) == Some(&"00") && words.last() == Some(&DEVICE)
    });
    by_v4 || by_v6
}
