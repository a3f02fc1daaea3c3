//! The simulated part of a network to which real nodes are joined. Not here: the clock, and the
//! devices of real nodes (`netloom-engine`).

use std::collections::HashMap;
use std::sync::Arc;

use anyhow::{Context, Result};
use netloom_api::flow::FlowStatus;
use netloom_api::simulation::SimulationSummary;
use netloom_course::check_backgrounds;
use netloom_fabric::{LinkId, PipeId};
use netloom_link::{
    Direction, LinkState, PipeChange, PipeConfig, PipeStatistics, Window, least_propagation,
};
use netloom_plan::{InterfacePlan, Plan};
use netloom_scenario::{Endpoint, Link, Scenario};
use netloom_sim::{Cell, EndlessLoop, InterfaceId, Neighbour, Network, Simulation};
use netloom_units::{Duration, Time};

use crate::describe::{Part, addresses, describe};
use crate::support::NEVER_MODELLED;
use crate::traffic::{self, Flow};
use crate::{check_hybrid, statuses};

/// A simulation with real nodes at its border, in one cell.
pub struct Joined {
    simulation: Simulation,
    flows: Vec<Flow>,
    /// Names of its links, in order.
    pub links: Vec<String>,
    /// The interfaces of the real nodes that are joined to it.
    pub borders: Vec<Border>,
}

/// An interface of a real node at a link of the simulation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Border {
    /// The interface.
    pub end: Endpoint,
    /// Identity of the interface in the simulation.
    pub at: InterfaceId,
    /// Ethernet address of the interface.
    pub mac: [u8; 6],
    /// The interface at the other end.
    pub peer: Neighbour,
    /// The pipe that leads from it.
    pub outgoing: PipeId,
    /// The pipe that leads to it.
    pub incoming: PipeId,
}

impl Joined {
    /// Returns the simulated part of a scenario. `plan` has all of the scenario's nodes.
    ///
    /// # Errors
    /// If a part of the scenario cannot be in a hybrid run, or parts contradict each other.
    pub fn new(scenario: &Scenario, plan: &Arc<Plan>) -> Result<Self> {
        check_hybrid(scenario)?;
        let described = describe(scenario, plan, Part::Simulated)?;
        let simulated = scenario.simulated_nodes();
        let sent_here = Scenario {
            traffic: scenario
                .traffic
                .iter()
                .filter(|traffic| traffic.from.iter().any(|node| simulated.contains(&**node)))
                .cloned()
                .collect(),
            ..scenario.clone()
        };
        let (flows, specs) = traffic::flows(&sent_here, plan, &described)?;
        let links: Vec<&Link> = scenario.simulated_links().collect();
        let is_real = |node: &str| !simulated.contains(node);
        let borders = borders(plan, &links, &described.nodes, &is_real)?;
        let links = links.iter().map(|link| link.name.clone()).collect();
        let simulation = Simulation::waiting(described.network, specs);
        Ok(Self { simulation, flows, links, borders })
    }

    /// Returns a network without traffic, whose real nodes are at these `borders`.
    pub(crate) fn around(network: Network, borders: Vec<Border>) -> Self {
        let links = network.links.iter().map(|link| link.name.clone()).collect();
        let simulation = Simulation::waiting(network, Vec::new());
        Self { simulation, flows: Vec::new(), links, borders }
    }

    /// Returns the only cell of the simulation.
    pub fn cell(&mut self) -> &mut Cell {
        &mut self.simulation.cells[0]
    }

    /// Processes all events up to and including `until`.
    ///
    /// # Errors
    /// If frames go round in circles without time passing.
    pub fn advance(&mut self, until: Time) -> Result<(), EndlessLoop> {
        self.cell().advance(until)
    }

    /// Returns the configuration of a pipe, and what it has counted up to now, since it began or in
    /// `window`.
    pub fn statistics(
        &mut self,
        pipe: PipeId,
        window: Option<Window>,
    ) -> (PipeConfig, PipeStatistics) {
        let statistics = self.cell().statistics(pipe, window);
        let statistics = statistics.expect("the only cell has all pipes");
        (self.config(pipe).clone(), statistics)
    }

