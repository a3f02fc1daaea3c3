//! Runs the traffic of the scenario: for each entry a receiver in its node, and a sender in each of
//! its senders' nodes, as processes of the run. Their reports are collected in `traffic.parquet`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use netloom_api::flow::without_route;
use netloom_gauge::generator::{
    Arrived, Ip, Order, REPLAY, Receive, ReceivedReport, Replay, Send, SendProtocol, Sent,
    SentReport, SoFar, Timebase,
};
use netloom_gauge::traffic::{Protocol, READY, ROLE};
use netloom_link::Delays;
use netloom_monitor::Purpose;
use netloom_plan::Plan;
use netloom_scenario::{
    Command, IpFamily, Milestone, Process, Ready, Scenario, Start, Traffic, Transport,
};
use netloom_traffic::{Model, ReplayConfig};
use netloom_units::{Duration, Time};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::instance::{self, Input};
use super::shared::Run;
use crate::metrics;
use crate::traffic_file::{TrafficRow, TrafficRows, Whole, headers};

/// Returns the processes of all entries, receivers first.
pub fn processes(scenario: &Scenario) -> Vec<Process> {
    let entries = || scenario.traffic.iter();
    let receivers = entries().filter(|entry| needs_receivers(entry)).map(receiver);
    receivers.chain(entries().map(sender)).collect()
}

/// Whether an entry needs receivers. Hosts answer echo requests by themselves, and the frames of a
/// capture have their own destinations.
pub fn needs_receivers(entry: &Traffic) -> bool {
    !matches!(entry.transport, Transport::Icmp | Transport::Frames | Transport::Fluid)
}

fn receiver(entry: &Traffic) -> Process {
    let start = Start::At(Duration::ZERO);
    let ready = Some(Ready::Output(READY.into()));
    let process = process(receiver_name(entry), entry.to.clone(), start, true);
    Process { ready, ..process }
}

fn sender(entry: &Traffic) -> Process {
    process(sender_name(entry), entry.from.clone(), entry.start.clone(), entry.background)
}

/// No process that a scenario names has a dot in its name.
fn receiver_name(entry: &Traffic) -> String {
    format!("{}.receiver", entry.name)
}

fn sender_name(entry: &Traffic) -> String {
    format!("{}.sender", entry.name)
}

fn process(name: String, nodes: Vec<String>, start: Start, background: bool) -> Process {
    let program = metrics::program().to_string_lossy().into_owned();
    Process {
        name,
        nodes,
        command: Command::Exec(vec![program, ROLE.into()]),
        env: BTreeMap::new(),
        start,
        // A sender may have ended before its readiness is tested.
        ready: None,
        background,
        keep: Vec::new(),
    }
}

/// Returns how times are converted in a node, for reports too.
fn timebase(run: &Run, node: &str) -> Result<Timebase, String> {
    let zero = run.network().zero_of(node);
    let (zero, within) = zero.map_err(|error| netloom_api::in_words(error.as_ref()))?;
    let deployment = run.network().deployment();
    if within > deployment.mine.scenario.monitor.trust.delay {
        run.events().warn(format!(
            "the clock of `{node}`, which has a kernel of its own, is known to {within} only: \
             one-way delays of its traffic may be wrong by that much; a machine with less to do \
             knows it better"
        ));
    }
    let way = netloom_plan::slowest_way(&deployment.whole.scenario);
    Ok(Timebase {
        zero,
        interval: deployment.mine.scenario.measure.flow_interval(),
        round_trip: way + way,
        drain: run.drain(),
        begin: None,
    })
}

/// Runs an entry's receiver in `node` to the end of the run.
pub async fn receive(run: Run, entry: Traffic, node: String) -> Result<(), String> {
    let timebase = timebase(&run, &node)?;
    let (dscp, congestion_control) = controls(&entry.transport);
    let serves = matches!(entry.model, Model::Http(_));
    let (is_tcp, port) = entry.transport.port().unwrap_or_default();
    let protocol = if is_tcp { Protocol::Tcp } else { Protocol::Udp };
    let ip = ip(&run, &entry)?;
    let receive = Receive { protocol, ip, port, serves, dscp, congestion_control, timebase };
    let order = in_json(&Order::Receive(receive))?;
    instance::live(run, receiver(&entry), node, Some(Input::Text(order))).await
}

