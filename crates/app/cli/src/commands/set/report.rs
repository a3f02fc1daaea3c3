//! Shows a change to users.

use netloom_api::change::PipeChange;
use netloom_api::state::{LinkStatus, PipeStatus};
use netloom_link::{Circumstances, NoEffect, PipeConfig};
use serde_json::Value;

use crate::args::Direction;

/// Most elements of a list that are shown.
const LISTED: usize = 6;

/// Prints each property that `change` names, with its value in `before` and its value now; and
/// properties that have no effect with the present settings of the link.
pub fn print(before: &LinkStatus, direction: Direction, change: &PipeChange) {
    let pipes: &[(&str, &PipeStatus)] = match direction {
        Direction::Both => &[("forward", &before.forward), ("reverse", &before.reverse)],
        Direction::Forward => &[("forward", &before.forward)],
        Direction::Reverse => &[("reverse", &before.reverse)],
    };
    // Other pipes have no properties to set.
    let modelled = pipes.iter().filter_map(|(name, pipe)| Some((name, &pipe.modelled()?.config)));
    let pipes: Vec<(&&str, &PipeConfig)> = modelled.collect();
    let differences: Vec<Vec<String>> =
        pipes.iter().map(|(_, config)| differences(config, change)).collect();
    if differences.is_empty() {
        return;
    }
    if differences.windows(2).all(|pair| pair[0] == pair[1]) {
        differences[0].iter().for_each(|line| println!("  {line}"));
    } else {
        for ((name, _), lines) in pipes.iter().zip(&differences) {
            lines.iter().for_each(|line| println!("  {name} {line}"));
        }
    }
    let now = |(_, config): &(&&str, &PipeConfig)| Circumstances::of(&changed(config, change));
    let now = pipes.iter().map(now).fold(Circumstances::default(), Circumstances::or);
    let set_aside = pipes.iter().flat_map(|(_, config)| set_aside(config, change, now));
    let mut findings = change.without_effect(now);
    for finding in set_aside {
        if !findings.contains(&finding) {
            findings.push(finding);
        }
    }
    for finding in findings {
        let (property, name) = (finding.property, &before.name);
        eprintln!(
            "warning: `{property}` has no effect now: link `{name}` {}; {}",
            finding.why, finding.help
        );
    }
}

/// Returns the settings of a pipe that had an effect before and have none after a change that does
/// not name them.
fn set_aside(before: &PipeConfig, change: &PipeChange, now: Circumstances) -> Vec<NoEffect> {
    let json = |config: &PipeConfig| serde_json::to_value(config).unwrap_or_default();
    let (own, usual) = (json(before), json(&PipeConfig::default()));
    let had = |key: &&str| own.get(key) != usual.get(key);
    let stays =
        |key: &&str| !change.keys().iter().any(|named| named.split('.').next() == Some(key));
    let kept = ["burst", "queue"].into_iter().filter(had).filter(stays);
    let kept = kept.filter_map(|key| {
        let mut value = own.get(key)?.clone();
        if let (Some(all), Some(usual)) = (value.as_object_mut(), usual.get(key)) {
            // Default values are not settings that lose their effect.
            all.retain(|part, value| usual.get(part) != Some(value));
        }
        serde_json::from_value::<PipeChange>(serde_json::json!({ key: value })).ok()
    });
    let so_far = Circumstances::of(before);
    kept.flat_map(|kept| {
        let had_none = kept.without_effect(so_far);
        kept.without_effect(now).into_iter().filter(move |finding| !had_none.contains(finding))
    })
    .collect()
}

fn changed(before: &PipeConfig, change: &PipeChange) -> PipeConfig {
    let mut config = before.clone();
    change.apply_to(&mut config);
    config
}

/// Returns a line for each property of `change`: `delay: 5ms → 20ms`.
fn differences(before: &PipeConfig, change: &PipeChange) -> Vec<String> {
    // Plain data always has a JSON form.
    let json = |config: &PipeConfig| serde_json::to_value(config).unwrap_or_default();
    let (old, new) = (json(before), json(&changed(before, change)));
    let line = |key: &&str| {
        let pointer = format!("/{}", key.replace('.', "/"));
        let value = |config: &Value| config.pointer(&pointer).map_or_else(String::new, short);
        let (old, new) = (value(&old), value(&new));
        if old == new {
            format!("{key}: {new}, as before")
        } else {
            format!("{key}: {old} → {new}")
        }
    };
    change.keys().iter().map(line).collect()
}

/// Returns a value as in a scenario file. Long lists and files are shortened.
fn short(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) if values.len() > LISTED => format!("[{} values]", values.len()),
        Value::Array(values) => {
            format!("[{}]", values.iter().map(short).collect::<Vec<_>>().join(", "))
        }
        Value::Object(map) => match (map.get("file"), map.get("values")) {
            (Some(file), Some(_)) => short(file),
            _ => {
                let entry = |(key, value): (&String, &Value)| format!("{key}: {}", short(value));
                format!("{{{}}}", map.iter().map(entry).collect::<Vec<_>>().join(", "))
            }
        },
        other => other.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_property_of_the_change_is_shown_as_it_was_and_is() {
        let change: PipeChange = serde_json::from_value(serde_json::json!({
            "delay": "5ms", "queue": {"limit": "50ms"}, "jitter": {"normal": "1ms"},
            "rate": {"trace": {"file": "lte.trace", "values": [1, 2, 3, 4, 5, 6, 7, 8]}},
            "loss": "0%",
        }))
        .unwrap();
        assert_eq!(
            differences(&PipeConfig::default(), &change),
            [
                "rate: unlimited → {trace: lte.trace}",
                "queue.limit: default → 50ms",
                "delay: 0ns → 5ms",
                "jitter: none → {normal: 1ms}",
                "loss: 0%, as before",
            ]
        );
    }
}
