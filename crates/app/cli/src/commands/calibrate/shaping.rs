//! Measures the most traffic that claims of `netloom shape` can bear: from one node to another,
//! joined by a direct link, with a daemon in the first one.

use std::fs;

use anyhow::{Context, Result, bail};
use netloom_api::summary::Summary;
use netloom_gauge::traffic::{Order, Protocol, READY, ROLE, Received, Send, Sent};
use netloom_profile::search::Search;
use netloom_profile::{NotBorne, ShapedEdge, Shaping, Thoroughness, Traffic};
use netloom_shape::wire::List;
use netloom_units::readable::bit_rate;
use serde_json::json;

use super::network::{PORT, program, text};
use super::session::{EXPERIMENT, Session};
use super::{edges, trial};

/// Processes of a run, in the order in which they start.
const DAEMON: &str = "shape";
const CLAIM: &str = "claim";
const RECEIVER: &str = "receive";
const SENDER: &str = "send";
const LIST: &str = "list";
const STOP: &str = "stop";
/// The nodes.
const HERE: &str = "a";
const THERE: &str = "b";

/// Measures all kinds of traffic.
pub async fn measure(session: &mut Session, thoroughness: Thoroughness) -> Result<Vec<Shaping>> {
    let mut all = Vec::with_capacity(Traffic::ALL.len());
    for traffic in Traffic::ALL {
        all.push(edge(session, traffic, thoroughness).await?);
    }
    Ok(all)
}

async fn edge(
    session: &mut Session,
    traffic: Traffic,
    thoroughness: Thoroughness,
) -> Result<Shaping> {
    let range = edges::range(traffic, thoroughness);
    let mut search = Search::new(edges::first_guess(traffic) / 4.0, range);
    let (mut edge, mut beyond) = (None, None::<NotBorne>);
    while let Some(pace) = search.next() {
        let offered = pace * traffic.bits();
        session.show(&format!("claims, {traffic}: {}", bit_rate(offered)));
        let outcome = run(session, traffic, pace, edges::seconds(thoroughness)).await?;
        search.record(outcome.is_ok());
        match outcome {
            Ok(borne) => {
                beyond = beyond.filter(|beyond| beyond.bits_per_second > offered);
                edge = Some(borne);
            }
            Err(why) => beyond = Some(NotBorne { bits_per_second: offered, why }),
        }
    }
    Ok(Shaping { traffic, edge, beyond })
}

/// Runs one load. Returns the traffic that was borne, or why it was too much.
async fn run(
    session: &mut Session,
    traffic: Traffic,
    pace: f64,
    seconds: f64,
) -> Result<Result<ShapedEdge, String>> {
    let scenario = scenario(&program(session.binary())?, traffic, pace, seconds)?;
    let results = session.run(&scenario).await?;
    let summary: Summary =
        Summary::from_json(&fs::read(results.join("summary.json"))?).context("summary.json")?;
    if !summary.success {
        let said = |process| {
            fs::read_to_string(results.join(format!("processes/{process}@{HERE}.stderr")))
                .unwrap_or_default()
        };
        bail!(
            "a calibration run failed: {} {}{}",
            summary.failures.join("; "),
            said(DAEMON),
            said(CLAIM)
        );
    }
    let sent: Sent = trial::report(&results, SENDER, HERE)?;
    let received: Received = trial::report(&results, RECEIVER, THERE)?;
    let list = fs::read_to_string(results.join(format!("processes/{LIST}@{HERE}.stdout")))
        .context("a calibration run has listed no claim")?;
    let list: List =
        serde_json::from_slice(list.as_bytes()).context("cannot understand the list of claims")?;
    fs::remove_dir_all(&results).context("cannot remove the results of a calibration run")?;
    let verdict = list.claims.first().context("the claim is gone")?.verdict.clone();
    Ok(judge(traffic, seconds, (&sent, &received), verdict))
}

