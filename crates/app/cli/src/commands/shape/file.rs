//! Files of claims.

use std::path::Path;

use anyhow::{Context, Result};
use netloom_shape::wire::{Add, Done, List, Renew, Set};
use netloom_shape::{Claim, ClaimFile, Entry};

use super::show;
use crate::client::Client;
use crate::exit::{self, WithCode};

/// Reads a file of claims.
pub fn read(path: &Path) -> Result<ClaimFile> {
    let text =
        std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let name = path.display().to_string();
    let wrong = |message| anyhow::Error::from(WithCode { code: exit::USAGE, message });
    let file: ClaimFile = netloom_scenario::value(&text)
        .map_err(|findings: netloom_scenario::Diagnostics| wrong(findings.render(&name, &text)))?;
    for claim in file.claims.keys() {
        netloom_shape::check_name(claim).map_err(exit::usage)?;
    }
    for (claim, Claim { out, inward, .. }) in &file.claims {
        if let Some(unread) = out.unread_file().or_else(|| inward.unread_file()) {
            let message = format!(
                "{name}: claim `{claim}`: `{}` names a file, which files of claims cannot do yet: \
                 give it with `netloom shape add`",
                unread.property
            );
            return Err(wrong(message));
        }
    }
    Ok(file)
}

/// Makes the claims of a file that do not exist, and changes those that differ.
pub async fn apply(client: &Client, path: &Path) -> Result<()> {
    let file = read(path)?;
    let there: List = client.get("/claims").await?;
    for (name, claim) in file.claims {
        let known = there.claims.iter().find(|listed| listed.entry.name == name);
        match known.map(|listed| &listed.entry) {
            None => {
                let done: Done = client.ask("/claims", &Add { name, claim, force: false }).await?;
                show::added(&done);
            }
            Some(entry) => change(client, entry, &claim).await?,
        }
    }
    Ok(())
}

async fn change(client: &Client, entry: &Entry, claim: &Claim) -> Result<()> {
    let name = &entry.name;
    if entry.claim.selector != claim.selector {
        return Err(exit::usage(format!(
            "claim `{name}` takes other traffic now ({}): remove it first",
            entry.claim.selector
        )));
    }
    let terms = |claim: &Claim| (claim.reserve, claim.over);
    if terms(&entry.claim) != terms(claim) {
        return Err(exit::usage(format!(
            "claim `{name}` has another `reserve` or `over` now, which cannot be changed: remove \
             it first"
        )));
    }
    let [was, is] = [entry.claim.pipes(), claim.pipes()];
    let set = Set { out: was[0].change_to(&is[0]), inward: was[1].change_to(&is[1]) };
    if set != Set::default() {
        let _: Done = client.patch(&format!("/claims/{name}"), &set).await?;
    }
    let renew = Renew { lifetime: claim.lifetime };
    let done: Done = client.ask(&format!("/claims/{name}/renew"), &renew).await?;
    println!("{name}: {}", show::end(&done.is));
    Ok(())
}
