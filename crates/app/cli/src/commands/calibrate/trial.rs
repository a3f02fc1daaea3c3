//! One run, and whether the machine could bear its load.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, bail};
use netloom_api::summary::Summary;
use netloom_gauge::traffic::{Received, Sent};
use netloom_monitor::{Finding, Judgement, SignalKind, SignalReport, Verdict};
use netloom_profile::{Edge, Traffic};
use serde::de::DeserializeOwned;

use super::network::{Load, RECEIVER, sender};
use super::session::Session;

/// The result of a load.
#[derive(Debug, Clone, PartialEq)]
pub enum TrialOutcome {
    /// The machine could bear it.
    Borne(Edge),
    /// The machine could not bear it, for this reason.
    NotBorne(String),
}

/// Runs a load.
pub async fn run(session: &mut Session, load: &Load) -> Result<TrialOutcome> {
    let results = session.run(&load.scenario(session.binary())?).await?;
    let outcome = read(&results, load);
    fs::remove_dir_all(&results).context("cannot remove the results of a calibration run")?;
    outcome
}

fn read(results: &Path, load: &Load) -> Result<TrialOutcome> {
    let summary: Summary =
        Summary::from_json(&fs::read(results.join("summary.json"))?).context("summary.json")?;
    if !summary.success {
        bail!("a calibration run failed: {}", summary.failures.join("; "));
    }
    let verdict = summary.verdict.context("a calibration run was not judged")?;
    let (mut sent, mut received) = (Vec::new(), Vec::new());
    for (from, to) in load.flows() {
        sent.push(report(results, &sender(&from), &from)?);
        received.push(report(results, RECEIVER, &to)?);
    }
    Ok(judge(load, &verdict, &sent, &received))
}

/// Parses the last line that a process has printed.
pub fn report<T: DeserializeOwned>(results: &Path, process: &str, node: &str) -> Result<T> {
    let file = results.join(format!("processes/{process}@{node}.stdout"));
    let text =
        fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    serde_json::from_slice(text.lines().last().unwrap_or_default().as_bytes())
        .with_context(|| format!("cannot understand {}", file.display()))
}

/// Returns whether a load was borne: nothing was lost outside the model, nothing was late, all
/// senders were in time, and everything arrived in the end.
fn judge(load: &Load, verdict: &Verdict, sent: &[Sent], received: &[Received]) -> TrialOutcome {
    // However briefly, since the runs are brief.
    let is_late = |report: &&SignalReport| {
        report.signal == SignalKind::Lateness && report.counted().next().is_some()
    };
    if let Some(late) = verdict.signals.iter().find(is_late) {
        return TrialOutcome::NotBorne(late.in_words());
    }
    // Losses that may concern frames of others count as suspect at most.
    let is_lost = |finding: &&Finding| {
        finding.signal == SignalKind::UnmodelledDrop && finding.judgement == Judgement::Invalid
    };
    if let Some(lost) = verdict.findings.iter().find(is_lost) {
        return TrialOutcome::NotBorne(lost.why.clone());
    }
    let planned: u64 = sent.iter().map(|sent| sent.planned).sum();
    let writes: u64 = sent.iter().map(|sent| sent.writes).sum();
    if writes < planned {
        let part = percent(writes, planned);
        return TrialOutcome::NotBorne(format!(
            "senders had time for {part} of what was to be sent"
        ));
    }
    let bytes: u64 = received.iter().map(|received| received.bytes).sum();
    let expected = writes * load.traffic.payload() as u64;
    if bytes < expected {
        return TrialOutcome::NotBorne(format!("{} arrived", percent(bytes, expected)));
    }
    let arrived = writes as f64 / load.seconds;
    TrialOutcome::Borne(Edge {
        bits_per_second: arrived * load.traffic.bits(),
        frames_per_second: (load.traffic != Traffic::Tcp).then_some(arrived),
        peak_bits_per_second: peak(verdict),
    })
}

