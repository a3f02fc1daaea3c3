//! Floods of frames of one size, sent as fast as one thread can with `sendmmsg` on a packet socket
//! in the sending host, counted by the receiving host's interface.

use std::fs;
use std::mem;
use std::os::fd::{AsRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::socket::{AddressFamily, SockFlag, SockType, socket};

use crate::cpu::{self, Usage};
use crate::lab::{INTERFACE, Namespace};
use crate::pairs::{Pairs, median};
use crate::wire::{linked, linked_on, raw};

/// Frames in one system call.
pub const BATCH: usize = 64;

/// 60 and 1514 bytes on one worker against raw veth.
pub fn run(span: Duration) {
    println!("\nfloods over an unlimited link on one worker ÷ raw veth, {} cores", cpu::cores());
    for length in [60, 1514] {
        let (over_link, dataplane) = linked("{}");
        let over_veth = raw();
        let mut costs = Vec::new();
        let before = Usage::of_workers();
        let pairs = Pairs::measure(
            || {
                let flood = flood(&[&over_link], length, span);
                costs.push(flood.cost);
                flood.rate
            },
            || flood(&[&over_veth], length, span).rate,
        );
        let usage = Usage::of_workers().in_words(&before);
        pairs.print(&format!("{length}-byte frames"), "kframes/s", "≥ 0.35");
        println!(
            "        worker: {:.0} ns of CPU time a frame; with pauses {usage}",
            median(&costs)
        );
        cpu::profile(span, || flood(&[&over_link], length, span));
        drop(dataplane);
    }
}

/// Two links on two workers against one link on one. Where the senders leave the workers no core of
/// their own, the CPU time of a frame tells what cores would bring: nothing is shared on its way.
pub fn run_on_two_workers(span: Duration) {
    println!(
        "\ntwo links on two workers ÷ one link on one, {} cores (each flood takes a core more)",
        cpu::cores()
    );
    for length in [60, 1514] {
        let (two, _two_workers) = linked_on(2, 2, "{}");
        let (one, _one_worker) = linked_on(1, 1, "{}");
        let (mut costs_of_two, mut costs_of_one) = (Vec::new(), Vec::new());
        let measure = |hosts: &[[Namespace; 2]], costs: &mut Vec<f64>| {
            let flood = flood(&hosts.iter().collect::<Vec<_>>(), length, span);
            costs.push(flood.cost);
            flood.rate
        };
        let pairs = Pairs::measure(
            || measure(&two, &mut costs_of_two),
            || measure(&one, &mut costs_of_one),
        );
        pairs.print(&format!("{length}-byte frames"), "kframes/s", "≥ 1.7 with 4 cores or more");
        let (two, one) = (median(&costs_of_two), median(&costs_of_one));
        println!(
            "        worker CPU time a frame: {two:.0} ns with two workers, {one:.0} with one"
        );
    }
}

/// Result of a flood.
struct Flood {
    /// Frames that arrived, in thousands a second.
    rate: f64,
    /// Worker CPU time for each, in ns.
    cost: f64,
}

/// Floods every pair of hosts at once.
fn flood(hosts: &[&[Namespace; 2]], length: usize, span: Duration) -> Flood {
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        for [from, _] in hosts {
            scope.spawn(|| {
                let mut sender = Sender::new(from, &[INTERFACE.to_string()], length);
                while !stop.load(Ordering::Relaxed) {
                    sender.send(BATCH);
                }
            });
        }
        let received = || hosts.iter().map(|[_, to]| received(to)).sum::<u64>();
        thread::sleep(Duration::from_millis(300));
        let (before, usage, start) = (received(), Usage::of_workers(), Instant::now());
        thread::sleep(span);
        let (frames, used) = (received() - before, Usage::of_workers().since(&usage));
        let elapsed = start.elapsed().as_secs_f64();
        stop.store(true, Ordering::Relaxed);
        let cost = used.as_nanos() as f64 / frames.max(1) as f64;
        Flood { rate: frames as f64 / 1e3 / elapsed, cost }
    })
}

/// Frames that the interfaces of `namespace` have received, loopback aside.
pub fn received(namespace: &Namespace) -> u64 {
    let text = namespace.run(|| fs::read_to_string("/proc/thread-self/net/dev")).expect("counters");
    let lines = text.lines().skip(2).filter(|line| !line.trim_start().starts_with("lo:"));
    let packets = |line: &str| -> Option<u64> {
        line.split(':').nth(1)?.split_whitespace().nth(1)?.parse().ok()
    };
    lines.filter_map(packets).sum()
}

/// A packet socket that sends one frame over and over, by turns over some interfaces.
pub struct Sender {
    socket: OwnedFd,
    frame: Vec<u8>,
    targets: Vec<libc::sockaddr_ll>,
    next: usize,
}

impl Sender {
    /// Makes a flood of frames of `length` bytes to everybody, over `interfaces` of `namespace`.
    pub fn new(namespace: &Namespace, interfaces: &[String], length: usize) -> Self {
        // An ethertype for local experiments: no stack takes it up.
        let mut frame = vec![0xff; 6];
        frame.extend([2, 0, 0, 0, 0, 1, 0x88, 0xb5]);
        frame.resize(length, 0);
        let flags = SockFlag::SOCK_CLOEXEC;
        let (socket, targets) = namespace.run(|| {
            let socket = socket(AddressFamily::Packet, SockType::Raw, flags, None);
            (socket.expect("a packet socket; run as root"), targets(interfaces))
        });
        Self { socket, frame, targets, next: 0 }
    }

    /// Sends up to `count` frames, at most [`BATCH`]; what the interface refuses is lost, as its
    /// counters tell.
    pub fn send(&mut self, count: usize) {
        let mut part =
            libc::iovec { iov_base: self.frame.as_mut_ptr().cast(), iov_len: self.frame.len() };
        // SAFETY: all zeros is a valid message header.
        let mut messages: [libc::mmsghdr; BATCH] = unsafe { mem::zeroed() };
        for message in &mut messages[..count] {
            message.msg_hdr.msg_name = (&raw mut self.targets[self.next]).cast();
            self.next = (self.next + 1) % self.targets.len();
            message.msg_hdr.msg_namelen = mem::size_of::<libc::sockaddr_ll>() as u32;
            message.msg_hdr.msg_iov = &raw mut part;
            message.msg_hdr.msg_iovlen = 1;
        }
        // SAFETY: the messages, their part, targets and frame outlive the call, which only reads
        // them and writes the messages' lengths.
        unsafe {
            libc::sendmmsg(self.socket.as_raw_fd(), messages.as_mut_ptr(), count as u32, 0);
        }
    }
}

/// The addresses of `interfaces` in the thread's namespace.
fn targets(interfaces: &[String]) -> Vec<libc::sockaddr_ll> {
    let index = |name: &String| nix::net::if_::if_nametoindex(name.as_str()).expect("an interface");
    let target = |index: u32| {
        // SAFETY: all zeros is a valid address.
        let mut target: libc::sockaddr_ll = unsafe { mem::zeroed() };
        target.sll_family = libc::AF_PACKET as u16;
        target.sll_ifindex = index as i32;
        target.sll_halen = 6;
        target
    };
    interfaces.iter().map(|name| target(index(name))).collect()
}
