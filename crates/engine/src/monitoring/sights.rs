//! What the data plane sees, in the monitor's words.

use std::collections::HashMap;

use anyhow::Result;
use netloom_dataplane::{Limits, Loss, PipeId, Seen, Watch};
use netloom_monitor::{DropCause, Observation, Party, Route, SignalKind, Subject};
use netloom_scenario::{NodeKind, Scenario};
use netloom_units::{Duration, Size, Time};

use crate::experiment::Experiment;

/// How the data plane is called where probes are named.
const NAME: &str = "data plane";

/// What it watches, and what of that it cannot see.
const WATCHED: [(SignalKind, Option<&str>); 3] = [
    (
        SignalKind::Lateness,
        Some("how long a frame waited in the kernel before and after the engine had it"),
    ),
    (SignalKind::UnmodelledDrop, None),
    (SignalKind::NetInternal, Some("which node sent how much")),
];

/// Says that the data plane was not watched to the end, and why: so the run cannot be valid.
pub fn unwatch(why: &str, sink: &mut dyn FnMut(Observation)) {
    for (signal, _) in WATCHED {
        sink(Observation::Unwatched { signal, probe: NAME.into(), why: why.into() });
    }
}

/// Watches the data plane.
pub struct Sights {
    watch: Watch,
    /// Who sends into each pipe.
    senders: Vec<Party>,
    /// The nodes' names.
    names: Vec<String>,
    last: Time,
}

impl Sights {
    /// Begins to watch.
    pub fn new(experiment: &Experiment) -> Result<Self> {
        let scenario = &experiment.scenario;
        let lateness = &scenario.monitor.criteria.lateness;
        let limits = Limits { tolerance: lateness.tolerance(), pause: lateness.hard_limit() };
        Ok(Self {
            watch: experiment.with_live(|live| Ok(live.dataplane.watch(limits)?))?,
            senders: senders(scenario),
            names: scenario.nodes.iter().map(|node| node.name.clone()).collect(),
            last: experiment.now(),
        })
    }

    /// Says what is watched, and the nodes' names.
    pub fn start(&self, sink: &mut dyn FnMut(Observation)) {
        for (number, name) in (0..).zip(&self.names) {
            sink(Observation::Named { what: Subject::Node(number), name: name.clone() });
        }
        for (signal, cannot_see) in WATCHED {
            let cannot_see = cannot_see.into_iter().map(Into::into).collect();
            sink(Observation::Watched { signal, probe: NAME.into(), cannot_see });
        }
    }

    /// Everything since the last look.
    pub fn look(&mut self, now: Time, sink: &mut dyn FnMut(Time, Observation)) {
        let (senders, tolerance) = (&self.senders, self.watch.limits().tolerance);
        let sender = |pipe: PipeId| senders.get(pipe.index()).copied().unwrap_or(Party::Engine);
        let common = self.watch.look(now, |sighting| {
            let seen = match sighting.what {
                Seen::Late { pipe, by, frames } => {
                    Observation::Lateness { party: sender(pipe), delay: by, frames }
                }
                Seen::Lost { pipe, loss, frames } => {
                    Observation::Drops { cause: cause(loss), party: sender(pipe), frames }
                }
                Seen::Pause { lasted } => Observation::Pause { lasted },
                Seen::Untold { sightings } => {
                    // So many at once that the ring was full: late frames, since lost ones are fewer.
                    let delay = tolerance + Duration::from_nanos(1);
                    Observation::Lateness { party: Party::Engine, delay, frames: sightings }
                }
            };
            sink(sighting.at, seen);
        });
        for (delay, frames) in common.punctual {
            sink(now, Observation::Lateness { party: Party::Engine, delay, frames });
        }
        if common.bytes > 0 {
            sink(
                now,
                Observation::Forwarded {
                    route: Route::Internal,
                    party: Party::Unattributed,
                    size: Size::from_bytes(common.bytes),
                    over: now.since(self.last),
                },
            );
        }
        self.last = now;
    }
}

fn cause(loss: Loss) -> DropCause {
    match loss {
        Loss::DeviceFull => DropCause::DeviceFull,
        Loss::DeviceGone => DropCause::DeviceGone,
        Loss::Rejected => DropCause::Rejected,
        Loss::Malformed => DropCause::Malformed,
        Loss::NoMemory => DropCause::NoMemory,
    }
}

/// Who sends into each pipe: the node at its end, unless that is a switch, which forwards for others.
fn senders(scenario: &Scenario) -> Vec<Party> {
    let parties: HashMap<&str, Party> = (0..)
        .zip(&scenario.nodes)
        .filter(|(_, node)| node.kind != NodeKind::Switch)
        .map(|(number, node)| (node.name.as_str(), Party::Node(number)))
        .collect();
    let ends = scenario.links.iter().flat_map(|link| &link.endpoints);
    ends.map(|end| parties.get(end.node.as_str()).copied().unwrap_or(Party::Engine)).collect()
}
