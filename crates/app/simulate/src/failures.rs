//! Loads of links while each link, or each router, is down: demands as rates along the shortest
//! paths of what is left. Not here: runs in time (`run`), and what lines carry of rates
//! ([`netloom_traffic::share`]).

use std::cmp::Reverse;
use std::collections::BTreeSet;
use std::sync::Arc;

use anyhow::{Result, anyhow, bail};
use netloom_link::{Direction, LinkState};
use netloom_plan::Plan;
use netloom_scenario::{Link, NodeKind, Scenario, Traffic};
use netloom_traffic::{PathDemand, share};
use netloom_units::Time;
use serde::Serialize;

use crate::describe::{Part, describe};
use crate::fluid::{Demand, Paths, capacity, constant, demands};
use crate::{fluid, ideal};

/// What fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    /// A link, in both directions.
    Link,
    /// A router, with all its links.
    Node,
}

/// The network while something is down. Rates are in bit/s.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Outcome {
    /// The pipe with the highest load. Absent if no link that is up has a rate.
    pub busiest: Option<Busiest>,
    /// Number of demands that no route leads to their receivers, or whose ends are down.
    pub cut_off: usize,
    /// Their rates together.
    pub cut_off_rate: u64,
    /// Rate that links with too little capacity lose of all other demands.
    pub lost_rate: u64,
}

/// A pipe and its load.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Busiest {
    /// Name of the link.
    pub link: String,
    /// Direction of the pipe.
    pub direction: &'static str,
    /// Rate that arrives at the pipe.
    pub rate: u64,
    /// That rate as a share of the pipe's own; above 1 it loses the rest.
    pub load: f64,
}

/// One failure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Failure {
    /// What fails.
    pub kind: Kind,
    /// Its name.
    pub name: String,
    /// The network then.
    #[serde(flatten)]
    pub outcome: Outcome,
}

/// All failures of a network.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Failures {
    /// Number of demands.
    pub demands: usize,
    /// Their rates together, in bit/s.
    pub rate: u64,
    /// The network without failures.
    pub intact: Outcome,
    /// Each failure, the worst first: by what is cut off and lost together, then by the highest
    /// load, then in the order of the file.
    pub failures: Vec<Failure>,
    /// Traffic that is no constant rate from one node to another, which is left out.
    pub left_out: Vec<String>,
}

/// Computes what links carry while each link or router of a scenario is down, or those of `only`
/// one kind. Demands are the scenario's fluid traffic and constant rates over UDP, all at once,
/// whenever they are sent. Routes are the shortest paths without what is down.
///
/// # Errors
/// If the scenario has no such traffic, or its network cannot be simulated.
pub fn plan(scenario: &Scenario, only: Option<Kind>) -> Result<Failures> {
    let obstacles = ideal::Services::of(scenario).errors;
    if !obstacles.is_empty() {
        bail!("{}", obstacles.join("\n"));
    }
    let scenario = &ideal::routed(scenario);
    let (entries, others): (Vec<&Traffic>, Vec<_>) =
        scenario.traffic.iter().partition(|traffic| constant(traffic));
    if entries.is_empty() {
        bail!(
            "`{}` has no demands: add traffic with a `matrix`, or with `cbr` over `udp` from one \
             node to another",
            scenario.name
        );
    }
    let network = Intact::new(scenario, &entries)?;
    let mut failures = Vec::new();
    let links = (0..).zip(&scenario.links).filter(|_| only != Some(Kind::Node));
    for (number, link) in links {
        failures.push((Kind::Link, link.name.clone(), BTreeSet::from([number])));
    }
    let is_router = |node: &&netloom_scenario::Node| node.kind == NodeKind::Router;
    let routers = scenario.nodes.iter().filter(is_router).filter(|_| only != Some(Kind::Link));
    for node in routers {
        let ends_there = |link: &Link| link.endpoints.iter().any(|end| end.node == node.name);
        let links = (0..).zip(&scenario.links).filter(|(_, link)| ends_there(link));
        failures.push((Kind::Node, node.name.clone(), links.map(|(number, _)| number).collect()));
    }
    let failures = failures.into_iter().map(|(kind, name, down)| {
        let ended = if kind == Kind::Node { Some(name.as_str()) } else { None };
        let outcome = network.without(&down, ended)?;
        Ok(Failure { kind, name, outcome })
    });
    let mut failures = failures.collect::<Result<Vec<_>>>()?;
    failures.sort_by(|a, b| {
        let missing = |of: &Failure| Reverse(of.outcome.cut_off_rate + of.outcome.lost_rate);
        let load = |of: &Failure| of.outcome.busiest.as_ref().map_or(0.0, |busiest| busiest.load);
        missing(a).cmp(&missing(b)).then(load(b).total_cmp(&load(a)))
    });
    Ok(Failures {
        demands: network.demands.len(),
        rate: whole(network.demands.iter().map(|demand| demand.rate).sum()),
        intact: network.without(&BTreeSet::new(), None)?,
        failures,
        left_out: others.into_iter().map(|traffic| traffic.name.clone()).collect(),
    })
}

