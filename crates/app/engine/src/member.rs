//! The part of an engine that is a member of an experiment on several machines: how it meets the
//! others, when it begins, and what it hears of them. Not here: who orders that (the lead), and
//! what is exchanged (`netloom_api::member`).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration as Patience, Instant};

use anyhow::{Context, Result, anyhow, bail};
use futures_util::StreamExt;
use netloom_api::event::EndReason;
use netloom_api::launch::StartUp;
use netloom_api::member::{
    ClockStatus, CrossingStatus, Doors, Kept, Member, Order, PULSE, PeerStatus as Status, Said,
};
use netloom_api::state::{LinkStatus, PipeStatus};
use netloom_dataplane::{
    ClockFault, CrossedFrames, CrossedPipe, Doors as Sockets, PeerId, PeerStatus, Secret, Tunnels,
};
use netloom_fabric::PipeId;
use netloom_link::Direction;
use netloom_monitor::{Observation, SignalKind, Subject};
use netloom_results::Results;
use netloom_units::{Duration, Time};
use netloom_watch::lines;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::watch;

use crate::client::{say, say_event};
use crate::deployment::Deployment;
use crate::experiment::Experiment;
use crate::live::LiveNetwork;
use crate::monitoring::DATA_PLANE;

/// Longest time until the clocks of all others are known.
const MEETING: Patience = Patience::from_secs(10);
/// Time between two looks at the clocks.
const STEP: Patience = Patience::from_millis(10);
/// How exactly clocks must be known, if no shortest delay between machines allows for more.
const TOLERANCE: Duration = Duration::from_micros(100);
/// Time between two looks for machines that are silent.
const LOOK: Patience = Patience::from_millis(250);
/// Longest time to learn at the end what others have sent.
const PARTING: Patience = Patience::from_millis(500);

/// Where the orders of the lead are put.
pub type OrdersIn = UnboundedSender<Order>;

/// A member among the others, with the orders of their lead.
pub struct Company {
    member: Arc<Member>,
    orders: UnboundedReceiver<Order>,
}

/// Says each second that this machine is there, as long as this process is.
pub fn be_there() {
    std::thread::spawn(|| {
        loop {
            say(&StartUp::Member(Said::Here));
            std::thread::sleep(PULSE);
        }
    });
}

impl Company {
    /// Returns the company of an engine that is a member, and where it takes orders.
    pub fn of(experiment: &Experiment) -> Option<(Self, OrdersIn)> {
        let member = experiment.network.deployment().member.clone()?;
        let (sender, orders) = unbounded_channel();
        Some((Self { member, orders }, sender))
    }

    async fn next(&mut self) -> Result<Order> {
        loop {
            match self.orders.recv().await.context("the lead of the experiment went away")? {
                Order::Here => {}
                Order::Abandon { why } => bail!("the experiment was abandoned: {why}"),
                order => return Ok(order),
            }
        }
    }

    /// Exchanges doors with the others, and waits until their clocks are known.
    pub async fn meet(&mut self, experiment: &Experiment) -> Result<()> {
        let member = Arc::clone(&self.member);
        let network = &experiment.network;
        say(&StartUp::Member(Said::Doors(doors(network)?)));
        let Order::Meet { doors } = self.next().await? else { return Err(unexpected("meet")) };
        network.with_deployment(|live, deployment| {
            for (machine, doors) in doors.iter().filter(|(name, _)| **name != member.name) {
                let number = peer(&member, machine);
                let number = number.with_context(|| format!("there is no machine `{machine}`"))?;
                // Those that it shares with this machine, not with a third one.
                let shared = |name: &str| deployment.mine.scenario.link(name).is_some();
                let links = doors.links.iter().filter(|(name, _)| shared(name));
                let links =
                    links.filter_map(|(name, at)| Some((*deployment.links.get(name)?, *at)));
                let sockets = Sockets { clock: doors.clock, links: links.collect() };
                live.dataplane
                    .connect_peer(number, &sockets)
                    .with_context(|| format!("cannot exchange frames with `{machine}`"))?;
            }
            Ok(())
        })?;
        await_clocks(network, &member).await
    }

