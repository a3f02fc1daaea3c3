//! Ethernet addresses: given, or derived from the names, so they never change between runs.

use std::collections::HashSet;

use netloom_scenario::{MacAddress, Scenario};

/// Returns the MAC address of every interface, by node and interface index. Derived addresses are
/// locally administered (`02:…`) and differ from each other and from all given ones. Sub-interfaces
/// have the address of their interface.
pub(crate) fn assign(scenario: &Scenario) -> Vec<Vec<MacAddress>> {
    let interfaces = || scenario.nodes.iter().flat_map(|node| &node.interfaces);
    let mut used: HashSet<MacAddress> = interfaces().filter_map(|i| i.mac).collect();
    let mut assign = |node: &str, interface: &str| {
        (0u32..)
            .map(|attempt| derive(&scenario.name, node, interface, attempt))
            .find(|mac| used.insert(*mac))
            // Invariant: 2^40 addresses, far fewer interfaces, and 2^32 attempts.
            .expect("an unused MAC address")
    };
    scenario
        .nodes
        .iter()
        .map(|node| {
            let mut macs: Vec<MacAddress> = Vec::with_capacity(node.interfaces.len());
            for interface in &node.interfaces {
                // A sub-interface has the address of its interface, which comes before it.
                let of = node.interfaces[..macs.len()].iter();
                let of = of.zip(&macs).find(|(of, _)| of.name == interface.at_link());
                let mac = interface.mac.or(of.map(|(_, mac)| *mac));
                macs.push(mac.unwrap_or_else(|| assign(&node.name, &interface.name)));
            }
            macs
        })
        .collect()
}

fn derive(experiment: &str, node: &str, interface: &str, attempt: u32) -> MacAddress {
    let attempt = attempt.to_le_bytes();
    let parts = [experiment.as_bytes(), node.as_bytes(), interface.as_bytes(), &attempt];
    let [a, b, c, d, e, ..] = stable_hash(&parts).to_be_bytes();
    MacAddress([0x02, a, b, c, d, e])
}

/// FNV-1a over the length-prefixed parts, finished by the mixer of SplitMix64. It is the same on
/// every machine and in every version, which the standard library's hashers do not guarantee.
fn stable_hash(parts: &[&[u8]]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for part in parts {
        let length = part.len().to_le_bytes();
        for byte in length.iter().chain(*part) {
            hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}
