//! The summary of a run on one page of a terminal: first failures, then the verdict on the machine,
//! then other results in the order of interest. Entries that do not fit are counted; the results
//! have them all.

use std::collections::BTreeMap;
use std::path::Path;

use netloom_api::event::EndReason;
use netloom_api::flow::FlowStatus;
use netloom_api::medium::{MediumStatus, StationStatistics};
use netloom_api::simulation::{SimulationSummary, SymbiosisSummary};
use netloom_api::state::{LinkStatus, PipeStatus, ProcessState, ProcessStatus, VlanPortStatus};
use netloom_api::summary::Summary;
use netloom_api::timing::{LatencySummary, Timing};
use netloom_link::Count;
use netloom_monitor::Verdict;
use netloom_units::readable::{bit_rate, count, counted, micros};
use netloom_units::{Dilation, Duration, Time};

use crate::table::table;

/// Lines of a page.
const PAGE: usize = 40;

/// Most failures, findings, processes and warnings that are listed, each.
const FAILURES: usize = 5;
const FINDINGS: usize = 3;
const PROCESSES: usize = 3;
/// Most flows that are listed.
const FLOWS: usize = 8;
const TROUBLES: usize = 1;

/// Fewest and most pipes that are listed: the busiest ones, as many as fit.
const PIPES: (usize, usize) = (4, 20);

/// Returns the summary. `report` is the file of the report, if it could be written.
pub fn page(summary: &Summary, results: &Path, report: Option<&Path>) -> String {
    let mut above = outcome(summary);
    above.extend(verdict(summary));
    above.extend(flows(&summary.flows, summary.ended));
    above.extend(stations(&summary.media, summary.ended));
    above.extend(processes(&summary.processes));
    let mut below = vlan_drops(&summary.vlan_ports);
    below.extend(summary.timing.iter().flat_map(timing));
    below.extend(summary.simulation.iter().flat_map(simulation));
    below.extend(not_taken(&summary.links));
    if let Some(log) = &summary.frame_log {
        let (entries, lost) = (count(log.entries), count(log.lost));
        below
            .push(format!("frame log: {entries} entries, {} bytes, {lost} lost", count(log.bytes)));
    }
    below.extend(first(&summary.warnings, TROUBLES, "warnings", |text| format!("warning: {text}")));
    below.push(format!("results: {}", results.display()));
    below.extend(report.map(|file| format!("report: {}", file.display())));
    // The pipes also need a blank line, the headings, and the count of the remaining ones.
    let room = PAGE.saturating_sub(above.len() + below.len() + 3).clamp(PIPES.0, PIPES.1);
    let lines = above.into_iter().chain(pipes(&summary.links, room)).chain(below);
    lines.map(|line| line.trim_end().to_string() + "\n").collect()
}

/// Returns the outcome and the duration of the run, and failures with their reasons, first those
/// that cause others.
pub fn outcome(summary: &Summary) -> Vec<String> {
    let seconds = summary.ended.as_secs_f64();
    let ran = format!("{}: ran {seconds:.2} s, {}", summary.name, summary.start_in_words());
    let ran = match summary.dilation {
        Dilation::NONE => ran,
        dilation => format!("{ran}; time dilated by {dilation}"),
    };
    let reason = match summary.reason {
        EndReason::Completed | EndReason::Duration => String::new(),
        reason => format!("; {}", reason.in_words()),
    };
    if summary.success {
        let met = match summary.expectations.len() {
            0 => String::new(),
            number => format!("; {} met", counted(number, "expectation")),
        };
        return vec![format!("PASSED {ran}{reason}{met}")];
    }
    let mut lines = vec![format!("FAILED {ran}{reason}")];
    lines.extend(first(&summary.failures, FAILURES, "failures, in summary.json", |text| {
        format!("  failed: {text}")
    }));
    lines
}