/// The network without failures.
struct Intact<'s> {
    scenario: &'s Scenario,
    /// The scenario without what has no effect on paths.
    bare: Scenario,
    plan: Arc<Plan>,
    demands: Vec<Demand>,
    /// Rates of all pipes in bit/s.
    capacities: Vec<f64>,
}

impl<'s> Intact<'s> {
    fn new(scenario: &'s Scenario, entries: &[&Traffic]) -> Result<Self> {
        let pipes = scenario.links.iter().flat_map(|link| {
            [&link.forward, &link.reverse].map(|pipe| (&link.name, capacity(pipe)))
        });
        let capacities = pipes.map(|(link, capacity)| {
            capacity.map_err(|what| {
                anyhow!("link `{link}` has {what} as its rate: write a constant rate")
            })
        });
        let capacities = capacities.collect::<Result<Vec<_>>>()?;
        let mut bare = scenario.clone();
        for pipe in bare.links.iter_mut().flat_map(|link| [&mut link.forward, &mut link.reverse]) {
            *pipe = fluid::bare(pipe);
        }
        let plan = Arc::new(netloom_plan::plan(&bare)?);
        let described = describe(&bare, &plan, Part::All)?;
        let demands = demands(&bare, &plan, &described, entries.iter().copied())?;
        Ok(Self { scenario, bare, plan, demands, capacities })
    }

    /// Returns what the network carries without the links in `down`, and without the node that has
    /// `ended`.
    fn without(&self, down: &BTreeSet<usize>, ended: Option<&str>) -> Result<Outcome> {
        let is_down = |link: usize| {
            let Link { forward, reverse, .. } = &self.scenario.links[link];
            let states = [forward.state, reverse.state];
            down.contains(&link) || states.contains(&LinkState::Down)
        };
        let plan = netloom_plan::rerouted(&self.bare, &self.plan, is_down, Time::ZERO)?;
        let mut paths = Paths::of(describe(&self.bare, &Arc::new(plan), Part::All)?.network);
        let mut capacities = self.capacities.clone();
        for pipe in (0..capacities.len()).filter(|pipe| is_down(pipe / 2)) {
            capacities[pipe] = 0.0;
        }
        let (mut carried, mut cut_off) = (Vec::new(), Vec::new());
        for demand in &self.demands {
            let is_over = demand.ends.iter().any(|end| Some(end.as_str()) == ended);
            let path = if is_over { None } else { paths.path(demand)? };
            match path.filter(|path| path.iter().all(|pipe| !is_down(pipe / 2))) {
                Some(path) => carried.push(PathDemand { rate: demand.rate, path }),
                None => cut_off.push(demand.rate),
            }
        }
        let shares = share(&capacities, &carried);
        let sent: f64 = carried.iter().map(|demand| demand.rate).sum();
        let lost: f64 = sent - shares.goodput.iter().sum::<f64>();
        Ok(Outcome {
            busiest: self.busiest(&capacities, &shares.arriving),
            cut_off: cut_off.len(),
            cut_off_rate: whole(cut_off.iter().sum()),
            lost_rate: whole(lost),
        })
    }

    /// Returns the first of the pipes with the highest load.
    fn busiest(&self, capacities: &[f64], arriving: &[f64]) -> Option<Busiest> {
        let loads = capacities.iter().zip(arriving).enumerate();
        let limited = loads.filter(|(_, (capacity, _))| **capacity > 0.0 && capacity.is_finite());
        let loads = limited.map(|(pipe, (capacity, arriving))| (pipe, arriving / capacity));
        let first = loads.reduce(|best, next| if next.1 > best.1 { next } else { best });
        first.map(|(pipe, load)| Busiest {
            link: self.scenario.links[pipe / 2].name.clone(),
            direction: Direction::BOTH[pipe % 2].name(),
            rate: whole(arriving[pipe]),
            load,
        })
    }
}

/// Returns a rate to the nearest bit/s.
fn whole(rate: f64) -> u64 {
    rate.round() as u64
}
