//! `netloom graph`

use std::fs;

use anyhow::{Context, Result};
use netloom_scenario::graph;

use crate::args::{Drawing, Graph};
use crate::{exit, find};

/// Draws a scenario's topology.
pub fn graph(args: Graph) -> Result<i32> {
    let scenario = find::scenario(&args.scenario)?.scenario;
    let text = match args.format {
        Drawing::Dot => graph::dot(&scenario),
        Drawing::Mermaid => graph::mermaid(&scenario),
        Drawing::Svg => graph::svg(&scenario),
    };
    match args.output {
        Some(file) => {
            fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?
        }
        None => print!("{text}"),
    }
    Ok(exit::SUCCESS)
}
