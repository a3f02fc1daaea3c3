//! `netloom inspect`

use anyhow::{Context, Result};
use futures_util::future::{join_all, try_join_all};
use netloom_api::state::ExperimentStatus;
use netloom_host::Found;
use netloom_link::Window;
use serde::Serializer;
use serde::ser::SerializeMap;
use serde_json::json;
use serde_transcode::Transcoder;

use super::view::{View, links, phase};
use super::{live, peers, radio, repeat, tc};
use crate::args::{Format, Inspect};
use crate::client::Client;
use crate::table::table;
use crate::{exit, find};

/// Shows running experiments.
pub async fn inspect(args: Inspect) -> Result<i32> {
    if args.showing.watch {
        let page = if shows_a_page(&args) { meant(&args).await? } else { None };
        return match page.filter(|found| found.alive) {
            Some(found) => live::watch(Client::of(&found), args.showing.last).await,
            None => repeat::watch(async || look(&args).await).await,
        };
    }
    print!("{}", look(&args).await?);
    Ok(exit::SUCCESS)
}

/// Whether one experiment, if it is meant, is watched on a page of its own.
fn shows_a_page(args: &Inspect) -> bool {
    let asks_for_part = args.tc
        || args.machines.is_some()
        || args.radio
        || args.positions
        || args.neighbours.is_some();
    !asks_for_part && args.showing.format == Format::Table && live::is_possible()
}

/// Returns the experiment that is meant, or `None` if all are.
async fn meant(args: &Inspect) -> Result<Option<Found>> {
    match (&args.experiment, &args.scenario.file) {
        (None, None) if args.all => Ok(None),
        (None, None) => find::obvious_experiment().await,
        (name, _) => find::experiment(name.as_deref(), &args.scenario).await.map(Some),
    }
}

async fn look(args: &Inspect) -> Result<String> {
    if args.machines.is_some() {
        return peers::look(args).await;
    }
    if args.tc {
        return tc::look(args).await;
    }
    let Some(found) = meant(args).await? else {
        return list(&netloom_host::experiments()?, args.showing.format).await;
    };
    if !found.alive && found.pid.is_some() {
        return list(&[found], args.showing.format).await;
    }
    let client = find::client(Some(&found.name), &args.scenario).await?;
    if args.radio {
        return radio::radio(&client, args.showing.format).await;
    }
    if args.positions {
        return radio::positions(&client, args.showing.format).await;
    }
    if let Some(node) = &args.neighbours {
        return radio::neighbours(&client, node, args.showing.format).await;
    }
    match args.showing.format {
        Format::Json => json(&client, args.showing.last).await,
        Format::Table => View::fetch(&client, args.showing.last).await?.table(args.all),
    }
}

/// Returns the API's answers under their names, unparsed: the answer for thousands of links takes
/// longer to parse than to print.
async fn json(client: &Client, window: Option<Window>) -> Result<String> {
    let paths = PARTS.map(|part| match part {
        "links" => links(window),
        part => format!("/{part}"),
    });
    let answers = try_join_all(paths.iter().map(|path| client.body(path))).await?;
    let mut text = Vec::new();
    let mut out = serde_json::Serializer::pretty(&mut text);
    let mut map = out.serialize_map(Some(PARTS.len()))?;
    for ((part, path), answer) in PARTS.iter().zip(&paths).zip(&answers) {
        let mut answer = serde_json::Deserializer::from_slice(answer);
        map.serialize_entry(part, &Transcoder::new(&mut answer))
            .and_then(|()| answer.end())
            .with_context(|| format!("cannot understand the answer to {path}"))?;
    }
    map.end()?;
    text.push(b'\n');
    Ok(String::from_utf8(text)?)
}

async fn list(all: &[Found], format: Format) -> Result<String> {
    let asked = all.iter().map(async |found| match found.alive {
        true => (found, Client::of(found).status_soon().await),
        false => (found, None),
    });
    let statuses: Vec<(&Found, Option<ExperimentStatus>)> = join_all(asked).await;
    if format == Format::Json {
        let rows: Vec<_> = statuses
            .iter()
            .map(|(found, status)| {
                json!({
                    "name": found.name, "alive": found.alive, "engine_pid": found.pid,
                    "socket": found.socket, "status": status,
                })
            })
            .collect();
        return Ok(format!("{}\n", serde_json::to_string_pretty(&rows)?));
    }
    if statuses.is_empty() {
        return Ok("no experiment is running\n".into());
    }
    let mut rows = table(&["experiment", "engine", "phase", "nodes", "links", "scenario"]);
    for (found, status) in statuses {
        let pid = found.pid.map_or_else(|| "?".into(), |pid| pid.to_string());
        match status {
            Some(status) => rows.add_row([
                found.name.clone(),
                pid,
                phase(&status),
                status.nodes.to_string(),
                status.links.to_string(),
                status.file.display().to_string(),
            ]),
            None if found.alive => {
                rows.add_row([found.name.as_str(), &pid, "starting or not answering", "", "", ""])
            }
            None => {
                let help = format!("`netloom cleanup {}` removes what is left", found.name);
                rows.add_row([found.name.as_str(), &pid, "engine has died", "", "", &help])
            }
        };
    }
    Ok(format!("{rows}\n"))
}

/// The parts of the JSON of one experiment. The API has a path for each.
const PARTS: [&str; 8] =
    ["experiment", "nodes", "links", "media", "processes", "services", "timing", "verdict"];