    /// Says that all is ready, and returns the zero that all machines have agreed on, by the
    /// engine's clock.
    pub async fn agree(&mut self, experiment: &Experiment) -> Result<Time> {
        let network = &experiment.network;
        say(&StartUp::Member(Said::Ready { clocks: clocks(network, &self.member)? }));
        loop {
            match self.next().await? {
                Order::Propose { ahead } => {
                    let ahead = i64::try_from(ahead.as_nanos()).unwrap_or(i64::MAX);
                    say(&StartUp::Member(Said::Zero { zero: monotonic().saturating_add(ahead) }));
                }
                Order::Begin { zero } => {
                    let ours = ours(network, zero)?;
                    let ahead = ours - monotonic();
                    say(&StartUp::Member(Said::Begins { ahead }));
                    // Everything here begins that much too late.
                    let late = Duration::from_nanos(ahead.min(0).unsigned_abs());
                    experiment.monitor.observe(&Observation::Event { late });
                    let ours = u64::try_from(ours).context("the zero is before this machine's")?;
                    return Ok(network.clock().at_machine(ours));
                }
                _ => return Err(unexpected("begin")),
            }
        }
    }

    /// Follows the orders of the lead while the run goes.
    pub fn follow(self, experiment: Arc<Experiment>, results: &Results) -> Followed {
        let Self { member, mut orders } = self;
        let deployment = experiment.network.deployment();
        let name = &deployment.whole.scenario.name;
        let at_first = clocks(&experiment.network, &member).unwrap_or_default();
        let kept = Kept { at_first, ..Kept::of(&member, name) };
        keep(&kept, results, &experiment);
        let lines = lines(experiment.state.events.feed.clone(), 0);
        tokio::spawn(lines.for_each(async |line| say_event(&line.json)));
        tokio::spawn(listen(Arc::clone(&experiment), Arc::clone(&member)));
        let (parts, parting) = watch::channel(Parting::NotYet);
        tokio::spawn(async move {
            let Experiment { state, end, .. } = &*experiment;
            while let Some(order) = orders.recv().await {
                match order {
                    Order::Process { process, node, state: reached, at } => {
                        let at = state.begun().signed_nanos().saturating_add(at.signed_nanos());
                        let at = Time::from_signed_nanos(at);
                        state.process_table.set(&process, &node, reached, at);
                    }
                    Order::Complete => end.ask(EndReason::Completed),
                    Order::Interrupt => end.ask(EndReason::Interrupted),
                    Order::Part => _ = parts.send(Parting::Begun),
                    Order::Leave => _ = parts.send(Parting::Over),
                    Order::Abandon { why } => {
                        state.events.warn(format!("the run was ended: {why}"));
                        end.ask(EndReason::Interrupted);
                        // One of the others is not there any more.
                        _ = parts.send(Parting::Over);
                    }
                    Order::Here => {}
                    // They belong to the start.
                    Order::Meet { .. } | Order::Propose { .. } | Order::Begin { .. } => {}
                }
            }
        });
        Followed { member, parting, kept }
    }
}

/// Tells the monitor how exactly the others' clocks are known, and the lead of machines from which
/// nothing comes any more, until the network is taken down.
async fn listen(experiment: Arc<Experiment>, member: Arc<Member>) {
    let (network, monitor) = (&experiment.network, &experiment.monitor);
    let ways = Ways::of(&network.deployment());
    for (number, machine) in (0..).zip(&member.machines) {
        let what = Subject::Machine(number);
        monitor.observe(&Observation::Named { what, name: machine.clone() });
    }
    let (mut silent, mut is_first) = (BTreeSet::new(), true);
    let mut known = BTreeMap::new();
    loop {
        let Ok(peers) = tokio::task::block_in_place(|| peers(network)) else { return };
        let now = network.now();
        for PeerStatus { peer, heard, clock, round_trip, clock_faults, .. } in peers {
            if let Some(line) = clock {
                let bound = Duration::from_nanos(line.offset(monotonic()).bound);
                let (machine, limit) = (peer.0, ways.limit(peer));
                // Those before the run are none of its own.
                let first = clock_faults.last().map_or(0, |fault| fault.number + 1);
                let seen = std::mem::replace(known.entry(peer).or_insert(first), first);
                for fault in clock_faults.iter().filter(|fault| fault.number >= seen) {
                    let bound = wrong_by(fault, bound, limit);
                    monitor.observe(&Observation::ClockBound { machine, bound, limit });
                }
                monitor.observe(&Observation::ClockBound { machine, bound, limit });
                let half = Duration::from_nanos(round_trip.unwrap_or_default().as_nanos() / 2);
                let way = half + bound;
                for (pipe, lacks) in ways.uncovered(&member, peer, way).filter(|_| is_first) {
                    monitor.observe(&Observation::Uncovered { pipe, lacks });
                }
            }
            let lasted = network.clock().dilation().to_machine(now.since(heard.unwrap_or(now)));
            if lasted > member.lost_after && silent.insert(peer) {
                let machine = name(&member, peer).to_owned();
                say(&StartUp::Member(Said::Silent { machine, lasted }));
            }
        }
        is_first = false;
        tokio::time::sleep(LOOK).await;
    }
}

