//! Devices that go, come back, or change while there are claims at them.

use std::time::Duration;

use crate::common::{eventually, takes_root, text};
use crate::host::{DELAY, Host, SHAPED, THERE, WHY, batch};

fn shaped(host: &Host) -> bool {
    host.round_trip(0, None, THERE, 7001) >= SHAPED
}

#[test]
fn a_device_that_is_renamed_suspends_its_claims_until_it_is_back() {
    if !takes_root("a_device_that_is_renamed_suspends_its_claims_until_it_is_back", WHY) {
        return;
    }
    let host = Host::new("m");
    let _server = host.server(1, None, THERE, 7001);
    host.ok(None, &format!("add web --client tcp/7001 --both {DELAY}"));
    assert!(shaped(&host));
    // Some kernels rename only devices that are down.
    host.ip(0, "link set eth0 down\nlink set eth0 name other0\nlink set other0 up\n");
    assert_eq!(host.await_event("suspended")["claim"], "web");
    assert!(!shaped(&host));
    let list = host.ok(None, "list");
    assert!(list.contains("interface eth0 is gone since"), "{list}");
    // It is not trusted while the device is gone, nor afterwards.
    assert!(host.verdict().starts_with("invalid: not shaped for "), "{}", host.verdict());
    host.ip(0, "link set other0 down\nlink set other0 name eth0\nlink set eth0 up\n");
    host.await_event("resumed");
    assert!(shaped(&host));
    assert!(!host.ok(None, "list").contains("is gone"));
    assert!(host.verdict().starts_with("invalid: not shaped for "), "{}", host.verdict());
}

#[test]
fn claims_come_back_with_another_device_of_the_same_name() {
    if !takes_root("claims_come_back_with_another_device_of_the_same_name", WHY) {
        return;
    }
    let host = Host::new("p");
    let _server = host.server(1, None, "0.0.0.0", 7001);
    host.ok(None, &format!("add web --client tcp/7001 --both {DELAY}"));
    host.ip(0, "link delete eth0\n");
    host.await_event("suspended");
    let said = host.refusal(None, "add more --client 7002 --interface eth0 --both delay=1ms");
    assert!(said.contains("cannot use eth0"), "{said}");
    let [a, b] = &host.names;
    batch(&[], &format!("link add eth0 netns {a} type veth peer name eth0 netns {b}\n"));
    host.ip(0, "addr add 192.0.2.1/24 dev eth0\nlink set eth0 up\n");
    host.ip(1, &format!("addr add {THERE}/24 dev eth0\nlink set eth0 up\n"));
    host.await_event("resumed");
    assert!(shaped(&host));
}

#[test]
fn taps_have_the_mtu_of_their_device() {
    if !takes_root("taps_have_the_mtu_of_their_device", WHY) {
        return;
    }
    let host = Host::new("x");
    host.ok(None, &format!("add web --prefix {THERE} --both {DELAY}"));
    let mtus = || {
        let links =
            text(&host.command(0, None, "ip").args(["-o", "link"]).output().unwrap().stdout);
        let taps = links.lines().filter(|line| line.contains(": nls"));
        let mtu = |line: &str| line.split(" mtu ").nth(1)?.split(' ').next()?.parse::<u32>().ok();
        taps.map(|line| mtu(line).unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(mtus(), [1500; 2]);
    for side in [0, 1] {
        host.ip(side, "link set eth0 mtu 9000\n");
    }
    eventually("the TAPs follow", || mtus() == [9000; 2]);
    let event = host.await_event("mtu-changed");
    assert_eq!(event["reason"], "interface eth0 has an MTU of 9000 now");
    // In one piece, there and back.
    let ping = ["-n", "-c", "1", "-W", "60", "-M", "do", "-s", "8000", THERE];
    let output = host.command(0, None, "ping").args(ping).output().unwrap();
    let said = text(&output.stdout);
    let time = said.split("time=").nth(1).and_then(|rest| rest.split(' ').next());
    let time = Duration::from_secs_f64(time.expect(&said).parse::<f64>().unwrap() / 1000.0);
    assert!(output.status.success() && time >= SHAPED, "{said}");
}

#[test]
fn a_claim_that_has_lost_a_tap_ends_and_its_traffic_passes() {
    if !takes_root("a_claim_that_has_lost_a_tap_ends_and_its_traffic_passes", WHY) {
        return;
    }
    let host = Host::new("t");
    let _server = host.server(1, None, THERE, 7001);
    host.ok(None, &format!("add web --client tcp/7001 --both {DELAY}"));
    host.ok(None, "add other --client tcp/7002 --both delay=1ms");
    assert!(shaped(&host));
    let links = text(&host.command(0, None, "ip").args(["-o", "link"]).output().unwrap().stdout);
    let tap = links.split_whitespace().find(|word| word.starts_with("nls") && word.contains(".h"));
    host.ip(0, &format!("link delete {}\n", tap.unwrap().trim_end_matches(':')));
    let event = host.await_event("lost");
    assert_eq!(event["claim"], "web");
    assert_eq!(event["reason"], "somebody has removed one of its TAPs");
    assert!(!shaped(&host));
    assert_eq!(host.claims().len(), 1);
}
