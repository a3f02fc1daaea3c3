//! The scenario's traffic → the simulator's flows. Not here: the models (`netloom-traffic`).

use anyhow::{Context, Result};
use netloom_link::Stream;
use netloom_plan::Plan;
use netloom_scenario::{IpFamily, Scenario, Sends, Start, Traffic};
use netloom_sim::{Arrivals, FlowKind, FlowSpec, TcpFlow};
use netloom_traffic::Source;
use netloom_units::{Duration, Time};

use crate::describe::{Described, primary};
use crate::tcp;

/// Bytes before the payload of a UDP datagram in an Ethernet frame: IPv4 and IPv6.
const UDP_HEADERS: [u32; 2] = [14 + 20 + 8, 14 + 40 + 8];

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
            let protocol = match &traffic.sends {
                Sends::Ping { .. } => "ping",
                Sends::Udp { .. } => "udp",
                Sends::Bulk { .. } => "tcp",
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
    let mut traffic_class = 0;
    let kind = match &traffic.sends {
        Sends::Ping { interval, count, payload } => {
            FlowKind::Ping { interval: *interval, count: *count, payload: *payload }
        }
        Sends::Bulk { port, dscp, bytes, connections, congestion_control, max_window, mss } => {
            traffic_class = dscp << 2;
            let of = |node: &str| {
                let found = scenario.node(node);
                tcp::config(found.with_context(|| format!("there is no node `{node}`"))?)
            };
            let (mut sender, mut receiver) = (of(from)?, of(&traffic.to)?);
            if let Some(name) = congestion_control {
                sender.congestion_control = name.parse()?;
            }
            sender.max_segment = *mss;
            receiver.window_clamp = *max_window;
            let (port, bytes, connections) = (*port, *bytes, *connections);
            FlowKind::Tcp(Box::new(TcpFlow { port, bytes, connections, sender, receiver }))
        }
        Sends::Udp { port, dscp, model, size } => {
            traffic_class = dscp << 2;
            let stream = format!("traffic/{}/{from}", traffic.name);
            let stream = Stream::new(scenario.seed, &stream);
            let source = model.source(size, None, &stream);
            let source = source.with_context(|| format!("traffic `{}`", traffic.name))?;
            let headers = UDP_HEADERS[usize::from(to.is_ipv6())];
            FlowKind::Udp { port: *port, arrivals: Box::new(Datagrams { source, headers }) }
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
        until: traffic.lasts.map(|lasts| start + lasts),
        background: traffic.background,
        traffic_class,
    })
}

/// The frames of a model as UDP datagrams.
#[derive(Debug)]
struct Datagrams {
    source: Source,
    /// What of a frame is not payload.
    headers: u32,
}

impl Arrivals for Datagrams {
    fn next(&mut self) -> Option<(Duration, u32)> {
        let emission = self.source.next()?;
        Some((emission.at.since(Time::ZERO), emission.bytes.saturating_sub(self.headers)))
    }
}
