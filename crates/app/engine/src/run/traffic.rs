//! Traffic of the scenario: a receiver in the node of each entry, a sender in each of its senders'
//! nodes, as processes of the run. Their reports come together in `traffic.parquet`.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context, Result};
use netloom_gauge::generator::{Order, Receive, ReceivedReport, Reckoning, Send, SentReport};
use netloom_gauge::traffic::{Protocol, READY, ROLE};
use netloom_scenario::{Command, Milestone, Process, Ready, Scenario, Start, Traffic, Transport};
use netloom_traffic::Model;
use netloom_units::Duration;
use nix::sys::time::TimeValLike;
use nix::time::{ClockId, clock_gettime};
use serde::de::DeserializeOwned;

use super::instance;
use super::shared::Run;
use crate::live::LiveNetwork;
use crate::metrics;
use crate::traffic_file::{TrafficRow, TrafficRows};

/// The processes of all entries, receivers first.
pub fn processes(scenario: &Scenario) -> Vec<Process> {
    let entries = || scenario.traffic.iter();
    entries().map(receiver).chain(entries().map(sender)).collect()
}

fn receiver(entry: &Traffic) -> Process {
    let start = Start::At(Duration::ZERO);
    let ready = Some(Ready::Output(READY.into()));
    let process = process(receiver_name(entry), vec![entry.to.clone()], start, true);
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
        // A sender may have ended before anybody looks.
        ready: None,
        background,
        keep: Vec::new(),
    }
}

/// How times are reckoned in reports.
pub fn reckoning(network: &LiveNetwork) -> Reckoning {
    // The experiment's clock is this one, from its zero on.
    let now = clock_gettime(ClockId::CLOCK_MONOTONIC).map_or(0, |time| time.num_nanoseconds());
    let now = u64::try_from(now).unwrap_or(0);
    let interval = network.deployment().scenario.measure.interval;
    Reckoning { zero: now.saturating_sub(network.now().as_nanos()), interval }
}

/// Runs an entry's receiver to the end of the run.
pub async fn receive(run: Run, entry: Traffic, reckoning: Reckoning) -> Result<(), String> {
    let (protocol, port) = over(&entry.transport);
    let order = Order::Receive(Receive { protocol, port, reckoning });
    let node = entry.to.clone();
    instance::live(run, receiver(&entry), node, Some(in_json(&order)?)).await
}

/// Runs an entry's sender in `node`, the one with this number, once its receiver is ready.
pub async fn send(
    run: Run,
    entry: Traffic,
    number: usize,
    seed: u64,
    reckoning: Reckoning,
) -> Result<(), String> {
    let node = entry.from[number].clone();
    let (dscp, congestion_control) = match &entry.transport {
        Transport::Icmp => return Err(format!("traffic `{}` is simulated only", entry.name)),
        Transport::Udp { dscp, .. } => (*dscp, None),
        Transport::Tcp { dscp, congestion_control, .. } => (*dscp, congestion_control.clone()),
    };
    let (protocol, port) = over(&entry.transport);
    let order = Order::Send(Box::new(Send {
        protocol,
        to: entry.to.clone(),
        port,
        flow: u16::try_from(number).map_err(|_| "there are more than 65536 senders")?,
        model: entry.model.clone(),
        sizes: entry.sizes.clone(),
        seed,
        stream: format!("traffic/{}/{node}", entry.name),
        time: entry.time,
        dscp,
        congestion_control,
        reckoning,
    }));
    let order = in_json(&order)?;
    let receiver = receiver_name(&entry);
    let ready = tokio::select! {
        ready = run.state().board.reached(&receiver, Milestone::Ready) => ready,
        () = run.end().asked() => Ok(()),
    };
    // The receiver's failure is reported already; the sender would be refused.
    let mut process = sender(&entry);
    if let Err(never) = ready {
        let state = netloom_api::state::ProcessState::NeverStarted;
        run.state().board.set(&process.name, &node, state);
        return Err(format!("`{}` in `{node}` was not started: {never}", process.name));
    }
    process.nodes = vec![node.clone()];
    // It could not be on time before its receiver was ready.
    if let Start::At(at) = &mut process.start {
        *at = (*at).max(run.now().since(run.state().begun()));
    }
    instance::live(run, process, node, Some(order)).await
}

fn is_transfers(entry: &Traffic) -> bool {
    over(&entry.transport).0 == Protocol::Tcp && matches!(entry.model, Model::Flows(_))
}

fn over(transport: &Transport) -> (Protocol, u16) {
    match transport.port() {
        // Refused before the run.
        None => (Protocol::Udp, 0),
        Some((false, port)) => (Protocol::Udp, port),
        Some((true, port)) => (Protocol::Tcp, port),
    }
}

fn in_json(order: &Order) -> Result<String, String> {
    serde_json::to_string(order).map_err(|error| format!("cannot write an order: {error}"))
}

/// The reports of all entries as rows; and in words what is missing.
pub fn collect(run: &Run, scenario: &Scenario, interval: Duration) -> (TrafficRows, Vec<String>) {
    let (mut rows, mut missing) = (Vec::new(), Vec::new());
    for entry in &scenario.traffic {
        let received: Option<ReceivedReport> =
            report(run, &receiver_name(entry), &entry.to, &mut missing);
        for (number, from) in entry.from.iter().enumerate() {
            let sent: Option<SentReport> = report(run, &sender_name(entry), from, &mut missing);
            let flow = u16::try_from(number).ok();
            let arrived = received.as_ref().map(|received| {
                flow.and_then(|flow| received.flows.get(&flow)).cloned().unwrap_or_default()
            });
            let sent = sent.map(|sent| sent.intervals);
            let keys = |of: Option<Vec<u64>>| of.into_iter().flatten();
            let mut numbers: Vec<u64> = keys(sent.as_ref().map(|of| of.keys().copied().collect()))
                .chain(keys(arrived.as_ref().map(|of| of.keys().copied().collect())))
                .collect();
            numbers.sort_unstable();
            numbers.dedup();
            rows.extend(numbers.into_iter().map(|number| TrafficRow {
                time: Duration::from_nanos(interval.as_nanos().saturating_mul(number)),
                entry: entry.name.clone(),
                from: from.clone(),
                to: entry.to.clone(),
                has_flows: is_transfers(entry),
                is_udp: over(&entry.transport).0 == Protocol::Udp,
                sent: sent.as_ref().map(|of| of.get(&number).copied().unwrap_or_default()),
                arrived: arrived.as_ref().map(|of| of.get(&number).copied().unwrap_or_default()),
            }));
        }
    }
    (TrafficRows(rows), missing)
}

/// The report of a process, the last line that it printed; noted as missing if there is none.
fn report<T: DeserializeOwned>(
    run: &Run,
    process: &str,
    node: &str,
    missing: &mut Vec<String>,
) -> Option<T> {
    let [stdout, _] = run.outputs(process, node);
    let read = |path: &Path| -> Result<Option<T>> {
        let text = fs::read_to_string(path).context("it did not run")?;
        let last = text.lines().last().filter(|line| line.starts_with('{'));
        Ok(last.map(serde_json::from_str).transpose()?)
    };
    match read(&stdout) {
        Ok(Some(report)) => return Some(report),
        Ok(None) => {
            missing.push(format!("traffic.parquet lacks what `{process}` in `{node}` counted"));
        }
        Err(error) => missing
            .push(format!("traffic.parquet lacks what `{process}` in `{node}` counted: {error:#}")),
    }
    None
}
