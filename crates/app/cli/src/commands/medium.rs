//! `netloom medium`: a shared medium by itself, in virtual time, with saturated senders or with
//! packets at random times.

use std::collections::BTreeMap;

use anyhow::{Context, Result, anyhow};
use netloom_medium::arm::{Flow, Load, Trial};
use netloom_medium::{Medium as Model, Receiver, StationConfig, StationId};
use netloom_plan::{medium_setup, station_config};
use netloom_scenario::{Node, NodeKind, Scenario};
use netloom_traffic::{Model as Traffic, Sizes};
use netloom_units::{Duration, Stream, Time};
use serde_json::json;

use crate::args::{Format, Medium};
use crate::table::table;
use crate::{exit, find};
use netloom_sweep::Interval;

/// Bytes of an Ethernet header.
const HEADER: u32 = 14;

/// Time for which a chain fills before received packets are counted.
const FILLING: Duration = Duration::from_secs(2);

/// Tries a medium, and shows the throughput.
pub fn medium(args: &Medium) -> Result<i32> {
    let scenario = find::scenario(&args.scenario)?.scenario;
    let cell = Cell::of(&scenario, args)?;
    let counts = match args.stations[..] {
        [] if args.chain => vec![cell.members.len()],
        [] => vec![cell.flows.len()],
        _ => args.stations.clone(),
    };
    let is_no_chain = |count: &&usize| **count < 2 || **count > cell.members.len();
    if let Some(wrong) = counts.iter().find(is_no_chain).filter(|_| args.chain) {
        return Err(exit::usage(format!(
            "{wrong} stations are no chain: it has two at least, and `{}` has {} members",
            args.medium,
            cell.members.len()
        )));
    }
    let is_wrong = |count: &&usize| **count == 0 || **count > cell.flows.len();
    if let Some(wrong) = counts.iter().find(is_wrong).filter(|_| !args.chain) {
        return Err(exit::usage(format!(
            "{wrong} of the senders cannot send: the scenario's `traffic` has {} on `{}`",
            cell.flows.len(),
            args.medium
        )));
    }
    let rows = counts.iter().map(|count| {
        let trials = (0..args.seeds).map(|number| cell.try_out(*count, number, args));
        Ok((*count, Row::of(&trials.collect::<Result<Vec<_>>>()?)))
    });
    let rows = rows.collect::<Result<Vec<(usize, Row)>>>()?;
    match args.format {
        Format::Json => println!("{}", serde_json::to_string_pretty(&as_json(&rows))?),
        Format::Table => println!("{}", as_table(&rows)),
    }
    Ok(exit::SUCCESS)
}

/// A medium with its members, and the pairs of sender and receiver.
struct Cell<'s> {
    scenario: &'s Scenario,
    medium: &'s Node,
    /// In the order of the medium.
    members: Vec<Member<'s>>,
    flows: Vec<(StationId, StationId)>,
}

/// A station that is tried.
struct Member<'s> {
    id: StationId,
    node: &'s Node,
    config: StationConfig,
}

/// The result of a trial.
struct MediumTrial {
    bits_per_second: f64,
    /// Number of attempts, and of failed ones.
    attempts: u64,
    failed: u64,
    dropped: u64,
    /// The smallest and the largest share of a sender in all that was sent.
    shares: (f64, f64),
}

