//! `netloom symbiosis`: shows the networks that a symbiotic run derives from a scenario, before it
//! runs.

use std::fmt::Write as _;
use std::sync::Arc;

use anyhow::Result;
use netloom_simulate::symbiosis::{Large, PrunedPipe, Shrunk, SmallPipeOf};
use netloom_units::readable::counted;
use serde_json::{Value, json};

use crate::args::{ScenarioFile, Symbiosis, SymbiosisPlan};
use crate::table::table;
use crate::{exit, find};

/// Runs a command of `netloom symbiosis`.
pub fn symbiosis(args: Symbiosis) -> Result<i32> {
    match args {
        Symbiosis::Plan(args) => plan(args),
    }
}

/// Shows the pruned network, and the small one.
fn plan(args: SymbiosisPlan) -> Result<i32> {
    let scenario =
        find::scenario(&ScenarioFile { file: args.file, ..ScenarioFile::default() })?.scenario;
    if !scenario.is_symbiotic() {
        return Err(exit::usage(format!(
            "`{}` is not symbiotic: add `symbiosis: {{}}` to the scenario, and `simulated: true` \
             to all nodes in which nothing is to run",
            scenario.name
        )));
    }
    let plan = Arc::new(netloom_plan::plan(&scenario)?);
    let (_, shrunk) =
        Large::new(&scenario, &plan).map_err(|error| exit::usage(format!("{error:#}")))?;
    if args.json {
        println!("{}", serde_json::to_string_pretty(&as_json(&shrunk))?);
    } else if args.dot {
        print!("{}", as_dot(&shrunk));
    } else {
        print!("{}", as_tables(&shrunk));
    }
    Ok(exit::SUCCESS)
}

fn as_tables(shrunk: &Shrunk) -> String {
    let hosts = shrunk.hosts.iter().map(|host| host.name.as_str()).collect::<Vec<_>>().join(", ");
    let mut large = table(&["pipe", "from", "to", "delay"]);
    for PrunedPipe { name, ends: [from, to], config, .. } in &shrunk.pruned {
        large.add_row([name, from, to, &config.delay.to_string()]);
    }
    let mut small = table(&["small pipe", "from", "to", "delay", "stands for"]);
    for pipe in &shrunk.pipes {
        let SmallPipeOf { name, ends: [from, to], delay, .. } = pipe;
        let chain = chain(shrunk, pipe).collect::<Vec<_>>().join(", ");
        small.add_row([name, from, to, &delay.to_string(), &chain]);
    }
    format!(
        "real hosts: {hosts}; calibrated every {}\n\npruned network: {}\n{large}\n\nsmall \
         network: {}, {}\n{small}\n",
        shrunk.period,
        counted(shrunk.pruned.len(), "pipe"),
        counted(shrunk.pipes.len(), "pipe"),
        counted(shrunk.small.junctions.len(), "junction"),
    )
}

fn as_json(shrunk: &Shrunk) -> Value {
    let pruned = shrunk.pruned.iter().map(|PrunedPipe { name, ends: [from, to], config, .. }| {
        json!({"pipe": name, "from": from, "to": to, "delay_ns": config.delay.nominal().as_nanos()})
    });
    let small = shrunk.pipes.iter().map(|pipe| {
        let SmallPipeOf { name, ends: [from, to], delay, .. } = pipe;
        let chain: Vec<&str> = chain(shrunk, pipe).collect();
        json!({
            "pipe": name, "from": from, "to": to, "delay_ns": delay.as_nanos(), "stands_for": chain,
        })
    });
    json!({
        "hosts": shrunk.hosts.iter().map(|host| &host.name).collect::<Vec<_>>(),
        "period_ns": shrunk.period.as_nanos(),
        "pruned": pruned.collect::<Vec<_>>(),
        "junctions": junctions(shrunk).collect::<Vec<_>>(),
        "small": small.collect::<Vec<_>>(),
    })
}

/// Returns both networks as a directed graph in two clusters. An arrow is a pipe.
fn as_dot(shrunk: &Shrunk) -> String {
    let is_host = |node: &str| shrunk.hosts.iter().any(|host| host.name == node);
    let mut text = String::from("digraph symbiosis {\n  node [shape=circle];\n");
    let mut cluster = |name: &str, pipes: Vec<(&[String; 2], &str)>| {
        let mut nodes: Vec<&String> = pipes.iter().flat_map(|(ends, _)| ends.iter()).collect();
        nodes.sort_unstable();
        nodes.dedup();
        // Writing into a text does not fail.
        let _ = writeln!(text, "  subgraph \"cluster_{name}\" {{\n    label=\"{name}\";");
        for node in nodes {
            let shape = if is_host(node) { "box" } else { "circle" };
            let _ = writeln!(text, "    \"{name}/{node}\" [label=\"{node}\", shape={shape}];");
        }
        for ([from, to], label) in pipes {
            let ends = format!("\"{name}/{from}\" -> \"{name}/{to}\"");
            let _ = writeln!(text, "    {ends} [label=\"{label}\"];");
        }
        text.push_str("  }\n");
    };
    cluster("pruned", shrunk.pruned.iter().map(|pipe| (&pipe.ends, &*pipe.name)).collect());
    cluster("small", shrunk.pipes.iter().map(|pipe| (&pipe.ends, &*pipe.name)).collect());
    text.push_str("}\n");
    text
}

/// Returns the pipes that a small one stands for.
fn chain<'s>(shrunk: &'s Shrunk, pipe: &'s SmallPipeOf) -> impl Iterator<Item = &'s str> {
    pipe.chain.iter().map(|place| shrunk.pruned[*place].name.as_str())
}

/// Returns the junctions of the small network: ends of its pipes that are not hosts.
fn junctions(shrunk: &Shrunk) -> impl Iterator<Item = &str> {
    let ends = shrunk.pipes.iter().flat_map(|pipe| &pipe.ends);
    let mut all: Vec<&str> = ends.map(String::as_str).collect();
    all.sort_unstable();
    all.dedup();
    all.into_iter().filter(|node| !shrunk.hosts.iter().any(|host| host.name == *node))
}
