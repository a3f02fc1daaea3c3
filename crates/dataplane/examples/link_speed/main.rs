//! Measures one link: round-trip times, TCP unshaped and at a rate, and the pipe model alone;
//! beside a raw veth pair and the machine's own wake-up latency in the same run. Prints only.
//!
//! `cargo run --release -p netloom-dataplane --example link_speed [SECONDS [PART]]` as root, PART
//! one of `model`, `rtt`, `tcp`, or the properties of one link to send over, like
//! `{"rate":"1Gbit/s"}`. TCP is cubic, or what the environment variable CONGESTION says.

mod echo;
#[path = "../../tests/lab/mod.rs"]
mod lab;

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::thread;
use std::time::{Duration, Instant};

use lab::{Namespace, ipv4, netlink::veth_pair, two_hosts};
use netloom_dataplane::{Dataplane, End, LatencySummary, LinkWiring, Options, Timing, Wiring};
use netloom_link::{Discipline, Ecn, FrameInfo, Header, Pipe, PipeConfig, Stream};
use netloom_units::Time;
use nix::sys::socket::sockopt::TcpCongestion;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, SockaddrIn, setsockopt, socket};

fn main() {
    if !lab::available("link_speed") {
        return;
    }
    let seconds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(4);
    let part = std::env::args().nth(2);
    let wanted = |name: &str| part.as_deref().is_none_or(|part| part == name);
    print_machine();
    if wanted("model") {
        model_alone();
    }
    if wanted("rtt") {
        round_trips();
    }
    let span = Duration::from_secs(seconds);
    match &part {
        Some(text) if text.starts_with('{') => throughput(span, &[text]),
        _ if wanted("tcp") => throughput(span, &TCP_LINKS),
        _ => {}
    }
}

fn print_machine() {
    let read = |path| std::fs::read_to_string(path).unwrap_or_default();
    let cpu = read("/proc/cpuinfo");
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name\t: ")).unwrap_or("?");
    let cores = thread::available_parallelism().map_or(1, usize::from);
    let (kernel, load) = (read("/proc/sys/kernel/osrelease"), read("/proc/loadavg"));
    println!("machine: {cores} × {model}; Linux {}; load {}", kernel.trim(), load.trim());
}