/// Returns how much may have been wrong with what was known of a clock, whose bound is said to be
/// `bound`. After a jump that may be anything, so it is more than the limit.
fn wrong_by(fault: &ClockFault, bound: Duration, limit: Duration) -> Duration {
    let by = bound + fault.by;
    if fault.is_step { by.max(limit + Duration::from_nanos(1)) } else { by }
}

/// The pipes to and from other machines.
struct Ways(Vec<Way>);

/// A pipe to or from another machine.
struct Way {
    peer: PeerId,
    link: String,
    /// Its number for the monitor.
    pipe: u32,
    /// Shortest time that frames ever propagate on it.
    least: Duration,
}

impl Ways {
    fn of(deployment: &Deployment) -> Self {
        let scenario = &deployment.whole.scenario;
        let mut ways = Vec::new();
        for (link, least) in scenario.links.iter().zip(scenario.least_propagations()) {
            let (Some(peer), Some(id)) = (deployment.peer(link), deployment.links.get(&link.name))
            else {
                continue;
            };
            ways.extend(Direction::BOTH.map(|direction| Way {
                peer,
                link: link.name.clone(),
                pipe: u32::try_from(PipeId { link: *id, direction }.index()).unwrap_or(u32::MAX),
                least: least[direction.index()],
            }));
        }
        Self(ways)
    }

    /// Returns what crossed a pipe, and its slack as far as the other machine's clock is known.
    fn crossing(
        &self,
        crossed: &CrossedPipe,
        clock: Option<ClockStatus>,
    ) -> Option<CrossingStatus> {
        let pipe = u32::try_from(crossed.pipe.index()).ok()?;
        let way = self.0.iter().find(|way| way.pipe == pipe)?;
        let slack = clock.map(|clock| {
            let taken = i64::try_from(clock.round_trip / 2 + clock.bound).unwrap_or(i64::MAX);
            i64::try_from(way.least.as_nanos()).unwrap_or(i64::MAX).saturating_sub(taken)
        });
        let (leads_there, sent, lost, refused) = match crossed.counts {
            CrossedFrames::Sent { left, full, unconnected } => (true, left, full + unconnected, 0),
            CrossedFrames::Received { sent, lost, refused, .. } => (false, sent, lost, refused),
        };
        Some(CrossingStatus {
            link: way.link.clone(),
            direction: crossed.pipe.direction.name().to_owned(),
            leads_there,
            sent,
            lost,
            refused,
            least: way.least,
            slack,
        })
    }

    /// Returns how exactly the clock of a peer must be known: to 100 µs, or a hundredth of the
    /// least delay between the two machines.
    fn limit(&self, peer: PeerId) -> Duration {
        let least = self.0.iter().filter(|way| way.peer == peer).map(|way| way.least).min();
        let part = least.map_or(0, |least| least.as_nanos() / 100);
        TOLERANCE.max(Duration::from_nanos(part))
    }

    /// Returns how exactly the clock of a peer must be known before the run begins: as it must be
    /// known in the run, or as well as the way there lets it be, since whoever answers may have
    /// needed anything up to the round trip for either half.
    fn needed(&self, peer: &PeerStatus) -> Duration {
        let half = peer.round_trip.unwrap_or_default().as_nanos() / 2;
        self.limit(peer.peer).max(Duration::from_nanos(half) + TOLERANCE)
    }

    /// Returns the pipes that are shorter than the way to their machine, and by how much: by what
    /// the lead knows, and by what was measured, `way`.
    fn uncovered(
        &self,
        member: &Member,
        peer: PeerId,
        way: Duration,
    ) -> impl Iterator<Item = (u32, Duration)> {
        self.0.iter().filter(move |one| one.peer == peer).filter_map(move |one| {
            let known = member.uncovered.get(&one.link).copied().unwrap_or_default();
            let lacks = known.max(way.saturating_sub(one.least));
            (lacks > Duration::ZERO).then_some((one.pipe, lacks))
        })
    }
}

/// How far members are in telling each other what they have sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Parting {
    NotYet,
    Begun,
    /// All have heard it, or one will not hear it any more.
    Over,
}

/// A member whose run goes.
pub struct Followed {
    member: Arc<Member>,
    parting: watch::Receiver<Parting>,
    kept: Kept,
}

