//! Contacts in a set of movements: which nodes are within reach of each other, and for how long.

use std::collections::VecDeque;

use netloom_units::{Duration, Length, Time};
use serde::Serialize;

use crate::{Crossing, Trajectory, crossings, within};

/// The links and paths between radios of a given reach that move in a given way.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Contacts {
    /// Number of links that came or went, not counting the links at the beginning.
    pub link_changes: u64,
    /// Number of neighbours of a node, averaged over nodes and time.
    pub mean_degree: f64,
    /// Share of pairs that have a path, averaged over samples at regular times.
    pub pairs_with_path: f64,
    /// Mean number of hops on the shortest paths of these pairs.
    pub mean_hops: f64,
    /// Number of hops on the longest of these shortest paths.
    pub most_hops: u32,
    /// Speed of a node in m/s, averaged over nodes and the time for which they are present.
    pub mean_speed: f64,
}

/// Number of samples for the search of paths.
const LOOKS: u64 = 90;

impl Contacts {
    /// Computes the contacts of nodes within `reach`, from 0 to `until`, which must not be 0. All
    /// trajectories must be drawn up to `until`.
    pub fn new(nodes: &[Trajectory], reach: Length, until: Time) -> Self {
        let mut links = Links::new(nodes, reach, until);
        let (mut reached, mut hops, mut most) = (0u64, 0u64, 0);
        for look in 0..LOOKS {
            // The samples are in the middle of equal parts of the time.
            let share = (2 * look + 1) as f64 / (2 * LOOKS) as f64;
            links.advance(Time::from_nanos((until.as_nanos() as f64 * share) as u64));
            for node in 0..nodes.len() {
                let found = links.distances(node);
                reached += found.len() as u64;
                hops += found.iter().map(|hops| u64::from(*hops)).sum::<u64>();
                most = found.into_iter().fold(most, u32::max);
            }
        }
        let count = nodes.len() as f64;
        let pairs = count * (count - 1.0) * LOOKS as f64;
        let share = |sum: f64, of: f64| if of > 0.0 { sum / of } else { 0.0 };
        Self {
            link_changes: links.changes.len() as u64,
            mean_degree: share(2.0 * links.together, count * seconds(until)),
            pairs_with_path: share(reached as f64, pairs),
            mean_hops: share(hops as f64, reached as f64),
            most_hops: most,
            mean_speed: mean_speed(nodes, until),
        }
    }
}

fn seconds(until: Time) -> f64 {
    until.since(Time::ZERO).as_secs_f64()
}

/// All links of a set of nodes, and their changes.
struct Links {
    /// Times at which the link of a pair comes or goes, in ascending order.
    changes: Vec<(Time, usize, usize, Crossing)>,
    /// Number of changes that have been applied.
    done: usize,
    neighbours: Vec<Vec<usize>>,
    /// Sum over all pairs of the time for which they are linked, in s.
    together: f64,
}

impl Links {
    fn new(nodes: &[Trajectory], reach: Length, until: Time) -> Self {
        let mut links = Self {
            changes: Vec::new(),
            done: 0,
            neighbours: vec![Vec::new(); nodes.len()],
            together: 0.0,
        };
        for (a, first) in nodes.iter().enumerate() {
            for (b, second) in nodes[..a].iter().enumerate() {
                let mut since = within(first, second, reach, Time::ZERO).then_some(Time::ZERO);
                if since.is_some() {
                    links.join(a, b);
                }
                for (at, crossing) in crossings(first, second, reach, Time::ZERO, until) {
                    links.changes.push((at, a, b, crossing));
                    links.together +=
                        since.map_or(Duration::ZERO, |since| at.since(since)).as_secs_f64();
                    since = (crossing == Crossing::Nearer).then_some(at);
                }
                let rest = since.map_or(Duration::ZERO, |since| until.since(since));
                links.together += rest.as_secs_f64();
            }
        }
        links.changes.sort_unstable();
        links
    }

    /// Applies all changes up to `now`.
    fn advance(&mut self, now: Time) {
        while let Some((_, a, b, crossing)) =
            self.changes.get(self.done).copied().filter(|(at, ..)| *at <= now)
        {
            match crossing {
                Crossing::Nearer => self.join(a, b),
                Crossing::Farther => {
                    self.neighbours[a].retain(|other| *other != b);
                    self.neighbours[b].retain(|other| *other != a);
                }
            }
            self.done += 1;
        }
    }

    fn join(&mut self, a: usize, b: usize) {
        self.neighbours[a].push(b);
        self.neighbours[b].push(a);
    }

    /// Returns the number of hops to each other node to which there is a path.
    fn distances(&self, from: usize) -> Vec<u32> {
        let mut hops: Vec<Option<u32>> = vec![None; self.neighbours.len()];
        hops[from] = Some(0);
        let (mut found, mut next) = (Vec::new(), VecDeque::from([(from, 0)]));
        while let Some((node, distance)) = next.pop_front() {
            for other in &self.neighbours[node] {
                if hops[*other].is_none() {
                    hops[*other] = Some(distance + 1);
                    found.push(distance + 1);
                    next.push_back((*other, distance + 1));
                }
            }
        }
        found
    }
}

/// Returns the distance that all nodes travel, divided by the time for which they are present.
fn mean_speed(nodes: &[Trajectory], until: Time) -> f64 {
    let (mut way, mut time) = (0.0, 0.0);
    for path in nodes {
        let ends = path.legs().iter().skip(1).map(|leg| leg.start).chain([until]);
        for (leg, end) in path.legs().iter().zip(ends).filter(|(leg, _)| leg.on) {
            let seconds = end.min(until).since(leg.start).as_secs_f64();
            way += leg.velocity.length() * seconds;
            time += seconds;
        }
    }
    if time > 0.0 { way / time } else { 0.0 }
}
