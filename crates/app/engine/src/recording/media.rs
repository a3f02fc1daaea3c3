//! Reports on shared media while they live: events of pairs that appear and disappear and of nodes
//! that move.

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use netloom_api::event::What;
use netloom_units::{Duration, Time};
use tokio::task::{JoinHandle, block_in_place};

use super::ticks::Ticks;
use crate::end::End;
use crate::events::EventLog;
use crate::live::LiveNetwork;
use crate::status;

/// Period of queries for news.
const LOOK: Duration = Duration::from_millis(100);

/// Most pairs that are reported in a second.
const MOST_PAIRS: usize = 1000;

/// Most positions that are queried in a second. Those of more nodes are queried less often than
/// news of pairs.
const MOST_POSITIONS: usize = 1000;

/// Shortest movement that counts, in m.
const STILL: f64 = 1e-3;

/// Reports news of shared media, if there are any, until the end.
pub fn watch(network: Arc<LiveNetwork>, events: Arc<EventLog>, end: End) -> Option<JoinHandle<()>> {
    let has_media =
        network.deployment().whole.scenario.nodes.iter().any(|node| node.medium.is_some());
    has_media.then(|| tokio::spawn(report(network, events, end)))
}

async fn report(network: Arc<LiveNetwork>, events: Arc<EventLog>, end: End) {
    let mut ticks = Ticks::every(LOOK, network.clock().dilation(), end);
    let mut pairs = Pairs::default();
    let mut places = PositionReports::default();
    loop {
        let last = ticks.is_last().await;
        // The network is being taken down, and there is no more news.
        let with_places = places.are_due(network.now());
        let news = block_in_place(|| status::media_news(&network, with_places));
        let Ok(news) = news else { return };
        pairs.report(news.pairs, &events);
        places.report(network.now(), &news.places, &events);
        if last {
            return;
        }
    }
}

/// Reports pairs that appear and disappear.
#[derive(Default)]
struct Pairs {
    /// Time of the first query. Pairs that were within reach at that time are all reported.
    first: Option<Time>,
    /// Times of the latest reports.
    reported_at: VecDeque<Time>,
    are_off: bool,
}

impl Pairs {
    fn report(&mut self, pairs: Vec<(Time, What)>, events: &EventLog) {
        for (at, what) in pairs {
            if self.are_off {
                return;
            }
            if at == *self.first.get_or_insert(at) {
                events.record_at(at, what);
                continue;
            }
            let is_old = |then: &Time| at.since(*then) >= Duration::from_secs(1);
            while self.reported_at.front().is_some_and(is_old) {
                self.reported_at.pop_front();
            }
            self.reported_at.push_back(at);
            if self.reported_at.len() > MOST_PAIRS {
                self.are_off = true;
                events.warn(format!(
                    "more than {MOST_PAIRS} pairs of nodes came or went within a second: there \
                     are no more events `neighbour`; neighbours.parquet has samples"
                ));
                return;
            }
            events.record_at(at, what);
        }
    }
}

/// Reports the positions of nodes that move.
#[derive(Default)]
struct PositionReports {
    known: BTreeMap<String, [f64; 3]>,
    /// Time before which nothing is reported.
    next: Time,
}

impl PositionReports {
    /// Returns whether positions are to be reported at `now`.
    fn are_due(&self, now: Time) -> bool {
        now >= self.next
    }

    fn report(&mut self, now: Time, places: &BTreeMap<String, [f64; 3]>, events: &EventLog) {
        if places.is_empty() {
            return;
        }
        let seconds = places.len() as f64 / MOST_POSITIONS as f64;
        self.next = now + Duration::from_nanos((seconds * 1e9) as u64);
        let has_moved = |(node, place): &(&String, &[f64; 3])| {
            self.known.get(*node).is_none_or(|known| {
                known.iter().zip(*place).any(|(known, is)| (known - is).abs() >= STILL)
            })
        };
        let moved: Vec<(&String, &[f64; 3])> = places.iter().filter(has_moved).collect();
        if moved.is_empty() {
            return;
        }
        let column = |axis: usize| moved.iter().map(|(_, place)| place[axis]).collect();
        let nodes = moved.iter().map(|(node, _)| (*node).clone()).collect();
        events.record_at(now, What::Positions { nodes, x: column(0), y: column(1), z: column(2) });
        let moved: Vec<_> = moved.into_iter().map(|(node, at)| (node.clone(), *at)).collect();
        self.known.extend(moved);
    }
}
