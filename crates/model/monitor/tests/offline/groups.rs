//! Makes episodes, shares and the verdict from the times in which a criterion was met.

use std::collections::BTreeMap;

use netloom_monitor::{Divided, Observation, Party, SignalKind};
use netloom_units::Time;

/// A gap shorter than this does not end an episode.
const GAP: u64 = 100_000_000;

/// Result for a signal on a resource.
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

/// A time during which a criterion was met without a gap.
#[derive(Debug, Clone, Default)]
pub struct Piece {
    pub from: u64,
    pub to: u64,
    /// When it was detected that the criterion is met; the next field: that it no longer is.
    pub seen: u64,
    pub over: u64,
    pub peak: f64,
    pub shares: BTreeMap<Party, u64>,
}

/// A use: from, to, by whom, how much, and which part it divides.
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

/// Divides the unattributed part first, then the engine's, each in proportion to the uses in the
/// same time.
fn divide(group: &Piece, uses: &[Used]) -> BTreeMap<String, u64> {
    let mut shares = group.shares.clone();
    divide_part(group, uses, Divided::Unattributed, Party::Unattributed, &mut shares);
    divide_part(group, uses, Divided::Engine, Party::Engine, &mut shares);
    shares.into_iter().filter(|(_, n)| *n > 0).map(|(party, n)| (who(party), n)).collect()
}

/// Divides one part by largest remainders.
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
        Party::Tunnel => "the way between machines".into(),
        Party::Outside => "outside the experiment".into(),
        Party::Unattributed => "unattributed".into(),
    }
}
