//! `netloom set`

use anyhow::Result;
use netloom_api::change::{ChangeRequest, ChangeResponse, LinkChange, PipeChange};
use serde_json::{Map, Value};

use crate::args::{Direction, Set};
use crate::{Machine, exit, find};

/// Changes a link while it runs.
pub async fn set(machine: &dyn Machine, args: Set) -> Result<i32> {
    let change = parse(&args.properties)?;
    let (link, experiment) = find::split_at(&args.link);
    let client = find::client(machine, experiment, &args.scenario)?;
    let request = ChangeRequest {
        changes: vec![LinkChange {
            link: link.into(),
            direction: match args.direction {
                Direction::Both => netloom_scenario::Direction::Both,
                Direction::Forward => netloom_scenario::Direction::Forward,
                Direction::Reverse => netloom_scenario::Direction::Reverse,
            },
            change,
        }],
    };
    let changed: ChangeResponse = client.patch("/links", &request).await?;
    println!("{link}: changed at {}", changed.at);
    Ok(exit::SUCCESS)
}

/// Properties as in the scenario file; a dot steps into one, as in `queue.limit=50ms`.
fn parse(properties: &[String]) -> Result<PipeChange> {
    let mut root = Map::new();
    for property in properties {
        let (key, value) = property.split_once('=').ok_or_else(|| {
            exit::usage(format!("`{property}` is not KEY=VALUE, like `delay=5ms`"))
        })?;
        let mut path: Vec<&str> = key.split('.').collect();
        let last = path.pop().unwrap_or_default();
        let mut map = &mut root;
        for step in path {
            let inner = map.entry(step).or_insert_with(|| Value::Object(Map::new()));
            map = inner.as_object_mut().ok_or_else(|| {
                exit::usage(format!("`{step}` is given a value and `{key}` at once"))
            })?;
        }
        if map.insert(last.into(), Value::String(value.into())).is_some() {
            return Err(exit::usage(format!("`{key}` is given twice")));
        }
    }
    serde_json::from_value(Value::Object(root))
        .map_err(|error| exit::usage(format!("cannot set the link: {error}")))
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
    }

    #[test]
    fn mistakes_are_told() {
        let message = |properties: &[&str]| format!("{:#}", parsed(properties).unwrap_err());
        assert!(message(&["delay"]).contains("is not KEY=VALUE"));
        assert!(message(&["delay=5"]).contains("`5` has no unit"));
        assert!(message(&["dely=5ms"]).contains("unknown field `dely`"));
        assert!(message(&["delay=5ms", "delay=6ms"]).contains("given twice"));
    }
}