/// Returns whether the machine let the run proceed as the scenario says, and if not, why.
pub fn verdict(summary: &Summary) -> Vec<String> {
    let Some(verdict) = &summary.verdict else {
        return vec!["verdict on the machine: none, the run was not judged".into()];
    };
    let mut lines = judged(verdict, FINDINGS);
    lines[0].insert_str(0, "verdict on the machine: ");
    lines
}

/// Returns the judgement in words. Below it are the reasons why it is not `valid` (`most` of them,
/// and the number of others), and the error bound of the run.
pub fn judged(verdict: &Verdict, most: usize) -> Vec<String> {
    let word = verdict.judgement.to_string().to_uppercase();
    let mut lines = vec![format!("{word} ({})", verdict.in_words())];
    lines.extend(first(&verdict.findings, most, "findings", |finding| {
        format!("  {}: {}", finding.judgement, finding.why)
    }));
    lines.extend(verdict.stated().into_iter().map(|line| format!("  {line}")));
    lines
}

/// Returns a line for each of the first few, and one with the number of the others.
fn first<T>(all: &[T], most: usize, what: &str, line: impl Fn(&T) -> String) -> Vec<String> {
    let mut lines: Vec<String> =
        all.iter().take(most).map(|one| line(one).replace(['\n', '\r'], " ")).collect();
    if all.len() > most {
        lines.push(format!("  (and {} more {what})", all.len() - most));
    }
    lines
}

/// Returns a blank line and the lines of a table.
fn below_blank(table: &comfy_table::Table) -> Vec<String> {
    let text = table.to_string();
    std::iter::once("").chain(text.lines()).map(Into::into).collect()
}

/// Returns the traffic: what came through, how long it took, and what was sent again.
fn flows(flows: &[FlowStatus], ended: Time) -> Vec<String> {
    if flows.is_empty() {
        return Vec::new();
    }
    let headings = ["flow", "from → to"].into_iter().chain(FlowStatus::FIGURES);
    let mut rows = table(&headings.collect::<Vec<_>>());
    for flow in flows.iter().take(FLOWS) {
        let ends = format!("{} → {}", flow.from, flow.to);
        rows.add_row([flow.name.clone(), ends].into_iter().chain(flow.figures(ended)));
    }
    let mut lines = below_blank(&rows);
    if flows.len() > FLOWS {
        lines.push(format!("({} more flows in summary.json)", flows.len() - FLOWS));
    }
    lines
}

/// Returns the stations of shared media: the frames that each was given and is done with, and what
/// the air cost.
fn stations(media: &[MediumStatus], ended: Time) -> Vec<String> {
    let all: Vec<_> = media
        .iter()
        .flat_map(|medium| medium.stations.iter().map(|station| (&medium.name, station)))
        .collect();
    if all.is_empty() {
        return Vec::new();
    }
    let ns = ended.as_nanos().max(1) as f64;
    let mut rows = table(&[
        "station",
        "on",
        "offered",
        "sent",
        "lost",
        "retries",
        "collisions",
        "received",
        "missed",
        "airtime",
    ]);
    for (medium, station) in all.iter().take(FLOWS) {
        let StationStatistics { offered, sent, dropped, missed, .. } = &station.statistics;
        let sum = |of: &BTreeMap<String, Count>| of.values().map(|lost| lost.frames).sum();
        rows.add_row([
            station.interface.node.clone(),
            (*medium).clone(),
            count(offered.frames),
            count(sent.frames),
            count(sum(dropped)),
            count(station.statistics.retries),
            count(station.statistics.collisions),
            count(station.statistics.received.frames),
            count(sum(missed)),
            format!("{:.1}%", 100.0 * station.statistics.airtime_ns as f64 / ns),
        ]);
    }
    let mut lines = below_blank(&rows);
    if all.len() > FLOWS {
        lines.push(format!("({} more stations in summary.json)", all.len() - FLOWS));
    }
    lines
}

