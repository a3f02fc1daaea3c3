//! One TCP flow.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::socket::sockopt::TcpCongestion;
use nix::sys::socket::{AddressFamily, SockFlag, SockType, SockaddrIn, setsockopt, socket};

use crate::cpu::{self, Usage};
use crate::lab::{Namespace, ipv4};
use crate::pairs::{Pairs, median};
use crate::wire::{linked, raw};

/// Shaped links, whose goodput is compared with what the rate allows.
const SHAPED: [&str; 3] =
    [r#"{"rate":"10Gbit/s"}"#, r#"{"rate":"1Gbit/s"}"#, r#"{"rate":"100Mbit/s"}"#];

/// Unshaped against raw veth; shaped on their own.
pub fn run(span: Duration) {
    println!("\nTCP, one cubic flow over an unlimited link ÷ raw veth, {} cores", cpu::cores());
    let (over_link, dataplane) = linked("{}");
    let over_veth = raw();
    let before = Usage::of_workers();
    let pairs = Pairs::measure(|| goodput(&over_link, span), || goodput(&over_veth, span));
    let after = Usage::of_workers();
    pairs.print("unshaped TCP", "Mbit/s", "≥ 1.0");
    println!("        worker, over all rounds: {}", after.in_words(&before));
    cpu::profile(span, || goodput(&over_link, span));
    assert_eq!(dataplane.timing().expect("timing").unmodelled.total(), 0);
    drop((over_link, dataplane));

    println!("TCP, one flow over a limited link");
    for text in SHAPED {
        let (hosts, dataplane) = linked(text);
        let goodputs: Vec<f64> = (0..3).map(|_| goodput(&hosts, span)).collect();
        let dropped = dataplane.pipes().expect("pipes").swap_remove(0).statistics.dropped;
        let drops = dropped.total().frames;
        println!("  {:9.1} Mbit/s  {text} ({drops} dropped by the queue)", median(&goodputs));
    }
}

/// Goodput from the first host to the second at the receiver, in Mbit/s, after a second.
pub fn goodput([a, b]: &[Namespace; 2], span: Duration) -> f64 {
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
    let flags = SockFlag::SOCK_CLOEXEC;
    let fd = socket(AddressFamily::Inet, SockType::Stream, flags, None).expect("a socket");
    setsockopt(&fd, TcpCongestion, &"cubic".into()).expect("cubic is in every kernel");
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
    let warm = Instant::now() + Duration::from_secs(1);
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
