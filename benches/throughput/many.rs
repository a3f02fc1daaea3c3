//! The same traffic over ten thousand pipes and over one: what a frame costs in worker CPU time.
//! Real TAP devices, so that every frame pays what it would in an experiment.

use std::time::{Duration, Instant};

use netloom_dataplane::Dataplane;
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
        let hosts = self.hosts.iter().take(senders);
        let mut senders: Vec<_> =
            hosts.map(|host| Sender::new(host, &self.interfaces, 60)).collect();
        let before = (delivered(&self.dataplane), Usage::of_workers(), self.spun());
        let (start, mut sent) = (Instant::now(), 0u32);
        while start.elapsed() < span {
            let due = start.elapsed().mul_f64(f64::from(RATE)).as_secs_f64() as u32;
            if sent < due {
                let turn = (sent / BURST) as usize % senders.len();
                senders[turn].send(BURST as usize);
                sent += BURST;
            }
        }
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