impl Followed {
    /// Waits until nothing is sent on any machine, and learns what others have sent.
    pub async fn part(&mut self, experiment: &Experiment, results: &Results) -> Result<()> {
        say(&StartUp::Member(Said::Over));
        // Fails if the lead is gone, and nothing more comes from it.
        let _ = self.parting.wait_for(|parting| *parting >= Parting::Begun).await;
        let network = &experiment.network;
        let silent = tokio::task::block_in_place(|| {
            network.with(|live| Ok(live.dataplane.end_tunnels(PARTING)?))
        })?;
        // Until then, this machine tells those that began to listen later.
        say(&StartUp::Member(Said::Heard));
        let over = self.parting.wait_for(|parting| *parting == Parting::Over);
        let _ = tokio::time::timeout(PARTING, over).await;
        for peer in silent {
            let why = format!(
                "`{}` did not tell at the end what it had sent: frames that were lost last are \
                 not counted",
                name(&self.member, peer)
            );
            experiment.state.events.warn(why.clone());
            let (signal, probe) = (SignalKind::UnmodelledDrop, DATA_PLANE.into());
            experiment.monitor.observe(&Observation::Unwatched { signal, probe, why });
        }
        let clocks = clocks(network, &self.member).unwrap_or_default();
        self.kept.at_last.clone_from(&clocks);
        keep(&self.kept, results, experiment);
        say(&StartUp::Member(Said::Ended { clocks }));
        Ok(())
    }
}

/// Keeps what a merge needs, in case that the lead does not live to do it.
fn keep(kept: &Kept, results: &Results, experiment: &Experiment) {
    if let Err(error) = results.keep_member(kept) {
        experiment.state.events.warn(netloom_api::in_words(error.as_ref()));
    }
}

/// Returns what is known of the other machines, and what crosses between them and this one. Nothing
/// if there are none.
pub fn machines(network: &LiveNetwork) -> Result<Vec<Status>> {
    let deployment = network.deployment();
    let Some(member) = deployment.member.as_deref() else { return Ok(Vec::new()) };
    let (ways, now) = (Ways::of(&deployment), network.now());
    let clocks = clocks(network, member)?;
    let status = |peer: PeerStatus| {
        let machine = name(member, peer.peer).to_owned();
        let clock = clocks.get(&machine).copied();
        let machine_time = network.clock().dilation();
        let pipes = peer.pipes.iter().filter_map(|crossed| ways.crossing(crossed, clock));
        let refused = peer.refused;
        Status {
            clock,
            silent: peer.heard.map(|heard| machine_time.to_machine(now.since(heard))),
            probes: peer.probes,
            lost_probes: peer.lost_probes,
            clock_faults: peer.clock_faults.last().map_or(0, |fault| fault.number + 1),
            refused: refused.all(),
            trouble: peer.trouble.clone(),
            pipes: pipes.collect(),
            machine,
        }
    };
    Ok(peers(network)?.into_iter().map(status).collect())
}

/// Counts at the pipes from other machines what was lost on the way or not taken here. How long
/// those frames were is not known.
///
/// # Errors
/// If the network is gone.
pub fn count_losses(network: &LiveNetwork, links: &mut [LinkStatus]) -> Result<()> {
    for crossing in machines(network)?.into_iter().flat_map(|peer| peer.pipes) {
        let link = links.iter_mut().find(|link| link.name == crossing.link);
        let pipe = link.map(|link| match crossing.direction == Direction::Forward.name() {
            true => &mut link.forward,
            false => &mut link.reverse,
        });
        if let (false, Some(PipeStatus::Modelled(pipe))) = (crossing.leads_there, pipe) {
            pipe.statistics.lost_unmodelled.frames += crossing.lost + crossing.refused;
        }
    }
    Ok(())
}

/// Returns how the data plane of a member exchanges frames with others.
///
/// # Errors
/// If the lead's orders contradict each other.
pub fn tunnels(member: &Member) -> Result<Tunnels> {
    let others = member.machines.iter().filter(|name| **name != member.name);
    let secret = member.secret.as_deref().map(|digits| {
        secret(digits).context("the secret of the experiment is not 64 hexadecimal digits")
    });
    Ok(Tunnels {
        me: peer(member, &member.name).context("this machine is none of the experiment's")?,
        peers: others.filter_map(|name| peer(member, name)).collect(),
        session: member.session,
        bind: member.frames,
        ports: member.ports.map_or(0..=0, |[first, last]| first..=last),
        datagram: member.datagram,
        secret: secret.transpose()?,
    })
}

/// Reads a secret, as the lead has written it.
fn secret(digits: &str) -> Option<Secret> {
    let mut bytes = [0; 32];
    for (place, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(digits.get(2 * place..2 * place + 2)?, 16).ok()?;
    }
    Some(Secret::new(bytes))
}

