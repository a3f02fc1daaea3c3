//! `netloom inspect --machines`: what members of an experiment on several machines know of each
//! other.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::time::{Duration as Patience, Instant};

use anyhow::{Context, Result, bail};
use futures_util::future::try_join_all;
use netloom_api::member::{CrossingStatus, PeerStatus, greeting};
use netloom_api::state::LinkStatus;
use netloom_lead::{Secrets, commands, files};
use netloom_units::readable::count;
use netloom_units::{Duration, Rate};
use serde::{Deserialize, Serialize};

use crate::args::{Format, Inspect};
use crate::client::Client;
use crate::table::table;
use crate::{exit, find, placing};

/// The mode of a member that says what the members of its machine know.
pub const MODE: &str = "peers";

/// Time between the two looks that rates are of.
const APART: Patience = Patience::from_secs(1);

/// What a member knows.
#[derive(Debug, Serialize, Deserialize)]
struct Seen {
    experiment: String,
    peers: Vec<PeerStatus>,
    /// What goes on each pipe that leads to another machine, by its name, in bit/s.
    rates: BTreeMap<String, f64>,
}

/// Returns the tables of a member that is named, of all on this machine, or of all on machines.
pub async fn look(args: &Inspect) -> Result<String> {
    let named = args.machines.as_ref().and_then(Option::as_deref);
    let seen = match named.map(placing::standing_machines).transpose()? {
        Some(machines) if machines.local.is_none() => {
            let ways = commands(&machines)?;
            tokio::task::spawn_blocking(move || elsewhere(&ways)).await??
        }
        _ => here(args).await?,
    };
    if seen.is_empty() {
        return Err(exit::usage(
            "none of these experiments is on several machines: `netloom run --machines FILE` \
             starts one, and each machine has a member of it, like `campus-m1`",
        ));
    }
    if args.showing.format == Format::Json {
        let peers = seen.iter().map(|one| (&one.experiment, &one.peers));
        let all: BTreeMap<_, _> = peers.collect();
        return Ok(format!("{}\n", serde_json::to_string_pretty(&all)?));
    }
    seen.iter().map(of_member).collect()
}

/// Looks at a member that is named, or at all on this machine.
async fn here(args: &Inspect) -> Result<Vec<Seen>> {
    let is_named = args.experiment.is_some() || args.scenario.file.is_some();
    if is_named {
        let client = find::client(args.experiment.as_deref(), &args.scenario).await?;
        let seen = of(&client).await?;
        return Ok(seen.into_iter().collect());
    }
    all_here().await
}

/// Looks at all members on this machine.
async fn all_here() -> Result<Vec<Seen>> {
    let all = netloom_host::experiments()?;
    let clients: Vec<Client> = all.iter().filter(|found| found.alive).map(Client::of).collect();
    let seen = clients.iter().map(async |client| {
        // One that is about to end is no member that could be shown.
        anyhow::Ok(of(client).await.unwrap_or_default())
    });
    Ok(try_join_all(seen).await?.into_iter().flatten().collect())
}

/// Looks twice at a member. `None`: it is no member.
async fn of(client: &Client) -> Result<Option<Seen>> {
    let ask = async || client.get::<Vec<PeerStatus>>("/machines").await;
    if ask().await?.is_empty() {
        return Ok(None);
    }
    let (before, begun) = (bytes(client).await?, Instant::now());
    tokio::time::sleep(APART).await;
    let (after, seconds) = (bytes(client).await?, begun.elapsed().as_secs_f64());
    let peers = ask().await?;
    let leading = peers.iter().flat_map(|peer| &peer.pipes).filter(|pipe| pipe.leads_there);
    let rates = leading.filter_map(|pipe| {
        let name = name(pipe);
        let more = after.get(&name)?.saturating_sub(*before.get(&name)?);
        Some((name, more as f64 * 8.0 / seconds))
    });
    let rates = rates.collect();
    Ok(Some(Seen { experiment: client.experiment().to_owned(), peers, rates }))
}

fn name(pipe: &CrossingStatus) -> String {
    format!("{}/{}", pipe.link, pipe.direction)
}

/// Returns how many bytes each pipe has delivered.
async fn bytes(client: &Client) -> Result<BTreeMap<String, u64>> {
    let links: Vec<LinkStatus> = client.get("/links").await?;
    let pipes = links.iter().flat_map(|link| {
        [("forward", &link.forward), ("reverse", &link.reverse)]
            .map(|(direction, pipe)| (format!("{}/{direction}", link.name), pipe))
    });
    let delivered =
        pipes.filter_map(|(name, pipe)| Some((name, pipe.modelled()?.statistics.delivered.bytes)));
    Ok(delivered.collect())
}

