//! The summary of a run, for people.

use std::collections::BTreeMap;
use std::path::Path;

use netloom_api::state::{LinkStatus, PipeStatus, ProcessState, ProcessStatus, VlanPortStatus};
use netloom_api::summary::Summary;
use netloom_api::timing::{LatencySummary, Timing};
use netloom_monitor::Verdict;
use netloom_units::Duration;

use crate::table::{bit_rate, count, micros, table};

/// So many links are listed at most: the busiest ones.
const LINKS_LISTED: usize = 20;

/// Prints what a person wants to know first.
pub fn print(summary: &Summary, results: &Path) {
    let seconds = summary.ended.as_nanos() as f64 / 1e9;
    println!("{}: ran {seconds:.2} s, up in {:.2} s", summary.name, summary.deploy_seconds);
    print_processes(&summary.processes);
    print_links(&summary.links, Duration::from_nanos(summary.ended.as_nanos()));
    print_vlan_drops(&summary.vlan_ports);
    print_timing(&summary.timing);
    if let Some(log) = &summary.frame_log {
        let (entries, lost) = (count(log.entries), count(log.lost));
        println!("frame log: {entries} entries, {} bytes, {lost} lost", count(log.bytes));
    }
    for warning in &summary.warnings {
        println!("warning: {warning}");
    }
    for failure in &summary.failures {
        println!("failed: {failure}");
    }
    if let Some(verdict) = &summary.verdict {
        println!("verdict: {}", verdict_lines(verdict));
    }
    println!("results: {}", results.display());
}

/// A verdict, and below it why it is not `valid`.
pub fn verdict_lines(verdict: &Verdict) -> String {
    let findings = verdict.findings.iter().map(|f| format!("\n  {}: {}", f.judgement, f.why));
    std::iter::once(verdict.judgement.to_string()).chain(findings).collect()
}

fn print_processes(processes: &[ProcessStatus]) {
    if processes.is_empty() {
        return;
    }
    let mut rows = table(&["process", "node", "ended"]);
    for process in processes {
        rows.add_row([process.process.as_str(), &process.node, &state(&process.state)]);
    }
    println!("\n{rows}");
}

/// A process' state in words.
pub fn state(state: &ProcessState) -> String {
    match state {
        ProcessState::Waiting => "waiting".into(),
        ProcessState::Started { pid } => format!("started, pid {pid}"),
        ProcessState::Ready { pid } => format!("running, pid {pid}"),
        ProcessState::Done { code } => format!("code {code}"),
        ProcessState::Failed { reason } => format!("failed: {reason}"),
        ProcessState::NeverStarted => "never started".into(),
        ProcessState::Stopped => "stopped with the run".into(),
    }
}

fn print_links(links: &[LinkStatus], duration: Duration) {
    let mut pipes: Vec<(String, &PipeStatus)> = links.iter().flat_map(arrows).collect();
    let all = pipes.len();
    pipes.sort_by_key(|(_, pipe)| std::cmp::Reverse(pipe.statistics.offered.bytes));
    pipes.truncate(LINKS_LISTED);
    let mut rows = table(&["pipe", "frames", "delivered", "mean rate", "dropped", "busy"]);
    let seconds = duration.as_secs_f64().max(1e-9);
    for (name, pipe) in pipes {
        let statistics = &pipe.statistics;
        rows.add_row([
            name,
            count(statistics.offered.frames),
            count(statistics.delivered.frames),
            bit_rate(statistics.delivered.bytes as f64 * 8.0 / seconds),
            count(statistics.dropped.total().frames),
            format!("{:.1}%", 100.0 * statistics.load),
        ]);
    }
    println!("\n{rows}");
    if all > LINKS_LISTED {
        println!("({} more pipes in summary.json)", all - LINKS_LISTED);
    }
}

fn print_vlan_drops(ports: &BTreeMap<String, VlanPortStatus>) {
    let dropping = ports.iter().filter(|(_, port)| port.dropped.total().frames > 0);
    for (name, VlanPortStatus { vlans, dropped }) in dropping {
        println!(
            "{name} ({vlans}) refused frames: {} of other VLANs, {} without a tag",
            count(dropped.foreign.frames),
            count(dropped.untagged.frames),
        );
    }
}

/// The two pipes of a link under names that show where they lead.
pub fn arrows(link: &LinkStatus) -> [(String, &PipeStatus); 2] {
    let [a, b] = &link.endpoints;
    [(format!("{a} → {b}"), &link.forward), (format!("{b} → {a}"), &link.reverse)]
}

/// Prints how exactly the engine kept its schedule, beside how exactly the machine let it.
pub fn print_timing(timing: &Timing) {
    let line = |name: &str, latency: &LatencySummary| {
        println!(
            "{name}: median {}, p99 {}, p99.9 {}, max {} ({} samples)",
            micros(latency.p50_us),
            micros(latency.p99_us),
            micros(latency.p999_us),
            micros(latency.max_us),
            count(latency.count),
        );
    };
    println!();
    line("frames later than scheduled", &timing.lateness);
    line("this machine's timer wake-up", &timing.timer_wakeup);
    let lost: u64 = timing.unmodelled_drops.values().sum();
    if lost == 0 {
        println!("frames lost outside the model: none");
    } else {
        let causes: Vec<String> =
            timing.unmodelled_drops.iter().map(|(cause, n)| format!("{cause} {n}")).collect();
        println!(
            "frames lost outside the model: {} ({}): check this before you trust the result",
            count(lost),
            causes.join(", ")
        );
    }
}
