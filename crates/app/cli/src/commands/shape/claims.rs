//! Makes claims from words of the command line.

use std::io::{IsTerminal, Write};
use std::path::Path;

use anyhow::Result;
use netloom_link::PipeChange;
use netloom_shape::wire::{Add, Done, Set, properties};
use netloom_shape::{Claim, Lifetime, Selector, prefix};

use super::{daemon, show};
use crate::args::{AddClaim, CaptureClaim, SetClaim};
use crate::client::Client;
use crate::commands::capture;
use crate::commands::set::properties::yaml;
use crate::exit::WithCode;
use crate::{exit, files};

/// Makes a claim.
pub async fn add(client: &Client, state: &Path, words: AddClaim) -> Result<()> {
    let AddClaim { name, force, yes, .. } = &words;
    let (name, force, yes) = (name.clone(), *force, *yes);
    let claim = claim(words)?;
    netloom_shape::check_name(&name).map_err(exit::usage)?;
    claim.check().map_err(exit::usage)?;
    if claim.selector.everything && claim.lifetime == Lifetime::Never && !yes {
        ask("this takes all traffic of the device but ssh until it is removed: is that meant?")?;
    }
    daemon::start_for_root(client, state).await?;
    let done: Done = client.ask("/claims", &Add { name, claim, force }).await?;
    show::added(&done);
    Ok(())
}

/// Captures the frames of a claim.
pub async fn capture(client: &Client, words: CaptureClaim) -> Result<i32> {
    let CaptureClaim { name, wire, drops, write } = words;
    let at = if wire { "wire" } else { "host" };
    let body = client.stream(&format!("/claims/{name}/capture?at={at}&drops={drops}")).await?;
    capture::write(body, &write, &format!("of {name} at the side of the {at}")).await
}

/// Changes the pipes of a claim.
pub async fn set(client: &Client, words: SetClaim) -> Result<()> {
    let SetClaim { name, out, inward, both } = words;
    let [both, out, inward] = [change(&both)?, change(&out)?, change(&inward)?];
    let set = Set { out: both.overlaid(&out), inward: both.overlaid(&inward) };
    if set == Set::default() {
        return Err(exit::usage("nothing is to change: write `--out delay=50ms`, for example"));
    }
    let done: Done = client.patch(&format!("/claims/{name}"), &set).await?;
    let was = done.was.as_ref().unwrap_or(&done.is);
    for (direction, was, is) in [
        ("out", &was.claim.out, &done.is.claim.out),
        ("in", &was.claim.inward, &done.is.claim.inward),
    ] {
        if was != is {
            println!("{name} {direction}: {} (was {})", properties(is), properties(was));
        }
    }
    Ok(())
}

fn claim(words: AddClaim) -> Result<Claim> {
    let prefixes = words.prefix.iter().map(|text| prefix(text).map_err(exit::usage));
    let selector = Selector {
        client: words.client,
        server: words.server,
        service: words.service,
        user: words.user,
        cgroup: words.cgroup,
        prefix: prefixes.collect::<Result<_>>()?,
        interface: words.interface,
        netns: words.netns,
        pid: words.pid,
        everything: words.everything,
    };
    let [both, out, inward] = [change(&words.both)?, change(&words.out)?, change(&words.inward)?];
    Ok(Claim {
        selector,
        lifetime: words.lifetime,
        out: both.overlaid(&out),
        inward: both.overlaid(&inward),
        over: words.over,
        reserve: words.reserve,
    })
}

/// Parses properties as in a scenario. Files are relative to the current folder.
fn change(words: &[String]) -> Result<PipeChange> {
    if words.is_empty() {
        return Ok(PipeChange::default());
    }
    let text = yaml(words)?;
    let mut read = files::reader(Path::new("."));
    netloom_scenario::properties(&text, &mut read).map_err(|findings| {
        let message = findings.render("netloom shape", &text);
        WithCode { code: exit::USAGE, message }.into()
    })
}

/// Asks the user, and refuses if there is no terminal.
fn ask(question: &str) -> Result<()> {
    let mut answer = String::new();
    if std::io::stdin().is_terminal() {
        print!("{question} [y/N] ");
        std::io::stdout().flush()?;
        std::io::stdin().read_line(&mut answer)?;
    }
    match answer.trim() {
        "y" | "yes" => Ok(()),
        _ => Err(exit::usage(format!("{question} Say so with `--yes`"))),
    }
}
