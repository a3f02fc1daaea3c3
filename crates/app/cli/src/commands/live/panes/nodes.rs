//! Nodes by the resources of the machine that they use, and what runs in them.

use std::collections::HashMap;

use netloom_api::state::{NodeStatus, ProcessState, ProcessStatus, ServiceState, ServiceStatus};
use netloom_scenario::CpuQuota;
use netloom_units::Duration;
use netloom_units::readable::count;

use super::super::grid::{Cell, Column, Grid, Key, Row, Tone};
use super::super::log::Log;
use super::super::sample::share;
use super::parts::{Seen, bar, figure, name, number, percent};

const MIB: f64 = (1 << 20) as f64;

/// Returns the table of nodes. The bar of a CPU is full at the node's limit, or at one CPU.
pub fn grid(seen: Seen<'_>) -> Grid {
    const COLUMNS: &[Column] = &[
        name("node", 0),
        bar("CPU", 0),
        figure("", 0),
        figure("throttled", 3),
        figure("memory", 1),
        figure("peak", 4),
        figure("tasks", 0),
        name("state", 0),
        name("limits", 5),
    ];
    let before = seen.before.iter().flat_map(|sample| &sample.view.nodes);
    let before: HashMap<&str, &NodeStatus> =
        before.map(|node| (node.name.as_str(), node)).collect();
    let nodes = seen.now.iter().flat_map(|sample| &sample.view.nodes);
    let running = running(seen);
    let rows = nodes.map(|node| {
        let runs = running.get(node.name.as_str()).copied().unwrap_or_default();
        row(before.get(node.name.as_str()).copied(), node, seen.period(), runs)
    });
    let orders = &["CPU", "memory", "tasks", "name"];
    Grid { columns: COLUMNS, orders, rows: rows.collect() }
}

fn row(
    before: Option<&NodeStatus>,
    node: &NodeStatus,
    period: Duration,
    (runs, failed): (usize, usize),
) -> Row {
    let usage = node.usage.unwrap_or_default();
    let old = before.and_then(|node| node.usage).unwrap_or_default();
    let grown = |now: Option<u64>, before: Option<u64>| {
        share(now?.saturating_sub(before.unwrap_or_default()) as f64, period)
    };
    let cpu = grown(usage.cpu_ns, old.cpu_ns);
    let limit = node.limits.cpu.map_or(1.0, CpuQuota::cpus);
    let throttled = grown(usage.throttled_ns, old.throttled_ns);
    let mebibytes = |bytes: u64| format!("{:.1} MiB", bytes as f64 / MIB);
    let simulated = if node.simulated { "simulated " } else { "" };
    let kind = format!("{simulated}{:?}", node.kind).to_lowercase();
    let state = match (runs, failed) {
        (0, 0) => Cell::text(&kind).in_tone(Tone::Dim),
        (runs, 0) => Cell::text(&format!("{kind}, {runs} run")),
        (runs, failed) => {
            Cell::text(&format!("{kind}, {failed} failed, {runs} run")).in_tone(Tone::Bad)
        }
    };
    let cells = vec![
        Cell::text(&node.name),
        Cell::bar(cpu.map(|cpu| cpu / limit)),
        Cell::figure(cpu, percent),
        Cell::figure(throttled, percent),
        Cell::figure(usage.memory, mebibytes),
        Cell::figure(usage.memory_peak, mebibytes),
        Cell::figure(usage.pids, count),
        state,
        Cell::text(&node.limits.to_string()),
    ];
    let keys = vec![
        number(cpu),
        number(usage.memory.map(|bytes| bytes as f64)),
        number(usage.pids.map(|tasks| tasks as f64)),
        Key::Text(node.name.clone()),
    ];
    Row { cells, keys }
}

/// Returns how many processes and services of each node run, and how many have failed.
fn running(seen: Seen<'_>) -> HashMap<&str, (usize, usize)> {
    let mut running: HashMap<&str, (usize, usize)> = HashMap::new();
    let Some(sample) = seen.now else { return running };
    for process in &sample.view.processes {
        let (runs, failed) = running.entry(&process.node).or_default();
        *runs += usize::from(runs_now(&process.state));
        *failed += usize::from(seen.log.has_failed(process));
    }
    for service in &sample.view.services {
        let (runs, failed) = running.entry(&service.node).or_default();
        match service.state {
            ServiceState::Failed { .. } => *failed += 1,
            ServiceState::Waiting => {}
            _ => *runs += 1,
        }
    }
    running
}

fn runs_now(state: &ProcessState) -> bool {
    matches!(state, ProcessState::Started { .. } | ProcessState::Ready { .. })
}

/// Returns the table of processes and services, first those that failed and then those that run.
pub fn processes(seen: Seen<'_>) -> Grid {
    const COLUMNS: &[Column] =
        &[name("process", 0), name("node", 0), name("kind", 1), name("state", 0)];
    let Some(sample) = seen.now else { return Grid { columns: COLUMNS, ..Grid::default() } };
    let processes = sample.view.processes.iter().map(|process| of_process(process, seen.log));
    let services = sample.view.services.iter().map(of_service);
    let orders = &["state", "process", "node"];
    Grid { columns: COLUMNS, orders, rows: processes.chain(services).collect() }
}

fn of_process(process: &ProcessStatus, log: &Log) -> Row {
    let (tone, urgency) = match &process.state {
        _ if log.has_failed(process) => (Tone::Bad, 3.0),
        state if runs_now(state) => (Tone::Plain, 2.0),
        ProcessState::Waiting => (Tone::Dim, 1.0),
        _ => (Tone::Plain, 0.0),
    };
    let state = process.state.to_string();
    what_runs([&process.process, &process.node, "process", &state], tone, urgency)
}

fn of_service(service: &ServiceStatus) -> Row {
    let (tone, urgency) = match &service.state {
        ServiceState::Failed { .. } => (Tone::Bad, 3.0),
        ServiceState::Unhealthy { .. } => (Tone::Warned, 2.5),
        ServiceState::Starting { .. } | ServiceState::Ready { .. } => (Tone::Plain, 2.0),
        ServiceState::Waiting => (Tone::Dim, 1.0),
    };
    let state = service.state.to_string();
    what_runs([&service.service, &service.node, "service", &state], tone, urgency)
}

fn what_runs(texts: [&str; 4], tone: Tone, urgency: f64) -> Row {
    let [name, node, ..] = texts;
    let mut cells = texts.map(Cell::text).to_vec();
    cells[3].tone = tone;
    let keys = vec![Key::Number(urgency), Key::Text(name.into()), Key::Text(node.into())];
    Row { cells, keys }
}
