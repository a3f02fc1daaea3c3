//! What can be read of a plant: configurations and statistics of pipes, the log, captures, and
//! samples of media. Not here: what nodes and traffic have counted.

use netloom_fabric::{AssociationEvent, PipeId};
use netloom_link::{FrameEvent, Pipe, PipeConfig, PipeStatistics, Window};
use netloom_units::Time;

use super::{Captured, MediumSample, PipeLocation, Plant, Way, Wire};
use crate::network::InterfaceId;
use crate::queue::Entity;

/// The wires and islands through which packets reach real nodes.
#[derive(Debug, Clone, Default)]
pub struct Exits {
    places: Vec<PipeLocation>,
}

impl Plant {
    /// Returns the configuration of a pipe. `None` if another cell has the pipe.
    pub fn config(&mut self, id: PipeId) -> Option<&PipeConfig> {
        match self.places.of(id) {
            PipeLocation::Wire(number) => Some(self.wires.get(number)?.pipe.config()),
            PipeLocation::Island(island) => Some(self.islands.get_mut(island)?.pipe(id).config()),
        }
    }

    /// Returns what a pipe has counted up to now, since it began or in `window`. `None` if another
    /// cell has the pipe. Everything that has happened in the pipe by now is then in the log.
    pub fn statistics(
        &mut self,
        now: Time,
        id: PipeId,
        window: Option<Window>,
    ) -> Option<PipeStatistics> {
        match self.places.of(id) {
            PipeLocation::Wire(number) => {
                let wire = self.wires.get_mut(number)?;
                wire.settle(&mut self.frames, now);
                let counted = match (wire.pipe.if_general(), window) {
                    (Some(pipe), window) => counted(pipe, now, window),
                    (None, _) => wire.pipe.statistics(&mut self.frames, now),
                };
                wire.log(&mut self.tape.log);
                wire.collect_dropped(&mut self.tape.captured);
                Some(counted)
            }
            PipeLocation::Island(island) => {
                let island = self.islands.get_mut(island)?;
                let counted = counted(island.pipe(id), now, window);
                self.tape.log.append(&mut island.observer().events);
                Some(counted)
            }
        }
    }

    /// Returns the pipe of a wire, and the interface at its end.
    pub fn ends(&self, number: u32) -> (PipeId, InterfaceId) {
        let Wire { id, to, .. } = self.wires[number];
        (id, to)
    }

    /// Takes the events of frames on logged links.
    pub fn take_log(&mut self) -> Vec<(PipeId, FrameEvent)> {
        std::mem::take(&mut self.tape.log)
    }

    /// Takes the captured frames.
    pub fn take_captured(&mut self) -> Vec<Captured> {
        let mut all = std::mem::take(&mut self.tape.captured);
        for island in self.islands.iter_mut() {
            all.append(&mut island.observer().captured);
        }
        all
    }

    /// Returns the state of its shared media now.
    pub fn look_at_media(&mut self, now: Time) -> Vec<MediumSample> {
        self.islands.iter_mut().flat_map(|island| island.look_at_media(now)).collect()
    }

    /// Returns the state of its shared media now, and what has happened there since the last call.
    pub fn sample_media(&mut self, now: Time) -> Vec<MediumSample> {
        self.islands.iter_mut().flat_map(|island| island.sample_media(now)).collect()
    }

    /// Returns which stations joined or left access points since the last call, by medium.
    pub fn take_associations(&mut self) -> Vec<(u32, AssociationEvent)> {
        let islands = self.islands.iter_mut();
        let taken = islands.flat_map(|island| island.network.take_associations());
        taken.map(|(medium, event)| (medium.0, event)).collect()
    }

    /// Returns the wires to interfaces that are `wanted`, and the islands that `ways` lead to.
    pub fn exits(
        &self,
        wanted: impl Fn(InterfaceId) -> bool,
        ways: impl Iterator<Item = Way>,
    ) -> Exits {
        let wires = self.wires.iter().filter(|(_, wire)| wanted(wire.to));
        let mut places: Vec<PipeLocation> =
            wires.map(|(number, _)| PipeLocation::Wire(number)).collect();
        for way in ways {
            if let Way::Island { island, .. } = way
                && !places.contains(&PipeLocation::Island(island))
            {
                places.push(PipeLocation::Island(island));
            }
        }
        Exits { places }
    }

    /// Returns the earliest time at which a packet may come out at `exits`, if nothing else happens
    /// before.
    pub fn next_at(&mut self, exits: &Exits) -> Option<Time> {
        let next = exits.places.iter().map(|place| match place {
            PipeLocation::Wire(wire) => self.wires[*wire].pipe.next_deadline(),
            PipeLocation::Island(island) => self.islands[*island].network.next_deadline(),
        });
        next.flatten().min()
    }

    /// Returns the names of links that a wire or an island consists of; `None` for other entities.
    pub fn names(&self, entity: Entity) -> Option<String> {
        match entity {
            Entity::Pipe(wire) => Some(self.places.link(self.wires[wire].id.link).into()),
            Entity::Island(island) => {
                let links = self.islands[island].network.links();
                let names = links.map(|(link, _)| format!("`{}`", self.places.link(link)));
                Some(names.take(8).collect::<Vec<_>>().join(", "))
            }
            Entity::Timeline | Entity::Timer(_) | Entity::Source(_) => None,
        }
    }
}

/// Returns what a pipe has counted up to `now`, since it began or in `window`.
fn counted<F: netloom_link::Frame>(
    pipe: &mut Pipe<F>,
    now: Time,
    window: Option<Window>,
) -> PipeStatistics {
    match window {
        None => pipe.statistics(now),
        Some(window) => pipe.recent_statistics(now, window),
    }
}
