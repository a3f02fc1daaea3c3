//! The summary of a run on several machines.

use std::collections::{BTreeMap, HashMap};

use anyhow::{Context, Result};
use netloom_api::event::{EndReason, TimelineStatus};
use netloom_api::flow::FlowStatus;
use netloom_api::machine::Machine;
use netloom_api::state::{LinkStatus, PipeStatus};
use netloom_api::summary::{FrameLogSummary, MachineSummary, Mode, Summary};
use netloom_api::timing::{LatencySummary, Timing};
use netloom_link::Direction;
use netloom_monitor::{Alignment, Verdict};
use netloom_scenario::Scenario;
use netloom_units::Time;

use super::merging::{Member, Present};
use super::owners::Owners;
use super::traffic::FlowNames;

/// What is known of the whole run.
pub(super) struct Facts<'m> {
    pub scenario: &'m Scenario,
    pub placement: &'m BTreeMap<String, String>,
    pub verdict: Verdict,
    pub frame_log: Option<FrameLogSummary>,
    /// What is missing in which file, in words.
    pub failures: Vec<String>,
}

/// The summary of all machines. It begins with the facts of the first one that has written its own.
pub(super) fn merged(
    members: &[Member],
    present: &[Present<'_>],
    owners: &Owners<'_>,
    facts: Facts<'_>,
) -> Result<Summary> {
    let Facts { scenario, placement, verdict, frame_log, failures } = facts;
    let summaries = present.iter().filter_map(|one| Some((one, one.summary.as_ref()?)));
    let summaries: Vec<(&Present<'_>, &Summary)> = summaries.collect();
    let (_, first) = summaries.first().context("no machine has written how its run went")?;
    let mut all = (*first).clone();
    let each = |part: fn(&Summary) -> &Vec<String>| {
        let of_machine = |(one, summary): &(&Present<'_>, &Summary)| {
            let name = one.name().to_owned();
            part(summary).clone().into_iter().map(move |text| format!("{name}: {text}"))
        };
        summaries.iter().flat_map(of_machine).collect::<Vec<String>>()
    };
    all.failures = each(|summary| &summary.failures);
    all.failures.extend(missing(members, present));
    all.failures.extend(failures);
    all.warnings = each(|summary| &summary.warnings);
    all.success = all.failures.is_empty() && summaries.iter().all(|(_, one)| one.success);
    let ended = summaries.iter().map(|(one, of)| one.member.clock.to_cluster(of.ended));
    all.ended = ended.max().unwrap_or_default();
    let early = |reason: &EndReason| !matches!(reason, EndReason::Completed | EndReason::Duration);
    let reasons = || summaries.iter().map(|(_, summary)| summary.reason);
    all.reason = reasons().find(early).unwrap_or(all.reason);
    let mode = summaries.iter().map(|(_, one)| one.mode).find(|mode| *mode != Mode::Emulation);
    all.mode = mode.unwrap_or_default();
    let longest = |seconds: &dyn Fn(&Summary) -> Option<f64>| {
        summaries.iter().filter_map(|(_, summary)| seconds(summary)).reduce(f64::max)
    };
    all.deploy_seconds = longest(&|one| Some(one.deploy_seconds)).unwrap_or_default();
    all.ready_seconds = longest(&|one| one.ready_seconds);
    all.simulation = summaries.iter().find_map(|(_, one)| one.simulation.clone());
    of_nodes(&mut all, &summaries, owners);
    all.timeline = timeline(&summaries);
    all.links = links(&summaries, scenario, owners);
    all.flows = flows(&summaries, &FlowNames::new(scenario));
    all.timing = timing(&summaries);
    let failure = |(_, one): &(_, &Summary)| one.frame_log.as_ref()?.failure.clone();
    let failure = summaries.iter().find_map(failure);
    all.frame_log = frame_log.map(|log| FrameLogSummary { failure, ..log });
    all.verdict = Some(verdict);
    all.machines = machines(members, present);
    all.placement = placement.clone();
    Ok(all)
}

/// What is missing of whole machines, in words.
fn missing<'m>(
    members: &'m [Member],
    present: &'m [Present<'_>],
) -> impl Iterator<Item = String> + 'm {
    let lost = members.iter().filter_map(|member| {
        let at = member.lost?.as_secs_f64();
        Some(format!("machine lost: {} at {at:.1} s", member.name))
    });
    let without = members.iter().filter(|member| member.directory.is_none());
    let without = without.map(|member| format!("there are no results of machine {}", member.name));
    let unended = present.iter().filter(|one| one.summary.is_none());
    let unended = unended.map(|one| format!("machine {} has written no summary", one.name()));
    lost.chain(without).chain(unended)
}

