//! What links carry of constant rates along given paths. Not here: the paths, and the queues of
//! links, whose room is taken for none.
//!
//! A line of rate C at which demands of rate r arrive in total passes the share min(1, C/r) of
//! each. What a line drops does not arrive at the lines behind it, so that shares depend on each
//! other: they are a fixed point. Lines are computed by turns, each from the latest shares of those
//! before it, until none changes. Where no two lines depend on each other in a circle, one round
//! for each line of the longest path yields the exact result. In a circle, shares may swing; from
//! [`UNDAMPED`] rounds on each goes only half the way.

/// A demand and its path.
#[derive(Debug, Clone, PartialEq)]
pub struct PathDemand {
    /// Rate in bit/s.
    pub rate: f64,
    /// Numbers of the lines that it crosses, in order.
    pub path: Vec<usize>,
}

/// What arrives where.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Shares {
    /// Rate in bit/s that arrives at each line.
    pub arriving: Vec<f64>,
    /// Rate in bit/s of each demand behind the last line of its path.
    pub goodput: Vec<f64>,
}

/// Rounds in which shares change to their new value at once.
const UNDAMPED: usize = 64;
/// Most rounds. Each damped one halves a swing, so that rounding ends it long before.
const MOST_ROUNDS: usize = 1000;
/// Largest change of a share that counts as none.
const NO_CHANGE: f64 = 1e-12;

/// Returns what each line carries and each demand keeps. `capacities` has the rate of each line in
/// bit/s: 0 for one that is down, infinity for one without a limit.
///
/// ```
/// use netloom_traffic::{PathDemand, share};
///
/// // 80 and 40 Mbit/s on a line of 100 lose a sixth each; the rest of the first goes on.
/// let demands = [
///     PathDemand { rate: 80e6, path: vec![0, 1] },
///     PathDemand { rate: 40e6, path: vec![0] },
/// ];
/// let shares = share(&[100e6, 50e6], &demands);
/// assert_eq!(shares.arriving[0], 120e6);
/// assert!((shares.arriving[1] - 80e6 / 1.2).abs() < 1.0);
/// assert!((shares.goodput[0] - 50e6).abs() < 1.0);
/// ```
///
/// # Panics
/// If a path has a line without a capacity.
pub fn share(capacities: &[f64], demands: &[PathDemand]) -> Shares {
    let mut visits: Vec<Vec<(usize, usize)>> = vec![Vec::new(); capacities.len()];
    for (number, demand) in demands.iter().enumerate() {
        for (place, line) in demand.path.iter().enumerate() {
            visits[*line].push((number, place));
        }
    }
    let mut passed = vec![1.0; capacities.len()];
    // The rate of a demand where it arrives at the line at `place` of its path.
    let rate = |passed: &[f64], (number, place): (usize, usize)| -> f64 {
        let demand: &PathDemand = &demands[number];
        demand.path[..place].iter().fold(demand.rate, |rate, line| rate * passed[*line])
    };
    for round in 0..MOST_ROUNDS {
        let mut change: f64 = 0.0;
        for (line, capacity) in capacities.iter().enumerate() {
            if visits[line].is_empty() {
                continue;
            }
            let arriving: f64 = visits[line].iter().map(|visit| rate(&passed, *visit)).sum();
            let new = if arriving > *capacity { capacity / arriving } else { 1.0 };
            let new = if round < UNDAMPED { new } else { f64::midpoint(passed[line], new) };
            change = change.max((new - passed[line]).abs());
            passed[line] = new;
        }
        if change <= NO_CHANGE {
            break;
        }
    }
    // A sum of nothing is −0.0, which users would read.
    let sum = |of: &Vec<(usize, usize)>| of.iter().map(|visit| rate(&passed, *visit)).sum::<f64>();
    let arriving = visits.iter().map(|of| sum(of) + 0.0).collect();
    let all = demands.iter().enumerate();
    let goodput = all.map(|(number, demand)| rate(&passed, (number, demand.path.len()))).collect();
    Shares { arriving, goodput }
}
