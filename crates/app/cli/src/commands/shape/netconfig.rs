//! Carries out commands of PlanetLab's `netconfig`.

use std::net::ToSocketAddrs;
use std::path::Path;

use anyhow::Result;
use netloom_scenario::IpPrefix;
use netloom_shape::netconfig::{Command, DIFFERENCES, HELP, parse};
use netloom_shape::wire::{Add, Done, List, Renew, Set};
use netloom_shape::{Claim, prefix};

use super::{daemon, list, show};
use crate::client::Client;
use crate::exit;

/// Carries out the words after the tool's name.
pub async fn netconfig(client: &Client, state: &Path, words: &[String]) -> Result<()> {
    match parse(words, &mut resolve).map_err(exit::usage)? {
        Command::Help => print!("{HELP}"),
        Command::Show => println!("{}", list::claims(&client.get("/claims").await?)),
        Command::Delete(name) => {
            let _: Done = client.delete(&format!("/claims/{name}")).await?;
            println!("{name}: removed");
        }
        Command::Refresh(name, lifetime) => {
            let path = format!("/claims/{name}/renew");
            let done: Done = client.ask(&path, &Renew { lifetime }).await?;
            println!("{name}: {}", show::end(&done.is));
        }
        Command::Config { name, replaces, claim } => {
            daemon::start_for_root(client, state).await?;
            config(client, name, &replaces, *claim).await?;
        }
    }
    Ok(())
}

/// Makes a claim that replaces others. One with equal name and selector is changed instead.
async fn config(client: &Client, name: String, replaces: &[String], claim: Claim) -> Result<()> {
    let there: List = client.get("/claims").await?;
    let find = |name: &str| there.claims.iter().find(|listed| listed.entry.name == name);
    if let Some(listed) = find(&name)
        && listed.entry.claim.selector == claim.selector
    {
        let [was, is] = [listed.entry.claim.pipes(), claim.pipes()];
        let set = Set { out: was[0].change_to(&is[0]), inward: was[1].change_to(&is[1]) };
        let _: Done = client.patch(&format!("/claims/{name}"), &set).await?;
        let renew = Renew { lifetime: claim.lifetime };
        let done: Done = client.ask(&format!("/claims/{name}/renew"), &renew).await?;
        println!("{name}: changed, {}", show::end(&done.is));
        return Ok(());
    }
    for other in replaces.iter().chain([&name]).filter(|name| find(name).is_some()) {
        let _: Done = client.delete(&format!("/claims/{other}")).await?;
        println!("{other}: removed");
    }
    let done: Done = client.ask("/claims", &Add { name, claim, force: false }).await?;
    show::added(&done);
    eprintln!("note: {DIFFERENCES}");
    Ok(())
}

/// Returns the present addresses of a host.
fn resolve(host: &str) -> Result<Vec<IpPrefix>, String> {
    let found = (host, 0).to_socket_addrs();
    let found = found.map_err(|error| format!("cannot find `{host}`: {error}"))?;
    let mut all: Vec<IpPrefix> =
        found.map(|address| prefix(&address.ip().to_string())).collect::<Result<_, _>>()?;
    all.sort_unstable();
    all.dedup();
    Ok(all)
}