impl<'s> Cell<'s> {
    fn of(scenario: &'s Scenario, args: &Medium) -> Result<Self> {
        let name = &args.medium;
        let media = || scenario.nodes.iter().filter(|node| node.kind == NodeKind::Medium);
        let medium = media().find(|node| node.name == *name).ok_or_else(|| {
            let known: Vec<_> = media().map(|node| format!("`{}`", node.name)).collect();
            exit::usage(match known.is_empty() {
                true => format!("there is no medium `{name}`, and no other"),
                false => format!("there is no medium `{name}`; there are {}", known.join(", ")),
            })
        })?;
        let numbered: BTreeMap<&str, (u32, &Node)> =
            (0..).zip(&scenario.nodes).map(|(at, node)| (node.name.as_str(), (at, node))).collect();
        let joining = scenario.links.iter().filter(|link| link.endpoints[1].node == *name);
        let members: Vec<Member<'_>> = joining
            .filter_map(|link| {
                let [end, _] = &link.endpoints;
                let (number, node) = numbered.get(end.node.as_str())?;
                let config = station_config(medium, node, &end.interface);
                Some(Member { id: StationId(*number), node, config })
            })
            .collect();
        if args.chain {
            return Ok(Self { scenario, medium, members, flows: Vec::new() });
        }
        let station = |node: &String| {
            members.iter().find(|member| member.node.name == *node).map(|member| member.id)
        };
        let mut flows = Vec::new();
        for traffic in &scenario.traffic {
            let to = traffic.to.first().and_then(station);
            let from = traffic.from.iter().filter_map(station);
            flows
                .extend(from.zip(std::iter::repeat(to)).filter_map(|(from, to)| Some((from, to?))));
        }
        flows.retain(|(from, to)| from != to);
        if flows.is_empty() {
            return Err(exit::usage(format!(
                "nobody sends on `{name}`: who sends to whom is what the scenario's `traffic` \
                 between its members says"
            )));
        }
        check_access_points(&members, &flows, name)?;
        Ok(Self { scenario, medium, members, flows })
    }

    /// Runs a trial in which the first `count` of the senders send.
    fn try_out(&self, count: usize, number: u64, args: &Medium) -> Result<MediumTrial> {
        let seed = self.scenario.seed.wrapping_add(number);
        let setup = medium_setup(self.scenario, self.medium, seed)
            .ok_or_else(|| anyhow!("`{}` is no medium", self.medium.name))?;
        let mut medium: Model<u64> = setup.build(Time::ZERO)?;
        for Member { id, node, config } in &self.members {
            medium.add(Time::ZERO, *id, config.clone(), self.scenario.trajectory(node)?);
        }
        if args.chain {
            return Ok(self.chain(medium, count, args));
        }
        let flows = self.flows[..count].iter().enumerate().map(|(place, (from, to))| {
            let to = Receiver::Station(*to);
            Ok(Flow { from: *from, to, load: load(args, seed, place)? })
        });
        let mut trial = Trial::new(medium, flows.collect::<Result<_>>()?);
        trial.run(args.time);
        Ok(self.outcome(&trial, count, args.time))
    }

    /// Runs a trial in which the first `count` members are a chain.
    fn chain(&self, medium: Model<u64>, count: usize, args: &Medium) -> MediumTrial {
        let stations: Vec<StationId> =
            self.members[..count].iter().map(|member| member.id).collect();
        let to = Receiver::Station(stations[1]);
        let load = Load::Saturated(args.size + HEADER);
        let mut trial = Trial::new(medium, vec![Flow { from: stations[0], to, load }]);
        for pair in stations[1..].windows(2) {
            trial.relay(pair[0], Receiver::Station(pair[1]));
        }
        trial.run(FILLING);
        let before = trial.packet_bits();
        trial.run(args.time);
        let bits = trial.packet_bits() - before;
        MediumTrial {
            bits_per_second: bits as f64 / args.time.as_secs_f64(),
            ..outcome(&trial, stations[..count - 1].iter(), args.time)
        }
    }

    fn outcome(&self, trial: &Trial, count: usize, time: Duration) -> MediumTrial {
        outcome(trial, self.flows[..count].iter().map(|(from, _)| from), time)
    }
}

/// Returns the result of the trial for these senders.
fn outcome<'a>(
    trial: &Trial,
    senders: impl Iterator<Item = &'a StationId>,
    time: Duration,
) -> MediumTrial {
    let senders = senders.filter_map(|from| trial.medium.counters(*from));
    let counters: Vec<_> = senders.collect();
    let sum = |of: fn(&netloom_medium::StationCounters) -> u64| -> u64 {
        counters.iter().map(|counters| of(counters)).sum()
    };
    let sent = sum(|of| of.sent.frames);
    let data = sum(|of| of.attempts - of.requests);
    let share = |counters: &&netloom_medium::StationCounters| {
        counters.sent.frames as f64 / sent.max(1) as f64
    };
    let shares = counters.iter().map(share);
    let shares =
        shares.fold((1.0f64, 0.0f64), |(least, most), share| (least.min(share), most.max(share)));
    MediumTrial {
        bits_per_second: trial.packet_bits() as f64 / time.as_secs_f64(),
        attempts: data,
        failed: data.saturating_sub(sent),
        dropped: sum(|of| of.drops.total().frames),
        shares,
    }
}

