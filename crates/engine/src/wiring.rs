//! Scenario and devices → data plane, and its measurements → API.

use std::collections::HashMap;
use std::os::fd::OwnedFd;

use anyhow::{Result, anyhow};
use netloom_api::timing::{LatencySummary, Timing};
use netloom_dataplane::{End, LinkWiring, Wiring};
use netloom_nodes::Device;
use netloom_ports::Tap;
use netloom_scenario::{Endpoint, NodeKind, Scenario};

/// What the data plane is to join: every link of the scenario with the devices at its ends.
pub fn wire(scenario: &Scenario, devices: Vec<Device>) -> Result<Wiring> {
    let mut switches: HashMap<&str, usize> = HashMap::new();
    for node in scenario.nodes.iter().filter(|node| node.kind == NodeKind::Switch) {
        let number = switches.len();
        switches.insert(&node.name, number);
    }
    let mut taps: HashMap<(String, String), OwnedFd> =
        devices.into_iter().map(|d| ((d.node, d.interface), d.fd)).collect();
    let mut end = |endpoint: &Endpoint| {
        if let Some(number) = switches.get(endpoint.node.as_str()) {
            return Ok(End::Switch(*number));
        }
        let key = (endpoint.node.clone(), endpoint.interface.clone());
        let tap = taps.remove(&key).ok_or_else(|| anyhow!("no device was made for {endpoint}"))?;
        Ok(End::Device(Box::new(Tap::from_fd(tap))))
    };
    let mut links = Vec::with_capacity(scenario.links.len());
    for link in &scenario.links {
        let [a, b] = &link.endpoints;
        links.push(LinkWiring {
            name: link.name.clone(),
            ends: [end(a)?, end(b)?],
            pipes: [link.forward.clone(), link.reverse.clone()],
        });
    }
    Ok(Wiring { links, switches: switches.len() })
}

/// The data plane's measurements in the API's words.
pub fn timing(timing: netloom_dataplane::Timing) -> Timing {
    let summary = |summary: netloom_dataplane::LatencySummary| LatencySummary {
        count: summary.count,
        p50_us: summary.p50_us,
        p99_us: summary.p99_us,
        p999_us: summary.p999_us,
        max_us: summary.max_us,
    };
    Timing {
        lateness: summary(timing.lateness),
        timer_wakeup: summary(timing.timer_wakeup),
        unmodelled_drops: timing.unmodelled_drops,
        worker_busy: timing.worker_busy,
    }
}
