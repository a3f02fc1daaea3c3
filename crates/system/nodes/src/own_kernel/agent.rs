//! `netloom __agent`: the first process under a node's user-mode kernel. It configures the node's
//! network stack, and then runs processes for stand-ins.

use std::fs::{self, File};
use std::io;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::symlink;
use std::sync::Arc;
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use nix::mount::{MsFlags, mount};
use nix::net::if_::if_nametoindex;
use nix::sched::{CloneFlags, unshare};
use nix::sys::reboot::{RebootMode, reboot};
use nix::unistd::sethostname;

use super::messages::{self, Message, receive, send};
use super::orders::Orders;
use super::places::MODPROBE;
use super::running::{self, Children};
use super::{clock, interfaces, modules};
use crate::NodeError;
use crate::stack::configure::{LOOPBACK, set_up};
use crate::stack::netlink::{Netlink, Refused, Request};
use crate::stack::{listening, netns, requests, sysctl};

/// Argument that selects this role of the program.
pub const ROLE: &str = "__agent";

/// First device of the kernel, which leads to the namespace. The others belong to the node.
const CONTROL: &str = "vec0";
/// Longest time until the kernel's devices appear.
const PATIENCE: Duration = Duration::from_secs(20);

/// Runs `netloom __agent`. Returns only if errors cannot be reported to anybody.
pub fn main() -> i32 {
    match prepare() {
        Ok((listener, state)) => {
            running::serve(move |children| listen(&listener, &state, children))
        }
        Err(error) => {
            // The process that waits for the kernel reads the console.
            eprintln!("netloom: {error}");
            match reboot(RebootMode::RB_POWER_OFF) {
                Ok(never) => match never {},
                Err(_) => 1,
            }
        }
    }
}

/// Result of configuring the node.
type State = Result<(), String>;

fn prepare() -> io::Result<(TcpListener, State)> {
    file_systems()?;
    let orders = Orders::read()?;
    sethostname(&orders.node.name)?;
    fs::write("/proc/sys/kernel/modprobe", MODPROBE)?;
    // Devices that exist before the module is loaded have no IPv6.
    modules::load("ipv6")?;
    let home = File::open(netns::HOME)?;
    let devices = orders.node.interfaces.len();
    let apart = Apart::new(devices)?;
    // Devices take over the parameters of the namespace that they are moved to.
    let state = sysctl::set_all(&orders.node, false).and_then(|later| {
        let failed = |source| NodeError::in_node(&orders.node.name, "take its devices", source);
        apart.return_devices(&orders, &home).map_err(failed)?;
        set_up(&orders.node, &orders.routes, later)
    });
    Ok((apart.listener, state.map_err(|error| error.to_string())))
}

/// Mounts the kernel's file systems, in addition to the machine's files that the node sees.
fn file_systems() -> io::Result<()> {
    let make = |kind: &str, place: &str, options: Option<&str>| {
        fs::create_dir_all(place)?;
        mount(Some(kind), place, Some(kind), MsFlags::MS_NOSUID, options).map_err(|errno| {
            io::Error::new(io::Error::from(errno).kind(), format!("cannot mount {place}: {errno}"))
        })
    };
    make("proc", "/proc", None)?;
    make("sysfs", "/sys", None)?;
    make("devpts", "/dev/pts", Some("mode=620,ptmxmode=666"))?;
    make("tmpfs", "/dev/shm", Some("mode=1777"))?;
    let links = [("fd", "fd"), ("stdin", "fd/0"), ("stdout", "fd/1"), ("stderr", "fd/2")];
    for (name, to) in links {
        symlink(format!("/proc/self/{to}"), format!("/dev/{name}"))?;
    }
    Ok(())
}

/// A separate network namespace for the device that leads to the machine, so that processes of the
/// node do not see it. It exists as long as the listener.
struct Apart {
    listener: TcpListener,
    namespace: File,
}

