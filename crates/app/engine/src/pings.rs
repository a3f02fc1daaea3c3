//! Echo requests between nodes, from sockets of the engine in their network namespaces. They
//! therefore need no programs and no files in the node.

use std::collections::HashMap;
use std::net::{IpAddr, SocketAddr};
use std::os::fd::OwnedFd;
use std::sync::Arc;
use std::time::{Duration, Instant};

use anyhow::{Context, Result};
use netloom_api::ping::{Family, PingRequest, Reach};
use netloom_fabric::LinkId;
use netloom_ports::checksum;
use netloom_scenario::Link;
use tokio::net::UdpSocket;
use tokio::sync::Semaphore;
use tokio::task::JoinSet;

use crate::interfaces::Addresses;
use crate::live::LiveNetwork;

/// Number of nodes that ask at a time.
const NODES_AT_ONCE: usize = 16;
/// Time between two tries, and the least time to wait for an answer to the last one.
const INTERVAL: Duration = Duration::from_secs(1);
/// Number of requests that leave together. More would overflow queues that are otherwise idle.
const BURST: usize = 16;
const PAUSE: Duration = Duration::from_millis(2);

/// Lets every node of a request ping every other. Returns the outcomes in the order of the nodes.
/// Nodes without an address in a family neither ping nor are pinged in it.
pub async fn ping(network: &Arc<LiveNetwork>, request: PingRequest) -> Result<Vec<Reach>> {
    let addresses = addresses(network)?;
    let deployment = network.deployment();
    let address = |node: &str, family: Family| {
        let mut all = addresses.get(node).into_iter().flatten();
        all.find(|address| family.has(**address)).copied()
    };
    let turns = Arc::new(Semaphore::new(NODES_AT_ONCE));
    let mut asking = JoinSet::new();
    for (place, from) in request.nodes.iter().enumerate() {
        deployment.process_node(from)?;
        for family in &request.families {
            let others = request.nodes.iter().filter(|to| *to != from);
            let targets = others.filter_map(|to| Some((to.clone(), address(to, *family)?)));
            let targets: Vec<_> = targets.collect();
            if targets.is_empty() || address(from, *family).is_none() {
                continue;
            }
            let asker =
                Asker { from: from.clone(), family: *family, targets, tries: request.tries };
            let (turns, network) = (turns.clone(), network.clone());
            asking.spawn(async move {
                // The semaphore is never closed.
                let _turn = turns.acquire().await;
                (place, asker.ask(&network).await)
            });
        }
    }
    let mut outcomes = vec![];
    while let Some(asked) = asking.join_next().await {
        outcomes.push(asked.context("a node's pings have panicked")?);
    }
    outcomes.sort_by_key(|(place, _)| *place);
    Ok(outcomes.into_iter().flat_map(|(_, reached)| reached).collect())
}

/// Returns the addresses of nodes, by name. The first of a family is pinged.
fn addresses(network: &LiveNetwork) -> Result<HashMap<String, Vec<IpAddr>>> {
    let found = tokio::task::block_in_place(|| network.with(|live| Addresses::now(&live.network)))?;
    let deployment = network.deployment();
    let nodes = deployment.mine.plan.nodes.iter();
    Ok(nodes.map(|node| (node.name.clone(), found.of_node(node))).collect())
}

/// A node that asks others in one address family.
struct Asker {
    from: String,
    family: Family,
    targets: Vec<(String, IpAddr)>,
    tries: u16,
}

impl Asker {
    async fn ask(self, network: &LiveNetwork) -> Vec<Reach> {
        let mut reached: Vec<Reach> = self
            .targets
            .iter()
            .map(|(to, address)| Reach {
                from: self.from.clone(),
                to: to.clone(),
                address: *address,
                sent: 0,
                rtt_ms: None,
                error: None,
            })
            .collect();
        match self.socket(network) {
            Ok(socket) => {
                let slowness = network.clock().dilation().as_f64();
                let longest = longest_round_trip(network);
                self.exchange(&socket, slowness, longest, &mut reached).await;
            }
            Err(error) => {
                let words = netloom_api::in_words(error.as_ref());
                reached.iter_mut().for_each(|reach| reach.error = Some(words.clone()));
            }
        }
        reached
    }

    fn socket(&self, network: &LiveNetwork) -> Result<UdpSocket> {
        let v6 = self.family == Family::Ipv6;
        let socket: OwnedFd = tokio::task::block_in_place(|| {
            network.with(|live| Ok(live.network.inside(&self.from)?.ping_socket(v6)?))
        })?;
        // An ICMP socket sends and receives like a UDP socket.
        Ok(UdpSocket::from_std(socket.into())?)
    }

