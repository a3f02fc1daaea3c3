//! The whole network of a symbiotic run in virtual time, period after period. It is deterministic:
//! the scenario and the actions of real programs determine its reports.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::Arc;

use anyhow::Result;
use netloom_api::event::TimelineStatus;
use netloom_api::event::What;
use netloom_api::flow::FlowStatus;
use netloom_api::simulation::SimulationSummary;
use netloom_api::state::LinkStatus;
use netloom_plan::Plan;
use netloom_scenario::{CalibrationMethod, Scenario};
use netloom_sim::{FlowKind, FlowSpec, Sent, Simulation, SocketEvent, SocketTotals};
use netloom_symbiosis::Ghosts;
use netloom_tcp::Config;
use netloom_traffic::Emission;
use netloom_units::{Duration, Time};

use super::{Metadata, PrunedPipe, Reports, Shrunk, check_symbiosis};
use crate::configs::Configs;
use crate::describe::{Part, describe};
use crate::support::NEVER_MODELLED;
use crate::timeline::Timeline;
use crate::traffic::{self, Flow};
use crate::{statuses, tcp, threads};

/// Number of samples of the backlogs in a period.
const SAMPLES: u64 = 20;

/// The whole network, with twins of real hosts.
pub struct Large {
    scenario: Scenario,
    simulation: Simulation,
    /// The flows of the scenario. In the simulation, the flows of twins follow them, by host.
    flows: Vec<Flow>,
    timeline: Timeline,
    configs: Configs,
    pruned: Vec<PrunedPipe>,
    /// The real host of each address.
    hosts: HashMap<IpAddr, u32>,
    period: Duration,
    /// Number of the next period.
    number: u64,
    threads: usize,
    wants_others: bool,
    /// Time spent computing.
    busy: std::time::Duration,
}

impl Large {
    /// Returns the network of a scenario, and the part of it that real packets can meet. `plan` has
    /// all of the scenario's nodes.
    ///
    /// # Errors
    /// If a part of the scenario cannot be in a symbiotic run.
    pub fn new(scenario: &Scenario, plan: &Arc<Plan>) -> Result<(Self, Shrunk)> {
        check_symbiosis(scenario)?;
        let mut described = describe(scenario, plan, Part::All)?;
        let simulated = scenario.simulated_nodes();
        let sent_here = scenario.traffic.iter().filter(|one| simulated.contains(&*one.from[0]));
        let sent_here = Scenario { traffic: sent_here.cloned().collect(), ..scenario.clone() };
        let (flows, mut specs) = traffic::flows(&sent_here, plan, &described)?;
        let real = plan.nodes.iter().zip(0..).filter(|(node, _)| !simulated.contains(&*node.name));
        for (node, place) in real {
            specs.push(twins(&node.name, place, tcp::config(scenario, node)?));
        }
        let (timeline, _, changes) = Timeline::new(scenario, plan, &described)?;
        described.network.timeline = changes;
        for link in &mut described.network.links {
            // Captures are made at real hosts.
            link.taps = Default::default();
        }
        let threads = threads::number(scenario.simulation.threads);
        let cells = threads::cells(scenario.simulation.cells, threads);
        let configs = Configs::new(scenario, &described.network.timeline);
        let network = described.network.clone();
        let mut simulation = Simulation::new(described.network, specs, cells);
        let shrunk = Shrunk::new(scenario, plan, &network, &mut simulation)?;
        let method = scenario.symbiosis.map(|symbiosis| symbiosis.calibration);
        let wants_others = method == Some(CalibrationMethod::CrossTraffic);
        simulation.meter(shrunk.pruned.iter().map(|pipe| pipe.id), wants_others);
        let (pruned, period) = (shrunk.pruned.clone(), shrunk.period);
        let hosts = shrunk.addresses.clone();
        let (number, busy) = (0, std::time::Duration::ZERO);
        let scenario = scenario.clone();
        let large = Self {
            scenario,
            simulation,
            flows,
            timeline,
            configs,
            pruned,
            hosts,
            period,
            number,
            threads: threads as usize,
            wants_others,
            busy,
        };
        Ok((large, shrunk))
    }

    /// Returns the end of the next period.
    pub fn next_end(&self) -> Time {
        Time::ZERO + times(self.period, self.number + 1)
    }

