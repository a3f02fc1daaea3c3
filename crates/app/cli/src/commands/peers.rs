//! `netloom inspect --machines`: what members of an experiment on several machines know of each
//! other.

use std::fmt::Write;
use std::time::{Duration as Patience, Instant};

use anyhow::Result;
use netloom_api::member::{CrossingStatus, PeerStatus};
use netloom_units::Duration;
use netloom_units::readable::count;

use crate::args::{Format, Inspect};
use crate::client::Client;
use crate::table::table;
use crate::{exit, find};

/// Time between the two looks that rates are of.
const APART: Patience = Patience::from_secs(1);

/// Returns the tables of a member that is named, or of all on this machine.
pub async fn look(args: &Inspect) -> Result<String> {
    let is_named = args.experiment.is_some() || args.scenario.file.is_some();
    let members = match is_named {
        true => {
            vec![find::client(args.experiment.as_deref(), &args.scenario).await?]
        }
        false => {
            let all = netloom_host::experiments()?;
            all.iter().filter(|found| found.alive).map(Client::of).collect()
        }
    };
    let (mut first, mut begun) = (Vec::new(), Vec::new());
    for client in &members {
        begun.push(Instant::now());
        // One that is about to end is no member that could be shown.
        first.push(match is_named {
            true => ask(client).await?,
            false => ask(client).await.unwrap_or_default(),
        });
    }
    if first.iter().all(Vec::is_empty) {
        return Err(exit::usage(
            "none of these experiments is on several machines: `netloom run --machines FILE` \
             starts one, and each machine has a member of it, like `campus-m1`",
        ));
    }
    let of_members = members.iter().zip(first).zip(begun);
    let of_members: Vec<_> = of_members.filter(|((_, peers), _)| !peers.is_empty()).collect();
    if args.showing.format == Format::Json {
        let named = of_members.iter().map(|((client, peers), _)| (client.experiment(), peers));
        let all: std::collections::BTreeMap<_, _> = named.collect();
        return Ok(format!("{}\n", serde_json::to_string_pretty(&all)?));
    }
    tokio::time::sleep(APART).await;
    let mut text = String::new();
    for ((client, before), begun) in of_members {
        let seconds = begun.elapsed().as_secs_f64();
        let now = ask(client).await?;
        write!(text, "{}", of_member(client.experiment(), &before, &now, seconds)?)?;
    }
    Ok(text)
}

async fn ask(client: &Client) -> Result<Vec<PeerStatus>> {
    client.get("/machines").await
}

/// Returns the tables of one member, with rates since `before`, `seconds` ago.
fn of_member(
    name: &str,
    before: &[PeerStatus],
    now: &[PeerStatus],
    seconds: f64,
) -> Result<String> {
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
    let mut pipes = table(&["pipe", "way", "frames/s", "frames", "lost", "refused", "slack"]);
    for peer in now {
        let earlier = before.iter().find(|one| one.machine == peer.machine);
        for pipe in &peer.pipes {
            let same = |one: &&CrossingStatus| {
                (&one.link, &one.direction) == (&pipe.link, &pipe.direction)
            };
            let then = earlier.and_then(|peer| peer.pipes.iter().find(same));
            let more = pipe.sent.saturating_sub(then.map_or(pipe.sent, |one| one.sent));
            let slack = pipe.slack.map_or("not known".into(), |slack| {
                let sign = if slack < 0 { "-" } else { "" };
                format!("{sign}{}", Duration::from_nanos(slack.unsigned_abs()))
            });
            let way = if pipe.leads_there { "to" } else { "from" };
            pipes.add_row([
                format!("{}/{}", pipe.link, pipe.direction),
                format!("{way} {}", peer.machine),
                format!("{:.0}", more as f64 / seconds),
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
