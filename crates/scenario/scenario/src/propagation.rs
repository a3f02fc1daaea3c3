//! The least time that frames ever take on each link, whatever the timeline changes.

use std::collections::HashMap;

use netloom_link::{PipeChange, PipeConfig, least_propagation, least_propagation_ever};
use netloom_units::Duration;

use crate::spec::{Scenario, Start, TimelineAction};

/// Largest number of combinations of values for which the least time is computed exactly.
const MOST_COMBINATIONS: usize = 10_000;

/// Changes of one pipe.
#[derive(Default)]
struct Changes {
    /// Those at known times, in order of their time.
    known: Vec<PipeChange>,
    /// Those after a milestone of a process, at unknown times.
    unknown: Vec<PipeChange>,
}

impl Scenario {
    /// Returns the shortest time that frames ever propagate on each link, in the order of `links`:
    /// from the first end to the second, and back, over all changes of the timeline. Times are the
    /// experiment's. Where changes come at unknown times, the result may be shorter than the truth.
    pub fn least_propagations(&self) -> Vec<[Duration; 2]> {
        let links: HashMap<&str, usize> =
            self.links.iter().enumerate().map(|(number, link)| (&*link.name, number)).collect();
        let mut happenings = self.happenings();
        // The sort is stable: events at the same time stay in order.
        happenings.sort_by_key(|happening| match happening.at {
            Start::At(at) => at,
            Start::After { .. } => Duration::ZERO,
        });
        let mut changes: HashMap<(usize, usize), Changes> = HashMap::new();
        for happening in happenings {
            let is_known = matches!(happening.at, Start::At(_));
            let TimelineAction::SetLink { link, direction, change } = happening.action else {
                continue;
            };
            let Some(link) = links.get(link.as_str()).filter(|_| change.concerns_propagation())
            else {
                continue;
            };
            for direction in direction.of_pipes() {
                let of = changes.entry((*link, direction.index())).or_default();
                let list = if is_known { &mut of.known } else { &mut of.unknown };
                list.push((*change).clone());
            }
        }
        let of_link = |(number, pipes): (usize, [&PipeConfig; 2])| {
            [0, 1].map(|direction| match changes.get(&(number, direction)) {
                None => least_propagation(pipes[direction]),
                Some(Changes { known, unknown }) if unknown.is_empty() => {
                    least_propagation_ever(pipes[direction], known)
                }
                Some(Changes { known, unknown }) => in_any_order(pipes[direction], known, unknown),
            })
        };
        let pipes = self.links.iter().map(|link| [&link.forward, &link.reverse]);
        pipes.enumerate().map(of_link).collect()
    }
}

/// Returns the least propagation over all combinations of values that the changes set.
fn in_any_order(config: &PipeConfig, known: &[PipeChange], unknown: &[PipeChange]) -> Duration {
    let parts: [fn(&PipeChange) -> PipeChange; 4] = [
        |change| PipeChange { delay: change.delay.clone(), ..PipeChange::default() },
        |change| PipeChange { compensate: change.compensate, ..PipeChange::default() },
        |change| PipeChange { jitter: change.jitter.clone(), ..PipeChange::default() },
        |change| PipeChange { reorder: change.reorder, ..PipeChange::default() },
    ];
    let mut all = vec![config.clone()];
    for part in parts {
        let mut values: Vec<PipeChange> = Vec::new();
        for value in known.iter().chain(unknown).map(part).filter(|value| !value.is_empty()) {
            if !values.contains(&value) {
                values.push(value);
            }
        }
        if all.len() * (values.len() + 1) > MOST_COMBINATIONS {
            return Duration::ZERO;
        }
        let with = |config: &PipeConfig| {
            let changed = values.iter().map(|value| {
                let mut config = config.clone();
                value.apply_to(&mut config);
                config
            });
            changed.collect::<Vec<_>>()
        };
        let changed: Vec<PipeConfig> = all.iter().flat_map(with).collect();
        all.extend(changed);
    }
    all.iter().map(least_propagation).min().unwrap_or_default()
}
