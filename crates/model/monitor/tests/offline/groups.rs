//! From the times in which a criterion was met to episodes, shares and the verdict.

use std::collections::BTreeMap;

use netloom_monitor::{Criteria, Divided, Judgement, Observation, Party, Resource, SignalKind};
use netloom_units::Time;

/// A gap shorter than this does not end an episode.
const GAP: u64 = 100_000_000;

/// What is left of a signal on a resource.
#[derive(Debug, Default, Clone, PartialEq)]
pub struct Outcome {
    pub worst: Option<f64>,
    pub episodes: Vec<Episode>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Episode {
    pub from: u64,
    pub to: u64,
    pub held: u64,
    pub peak: f64,
    pub warm_up: bool,
    pub shares: BTreeMap<String, u64>,
}

/// A time in which a criterion was met without a gap.
#[derive(Debug, Clone, Default)]
pub struct Piece {
    pub from: u64,
    pub to: u64,
    /// When it was seen that it is met, and when that it is no longer.
    pub seen: u64,
    pub over: u64,
    pub peak: f64,
    pub shares: BTreeMap<Party, u64>,
}

/// What was used: from, to, by whom, how much; and which part it divides.
pub type Used = (u64, u64, Party, u64, Divided);

pub fn uses(trace: &[(Time, Observation)], signal: SignalKind) -> Vec<Used> {
    let used = |(at, seen): &(Time, Observation)| match seen {
        Observation::Used { of, divides, party, amount, over } if *of == signal => {
            let at = at.as_nanos();
            Some((at - over.as_nanos().min(at), at, *party, *amount, *divides))
        }
        _ => None,
    };
    trace.iter().filter_map(used).collect()
}

pub fn episodes(pieces: Vec<Piece>, settled: Option<u64>, uses: &[Used]) -> Vec<Episode> {
    let mut groups: Vec<(Piece, u64)> = Vec::new();
    for mut piece in pieces {
        let settled_between = |last: &Piece| {
            settled.is_some_and(|settled| last.over <= settled && piece.seen > settled)
        };
        let end = groups.last().map_or(0, |(last, _)| last.to);
        piece.from = piece.from.max(end);
        let length = piece.to.saturating_sub(piece.from);
        match groups.last_mut() {
            Some((last, held)) if piece.seen < last.to + GAP && !settled_between(last) => {
                last.to = last.to.max(piece.to);
                last.over = last.over.max(piece.over);
                last.peak = last.peak.max(piece.peak);
                *held += length;
                for (party, amount) in piece.shares {
                    *last.shares.entry(party).or_default() += amount;
                }
            }
            _ => groups.push((Piece { to: piece.to.max(piece.from), ..piece }, length)),
        }
    }
    let episode = |(group, held): (Piece, u64)| Episode {
        from: group.from,
        to: group.to,
        held,
        peak: group.peak,
        warm_up: settled.is_some_and(|settled| group.over <= settled),
        shares: divide(&group, uses),
    };
    groups.into_iter().map(episode).collect()
}

/// Divides first what is unattributed, then what is the engine's, each in proportion to what was used
/// meanwhile.
fn divide(group: &Piece, uses: &[Used]) -> BTreeMap<String, u64> {
    let mut shares = group.shares.clone();
    divide_part(group, uses, Divided::Unattributed, Party::Unattributed, &mut shares);
    divide_part(group, uses, Divided::Engine, Party::Engine, &mut shares);
    shares.into_iter().filter(|(_, n)| *n > 0).map(|(party, n)| (who(party), n)).collect()
}

/// By largest remainders.
fn divide_part(
    group: &Piece,
    uses: &[Used],
    part: Divided,
    whose: Party,
    shares: &mut BTreeMap<Party, u64>,
) {
    let mut weights: BTreeMap<Party, u128> = BTreeMap::new();
    for (from, to, party, amount, _) in uses.iter().filter(|(.., divides)| *divides == part) {
        let overlap = group.to.min(*to).saturating_sub(group.from.max(*from));
        if overlap > 0 {
            let part = u128::from(*amount) * u128::from(overlap) / u128::from(to - from);
            *weights.entry(*party).or_default() += part;
        }
    }
    weights.retain(|_, weight| *weight > 0);
    let sum: u128 = weights.values().sum();
    if !weights.is_empty() {
        let whole = u128::from(shares.remove(&whose).unwrap_or(0));
        let mut given = 0;
        let mut remainders = Vec::new();
        for (party, weight) in &weights {
            let part = whole * weight / sum;
            given += part;
            *shares.entry(*party).or_default() += part as u64;
            remainders.push((u128::MAX - whole * weight % sum, *party));
        }
        remainders.sort();
        for (_, party) in remainders.iter().take((whole - given) as usize) {
            *shares.entry(*party).or_default() += 1;
        }
    }
}

fn who(party: Party) -> String {
    match party {
        Party::Node(node) => format!("node {node}"),
        Party::Process(pid) => format!("process {pid}"),
        Party::Engine => "the engine".into(),
        Party::Kernel => "the kernel".into(),
        Party::Hypervisor => "the hypervisor".into(),
        Party::Outside => "outside the experiment".into(),
        Party::Unattributed => "unattributed".into(),
    }
}

/// The rules, as they are documented.
pub fn judgement(
    outcomes: &BTreeMap<(SignalKind, Resource), Outcome>,
    criteria: &Criteria,
    waits_watched: bool,
) -> Judgement {
    use SignalKind as S;
    let counted = |outcome: &Outcome| -> Vec<Episode> {
        outcome.episodes.iter().filter(|episode| !episode.warm_up).cloned().collect()
    };
    let waits = outcomes
        .iter()
        .filter(|((signal, _), _)| matches!(signal, S::Lateness | S::RunQueue | S::Pressure));
    let waits: Vec<Episode> = waits.flat_map(|(_, outcome)| counted(outcome)).collect();
    let judge = |((signal, on), outcome): (&(SignalKind, Resource), &Outcome)| {
        let episodes = counted(outcome);
        if episodes.is_empty() {
            return Judgement::Valid;
        }
        let held: u64 = episodes.iter().map(|episode| episode.held).sum();
        let peak = episodes.iter().map(|episode| episode.peak).fold(0.0, f64::max);
        let light =
            held <= criteria.brief.as_nanos() || peak < 2.0 * threshold(*signal, on, criteria);
        let meets = |a: &Episode, b: &Episode| a.from <= b.to && b.from <= a.to;
        let suffered = episodes.iter().any(|a| waits.iter().any(|b| meets(a, b)));
        let mut parties = episodes.iter().flat_map(|episode| episode.shares.keys());
        // One of a hundred requests or more.
        let of_nodes = || {
            let all = episodes.iter().flat_map(|episode| &episode.shares);
            let whole: u64 = all.clone().map(|(_, amount)| amount).sum();
            let nodes = all.filter(|(who, _)| who.starts_with("node "));
            100 * nodes.map(|(_, amount)| amount).sum::<u64>() >= whole && whole > 0
        };
        let invalid = match (signal, on) {
            (S::UnmodelledDrop, _) => parties.any(|who| who != "unattributed"),
            (_, Resource::SingleFrame | Resource::Engine) | (S::Timeline, _) => true,
            (S::Buffers, _) => false,
            (S::Cpu, _) => !light && (suffered || !waits_watched),
            (S::Disk, _) => !light && (of_nodes() || suffered || !waits_watched),
            _ => !light,
        };
        if invalid { Judgement::Invalid } else { Judgement::Suspect }
    };
    outcomes.iter().map(judge).max().unwrap_or(Judgement::Valid)
}

fn threshold(signal: SignalKind, on: &Resource, criteria: &Criteria) -> f64 {
    use SignalKind as S;
    let pages = |pages: &netloom_monitor::Pages| match pages.limit {
        1 => 0.0,
        limit => limit as f64 / pages.window.as_secs_f64(),
    };
    let rate = |rate: Option<netloom_units::Rate>| rate.unwrap().bits_per_second() as f64;
    match (signal, on) {
        (S::Lateness, Resource::Frames) => criteria.lateness.tolerance().as_nanos() as f64,
        (S::Lateness, _) => criteria.lateness.hard_limit().as_nanos() as f64,
        (S::UnmodelledDrop | S::Buffers, _) => 0.0,
        (S::Cpu, _) => criteria.cpu.longest.as_nanos() as f64,
        (S::RunQueue, _) => 0.01,
        (S::NetInternal, _) => rate(criteria.net_internal.rate),
        (S::NetExternal, _) => rate(criteria.net_external.rate),
        (S::MemoryIn, Resource::Faults) => pages(&criteria.faults),
        (S::MemoryIn, _) => pages(&criteria.memory_in),
        (S::MemoryOut, _) => pages(&criteria.memory_out),
        (S::Disk, _) => criteria.disk.longest.as_nanos() as f64,
        (S::Steal, _) => criteria.steal.limit.value(),
        (S::Pressure, _) => criteria.pressure.limit.value(),
        (S::Timeline, Resource::Events) => criteria.timeline.tolerance.as_nanos() as f64,
        (S::Timeline, _) => 0.0,
        (S::Application, Resource::Metric { name, .. }) => criteria.application[name],
        (S::Application, _) => unreachable!("applications report metrics"),
    }
}
