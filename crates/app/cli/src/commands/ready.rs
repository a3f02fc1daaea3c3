//! `netloom deploy --wait`: waits until hosts reach each other, which takes longer than services
//! take to start where routing daemons find the ways.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use netloom_api::ping::{Family, PingRequest, Reach};
use netloom_api::progress::Progress;
use netloom_api::state::NodeStatus;
use netloom_scenario::NodeKind;
use netloom_units::readable::counted;

use super::logs;
use crate::client::Client;
use crate::interrupts::Interrupts;
use crate::{exit, output};

/// Most pairs and logs that are listed.
const LISTED: usize = 5;
/// Time between two looks.
const PERIOD: Duration = Duration::from_millis(500);

/// Waits until every host of an experiment reaches every other one, or every router if there are
/// no two hosts. Nodes without an address are not asked.
///
/// # Errors
/// If they do not within `limit`. The error lists pairs, and logs in which to look.
pub async fn wait(client: &Client, limit: Duration) -> Result<i32> {
    let began = Instant::now();
    let mut interrupts = Interrupts::watch()?;
    let nodes: Vec<NodeStatus> = client.get("/nodes").await?;
    let of = |kinds: &[NodeKind]| -> Vec<String> {
        let asked = nodes.iter().filter(|node| !node.simulated && kinds.contains(&node.kind));
        asked.map(|node| node.name.clone()).collect()
    };
    let mut asked = of(&[NodeKind::Host]);
    if asked.len() < 2 {
        asked = of(&[NodeKind::Host, NodeKind::Router]);
    }
    loop {
        let request = PingRequest { nodes: asked, families: Family::ALL.to_vec(), tries: 1 };
        let reached: Vec<Reach> = tokio::select! {
            reached = client.ask("/ping", &request) => reached?,
            signal = interrupts.next() => return Ok(interrupted(client, signal)),
        };
        let failed: Vec<&Reach> = reached.iter().filter(|reach| reach.rtt_ms.is_none()).collect();
        if failed.is_empty() {
            let seconds = began.elapsed().as_secs_f64();
            let words = format!("all hosts reach each other after {seconds:.1} s");
            match output::is_lines() {
                true => output::progress(|| Progress::Note(words)),
                false => println!("{words}"),
            }
            return Ok(exit::SUCCESS);
        }
        if began.elapsed() >= limit {
            bail!(unready(client, &nodes, &failed, limit).await?);
        }
        // Those that have reached all others are not asked again.
        let open: BTreeSet<&String> =
            failed.iter().flat_map(|reach| [&reach.from, &reach.to]).collect();
        asked = open.into_iter().cloned().collect();
        tokio::select! {
            () = tokio::time::sleep(PERIOD) => {}
            signal = interrupts.next() => return Ok(interrupted(client, signal)),
        }
    }
}

fn interrupted(client: &Client, signal: i32) -> i32 {
    eprintln!("interrupted; `{}` stays as it is", client.experiment());
    128 + signal
}

/// Describes who does not reach whom, and which logs there are.
async fn unready(
    client: &Client,
    nodes: &[NodeStatus],
    failed: &[&Reach],
    limit: Duration,
) -> Result<String> {
    let name = client.experiment();
    let pairs = counted(failed.len(), "pair");
    let mut lines = vec![format!(
        "`{name}` is up, but after {} s {pairs} of hosts do not reach each other:",
        limit.as_secs_f64()
    )];
    lines.extend(failed.iter().take(LISTED).map(|Reach { from, to, address, error, .. }| {
        format!("  {from} → {to} ({address}): {}", error.as_deref().unwrap_or("no answer"))
    }));
    let status = client.get("/experiment").await?;
    let folder = client.files(&status).join("services");
    let logs = nodes.iter().flat_map(|node| {
        logs::names(&folder, &node.name)
            .into_iter()
            .map(move |service| format!("  netloom logs {}@{name} {service}", node.name))
    });
    let logs: Vec<String> = logs.take(LISTED).collect();
    if !logs.is_empty() {
        lines.push("logs of what makes routes and addresses:".into());
        lines.extend(logs);
    }
    lines.push(format!("`netloom pingall {name}` lists all pairs; the network stays"));
    Ok(lines.join("\n"))
}
