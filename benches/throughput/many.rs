//! The same traffic over ten thousand pipes and over one: what a frame costs in worker CPU time.
//! Real TAP devices, so that every frame pays what it would in an experiment; and beside it the
//! floor: the same devices and a loop that only takes frames from one and gives them to the other.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use netloom_dataplane::Dataplane;
use netloom_ports::{FrameBuffer, FrameDevice, Pool, Tap};
use nix::sys::epoll::{Epoll, EpollCreateFlags, EpollEvent, EpollFlags, EpollTimeout};
use nix::sys::resource::{Resource, getrlimit, setrlimit};

use crate::cpu::{self, Usage};
use crate::flood::Sender;
use crate::lab::Namespace;
use crate::pairs::Pairs;
use crate::wire::{delivered, link, start};

/// Links of the larger network: twice as many pipes.
const LINKS: usize = 5000;
/// Frames a second, over all pipes together: far below what one worker can carry.
const RATE: u32 = 100_000;
/// Frames sent at once, to as many pipes.
const BURST: u32 = 20;
const PIPE: &str = r#"{"rate":"10Gbit/s","delay":"10ms"}"#;

/// 10,000 pipes ÷ one.
pub fn run(span: Duration) {
    println!(
        "\nworker CPU time a frame: {RATE} frames/s of 60 bytes over {} pipes ÷ over one",
        2 * LINKS
    );
    allow_descriptors();
    let mut many = Network::new(LINKS);
    let mut one = Network::new(1);
    let pairs = Pairs::measure(|| many.cost(2, span), || one.cost(1, span));
    pairs.print("CPU time a frame", "ns", "≤ 1.5");
    cpu::profile(span, || many.cost(2, span));
    drop((many, one));
    let (mut many, mut one) = (Bare::new(LINKS), Bare::new(1));
    let pairs = Pairs::measure(|| many.cost(2, span), || one.cost(1, span));
    pairs.print("the same without pipes: read from one device, written to another", "ns", "none");
}

/// Each link has two descriptors.
fn allow_descriptors() {
    let (_, hard) = getrlimit(Resource::RLIMIT_NOFILE).expect("the limit of descriptors");
    setrlimit(Resource::RLIMIT_NOFILE, hard, hard).expect("a soft limit up to the hard one");
}

/// Two hosts joined by many links.
struct Network {
    hosts: [Namespace; 2],
    dataplane: Dataplane,
    interfaces: Vec<String>,
}

impl Network {
    fn new(links: usize) -> Self {
        let began = Instant::now();
        let hosts = [(); 2].map(|()| Namespace::new().expect("a namespace"));
        let [left, right] = hosts.each_ref().map(|host| host.add_bare_taps(links).expect("TAPs"));
        let ends = left.into_iter().zip(right).enumerate();
        let wired = ends.map(|(index, (a, b))| link(index, [a, b], PIPE)).collect();
        let dataplane = start(wired, 1);
        println!("        {links} links made in {:.1} s", began.elapsed().as_secs_f64());
        let interfaces = (0..links).map(|index| format!("t{index}")).collect();
        Self { hosts, dataplane, interfaces }
    }

    /// Nanoseconds of worker CPU time for each frame that is delivered, with `senders` of the two
    /// hosts sending: all that the worker does, the watching of the clock before a release aside.
    fn cost(&mut self, senders: usize, span: Duration) -> f64 {
        let before = (delivered(&self.dataplane), Usage::of_workers(), self.spun());
        send(&self.hosts[..senders], &self.interfaces, span);
        let (usage, spun) = (Usage::of_workers().since(&before.1), self.spun() - before.2);
        let frames = delivered(&self.dataplane) - before.0;
        (usage.as_nanos() as f64 - spun) / frames as f64
    }

    /// Nanoseconds that the worker has spent watching the clock.
    fn spun(&self) -> f64 {
        let timing = self.dataplane.timing().expect("timing");
        timing.workers[0].spinning * timing.at.as_nanos() as f64
    }
}

