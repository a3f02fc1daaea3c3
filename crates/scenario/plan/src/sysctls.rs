//! Kernel parameters of a node's network stack.

use std::collections::BTreeMap;

use netloom_scenario::{Node, NodeKind};
use netloom_units::Duration;

/// Parameters of every node. A new network namespace inherits its IPv4 settings from the machine,
/// so all relevant parameters are set explicitly.
const ALL: &[(&str, &str)] = &[
    // Anyone may send ICMP echo requests without privileges.
    ("net.ipv4.ping_group_range", "0 2147483647"),
    // Asymmetric paths are ordinary in an experiment.
    ("net.ipv4.conf.all.rp_filter", "0"),
    ("net.ipv4.conf.default.rp_filter", "0"),
    ("net.ipv6.conf.all.disable_ipv6", "0"),
    ("net.ipv6.conf.default.disable_ipv6", "0"),
    // Addresses are unique by construction, so they can be used at once, without duplicate
    // detection.
    ("net.ipv6.conf.all.accept_dad", "0"),
    ("net.ipv6.conf.default.accept_dad", "0"),
    ("net.ipv6.conf.all.dad_transmits", "0"),
    ("net.ipv6.conf.default.dad_transmits", "0"),
    // Configuration comes from the plan, and idle links carry nothing.
    ("net.ipv6.conf.all.accept_ra", "0"),
    ("net.ipv6.conf.default.accept_ra", "0"),
    ("net.ipv6.conf.all.router_solicitations", "0"),
    ("net.ipv6.conf.default.router_solicitations", "0"),
];

/// Parameters of nodes whose packets may leave by the interface by which they came in. This happens
/// on a medium on which not all stations receive each other, so redirects to a shorter way would be
/// wrong.
const ON_MEDIA: &[&str] = &["send_redirects", "accept_redirects"];

/// Number of requests to a neighbour before the kernel gives it up, and the time between two.
const REQUESTS: u64 = 3;
const REQUEST_EVERY: Duration = Duration::from_secs(1);

/// Returns the parameters of `node`, of which the interfaces `on_media` are on media: the defaults,
/// overridden by the node's own. `answers_in` returns how long neighbours at an interface may take
/// to answer.
pub(crate) fn sysctls(
    node: &Node,
    on_media: Option<&BTreeMap<&str, &str>>,
    answers_in: impl Fn(usize) -> Option<Duration>,
) -> BTreeMap<String, String> {
    let forwarding = if node.kind == NodeKind::Router { "1" } else { "0" };
    let mut sysctls: BTreeMap<String, String> =
        ALL.iter().map(|(key, value)| ((*key).into(), (*value).into())).collect();
    for key in ["net.ipv4.ip_forward", "net.ipv6.conf.all.forwarding"] {
        sysctls.insert(key.into(), forwarding.into());
    }
    if let Some(on_media) = on_media {
        for interface in on_media.keys().copied().chain(["all", "default"]) {
            for key in ON_MEDIA {
                sysctls.insert(format!("net.ipv4.conf.{interface}.{key}"), "0".into());
            }
        }
    }
    for (port, interface) in node.interfaces.iter().enumerate() {
        let wait = answers_in(port).and_then(request_every);
        // A dot separates the parts of a key.
        if let Some(wait) = wait.filter(|_| !interface.name.contains('.')) {
            for family in ["ipv4", "ipv6"] {
                let key = format!("net.{family}.neigh.{}.retrans_time_ms", interface.name);
                sysctls.insert(key, (wait.as_nanos() / 1_000_000).to_string());
            }
        }
    }
    sysctls.extend(node.sysctls.clone());
    sysctls
}

/// Returns the time between two requests (ARP, ND) with which the kernel does not give up a
/// neighbour whose answers take so long. `None` if its own does, with a fifth to spare.
fn request_every(answers_in: Duration) -> Option<Duration> {
    let patience = REQUEST_EVERY.as_nanos() * REQUESTS / 5 * 4;
    let wait = Duration::from_nanos(answers_in.as_nanos() / 2);
    (answers_in.as_nanos() > patience).then_some(wait)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_go_on_for_longer_than_answers_take() {
        let millis = Duration::from_millis;
        assert_eq!(request_every(millis(40)), None);
        assert_eq!(request_every(millis(2400)), None);
        for takes in [2401, 3200, 60_000] {
            let every = request_every(millis(takes)).unwrap();
            assert!(every.as_nanos() * REQUESTS > millis(takes).as_nanos() * 14 / 10);
        }
    }
}
