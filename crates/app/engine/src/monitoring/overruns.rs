//! Packets for which nodes' sockets had no room, since the last look.

use std::collections::HashMap;

use anyhow::Result;
use netloom_monitor::{Buffer, Observation, Party, SignalKind};
use netloom_nodes::Overruns;
use netloom_units::{Duration, Time};

use super::node_looks::NodeLooks;
use crate::live::LiveNetwork;

/// Shortest period. A look enters every node's namespace, at some 100 µs each; with many nodes,
/// looks are rarer.
const PERIOD: Duration = Duration::from_secs(2);
/// Name of the probe in reports.
const NAME: &str = "nodes' stacks";

/// Looks at the nodes' stacks periodically, and once at the end.
pub struct OverrunProbe {
    looks: NodeLooks,
    /// The last counts of each node. A node that is added later starts at zero.
    known: HashMap<String, Overruns>,
}

impl OverrunProbe {
    /// Makes a probe that counts from now on.
    pub fn start(network: &LiveNetwork, sink: &mut dyn FnMut(Observation)) -> Self {
        let now = network.clock().machine_time(network.now());
        let known = counted(network).unwrap_or_default();
        sink(Observation::Watched {
            signal: SignalKind::Buffers,
            probe: NAME.into(),
            cannot_see: vec![
                "when, between two looks".into(),
                "packet sockets and raw sockets, and which program's buffer it was".into(),
            ],
            partial: false,
        });
        let looks = NodeLooks::new(now + PERIOD, PERIOD);
        Self { looks, known: known.into_iter().collect() }
    }

    /// Returns the time of the next look.
    pub fn due(&self) -> Time {
        self.looks.due()
    }

    /// Looks. Returns the CPU time that other threads spent on it.
    pub fn poll(
        &mut self,
        now: Time,
        network: &LiveNetwork,
        sink: &mut dyn FnMut(Observation),
    ) -> Duration {
        let deployment = network.deployment();
        let (counted, spent) = self.looks.look(now, network, || counted(network));
        // Fails only while the experiment is taken down, or for a node that is being removed.
        for (node, overruns) in counted.into_iter().flatten() {
            let before = self.known.insert(node.clone(), overruns).unwrap_or_default();
            let Some(party) = deployment.number(&node).map(Party::Node) else { continue };
            for (of, packets) in grown(&before, &overruns) {
                sink(Observation::Overrun { of, party, packets });
            }
        }
        spent
    }
}

/// Returns the counts of each node so far.
fn counted(network: &LiveNetwork) -> Result<Vec<(String, Overruns)>> {
    network.with(|live| Ok(live.network.counters().overruns()?))
}

/// Returns the counts that have grown, and by how much. A node that was made anew counts from zero.
fn grown(before: &Overruns, now: &Overruns) -> impl Iterator<Item = (Buffer, u64)> {
    let of = |counted: &Overruns| {
        let Overruns { udp_receive, udp_send, tcp_receive, listen } = *counted;
        [
            (Buffer::UdpReceive, udp_receive),
            (Buffer::UdpSend, udp_send),
            (Buffer::TcpReceive, tcp_receive),
            (Buffer::Listen, listen),
        ]
    };
    let more = |((buffer, now), (_, before)): ((Buffer, u64), (Buffer, u64))| {
        (buffer, if now < before { now } else { now - before })
    };
    of(now).into_iter().zip(of(before)).map(more).filter(|(_, packets)| *packets > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_has_grown_is_said_and_a_new_node_counts_from_zero() {
        let before = Overruns { udp_receive: 5, udp_send: 2, ..Overruns::default() };
        let now = Overruns { udp_receive: 8, udp_send: 2, listen: 1, ..Overruns::default() };
        let more: Vec<_> = grown(&before, &now).collect();
        assert_eq!(more, [(Buffer::UdpReceive, 3), (Buffer::Listen, 1)]);
        let anew = Overruns { udp_receive: 4, ..Overruns::default() };
        assert_eq!(grown(&before, &anew).collect::<Vec<_>>(), [(Buffer::UdpReceive, 4)]);
        assert_eq!(grown(&now, &now).count(), 0);
    }
}
