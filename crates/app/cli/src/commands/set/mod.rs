//! `netloom set`

pub(super) mod medium;
pub(super) mod properties;
mod report;

use std::path::Path;

use anyhow::Result;
use netloom_api::change::{ChangeRequest, ChangeResponse, LinkChange, PipeChange};
use netloom_api::state::LinkStatus;

use crate::args::{Direction, Set};
use crate::exit::WithCode;
use crate::{exit, files, find};

/// Changes a link, a shared medium, or a node on one, while it runs.
pub async fn set(args: Set) -> Result<i32> {
    let (link, experiment) = find::split_at(&args.link);
    // The only link of an experiment may be named by the experiment.
    let may_be_one = netloom_scenario::check_experiment_name(link).is_ok();
    let is_experiment = experiment.is_none() && may_be_one && netloom_host::inspect(link)?.alive;
    let experiment = experiment.or(is_experiment.then_some(link));
    let client = find::client(experiment, &args.scenario).await?;
    let links: Vec<LinkStatus> = client.get("/links").await?;
    let link = match &links[..] {
        [only] if is_experiment => &only.name,
        _ => link,
    };
    let before = find::link(&links, link)?;
    if before.is_none() && medium::set(&client, link, &args.properties).await? {
        return Ok(exit::SUCCESS);
    }
    let change = parse(&args.properties)?;
    let request = ChangeRequest {
        changes: vec![LinkChange {
            link: link.into(),
            direction: match args.direction {
                Direction::Both => netloom_scenario::Direction::Both,
                Direction::Forward => netloom_scenario::Direction::Forward,
                Direction::Reverse => netloom_scenario::Direction::Reverse,
            },
            change: change.clone(),
        }],
    };
    let changed: ChangeResponse = client.patch("/links", &request).await?;
    let name = before.map_or(link, |before| &before.name);
    println!("{name}: changed at {}", changed.at);
    if let Some(before) = before {
        report::print(before, args.direction, &change);
    }
    Ok(exit::SUCCESS)
}

/// Parses properties as in the scenario file. Files are relative to the current folder.
fn parse(words: &[String]) -> Result<PipeChange> {
    let text = properties::yaml(words)?;
    let mut read = files::reader(Path::new("."));
    netloom_scenario::properties(&text, &mut read).map_err(|findings| {
        let message = findings.render("netloom set", &text);
        WithCode { code: exit::USAGE, message }.into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(properties: &[&str]) -> Result<PipeChange> {
        parse(&properties.iter().map(ToString::to_string).collect::<Vec<_>>())
    }

    #[test]
    fn properties_are_those_of_the_scenario() {
        let change = parsed(&["rate=10Mbit/s", "queue.limit=50ms", "state=down"]).unwrap();
        assert_eq!(change.rate.unwrap().to_string(), "10Mbit/s");
        assert_eq!(change.queue.unwrap().limit.unwrap().to_string(), "50ms");
        assert!(change.delay.is_none());
        let change = parsed(&[
            "jitter.normal=2ms",
            "jitter.correlation=25%",
            "loss.every=100",
            "ber=1e-6",
            "pipe_mtu=1400",
            "rate.trace=[1, 2, 3]",
        ]);
        let words = change.unwrap();
        assert_eq!(words.jitter.unwrap().to_string(), "normal 2ms, correlation 25%");
        assert_eq!(words.loss.unwrap().to_string(), "every 100th");
        assert_eq!(words.ber.unwrap().to_string(), "1e-6");
        let change = parsed(&["loss.pattern=0001", "netem=delay 10ms 2ms"]).unwrap();
        assert_eq!(change.keys(), ["delay", "jitter", "loss", "reorder"]);
        let meter = "condition=[{meter: {rate: 5Mbit/s, burst: 20kB}, exceed: drop}]";
        let change = parsed(&[meter]).unwrap();
        assert_eq!(change.condition.unwrap().conditioners().len(), 1);
        assert!(parsed(&["condition=none"]).unwrap().condition.unwrap().is_none());
    }

    #[test]
    fn mistakes_are_reported() {
        let message = |properties: &[&str]| format!("{:#}", parsed(properties).unwrap_err());
        assert!(message(&["delay=5"]).contains("`5` has no unit"));
        assert!(message(&["dely=5ms"]).contains("did you mean `delay`?"));
        assert!(message(&["delay="]).contains("is not a duration"));
        assert!(message(&["netem=delay 1ms", "delay=2ms"]).contains("said twice"));
        let meter = "condition=[{meter: {rate: 5Mbit/s}, exceed: drop}]";
        assert!(message(&[meter]).contains("needs a `burst` too"));
        assert!(message(&["rate.trace=nowhere.trace"]).contains("there is no file"));
        assert!(message(&["jitter.pattern=[1ms"]).contains("error"));
    }
}
