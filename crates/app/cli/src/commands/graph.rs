//! `netloom graph`

use std::fs;

use anyhow::{Context, Result, bail};
use netloom_drawing as drawing;

use crate::args::{Drawing, Graph};
use crate::{exit, find};

/// Draws a scenario's topology.
pub fn graph(args: Graph) -> Result<i32> {
    let scenario = find::scenario(&args.scenario)?.scenario;
    let text = match (args.format, args.at) {
        (Drawing::Dot, None) => drawing::dot(&scenario),
        (Drawing::Mermaid, None) => drawing::mermaid(&scenario),
        (Drawing::Svg, None) => drawing::svg(&scenario),
        (Drawing::Dot, Some(at)) => drawing::dot_at(&scenario, at).map_err(anyhow::Error::msg)?,
        (Drawing::Svg, Some(at)) => drawing::svg_at(&scenario, at).map_err(anyhow::Error::msg)?,
        (Drawing::Mermaid, Some(_)) => {
            bail!("Mermaid puts nodes where it likes: with `--at`, take `--format svg` or `dot`")
        }
    };
    match args.output {
        Some(file) => {
            fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?
        }
        None => print!("{text}"),
    }
    Ok(exit::SUCCESS)
}