/// Returns the version of IP that an entry uses.
fn ip(run: &Run, entry: &Traffic) -> Result<Ip, String> {
    match run.network().deployment().around().plan.family(entry) {
        Some(IpFamily::Ipv4) => Ok(Ip::V4),
        Some(IpFamily::Ipv6) => Ok(Ip::V6),
        None => Err(format!(
            "traffic `{}` leads to {}: without such an address of one family",
            entry.name,
            entry.to.join(", ")
        )),
    }
}

/// Returns the DSCP and the congestion control of an entry.
fn controls(transport: &Transport) -> (Option<u8>, Option<String>) {
    match transport {
        Transport::Icmp | Transport::Frames | Transport::Fluid => (None, None),
        Transport::Udp { dscp, .. } => (*dscp, None),
        Transport::Tcp { dscp, congestion_control, .. } => (*dscp, congestion_control.clone()),
    }
}

/// Runs the sender of an entry with this number, in its `node`, once its receivers are ready.
pub async fn send(run: Run, entry: Traffic, number: usize, seed: u64) -> Result<(), String> {
    let node = entry.from[number].clone();
    let mut process = sender(&entry);
    process.nodes = vec![node.clone()];
    let receiver = receiver_name(&entry);
    let ready = tokio::select! {
        ready = run.state().process_table.reached(&receiver, Milestone::Ready),
            if needs_receivers(&entry) => ready,
        () = run.end().asked(), if needs_receivers(&entry) => Ok(run.now()),
        else => Ok(run.now()),
    };
    // The receiver's failure is reported already, and the sender would be refused.
    if let Err(never) = ready {
        let state = netloom_api::state::ProcessState::NeverStarted;
        run.state().process_table.set(&process.name, &node, state, run.now());
        return Err(format!("`{}` in `{node}` was not started: {never}", process.name));
    }
    let mut timebase = timebase(&run, &node)?;
    if let Start::At(at) = process.start {
        timebase.begin = Some(at);
    }
    let input = match &entry.model {
        Model::Replay(config) => {
            let order = in_json(&replay(&run, &entry, config, timebase)?)?;
            if let Command::Exec(words) = &mut process.command {
                words.extend([REPLAY.into(), order]);
            }
            Input::File(config.file.clone().into())
        }
        _ => Input::Text(in_json(&sending(&run, &entry, number, seed, timebase)?)?),
    };
    instance::live(run, process, node, Some(input)).await
}

/// Makes the order to send traffic according to a model.
fn sending(
    run: &Run,
    entry: &Traffic,
    number: usize,
    seed: u64,
    timebase: Timebase,
) -> Result<Order, String> {
    let node = &entry.from[number];
    let (dscp, congestion_control) = controls(&entry.transport);
    let protocol = match &entry.transport {
        Transport::Icmp => SendProtocol::Icmp,
        Transport::Udp { .. } => SendProtocol::Udp,
        Transport::Tcp { .. } => SendProtocol::Tcp,
        // Captures have an order of their own.
        Transport::Frames => return Err("a capture is sent by `replay` only".into()),
        // The client refuses such runs before it starts an engine.
        Transport::Fluid => return Err("fluid traffic has no packets; simulate the run".into()),
    };
    Ok(Order::Send(Box::new(Send {
        protocol,
        to: entry.receivers(node),
        ip: ip(run, entry)?,
        port: entry.transport.port().unwrap_or_default().1,
        flow: u16::try_from(number).map_err(|_| "there are more than 65536 senders")?,
        model: entry.model.clone(),
        sizes: entry.sizes.clone(),
        seed,
        stream: entry.stream(node),
        time: entry.time,
        dscp,
        congestion_control,
        timebase,
    })))
}

