//! Scenario and devices → data plane, and its measurements → API.

use std::collections::HashMap;
use std::os::fd::OwnedFd;

use anyhow::{Result, anyhow};
use netloom_api::timing::{LatencySummary, Scheduling, Timing, WorkerLoad};
use netloom_dataplane::{End, LinkWiring, Wiring};
use netloom_nodes::{Attachment, Device};
use netloom_ports::{FrameDevice, Losses, PacketDevice, Tap};
use netloom_scenario::{Endpoint, Node, NodeKind, Scenario};

/// What the data plane is to join: every link of the scenario that is not direct, with the devices at its
/// ends; and what counts losses at those of the machine.
pub fn wire(
    scenario: &Scenario,
    devices: Vec<Device>,
) -> Result<(Wiring, Vec<(Endpoint, Losses)>)> {
    let mut switches: HashMap<&str, usize> = HashMap::new();
    for node in scenario.nodes.iter().filter(|node| node.kind == NodeKind::Switch) {
        let number = switches.len();
        switches.insert(&node.name, number);
    }
    let nodes: HashMap<&str, &Node> =
        scenario.nodes.iter().map(|node| (node.name.as_str(), node)).collect();
    let mut losses = Vec::new();
    let mut taps: HashMap<(String, String), (OwnedFd, Attachment)> =
        devices.into_iter().map(|d| ((d.node, d.interface), (d.fd, d.attachment))).collect();
    let mut tap = |node: &str, interface: &str| -> Result<Box<dyn FrameDevice>> {
        let found = taps.remove(&(node.into(), interface.into()));
        let found = found.ok_or_else(|| anyhow!("no device was made for {node}:{interface}"))?;
        Ok(match found {
            (fd, Attachment::Tap) => Box::new(Tap::from_fd(fd)),
            (fd, Attachment::Packet) => {
                let device = PacketDevice::from_fd(fd);
                let end = Endpoint { node: node.into(), interface: interface.into() };
                losses.push((end, device.losses()?));
                Box::new(device)
            }
        })
    };
    let mut end = |Endpoint { node, interface }: &Endpoint| -> Result<End> {
        let interfaces = || nodes.get(node.as_str()).into_iter().flat_map(|node| &node.interfaces);
        if let Some(switch) = switches.get(node.as_str()).copied() {
            let port = interfaces().find(|port| port.name == *interface);
            return Ok(match port.and_then(|port| port.vlan.clone()) {
                Some(vlans) => End::VlanPort { switch, vlans },
                None => End::Switch(switch),
            });
        }
        let untagged = tap(node, interface)?;
        let vlans = interfaces().filter_map(|other| {
            let sub = other.subinterface.as_ref().filter(|sub| sub.of == *interface)?;
            Some(tap(node, &other.name).map(|device| (sub.vlan, device)))
        });
        let vlans = vlans.collect::<Result<Vec<_>>>()?;
        Ok(match vlans.is_empty() {
            true => End::Device(untagged),
            false => End::Interfaces { untagged, vlans },
        })
    };
    let mut links = Vec::with_capacity(scenario.links.len());
    for link in scenario.modelled_links() {
        let [a, b] = &link.endpoints;
        links.push(LinkWiring {
            name: link.name.clone(),
            ends: [end(a)?, end(b)?],
            pipes: [link.forward.clone(), link.reverse.clone()],
        });
    }
    Ok((Wiring { links, switches: switches.len() }, losses))
}

/// The data plane's measurements in the API's words.
///
/// `overflow` is what the nodes' interfaces dropped because the engine did not read them in time.
pub fn timing(scenario: &Scenario, timing: netloom_dataplane::Timing, overflow: u64) -> Timing {
    let drops = timing.unmodelled;
    let causes = [
        ("not_read_in_time", overflow),
        ("device_full", drops.device_full),
        ("device_gone", drops.device_gone),
        ("rejected", drops.rejected),
        ("malformed", drops.malformed),
        ("no_memory", drops.no_memory),
    ];
    let failures = timing.failures.into_iter().map(|failure| {
        let link = scenario.modelled_links().nth(failure.link);
        let end = link.and_then(|link| link.endpoints.get(failure.end));
        let name = end.map_or_else(|| "an interface".into(), ToString::to_string);
        format!("{name} failed at {}: {}", failure.at, failure.error)
    });
    let worker = |load: netloom_dataplane::WorkerLoad| WorkerLoad {
        busy: load.busy,
        spinning: load.spinning,
        scheduling: match load.scheduling {
            netloom_dataplane::Scheduling::RealTime => Scheduling::RealTime,
            netloom_dataplane::Scheduling::Favoured => Scheduling::Favoured,
            netloom_dataplane::Scheduling::Normal => Scheduling::Normal,
        },
        lateness: summary(load.lateness),
    };
    Timing {
        lateness: summary(timing.lateness),
        timer_wakeup: summary(timing.wakeup),
        unattended: summary(timing.unattended),
        unmodelled_drops: causes
            .into_iter()
            .filter(|(_, count)| *count > 0)
            .map(|(cause, count)| (cause.to_string(), count))
            .collect(),
        interface_down: timing.interface_down,
        workers: timing.workers.into_iter().map(worker).collect(),
        failures: failures.collect(),
    }
}

fn summary(summary: netloom_dataplane::LatencySummary) -> LatencySummary {
    let micros = |nanos: u64| nanos as f64 / 1000.0;
    LatencySummary {
        count: summary.count,
        p50_us: micros(summary.p50_ns),
        p99_us: micros(summary.p99_ns),
        p999_us: micros(summary.p999_ns),
        max_us: micros(summary.max_ns),
    }
}
