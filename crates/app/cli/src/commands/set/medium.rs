//! `netloom set` for a shared medium, and for a node on one.

use anyhow::Result;
use netloom_api::medium::{MediumRequest, MediumResponse, MediumStatus, StationRequest};
use netloom_scenario::StationKeys;
use serde::de::DeserializeOwned;

use super::properties;
use crate::client::Client;
use crate::exit;
use crate::exit::WithCode;

/// Changes the medium, or node on one, called `name`. Returns `false` if it is neither.
pub async fn set(client: &Client, name: &str, words: &[String]) -> Result<bool> {
    let media: Vec<MediumStatus> = client.get("/media").await?;
    if media.iter().any(|medium| medium.name == name) {
        let set = read(words)?;
        patch(client, name, name, &MediumRequest { set, stations: Vec::new() }).await?;
        return Ok(true);
    }
    let is_here = |medium: &&MediumStatus| {
        medium.stations.iter().any(|station| station.interface.node == name)
    };
    let mut is_node = false;
    for medium in media.iter().filter(is_here) {
        is_node = true;
        let change = read::<StationKeys>(words)?.change()?;
        let station = StationRequest { node: name.into(), change };
        let request = MediumRequest { stations: vec![station], ..MediumRequest::default() };
        patch(client, &medium.name, name, &request).await?;
    }
    Ok(is_node)
}

async fn patch(client: &Client, medium: &str, what: &str, request: &MediumRequest) -> Result<()> {
    let path = format!("/media/{medium}");
    let MediumResponse { at } = client.patch(&path, request).await?;
    println!("{what}: changed at {at}");
    Ok(())
}

/// Parses words as in the scenario file.
pub fn read<T: DeserializeOwned>(words: &[String]) -> Result<T> {
    let text = properties::yaml(words)?;
    netloom_scenario::value(&text).map_err(|findings| {
        let message = findings.render("netloom set", &text);
        WithCode { code: exit::USAGE, message }.into()
    })
}