/// Makes the order to send the frames of a capture.
fn replay(
    run: &Run,
    entry: &Traffic,
    config: &ReplayConfig,
    timebase: Timebase,
) -> Result<Replay, String> {
    let deployment = run.network().deployment();
    let plan = &deployment.around().plan;
    let name = &entry.name;
    let ([from], [to]) = (&entry.from[..], &entry.to[..]) else {
        return Err(format!("traffic `{name}` is not from one node to one"));
    };
    let family = plan.family(entry);
    let way = family.and_then(|family| plan.way(from, plan.known_as(to, family)?));
    let way = way.ok_or_else(|| {
        format!(
            "traffic `{name}`: the plan has no way from `{from}` to `{to}`, by which a capture \
             could leave; give `{from}` a route in `routes`"
        )
    })?;
    let addresses = config.rewrite.iter().map(|(address, node)| {
        let family = if address.is_ipv4() { IpFamily::Ipv4 } else { IpFamily::Ipv6 };
        let own = plan.known_as(node, family).ok_or_else(|| {
            format!("traffic `{name}`: `{node}` has no address of the family of {address}")
        });
        Ok((*address, own?))
    });
    let addresses = addresses.collect::<Result<_, String>>()?;
    Ok(Replay {
        config: config.clone(),
        interface: way.interface.name.clone(),
        from: way.interface.mac.0,
        to: way.next.0,
        mtu: way.interface.mtu,
        addresses,
        time: entry.time,
        timebase,
    })
}

fn in_json(order: &impl Serialize) -> Result<String, String> {
    serde_json::to_string(order).map_err(|error| format!("cannot write an order: {error}"))
}

/// Returns the reports of all entries as rows, and descriptions of missing ones.
pub fn collect(run: &Run, scenario: &Scenario, interval: Duration) -> (TrafficRows, Vec<String>) {
    let mut reports = AtEnd { run, missing: Vec::new() };
    let deployment = run.network().deployment();
    let rows = rows(scenario, &deployment.around().plan, interval, &mut reports);
    (rows, reports.missing)
}

/// Where the reports of processes come from.
pub(super) trait Reports {
    /// Returns what a sender has sent.
    fn sent(&mut self, process: &str, node: &str) -> Option<SentReport>;

    /// Returns what a receiver has received.
    fn received(&mut self, process: &str, node: &str) -> Option<ReceivedReport>;

    /// Looks at what a sender has sent and its receivers have received.
    fn look(
        &mut self,
        _entry: &Traffic,
        _from: &str,
        _sent: Option<&Sendings>,
        _arrived: Option<&Arrivals>,
    ) {
    }
}

/// Returns the reports of all entries as rows.
pub(super) fn rows(
    scenario: &Scenario,
    plan: &Plan,
    interval: Duration,
    reports: &mut impl Reports,
) -> TrafficRows {
    let mut all = TrafficRows::default();
    for entry in &scenario.traffic {
        let to = if needs_receivers(entry) { &entry.to[..] } else { &[] };
        let headers = headers(&entry.transport, plan.family(entry) == Some(IpFamily::Ipv6));
        let received: Vec<Option<ReceivedReport>> =
            to.iter().map(|node| reports.received(&receiver_name(entry), node)).collect();
        for (number, from) in entry.from.iter().enumerate() {
            let sent = reports.sent(&sender_name(entry), from);
            let returned = sent.as_ref().and_then(|sent| sent.returned.clone());
            let mut whole = whole(sent.as_ref(), &received, number);
            let arrived = match needs_receivers(entry) {
                true => arrivals(&received, number),
                false => returned,
            };
            let sent = sent.map(|sent| sent.intervals);
            let (sent, arrived) = match entry.model {
                Model::Http(_) => turned(sent, arrived),
                _ => (sent, arrived),
            };
            whole.time = time(scenario, entry, (sent.as_ref(), arrived.as_ref()), &whole.delays);
            all.wholes.insert((entry.name.clone(), from.clone()), whole);
            reports.look(entry, from, sent.as_ref(), arrived.as_ref());
            let keys = |of: Option<Vec<u64>>| of.into_iter().flatten();
            let mut numbers: Vec<u64> = keys(sent.as_ref().map(|of| of.keys().copied().collect()))
                .chain(keys(arrived.as_ref().map(|of| of.keys().copied().collect())))
                .collect();
            numbers.sort_unstable();
            numbers.dedup();
            all.rows.extend(numbers.into_iter().map(|number| TrafficRow {
                time: Duration::from_nanos(interval.as_nanos().saturating_mul(number + 1)),
                entry: entry.name.clone(),
                from: from.clone(),
                to: entry.receivers_in_words(from),
                has_flows: entry.has_transfers(),
                transport: entry.transport.clone(),
                headers,
                sent: sent.as_ref().map(|of| of.get(&number).copied().unwrap_or_default()),
                arrived: arrived.as_ref().map(|of| of.get(&number).copied().unwrap_or_default()),
            }));
        }
    }
    all
}