/// The pipe without devices: offer, poll, deadline. With a queue discipline, frames of 64 flows keep
/// the line busy.
fn model_alone() {
    println!("\npipe model alone, one core");
    let mut texts: Vec<String> = [
        "{}",
        r#"{"delay":"10ms"}"#,
        r#"{"rate":"10Gbit/s","delay":"10ms","queue":{"limit":"1000packets"}}"#,
        r#"{"rate":"10Gbit/s","delay":"10ms","loss":"1%","queue":{"limit":"1000packets"}}"#,
    ]
    .map(String::from)
    .into();
    texts.extend(Discipline::NAMES.iter().map(|name| {
        let queue = format!(r#"{{"discipline":"{name}","limit":"1000packets"}}"#);
        format!(r#"{{"rate":"9.9Gbit/s","queue":{queue}}}"#)
    }));
    for text in &texts {
        const FRAMES: u64 = 5_000_000;
        let mut pipe = Pipe::new(config(text), Stream::new(1, "bench"), Time::ZERO);
        let start = Instant::now();
        let mut delivered = 0u64;
        for number in 0..FRAMES {
            let now = Time::from_nanos(number * 1231);
            let _ = pipe.offer(now, FrameInfo::single(1514), Numbered(number));
            while pipe.poll(now).is_some() {
                delivered += 1;
            }
            while pipe.poll_dropped().is_some() {}
            std::hint::black_box(pipe.next_deadline());
        }
        let nanos = start.elapsed().as_nanos() as f64 / FRAMES as f64;
        println!(
            "  {nanos:6.1} ns/frame = {:5.1} million frames/s ({delivered} out)  {text}",
            1e3 / nanos
        );
    }
}

/// A frame without content, of one of 64 flows.
#[derive(Debug)]
struct Numbered(u64);

impl netloom_link::Frame for Numbered {
    fn header(&self) -> Option<Header> {
        Some(Header {
            source: Ipv4Addr::new(10, 0, 0, 1).into(),
            destination: Ipv4Addr::new(10, 0, 0, 2).into(),
            protocol: 17,
            source_port: (self.0 % 64) as u16,
            destination_port: 9,
            dscp: 0,
            ecn: Ecn::NotCapable,
        })
    }
    fn mark_congestion(&mut self) {}
    fn flip_bits(&mut self, _bits: &[u64]) {}
    fn duplicate(&self) -> Self {
        Self(self.0)
    }
}

fn config(text: &str) -> PipeConfig {
    let change: netloom_link::PipeChange = serde_json::from_str(text).expect("a valid change");
    let mut config = PipeConfig::default();
    change.apply_to(&mut config);
    config
}

fn linked(text: &str) -> ([Namespace; 2], Dataplane) {
    let (namespaces, taps) = two_hosts();
    let link = LinkWiring {
        name: "l".into(),
        ends: taps.map(|tap| End::Device(Box::new(tap))),
        pipes: [config(text), config(text)],
    };
    let wiring = Wiring { links: vec![link], switches: 0 };
    (namespaces, Dataplane::start(wiring, Options::default()).expect("a data plane"))
}

fn raw() -> [Namespace; 2] {
    let namespaces = [(); 2].map(|()| Namespace::new().expect("a namespace"));
    veth_pair(&namespaces[0], &namespaces[1]).expect("a veth pair");
    namespaces[0].configure(1).expect("an address");
    namespaces[1].configure(2).expect("an address");
    namespaces
}

fn round_trips() {
    println!("\nICMP echo, 1000 probes, 5 ms apart: median / p99 / max µs");
    let print = |what: &str, mut rtts: Vec<u64>| {
        rtts.sort_unstable();
        let at = |share: f64| rtts[((rtts.len() - 1) as f64 * share) as usize] as f64 / 1e3;
        println!(
            "  {:9.1} {:9.1} {:9.1}  {what} ({} of 1000 back)",
            at(0.5),
            at(0.99),
            at(1.0),
            rtts.len()
        );
    };
    print("raw veth", echo::round_trips(&raw()[0], 1000));
    for text in ["{}", r#"{"delay":"10ms"}"#, r#"{"delay":"10ms","rate":"100Mbit/s"}"#] {
        let (namespaces, dataplane) = linked(text);
        print(&format!("link {text}"), echo::round_trips(&namespaces[0], 1000));
        print_timing(&dataplane.timing().expect("timing"));
    }
}

fn print_timing(timing: &Timing) {
    let line = |name: &str, summary: &LatencySummary| {
        println!(
            "      {name:<10} p50 {:7.1}  p99 {:7.1}  p99.9 {:7.1}  max {:7.1} µs  ({})",
            summary.p50_ns as f64 / 1e3,
            summary.p99_ns as f64 / 1e3,
            summary.p999_ns as f64 / 1e3,
            summary.max_ns as f64 / 1e3,
            summary.count
        );
    };
    line("lateness", &timing.lateness);
    line("wake-up", &timing.wakeup);
    line("unattended", &timing.unattended);
    let load = timing.workers[0];
    println!(
        "      worker: busy {:.1} %, spinning {:.1} %; unmodelled drops: {}",
        load.busy * 100.0,
        load.spinning * 100.0,
        timing.unmodelled.total()
    );
}

const TCP_LINKS: [&str; 5] = [
    "{}",
    r#"{"delay":"1ms"}"#,
    r#"{"rate":"10Gbit/s"}"#,
    r#"{"rate":"1Gbit/s"}"#,
    r#"{"rate":"100Mbit/s"}"#,
];

/// Raw veth and links by turns, so that a noisy moment of the machine does not favour either.
fn throughput(span: Duration, links: &[&str]) {
    println!("\nTCP, one flow, {} s: goodput in Mbit/s", span.as_secs());
    let mut baseline = vec![tcp(&raw(), span)];
    let mut results = Vec::new();
    for text in links {
        let (namespaces, dataplane) = linked(text);
        let goodput = tcp(&namespaces, span);
        println!("  {goodput:9.1}  link {text}");
        print_pipe(&dataplane);
        print_timing(&dataplane.timing().expect("timing"));
        results.push((text, goodput));
        baseline.push(tcp(&raw(), span));
    }
    baseline.sort_unstable_by(f64::total_cmp);
    let veth = baseline[baseline.len() / 2];
    println!("  {veth:9.1}  raw veth, median of {} ({baseline:.0?})", baseline.len());
    for (text, goodput) in results {
        println!("  {:9.2}  × raw veth: link {text}", goodput / veth);
    }
}

fn print_pipe(dataplane: &Dataplane) {
    let pipe = dataplane.pipes().expect("pipes").swap_remove(0).statistics;
    println!(
        "      pipe: load {:.3}, queue {:.0} frames on average, {} at most; dropped {} of {}",
        pipe.load,
        pipe.queue.mean_frames,
        pipe.queue.maximum.frames,
        pipe.dropped.total().frames,
        pipe.offered.frames
    );
}

/// Goodput from the first namespace to the second at the receiver, in Mbit/s, after two seconds.
fn tcp([a, b]: &[Namespace; 2], span: Duration) -> f64 {
    let listener = b.run(|| TcpListener::bind((ipv4(2), 9)).expect("a listener"));
    let sender = a.run(connect);
    let (receiver, _) = listener.accept().expect("a connection");
    thread::scope(|scope| {
        scope.spawn(|| send(sender));
        receive(receiver, span)
    })
}

/// To host 2. The congestion control is chosen before the connection is made, because one that
/// began with a pacing control stays paced.
fn connect() -> TcpStream {
    let congestion = std::env::var("CONGESTION").unwrap_or_else(|_| "cubic".into());
    let flags = SockFlag::SOCK_CLOEXEC;
    let fd = socket(AddressFamily::Inet, SockType::Stream, flags, None).expect("a socket");
    setsockopt(&fd, TcpCongestion, &congestion.into()).expect("a known congestion control");
    let to = SockaddrIn::from(std::net::SocketAddrV4::new(ipv4(2), 9));
    nix::sys::socket::connect(fd.as_raw_fd(), &to).expect("a connection");
    TcpStream::from(fd)
}

/// Until the receiver has gone.
fn send(mut stream: TcpStream) {
    let block = vec![0u8; 128 * 1024];
    while stream.write_all(&block).is_ok() {}
}

fn receive(mut stream: TcpStream, span: Duration) -> f64 {
    let mut block = vec![0u8; 256 * 1024];
    let warm = Instant::now() + Duration::from_secs(2);
    let mut read_until = |deadline| {
        let mut bytes = 0;
        while Instant::now() < deadline {
            bytes += stream.read(&mut block).expect("bytes");
        }
        bytes
    };
    read_until(warm);
    let start = Instant::now();
    let bytes = read_until(start + span);
    bytes as f64 * 8e-6 / start.elapsed().as_secs_f64()
}
