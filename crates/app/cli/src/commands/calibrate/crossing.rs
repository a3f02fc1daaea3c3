//! Measures the time that the machine takes to carry a frame over a link. `compensate: calibrated`
//! takes this time off a link's delay.

use std::fs;

use anyhow::{Context, Result};
use netloom_gauge::traffic::{Asked, Order, READY, ROLE};
use netloom_profile::{Crossing, Shape, Thoroughness};
use serde_json::json;

use super::network;
use super::session::{EXPERIMENT, Session};

const PORT: u16 = 5000;
/// The process that sends requests.
const ASKER: &str = "ask";
/// Number of links of two paths. The time that the programs at their ends take is equal in both,
/// and cancels out of the difference.
const LINKS: [u32; 2] = [1, 5];

/// Measures the two paths alternately.
pub async fn measure(session: &mut Session, thoroughness: Thoroughness) -> Result<Crossing> {
    session.show("the time that a link takes");
    let (rounds, times) = match thoroughness {
        Thoroughness::Full => (5, 200),
        Thoroughness::Quick => (3, 60),
    };
    let mut found = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        let few = excess(session, LINKS[0], times).await?;
        let many = excess(session, LINKS[1], times).await?;
        found.push((many - few) / f64::from(2 * (LINKS[1] - LINKS[0])));
    }
    found.sort_by(f64::total_cmp);
    let (least, most) = (found[0], found[rounds - 1]);
    Ok(Crossing { p50_us: found[rounds / 2].max(0.0), least_us: least, most_us: most })
}

/// Returns the median round trip over a path of `links` links, without their delays, in µs.
async fn excess(session: &mut Session, links: u32, times: u32) -> Result<f64> {
    let shape = Shape::Chain { hops: links };
    let program = network::program(session.binary())?;
    let run = |order: &Order| {
        Ok::<_, anyhow::Error>(json!([program, ROLE, serde_json::to_string(order)?]))
    };
    let scenario = json!({
        "name": EXPERIMENT,
        "topology": network::topology(shape),
        "processes": [
            {"name": "answer", "node": "b", "ready": {"output": READY},
             "command": run(&Order::Answer { port: PORT })?},
            {"name": ASKER, "node": "a", "start": {"after": "answer", "when": "ready"},
             "command": run(&Order::Ask { to: "b".into(), port: PORT, times })?},
        ],
    });
    let results = session.run(&network::text(&scenario)?).await?;
    let file = results.join(format!("processes/{ASKER}@a.stdout"));
    let text =
        fs::read_to_string(&file).with_context(|| format!("cannot read {}", file.display()))?;
    let asked: Asked = serde_json::from_slice(text.lines().last().unwrap_or_default().as_bytes())
        .context("a calibration run has measured no round trip")?;
    fs::remove_dir_all(&results).context("cannot remove the results of a calibration run")?;
    let delays = 2.0 * f64::from(links) * network::DELAY_MILLIS as f64 * 1e3;
    Ok(asked.p50_ns as f64 / 1e3 - delays)
}
