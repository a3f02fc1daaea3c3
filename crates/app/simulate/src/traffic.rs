//! Turns the scenario's traffic into the simulator's flows. Not here: the models
//! (`netloom-traffic`).

use std::net::IpAddr;

use anyhow::{Context, Result, bail};
use netloom_link::Stream;
use netloom_plan::Plan;
use netloom_scenario::{Scenario, Start, Traffic, Transport};
use netloom_sim::{Arrival, Arrivals, FlowKind, FlowSpec, TcpFlow, TcpWork};
use netloom_traffic::{FrameSource, Model, Receivers};
use netloom_units::{Duration, Time};

use crate::describe::Described;
use crate::tcp;

/// Bytes before the payload of UDP or of ICMP echo in an Ethernet frame, for IPv4 and IPv6.
const HEADERS: [u32; 2] = [14 + 20 + 8, 14 + 40 + 8];

/// Smallest payload of a packet. It holds the sender and the sending time, as in an emulated run.
const LEAST_PAYLOAD: u32 = 18;

/// A flow of the scenario, for results.
pub struct Flow {
    /// Name of the flow.
    pub name: String,
    /// Name of the sender.
    pub from: String,
    /// Names of the receivers.
    pub to: String,
    /// Protocol of the flow.
    pub protocol: &'static str,
    /// Whether it consists of transfers or requests, which are counted.
    pub has_transfers: bool,
    /// When it begins.
    pub start: Time,
    /// When it sends nothing more, at the latest.
    pub until: Option<Time>,
}