/// Sends [`RATE`] frames a second for `span`, by turns from the `hosts` and over their
/// `interfaces`.
fn send(hosts: &[Namespace], interfaces: &[String], span: Duration) {
    let mut senders: Vec<_> = hosts.iter().map(|host| Sender::new(host, interfaces, 60)).collect();
    let (start, mut sent) = (Instant::now(), 0u32);
    while start.elapsed() < span {
        let due = start.elapsed().mul_f64(f64::from(RATE)).as_secs_f64() as u32;
        if sent < due {
            let turn = (sent / BURST) as usize % senders.len();
            senders[turn].send(BURST as usize);
            sent += BURST;
        }
    }
}

/// Two hosts whose interfaces a loop joins without any link model.
struct Bare {
    hosts: [Namespace; 2],
    interfaces: Vec<String>,
    carried: Arc<AtomicU64>,
    stop: Arc<AtomicBool>,
    carrier: Option<JoinHandle<()>>,
}

impl Bare {
    fn new(links: usize) -> Self {
        let hosts = [(); 2].map(|()| Namespace::new().expect("a namespace"));
        let taps = hosts.each_ref().map(|host| host.add_bare_taps(links).expect("TAPs"));
        let (carried, stop) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (count, end) = (Arc::clone(&carried), Arc::clone(&stop));
        let carrier = thread::Builder::new()
            .name(format!("{}bare", cpu::WORKERS))
            .spawn(move || carry(taps, &count, &end))
            .expect("a thread");
        let interfaces = (0..links).map(|index| format!("t{index}")).collect();
        Self { hosts, interfaces, carried, stop, carrier: Some(carrier) }
    }

    /// Nanoseconds of CPU time for each frame that is carried.
    fn cost(&mut self, senders: usize, span: Duration) -> f64 {
        let before = (self.carried.load(Ordering::Relaxed), Usage::of_workers());
        send(&self.hosts[..senders], &self.interfaces, span);
        let frames = self.carried.load(Ordering::Relaxed) - before.0;
        Usage::of_workers().since(&before.1).as_nanos() as f64 / frames as f64
    }
}

impl Drop for Bare {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        let ended = self.carrier.take().map(JoinHandle::join);
        assert!(ended.is_some_and(|ended| ended.is_ok()), "the loop ran to its end");
    }
}

/// Takes frames from each TAP and gives them to its fellow, until `stop`.
fn carry(mut taps: [Vec<Tap>; 2], carried: &AtomicU64, stop: &AtomicBool) {
    let epoll = Epoll::new(EpollCreateFlags::EPOLL_CLOEXEC).expect("an event queue");
    for (side, taps) in taps.iter().enumerate() {
        for (index, tap) in taps.iter().enumerate() {
            let event = EpollEvent::new(EpollFlags::EPOLLIN, (2 * index + side) as u64);
            epoll.add(tap.fd().expect("a TAP has one"), event).expect("the descriptor is watched");
        }
    }
    let (mut pool, mut buffer) = (Pool::new(64 << 20), FrameBuffer::default());
    let mut events = [EpollEvent::empty(); 256];
    while !stop.load(Ordering::Relaxed) {
        let ready = epoll.wait(&mut events, EpollTimeout::from(100u8)).unwrap_or(0);
        for event in &events[..ready] {
            let (index, side) = (event.data() as usize / 2, event.data() as usize % 2);
            while taps[side][index].receive(&mut buffer).is_ok_and(|some| some) {
                let frame = pool.take(&mut buffer).expect("memory for one frame");
                // What the interface refuses is not carried.
                let sent = taps[1 - side][index].send(&frame);
                carried.fetch_add(u64::from(sent.is_ok()), Ordering::Relaxed);
                pool.recycle(frame);
            }
        }
    }
}
