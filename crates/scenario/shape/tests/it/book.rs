//! Admission of claims, their lifetimes, and the wording of refusals.

use netloom_shape::{
    Book, BoundPort, Capacity, Lifetime, NetworkId, Owner, Policy, Protocol, Refusal, Tier,
};
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
    host.capacity = Capacity { bits: 480_000_000, bytes: 1 << 30, descriptors: 1000 };
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
    let again = host.again(&alice(), "web", 7250).unwrap();
    assert_eq!((again.began, again.ends), (at(7250), Some(at(7250 + 7200))));
    host.book.expire(at(20_000));
    let late = host.again(&alice(), "web", 20_061);
    assert!(matches!(late, Err(Refusal::Ended { .. })));
    host.ask(&bob(), "mine", &server("8080"), 20_061).unwrap();
    let hour = Lifetime::For(Duration::from_secs(3600));
    let (mut book, terms) = (host.book.clone(), host.terms(20_100));
    assert_eq!(book.renew(&bob(), "mine", hour, terms).unwrap().ends, Some(at(20_100 + 3600)));
    let days = Lifetime::For(Duration::from_secs(48 * 3600));
    assert!(matches!(book.renew(&bob(), "mine", days, terms), Err(Refusal::TooLong { .. })));
}

/// Nobody keeps a place for a minute by having it for a moment.
#[test]
fn a_claim_that_was_short_leaves_its_place_at_once() {
    let mut host = Host::new();
    let short = |time: &str| format!("{{server: {{ports: 8080}}, for: {time}, {PIPES}}}");
    host.ask(&alice(), "web", &short("59s"), 0).unwrap();
    host.book.expire(at(59));
    host.ask(&bob(), "mine", &short("60s"), 59).unwrap();
    assert!(matches!(host.again(&alice(), "web", 60), Err(Refusal::ClaimedByOther { .. })));
    host.book.expire(at(119));
    assert!(host.refusal(&alice(), &server("8080")).contains("claimed by bob"));
}

/// The limits of [`Host`] and of `policy`, whichever way the claim comes.
#[test]
fn a_claim_that_has_ended_is_admitted_like_any_other() {
    let mut host = Host::new();
    host.policy.rate_per_user = "20Mbit/s".parse().unwrap();
    let rate = |port: u16| format!("{{server: {{ports: {port}}}, rate: 10Mbit/s, for: 61s}}");
    for number in 0..4 {
        let (name, seconds) = (format!("c{number}"), number * 61);
        host.ask(&alice(), &name, &rate(7100 + number as u16), seconds).unwrap();
        host.book.expire(at(seconds + 61));
    }
    let now = 4 * 61;
    host.again(&alice(), "c3", now).unwrap();
    host.ask(&alice(), "c4", &rate(7104), now).unwrap_err();
    // Their rates, who has bound the port meanwhile, and a policy that has become stricter.
    let mut other = host.clone();
    other.book.remove(&alice(), "c3", at(now)).unwrap();
    other.ask(&alice(), "c4", &rate(7104), now).unwrap();
    other.book.expire(at(now));
    assert!(matches!(other.again(&alice(), "c3", now), Err(Refusal::Unknown(_))));
    host.book.expire(at(now + 61));
    let bound = BoundPort { protocol: Protocol::Tcp, port: 7103, owner: bob(), pid: None };
    host.bound.push(bound);
    let refused = host.again(&alice(), "c3", now + 61).unwrap_err().to_string();
    assert_eq!(refused, "port tcp/7103 is bound by a process of bob");
    host.bound.clear();
    host.policy.ports = "8000-9000".parse().unwrap();
    assert!(matches!(host.again(&alice(), "c3", now + 61), Err(Refusal::Port { .. })));
}

#[test]
fn the_largest_rate_counts_however_it_is_written() {
    let mut host = Host::new();
    host.policy.rate_per_user = "20Mbit/s".parse().unwrap();
    let out = |rate: &str| {
        format!("{{client: {{ports: 80}}, out: {{rate: {rate}}}, in: {{rate: 1kbit/s}}}}")
    };
    let steps = "{schedule: [{at: 0s, rate: 1kbit/s}, {at: 1h, rate: 10Gbit/s}]}";
    let refused = host.refusal(&alice(), &out(steps));
    assert!(refused.starts_with("10000.001Mbit/s more are too much"), "{refused}");
    // 10,000 packets of 1500 bytes in one second of a thousand.
    let burst: Vec<String> = (0..10_000).map(|packet| (packet / 10).to_string()).collect();
    let trace = format!("{{trace: [{}, 1000000]}}", burst.join(", "));
    let refused = host.refusal(&alice(), &out(&trace));
    assert!(refused.starts_with("120.0"), "{refused}");
    // The same by `set`.
    host.ask(&alice(), "web", &out("1kbit/s"), 0).unwrap();
    assert!(host.set(&alice(), "web", &format!("{{rate: {steps}}}")).is_err());
    assert!(host.set(&alice(), "web", "{rate: 10Mbit/s}").is_ok());
}