fn processes(processes: &[ProcessStatus]) -> Vec<String> {
    if processes.is_empty() {
        return Vec::new();
    }
    // Processes that ended well are of least interest.
    let mut listed: Vec<&ProcessStatus> = processes.iter().collect();
    listed.sort_by_key(|process| process.state == ProcessState::Done { code: 0 });
    let mut rows = table(&["process", "node", "ended"]);
    for process in listed.iter().take(PROCESSES) {
        let state = process.state.to_string().replace(['\n', '\r'], " ");
        rows.add_row([process.process.as_str(), &process.node, &state]);
    }
    let mut lines = below_blank(&rows);
    if processes.len() > PROCESSES {
        let more = match processes.len() - PROCESSES {
            1 => "1 more process".to_string(),
            more => format!("{more} more processes"),
        };
        lines.push(format!("({more} in summary.json)"));
    }
    lines
}

fn pipes(links: &[LinkStatus], most: usize) -> Vec<String> {
    let mut pipes: Vec<(String, &PipeStatus)> = links.iter().flat_map(LinkStatus::arrows).collect();
    let all = pipes.len();
    let rank = |pipe: &PipeStatus| {
        let load = pipe.modelled().map_or(0.0, |pipe| pipe.statistics.load);
        (load, pipe.offered().map_or(0, |offered| offered.bytes))
    };
    pipes.sort_by(|(_, one), (_, other)| {
        let ((load, bytes), (of_other, less)) = (rank(one), rank(other));
        of_other.total_cmp(&load).then(less.cmp(&bytes))
    });
    pipes.truncate(most);
    let mut rows = table(&["pipe", "frames", "delivered", "mean rate", "dropped", "busy"]);
    for (name, pipe) in pipes {
        let or_unknown = |frames: Option<u64>| frames.map_or("–".into(), count);
        let load = pipe.modelled().map(|pipe| format!("{:.1}%", 100.0 * pipe.statistics.load));
        rows.add_row([
            name,
            or_unknown(pipe.offered().map(|offered| offered.frames)),
            or_unknown(pipe.delivered().map(|delivered| delivered.frames)),
            pipe.mean_rate().map_or("–".into(), bit_rate),
            or_unknown(pipe.dropped_frames()),
            load.unwrap_or_else(|| "direct".into()),
        ]);
    }
    let mut lines = below_blank(&rows);
    if all > most {
        lines.push(format!("({} more pipes in summary.json)", all - most));
    }
    lines.extend(backgrounds(links));
    lines
}

/// Returns the results of the background traffic of pipes.
fn backgrounds(links: &[LinkStatus]) -> Vec<String> {
    let of_pipe = |(name, pipe): (String, &PipeStatus)| {
        let background = pipe.modelled()?.statistics.background?;
        Some((name, background))
    };
    let all: Vec<_> = links.iter().flat_map(LinkStatus::arrows).filter_map(of_pipe).collect();
    first(&all, 4, "pipes with background", |(name, background)| {
        format!(
            "background of {name}: offered {} frames, delivered {}, dropped {}",
            count(background.offered.frames),
            count(background.delivered.frames),
            count(background.dropped.frames),
        )
    })
}

/// Returns the pipes that ended at interfaces that did not accept their frames.
pub fn not_taken(links: &[LinkStatus]) -> Option<String> {
    let lost = |(name, pipe): (String, &PipeStatus)| {
        let frames = pipe.modelled()?.statistics.lost_unmodelled.frames;
        (frames > 0).then(|| format!("{name} {}", count(frames)))
    };
    let lost: Vec<String> = links.iter().flat_map(LinkStatus::arrows).filter_map(lost).collect();
    let more = lost.len().saturating_sub(TROUBLES);
    let more = if more == 0 { String::new() } else { format!(" and {more} more pipes") };
    let named = lost.iter().take(TROUBLES).cloned().collect::<Vec<_>>().join(", ");
    (!lost.is_empty()).then(|| {
        format!(
            "frames that the interface at the end did not take (down, full or gone): {named}{more}"
        )
    })
}

