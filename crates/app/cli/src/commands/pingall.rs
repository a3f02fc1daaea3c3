//! `netloom pingall`

use std::collections::HashSet;

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

/// Lets every host ping every other, at the addresses that they have now. Fails if one is not
/// reached, or if there is nobody to reach.
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
    let apart = apart(&request.nodes, &reached);
    match args.format {
        Format::Json => println!("{}", serde_json::to_string_pretty(&reached)?),
        Format::Table => print(&families, &reached),
    }
    if reached.is_empty() {
        let hosts = counted(request.nodes.len(), "node");
        eprintln!("nothing was pinged: of {hosts}, no two have addresses in one family");
    } else if !apart.is_empty() {
        let names = apart.join(", ");
        eprintln!("not pinged, for want of an address in a family of the others: {names}");
    }
    let all = reached.iter().all(|reach| reach.rtt_ms.is_some());
    let all = all && apart.is_empty() && !reached.is_empty();
    Ok(if all { exit::SUCCESS } else { exit::FAILURE })
}

/// Returns the nodes that neither pinged another nor were pinged.
fn apart<'a>(nodes: &'a [String], reached: &[Reach]) -> Vec<&'a str> {
    let met: HashSet<&str> =
        reached.iter().flat_map(|reach| [reach.from.as_str(), &reach.to]).collect();
    nodes.iter().map(String::as_str).filter(|node| !met.contains(node)).collect()
}

fn print(families: &[Family], reached: &[Reach]) {
    for family in families {
        let pairs = || reached.iter().filter(|reach| family.has(reach.address));
        if pairs().next().is_none() {
            println!("{}: no two nodes have an address", family.name());
            continue;
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_without_a_ping_are_found() {
        let nodes = ["a", "b", "c"].map(String::from);
        let reach = Reach {
            from: "a".into(),
            to: "c".into(),
            address: [10, 0, 0, 1].into(),
            sent: 1,
            rtt_ms: Some(1.0),
            error: None,
        };
        assert_eq!(apart(&nodes, &[reach]), ["b"]);
        assert_eq!(apart(&nodes, &[]), ["a", "b", "c"]);
    }
}