#[test]
fn no_number_is_too_large_to_be_counted() {
    let mut host = Host::new();
    for time in ["2305843009213693952ns", "4611686018427387904ns", "18446744073709551615ns"] {
        for jitter in ["normal", "pareto", "paretonormal", "uniform"] {
            let pipes =
                format!("out: {{rate: 1Mbit/s, delay: {time}, jitter: {{{jitter}: {time}}}}}");
            let claim = format!("{{client: {{ports: 80}}, {pipes}, in: {{rate: 1kbit/s}}}}");
            let refused = host.ask(&alice(), "far", &claim, 0).unwrap_err();
            assert!(matches!(refused, Refusal::TooLarge { .. }), "{refused}");
        }
    }
    let huge = "{client: {ports: 80}, rate: 1Mbit/s, queue: {limit: 4294967295packets}}";
    assert!(host.refusal(&alice(), huge).contains("of buffers more are too much"));
}

/// A frame of a loopback takes 66 KiB, and a small one as much as one of 1500 bytes.
#[test]
fn the_memory_of_frames_is_charged() {
    let mut host = Host::new();
    let packets = |count: u32| {
        format!("{{client: {{ports: 80}}, rate: 1kbit/s, queue: {{limit: {count}packets}}}}")
    };
    let at_ethernet = host.ask(&alice(), "near", &packets(10_000), 0).unwrap();
    assert_eq!(at_ethernet.need.bytes, 2 * 10_001 * (2048 + 256));
    host.book = Book::default();
    host.mtu = 65_536;
    let at_loopback = host.ask(&alice(), "near", &packets(400), 0).unwrap();
    assert_eq!(at_loopback.need.bytes, 2 * 401 * (2048 + 256 + 65_536));
    host.book = Book::default();
    assert!(host.refusal(&alice(), &packets(20_000)).contains("of buffers more are too much"));
    // Any number of claims that hold nothing fit, and each may have a little.
    for number in 1..600 {
        let claim = format!("{{client: {{ports: {number}}}, delay: 1ms}}");
        let entry = host.ask(&root(), &format!("c{number}"), &claim, 0).unwrap();
        assert!(entry.need.bytes == 0 && entry.need.frames(&entry.claim) >= 1 << 20);
    }
    host.book = Book::default();
    // What links hold after a change, or after their claims, is charged as well, to its owner.
    host.mtu = 1500;
    let mut small = host.ask(&alice(), "small", &packets(10), 0).unwrap();
    host.held.insert(small.id, (1001, 60 << 20));
    assert!(host.ask(&alice(), "more", &packets(10_000), 0).is_err());
    host.ask(&bob(), "own", &packets(10_000), 0).unwrap();
    small = host.book.remove(&alice(), "small", at(0)).unwrap();
    assert!(host.ask(&alice(), "more", &packets(10_000), 0).is_err());
    assert_eq!(host.book.given(Some(1001), &host.held).bytes, 60 << 20);
    host.held.remove(&small.id);
    host.ask(&alice(), "more", &packets(10_000), 0).unwrap();
}

#[test]
fn values_are_charged_and_descriptors_have_an_end() {
    let mut host = Host::new();
    let values: Vec<String> = (0..200_000).map(|value| value.to_string()).collect();
    let trace = format!("out: {{rate: {{trace: [{}, 200000]}}}}", values.join(","));
    let entry = host.ask(&root(), "t", &format!("{{client: {{ports: 80}}, {trace}}}"), 0).unwrap();
    assert!(entry.need.bytes > 8 << 20, "{}", entry.need.bytes);
    host.policy.claims_per_user = 1000;
    host.capacity.descriptors = 400;
    let slow = |port: u32| format!("{{client: {{ports: {port}}}, rate: 8kbit/s}}");
    let fits = |host: &mut Host, owner: &Owner, most| {
        (1..=most)
            .take_while(|port| host.ask(owner, &format!("c{port}"), &slow(*port), 0).is_ok())
            .count()
    };
    // A quarter for one user: six each, and root has been at this device already.
    assert_eq!(fits(&mut host, &alice(), 40), 16);
    assert_eq!(fits(&mut host, &bob(), 40), 16);
    let said = host.refusal(&alice(), &slow(99));
    assert!(said.contains("more than the 100 open files"), "{said}");
}