/// Returns the ports of switches that refused frames for their VLAN.
fn vlan_drops(ports: &BTreeMap<String, VlanPortStatus>) -> Vec<String> {
    let dropping: Vec<_> =
        ports.iter().filter(|(_, port)| port.dropped.total().frames > 0).collect();
    first(&dropping, 1, "ports that refused frames", |(name, port)| {
        format!(
            "{name} ({}) refused frames: {} of other VLANs, {} without a tag",
            port.vlans,
            count(port.dropped.foreign.frames),
            count(port.dropped.untagged.frames),
        )
    })
}

/// Returns the speed of the simulation.
fn simulation(simulation: &SimulationSummary) -> Vec<String> {
    let SimulationSummary { events, packet_hops, wall_seconds, processes, threads, cells, .. } =
        simulation;
    if let Some(symbiosis) = &simulation.symbiosis {
        return following(simulation, symbiosis);
    }
    if let Some(busiest) = simulation.busiest_second {
        let line = format!(
            "simulated part: busy for {wall_seconds:.2} s, at most {:.0} % of a second; {} \
             packet-hops, {} events",
            busiest * 100.0,
            count(*packet_hops),
            count(*events),
        );
        return vec![String::new(), line];
    }
    let processes = (*processes > 1).then(|| format!("{processes} processes, "));
    let processes = processes.unwrap_or_default();
    let same = simulation.same_for_all_seeds.then(|| {
        "nothing was drawn at random: the run is the same with every seed, and repetitions add no \
         precision"
            .into()
    });
    let lines = [
        String::new(),
        format!(
            "simulated in {wall_seconds:.2} s of real time by {processes}{}, {}: {} packet-hops \
             ({}/s), {} events",
            counted(*threads, "thread"),
            counted(*cells, "cell"),
            count(*packet_hops),
            count(simulation.packet_hops_per_second() as u64),
            count(*events),
        ),
    ];
    lines.into_iter().chain(same).collect()
}

/// Returns how pipes between real hosts followed a simulation.
fn following(simulation: &SimulationSummary, symbiosis: &SymbiosisSummary) -> Vec<String> {
    let millis = |time: Duration| format!("{:.2} ms", time.as_secs_f64() * 1e3);
    let mut rows = table(&["follows", "W", "W₁", "W₂", "twins lost", "real lost"]);
    for pipe in &symbiosis.pipes {
        let [offered, lost, _] = pipe.twins;
        let [real_offered, real_lost, _] = pipe.real;
        rows.add_row([
            pipe.pipe.clone(),
            millis(pipe.time_mean),
            millis(pipe.backlog_mean),
            millis(pipe.real_backlog_mean),
            format!("{} of {}", count(lost), count(offered)),
            format!("{} of {}", count(real_lost), count(real_offered)),
        ]);
    }
    let line = format!(
        "simulated {} of {}: calibrated after {} on average, {} at most; {} late, {} of these by a \
         period; {} packet-hops",
        counted(symbiosis.periods as usize, "period"),
        symbiosis.period,
        millis(symbiosis.computed_mean),
        millis(symbiosis.computed_most),
        count(symbiosis.late),
        count(symbiosis.missed),
        count(simulation.packet_hops),
    );
    let rows = rows.to_string();
    let rows = rows.lines().map(ToOwned::to_owned);
    [String::new(), line].into_iter().chain(rows).collect()
}

