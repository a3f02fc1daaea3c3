//! Frames of a claim go through a link, and all others do not. The test uses two network namespaces
//! of its own that are joined by veth. Needs root.

use std::fs::File;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::process::Command;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use netloom_dataplane::{Dataplane, Heartbeat, LinkWiring, Options, Wiring};
use netloom_fabric::{LinkEnd, LinkId};
use netloom_link::{Delay, PipeConfig};
use netloom_ports::{Tap, fitted};
use netloom_selector::{Chosen, Deadlines, HookKind, Selector, Taps};
use netloom_shape::{Key, PortPrefix, Protocol, Side, Tier};
use nix::sched::{CloneFlags, setns};

const HERE: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 1);
const THERE: Ipv4Addr = Ipv4Addr::new(192, 0, 2, 2);
const CLAIMED: u16 = 7001;
const PLAIN: u16 = 7002;
/// One-way delay.
const DELAY: Duration = Duration::from_millis(40);

/// Two namespaces with a veth pair `eth0`. Dropping this removes them.
struct Pair([String; 2]);

impl Pair {
    fn new(what: &str) -> Self {
        let names = ["a", "b"].map(|side| format!("sel{}{what}{side}", std::process::id()));
        let [a, b] = &names;
        let lines = format!(
            "netns add {a}\nnetns add {b}\n\
             link add eth0 netns {a} type veth peer name eth0 netns {b}\n"
        );
        batch(&[], &lines);
        for (name, address) in [(a, HERE), (b, THERE)] {
            let lines =
                format!("addr add {address}/24 dev eth0\nlink set eth0 up\nlink set lo up\n");
            batch(&["-n", name], &lines);
        }
        Self(names)
    }

    /// Runs a function on a thread in a namespace.
    fn inside<T: Send + 'static>(
        &self,
        side: usize,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> JoinHandle<T> {
        let namespace = File::open(format!("/run/netns/{}", self.0[side])).unwrap();
        thread::spawn(move || {
            setns(namespace, CloneFlags::CLONE_NEWNET).unwrap();
            work()
        })
    }
}

impl Drop for Pair {
    fn drop(&mut self) {
        for name in &self.0 {
            let _ = Command::new("ip").args(["netns", "delete", name]).status();
        }
    }
}

fn batch(options: &[&str], lines: &str) {
    let mut ip = Command::new("ip");
    ip.args(options).args(["-batch", "-"]).stdin(std::process::Stdio::piped());
    let mut running = ip.spawn().unwrap();
    running.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    assert!(running.wait().unwrap().success(), "{lines}");
}

/// Starts a server in the far namespace that echoes its input.
fn serve(pair: &Pair, port: u16) {
    let listening = pair.inside(1, move || TcpListener::bind((THERE, port)).unwrap());
    let listener = listening.join().unwrap();
    thread::spawn(move || {
        for stream in listener.incoming() {
            let mut stream = stream.unwrap();
            thread::spawn(move || {
                let mut buffer = [0; 64];
                while let Ok(bytes @ 1..) = stream.read(&mut buffer) {
                    if stream.write_all(&buffer[..bytes]).is_err() {
                        return;
                    }
                }
            });
        }
    });
}

/// Returns the shortest of some round trips from the near namespace.
fn round_trip(pair: &Pair, port: u16) -> Duration {
    let measured = pair.inside(0, move || {
        let address = SocketAddr::from((THERE, port));
        let mut stream = TcpStream::connect_timeout(&address, Duration::from_secs(10)).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
        let trips = (0..5).map(|_| {
            let began = Instant::now();
            stream.write_all(b"x").unwrap();
            stream.read_exact(&mut [0]).unwrap();
            began.elapsed()
        });
        trips.min().unwrap()
    });
    measured.join().unwrap()
}

/// A claim of a user's client port, with its data plane.
struct Claimed {
    selector: Selector,
    dataplane: Option<Dataplane>,
    deadlines: Deadlines,
}

fn claim(pair: &Pair, uid: u32, kind: HookKind) -> Claimed {
    let made = pair.inside(0, move || {
        let mut selector = Selector::attach_by("eth0", 0x5eed_1234, kind).unwrap();
        let mut taps = Taps::make(7, selector.mtu().unwrap()).unwrap();
        let ends = taps.ends.take().unwrap();
        let deadlines = selector.deadlines();
        let beaten = deadlines.clone();
        let options = Options {
            workers: Some(1),
            heartbeat: Some(Heartbeat::new(move |worker| {
                let _ = beaten.put_off(worker);
            })),
            ..Options::default()
        };
        let delay = netloom_units::Duration::from_millis(40);
        let pipe = PipeConfig { delay: Delay::from(delay), ..PipeConfig::default() };
        let link = LinkWiring {
            id: LinkId(1),
            name: "claim".into(),
            ends: ends.map(|end| LinkEnd::Port(fitted(Box::new(Tap::from_fd(end))))),
            pipes: [pipe.clone(), pipe],
            mtus: [None; 2],
            peer: None,
        };
        let dataplane = Dataplane::start(Wiring { links: vec![link] }, options).unwrap();
        let ports = PortPrefix { first: CLAIMED, bits: 16 };
        let chosen = Chosen {
            identity: 1,
            owner: (Tier::Own, Some(uid)),
            keys: vec![Key::Port(Side::Remote, Protocol::Tcp, ports)],
            passing: Vec::new(),
            cgroup: None,
            taps: taps.indices,
            worker: 0,
        };
        selector.insert(chosen, &taps).unwrap();
        Claimed { selector, dataplane: Some(dataplane), deadlines }
    });
    made.join().unwrap()
}

fn is_root() -> bool {
    let root = nix::unistd::geteuid().is_root();
    if !root {
        println!("skipped: needs root");
    }
    root
}

fn a_claimed_port_is_delayed_by(kind: HookKind, what: &str) {
    let pair = Pair::new(what);
    serve(&pair, CLAIMED);
    serve(&pair, PLAIN);
    let mut claimed = claim(&pair, 0, kind);
    assert!(round_trip(&pair, CLAIMED) >= 2 * DELAY);
    assert!(round_trip(&pair, PLAIN) < DELAY);
    claimed.selector.remove(1).unwrap();
    assert!(round_trip(&pair, CLAIMED) < DELAY);
}

#[test]
fn a_claimed_port_is_delayed_and_no_other() {
    if is_root() {
        a_claimed_port_is_delayed_by(HookKind::Tcx, "x");
    }
}

#[test]
fn so_it_is_by_filters_of_older_kernels() {
    if is_root() {
        a_claimed_port_is_delayed_by(HookKind::Filters, "f");
    }
}

#[test]
fn a_claim_leaves_others_alone() {
    if !is_root() {
        return;
    }
    let pair = Pair::new("o");
    serve(&pair, CLAIMED);
    let _claimed = claim(&pair, 1001, HookKind::Tcx);
    // This test's sockets belong to root.
    assert!(round_trip(&pair, CLAIMED) < DELAY);
}

#[test]
fn without_a_sign_of_life_everything_passes() {
    if !is_root() {
        return;
    }
    let pair = Pair::new("s");
    serve(&pair, CLAIMED);
    let mut claimed = claim(&pair, 0, HookKind::Tcx);
    assert!(round_trip(&pair, CLAIMED) >= 2 * DELAY);
    // The worker has stopped, but its devices still exist.
    let _devices = claimed.dataplane.take().unwrap().stop();
    claimed.deadlines.let_pass();
    assert!(round_trip(&pair, CLAIMED) < DELAY);
}
