//! Translates observations of the data plane for the monitor.

use std::collections::HashMap;

use anyhow::Result;
use netloom_dataplane::{AnomalyKind, Limits, Traffic, Watch};
use netloom_evidence::cause;
use netloom_fabric::PipeId;
use netloom_link::Direction;
use netloom_monitor::{Observation, Party, Route, SignalKind, Subject};
use netloom_units::{Size, Time};

use super::exactness::Exactness;
use super::forwarding::Forwarding;
use crate::companion::Border;
use crate::deployment::Deployment;
use crate::live::LiveNetwork;

/// Name of the data plane in lists of probes.
pub const DATA_PLANE: &str = "data plane";

/// The signals that the data plane watches, and what it cannot observe of each.
const WATCHED: [(SignalKind, Option<&str>); 3] = [
    (
        SignalKind::Lateness,
        Some("how long a frame waited in the kernel before and after the engine had it"),
    ),
    (SignalKind::UnmodelledDrop, None),
    (
        SignalKind::NetInternal,
        Some("who sent what leaves a switch, other than in proportion to what was sent into it"),
    ),
];

/// Blind spot of these signals if there are direct links.
const DIRECT: &str = "traffic on direct links, which the kernel carries without the engine";

/// Blind spot of these signals if `pasta` joins the machine's side of a link to the machine.
const PASTA: &str = "what `pasta` adds behind the link: time, losses, and connections of its own";

/// Reports the part of the way to the machine's network that is outside the model.
pub fn joined_by_pasta(sink: &mut dyn FnMut(Observation)) {
    for signal in [SignalKind::Lateness, SignalKind::UnmodelledDrop] {
        let (probe, cannot_see) = (DATA_PLANE.into(), vec![PASTA.into()]);
        sink(Observation::Watched { signal, probe, cannot_see, partial: false });
    }
}

/// Reports that the data plane was not watched to the end, and why, so that the run cannot be
/// valid.
pub fn unwatch(why: &str, sink: &mut dyn FnMut(Observation)) {
    for (signal, _) in WATCHED {
        sink(Observation::Unwatched { signal, probe: DATA_PLANE.into(), why: why.into() });
    }
}

/// Reports that nothing at all was watched, and why.
pub fn unwatch_all(why: &str, sink: &mut dyn FnMut(Observation)) {
    for signal in SignalKind::ALL {
        sink(Observation::Unwatched { signal, probe: "the monitor".into(), why: why.into() });
    }
}

/// Watches the data plane.
pub struct DataplaneProbe {
    watch: Watch,
    forwarding: Forwarding,
    exactness: Exactness,
    /// The borders of the parts that others carry.
    borders: Vec<Box<dyn Border>>,
    /// The party that sends into each pipe.
    senders: HashMap<PipeId, Party>,
    /// The nodes' names.
    names: Vec<String>,
    /// Whether there are direct links.
    is_direct_somewhere: bool,
}

impl DataplaneProbe {
    /// Starts watching.
    pub fn new(network: &LiveNetwork) -> Result<Self> {
        let deployment = network.deployment();
        let limits = limits(&deployment);
        let (watch, companions) =
            network.with(|live| Ok((live.dataplane.watch(limits)?, live.companions.clone())))?;
        let mut dataplane_probe = Self::of(watch, &deployment, network.identities.node_names());
        let needed = deployment.mine.scenario.monitor.trust.delay;
        // Numbers after those of all pipes of the data plane, which gets no more pipes while there
        // are simulated ones.
        let mut first = u32::try_from(2 * deployment.links.len()).unwrap_or(u32::MAX);
        let since = dataplane_probe.watch.since();
        for companion in companions {
            let border = companion.watch(first, needed, since);
            first = first.saturating_add(border.pipes());
            dataplane_probe.borders.push(border);
        }
        Ok(dataplane_probe)
    }

    /// Starts with a watch of the data plane of `deployment`. `names` has the names of all nodes so
    /// far.
    pub fn of(watch: Watch, deployment: &Deployment, names: Vec<String>) -> Self {
        Self {
            forwarding: Forwarding::new(deployment, watch.since()),
            exactness: Exactness::new(deployment, watch.since()),
            borders: Vec::new(),
            watch,
            senders: senders(deployment),
            names,
            is_direct_somewhere: deployment.mine.scenario.links.iter().any(|link| link.direct),
        }
    }