/// Says what the members of this machine know, for whoever looks at all machines. Returns the exit
/// code.
pub fn main(word: &str) -> i32 {
    println!("{}", greeting(word));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let seen = runtime.context("cannot start a runtime").and_then(|one| one.block_on(all_here()));
    match seen.and_then(|seen| Ok(serde_json::to_string(&seen)?)) {
        Ok(line) => {
            println!("{line}");
            exit::SUCCESS
        }
        Err(error) => {
            println!("{}", netloom_api::in_words(error.as_ref()));
            exit::FAILURE
        }
    }
}

/// Looks at the members of machines that commands lead to.
fn elsewhere(ways: &[(String, String)]) -> Result<Vec<Seen>> {
    let word = Secrets::random()?.in_words();
    let ask = |(name, command): &(String, String)| -> Result<Vec<Seen>> {
        let machine = || format!("machine `{name}`");
        let (said, is_done) = files::said(command, &word, &[MODE, "-"]).with_context(machine)?;
        if !is_done {
            bail!("machine `{name}`: {}", said.trim());
        }
        serde_json::from_str(&said).context("cannot understand it").with_context(machine)
    };
    let asked: Vec<Result<Vec<Seen>>> = std::thread::scope(|scope| {
        let asked: Vec<_> = ways.iter().map(|way| scope.spawn(|| ask(way))).collect();
        asked.into_iter().filter_map(|one| one.join().ok()).collect()
    });
    let asked = asked.into_iter().collect::<Result<Vec<_>>>()?;
    let mut by_name: BTreeMap<String, Seen> = BTreeMap::new();
    // Machines of a list may be one, whose members are seen more than once.
    by_name.extend(asked.into_iter().flatten().map(|seen| (seen.experiment.clone(), seen)));
    Ok(by_name.into_values().collect())
}

/// Returns the tables of one member.
fn of_member(seen: &Seen) -> Result<String> {
    let (name, now) = (&seen.experiment, &seen.peers);
    let mut clocks = table(&["machine", "clock", "±", "drift", "there and back", "lost probes"]);
    for peer in now {
        let Some(clock) = peer.clock else {
            clocks.add_row([peer.machine.as_str(), "not known", "", "", "", ""]);
            continue;
        };
        let sign = if clock.offset < 0 { "-" } else { "+" };
        clocks.add_row([
            peer.machine.clone(),
            format!("{sign}{}", Duration::from_nanos(clock.offset.unsigned_abs())),
            Duration::from_nanos(clock.bound).to_string(),
            format!("{:+.1} ppm", clock.drift as f64 / 1000.0),
            Duration::from_nanos(clock.round_trip).to_string(),
            format!("{} of {}", count(peer.lost_probes), count(peer.probes)),
        ]);
    }
    let mut pipes = table(&["pipe", "way", "rate", "frames", "lost", "refused", "slack"]);
    for peer in now {
        for pipe in &peer.pipes {
            let name = self::name(pipe);
            // What comes is the other machine's to know.
            let rate = seen.rates.get(&name).map_or("–".into(), |rate| {
                Rate::from_bits_per_second(*rate as u64).map_or("0".into(), |rate| rate.to_string())
            });
            let slack = pipe.slack.map_or("not known".into(), |slack| {
                let sign = if slack < 0 { "-" } else { "" };
                format!("{sign}{}", Duration::from_nanos(slack.unsigned_abs()))
            });
            let way = if pipe.leads_there { "to" } else { "from" };
            pipes.add_row([
                name,
                format!("{way} {}", peer.machine),
                rate,
                count(pipe.sent),
                count(pipe.lost),
                count(pipe.refused),
                slack,
            ]);
        }
    }
    let mut text = format!("{name}\n\n{clocks}\n\n{pipes}\n");
    for peer in now {
        if peer.refused > 0 {
            writeln!(text, "{} datagrams or records of {} refused", peer.refused, peer.machine)?;
        }
        if let Some(trouble) = &peer.trouble {
            writeln!(text, "not all could be sent to {}: {trouble}", peer.machine)?;
        }
    }
    text.push('\n');
    Ok(text)
}
