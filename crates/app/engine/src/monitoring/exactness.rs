//! Lateness of the frames of each pipe, for the error bound of the verdict. The data plane counts
//! every frame, and is queried once a second.

use netloom_dataplane::Watch;
use netloom_evidence::{number, observed};
use netloom_fabric::PipeId;
use netloom_link::Direction;
use netloom_monitor::{Observation, PIPES_LOOKED, Subject};
use netloom_units::{Duration, Time};

use crate::deployment::Deployment;

/// Queries how late frames were.
pub struct Exactness {
    /// The pipes with their names.
    pipes: Vec<(u32, String)>,
    needed: Duration,
    last: Time,
}

impl Exactness {
    /// Starts at `now`.
    pub fn new(deployment: &Deployment, now: Time) -> Self {
        let links = deployment.modelled_links();
        let pipes = links.flat_map(|(id, link)| {
            let name = |direction: Direction| format!("{}/{}", link.name, direction.name());
            let pipe = move |direction| PipeId { link: id, direction };
            Direction::BOTH.map(|direction| (number(pipe(direction)), name(direction)))
        });
        Self {
            pipes: pipes.collect(),
            needed: deployment.mine.scenario.monitor.trust.delay,
            last: now,
        }
    }

    /// Reports the names of the pipes.
    pub fn start(&self, sink: &mut dyn FnMut(Observation)) {
        for (number, name) in &self.pipes {
            sink(Observation::Named { what: Subject::Pipe(*number), name: name.clone() });
        }
    }

    /// Queries the data plane, if a second has passed since the last query, or if this is the
    /// `last` one.
    pub fn look(
        &mut self,
        now: Time,
        last: bool,
        watch: &mut Watch,
        sink: &mut dyn FnMut(Observation),
    ) {
        if !last && now.since(self.last) < PIPES_LOOKED {
            return;
        }
        let over = now.since(std::mem::replace(&mut self.last, now));
        watch.lateness().for_each(|seen| sink(observed(seen, over, self.needed)));
    }
}