/// The reports that processes have printed at their ends.
struct AtEnd<'r> {
    run: &'r Run,
    missing: Vec<String>,
}

impl AtEnd<'_> {
    /// Returns the report of a process, if it ran on this machine.
    fn report<T: DeserializeOwned>(&mut self, process: &str, node: &str) -> Option<T> {
        let is_here = self.run.network().deployment().is_here(node);
        if is_here { report(self.run, process, node, &mut self.missing) } else { None }
    }
}

impl Reports for AtEnd<'_> {
    fn sent(&mut self, process: &str, node: &str) -> Option<SentReport> {
        self.report(process, node)
    }

    fn received(&mut self, process: &str, node: &str) -> Option<ReceivedReport> {
        self.report(process, node)
    }

    fn look(
        &mut self,
        entry: &Traffic,
        from: &str,
        sent: Option<&Sendings>,
        arrived: Option<&Arrivals>,
    ) {
        warn_of_unresolved(self.run, entry, from, (sent, arrived));
        warn_of_refused(self.run, entry, from, sent);
        warn_of_late(self.run, entry, from, sent);
    }
}

/// Warns of datagrams that never left a node, because it did not get to know the Ethernet address
/// of its next hop.
fn warn_of_unresolved(
    run: &Run,
    entry: &Traffic,
    from: &str,
    (sent, arrived): (Option<&BTreeMap<u64, Sent>>, Option<&Arrivals>),
) {
    let (Transport::Udp { .. }, Some(sent), Some(arrived)) = (&entry.transport, sent, arrived)
    else {
        return;
    };
    let sent: u64 = sent.values().map(|one| one.packets).sum();
    if sent == 0 || arrived.values().any(|one| one.packets > 0) {
        return;
    }
    // A node that cannot be asked gives no reason to warn.
    let unresolved = run.network().with(|live| Ok(live.network.unresolved_neighbours(from)?));
    if unresolved.is_ok_and(|unresolved| unresolved > 0) {
        run.events().warn(format!(
            "{sent} datagrams of `{from}` to {} died unresolved (`{}`): it did not get to know the \
             Ethernet address of a neighbour; `topology.neighbours: known` gives it to all",
            entry.receivers_in_words(from),
            entry.name
        ));
    }
}

/// Warns of packets that never left a node, because it had no route to their receiver.
fn warn_of_refused(run: &Run, entry: &Traffic, from: &str, sent: Option<&Sendings>) {
    let interval = run.network().deployment().mine.scenario.measure.flow_interval();
    let refused = || sent.into_iter().flatten().filter(|(_, one)| one.unreachable > 0);
    let (Some((first, _)), Some((last, _))) = (refused().next(), refused().next_back()) else {
        return;
    };
    let packets: u64 = refused().map(|(_, one)| one.unreachable).sum();
    let at = |number: u64| interval.as_nanos().saturating_mul(number) as f64 / 1e9;
    let (flow, to) = (&entry.name, &entry.receivers_in_words(from));
    let what = without_route(packets, entry.transport.protocol(), (flow, from, to));
    run.events().warn(format!("{what} (from {} to {} s)", at(*first), at(*last + 1)));
}

/// Warns of packets that the sender itself was late with, if delays are what the run is for: delays
/// count from the time that the model meant.
fn warn_of_late(run: &Run, entry: &Traffic, from: &str, sent: Option<&Sendings>) {
    let trust = &run.network().deployment().mine.scenario.monitor.trust;
    let sum = |of: fn(&Sent) -> u64| sent.into_iter().flat_map(|all| all.values()).map(of).sum();
    let (late, packets): (u64, u64) = (sum(|one| one.late), sum(|one| one.packets));
    let share = late as f64 / packets.max(1) as f64;
    if trust.purpose == Purpose::Delay && packets > 0 && share > trust.share.value() {
        run.events().warn(format!(
            "{:.1} % of the packets of `{}` left `{from}` more than 1 ms after their time, since \
             its program waited for a CPU: its delays contain that (needed: at most {})",
            share * 100.0,
            entry.name,
            trust.share
        ));
    }
}