    /// Reports the signals that are watched, and the nodes' names.
    pub fn start(&self, sink: &mut dyn FnMut(Observation)) {
        for (number, name) in (0..).zip(&self.names) {
            sink(Observation::Named { what: Subject::Node(number), name: name.clone() });
        }
        self.exactness.start(sink);
        self.borders.iter().for_each(|border| border.start(sink));
        for (signal, cannot_see) in WATCHED {
            let direct = self.is_direct_somewhere.then_some(DIRECT);
            let cannot_see = cannot_see.into_iter().chain(direct).map(Into::into).collect();
            let (probe, partial) = (DATA_PLANE.into(), false);
            sink(Observation::Watched { signal, probe, cannot_see, partial });
        }
    }

    /// Returns the watch of the data plane.
    pub fn watch(&mut self) -> &mut Watch {
        &mut self.watch
    }

    /// Reports everything since the last look. The `last` look includes what other looks leave for
    /// later.
    pub fn look(&mut self, now: Time, last: bool, sink: &mut dyn FnMut(Time, Observation)) {
        let senders = &self.senders;
        let sender = |pipe: PipeId| senders.get(&pipe).copied().unwrap_or(Party::Engine);
        let common = self.watch.look(now, last, |anomaly| {
            let seen = match anomaly.what {
                AnomalyKind::Late { pipe, by, frames, by_tunnel } => {
                    let party = if by_tunnel { Party::Tunnel } else { sender(pipe) };
                    Observation::Lateness { party, delay: by, frames }
                }
                AnomalyKind::Lost { pipe, loss, frames } => {
                    Observation::Drops { cause: cause(loss), party: sender(pipe), frames }
                }
                AnomalyKind::Pause { lasted } => Observation::Pause { lasted },
            };
            sink(anomaly.at, seen);
        });
        let party = Party::Engine;
        for (delay, frames) in common.punctual.into_iter().chain(common.late) {
            sink(now, Observation::Lateness { party, delay, frames });
        }
        for (loss, frames) in common.lost {
            sink(now, Observation::Drops { cause: cause(loss), party, frames });
        }
        for Traffic { until, over, bytes } in common.traffic {
            let (route, party) = (Route::Internal, Party::Unattributed);
            let size = Size::from_bytes(bytes);
            sink(until, Observation::Forwarded { route, party, size, over });
        }
        self.forwarding.look(now, last, &mut self.watch, &mut |seen| sink(now, seen));
        self.exactness.look(now, last, &mut self.watch, &mut |seen| sink(now, seen));
        for border in &mut self.borders {
            border.look(now, last, &mut |seen| sink(now, seen));
        }
    }
}

/// Returns the lateness from which the data plane reports frames.
pub fn limits(deployment: &Deployment) -> Limits {
    let monitor = &deployment.mine.scenario.monitor;
    let lateness = &monitor.criteria.lateness;
    Limits {
        tolerance: lateness.tolerance(),
        needed: monitor.trust.delay,
        pause: lateness.hard_limit(),
    }
}

/// Returns the party that sends into each pipe: the node at its end. Pipes that begin at a switch
/// have none, since it forwards for others.
fn senders(deployment: &Deployment) -> HashMap<PipeId, Party> {
    let stacks = deployment.mine.scenario.nodes.iter().filter(|node| !node.kind.is_segment());
    let parties: HashMap<&str, Party> = stacks
        .filter_map(|node| Some((node.name.as_str(), Party::Node(deployment.number(&node.name)?))))
        .collect();
    let ends = deployment.modelled_links().flat_map(|(id, link)| {
        let pipe = |direction| PipeId { link: id, direction };
        Direction::BOTH.map(pipe).into_iter().zip(&link.endpoints)
    });
    ends.filter_map(|(pipe, end)| Some((pipe, *parties.get(end.node.as_str())?))).collect()
}
