//! Rates over time: as background of pipes, where packets meet them, and as flows of results.

use anyhow::{Context, Result, bail};
use netloom_api::flow::FlowStatus;
use netloom_fabric::{LinkId, PipeId};
use netloom_link::{
    Background, BackgroundFlow, Count, Direction, PipeChange, PipeConfig, Representation,
};
use netloom_plan::Plan;
use netloom_scenario::{Scenario, TimelineAction, Transport};
use netloom_sim::Change;
use netloom_traffic::{CbrConfig, Model, PathDemand, Sizes, share};
use netloom_units::{Rate, Time};

use super::{Demand, Paths, bare, capacity, fluid};
use crate::configs::Configs;
use crate::describe::Described;

/// Bytes of a frame of fluid traffic, for counts of frames.
const FRAME: u64 = 1514;

/// The rates of all fluid traffic over time.
#[derive(Debug, Default)]
pub struct Course {
    demands: Vec<Demand>,
    /// Rates from each time on, until the next.
    steps: Vec<Step>,
}

/// Rates of each demand in bit/s.
#[derive(Debug)]
struct Step {
    at: Time,
    sent: Vec<f64>,
    received: Vec<f64>,
}

impl Course {
    /// Computes the rates in a network whose links and routes change by `changes`, in order of
    /// time. Returns the changes of pipes' backgrounds to add to these.
    ///
    /// # Errors
    /// If fluid traffic comes to a link that cannot carry it.
    pub fn new(
        scenario: &Scenario,
        plan: &Plan,
        described: &Described,
        changes: Vec<Change>,
    ) -> Result<(Self, Vec<Change>)> {
        let demands = fluid(scenario, plan, described)?;
        if demands.is_empty() {
            return Ok(Default::default());
        }
        let times = times(scenario, &demands, &changes);
        let mut configs = Configs::new(scenario, &changes);
        let mut network = netloom_sim::Network { timeline: changes, ..described.network.clone() };
        for pipe in network.links.iter_mut().flat_map(|link| &mut link.pipes) {
            *pipe = bare(pipe);
        }
        let mut paths = Paths::of(network);
        let pipes = scenario.links.len() * 2;
        let mut carried: Vec<Option<Rate>> = vec![None; pipes];
        let (mut steps, mut backgrounds) = (Vec::new(), Vec::new());
        for at in times {
            paths.advance(at)?;
            configs.reach(at);
            let mut ways = Vec::new();
            for demand in &demands {
                let is_sent = demand.is_sent(at);
                let way = if is_sent { paths.path(demand)? } else { None };
                let rate = if is_sent { demand.rate } else { 0.0 };
                ways.push((rate, way));
            }
            let lines = (0..pipes).map(|pipe| line(scenario, &configs, pipe, &ways));
            let lines = lines.collect::<Result<Vec<f64>>>()?;
            let (step, arriving) = step(at, &lines, ways);
            steps.push(step);
            let mut changes = Vec::new();
            for (pipe, arriving) in arriving.into_iter().enumerate() {
                let config = configs.of(id(pipe));
                let rate = on_pipe(scenario, pipe, config, arriving)?;
                if rate != carried[pipe] {
                    carried[pipe] = rate;
                    changes.push((id(pipe), background(scenario, pipe, config, rate)?));
                }
            }
            let (media, route, node, routes) = (Vec::new(), None, None, None);
            // Also without changes: a run goes on until its last change.
            backgrounds.push(Change { at, changes, media, route, node, routes });
        }
        Ok((Self { demands, steps }, backgrounds))
    }

    /// Returns all flows with what they have sent and received by `now`.
    pub fn flows(&self, now: Time) -> Vec<FlowStatus> {
        let mut totals = vec![[0.0; 2]; self.demands.len()];
        let ends = self.steps.iter().skip(1).map(|step| step.at).chain([now]);
        for (step, end) in self.steps.iter().zip(ends).take_while(|(step, _)| step.at < now) {
            let seconds = end.min(now).since(step.at).as_secs_f64();
            let rates = step.sent.iter().zip(&step.received);
            for ([sent, received], rates) in totals.iter_mut().zip(rates) {
                *sent += rates.0 * seconds / 8.0;
                *received += rates.1 * seconds / 8.0;
            }
        }
        let status = |(demand, [sent, received]): (&Demand, [f64; 2])| FlowStatus {
            name: demand.name.clone(),
            from: demand.ends[0].clone(),
            to: demand.ends[1].clone(),
            protocol: Transport::Fluid.protocol().into(),
            sent: count(sent),
            received: count(received),
            began: Some(demand.begins),
            over: demand.ends_at,
            ..FlowStatus::default()
        };
        self.demands.iter().zip(totals).map(status).collect()
    }
}

/// Returns a number of bytes as full frames, both rounded down to whole ones.
fn count(bytes: f64) -> Count {
    // Sums of products are not exact: without the margin, 1,000 bytes could count as 999.
    let bytes = (bytes + 1e-3).floor() as u64;
    Count { frames: bytes / FRAME, bytes }
}

