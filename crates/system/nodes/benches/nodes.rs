//! Measures the costs of nodes: creating and destroying rings, starting processes, and the best
//! order in which to close TAP devices and namespaces. `cargo bench -p netloom-nodes -- [NODES…]`,
//! as root.

use std::collections::BTreeMap;
use std::fs::{self, File, OpenOptions};
use std::os::fd::{AsRawFd, OwnedFd};
use std::time::{Duration, Instant};
use std::{env, thread};

use netloom_nodes::{Context, Layout, Network, SpawnRequest, Stdio};
use netloom_plan::{GeneratedRoutes, InterfacePlan, NodePlan, Plan, RoutePlan, SharedLimits};
use netloom_scenario::{Limits, MacAddress, NodeKind};
use nix::sched::{CloneFlags, unshare};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

fn main() {
    if env::args().nth(1).as_deref() == Some("__init") {
        netloom_nodes::init::main();
    }
    if !nix::unistd::geteuid().is_root() {
        eprintln!("not measured: making network namespaces takes root");
        return;
    }
    let sizes: Vec<usize> = env::args().filter_map(|argument| argument.parse().ok()).collect();
    let sizes = if sizes.is_empty() { vec![100, 500] } else { sizes };
    machine();
    println!("\nrings of routers, two interfaces each");
    println!(
        "nodes  routes per node and family  create ms  CPU ms  first process in each ms  \
         destroy ms  destroy without processes ms"
    );
    for size in &sizes {
        ring(*size, 16);
    }
    ring(sizes[0], 600);
    println!(
        "\none TAP per namespace: close descriptors and drop namespaces until both are done, ms"
    );
    println!(
        "namespaces  close, drop  drop, close  persistent: close, drop  persistent: drop, close"
    );
    for size in &sizes {
        let times = [(false, true), (false, false), (true, true), (true, false)]
            .map(|(persistent, close_first)| let_go(*size, persistent, close_first));
        println!(
            "{size:>10}  {:>11.0}  {:>11.0}  {:>23.0}  {:>23.0}",
            times[0], times[1], times[2], times[3]
        );
    }
}

fn machine() {
    let read = |path: &str| fs::read_to_string(path).unwrap_or_default();
    let cores = thread::available_parallelism().map_or(0, usize::from);
    let cpu = read("/proc/cpuinfo");
    let model = cpu.lines().find_map(|line| line.strip_prefix("model name")).unwrap_or_default();
    let load = read("/proc/loadavg");
    let load = load.split(' ').next().unwrap_or_default();
    println!(
        "Linux {}, {cores} cores{model}, load {load}",
        read("/proc/sys/kernel/osrelease").trim()
    );
}

fn ms(duration: Duration) -> f64 {
    duration.as_secs_f64() * 1e3
}

fn ring(size: usize, routes: u16) {
    let (create, cpu, network) = created(size, routes, "a");
    let begin = Instant::now();
    thread::scope(|scope| {
        for worker in 0..4 {
            let network = &network;
            scope.spawn(move || {
                for node in (worker..size).step_by(4) {
                    let request = SpawnRequest {
                        argv: vec!["sleep".into(), "1000".into()],
                        env: vec![],
                        cwd: None,
                        stdio: Stdio::Pipes,
                    };
                    network.spawn(&format!("n{node}"), request, Box::new(|_| {})).unwrap();
                }
            });
        }
    });
    let spawn = ms(begin.elapsed());
    let begin = Instant::now();
    network.destroy().unwrap();
    let destroy = ms(begin.elapsed());
    let (_, _, network) = created(size, routes, "b");
    let begin = Instant::now();
    network.destroy().unwrap();
    let empty = ms(begin.elapsed());
    println!(
        "{size:>5}  {routes:>26}  {create:>9.0}  {cpu:>6.0}  {spawn:>24.0}  {destroy:>10.0}  \
         {empty:>28.0}"
    );
}

/// CPU time of this process so far, in ms.
fn cpu() -> f64 {
    let usage = getrusage(UsageWho::RUSAGE_SELF).expect("its own usage");
    let both = [usage.user_time(), usage.system_time()];
    both.iter().map(|time| time.num_microseconds() as f64 / 1e3).sum()
}

/// Creates a ring, and returns the milliseconds that it took, by the clock and of CPU time. Closing
/// the devices takes little time.
fn created(size: usize, routes: u16, suffix: &str) -> (f64, f64, Network) {
    let layout = Layout::new(&format!("bench{}{suffix}", std::process::id()));
    let context = Context {
        work_dir: env::temp_dir(),
        init: env::current_exe().unwrap(),
        env: vec![],
        files: vec![],
        views: Default::default(),
    };
    let plan = ring_plan(size, routes);
    let (begin, used) = (Instant::now(), cpu());
    let (network, _devices) = Network::create(&layout, &plan, context, &|_, _| {}).unwrap();
    (ms(begin.elapsed()), cpu() - used, network)
}

