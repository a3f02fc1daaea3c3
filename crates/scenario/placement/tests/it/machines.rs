//! Lists of machines: files, and machines on this one.

use netloom_placement::{Machines, Ray};
use netloom_units::Duration;

const FILE: &str = "
start: {command: \"ip netns exec {address} {netloom} __member\"}
machines:
  m1: {address: ann@10.0.0.1}
  m2.lab:
    address: m2
    frames: 192.168.7.2
    netloom: sudo -n {netloom}
    profile: m2.profile.json
    reserve: {cpu: 1.5, memory: 2GiB}
    uplink: 1Gbit/s
    capacity: {mnp: {2: 91Mbit/s, 8: 273Mbit/s}}
tunnel: {encryption: off, mtu: 1500, ports: 20000-20063, guard: 50us}
lost_after: 5s
";

#[test]
fn all_keys_are_read() {
    let machines = Machines::parse(FILE).unwrap_or_else(|findings| panic!("{findings}"));
    assert_eq!(machines.start.as_deref(), Some("ip netns exec {address} {netloom} __member"));
    assert_eq!(machines.names(), ["m1", "m2.lab"]);
    let [first, second] = &machines.list[..] else { panic!() };
    assert_eq!((first.address.as_deref(), first.reserve.cpu), (Some("ann@10.0.0.1"), 0.0));
    assert_eq!(second.frames, "192.168.7.2".parse().ok());
    assert_eq!((second.reserve.cpu, second.reserve.memory.bytes()), (1.5, 2 << 30));
    assert_eq!(second.uplink, "1Gbit/s".parse().ok());
    assert_eq!(second.provision().unwrap().at(2), 91e6);
    let tunnel = &machines.tunnel;
    assert_eq!(
        (tunnel.encryption, tunnel.mtu, tunnel.ports),
        (false, Some(1500), Some([20000, 20063]))
    );
    assert_eq!(
        (tunnel.guard, machines.lost_after),
        (Duration::from_micros(50), Duration::from_secs(5))
    );
}

#[test]
fn the_defaults_are_ssh_and_encrypted_tunnels() {
    let machines = Machines::parse("machines: {m1: {address: ann@10.0.0.1}}").unwrap();
    assert!(machines.start.unwrap().starts_with("ssh "));
    assert_eq!(
        (machines.tunnel.encryption, machines.tunnel.mtu, machines.tunnel.ports),
        (true, None, None)
    );
    assert_eq!(machines.lost_after, Duration::from_secs(2));
}

#[test]
fn every_fault_is_named_at_its_place() {
    for (text, place, words) in [
        ("", "1:1", "needs at least `machines`"),
        ("machines: {}", "1:11", "there are no machines"),
        ("machines: {m1: }", "1:12", "has no address"),
        ("machines: {m1: {address: a}, M1: {address: b}}", "1:30", "two machines called `M1`"),
        ("machines: {m1: {address: a}, m1: {address: b}}", "1:30", "m1"),
        ("machines: {\"m 1\": {address: a}}", "1:12", "it has a space"),
        ("machines: {m1: {address: a, port: 22}}", "1:29", "unknown key `port`"),
        ("machines: {m1: {host: a}}", "1:17", "did you mean `address`?"),
        ("machines: {m1: ann@10.0.0.1}", "1:16", "write `m1: {address: ann@10.0.0.1}`"),
        ("machines: {m1: {address: -oProxyCommand=x}}", "1:26", "is no address"),
        ("machines: {m1: {address: a b}}", "1:26", "is no address"),
        ("machines: {m1: {address: a, frames: b}}", "1:37", "IP"),
        ("machines: {m1: {address: a, reserve: {cpu: -1}}}", "1:44", "no number of CPUs"),
        (
            "machines: {m1: {address: a, capacity: {mnp: {x: 1Mbit/s}}}}",
            "1:46",
            "no number of ports",
        ),
        ("machines: {m1: {address: a, uplink: fast}}", "1:37", "not a rate"),
        ("start: ssh\nmachines: {m1: {address: a}}", "1:8", "write `start: {command: \"ssh\"}`"),
        ("start: {command: ' '}\nmachines: {m1: }", "1:18", "the command is empty"),
        ("machines: {m1: {address: a}}\nlost_after: 1ms", "2:13", "200ms or more"),
        ("machines: {m1: {address: a}}\ntunnel: {mtu: 500}", "2:15", "from 1280"),
        ("machines: {m1: {address: a}}\ntunnel: {ports: 9-3}", "2:17", "20000-20063"),
        ("machines: {m1: {address: a}}\ntunnel: {encryption: aes}", "2:22", "`on`, `off`"),
    ] {
        let findings = Machines::parse(text).expect_err(text).to_string();
        assert!(findings.contains(words), "{text}: {findings}");
        assert!(findings.lines().any(|line| line.starts_with(place)), "{text}: {findings}");
    }
}

#[test]
fn the_nodes_of_a_ray_cluster_are_machines() {
    let text = "start: { ray: auto, cpus: 2 }\nmachines: { m1: {}, m2: { address: 10.0.0.2 } }\n";
    let machines = Machines::parse(text).unwrap();
    let ray =
        |address: &str, cpus, is_listed| Some(Ray { address: address.into(), cpus, is_listed });
    assert_eq!((&machines.start, &machines.ray), (&None, &ray("auto", 2, true)));
    assert!(!machines.is_counted());
    let machines = Machines::ray("ray:10.0.0.1:6379,count=3,cpus=4").unwrap().unwrap();
    assert_eq!(
        (machines.names(), &machines.ray),
        (vec!["m1", "m2", "m3"], &ray("10.0.0.1:6379", 4, false))
    );
    assert!(machines.is_counted() && machines.tunnel.encryption);
    assert!(Machines::ray("ray:auto").unwrap().unwrap().list.is_empty(), "the cluster knows");
    assert_eq!(Machines::ray("machines.yaml"), None);
    for (text, words) in [
        ("ray:", "has no address"),
        ("ray:,count=1", "has no address"),
        ("ray:auto,count", "no number from 1 to 1000"),
        ("ray:auto,count=0", "no number from 1 to 1000"),
        ("ray:auto,count=1001", "no number from 1 to 1000"),
        ("ray:auto,cpus=-1", "no number from 1 to 65535"),
        ("ray:auto,count=1,count=1", "twice"),
        ("ray:auto,delay=1ms", "there is no `delay`"),
    ] {
        let why = Machines::ray(text).unwrap().expect_err(text);
        assert!(why.contains(words) && why.contains(text), "{text}: {why}");
    }
    for (start, words) in [
        ("ray", "{ray: auto}"),
        ("{}", "nothing says how machines are started"),
        ("{ ray: '' }", "the address is empty"),
        ("{ ray: auto, command: ssh }", "keep one of them"),
        ("{ ray: auto, cpus: 0 }", "write 1 or more"),
        ("{ command: ssh, cpus: 1 }", "a command reserves no CPUs"),
        ("{ ray: auto }", "`ann@m1` is no IP address"),
    ] {
        let text = format!("start: {start}\nmachines: {{ m1: {{ address: ann@m1 }} }}\n");
        let findings = Machines::parse(&text).unwrap_err().render("m", &text);
        assert!(findings.contains(words), "{text}: {findings}");
    }
}

#[test]
fn local_machines_may_have_a_network_between_them() {
    let local = |text| Machines::local(text).unwrap();
    let machines = local("local:3").unwrap();
    assert_eq!((machines.names(), &machines.start), (vec!["m1", "m2", "m3"], &None));
    assert!(!machines.tunnel.encryption);
    let machines = local("local:2,delay=1ms,rate=1Gbit/s,loss=0.1%").unwrap();
    let network = machines.local.unwrap();
    assert_eq!((network.delay, network.loss.value()), (Duration::from_millis(1), 0.001));
    assert_eq!((network.rate, machines.list[1].uplink), ("1Gbit/s".parse().ok(), network.rate));
    assert_eq!(Machines::local("machines.yaml"), None);
    for (text, words) in [
        ("local:", "no number of machines"),
        ("local:0", "has no machine"),
        ("local:-1", "no number of machines"),
        ("local:+1", "no number of machines"),
        ("local:1.5", "no number of machines"),
        ("local:1001", "1000 are the most"),
        ("local:2,delay", "has no value"),
        ("local:2,delay=1", "no unit"),
        ("local:2,speed=1Gbit/s", "there is no `speed`"),
        ("local:2,delay=1ms,delay=2ms", "twice"),
        ("local:2,loss=200%", "between"),
        ("local:2,", "has no value"),
    ] {
        let why = local(text).expect_err(text);
        assert!(why.contains(words) && why.contains(text), "{text}: {why}");
    }
}
