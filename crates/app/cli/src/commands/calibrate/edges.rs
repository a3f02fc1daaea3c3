//! Measures the most traffic that the machine can bear, for networks and kinds of traffic.

use std::collections::HashMap;

use anyhow::Result;
use netloom_profile::search::{Range, Search};
use netloom_profile::{Edge, Forwarding, NotBorne, Shape, Thoroughness, Traffic};
use netloom_units::readable::bit_rate;

use super::network::Load;
use super::session::Session;
use super::trial::{self, TrialOutcome};

/// Most ports and hops that are tried.
const MOST: u32 = 64;

/// Measures the edges of all networks and kinds of traffic.
pub async fn measure(session: &mut Session, thoroughness: Thoroughness) -> Result<Vec<Forwarding>> {
    let cpus = std::thread::available_parallelism().map_or(1, usize::from);
    let shapes = shapes(thoroughness, u32::try_from(cpus).unwrap_or(MOST));
    let all = shapes.len() * Traffic::ALL.len();
    let mut known = HashMap::new();
    let mut found = Vec::with_capacity(all);
    for shape in shapes {
        for traffic in Traffic::ALL {
            let step = format!("{}/{all}, {shape}, {traffic}", found.len() + 1);
            let guess = known.get(&traffic.to_string()).copied();
            let handled = guess.unwrap_or(first_guess(traffic));
            let forwarding =
                edge(session, &step, shape, traffic, thoroughness, handled / work(shape)).await?;
            if let Some(edge) = forwarding.edge {
                let pace = edge.bits_per_second / traffic.bits() / f64::from(shape.flows());
                known.insert(traffic.to_string(), pace * work(shape));
            }
            found.push(forwarding);
        }
    }
    Ok(found)
}

/// Returns the networks to measure. Each link belongs to one worker, so the largest networks have
/// more links than there are workers.
fn shapes(thoroughness: Thoroughness, cpus: u32) -> Vec<Shape> {
    let most = cpus.next_power_of_two().clamp(8, MOST);
    let doubling = |from: u32| std::iter::successors(Some(from), |n| Some(n * 2));
    let (hops, ports): (Vec<u32>, Vec<u32>) = match thoroughness {
        Thoroughness::Full => (
            doubling(1).take_while(|hops| *hops <= most).collect(),
            doubling(2).take_while(|ports| *ports <= most).collect(),
        ),
        Thoroughness::Quick => (vec![1], vec![most.min(4)]),
    };
    let chains = hops.into_iter().map(|hops| Shape::Chain { hops });
    chains.chain(ports.into_iter().map(|ports| Shape::Node { ports })).collect()
}

/// Returns the number of times that links carry a write when every sender writes once.
fn work(shape: Shape) -> f64 {
    f64::from(shape.flows() * shape.hops())
}

/// Returns a first guess of the number of writes that all links together may carry in a second.
pub fn first_guess(traffic: Traffic) -> f64 {
    match traffic {
        Traffic::Udp60 | Traffic::Udp1514 => 100_000.0,
        Traffic::Tcp => 5_000.0,
    }
}

/// Returns the paces to try, in writes of a sender in a second.
pub fn range(traffic: Traffic, thoroughness: Thoroughness) -> Range {
    let least = match traffic {
        Traffic::Udp60 | Traffic::Udp1514 => 500.0,
        Traffic::Tcp => 20.0,
    };
    let (gap, tries) = match thoroughness {
        Thoroughness::Full => (1.2, 8),
        Thoroughness::Quick => (1.5, 5),
    };
    Range { least, most: 1e7, gap, tries }
}

/// Returns the time for which senders send, in seconds.
pub fn seconds(thoroughness: Thoroughness) -> f64 {
    match thoroughness {
        Thoroughness::Full => 0.4,
        Thoroughness::Quick => 0.2,
    }
}

async fn edge(
    session: &mut Session,
    step: &str,
    shape: Shape,
    traffic: Traffic,
    thoroughness: Thoroughness,
    guess: f64,
) -> Result<Forwarding> {
    let mut search = Search::new(guess, range(traffic, thoroughness));
    let mut edge: Option<Edge> = None;
    let mut beyond: Option<NotBorne> = None;
    while let Some(pace) = search.next() {
        let load = Load { shape, traffic, pace, seconds: seconds(thoroughness) };
        let offered = pace * traffic.bits() * f64::from(shape.flows());
        session.show(&format!("{step}: {}", bit_rate(offered)));
        let outcome = trial::run(session, &load).await?;
        search.record(matches!(outcome, TrialOutcome::Borne(_)));
        match outcome {
            TrialOutcome::Borne(borne) => {
                beyond = beyond.filter(|beyond| beyond.bits_per_second > offered);
                edge = Some(borne);
            }
            TrialOutcome::NotBorne(why) => {
                beyond = Some(NotBorne { bits_per_second: offered, why });
            }
        }
    }
    Ok(Forwarding { network: shape, traffic, edge, beyond })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn networks_have_more_links_than_the_machine_has_workers() {
        for cpus in [1, 2, 8, 31, 64] {
            let shapes = shapes(Thoroughness::Full, cpus);
            assert!(shapes.contains(&Shape::Chain { hops: 1 }), "{cpus}");
            assert!(
                shapes.iter().any(|s| matches!(s, Shape::Node { ports } if *ports >= cpus)),
                "{cpus}"
            );
        }
        assert!(shapes(Thoroughness::Full, 1000).len() < 20);
    }
}