/// Returns how exactly the engine kept its schedule, beside how exactly the machine let it.
fn timing(timing: &Timing) -> Vec<String> {
    let line = |name: &str, latency: &LatencySummary| {
        format!(
            "{name}: median {}, p99 {}, p99.9 {}, max {} ({} samples)",
            micros(latency.p50_us),
            micros(latency.p99_us),
            micros(latency.p999_us),
            micros(latency.max_us),
            count(latency.count),
        )
    };
    let lost: u64 = timing.unmodelled_drops.values().sum();
    let lost = if lost == 0 {
        "frames lost outside the model: none".into()
    } else {
        let causes: Vec<String> =
            timing.unmodelled_drops.iter().map(|(cause, n)| format!("{cause} {n}")).collect();
        format!(
            "frames lost outside the model: {} ({}): check this before you trust the result",
            count(lost),
            causes.join(", ")
        )
    };
    vec![
        String::new(),
        line("frames later than scheduled", &timing.lateness),
        line("this machine's timer wake-up", &timing.timer_wakeup),
        lost,
    ]
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::made_up;
    use super::*;

    /// Returns the summary of a run with `number` entries of everything that a page shows.
    fn summary(number: usize, verdict: bool) -> Summary {
        let many = |value: Value| vec![value; number];
        let latency = json!({"count": 0, "p50_us": 0, "p99_us": 0, "p999_us": 0, "max_us": 0});
        serde_json::from_value(json!({
            "name": "n", "file": "f", "seed": 1, "version": "0", "started_unix": 0.0,
            "ended": 1_000_000_000, "reason": "completed", "deploy_seconds": 0.1,
            "verdict": if verdict { made_up::verdict("invalid", number) } else { Value::Null },
            "processes": many(json!({
                "process": "p", "node": "a", "state": {"failed": {"reason": "two\nlines"}},
            })),
            "success": false,
            "failures": many(json!("two\nlines")),
            "warnings": many(json!("a warning")),
            "links": many(made_up::link("l", ["a", "a"])),
            "vlan_ports": (0..number).map(|port| (format!("s:p{port}"), json!({
                "vlans": {"access": 10},
                "dropped": {"foreign": {"frames": 2, "bytes": 128}, "untagged": made_up::nothing()},
            }))).collect::<serde_json::Map<_, _>>(),
            "frame_log": {"entries": 1, "lost": 0, "bytes": 9, "failure": null},
            "timing": {
                "lateness": latency, "timer_wakeup": latency, "unmodelled_drops": {},
                "unattended": latency, "interface_down": 0, "workers": [], "failures": [],
            },
        }))
        .unwrap()
    }

    #[test]
    fn it_is_one_page_however_much_there_is() {
        for number in [0, 1, 3, 7, 1000] {
            for judged in [false, true] {
                let text = page(
                    &summary(number, judged),
                    Path::new("/r"),
                    Some(Path::new("/r/report.html")),
                );
                let lines: Vec<&str> = text.lines().collect();
                assert!(lines.len() <= PAGE, "{} lines:\n{text}", lines.len());
                assert!(lines[0].starts_with("FAILED n: ran 1.00 s"), "{text}");
                let verdict = 1 + number.min(FAILURES + 1);
                assert!(lines[verdict].starts_with("verdict on the machine: "), "{text}");
                assert_eq!(lines[lines.len() - 2..], ["results: /r", "report: /r/report.html"]);
                assert_eq!(text.contains("  invalid: CPU 0; stress 88 %"), judged && number > 0);
            }
        }
    }

    /// Three lines: one full of few bytes, one with most bytes, one idle.
    #[test]
    fn the_busiest_pipes_are_listed() {
        let mut summary = summary(0, false);
        let link = |name: &str, load: f64, bytes: u64| {
            let mut link = made_up::link(name, [name, "b"]);
            link["forward"]["statistics"]["load"] = json!(load);
            link["forward"]["statistics"]["offered"]["bytes"] = json!(bytes);
            serde_json::from_value(link).unwrap()
        };
        summary.links = vec![link("idle", 0.0, 0), link("fast", 0.1, 900), link("full", 1.0, 9)];
        let text = pipes(&summary.links, 2).join("\n");
        assert!(text.find("fast") > text.find("full") && !text.contains("idle"), "{text}");
    }

    #[test]
    fn what_is_left_out_is_counted() {
        let text = page(&summary(1000, true), Path::new("/r"), Some(Path::new("/r/report.html")));
        for left_out in [
            "997 more findings",
            "997 more processes",
            "999 more ports that refused frames",
            "999 more warnings",
            "995 more failures",
        ] {
            assert!(text.contains(left_out), "{left_out} is not in\n{text}");
        }
        assert!(
            text.contains(&format!("({} more pipes in summary.json)", 2000 - PIPES.0)),
            "{text}"
        );
    }
}
