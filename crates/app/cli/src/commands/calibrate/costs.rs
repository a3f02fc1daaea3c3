//! Measures the memory of the machine, and the cost of nodes and links.

use anyhow::Result;
use netloom_gauge::memory;
use netloom_profile::{Memory, MemoryCost, Thoroughness};
use serde_json::{Value, json};

use super::network;
use super::session::{EXPERIMENT, Session};

/// Memory that is in use while a network is up, in bytes.
#[derive(Debug, Clone, Copy)]
struct InUse {
    kernel: u64,
    engine: u64,
}

/// Measures with networks of one node, of many nodes, and of as many nodes with links.
pub async fn measure(session: &mut Session, thoroughness: Thoroughness) -> Result<Memory> {
    session.show("memory");
    let before = memory::now()?;
    let pairs = match thoroughness {
        Thoroughness::Full => 40,
        Thoroughness::Quick => 16,
    };
    let one = in_use(session, &scenario(1, 0)?).await?;
    let nodes = in_use(session, &scenario(2 * pairs, 0)?).await?;
    let links = in_use(session, &scenario(2 * pairs, pairs)?).await?;
    Ok(Memory {
        total_bytes: before.total,
        available_bytes: before.available,
        limit_bytes: memory::limit(),
        node: Some(cost(one, nodes, 2 * pairs - 1)),
        link: Some(cost(nodes, links, pairs)),
    })
}

async fn in_use(session: &mut Session, scenario: &str) -> Result<InUse> {
    let looked = session.look_at(scenario, |engine| {
        let kernel = memory::now()?.kernel;
        Ok(InUse { kernel, engine: memory::of_process(engine).unwrap_or_default() })
    });
    looked.await
}

/// Returns the cost of each of `number` parts that were added between two measurements.
fn cost(before: InUse, after: InUse, number: u32) -> MemoryCost {
    let each =
        |before: u64, after: u64| after.checked_sub(before).map(|all| all / u64::from(number));
    MemoryCost {
        kernel_bytes: each(before.kernel, after.kernel),
        engine_bytes: each(before.engine, after.engine),
    }
}

/// Returns the scenario of `hosts` hosts and of links between `links` pairs of them.
fn scenario(hosts: u32, links: u32) -> Result<String> {
    let name = |number: u32| format!("h{number}");
    let nodes: serde_json::Map<String, Value> =
        (0..hosts).map(|host| (name(host), json!({"kind": "host"}))).collect();
    let links: Vec<Value> = (0..links)
        .map(|pair| json!({"endpoints": [name(2 * pair), name(2 * pair + 1)], "delay": "1ms"}))
        .collect();
    network::text(&json!({"name": EXPERIMENT, "topology": {"nodes": nodes, "links": links}}))
}
