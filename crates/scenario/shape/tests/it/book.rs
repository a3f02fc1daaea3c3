//! Admission of claims, their lifetimes, and the wording of refusals.

use netloom_shape::{BoundPort, Capacity, Lifetime, NetworkId, Policy, Protocol, Refusal, Tier};
use netloom_units::Duration;
use proptest::prelude::*;

use crate::support::{Host, PIPES, alice, at, bob, root};

fn server(ports: &str) -> String {
    format!("{{server: {{ports: '{ports}', protocol: tcp}}, for: 2h, {PIPES}}}")
}

fn client(ports: &str) -> String {
    format!("{{client: {{ports: '{ports}'}}, {PIPES}}}")
}

/// Checks the exact wording of each refusal in the specification.
#[test]
fn refusals_say_what_where_why_and_what_next() {
    let mut host = Host::new();
    host.ask(&alice(), "web", &server("8080"), 0).unwrap();
    assert_eq!(
        host.refusal(&bob(), &server("8000-8100")),
        "port tcp/8080 is claimed by alice as \"web\" until 14:32: take another one, or ask alice"
    );
    host.bound.push(BoundPort {
        protocol: Protocol::Tcp,
        port: 8081,
        owner: bob(),
        pid: Some(712),
    });
    assert_eq!(
        host.refusal(&alice(), &server("8081")),
        "port tcp/8081 is bound by a process of bob (pid 712)"
    );
    assert_eq!(
        host.refusal(&alice(), &server("443")),
        "port 443 is below 1024: the policy of this machine (ports: 1024-65535)"
    );
    assert_eq!(
        host.refusal(&bob(), "{client: {ports: 80}, out: {rate: 1Mbit/s}}"),
        "--in has no rate: this machine wants one in both directions"
    );
    assert_eq!(
        host.refusal(&alice(), &server("8080")),
        "port tcp/8080 is in your claim \"web\" until 14:32 as well, and neither is more \
         specific: remove one, or give one of them addresses"
    );
    assert_eq!(
        host.refusal(&bob(), &format!("{{everything: true, {PIPES}}}")),
        "`everything` is for root: say which traffic, as by `user`"
    );
    assert_eq!(
        host.refusal(&bob(), &format!("{{client: {{ports: 80}}, for: 48h, {PIPES}}}")),
        "for 48h is too long: the policy of this machine (longest: 24h)"
    );
}

#[test]
fn a_reserved_port_is_one_users() {
    let mut host = Host::new();
    let reserve = "{server: {ports: 8080, protocol: tcp}, reserve: true, rate: 1Mbit/s}";
    assert_eq!(
        host.refusal(&alice(), reserve),
        "the policy of this machine does not allow `reserve` (`reserve: false` in \
         /etc/netloom/shape-policy.yaml): leave it out, or ask its administrator"
    );
    host.policy.reserve = true;
    let entry = host.ask(&alice(), "web", reserve, 0).unwrap();
    assert_eq!(entry.holder(), 1001);
    let clash = "port tcp/8080 is claimed by alice as \"web\" until 13:32: take another one, or \
                 ask alice";
    // Addresses and devices do not matter for who may bind.
    let elsewhere = "{server: {ports: 8080, from: [192.0.2.1/32]}, rate: 1Mbit/s}";
    assert_eq!(host.refusal(&bob(), elsewhere), clash);
    assert_eq!(host.refusal(&root(), reserve), clash);
    // Root's claims that reserve nothing, and other protocols, do not mind.
    host.ask(&root(), "all", &server("8080"), 0).unwrap();
    let udp = "{server: {ports: 8080, protocol: udp}, reserve: true, rate: 1Mbit/s}";
    host.ask(&bob(), "udp", udp, 0).unwrap();
    // Root's are for the user that they name.
    let of_bob = "{server: {ports: 8081}, user: bob, reserve: true}";
    assert_eq!(host.ask(&root(), "his", of_bob, 0).unwrap().holder(), 1002);
    assert!(
        host.refusal(&alice(), &server("8081")).starts_with("port tcp/8081 is claimed by root")
    );
    host.ask(&bob(), "own", &server("8081"), 0).unwrap();
}

#[test]
fn what_is_bound_cannot_be_reserved_by_root_either() {
    let mut host = Host::new();
    let bound = BoundPort { protocol: Protocol::Tcp, port: 8080, owner: bob(), pid: Some(712) };
    host.bound.push(bound);
    assert_eq!(
        host.refusal(&root(), "{server: {ports: 8080}, reserve: true}"),
        "port tcp/8080 is bound by a process of bob (pid 712)"
    );
    host.ask(&root(), "his", "{server: {ports: 8080}, user: bob, reserve: true}", 0).unwrap();
}