/// Returns the sum of the arrivals from the sender of this number at all receivers, if all have
/// reported.
fn arrivals(received: &[Option<ReceivedReport>], number: usize) -> Option<Arrivals> {
    let flow = u16::try_from(number).ok()?;
    let mut all = Arrivals::new();
    for report in received {
        for (interval, arrived) in report.as_ref()?.flows.get(&flow).into_iter().flatten() {
            all.entry(*interval).or_default().add(arrived);
        }
    }
    Some(all)
}

/// Returns what is known of a whole flow: of its packets where they arrived, or at the sender if
/// they returned.
fn whole(sent: Option<&SentReport>, received: &[Option<ReceivedReport>], number: usize) -> Whole {
    let mut whole = Whole::default();
    let flow = u16::try_from(number).ok();
    let arrived = received.iter().flatten().filter_map(|report| report.delays.get(&flow?));
    arrived.chain(sent.map(|sent| &sent.delays)).for_each(|delays| whole.delays.merge(delays));
    whole.tcp = sent.and_then(|sent| sent.tcp);
    whole
}

/// Returns when a sender began, and when it was to have ended and all had arrived. Where only
/// intervals are known, these are the ends of intervals that contain the times.
fn time(
    scenario: &Scenario,
    entry: &Traffic,
    (sent, arrived): (Option<&Sendings>, Option<&Arrivals>),
    delays: &Delays,
) -> (Option<Time>, Option<Time>) {
    let interval = scenario.measure.flow_interval().as_nanos();
    let at = |number: u64| Time::from_nanos(interval.saturating_mul(number));
    let began = match entry.start {
        Start::At(start) => Some(Time::ZERO + start),
        _ => sent.and_then(|sent| sent.keys().next()).map(|first| at(*first)),
    };
    let own = began.zip(entry.time).map(|(began, time)| began + time);
    let run = scenario.duration.map(|duration| Time::ZERO + duration);
    let stop = own.into_iter().chain(run).min();
    let over = match entry.transport {
        Transport::Tcp { .. } => {
            let mut with_bytes = arrived.into_iter().flatten().filter(|(_, one)| one.bytes > 0);
            with_bytes.next_back().map(|(number, _)| at(number + 1)).max(stop)
        }
        _ => {
            let longest = delays.extremes().map_or(Duration::ZERO, |(_, longest)| longest);
            stop.map(|stop| stop + longest)
        }
    };
    (began, over)
}

/// Returns the bytes of a client and its servers in the direction in which they went: servers send
/// them.
fn turned(
    client: Option<Sendings>,
    server: Option<Arrivals>,
) -> (Option<Sendings>, Option<Arrivals>) {
    let arrived = client.as_ref().map(|client| {
        let got = |sent: &Sent| Arrived { bytes: sent.bytes, ..Arrived::default() };
        client.iter().map(|(interval, sent)| (*interval, got(sent))).collect()
    });
    let sent = client.zip(server).map(|(mut sent, server)| {
        sent.values_mut().for_each(|sent| sent.bytes = 0);
        for (interval, arrived) in server {
            sent.entry(interval).or_default().bytes = arrived.bytes;
        }
        sent
    });
    (sent, arrived)
}

pub(super) type Sendings = BTreeMap<u64, Sent>;
pub(super) type Arrivals = BTreeMap<u64, Arrived>;

/// Returns the report of a process, the last line that it printed. A missing one is added to the
/// list of missing reports. A process that was killed with its node has none, which is only a
/// warning.
fn report<T: DeserializeOwned>(
    run: &Run,
    process: &str,
    node: &str,
    missing: &mut Vec<String>,
) -> Option<T> {
    let [stdout, _] = run.outputs(process, node);
    let read = |path: &Path| -> Result<Option<T>> {
        let text = fs::read_to_string(path).context("it did not run")?;
        // One that was killed may have answered before how far it was.
        let is_report = |line: &&str| line.starts_with('{') && SoFar::from_line(line).is_none();
        let last = text.lines().last().filter(is_report);
        Ok(last.map(serde_json::from_str).transpose()?)
    };
    let lacks = format!("traffic.parquet lacks what `{process}` in `{node}` counted");
    match read(&stdout) {
        Ok(Some(report)) => return Some(report),
        Ok(None) if run.network().has_failed_since(node, Time::ZERO) => {
            run.events().warn(format!("{lacks}: it was killed with its node"));
        }
        Ok(None) => missing.push(lacks),
        Err(error) => missing.push(format!("{lacks}: {error:#}")),
    }
    None
}