impl Apart {
    /// Creates the namespace with all devices in it: the first one, and the `devices` of the node.
    fn new(devices: usize) -> io::Result<Self> {
        let mut all = vec![];
        for place in 0..=devices {
            let name = format!("vec{place}");
            all.push((wait_for(&name)?, name));
        }
        let (sender, namespace) = channel();
        let (go, may_go) = channel();
        let make = move || {
            unshare(CloneFlags::CLONE_NEWNET)?;
            // The other thread waits for this, or has failed.
            let _ = sender.send(File::open("/proc/thread-self/ns/net")?);
            let _ = may_go.recv();
            let index = if_nametoindex(CONTROL)?;
            apply([
                requests::up(LOOPBACK, "lo"),
                requests::up(index, CONTROL),
                requests::address(index, CONTROL, messages::addresses()[1]),
            ])?;
            TcpListener::bind(messages::agent())
        };
        let thread = thread::spawn(make);
        if let Ok(namespace) = namespace.recv() {
            let away = all.iter().map(|(index, name)| requests::move_to(*index, name, &namespace));
            apply(away)?;
            // If the thread does not wait, it has failed.
            let _ = go.send(());
            let listener =
                thread.join().map_err(|_| io::Error::other("a thread has panicked"))??;
            return Ok(Self { listener, namespace });
        }
        // The thread has sent nothing because it failed.
        let failed = thread.join().map_err(|_| io::Error::other("a thread has panicked"))?;
        Err(failed.err().unwrap_or_else(|| io::ErrorKind::Other.into()))
    }

    /// Moves the node's devices to the node, with the interfaces' names.
    fn return_devices(&self, orders: &Orders, home: &File) -> io::Result<()> {
        netns::inside(&self.namespace, || {
            let mut requests = vec![];
            for (place, interface) in orders.node.interfaces.iter().enumerate() {
                let name = format!("vec{}", place + 1);
                let index = if_nametoindex(name.as_str())?;
                requests.push(requests::move_as(index, &name, &interface.name, home));
            }
            apply(requests)
        })
    }
}

/// Waits until the kernel has detected a device, and returns its index.
fn wait_for(device: &str) -> io::Result<u32> {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match if_nametoindex(device) {
            Ok(index) => return Ok(index),
            Err(_) if Instant::now() < deadline => thread::sleep(Duration::from_millis(5)),
            Err(errno) => {
                let why = format!("the kernel has no device {device}: {errno}");
                return Err(io::Error::new(io::ErrorKind::NotFound, why));
            }
        }
    }
}

fn apply(requests: impl IntoIterator<Item = Request>) -> io::Result<()> {
    let refused = |Refused { what, source }: Refused| {
        io::Error::new(source.kind(), format!("cannot {what}: {source}"))
    };
    Netlink::open()?.apply(requests).map_err(refused)
}

fn listen(listener: &TcpListener, state: &State, children: &Arc<Children>) -> io::Result<()> {
    loop {
        let (stream, _) = listener.accept()?;
        let (state, children) = (state.clone(), Arc::clone(children));
        // The other end reports failures of a connection.
        thread::spawn(move || answer(stream, &state, &children));
    }
}

fn answer(stream: TcpStream, state: &State, children: &Children) -> io::Result<()> {
    stream.set_nodelay(true)?;
    match receive(&stream)? {
        Some(Message::State) => {
            let answer = match state {
                Ok(()) => Message::Ready,
                Err(why) => Message::Failed { why: why.clone() },
            };
            send(&stream, &answer)
        }
        Some(Message::ListeningPorts) => {
            send(&stream, &Message::Ports(listening::tcp_ports()?.into_iter().collect()))
        }
        Some(Message::Interfaces) => {
            let orders = Orders::read()?;
            let names = orders.node.interfaces.iter().map(|interface| interface.name.clone());
            interfaces::answer(&stream, &names.collect::<Vec<_>>())
        }
        Some(Message::Clock) => clock::answer(&stream),
        Some(Message::Run(run)) => running::run(&stream, run, children),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}