fn ring_plan(size: usize, routes: u16) -> Plan {
    let nodes: Vec<_> = (0..size).map(|index| ring_node(index, size, routes)).collect();
    let places = nodes.iter().enumerate().map(|(place, node)| (node.name.clone(), place)).collect();
    let hosts_file = "127.0.0.1 localhost\n".into();
    Plan {
        nodes,
        places,
        hosts_file,
        segments: vec![],
        generated: GeneratedRoutes::default(),
        limits: SharedLimits::default(),
        outside: vec![],
    }
}

fn ring_node(index: usize, size: usize, routes: u16) -> NodePlan {
    let subnet = |index: usize, host| {
        let [.., a, b] = (index % size).to_be_bytes();
        vec![
            format!("10.{a}.{b}.{host}/24").parse().unwrap(),
            format!("fd00:0:0:{:x}::{host}/64", index % size).parse().unwrap(),
        ]
    };
    let interface = |number: u8, addresses| {
        let [.., a, b] = index.to_be_bytes();
        InterfacePlan {
            name: format!("eth{number}"),
            mac: MacAddress([2, 0, 0, a, b, number]),
            mtu: 1500,
            addresses,
            direct_peer: None,
            medium: None,
            offloads: true,
        }
    };
    let route = |to: String, via: String| RoutePlan {
        to: to.parse().unwrap(),
        via: Some(via.parse().unwrap()),
        interface: Some("eth2".into()),
        metric: None,
    };
    let [.., a, b] = index.to_be_bytes();
    // One family after the other, as the planner has them.
    let v4 = (0..routes).map(|number| {
        let [high, low] = number.to_be_bytes();
        route(format!("172.{}.{low}.0/24", 16 + high), format!("10.{a}.{b}.2"))
    });
    let v6 = (0..routes)
        .map(|number| route(format!("fd01:{number:x}::/64"), format!("fd00:0:0:{index:x}::2")));
    NodePlan {
        name: format!("n{index}"),
        kind: NodeKind::Router,
        forwarding: true,
        loopback: vec!["10.255.0.1/32".parse().unwrap()],
        interfaces: vec![interface(1, subnet(index + size - 1, 2)), interface(2, subnet(index, 1))],
        routes: v4.chain(v6).collect(),
        neighbours: vec![],
        sysctls: BTreeMap::from(
            [("net.ipv4.ip_forward", "1"), ("net.ipv6.conf.all.forwarding", "1")]
                .map(|(key, value)| (key.into(), value.into())),
        ),
        primary: vec![],
        own_kernel: None,
        limits: Limits::default(),
        limit_group: None,
    }
}

/// Returns the milliseconds from closing `count` namespaces with a TAP each until the kernel has
/// freed them.
fn let_go(count: usize, persistent: bool, close_first: bool) -> f64 {
    let make = move || -> Vec<(File, OwnedFd)> { (0..count).map(|_| tap(persistent)).collect() };
    let made = thread::spawn(make).join().unwrap();
    let (namespaces, devices): (Vec<_>, Vec<_>) = made.into_iter().unzip();
    let begin = Instant::now();
    if close_first {
        drop(devices);
        drop(namespaces);
    } else {
        drop(namespaces);
        drop(devices);
    }
    netloom_nodes::wait_until_freed();
    ms(begin.elapsed())
}

/// Creates a namespace with a TAP device. The calling thread is in it afterwards.
fn tap(persistent: bool) -> (File, OwnedFd) {
    unshare(CloneFlags::CLONE_NEWNET).unwrap();
    let namespace = File::open("/proc/thread-self/ns/net").unwrap();
    let device = OpenOptions::new().read(true).write(true).open("/dev/net/tun").unwrap();
    // SAFETY: all-zero bytes are a valid `ifreq`; the calls read and write it while it lives.
    unsafe {
        let mut request: libc::ifreq = std::mem::zeroed();
        request.ifr_name[0] = b't' as libc::c_char;
        request.ifr_ifru.ifru_flags = (libc::IFF_TAP | libc::IFF_NO_PI) as libc::c_short;
        assert_eq!(libc::ioctl(device.as_raw_fd(), libc::TUNSETIFF as _, &mut request), 0);
        let on = libc::c_ulong::from(persistent);
        assert_eq!(libc::ioctl(device.as_raw_fd(), libc::TUNSETPERSIST as _, on), 0);
        // Bring it up, as in an experiment: a device that is down is cheaper to remove.
        let socket = libc::socket(libc::AF_INET, libc::SOCK_DGRAM | libc::SOCK_CLOEXEC, 0);
        request.ifr_ifru.ifru_flags = libc::IFF_UP as libc::c_short;
        assert_eq!(libc::ioctl(socket, libc::SIOCSIFFLAGS as _, &mut request), 0);
        libc::close(socket);
    }
    (namespace, device.into())
}