#[test]
fn too_much_is_refused_with_what_is_given() {
    let mut host = Host::new();
    host.capacity = Capacity { bits: 480_000_000, bytes: 1 << 30 };
    host.policy.rate_per_user = "1Gbit/s".parse().unwrap();
    let rates = |ports: &str, each: &str| format!("{{client: {{ports: {ports}}}, rate: {each}}}");
    host.ask(&alice(), "most", &rates("80", "206Mbit/s"), 0).unwrap();
    assert_eq!(
        host.refusal(&bob(), &rates("81", "60Mbit/s")),
        "120Mbit/s more are too much: 412 of 480Mbit/s are given (netloom shape capacity)"
    );
    host.ask(&bob(), "rest", &rates("81", "34Mbit/s"), 0).unwrap();
}

#[test]
fn a_user_has_a_share() {
    let mut host = Host::new();
    let rate = |ports: &str| format!("{{client: {{ports: {ports}}}, rate: 30Mbit/s}}");
    host.ask(&alice(), "one", &rate("80"), 0).unwrap();
    assert!(matches!(host.ask(&alice(), "two", &rate("81"), 0), Err(Refusal::TooFast { .. })));
    host.ask(&bob(), "one", &rate("81"), 0).unwrap();
    let slow = |port: usize| format!("{{client: {{ports: {port}}}, rate: 8kbit/s}}");
    for port in 1..16 {
        host.ask(&alice(), &format!("c{port}"), &slow(port), 0).unwrap();
    }
    assert!(matches!(host.ask(&alice(), "more", &slow(99), 0), Err(Refusal::TooMany(16))));
}

#[test]
fn buffers_are_counted() {
    let mut host = Host::new();
    let long = "{client: {ports: 80}, rate: 50Mbit/s, delay: 10s, queue: {limit: 1MiB}}";
    let refused = host.refusal(&alice(), long);
    assert!(refused.contains("of buffers more are too much"), "{refused}");
}

#[test]
fn a_claim_has_an_end() {
    let mut host = Host::new();
    host.ask(&alice(), "web", &server("8080"), 0).unwrap();
    assert!(host.book.expire(at(7199)).is_empty());
    assert_eq!(host.book.expire(at(7200)).len(), 1);
    assert!(host.book.entries().is_empty());
    let again = host.book.remove(&alice(), "web", at(7380)).unwrap_err().to_string();
    assert_eq!(
        again,
        "claim \"web\" ended 3 min ago: netloom shape add web --server tcp/8080 \
         --out delay=20ms rate=1Mbit/s --in delay=20ms rate=1Mbit/s --for 2h"
    );
    assert_eq!(
        host.book.remove(&bob(), "web", at(0)).unwrap_err().to_string(),
        "there is no claim \"web\" of yours: `netloom shape list` shows them"
    );
}

#[test]
fn for_a_minute_a_claim_can_be_had_again_before_others() {
    let mut host = Host::new();
    host.ask(&alice(), "web", &server("8080"), 0).unwrap();
    host.book.expire(at(7200));
    let refused = host.ask(&bob(), "mine", &server("8080"), 7230).unwrap_err().to_string();
    assert!(refused.contains("claimed by alice"), "{refused}");
    let hour = Lifetime::For(Duration::from_secs(3600));
    let terms = (&Policy::default(), at(7250));
    let renewed = host.book.renew(&alice(), "web", hour, terms).unwrap();
    assert_eq!(renewed.ends, Some(at(7250 + 3600)));
    host.book.expire(at(20000));
    let late = host.book.renew(&alice(), "web", hour, (&Policy::default(), at(20061)));
    assert!(matches!(late, Err(Refusal::Ended { .. })));
    host.ask(&bob(), "mine", &server("8080"), 20061).unwrap();
}

#[test]
fn remote_ports_are_for_all_and_more_specific_claims_stand_beside_others() {
    let mut host = Host::new();
    host.ask(&alice(), "web", &client("80"), 0).unwrap();
    host.ask(&bob(), "web", &client("80"), 0).unwrap();
    let near = format!("{{client: {{ports: 80, to: [192.0.2.0/24]}}, {PIPES}}}");
    host.ask(&alice(), "near", &near, 0).unwrap();
    let nearer = format!("{{client: {{ports: 80, to: [192.0.2.0/25]}}, {PIPES}}}");
    host.ask(&alice(), "nearer", &nearer, 0).unwrap();
    let same = host.refusal(&alice(), &nearer);
    assert!(same.starts_with("port tcp/80 of 192.0.2.0/25 is in your claim"), "{same}");
}