    /// Runs the next period, with the actions of real programs in `metadata`. Returns `None` if
    /// `stop` returns `true` meanwhile; the network must not be used any more then.
    ///
    /// # Errors
    /// If frames go round in circles without time passing.
    pub fn period(
        &mut self,
        metadata: &Metadata,
        stop: &dyn Fn() -> bool,
    ) -> Result<Option<Reports>> {
        let begun = std::time::Instant::now();
        let first = self.flows.len() as u32;
        let mut packets: BTreeMap<u32, Vec<Sent>> = BTreeMap::new();
        metadata.sent.iter().for_each(|(host, one)| packets.entry(*host).or_default().push(*one));
        let mut sockets: BTreeMap<u32, Vec<SocketEvent>> = BTreeMap::new();
        for (host, one) in &metadata.sockets {
            sockets.entry(*host).or_default().push(*one);
        }
        for (host, sent) in packets {
            self.simulation.bring_twins(first + host, sent);
        }
        for (host, events) in sockets {
            self.simulation.bring_sockets(first + host, events);
        }
        let begin = times(self.period, self.number);
        for sample in 1..=SAMPLES {
            if stop() {
                return Ok(None);
            }
            let part = Duration::from_nanos(self.period.as_nanos() * sample / SAMPLES);
            threads::advance_alone(&mut self.simulation, Time::ZERO + begin + part, self.threads)?;
            self.simulation.sample_meters();
        }
        let place = |address: &IpAddr| self.hosts.get(address).copied();
        let mut reports = Reports::default();
        for ([from, to], received) in self.simulation.take_received_twins() {
            if let Some(ends) = place(&from).zip(place(&to)) {
                *reports.received.entry(ends.into()).or_default() += received;
            }
        }
        for pipe in &self.pruned {
            let metered = self.simulation.metered(pipe.id, pipe.full).unwrap_or_default();
            reports.pipes.push(metered.report);
            if self.wants_others {
                let since = |one: Emission| Emission { at: one.at - begin, ..one };
                let others: Vec<_> = metered.others.into_iter().map(since).collect();
                reports.others.push(Ghosts::new(&others, self.period));
            }
        }
        self.number += 1;
        self.busy += begun.elapsed();
        Ok(Some(reports))
    }

    /// Records what the timeline has done by now.
    pub fn record(&mut self, events: &mut dyn FnMut(Time, What)) {
        let routes = self.simulation.routes_changed().into_iter().collect();
        self.timeline.record((self.now(), routes), events);
    }

    /// Returns the current time in the network.
    pub fn now(&self) -> Time {
        self.simulation.now()
    }

    /// Returns the time at which all foreground traffic of simulated nodes has ended and the last
    /// change has happened. `None` while some of that traffic remains to be sent.
    pub fn done_at(&self) -> Option<Time> {
        self.simulation.done_at()
    }

    /// Returns its flows with their totals. The flows of twins are not among the scenario's flows.
    pub fn flows(&self) -> Vec<FlowStatus> {
        // There are fewer flows than `u32` can number.
        let sample = self.simulation.sample_flows(0..self.flows.len() as u32);
        statuses::flows(sample, &self.flows)
    }

    /// Returns the bytes that twins of connections have written and read, by their number and the
    /// index of the host.
    pub fn sockets(&self) -> BTreeMap<(u32, u32), SocketTotals> {
        let first = self.flows.len() as u32;
        let all = self.simulation.socket_totals();
        all.map(|((flow, connection), totals)| ((connection, flow - first), totals)).collect()
    }

    /// Returns all links with their totals.
    pub fn links(&mut self) -> Vec<LinkStatus> {
        self.configs.reach(self.now());
        let sample = self.simulation.sample_pipes();
        statuses::links(sample.statistics, &self.configs, &self.scenario)
    }

    /// Returns the outcomes of the timeline's events that are not commands.
    pub fn timeline(&self) -> Vec<TimelineStatus> {
        self.timeline.statuses()
    }

    /// Returns the summary of the simulation.
    pub fn summary(&self) -> SimulationSummary {
        let work = self.simulation.work();
        SimulationSummary {
            events: work.events,
            packet_hops: work.packet_hops,
            wall_seconds: self.busy.as_secs_f64(),
            busiest_second: None,
            highest_load: None,
            processes: 1,
            threads: self.threads,
            cells: self.simulation.cells.len(),
            not_modelled: NEVER_MODELLED.map(Into::into).to_vec(),
            not_forwarded: statuses::not_forwarded(self.simulation.node_counts()),
            same_for_all_seeds: false,
            symbiosis: None,
        }
    }
}

/// Returns the flow of twins of a host.
fn twins(name: &str, node: u32, tcp: Config) -> FlowSpec {
    FlowSpec {
        name: format!("twins of {name}"),
        from: node,
        to: Vec::new(),
        kind: FlowKind::Twins(Box::new(tcp)),
        start: Time::ZERO,
        until: None,
        background: true,
        traffic_class: 0,
    }
}

/// Returns the duration of `count` periods.
pub(super) fn times(period: Duration, count: u64) -> Duration {
    Duration::from_nanos(period.as_nanos() * count)
}
