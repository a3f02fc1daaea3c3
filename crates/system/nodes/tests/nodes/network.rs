//! Devices, addresses and routes: the state of the kernel after creation.

use std::io;
use std::net::{IpAddr, UdpSocket};
use std::os::fd::{AsRawFd, OwnedFd};
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use std::{fs, thread};

use netloom_nodes::NodeError;
use netloom_plan::RoutePlan;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::world::{self, Tests, World, find_program, inside};

pub const TESTS: Tests = &[
    ("packets_cross_a_router_in_both_families", packets_cross_a_router_in_both_families),
    ("addresses_are_usable_at_once", addresses_are_usable_at_once),
    ("interface_parameters_are_set_after_the_interface", interface_parameters),
    ("parameters_of_the_machine_are_refused", parameters_of_the_machine_are_refused),
    ("a_route_the_kernel_refuses_is_named_and_nothing_remains", refused_route),
    ("an_ipv4_route_can_lead_to_an_ipv6_router", ipv4_over_ipv6),
    ("ip_netns_exec_works", ip_netns_exec_works),
    ("many_routes_are_installed", many_routes_are_installed),
];

const CHAIN: &[(&str, &str)] = &[("h1", "r1"), ("r1", "h2")];

/// Carries frames between two devices unchanged, until `stop` is set.
fn shuttle(a: &OwnedFd, b: &OwnedFd, stop: &AtomicBool) {
    let mut frame = vec![0; 70_000];
    while !stop.load(Ordering::Relaxed) {
        for (from, to) in [(a, b), (b, a)] {
            while let Ok(length) = nix::unistd::read(from, &mut frame) {
                // A device that is full drops frames, like a wire.
                let _ = nix::unistd::write(to, &frame[..length]);
            }
        }
        let mut fds = [a, b].map(|fd| {
            // SAFETY: the descriptor is borrowed through the whole function.
            let fd = unsafe { std::os::fd::BorrowedFd::borrow_raw(fd.as_raw_fd()) };
            PollFd::new(fd, PollFlags::POLLIN)
        });
        poll(&mut fds, PollTimeout::from(10u8)).unwrap();
    }
}

fn packets_cross_a_router_in_both_families() {
    let world = World::new(CHAIN);
    let [h1, r1a, r1b, h2] = &world.devices[..] else { panic!("four devices") };
    assert_eq!((h1.node.as_str(), r1b.interface.as_str()), ("h1", "eth2"));
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| shuttle(&h1.fd, &r1a.fd, &stop));
        scope.spawn(|| shuttle(&r1b.fd, &h2.fd, &stop));
        for address in ["10.0.0.6", "fd00:0:0:2::2", "10.255.0.1", "fd00:ffff::1"] {
            let node =
                if address.ends_with("f::1") || address.contains("255") { "r1" } else { "h2" };
            let address: IpAddr = address.parse().unwrap();
            let server = inside(&world.layout, node, || UdpSocket::bind((address, 9)).unwrap());
            let any = if address.is_ipv4() { "0.0.0.0:0" } else { "[::]:0" };
            let client = inside(&world.layout, "h1", || UdpSocket::bind(any).unwrap());
            server.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
            client.send_to(b"hello", (address, 9)).unwrap();
            let mut data = [0; 16];
            let (length, from) = server.recv_from(&mut data).unwrap();
            assert_eq!(&data[..length], b"hello");
            server.send_to(b"back", from).unwrap();
            client.set_read_timeout(Some(Duration::from_secs(10))).unwrap();
            assert_eq!(client.recv(&mut data).unwrap(), 4);
        }
        stop.store(true, Ordering::Relaxed);
    });
}

fn addresses_are_usable_at_once() {
    let world = World::new(&[("h1", "h2")]);
    let addresses = inside(&world.layout, "h1", || {
        fs::read_to_string("/proc/thread-self/net/if_inet6").unwrap()
    });
    let on_eth1: Vec<&str> = addresses.lines().filter(|line| line.ends_with("eth1")).collect();
    assert_eq!(on_eth1.len(), 2, "a global and a link-local address: {addresses}");
    for line in on_eth1 {
        let flags = u8::from_str_radix(line.split_whitespace().nth(4).unwrap(), 16).unwrap();
        assert_eq!(flags & 0x40, 0, "tentative: {line}");
    }
}

fn interface_parameters() {
    let world = World::with(&[("h1", "h2")], |plan| {
        let sysctls = &mut plan.nodes[0].sysctls;
        sysctls.insert("net.ipv4.conf.eth1.proxy_arp".into(), "1".into());
        sysctls.insert("net/ipv4/conf/eth1/arp_ignore".into(), "2".into());
    });
    let read = |name| {
        let path = format!("/proc/sys/net/ipv4/conf/eth1/{name}");
        inside(&world.layout, "h1", || fs::read_to_string(path).unwrap())
    };
    assert_eq!(read("proxy_arp").trim(), "1");
    assert_eq!(read("arp_ignore").trim(), "2");
}