/// Returns the number of a machine in the data plane.
pub fn peer(member: &Member, machine: &str) -> Option<PeerId> {
    Some(PeerId(u32::try_from(member.number(machine)?).ok()?))
}

/// Returns where this machine takes what others send.
fn doors(network: &LiveNetwork) -> Result<Doors> {
    network.with_deployment(|live, deployment| {
        let sockets = live.dataplane.tunnel_doors();
        let sockets = sockets.context("the data plane has no sockets for other machines")?;
        let names: BTreeMap<_, _> =
            deployment.modelled_links().map(|(id, link)| (id, link.name.clone())).collect();
        let links = sockets.links.iter();
        let links = links.filter_map(|(id, at)| Some((names.get(id)?.clone(), *at)));
        Ok(Doors { clock: sockets.clock, links: links.collect() })
    })
}

/// Waits until the clock of each other machine is known well enough.
async fn await_clocks(network: &LiveNetwork, member: &Member) -> Result<()> {
    let until = Instant::now() + MEETING;
    let ways = Ways::of(&network.deployment());
    loop {
        let peers = peers(network)?;
        let now = monotonic();
        let known = |peer: &PeerStatus| {
            let needed = ways.needed(peer).as_nanos();
            peer.clock.is_some_and(|line| line.offset(now).bound <= needed)
        };
        let Some(unknown) = peers.iter().find(|peer| !known(peer)) else { return Ok(()) };
        if Instant::now() > until {
            let machine = name(member, unknown.peer);
            let me = &member.name;
            bail!(match unknown.clock {
                None => format!(
                    "`{machine}` does not answer `{me}`: {} questions about its clock, no answer; \
                     does something between them block UDP?",
                    unknown.probes
                ),
                Some(line) => format!(
                    "`{me}` knows the clock of `{machine}` only to {}, and {} are needed: the way \
                     between them is too slow or too busy",
                    Duration::from_nanos(line.offset(now).bound),
                    ways.needed(unknown)
                ),
            });
        }
        tokio::time::sleep(STEP).await;
    }
}

fn name(member: &Member, peer: PeerId) -> &str {
    let place = usize::try_from(peer.0).unwrap_or(usize::MAX);
    member.machines.get(place).map_or("?", String::as_str)
}

fn peers(network: &LiveNetwork) -> Result<Vec<PeerStatus>> {
    network.with(|live| Ok(live.dataplane.peers()?))
}

/// Returns what is known of the others' clocks.
pub fn clocks(network: &LiveNetwork, member: &Member) -> Result<BTreeMap<String, ClockStatus>> {
    let now = monotonic();
    let known = |peer: PeerStatus| {
        let line = peer.clock?;
        let offset = line.offset(now);
        let status = ClockStatus {
            offset: offset.middle,
            bound: offset.bound,
            drift: (line.rate * 1e9).round() as i64,
            round_trip: peer.round_trip.unwrap_or_default().as_nanos(),
        };
        Some((name(member, peer.peer).to_owned(), status))
    };
    Ok(peers(network)?.into_iter().filter_map(known).collect())
}

/// Converts a time of the first machine's clock to ours.
fn ours(network: &LiveNetwork, theirs: i64) -> Result<i64> {
    let first = PeerId(0);
    let line = network.with_deployment(|live, deployment| {
        let member = deployment.member.as_deref();
        let is_first = member.is_some_and(|member| member.number(&member.name) == Some(0));
        Ok((!is_first).then(|| live.dataplane.peer_clock(first)))
    })?;
    match line {
        None => Ok(theirs),
        Some(Some(line)) => Ok(line.to_ours(theirs).time),
        Some(None) => bail!("the clock of the first machine is not known any more"),
    }
}

fn unexpected(wanted: &str) -> anyhow::Error {
    anyhow!("the lead was to say `{wanted}`, and said something else: this is a defect")
}

/// Returns `CLOCK_MONOTONIC`, in ns.
fn monotonic() -> i64 {
    i64::try_from(netloom_ports::monotonic()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_that_jumps_is_never_within_its_limit_and_one_that_is_steered_may_be() {
        let (since, micros) = (Time::ZERO, Duration::from_micros);
        let fault = |by, is_step| ClockFault { number: 0, since, by: micros(by), is_step };
        let (bound, limit) = (micros(20), micros(100));
        assert!(wrong_by(&fault(1, true), bound, limit) > limit);
        assert_eq!(wrong_by(&fault(900, true), bound, limit), micros(920));
        assert_eq!(wrong_by(&fault(1, false), bound, limit), micros(21));
        assert!(wrong_by(&fault(90, false), bound, limit) > limit);
    }
}