    /// Sends and receives until all have answered, or no answer to the last try can come any more.
    /// `slowness` is the factor by which the experiment is slower than the machine, and `longest`
    /// how long answers take over its slowest way.
    async fn exchange(
        &self,
        socket: &UdpSocket,
        slowness: f64,
        longest: Duration,
        reached: &mut [Reach],
    ) {
        // Other pings from this node have other ids.
        let id = rand_id();
        // Packets take longer in a slow experiment.
        let slow = |time: Duration| time.mul_f64(slowness.max(1.0));
        let mut sent_at: Vec<Vec<Instant>> = vec![Vec::new(); reached.len()];
        let mut buffer = vec![0; 2048];
        for number in 0..self.tries {
            let is_last = number + 1 == self.tries;
            let wait = if is_last { INTERVAL.max(longest) } else { INTERVAL };
            let deadline = Instant::now() + slow(wait);
            for (index, reach) in reached.iter_mut().enumerate() {
                if reach.rtt_ms.is_some() {
                    continue;
                }
                reach.sent += 1;
                sent_at[index].push(Instant::now());
                let request = Request { target: index as u32, number };
                let message = echo_request(self.family, id, request);
                let sent = socket.send_to(&message, SocketAddr::new(reach.address, 0)).await;
                reach.error = sent.err().map(|error| error.to_string());
                if index % BURST == BURST - 1 {
                    tokio::time::sleep(PAUSE).await;
                }
            }
            while reached.iter().any(|reach| reach.rtt_ms.is_none()) {
                let received =
                    tokio::time::timeout_at(deadline.into(), socket.recv_from(&mut buffer));
                let Ok(Ok((length, from))) = received.await else { break };
                let reply = echo_reply(self.family, id, &buffer[..length]);
                let Some(Request { target, number }) = reply else { continue };
                let Some(reach) = reached.get_mut(target as usize) else { continue };
                let Some(sent) = sent_at[target as usize].get(usize::from(number)) else {
                    continue;
                };
                if reach.address == from.ip() && reach.rtt_ms.is_none() {
                    reach.rtt_ms = Some(sent.elapsed().as_secs_f64() * 1e3 / slowness);
                }
            }
        }
    }
}

/// Returns how long an answer takes over the slowest way, by the delays that links have now.
fn longest_round_trip(network: &LiveNetwork) -> Duration {
    let mut delays: HashMap<LinkId, netloom_units::Duration> = HashMap::new();
    let pipes = tokio::task::block_in_place(|| network.with(|live| Ok(live.dataplane.pipes()?)));
    for pipe in pipes.unwrap_or_default() {
        let delay = delays.entry(pipe.id.link).or_default();
        *delay = pipe.config.delay.most().max(*delay);
    }
    let deployment = network.deployment();
    let now = |link: &Link| delays.get(deployment.links.get(&link.name)?).copied();
    let way = netloom_plan::slowest_way_now(&deployment.whole.scenario, now);
    (way + way).into()
}

/// The request that a reply answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Request {
    target: u32,
    /// Number of the try.
    number: u16,
}

/// Returns an id that distinguishes replies to us from others.
fn rand_id() -> u16 {
    use std::hash::{BuildHasher, RandomState};
    RandomState::new().hash_one(()) as u16
}

/// Makes an ICMP or ICMPv6 echo request. The kernel writes the checksum of ICMPv6.
fn echo_request(family: Family, id: u16, request: Request) -> Vec<u8> {
    let kind = match family {
        Family::Ipv4 => 8,
        Family::Ipv6 => 128,
    };
    let mut message = vec![kind, 0, 0, 0];
    message.extend(id.to_be_bytes());
    message.extend(request.number.to_be_bytes());
    message.extend(request.target.to_be_bytes());
    message.extend([0; 44]);
    if family == Family::Ipv4 {
        let sum = !checksum::sum(&message);
        message[2..4].copy_from_slice(&sum.to_be_bytes());
    }
    message
}

/// Returns the request that a reply to us answers. Packets from an IPv4 ICMP socket begin with an
/// IPv4 header.
fn echo_reply(family: Family, id: u16, packet: &[u8]) -> Option<Request> {
    let (kind, message) = match family {
        Family::Ipv4 => (0, packet.get(usize::from(packet.first()? & 15) * 4..)?),
        Family::Ipv6 => (129, packet),
    };
    let [found, _, _, _, id_high, id_low, high, low, a, b, c, d] = *message.first_chunk()?;
    let is_ours = found == kind && u16::from_be_bytes([id_high, id_low]) == id;
    let target = u32::from_be_bytes([a, b, c, d]);
    is_ours.then(|| Request { target, number: u16::from_be_bytes([high, low]) })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_reply_is_distinguished_from_what_others_receive() {
        let seventh = Request { target: 70_000, number: 7 };
        let request = echo_request(Family::Ipv4, 0x1234, seventh);
        assert_eq!(!checksum::sum(&request), 0, "with its own sum, it is zero");
        let mut packet = vec![0x45; 20];
        packet.extend(&request);
        assert_eq!(echo_reply(Family::Ipv4, 0x1234, &packet), None, "that is a request");
        packet[20] = 0;
        assert_eq!(echo_reply(Family::Ipv4, 0x1234, &packet), Some(seventh));
        assert_eq!(echo_reply(Family::Ipv4, 0x1235, &packet), None);
        assert_eq!(echo_reply(Family::Ipv4, 0x1234, &packet[..24]), None);
        assert_eq!(echo_reply(Family::Ipv4, 0x1234, &[]), None);
        let mut message = echo_request(Family::Ipv6, 1, seventh);
        message[0] = 129;
        assert_eq!(echo_reply(Family::Ipv6, 1, &message), Some(seventh));
    }
}
