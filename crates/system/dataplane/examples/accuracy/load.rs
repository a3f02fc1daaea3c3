//! Carbone & Rizzo 2009, Table 1: round trips through two 10 ms pipes on an idle machine (IDLE),
//! together with processes that only make system calls (KERNEL), and together with processes that
//! only count (USER). Their standard deviations were 0.310, 0.319 and 0.260 ms.

use std::fs::{self, File};
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::fd::AsRawFd;
use std::process::{Child, Command};
use std::thread;
use std::time::{Duration, Instant};

use nix::sys::socket::sockopt::{RcvBufForce, SndBufForce, TcpCongestion};
use nix::sys::socket::{AddressFamily, SockFlag, SockType, SockaddrIn, setsockopt, socket};

use crate::lab::{Namespace, echo, ipv4};
use crate::{linked, print_trust};

/// Size of a TCP host's buffers: 25 ms of 10 Gbit/s, for the times in which the other host, or the
/// worker, has the processor.
const BUFFER: usize = 32 << 20;

/// Argument that makes this program a load process.
pub const BURN: &str = "burn";

/// Load processes, which end with this value.
struct Load(Vec<Child>);

impl Load {
    /// Starts two processes for each core, each of the kind `what`.
    fn start(what: &str) -> Self {
        let this = std::env::current_exe().expect("this program has a name");
        let count = 2 * thread::available_parallelism().map_or(1, usize::from);
        let start = |_| Command::new(&this).args([BURN, what]).spawn().expect("a process");
        Self((0..count).map(start).collect())
    }
}

impl Drop for Load {
    fn drop(&mut self) {
        for child in &mut self.0 {
            // The process is ours and runs until this.
            let _ = child.kill();
            let _ = child.wait();
        }
    }
}

/// Runs a load process, forever.
pub fn burn() -> ! {
    if std::env::args().nth(2).as_deref() == Some("user") {
        let mut count = 0u64;
        loop {
            count = std::hint::black_box(count + 1);
        }
    }
    let mut zero = File::open("/dev/zero").expect("/dev/zero");
    let mut null = File::create("/dev/null").expect("/dev/null");
    let mut block = vec![0; 64 << 10];
    loop {
        let _ = zero.read(&mut block);
        let _ = null.write(&block);
        let _ = fs::metadata("/dev/shm");
        let _ = fs::read_to_string("/proc/self/stat");
    }
}

/// Measures the three rows of the table.
pub fn measure() {
    println!(
        "\nround trips through two 10 ms pipes, 1000 probes, 5 ms apart (Carbone & Rizzo 2009, \
         Table 1)"
    );
    println!("  wanted: standard deviation ≤ 0.31 ms in each");
    for (name, load) in [("IDLE", None), ("KERNEL", Some("kernel")), ("USER", Some("user"))] {
        let (namespaces, dataplane) = linked(r#"{"delay":"10ms"}"#, r#"{"delay":"10ms"}"#, 1);
        let load = load.map(Load::start);
        thread::sleep(Duration::from_millis(200));
        let times: Vec<f64> =
            echo::round_trips(&namespaces[0], 1000).iter().map(|ns| *ns as f64 / 1e6).collect();
        drop(load);
        let count = times.len() as f64;
        let mean = times.iter().sum::<f64>() / count;
        let variance = times.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / (count - 1.0);
        println!(
            "  {name:>6}: mean {mean:.3} ms, standard deviation {:.3} ms ({count} of 1000 back)",
            variance.sqrt()
        );
        print_trust(&dataplane.timing().expect("timing"));
    }
}

/// Returns the TCP payload from the first host to the second, in bit/s at the receiver, after two
/// seconds.
pub fn tcp_goodput([a, b]: &[Namespace; 2], span: Duration) -> f64 {
    let listener = b.run(|| TcpListener::bind((ipv4(2), 9)).expect("a listener"));
    setsockopt(&listener, RcvBufForce, &BUFFER).expect("a large buffer; run as root");
    let mut sender = a.run(|| {
        let flags = SockFlag::SOCK_CLOEXEC;
        let fd = socket(AddressFamily::Inet, SockType::Stream, flags, None).expect("a socket");
        // Not the machine's default, which may pace.
        setsockopt(&fd, TcpCongestion, &"cubic".into()).expect("cubic is in every kernel");
        setsockopt(&fd, SndBufForce, &BUFFER).expect("a large buffer; run as root");
        let to = SockaddrIn::from(std::net::SocketAddrV4::new(ipv4(2), 9));
        nix::sys::socket::connect(fd.as_raw_fd(), &to).expect("a connection");
        TcpStream::from(fd)
    });
    let (mut receiver, _) = listener.accept().expect("a connection");
    thread::scope(|scope| {
        scope.spawn(move || {
            let block = vec![0u8; 256 << 10];
            while sender.write_all(&block).is_ok() {}
        });
        let mut block = vec![0u8; 1 << 20];
        let mut read_until = |deadline| {
            let mut bytes = 0;
            while Instant::now() < deadline {
                bytes += receiver.read(&mut block).expect("bytes");
            }
            bytes
        };
        read_until(Instant::now() + Duration::from_secs(2));
        let start = Instant::now();
        let bytes = read_until(start + span);
        let bits = bytes as f64 * 8.0 / start.elapsed().as_secs_f64();
        drop(receiver);
        bits
    })
}