    fn config(&mut self, pipe: PipeId) -> &PipeConfig {
        self.cell().config(pipe).expect("the only cell has all pipes")
    }

    /// Changes pipes, all at once.
    ///
    /// # Errors
    /// If the changes would make the background of a pipe impossible. Nothing is changed then.
    pub fn change(&mut self, changes: &[(PipeId, PipeChange)]) -> Result<()> {
        self.check(changes)?;
        self.cell().change(changes);
        Ok(())
    }

    /// Checks changes without making them.
    ///
    /// # Errors
    /// If they would make the background of a pipe impossible.
    pub fn check(&mut self, changes: &[(PipeId, PipeChange)]) -> Result<()> {
        check_backgrounds(changes, |pipe| Ok(self.config(pipe).clone()))
    }

    /// Whether both directions of a link are down.
    pub fn is_cut(&mut self, link: LinkId) -> bool {
        Direction::BOTH
            .into_iter()
            .all(|direction| self.config(PipeId { link, direction }).state == LinkState::Down)
    }

    /// Returns the shortest time that frames take over a pipe.
    pub fn least_delay(&mut self, pipe: PipeId) -> Duration {
        least_propagation(self.config(pipe))
    }

    /// Returns at most `most` of its flows, from number `first` on, with their totals.
    pub fn flows(&self, first: u32, most: usize) -> Vec<FlowStatus> {
        let flows = self.flows.get(first as usize..).unwrap_or_default();
        let flows = &flows[..most.min(flows.len())];
        // There are fewer flows than `u32` can number.
        let sample = self.simulation.sample_flows(first..first + flows.len() as u32);
        statuses::flows_from(sample, flows, first)
    }

    /// Returns the summary of the simulation, without the time that it took.
    pub fn summary(&self) -> SimulationSummary {
        let work = self.simulation.work();
        SimulationSummary {
            events: work.events,
            packet_hops: work.packet_hops,
            wall_seconds: 0.0,
            busiest_second: None,
            highest_load: None,
            processes: 1,
            threads: 1,
            cells: 1,
            not_modelled: NEVER_MODELLED.map(Into::into).to_vec(),
            not_forwarded: statuses::not_forwarded(self.simulation.node_counts()),
            same_for_all_seeds: false,
            symbiosis: None,
        }
    }
}

/// Returns the interfaces of real nodes at `links`. The index of a link there is its number.
pub(crate) fn borders(
    plan: &Plan,
    links: &[&Link],
    nodes: &HashMap<String, u32>,
    is_real: &dyn Fn(&str) -> bool,
) -> Result<Vec<Border>> {
    let mut borders = Vec::new();
    for (number, link) in (0..).zip(links) {
        let directions = [0, 1].map(Direction::from_end);
        for end in [0, 1] {
            let (here, there) = (&link.endpoints[end], &link.endpoints[1 - end]);
            if !is_real(&here.node) {
                continue;
            }
            let pipe = |direction| PipeId { link: LinkId(number), direction };
            let (place, own) = interface(plan, here)?;
            let (_, peer) = interface(plan, there)?;
            let forwards = plan.node(&there.node).is_some_and(|node| node.forwarding);
            borders.push(Border {
                end: here.clone(),
                at: InterfaceId { node: nodes[&here.node], interface: place },
                mac: own.mac.0,
                peer: Neighbour { mac: peer.mac.0, addresses: addresses(peer).collect(), forwards },
                outgoing: pipe(directions[end]),
                incoming: pipe(directions[1 - end]),
            });
        }
    }
    Ok(borders)
}

/// Returns an interface and its number in its node.
fn interface<'p>(plan: &'p Plan, end: &Endpoint) -> Result<(u32, &'p InterfacePlan)> {
    let node = plan.node(&end.node);
    let mut interfaces = (0..).zip(node.iter().flat_map(|node| &node.interfaces));
    let found = interfaces.find(|(_, interface)| interface.name == end.interface);
    found.with_context(|| format!("the plan has no interface {end}"))
}
