//! The scenario's traffic → the simulator's flows. Not here: the models (`netloom-traffic`).

use anyhow::{Context, Result, bail};
use netloom_link::Stream;
use netloom_plan::Plan;
use netloom_scenario::{IpFamily, Scenario, Start, Traffic, Transport};
use netloom_sim::{Arrivals, FlowKind, FlowSpec, TcpFlow};
use netloom_traffic::{Model, Source};
use netloom_units::{Duration, Time};

use crate::describe::{Described, primary};
use crate::tcp;

/// Bytes before the payload of UDP or of ICMP echo in an Ethernet frame: IPv4 and IPv6.
const HEADERS: [u32; 2] = [14 + 20 + 8, 14 + 40 + 8];

/// A flow of the scenario, and its place in the simulator.
pub struct Flow {
    /// Its name.
    pub name: String,
    /// Who sends.
    pub from: String,
    /// Who receives.
    pub to: String,
    /// What.
    pub protocol: &'static str,
}

/// The flows of a scenario, and what the simulator is to make of them, in the same order.
pub fn flows(
    scenario: &Scenario,
    plan: &Plan,
    described: &Described,
) -> Result<(Vec<Flow>, Vec<FlowSpec>)> {
    let mut flows = (Vec::new(), Vec::new());
    for traffic in &scenario.traffic {
        // What waits for a process was reported as left out.
        let Start::At(start) = traffic.start else { continue };
        for from in &traffic.from {
            let name = match traffic.from.len() {
                1 => traffic.name.clone(),
                _ => format!("{}/{from}", traffic.name),
            };
            let spec = spec(scenario, plan, described, (traffic, from, &name, start))?;
            let protocol = match &traffic.transport {
                Transport::Icmp => "ping",
                Transport::Udp { .. } => "udp",
                Transport::Tcp { .. } => "tcp",
            };
            let to = traffic.to.clone();
            flows.0.push(Flow { name, from: from.clone(), to, protocol });
            flows.1.push(spec);
        }
    }
    Ok(flows)
}

fn spec(
    scenario: &Scenario,
    plan: &Plan,
    described: &Described,
    (traffic, from, name, start): (&Traffic, &String, &String, Duration),
) -> Result<FlowSpec> {
    let v6 = traffic.family.map(|family| family == IpFamily::Ipv6);
    let to = primary(plan, &traffic.to, v6).with_context(|| {
        format!("traffic `{}` leads to `{}`, which has no such address", traffic.name, traffic.to)
    })?;
    let start = Time::ZERO + start;
    let arrivals = || -> Result<Box<dyn Arrivals>> {
        let stream = Stream::new(scenario.seed, &format!("traffic/{}/{from}", traffic.name));
        let source = traffic.model.source(&traffic.sizes, None, &stream);
        let source = source.with_context(|| format!("traffic `{}`", traffic.name))?;
        Ok(Box::new(Packets { source, headers: HEADERS[usize::from(to.is_ipv6())] }))
    };
    let (kind, dscp) = match &traffic.transport {
        Transport::Icmp => (FlowKind::Ping { arrivals: arrivals()? }, None),
        Transport::Udp { port, dscp } => {
            (FlowKind::Udp { port: *port, arrivals: arrivals()? }, *dscp)
        }
        Transport::Tcp { port, dscp, congestion_control } => {
            let tcp = connections(scenario, traffic, from, (*port, congestion_control.as_deref()));
            (FlowKind::Tcp(Box::new(tcp?)), *dscp)
        }
    };
    let from = *described
        .nodes
        .get(from)
        .with_context(|| format!("traffic `{}` comes from no node `{from}`", traffic.name))?;
    Ok(FlowSpec {
        name: name.clone(),
        from,
        to,
        kind,
        start,
        until: traffic.time.map(|time| start + time),
        background: traffic.background,
        traffic_class: dscp.unwrap_or(0) << 2,
    })
}

/// The connections of a flow over TCP.
fn connections(
    scenario: &Scenario,
    traffic: &Traffic,
    from: &str,
    (port, congestion_control): (u16, Option<&str>),
) -> Result<TcpFlow> {
    let Model::Bulk(bulk) = &traffic.model else {
        bail!("traffic `{}`: over TCP, simulated runs have `bulk` only", traffic.name);
    };
    let of = |node: &str| {
        let found = scenario.node(node);
        tcp::config(found.with_context(|| format!("there is no node `{node}`"))?)
    };
    let (mut sender, receiver) = (of(from)?, of(&traffic.to)?);
    if let Some(name) = congestion_control {
        let control = name.parse();
        sender.congestion_control = control.with_context(|| {
            format!("traffic `{}` cannot have this congestion control", traffic.name)
        })?;
    }
    let bytes = bulk.bytes.map(|bytes| bytes.bytes());
    Ok(TcpFlow { port, bytes, connections: bulk.connections, sender, receiver })
}

/// The frames of a model as packets.
#[derive(Debug)]
struct Packets {
    source: Source,
    /// What of a frame is not payload.
    headers: u32,
}

impl Arrivals for Packets {
    fn next(&mut self) -> Option<(Duration, u32)> {
        let emission = self.source.next()?;
        Some((emission.at.since(Time::ZERO), emission.bytes.saturating_sub(self.headers)))
    }
}