/// Returns the flows of a scenario, and their specifications for the simulator, in the same order.
pub fn flows(
    scenario: &Scenario,
    plan: &Plan,
    described: &Described,
) -> Result<(Vec<Flow>, Vec<FlowSpec>)> {
    let mut flows = (Vec::new(), Vec::new());
    for traffic in &scenario.traffic {
        // Traffic that waits for a process has been reported as left out.
        let Start::At(start) = traffic.start else { continue };
        // Rates have no packets.
        if traffic.transport == Transport::Fluid {
            continue;
        }
        for from in &traffic.from {
            let name = match traffic.from.len() {
                1 => traffic.name.clone(),
                _ => format!("{}/{from}", traffic.name),
            };
            let spec = spec(scenario, plan, described, (traffic, from, &name, start))?;
            let protocol = traffic.transport.protocol();
            let has_transfers = traffic.has_transfers();
            let to = traffic.receivers_in_words(from);
            let (from, start, until) = (from.clone(), spec.start, spec.until);
            flows.0.push(Flow { name, from, to, protocol, has_transfers, start, until });
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
    let receivers = traffic.receivers(from);
    let to = addresses(plan, traffic, &receivers)?;
    let start = Time::ZERO + start;
    let stream = Stream::new(scenario.seed, &traffic.stream(from));
    let drawn = Receivers::new(&stream, receivers.len());
    let arrivals = || -> Result<Box<dyn Arrivals>> {
        let source = traffic.model.source(&traffic.sizes, None, &stream);
        let source = source.with_context(|| format!("traffic `{}`", traffic.name))?;
        let headers = HEADERS[usize::from(to.iter().any(IpAddr::is_ipv6))];
        Ok(Box::new(Packets { source, headers, receivers: drawn.clone() }))
    };
    let (kind, dscp) = match &traffic.transport {
        Transport::Icmp => (FlowKind::Ping { arrivals: arrivals()? }, None),
        // `support` has refused these.
        Transport::Frames => bail!("traffic `{}` replays a capture", traffic.name),
        Transport::Fluid => bail!("traffic `{}` has no packets", traffic.name),
        Transport::Udp { port, dscp } => {
            (FlowKind::Udp { port: *port, arrivals: arrivals()? }, *dscp)
        }
        Transport::Tcp { port, dscp, congestion_control } => {
            let work = work(traffic, &stream, drawn)?;
            let over = (*port, congestion_control.as_deref());
            let tcp = connections((scenario, plan), traffic, (from, &receivers), over, work);
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
        until: until(scenario, start, traffic.time),
        background: traffic.background,
        traffic_class: dscp.unwrap_or(0) << 2,
    })
}

/// Returns the time from which a flow sends nothing more: after its own time, and after the run's.
/// What is due at the very end of the run is still sent.
pub fn until(scenario: &Scenario, start: Time, time: Option<Duration>) -> Option<Time> {
    let own = time.map(|time| start + time);
    let run = scenario.duration.map(|end| Time::ZERO + end + Duration::from_nanos(1));
    own.into_iter().chain(run).min()
}

/// Returns the receivers' addresses, all of one address family.
pub fn addresses(plan: &Plan, traffic: &Traffic, receivers: &[String]) -> Result<Vec<IpAddr>> {
    let family = plan.family(traffic);
    let all = family.and_then(|family| {
        receivers.iter().map(|node| plan.known_as(node, family)).collect::<Option<Vec<_>>>()
    });
    all.with_context(|| {
        let to = receivers.join(", ");
        format!("traffic `{}` leads to {to}: without such an address of one family", traffic.name)
    })
}

/// Returns the work of a flow over TCP.
fn work(traffic: &Traffic, stream: &Stream, receivers: Receivers) -> Result<TcpWork> {
    let context = || format!("traffic `{}`", traffic.name);
    Ok(match &traffic.model {
        Model::Bulk(bulk) => TcpWork::Bulk {
            bytes: bulk.bytes.map(|bytes| bytes.bytes()),
            // The index is that of a list of nodes, so it fits.
            to: (0..bulk.connections).map(|one| receivers.of(one.into()) as u32).collect(),
        },
        Model::Http(http) => TcpWork::Http {
            exchanges: http.exchanges(stream).with_context(context)?,
            persistent: http.persistent,
            receivers,
        },
        model => TcpWork::Transfers {
            transfers: model.transfers(stream).with_context(context)?,
            receivers,
        },
    })
}

/// Returns the connections of a flow over TCP.
fn connections(
    (scenario, plan): (&Scenario, &Plan),
    traffic: &Traffic,
    (from, receivers): (&str, &[String]),
    (port, congestion_control): (u16, Option<&str>),
    work: TcpWork,
) -> Result<TcpFlow> {
    // The congestion control applies to both ends. A receiver's decides how it echoes marks: DCTCP
    // needs it at both.
    let control = congestion_control.map(|name| {
        name.parse().with_context(|| {
            format!("traffic `{}` cannot have this congestion control", traffic.name)
        })
    });
    let control = control.transpose()?;
    let of = |node: &str| {
        let found = plan.node(node);
        tcp::config(scenario, found.with_context(|| format!("there is no node `{node}`"))?)
    };
    let mut sender = of(from)?;
    let mut receivers = receivers.iter().map(|to| of(to)).collect::<Result<Vec<_>>>()?;
    if let Some(control) = control {
        let ends = receivers.iter_mut().chain([&mut sender]);
        ends.for_each(|config| config.congestion_control = control);
    }
    Ok(TcpFlow { port, work, sender, receivers })
}

/// The frames of a model, as packets.
#[derive(Debug)]
struct Packets {
    source: FrameSource,
    /// Bytes of a frame that are not payload.
    headers: u32,
    receivers: Receivers,
}

impl Arrivals for Packets {
    fn next(&mut self) -> Option<Arrival> {
        let emission = self.source.next()?;
        let to = self.receivers.of_packet(self.source.last_burst());
        Some(Arrival {
            after: emission.at.since(Time::ZERO),
            payload: emission.bytes.saturating_sub(self.headers).max(LEAST_PAYLOAD),
            // The index is that of a list of nodes, so it fits.
            to: to as u32,
        })
    }
}
