//! Replays an air log: the medium gets the same input once more, in virtual time.

use std::fs;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use netloom_medium::arm;
use netloom_medium::{
    AirEvent, AirLogHeader, AirLogReader, AirLogWriter, AirOccurrence, Medium, MediumSetup,
    StationConfig,
};
use netloom_plan::medium_setup;
use netloom_scenario::Scenario;
use netloom_units::Time;

use super::air;
use crate::exit;

/// Replays the log at `path` and reports whether the events are equal.
pub fn replay(path: &Path, log: &[u8]) -> Result<i32> {
    let describe = || format!("cannot replay {}", path.display());
    let reader = AirLogReader::new(log).with_context(describe)?;
    let header = reader.header().clone();
    // A medium lives from its own zero on, at which its log begins.
    let from_its_start =
        |event: AirEvent| AirEvent { at: event.at.counted_from(header.start), ..event };
    let events = reader.map(|event| event.map(from_its_start));
    let events = events.collect::<Result<Vec<_>, _>>().with_context(describe)?;
    let scenario = scenario_of(path).with_context(describe)?;
    let setup = setup(&scenario, &header, &events).with_context(describe)?;
    let mut medium: Medium<u64> = setup.build(Time::ZERO).with_context(describe)?;
    let mut moves = |config: &StationConfig| {
        let node = scenario.node(&config.name);
        let node = node.ok_or_else(|| format!("the scenario has no node `{}`", config.name))?;
        scenario.trajectory(node).map_err(|error| error.to_string())
    };
    let again = arm::replay(&mut medium, events.iter().cloned(), &mut moves);
    let again = again.map_err(|error| anyhow!(error)).with_context(describe)?;
    let mut bytes = Vec::new();
    let mut writer = AirLogWriter::new(&header, &mut bytes);
    let zero = Time::ZERO.counted_from(header.start);
    let from_zero =
        |event: &AirEvent| AirEvent { at: event.at.counted_from(zero), ..event.clone() };
    again.iter().for_each(|event| writer.write(&from_zero(event), &mut bytes));
    let (name, count) = (path.display(), events.len());
    if bytes == log {
        println!("{name}: {count} events, replayed byte for byte");
        return Ok(exit::SUCCESS);
    }
    let same = events.iter().zip(&again).take_while(|(was, is)| was == is).count();
    let words = |events: &[AirEvent]| {
        events.get(same).map_or("no event".into(), |event| air::in_words(&from_zero(event)))
    };
    println!(
        "{name}: the replay differs after {same} of {count} events\n  log:    {}\n  replay: {}",
        words(&events),
        words(&again)
    );
    println!(
        "a log is replayed by the program that wrote it, of a network that `netloom apply` did not \
         change, whose queues do not look into frames"
    );
    Ok(exit::FAILURE)
}

/// Returns the scenario of the run that wrote the log.
fn scenario_of(log: &Path) -> Result<Scenario> {
    let results = log.parent().and_then(Path::parent);
    let file = results.map_or("../scenario.json".into(), |results| results.join("scenario.json"));
    let describe = || {
        format!(
            "cannot read {}: a log is replayed with the scenario in its run's results, below \
             which it is as `air/MEDIUM.nlf`",
            file.display()
        )
    };
    let text = fs::read(&file).with_context(describe)?;
    Scenario::from_json(&text).with_context(describe)
}

/// Returns the setup of the log's medium.
fn setup(scenario: &Scenario, header: &AirLogHeader, events: &[AirEvent]) -> Result<MediumSetup> {
    let medium = &header.medium;
    let setup = scenario.node(medium).and_then(|node| medium_setup(scenario, node, header.seed));
    let mut setup =
        setup.with_context(|| format!("the scenario of the run has no medium `{medium}`"))?;
    // The numbers of stations are those of the run.
    let joined = events.iter().filter_map(|event| match &event.what {
        AirOccurrence::Joined { station, config } => {
            Some((station.index(), StationConfig::from_json(config).ok()?.name))
        }
        _ => None,
    });
    let mut names: Vec<String> = Vec::new();
    for (number, name) in joined.filter(|(number, _)| *number < scenario.nodes.len()) {
        if names.len() <= number {
            names.resize(number + 1, String::new());
        }
        names[number] = name;
    }
    setup.setting.stations = names;
    Ok(setup)
}
