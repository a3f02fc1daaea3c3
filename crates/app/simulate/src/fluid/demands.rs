//! Demands, and the paths that packets of theirs would take.

use std::net::IpAddr;

use anyhow::{Result, bail};
use netloom_link::{LinkState, PipeConfig, RateLimit};
use netloom_plan::Plan;
use netloom_scenario::{Scenario, Start, Traffic, Transport};
use netloom_sim::{Network, NoPath, Simulation};
use netloom_traffic::Model;
use netloom_units::Time;

use crate::describe::Described;
use crate::traffic::{addresses, until};

/// A rate from one node to another.
#[derive(Debug, Clone)]
pub struct Demand {
    /// Name of the flow.
    pub name: String,
    /// Node that sends, and node that receives.
    pub ends: [String; 2],
    /// Number of the node that sends.
    from: u32,
    /// Address that it sends to.
    to: IpAddr,
    /// Rate in bit/s.
    pub rate: f64,
    /// When it begins.
    pub begins: Time,
    /// When it ends, if it does within the run.
    pub ends_at: Option<Time>,
}

/// Returns the fluid traffic of a scenario.
pub fn fluid(scenario: &Scenario, plan: &Plan, described: &Described) -> Result<Vec<Demand>> {
    let is_fluid = |traffic: &&Traffic| traffic.transport == Transport::Fluid;
    demands(scenario, plan, described, scenario.traffic.iter().filter(is_fluid))
}

/// Whether an entry is a constant rate between two nodes: fluid, or `cbr` over UDP.
pub fn constant(traffic: &Traffic) -> bool {
    let is_one = traffic.from.len() == 1 && traffic.to.len() == 1;
    let is_open = matches!(traffic.transport, Transport::Fluid | Transport::Udp { .. });
    is_one && is_open && rate(traffic).is_some()
}

fn rate(traffic: &Traffic) -> Option<f64> {
    let Model::Cbr(cbr) = &traffic.model else { return None };
    Some(cbr.rate?.bits_per_second() as f64)
}

impl Demand {
    /// Whether it is sent at this time.
    pub fn is_sent(&self, at: Time) -> bool {
        self.begins <= at && self.ends_at.is_none_or(|end| at < end)
    }
}

/// Returns the demands of entries that are constant rates.
///
/// # Errors
/// If a receiver has no address of the family of its entry.
pub fn demands<'t>(
    scenario: &Scenario,
    plan: &Plan,
    described: &Described,
    entries: impl Iterator<Item = &'t Traffic>,
) -> Result<Vec<Demand>> {
    let mut all = Vec::new();
    for traffic in entries {
        // Traffic that waits for a process has been reported as left out.
        let (Start::At(start), Some(rate)) = (&traffic.start, rate(traffic)) else { continue };
        let (Some(from), Some(to)) = (traffic.from.first(), traffic.to.first()) else { continue };
        let begins = Time::ZERO + *start;
        let Some(number) = described.nodes.get(from) else {
            bail!("traffic `{}` comes from no node `{from}`", traffic.name)
        };
        all.push(Demand {
            name: traffic.name.clone(),
            ends: [from.clone(), to.clone()],
            from: *number,
            to: addresses(plan, traffic, &traffic.to)?[0],
            rate,
            begins,
            ends_at: until(scenario, begins, traffic.time),
        });
    }
    Ok(all)
}

/// A network without traffic, which knows the paths of packets.
pub struct Paths {
    simulation: Simulation,
    /// Names of its nodes.
    names: Vec<String>,
}

impl Paths {
    /// The paths in this network, whose routes and links change by its timeline.
    pub fn of(network: Network) -> Self {
        let names = network.nodes.iter().map(|node| node.name.clone()).collect();
        Self { simulation: Simulation::waiting(network, Vec::new()), names }
    }

    /// Makes all changes up to and including `until`.
    ///
    /// # Errors
    /// If frames go round in circles without time passing.
    pub fn advance(&mut self, until: Time) -> Result<()> {
        Ok(self.simulation.advance(until)?)
    }

    /// Returns the numbers of the pipes on the path of a demand; `None` if no route leads to its
    /// receiver.
    ///
    /// # Errors
    /// If a link on the path does not lead from node to node.
    pub fn path(&mut self, demand: &Demand) -> Result<Option<Vec<usize>>> {
        match self.simulation.path(demand.from, demand.to) {
            Ok(hops) => Ok(Some(hops.iter().map(|hop| hop.pipe.index()).collect())),
            Err(NoPath::NoRoute(_) | NoPath::NotForwarding(_) | NoPath::Loop(_)) => Ok(None),
            Err(NoPath::Fabric(at)) => bail!(
                "traffic `{}` leaves `{}` by a link that ends at a switch or a medium, or whose \
                 queue looks at headers, along which there are no rates: join routers by links of \
                 their own with `fifo` queues, or send it as packets",
                demand.name,
                self.names.get(at.node as usize).map_or("", |name| name)
            ),
        }
    }
}

/// Returns the configuration of a pipe without what has no effect on paths.
pub fn bare(config: &PipeConfig) -> PipeConfig {
    let (delay, state) = (config.delay.clone(), config.state);
    PipeConfig { delay, state, ..PipeConfig::default() }
}

/// Returns the rate of a pipe in bit/s: 0 if it is down, infinity if it has no limit.
///
/// # Errors
/// A description of its rate if that is not constant.
pub fn capacity(config: &PipeConfig) -> Result<f64, &'static str> {
    match (&config.state, &config.rate) {
        (LinkState::Down, _) => Ok(0.0),
        (_, RateLimit::Unlimited) => Ok(f64::INFINITY),
        (_, RateLimit::Limited(rate)) => Ok(rate.bits_per_second() as f64),
        (_, RateLimit::Trace(_)) => Err("a trace"),
        (_, RateLimit::Schedule(_)) => Err("a schedule"),
    }
}