/// Returns the times at which rates may change.
fn times(scenario: &Scenario, demands: &[Demand], changes: &[Change]) -> Vec<Time> {
    let of_demands = demands.iter().flat_map(|one| [Some(one.begins), one.ends_at]).flatten();
    let mut times: Vec<Time> = of_demands.chain(changes.iter().map(|one| one.at)).collect();
    times.sort_unstable();
    times.dedup();
    let end = scenario.duration.map(|end| Time::ZERO + end);
    times.retain(|at| end.is_none_or(|end| *at <= end));
    times
}

/// Returns the rates of all demands on their ways over `lines`, and what arrives at each line.
fn step(at: Time, lines: &[f64], ways: Vec<(f64, Option<Vec<usize>>)>) -> (Step, Vec<f64>) {
    let is_cut_off: Vec<bool> = ways.iter().map(|(_, way)| way.is_none()).collect();
    let sent: Vec<f64> = ways.iter().map(|(rate, _)| *rate).collect();
    let demand =
        |(rate, way): (f64, Option<Vec<usize>>)| PathDemand { rate, path: way.unwrap_or_default() };
    let demands: Vec<PathDemand> = ways.into_iter().map(demand).collect();
    let shares = share(lines, &demands);
    let received = shares.goodput.into_iter().zip(is_cut_off);
    let received = received.map(|(rate, cut_off)| if cut_off { 0.0 } else { rate }).collect();
    (Step { at, sent, received }, shares.arriving)
}

/// Returns the capacity of a pipe, which counts if a way crosses it.
fn line(
    scenario: &Scenario,
    configs: &Configs,
    pipe: usize,
    ways: &[(f64, Option<Vec<usize>>)],
) -> Result<f64> {
    let capacity = capacity(configs.of(id(pipe)));
    let is_used = || ways.iter().flat_map(|(_, way)| way).any(|way| way.contains(&pipe));
    match capacity {
        Ok(capacity) => Ok(capacity),
        Err(_) if !is_used() => Ok(f64::INFINITY),
        Err(what) => bail!(
            "link `{}` has {what} as its rate, and fluid traffic comes to it: write a constant \
             rate, or send the traffic as packets",
            name(scenario, pipe)
        ),
    }
}

/// Returns the rate of frames' bytes that make up what arrives at a pipe, framing included. `None`
/// if nothing comes, or the pipe has no rate that it could take up.
fn on_pipe(
    scenario: &Scenario,
    pipe: usize,
    config: &PipeConfig,
    arriving: f64,
) -> Result<Option<Rate>> {
    let has_rate = config.rate.nominal().is_some();
    let law = Sizes::default().law()?;
    let bits = (arriving * law.mean() / law.mean_on_line(config.framing)).round() as u64;
    if bits == 0 || !has_rate {
        return Ok(None);
    }
    let rate = Rate::from_bits_per_second(bits);
    let too_much = || {
        let name = name(scenario, pipe);
        format!("{bits}bit/s of fluid traffic come to link `{name}`, and 10Tbit/s are the most")
    };
    rate.with_context(too_much).map(Some)
}

/// Returns the change of a pipe to a background of this rate.
fn background(
    scenario: &Scenario,
    pipe: usize,
    config: &PipeConfig,
    rate: Option<Rate>,
) -> Result<PipeChange> {
    let flow = |rate| BackgroundFlow {
        model: Model::Cbr(CbrConfig { rate: Some(rate), load: None }),
        sizes: Sizes::default(),
        flows: 1,
        dscp: 0,
        ecn: false,
        representation: Representation::Fluid,
    };
    let background = Background::new(rate.map(flow).into_iter().collect());
    let background = background.map_err(anyhow::Error::msg)?;
    background
        .check(config)
        .with_context(|| format!("link `{}` cannot carry fluid traffic", name(scenario, pipe)))?;
    Ok(PipeChange { background: Some(background), ..PipeChange::default() })
}

/// Returns why fluid traffic cannot be beside the backgrounds of a scenario's links, if it cannot.
pub fn clash(scenario: &Scenario) -> Option<String> {
    let is_fluid = scenario.traffic.iter().find(|one| one.transport == Transport::Fluid)?;
    let has = |config: &PipeConfig| !config.background.is_none();
    let first = scenario.links.iter().find(|link| has(&link.forward) || has(&link.reverse));
    let later = scenario.timeline.iter().find_map(|event| match &event.action {
        TimelineAction::SetLink { link, change, .. } => {
            change.background.as_ref().filter(|one| !one.is_none()).map(|_| link)
        }
        _ => None,
    });
    let link = first.map(|link| &link.name).or(later)?;
    Some(format!(
        "traffic `{}` is fluid, which is a background of links, and link `{link}` has another \
         `background`: leave that out, or send it as an entry of `traffic`",
        is_fluid.name
    ))
}

fn name(scenario: &Scenario, pipe: usize) -> &str {
    scenario.links.get(pipe / 2).map_or("", |link| &link.name)
}

/// Returns the pipe of this number.
fn id(pipe: usize) -> PipeId {
    let direction = Direction::BOTH[pipe % 2];
    // There are fewer links than `u32` can number.
    PipeId { link: LinkId((pipe / 2) as u32), direction }
}