fn judge(
    traffic: Traffic,
    seconds: f64,
    (sent, received): (&Sent, &Received),
    verdict: String,
) -> Result<ShapedEdge, String> {
    let expected = sent.writes * traffic.payload() as u64;
    if verdict != "valid" {
        return Err(verdict);
    }
    if sent.writes < sent.planned {
        let part = trial::percent(sent.writes, sent.planned);
        return Err(format!("the sender had time for {part} of what was to be sent"));
    }
    if received.bytes < expected {
        return Err(format!("{} arrived", trial::percent(received.bytes, expected)));
    }
    let arrived = sent.writes as f64 / seconds;
    Ok(ShapedEdge {
        bits_per_second: arrived * traffic.bits(),
        frames_per_second: (traffic != Traffic::Tcp).then_some(arrived),
    })
}

/// Returns the scenario of a run.
fn scenario(program: &str, traffic: Traffic, pace: f64, seconds: f64) -> Result<String> {
    let protocol = match traffic {
        Traffic::Udp60 | Traffic::Udp1514 => Protocol::Udp,
        Traffic::Tcp => Protocol::Tcp,
    };
    let send =
        Send { protocol, to: THERE.into(), port: PORT, payload: traffic.payload(), pace, seconds };
    let receive = Order::Receive { protocol, port: PORT };
    let plays = |order: &Order| -> Result<Vec<String>> {
        Ok(vec![program.into(), ROLE.into(), serde_json::to_string(order)?])
    };
    let shape = |words: &[&str]| -> Vec<String> {
        let own = [program, "shape", "--state", "/tmp/shape"];
        own.iter().chain(words).map(ToString::to_string).collect()
    };
    let port = PORT.to_string();
    let serve = shape(&["serve", "--records", "/tmp/shape.jsonl", "--bears", "1Tbit/s"]);
    let claim =
        shape(&["add", "all", "--interface", "eth1", "--client", &port, "--both", "delay=1ms"]);
    let after = |other: &str, when: &str| json!({"after": other, "when": when});
    let scenario = json!({
        "name": EXPERIMENT,
        "topology": {
            "nodes": {HERE: {"kind": "host"}, THERE: {"kind": "host"}},
            "links": [{"endpoints": ["a:eth1", "b:eth1"], "direct": true}],
        },
        "processes": [
            {"name": DAEMON, "node": HERE, "command": serve, "ready": {"output": "started"}},
            {"name": RECEIVER, "node": THERE, "command": plays(&receive)?,
             "ready": {"output": READY}},
            {"name": CLAIM, "node": HERE, "command": claim, "start": after(DAEMON, "ready")},
            {"name": SENDER, "node": HERE, "command": plays(&Order::Send(send))?,
             "start": after(CLAIM, "done")},
            {"name": LIST, "node": HERE, "command": shape(&["list", "--format", "json"]),
             "start": after(SENDER, "done")},
            {"name": STOP, "node": HERE, "command": shape(&["stop"]),
             "start": after(LIST, "done")},
        ],
    });
    text(&scenario)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_is_a_scenario() {
        for traffic in Traffic::ALL {
            let text = scenario("./netloom", traffic, 10.0, 1.0).unwrap();
            let loaded = netloom_scenario::load(&text)
                .unwrap_or_else(|errors| panic!("{}", errors.render("scenario", &text)));
            assert!(loaded.warnings.is_empty(), "{}", loaded.warnings.render("", &text));
            assert_eq!(loaded.scenario.processes.len(), 6);
        }
    }

    #[test]
    fn what_arrives_whole_and_in_time_is_borne() {
        let judged = |planned, writes, bytes, verdict: &str| {
            let found = (&Sent { planned, writes }, &Received { bytes });
            judge(Traffic::Udp60, 2.0, found, verdict.into())
        };
        let edge = ShapedEdge { bits_per_second: 100.0 * 480.0, frames_per_second: Some(100.0) };
        assert_eq!(judged(200, 200, 3600, "valid"), Ok(edge));
        assert!(judged(200, 199, 3582, "valid").is_err_and(|why| why.contains("99.5 %")));
        assert!(judged(200, 200, 3582, "valid").is_err_and(|why| why.contains("arrived")));
        let late = "invalid: lateness";
        assert_eq!(judged(200, 200, 3600, late), Err(late.into()));
    }
}