fn parameters_of_the_machine_are_refused() {
    for key in ["kernel.panic", "net.//.kernel.panic", "net", "network.x"] {
        let (mut world, mut plan) = World::planned(&[("h1", "h2")]);
        plan.nodes[1].sysctls.insert(key.into(), "0".into());
        let error = world.create(&plan).unwrap_err().to_string();
        assert!(error.starts_with(&format!("node `h2`: cannot set {key}: ")), "{error}");
    }
    // A parameter of the network stack, but of the whole machine: root may not set it either.
    let (mut world, mut plan) = World::planned(&[("h1", "h2")]);
    plan.nodes[1].sysctls.insert("net.core.rmem_max".into(), "4194304".into());
    let error = world.create(&plan).unwrap_err().to_string();
    assert!(!error.contains("may take root"), "{error}");
    assert!(error.contains("the whole machine"), "{error}");
}

fn refused_route() {
    let (mut world, mut plan) = World::planned(CHAIN);
    plan.nodes[2].routes.push(RoutePlan {
        to: "192.0.2.0/24".parse().unwrap(),
        via: Some("198.51.100.1".parse().unwrap()),
        interface: None,
        metric: None,
    });
    let error = world.create(&plan).unwrap_err();
    assert_eq!(
        error.to_string(),
        "node `h2`: cannot add route to 192.0.2.0/24 via 198.51.100.1: \
         Network is unreachable (os error 101)"
    );
    let NodeError::System { source, .. } = error else { panic!("{error:?}") };
    assert_eq!(source.raw_os_error(), Some(libc::ENETUNREACH));
    assert_eq!(world.remains(), Vec::<String>::new());
}

fn ipv4_over_ipv6() {
    let world = World::with(&[("h1", "r1")], |plan| {
        plan.nodes[0].routes.push(RoutePlan {
            to: "192.0.2.0/24".parse().unwrap(),
            via: Some("fd00:0:0:1::2".parse().unwrap()),
            interface: Some("eth1".into()),
            metric: Some(7),
        });
    });
    let routes =
        inside(&world.layout, "h1", || fs::read_to_string("/proc/thread-self/net/route").unwrap());
    assert!(routes.contains("000200C0"), "{routes}");
}

fn many_routes_are_installed() {
    let world = World::with(&[("h1", "r1")], |plan| {
        for number in 0..3000u32 {
            let [_, _, a, b] = number.to_be_bytes();
            plan.nodes[0].routes.push(RoutePlan {
                to: format!("172.16.{a}.{b}/32").parse().unwrap(),
                via: Some("10.0.0.2".parse().unwrap()),
                interface: Some("eth1".into()),
                metric: None,
            });
        }
    });
    let routes =
        inside(&world.layout, "h1", || fs::read_to_string("/proc/thread-self/net/route").unwrap());
    assert_eq!(routes.lines().filter(|line| line.contains("10AC")).count(), 3000);
}

fn ip_netns_exec_works() {
    if world::is_rootless() {
        let why = "`ip netns` knows no names of ordinary users' namespaces";
        return world::left_out("network::ip_netns_exec_works", why);
    }
    let Some(ip) = find_program("ip") else {
        println!("not tested: `ip` (iproute2) is not installed");
        return;
    };
    let mut world = World::new(&[("h1", "h2")]);
    let name = format!("{}.h1", world.layout.experiment());
    let output = |arguments: &[&str]| -> io::Result<String> {
        let output = Command::new(&ip).args(arguments).output()?;
        assert!(output.status.success(), "{output:?}");
        Ok(String::from_utf8_lossy(&output.stdout).into())
    };
    let links = output(&["netns", "exec", &name, "ls", "/sys/class/net"]).unwrap();
    assert_eq!(links.split_whitespace().collect::<Vec<_>>(), ["eth1", "lo"]);
    assert!(output(&["netns", "list"]).unwrap().contains(&name));
    // Processes that a user has started there end with the experiment.
    let mut user =
        Command::new(&ip).args(["netns", "exec", &name, "sleep", "1000"]).spawn().unwrap();
    let own = fs::metadata("/proc/self/ns/net").unwrap();
    crate::world::eventually("the user's process to enter the node", || {
        use std::os::unix::fs::MetadataExt;
        let namespace = fs::metadata(format!("/proc/{}/ns/net", user.id()));
        namespace.is_ok_and(|namespace| namespace.ino() != own.ino())
    });
    world.destroy().unwrap();
    assert!(!user.wait().unwrap().success());
}
