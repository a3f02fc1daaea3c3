//! One TCP flow over a link that is cut between two data planes, as on two machines, beside the
//! same link whole. All are in this process, so its CPU time is that of all that takes part: both
//! hosts' kernels, both data planes, and the sockets between them.

use std::net::{IpAddr, Ipv4Addr};
use std::time::{Duration, Instant};

use netloom_dataplane::{Dataplane, End, LinkWiring, Options, PeerId, Tunnels, Wiring};
use nix::sys::resource::{UsageWho, getrusage};

use crate::cpu::Usage;
use crate::lab::{Namespace, two_hosts};
use crate::pairs::Pairs;
use crate::tcp::goodput;
use crate::wire::{link, linked};

const LINK: &str = r#"{"delay":"1ms"}"#;
const MACHINES: [PeerId; 2] = [PeerId(1), PeerId(2)];
/// What an Ethernet with its usual MTU carries in a datagram over IPv4.
const DATAGRAM: usize = 1472;

/// CPU time and goodput, cut against whole.
pub fn run(span: Duration) {
    println!("\nTCP, one cubic flow over a link between two data planes ÷ over it whole");
    let (whole, _dataplane) = linked(LINK);
    let (cut, machines) = cut();
    let cost = |hosts: &[Namespace; 2]| {
        let (before, workers) = (process(), Usage::of_workers());
        let start = Instant::now();
        let rate = goodput(hosts, span);
        // Warming up costs too, and carries as much a second.
        let gigabytes = rate * 1e6 / 8.0 * start.elapsed().as_secs_f64() / 1e9;
        let of_workers = Usage::of_workers().since(&workers).as_secs_f64();
        [rate, (process() - before).as_secs_f64() / gigabytes, of_workers / gigabytes]
    };
    let (mut ours, mut theirs) = (Vec::new(), Vec::new());
    let all = Pairs::measure(|| keep(&mut ours, cost(&cut)), || keep(&mut theirs, cost(&whole)));
    all.print("CPU time of all", "ms/GB", "≤ 3");
    let of = |kept: &[[f64; 3]], index: usize, factor: f64| {
        kept.iter().map(|all| all[index] * factor).collect::<Vec<_>>()
    };
    Pairs::of(of(&ours, 2, 1e3), of(&theirs, 2, 1e3)).print("CPU time of workers", "ms/GB", "–");
    Pairs::of(of(&ours, 0, 1.0), of(&theirs, 0, 1.0)).print("goodput", "Mbit/s", "–");
    for machine in &machines {
        let peer = machine.peers().expect("peers").remove(0);
        println!("        {:?}", peer.pipes.iter().map(|pipe| pipe.counts).collect::<Vec<_>>());
    }
}

/// Keeps a measurement, and returns its CPU time in ms/GB.
fn keep(all: &mut Vec<[f64; 3]>, measured: [f64; 3]) -> f64 {
    all.push(measured);
    measured[1] * 1e3
}

/// CPU time of this process.
fn process() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("it is this process");
    let of = |time: nix::sys::time::TimeVal| {
        Duration::new(time.tv_sec() as u64, time.tv_usec() as u32 * 1000)
    };
    of(usage.user_time()) + of(usage.system_time())
}

/// Hosts 1 and 2, each at a data plane of its own.
fn cut() -> ([Namespace; 2], [Dataplane; 2]) {
    let (hosts, taps) = two_hosts();
    let LinkWiring { ends: [a, b], .. } = link(0, taps, LINK);
    let away = || End::Away { is_segment: false };
    let start = |me: usize, ends: [End; 2]| {
        let (pipes, peer) = ([(); 2].map(|()| crate::wire::config(LINK)), MACHINES[1 - me]);
        let (id, mtus) = (netloom_fabric::LinkId(0), [None; 2]);
        let link = LinkWiring { id, name: "l0".into(), ends, pipes, mtus, peer: Some(peer) };
        let tunnels = Tunnels {
            secret: None,
            me: MACHINES[me],
            peers: vec![peer],
            session: 1,
            bind: IpAddr::V4(Ipv4Addr::LOCALHOST),
            ports: 0..=0,
            datagram: DATAGRAM,
        };
        let tunnels = Some(tunnels);
        let options = Options { workers: Some(1), tunnels, ..Options::default() };
        Dataplane::start(Wiring { links: vec![link] }, options).expect("a data plane")
    };
    let machines = [start(0, [a, away()]), start(1, [away(), b])];
    let doors = machines.each_ref().map(|machine| machine.tunnel_doors().cloned());
    for (me, doors) in [(0, &doors[1]), (1, &doors[0])] {
        let doors = doors.as_ref().expect("there are tunnels");
        machines[me].connect_peer(MACHINES[1 - me], doors).expect("it is the other machine");
    }
    let known = |me: usize| machines[me].peer_clock(MACHINES[1 - me]).is_some();
    while !known(0) || !known(1) {
        std::thread::sleep(Duration::from_millis(1));
    }
    (hosts, machines)
}
