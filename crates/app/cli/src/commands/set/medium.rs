//! `netloom set` for a shared medium, and for a node on one.

use anyhow::Result;
use netloom_api::medium::{MediumRequest, MediumResponse, MediumStatus, StationRequest};
use netloom_medium::{MediumConfig, MediumProperties};
use netloom_scenario::StationKeys;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use super::properties;
use crate::client::Client;
use crate::exit;
use crate::exit::WithCode;

/// Changes the medium, or node on one, called `name`. Returns `false` if it is neither.
pub async fn set(client: &Client, name: &str, words: &[String]) -> Result<bool> {
    let media: Vec<MediumStatus> = client.get("/media").await?;
    if let Some(medium) = media.iter().find(|medium| medium.name == name) {
        let set = read_over(&medium.config, words)?;
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

/// Parses properties of a medium. Tables that words step into keep the entries that they have in
/// `config` and that no word names.
fn read_over(config: &MediumConfig, words: &[String]) -> Result<MediumProperties> {
    let text = properties::yaml_over(&tables(config)?, words)?;
    // Words for another variant, such as another MAC, stand alone: its table replaces the old one.
    netloom_scenario::value(&text).or_else(|_| read(words))
}

/// Returns the properties of a medium by their keys in a scenario.
fn tables(config: &MediumConfig) -> Result<Map<String, Value>> {
    let Value::Object(mut tables) = serde_json::to_value(config)? else {
        return Ok(Map::new());
    };
    if let Some(Value::Object(radio)) = tables.remove("radio") {
        tables.extend(radio);
    }
    Ok(tables)
}

/// Parses words as in the scenario file.
fn read<T: DeserializeOwned>(words: &[String]) -> Result<T> {
    let text = properties::yaml(words)?;
    netloom_scenario::value(&text).map_err(|findings| {
        let message = findings.render("netloom set", &text);
        WithCode { code: exit::USAGE, message }.into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use netloom_medium::Phy;

    #[test]
    fn a_nested_property_leaves_those_beside_it() {
        let words = |words: &[&str]| words.iter().map(ToString::to_string).collect::<Vec<_>>();
        let mut config = MediumConfig::new(Phy::B);
        let set = |config: &MediumConfig, text: &[&str]| read_over(config, &words(text)).unwrap();
        set(&config, &["mac.dcf.rts_threshold=0B"]).apply_to(&mut config);
        let with_rts = config.clone();
        set(&config, &["mac.dcf.retry.short=3"]).apply_to(&mut config);
        let json = |config: &MediumConfig| serde_json::to_value(config).unwrap();
        assert_ne!(json(&config), json(&with_rts));
        let threshold = |config: &MediumConfig| json(config)["mac"]["dcf"]["rts_threshold"].clone();
        assert_eq!(threshold(&config), threshold(&with_rts));
        // Another MAC replaces the table.
        set(&config, &["mac.aloha.tries=3"]).apply_to(&mut config);
        assert!(json(&config)["mac"]["dcf"].is_null(), "{}", json(&config));
    }
}
