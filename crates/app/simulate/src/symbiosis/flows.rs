//! Compares flows between real hosts with their twins, period after period. Everything that one
//! host sends to another is one flow. Not here: how the difference is computed
//! (`netloom-symbiosis`).

use std::collections::BTreeMap;

use netloom_api::simulation::{FollowingFlow, ReceivedTotal};
use netloom_symbiosis::{Comparison, Difference, Received};

use super::{Metadata, Reports, Shrunk};

/// The flows of a run.
pub struct Flows {
    hosts: Vec<String>,
    all: BTreeMap<[u32; 2], Flow>,
}

#[derive(Default)]
struct Flow {
    comparison: Comparison,
    real: Received,
    twins: Received,
    most: Difference,
}

/// The difference of a flow from its twin.
#[derive(Debug, Clone, PartialEq)]
pub struct Differs {
    /// The sending and the receiving host.
    pub ends: [String; 2],
    /// The difference.
    pub difference: Difference,
}

impl Flows {
    /// Returns the flows between the hosts of a network.
    pub fn new(shrunk: &Shrunk) -> Self {
        let hosts = shrunk.hosts.iter().map(|host| host.name.clone()).collect();
        Self { hosts, all: BTreeMap::new() }
    }

    /// Adds a period. Returns how flows differ from their twins over the last ten periods.
    pub fn add(&mut self, metadata: &Metadata, reports: &Reports) -> Vec<Differs> {
        for ends in metadata.received.keys().chain(reports.received.keys()) {
            self.all.entry(*ends).or_default();
        }
        let hosts = &self.hosts;
        let differ = self.all.iter_mut().map(|(ends, flow)| {
            let of = |all: &BTreeMap<_, _>| all.get(ends).copied().unwrap_or_default();
            let difference = flow.add(of(&metadata.received), of(&reports.received));
            Differs { ends: ends.map(|host| hosts[host as usize].clone()), difference }
        });
        differ.collect()
    }

    /// Returns the flows for the summary of a run.
    pub fn summary(&self) -> Vec<FollowingFlow> {
        let all = self.all.iter().map(|(ends, flow)| {
            let [from, to] = ends.map(|host| self.hosts[host as usize].clone());
            let (twins, real) = (total(&flow.twins), total(&flow.real));
            let Difference { delay, throughput } = flow.most;
            FollowingFlow {
                from,
                to,
                twins,
                real,
                delay_difference: delay,
                throughput_difference: throughput,
            }
        });
        all.collect()
    }
}

impl Flow {
    fn add(&mut self, real: Received, twins: Received) -> Difference {
        self.real += real;
        self.twins += twins;
        let difference = self.comparison.add(real, twins);
        let most = |a: Option<f64>, b: Option<f64>| a.into_iter().chain(b).reduce(f64::max);
        self.most.delay = most(self.most.delay, difference.delay);
        self.most.throughput = most(self.most.throughput, difference.throughput);
        difference
    }
}

fn total(received: &Received) -> ReceivedTotal {
    let Received { frames, bytes, .. } = *received;
    ReceivedTotal { frames, bytes, delay_mean_ns: (received.mean_delay() * 1e9).round() as u64 }
}
