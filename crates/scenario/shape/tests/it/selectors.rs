//! Selectors and files of claims, as they are written.

use netloom_shape::{Claim, ClaimFile, Lifetime, PortSelector, Protocols};
use netloom_units::Duration;

use crate::support::claim;

const FILE: &str = r#"
claims:
  web:
    server: { ports: [8080, "9000-9010"], protocol: tcp, from: [203.0.113.0/24] }
    for: 2h
    out: { rate: 5Mbit/s, delay: 20ms }
    in:  { rate: 20Mbit/s, delay: 20ms, loss: 0.1% }
  job: { cgroup: user.slice/user-1000.slice/build.scope, delay: 50ms, out: { rate: 1Mbit/s } }
"#;

#[test]
fn a_file_is_read_as_it_is_written() {
    let file: ClaimFile = netloom_scenario::value(FILE).unwrap();
    let web = &file.claims["web"];
    assert_eq!(web.selector.to_string(), "server tcp/8080,9000-9010 from 203.0.113.0/24");
    assert_eq!(web.lifetime, Lifetime::For(Duration::from_secs(7200)));
    let [out, inward] = web.pipes();
    assert_eq!(out.rate.to_string(), "5Mbit/s");
    assert_eq!(inward.rate.to_string(), "20Mbit/s");
    let [out, inward] = file.claims["job"].pipes();
    assert_eq!((out.delay.to_string(), inward.delay.to_string()), ("50ms".into(), "50ms".into()));
    assert_eq!(out.rate.to_string(), "1Mbit/s");
    assert_eq!(inward.rate.to_string(), "unlimited");
}

#[test]
fn a_claim_is_read_again_from_json() {
    let file: ClaimFile = netloom_scenario::value(FILE).unwrap();
    for claim in file.claims.values() {
        let json = serde_json::to_string(claim).unwrap();
        assert_eq!(serde_json::from_str::<Claim>(&json).unwrap(), *claim, "{json}");
    }
}

#[test]
fn words_of_other_tools_are_properties() {
    let [out, inward] = claim("{client: {ports: 80}, netem: delay 10ms loss 1%}").pipes();
    assert_eq!(out.delay.to_string(), "10ms");
    assert_eq!(inward.loss, out.loss);
}

#[test]
fn ports_are_words_too() {
    let read = |text: &str| text.parse::<PortSelector>();
    let dns = read("udp/53@192.0.2.1,2001:db8::/32").unwrap();
    assert_eq!(dns.protocol, Protocols::Udp);
    let addresses: Vec<String> = dns.addresses.iter().map(ToString::to_string).collect();
    assert_eq!(addresses, ["192.0.2.1/32", "2001:db8::/32"]);
    assert_eq!(read("8080,9000-9010").unwrap().ports.count(), 12);
    assert!(read("sctp/80").unwrap_err().contains("no protocol with ports"));
    assert!(read("0").unwrap_err().contains("from 1 to 65535"));
    assert!(read("65536").unwrap_err().contains("from 1 to 65535"));
    assert!(read("90-80").unwrap_err().contains("ends before it begins"));
}

#[test]
fn what_makes_no_sense_is_refused() {
    let wrong = |text: &str| {
        let findings = netloom_scenario::value::<Claim>(text).unwrap_err();
        findings.render("shape.yaml", text)
    };
    let cases = [
        ("{delay: 5ms}", "the claim selects nothing"),
        ("{client: {ports: 80}, server: {ports: 81}}", "three ways to mean a port"),
        ("{client: {ports: 80}, prefix: [192.0.2.0/24]}", "not `prefix`"),
        ("{everything: true, user: alice}", "leaves nothing to select"),
        ("{client: {ports: []}}", "no port in the list"),
        ("{client: {ports: 80}, delay: 5}", "delay"),
        ("{client: {ports: 80, porst: 81}}", "porst"),
        ("{client: {ports: 80}, for: 0s}", "takes nothing"),
        ("{client: {ports: 80}, netns: web}", "`web` is no path of a network namespace"),
        ("{client: {ports: 80}, netns: /run/netns/web, pid: 7}", "keep one of them"),
        ("{server: {ports: 80}, pid: 7, reserve: true}", "`reserve` keeps ports of this host"),
    ];
    for (text, expected) in cases {
        let words = wrong(text);
        assert!(words.contains(expected), "{text}: {words}");
    }
}

#[test]
fn only_local_ports_can_be_reserved() {
    let fault = |text: &str| netloom_scenario::value::<Claim>(text).unwrap_err().render("it", text);
    for text in ["{client: {ports: 80}, reserve: true}", "{user: alice, reserve: true}"] {
        assert!(fault(text).contains("`reserve` keeps local ports for you"), "{}", fault(text));
    }
    let reserved = claim("{service: {ports: [80, '8000-8001']}, reserve: true}");
    let ports = reserved.selector.local_ports();
    let first: Vec<u16> = ports.iter().map(|(_, ports)| ports.first).collect();
    assert_eq!(first, [80, 8000, 80, 8000]);
    assert_eq!(ports[1].1.bits, 15);
}