/// Returns the most traffic that all links together carried in a window.
fn peak(verdict: &Verdict) -> f64 {
    let traffic = verdict.signals.iter().filter(|of| of.signal == SignalKind::NetInternal);
    traffic.filter_map(|report| report.worst).fold(0.0, f64::max)
}

pub fn percent(part: u64, whole: u64) -> String {
    // Rounded down, so that a part is less than 100 %.
    format!("{:.1} %", (1000.0 * part as f64 / whole as f64).floor() / 10.0)
}

#[cfg(test)]
mod tests {
    use netloom_monitor::{Bound, Trust};
    use netloom_profile::Shape;
    use serde_json::{Value, json};

    use super::*;

    fn load() -> Load {
        let shape = Shape::Chain { hops: 2 };
        Load { shape, traffic: Traffic::Udp60, pace: 100.0, seconds: 2.0 }
    }

    fn verdict(findings: Value, late: Value) -> Verdict {
        serde_json::from_value(json!({
            "judgement": "suspect", "links": "suspect", "programs": "valid",
            "trust": Trust::default(), "bound": Bound::default(), "bad": [],
            "findings": findings, "from": 0, "settled": 0, "to": 0,
            "signals": [{
                "signal": "net_internal", "on": {"kind": "internal"}, "threshold": null,
                "worst": 3e6, "margin": null, "held": "0s", "episodes": [], "shares": [],
            }, {
                "signal": "lateness", "on": {"kind": "frames"}, "threshold": 1e6,
                "worst": 3e6, "margin": -2.0, "held": "0s", "episodes": late, "shares": [],
            }],
            "coverage": [],
            "overhead": {"monitoring_ns": 0, "notification_ns": 0, "share": 0.0},
        }))
        .unwrap()
    }

    fn judged(findings: Value, planned: u64, writes: u64, bytes: u64) -> TrialOutcome {
        let verdict = verdict(findings, json!([]));
        judge(&load(), &verdict, &[Sent { planned, writes }], &[Received { bytes }])
    }

    fn not_borne(outcome: TrialOutcome) -> String {
        match outcome {
            TrialOutcome::NotBorne(why) => why,
            TrialOutcome::Borne(edge) => panic!("{edge:?}"),
        }
    }

    #[test]
    fn what_arrives_whole_and_in_time_is_borne() {
        let cpu = json!([{
            "about": "programs", "judgement": "suspect", "signal": "run_queue", "on": null,
            "why": "busy",
        }]);
        let edge = Edge {
            bits_per_second: 100.0 * 480.0,
            frames_per_second: Some(100.0),
            peak_bits_per_second: 3e6,
        };
        assert_eq!(judged(cpu, 200, 200, 3600), TrialOutcome::Borne(edge));
    }

    #[test]
    fn late_and_lost_frames_and_senders_behind_are_not() {
        let late = verdict(
            json!([]),
            json!([{
                "from": 0, "to": 1000, "held": "1us", "peak": 3e6, "warm_up": false, "shares": [],
            }]),
        );
        let (sent, received) = ([Sent { planned: 200, writes: 200 }], [Received { bytes: 3600 }]);
        let why = not_borne(judge(&load(), &late, &sent, &received));
        assert!(why.starts_with("lateness on the 99th percentile of frames: 3 ms"), "{why}");
        let on = json!({"kind": "losses", "cause": "no_memory"});
        let lost = |judgement: &str| {
            let signal = "unmodelled_drop";
            json!([{
                "about": "links", "judgement": judgement, "signal": signal, "on": on, "why": "lost",
            }])
        };
        assert_eq!(not_borne(judged(lost("invalid"), 200, 200, 3600)), "lost");
        assert!(matches!(judged(lost("suspect"), 200, 200, 3600), TrialOutcome::Borne(_)));
        assert!(not_borne(judged(json!([]), 200, 199, 3582)).contains("99.5 %"));
        assert_eq!(not_borne(judged(json!([]), 200, 200, 3582)), "99.5 % arrived");
    }
}