#[test]
fn a_users_claim_means_own_sockets_whatever_it_says() {
    let mut host = Host::new();
    let prefix = format!("{{prefix: [0.0.0.0/0], {PIPES}}}");
    let entry = host.ask(&alice(), "all", &prefix, 0).unwrap();
    assert_eq!((entry.target().tier, entry.target().uid), (Tier::Own, Some(1001)));
    let theirs = host.refusal(&alice(), &format!("{{user: bob, {PIPES}}}"));
    assert_eq!(theirs, "`user` of others is for root: a claim is for your own sockets");
    let by_root = host.ask(&root(), "bobs", "{user: bob, delay: 1ms}", 0).unwrap();
    assert_eq!((by_root.target().tier, by_root.target().uid), (Tier::Root, Some(1002)));
    let over = host.ask(&root(), "over", "{client: {ports: 80}, over: true}", 0).unwrap();
    assert_eq!((over.target().tier, over.target().uid), (Tier::Over, None));
}

#[test]
fn in_another_network_a_users_claim_is_for_all_of_it() {
    let mut host = Host::new();
    host.policy.interfaces = vec!["lo".into()];
    let pid = |selector: &str| format!("{{pid: 7, {selector}, {PIPES}}}");
    let selector = netloom_shape::Selector { pid: Some(7), ..Default::default() };
    assert_eq!(host.policy.check_network(&selector), Err(Refusal::Containers));
    host.policy.containers = true;
    assert_eq!(host.policy.check_network(&selector), Ok(()));
    host.network = Some(NetworkId(9));
    host.bound.push(BoundPort { protocol: Protocol::Tcp, port: 80, owner: bob(), pid: None });
    // The policy's ports and devices, and ports in use, are of the daemon's network.
    let web = host.ask(&alice(), "web", &pid("server: {ports: 80}"), 0).unwrap();
    assert_eq!((web.target().tier, web.target().uid), (Tier::Root, None));
    let all = host.ask(&alice(), "all", &pid("everything: true"), 0).unwrap();
    assert_eq!(all.location().network, Some(NetworkId(9)));
    // Root has it all, too: one of them has a frame.
    assert_eq!(
        host.refusal(&root(), &pid("everything: true")),
        "everything is claimed by alice as \"all\" until 13:32: take another one, or ask alice"
    );
    host.ask(&root(), "over", &pid("everything: true, over: true"), 0).unwrap();
    host.ask(&root(), "other", &pid("client: {ports: 80}"), 0).unwrap();
    // The same device of another network is another one.
    host.network = Some(NetworkId(10));
    host.ask(&root(), "there", &pid("everything: true"), 0).unwrap();
}

#[test]
fn policies_are_read_and_faults_are_found() {
    let policy = Policy::parse("allow: ['@netloom', alice]\nclaims_per_user: 3\n").unwrap();
    assert!(policy.allows(&alice(), Vec::new));
    assert!(policy.allows(&bob(), || vec!["netloom".into()]));
    assert!(!policy.allows(&bob(), || vec!["users".into()]));
    assert!(policy.allows(&root(), Vec::new));
    assert!(!Policy::default().allows(&alice(), Vec::new));
    assert!(Policy::parse("alow: [alice]").is_err());
}

proptest! {
    /// No two users ever have a local port at once, and no two claims of a user are equally
    /// specific for a port.
    #[test]
    fn no_port_is_given_twice(
        asked in prop::collection::vec(
            (any::<bool>(), 1024..1040_u16, 0..6_u16, any::<bool>(), any::<bool>()),
            1..30,
        )
    ) {
        let mut host = Host::new();
        for (number, one) in asked.into_iter().enumerate() {
            let (first_user, port, more, is_server, by_address) = one;
            let owner = if first_user { alice() } else { bob() };
            let role = if is_server { "server" } else { "client" };
            let addresses = if by_address { ", addresses: [192.0.2.0/24]" } else { "" };
            let last = port + more;
            let ports = format!("{{ports: '{port}-{last}'{addresses}}}");
            let text = format!("{{{role}: {ports}, rate: 8kbit/s}}");
            let _ = host.ask(&owner, &format!("c{number}"), &text, 0);
        }
        let entries = host.book.entries();
        for (place, a) in entries.iter().enumerate() {
            for b in &entries[place + 1..] {
                let keys = |e: &netloom_shape::Entry| e.claim.selector.keys(&e.target()).unwrap();
                let same = keys(a).iter().any(|key| keys(b).contains(key));
                let is_server = |e: &netloom_shape::Entry| e.claim.selector.server.is_some();
                let both_servers = is_server(a) && is_server(b);
                prop_assert!(!same || (a.owner.uid != b.owner.uid && !both_servers));
            }
        }
    }
}
