//! Lists claims, for people and programs.

use std::fmt::Write;

use anyhow::Result;
use netloom_link::PipeStatistics;
use netloom_shape::wire::{List, Listed, PipeCount, properties};

use super::show;
use crate::args::{Format, ListClaims};
use crate::client::Client;
use crate::commands::recent::recent_table;
use crate::commands::repeat;
use crate::exit;
use crate::table::table;

/// Lists claims, once or repeatedly.
pub async fn list(client: &Client, of: &ListClaims) -> Result<i32> {
    if of.showing.watch {
        return repeat::watch(async || look(client, of).await).await;
    }
    print!("{}", look(client, of).await?);
    Ok(exit::SUCCESS)
}

async fn look(client: &Client, of: &ListClaims) -> Result<String> {
    let last = of.showing.last.map_or_else(String::new, |window| format!("&last={window}"));
    let list: List = client.get(&format!("/claims?all={}{last}", of.all)).await?;
    match (of.showing.format, of.showing.last) {
        (Format::Json, _) => Ok(format!("{}\n", serde_json::to_string_pretty(&list)?)),
        (Format::Table, None) => Ok(format!("{}\n", claims(&list))),
        (Format::Table, Some(_)) => recent(&list),
    }
}

/// Returns a row for each claim, with what its frames did since it began.
pub fn claims(list: &List) -> comfy_table::Table {
    let mut rows =
        table(&["CLAIM", "OWNER", "TAKES", "AT", "OUT", "IN", "FRAMES", "ENDS", "VERDICT"]);
    for listed in &list.claims {
        rows.add_row(row(listed));
    }
    for other in &list.others {
        let ports =
            other.ports.clone().map_or_else(|| "-".into(), |ports| format!("ports {ports}"));
        let ends = other.ends.map_or_else(|| "-".into(), |ends| ends.to_string());
        rows.add_row(["-", &other.owner, &ports, "-", "-", "-", "-", &ends, "-"]);
    }
    rows
}

fn row(listed: &Listed) -> [String; 9] {
    let Listed { entry, pipes, suspended, verdict, .. } = listed;
    let frames = pipes.iter().map(|PipeCount { delivered, .. }| delivered.to_string());
    let ends = match suspended {
        Some(why) => why.clone(),
        None => show::end(entry),
    };
    let reserved = if entry.claim.reserve { ", reserved" } else { "" };
    [
        entry.name.clone(),
        entry.owner.name.clone(),
        format!("{}{reserved}", entry.claim.selector),
        entry.device.clone(),
        properties(&entry.claim.out),
        properties(&entry.claim.inward),
        frames.collect::<Vec<_>>().join("/"),
        ends,
        verdict.clone(),
    ]
}

/// Returns a row for each pipe, with its statistics of the last seconds, and the verdicts, which
/// are on all the time since the claims began.
fn recent(list: &List) -> Result<String> {
    let mut text = format!("{}\n", recent_table(list.claims.iter().flat_map(pipes)));
    for Listed { entry, suspended, verdict, .. } in &list.claims {
        let suspended = suspended.iter().map(|why| format!(" ({why})")).collect::<String>();
        writeln!(text, "\n{}{suspended}: {verdict}", entry.name)?;
    }
    Ok(text)
}

fn pipes(listed: &Listed) -> impl Iterator<Item = (String, Option<&PipeStatistics>)> {
    let named = ["out", "in"].into_iter().zip(&listed.recent);
    named.map(|(word, pipe)| (format!("{} {word}", listed.entry.name), Some(pipe)))
}