/// Returns an error unless each flow begins or ends at an access point, if there are any. Without a
/// wire, access points forward nothing here.
fn check_access_points(
    members: &[Member<'_>],
    flows: &[(StationId, StationId)],
    medium: &str,
) -> Result<()> {
    let is_access_point = |id: &StationId| {
        members.iter().any(|member| member.id == *id && member.config.access_point)
    };
    let has_access_points = members.iter().any(|member| member.config.access_point);
    if has_access_points
        && flows.iter().any(|(from, to)| is_access_point(from) == is_access_point(to))
    {
        return Err(exit::usage(format!(
            "stations of `{medium}` talk through access points, which pass nothing on here: have \
             each flow of `traffic` begin or end at one, or try the whole network with `netloom \
             run --simulate`"
        )));
    }
    Ok(())
}

/// Returns the load of a sender.
fn load(args: &Medium, seed: u64, place: usize) -> Result<Load> {
    let bytes = args.size + HEADER;
    let Some(rate) = args.poisson else { return Ok(Load::Saturated(bytes)) };
    let model: Traffic =
        serde_json::from_value(json!({ "poisson": { "rate": rate.to_string() } }))?;
    let sizes: Sizes = serde_json::from_value(json!(format!("{bytes}B")))?;
    let stream = Stream::new(seed, &format!("source/{place}"));
    let source = model.source(&sizes, None, &stream);
    Ok(Load::Source(Box::new(source.map_err(|error| anyhow!("{error}")).context("`--poisson`")?)))
}

/// The results of trials of one kind.
struct Row {
    throughput: Interval,
    failed: Interval,
    shares: (f64, f64),
    dropped: u64,
}

impl Row {
    fn of(trials: &[MediumTrial]) -> Self {
        let each = |of: fn(&MediumTrial) -> f64| trials.iter().map(of).collect::<Vec<f64>>();
        let least = each(|trial| trial.shares.0).into_iter().fold(1.0, f64::min);
        let most = each(|trial| trial.shares.1).into_iter().fold(0.0, f64::max);
        Self {
            throughput: Interval::of(&each(|trial| trial.bits_per_second / 1e6), 0.99),
            failed: Interval::of(
                &each(|trial| 100.0 * trial.failed as f64 / trial.attempts.max(1) as f64),
                0.99,
            ),
            shares: (least, most),
            dropped: trials.iter().map(|trial| trial.dropped).sum(),
        }
    }
}

/// Writes a mean and half of its interval.
fn in_words(interval: &Interval) -> String {
    let half = interval.half.map_or(String::new(), |half| format!(" ± {half:.3}"));
    format!("{:.3}{half}", interval.mean)
}

fn as_table(rows: &[(usize, Row)]) -> comfy_table::Table {
    let mut shown =
        table(&["senders", "Mbit/s", "attempts failed, %", "least share", "largest", "dropped"]);
    for (count, row) in rows {
        shown.add_row([
            count.to_string(),
            in_words(&row.throughput),
            in_words(&row.failed),
            format!("{:.3}", row.shares.0),
            format!("{:.3}", row.shares.1),
            row.dropped.to_string(),
        ]);
    }
    shown
}

fn as_json(rows: &[(usize, Row)]) -> serde_json::Value {
    let interval = |of: &Interval| json!({ "mean": of.mean, "half_of_99_percent": of.half });
    let rows = rows.iter().map(|(count, row)| {
        json!({
            "senders": count,
            "throughput_mbit_per_second": interval(&row.throughput),
            "attempts_failed_percent": interval(&row.failed),
            "least_share": row.shares.0,
            "largest_share": row.shares.1,
            "dropped_frames": row.dropped,
        })
    });
    rows.collect()
}
