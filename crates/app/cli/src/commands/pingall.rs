//! `netloom pingall`

use anyhow::Result;
use netloom_api::ping::{Family, PingRequest, Reach};
use netloom_api::state::NodeStatus;
use netloom_scenario::NodeKind;
use netloom_units::readable::counted;

use crate::args::{Format, Pingall};
use crate::table::table;
use crate::{exit, find};

/// Most pairs without a connection that are listed.
const LISTED: usize = 50;

/// Lets every host ping every other. Fails if one is not reached.
pub async fn pingall(args: Pingall) -> Result<i32> {
    let client = find::client(args.experiment.as_deref(), &args.scenario).await?;
    let nodes: Vec<NodeStatus> = client.get("/nodes").await?;
    let real = nodes.into_iter().filter(|node| !node.simulated);
    let asked = real.filter(|node| match node.kind {
        NodeKind::Host => true,
        NodeKind::Router => args.routers,
        NodeKind::Switch | NodeKind::Medium | NodeKind::Outside => false,
    });
    let families = match (args.ipv4, args.ipv6) {
        (true, false) => vec![Family::Ipv4],
        (false, true) => vec![Family::Ipv6],
        _ => Family::ALL.to_vec(),
    };
    let request = PingRequest {
        nodes: asked.map(|node| node.name).collect(),
        families: families.clone(),
        tries: args.tries,
    };
    let reached: Vec<Reach> = client.ask("/ping", &request).await?;
    match args.format {
        Format::Json => println!("{}", serde_json::to_string_pretty(&reached)?),
        Format::Table => print(&families, &reached),
    }
    let all = reached.iter().all(|reach| reach.rtt_ms.is_some());
    Ok(if all { exit::SUCCESS } else { exit::FAILURE })
}

fn print(families: &[Family], reached: &[Reach]) {
    for family in families {
        let pairs = || reached.iter().filter(|reach| family.has(reach.address));
        let failed: Vec<&Reach> = pairs().filter(|reach| reach.rtt_ms.is_none()).collect();
        let (all, slowest) = (pairs().count(), pairs().filter_map(|reach| reach.rtt_ms));
        let slowest = slowest.fold(0.0, f64::max);
        println!(
            "{}: {} of {} reached, the slowest in {slowest:.1} ms",
            family.name(),
            all - failed.len(),
            counted(all, "pair")
        );
        if failed.is_empty() {
            continue;
        }
        let mut rows = table(&["from", "to", "address", "sent", "why"]);
        for reach in failed.iter().take(LISTED) {
            rows.add_row([
                reach.from.as_str(),
                &reach.to,
                &reach.address.to_string(),
                &reach.sent.to_string(),
                reach.error.as_deref().unwrap_or("no answer"),
            ]);
        }
        println!("{rows}");
        if failed.len() > LISTED {
            println!("({} more; `--format json` has all)", failed.len() - LISTED);
        }
    }
}