#[test]
fn a_user_has_so_many_ports_and_no_more() {
    let mut host = Host::new();
    let said = host.refusal(&alice(), "{server: {ports: 1024-65535}, rate: 8kbit/s}");
    assert_eq!(
        said,
        "129024 local ports more are too many: 0 of 1024 are yours (ports_per_user), with those of \
         claims that have just ended"
    );
    let some = |from: u32| {
        format!("{{server: {{ports: {from}-{}}}, rate: 8kbit/s, for: 61s}}", from + 255)
    };
    host.ask(&alice(), "a", &some(2000), 0).unwrap();
    host.ask(&alice(), "b", &some(3000), 0).unwrap();
    assert!(matches!(host.ask(&alice(), "c", &some(4000), 0), Err(Refusal::TooManyPorts { .. })));
    // Those that are kept for a minute count, but the user has them again.
    host.book.expire(at(61));
    assert!(matches!(host.ask(&alice(), "c", &some(4000), 62), Err(Refusal::TooManyPorts { .. })));
    host.again(&alice(), "b", 62).unwrap();
    host.again(&alice(), "a", 62).unwrap();
    host.ask(&bob(), "c", &some(4000), 62).unwrap();
    host.ask(&root(), "all", "{server: {ports: 1024-65535}}", 62).unwrap();
    host.ask(&alice(), "web", "{client: {ports: 1-65535}, rate: 8kbit/s}", 62).unwrap();
}

#[test]
fn a_new_daemon_admits_by_its_own_terms() {
    let mut host = Host::new();
    for (owner, port) in [(alice(), 8080), (bob(), 8081)] {
        let claim = format!("{{server: {{ports: {port}}}, rate: 10Mbit/s}}");
        host.ask(&owner, "web", &claim, 0).unwrap();
    }
    let old = host.book.clone();
    host.policy.ports = "8081".parse().unwrap();
    let mut book = old.successor();
    let taken: Vec<bool> =
        old.entries().iter().map(|entry| book.take_up(entry, host.terms(0)).is_ok()).collect();
    assert_eq!(taken, [false, true]);
    assert_eq!(book.entries()[0].id, 2);
    host.book = book;
    assert_eq!(host.ask(&alice(), "x", "{client: {ports: 80}, rate: 8kbit/s}", 0).unwrap().id, 3);
}

/// To make one may take longer than it is to last.
#[test]
fn the_time_of_a_claim_begins_when_it_has_been_made() {
    let mut host = Host::new();
    let entry = host.ask(&alice(), "web", &client("80"), 0).unwrap();
    let (mut book, old) = (host.book.clone(), host.book.successor());
    assert_eq!(book.begin(entry.id, at(5000)).unwrap().ends, Some(at(5000 + 3600)));
    assert!(book.expire(at(5000 + 3599)).is_empty());
    assert_eq!(book.expire(at(5000 + 3600)).len(), 1);
    assert_eq!(book.begin(entry.id, at(0)), None);
    // While it is made, it has its place, and does not expire.
    let (claim, terms) = (entry.claim, host.terms(0));
    let request = netloom_shape::Request {
        owner: &alice(),
        name: "web",
        claim: &claim,
        cgroup: None,
        user: None,
        network: None,
        device: "eth0",
        mtu: 1500,
        bound: &[],
        force: false,
    };
    let mut book = old;
    let entry = book.add(&request, terms).unwrap();
    assert!(book.expire(at(100_000)).is_empty());
    assert_eq!(book.add(&request, terms), Err(Refusal::NameTaken("web".into())));
    book.begin(entry.id, at(100_000)).unwrap();
    assert_eq!(book.expire(at(200_000)).len(), 1);
}

#[test]
fn refusals_name_the_policy_that_was_read() {
    let mut host = Host::new();
    host.policy.file = "/srv/policy.yaml".into();
    let said = host.refusal(&alice(), "{server: {ports: 8080}, reserve: true, rate: 1Mbit/s}");
    assert!(said.contains("(`reserve: false` in /srv/policy.yaml)"), "{said}");
    let selector = netloom_shape::Selector { pid: Some(7), ..Default::default() };
    let said = host.policy.check_network(&selector).unwrap_err().to_string();
    assert!(said.contains("write `containers: true` into /srv/policy.yaml"), "{said}");
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
fn a_policy_without_devices_allows_none() {
    let mut host = Host::new();
    let claim = format!("{{server: {{ports: 8080}}, {PIPES}}}");
    host.ask(&alice(), "web", &claim, 0).unwrap();
    host.policy.interfaces = Some(Vec::new());
    let refused = host.ask(&alice(), "more", &claim.replace("8080", "8081"), 0).unwrap_err();
    assert!(refused.to_string().contains("allows (no device)"), "{refused}");
}

#[test]
fn in_another_network_a_users_claim_is_for_all_of_it() {
    let mut host = Host::new();
    host.policy.interfaces = Some(vec!["lo".into()]);
    let pid = |selector: &str| format!("{{pid: 7, {selector}, {PIPES}}}");
    let selector = netloom_shape::Selector { pid: Some(7), ..Default::default() };
    assert!(matches!(host.policy.check_network(&selector), Err(Refusal::Containers(_))));
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