/// Takes what belongs to nodes from the machines of these.
fn of_nodes(all: &mut Summary, summaries: &[(&Present<'_>, &Summary)], owners: &Owners<'_>) {
    all.processes.clear();
    all.expectations.clear();
    all.vlan_ports.clear();
    all.usage.clear();
    all.media.clear();
    for (one, summary) in summaries {
        let is_own = |node: &str| owners.has_node(one.name(), node);
        let own = summary.processes.iter().filter(|process| is_own(&process.node));
        all.processes.extend(own.cloned());
        let own = summary.expectations.iter().filter(|expected| is_own(&expected.node));
        all.expectations.extend(own.cloned());
        let node = |port: &str| is_own(port.split(':').next().unwrap_or_default());
        let own = summary.vlan_ports.iter().filter(|(port, _)| node(port));
        all.vlan_ports.extend(own.map(|(port, status)| (port.clone(), status.clone())));
        let own = summary.usage.iter().filter(|(node, _)| is_own(node));
        all.usage.extend(own.map(|(node, usage)| (node.clone(), *usage)));
        let own = summary.media.iter().filter(|medium| {
            is_own(&medium.name)
                && medium.stations.iter().all(|station| is_own(&station.interface.node))
        });
        all.media.extend(own.cloned());
    }
}

/// The events of the timeline, in the order of the scenario. Of an event that several machines had
/// a part in, the last part counts, or the one that failed.
fn timeline(summaries: &[(&Present<'_>, &Summary)]) -> Vec<TimelineStatus> {
    let mut events: BTreeMap<usize, TimelineStatus> = BTreeMap::new();
    for (one, summary) in summaries {
        let clock = &one.member.clock;
        for status in &summary.timeline {
            let mut status = status.clone();
            for time in [&mut status.planned, &mut status.happened].into_iter().flatten() {
                *time = clock.to_cluster(*time);
            }
            let gravity = |of: &TimelineStatus| (of.failure.is_some(), of.happened);
            let known = events.entry(status.number).or_insert_with(|| status.clone());
            if gravity(&status) > gravity(known) {
                *known = status;
            }
        }
    }
    events.into_values().collect()
}

/// The links in the order of the scenario. A pipe is its sender's; what its far end did not take is
/// the receiver's.
fn links(
    summaries: &[(&Present<'_>, &Summary)],
    scenario: &Scenario,
    owners: &Owners<'_>,
) -> Vec<LinkStatus> {
    let mut known: HashMap<&str, LinkStatus> = HashMap::new();
    let mut refused = Vec::new();
    for (one, summary) in summaries {
        let (machine, clock) = (one.name(), &one.member.clock);
        for link in &summary.links {
            let of_link = known.entry(&link.name).or_insert_with(|| aligned(link.clone(), clock));
            for way in Direction::BOTH {
                if owners.sends(machine, &link.name, way) {
                    *pipe(of_link, way) = pipe(&mut aligned(link.clone(), clock), way).clone();
                } else if owners.receives(machine, &link.name, way) {
                    refused.push((&link.name, way, pipe(&mut link.clone(), way).clone()));
                }
            }
        }
    }
    for (name, way, far) in refused {
        let Some(of_link) = known.get_mut(name.as_str()) else { continue };
        if let (PipeStatus::Modelled(own), Some(far)) = (pipe(of_link, way), far.modelled()) {
            let lost = &mut own.statistics.lost_unmodelled;
            *lost = *lost + far.statistics.lost_unmodelled;
        }
    }
    scenario.links.iter().filter_map(|link| known.remove(link.name.as_str())).collect()
}

fn pipe(link: &mut LinkStatus, way: Direction) -> &mut PipeStatus {
    match way {
        Direction::Forward => &mut link.forward,
        Direction::Reverse => &mut link.reverse,
    }
}

fn aligned(mut link: LinkStatus, clock: &Alignment) -> LinkStatus {
    for pipe in [&mut link.forward, &mut link.reverse] {
        let times = match pipe {
            PipeStatus::Modelled(pipe) => {
                Some([&mut pipe.statistics.since, &mut pipe.statistics.at])
            }
            PipeStatus::Direct(pipe) => {
                pipe.statistics.as_mut().map(|of| [&mut of.since, &mut of.at])
            }
        };
        times.into_iter().flatten().for_each(|time| *time = clock.to_cluster(*time));
    }
    link
}

/// The flows. What one end did not count is 0, or nothing, there.
fn flows(summaries: &[(&Present<'_>, &Summary)], names: &FlowNames<'_>) -> Vec<FlowStatus> {
    let mut flows: Vec<FlowStatus> = Vec::new();
    for (one, summary) in summaries {
        for flow in &summary.flows {
            let name = names.of(&flow.name, &flow.from);
            let at = |at: Option<Time>| at.map(|at| one.member.clock.to_cluster(at));
            let (began, over, completed) = (at(flow.began), at(flow.over), at(flow.completed));
            let flow = FlowStatus { name, began, over, completed, ..flow.clone() };
            match flows.iter_mut().find(|known| known.name == flow.name) {
                None => flows.push(flow),
                Some(known) => join(known, flow),
            }
        }
    }
    flows.sort_by(|a, b| a.name.cmp(&b.name));
    flows
}

fn join(known: &mut FlowStatus, other: FlowStatus) {
    known.sent = known.sent + other.sent;
    known.received = known.received + other.received;
    known.duplicated += other.duplicated;
    known.reordered += other.reordered;
    known.refused += other.refused;
    known.errors += other.errors;
    known.delay = known.delay.or(other.delay);
    known.jitter_ns = known.jitter_ns.max(other.jitter_ns);
    known.began = known.began.into_iter().chain(other.began).min();
    known.over = known.over.max(other.over);
    known.completed = known.completed.max(other.completed);
    known.tcp = known.tcp.or(other.tcp);
    known.transfers = match (known.transfers, other.transfers) {
        (Some(own), Some(other)) if own.begun == 0 => Some(other),
        (own, other) => own.or(other),
    };
}

/// How exactly the engines kept their schedules: losses of all, and of each distribution the worst.
fn timing(summaries: &[(&Present<'_>, &Summary)]) -> Option<Timing> {
    let mut all: Option<Timing> = None;
    for (one, summary) in summaries {
        let Some(mut own) = summary.timing.clone() else { continue };
        for failure in &mut own.failures {
            *failure = format!("{}: {failure}", one.name());
        }
        let Some(all) = &mut all else {
            all = Some(own);
            continue;
        };
        for (all, own) in [
            (&mut all.lateness, own.lateness),
            (&mut all.timer_wakeup, own.timer_wakeup),
            (&mut all.unattended, own.unattended),
        ] {
            *all = worse(all, &own);
        }
        for (cause, frames) in own.unmodelled_drops {
            *all.unmodelled_drops.entry(cause).or_default() += frames;
        }
        all.interface_down += own.interface_down;
        all.workers.extend(own.workers);
        all.failures.extend(own.failures);
    }
    all
}

fn worse(a: &LatencySummary, b: &LatencySummary) -> LatencySummary {
    LatencySummary {
        count: a.count + b.count,
        p50_us: a.p50_us.max(b.p50_us),
        p99_us: a.p99_us.max(b.p99_us),
        p999_us: a.p999_us.max(b.p999_us),
        max_us: a.max_us.max(b.max_us),
    }
}

fn machines(members: &[Member], present: &[Present<'_>]) -> Vec<MachineSummary> {
    let kernel = |name: &str| {
        let one = present.iter().find(|one| one.name() == name)?;
        let text = std::fs::read(one.path("machine.json")).ok()?;
        Some(serde_json::from_slice::<Machine>(&text).ok()?.kernel)
    };
    let machine = |member: &Member| MachineSummary {
        name: member.name.clone(),
        kernel: kernel(&member.name),
        profile: member.profile.clone(),
        clock: member.clock,
        lost: member.lost,
    };
    members.iter().map(machine).collect()
}
