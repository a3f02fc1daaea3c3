//! Changes of links and media while the network runs. Not here: when they are made (`cell`).

use std::collections::BTreeMap;

use netloom_fabric::PipeId;
use netloom_link::{Direction, PipeChange};
use netloom_units::Duration;

use super::{FarEnd, PipeLocation, Plant};
use crate::network::MediumAlteration;
use crate::queue::{Entity, Queue};

impl Plant {
    /// Changes links now, all at once.
    pub fn change(&mut self, queue: &mut Queue, changes: &[(PipeId, PipeChange)]) {
        let mut of_islands: BTreeMap<u32, Vec<(PipeId, PipeChange)>> = BTreeMap::new();
        for (pipe, change) in changes {
            match self.places.of(*pipe) {
                PipeLocation::Wire(number) => self.change_wire(queue, number, change),
                PipeLocation::Island(island) => {
                    of_islands.entry(island).or_default().push((*pipe, change.clone()));
                }
            }
        }
        let now = queue.now();
        for (number, changes) in of_islands {
            if let Some(island) = self.islands.get_mut(number) {
                island.network.change(now, &changes);
                queue.set(Entity::Island(number), Some(now));
            }
        }
    }

    /// Changes a pipe, or its far end, if it is in this cell. A frame that arrives at the time of a
    /// cut is dropped.
    fn change_wire(&mut self, queue: &mut Queue, number: u32, change: &PipeChange) {
        let now = queue.now();
        let before = now - Duration::from_nanos(1);
        if let Some(wire) = self.wires.get_mut(number) {
            wire.settle(&mut self.frames, before);
            wire.pipe.change(&mut self.frames, now, change);
            self.finish(queue, number);
        } else if let Some(FarEnd { inlet, .. }) = self.inlets.get_mut(number) {
            drop(inlet.change(before, change));
            queue.set(Entity::Pipe(number), inlet.next_release());
        }
    }

    /// Changes shared media, where they are in this cell.
    pub fn change_media(&mut self, queue: &mut Queue, media: &[MediumAlteration]) {
        let now = queue.now();
        for MediumAlteration { medium, link, change } in media {
            let pipe = PipeId { link: *link, direction: Direction::Forward };
            let PipeLocation::Island(number) = self.places.of(pipe) else { continue };
            let Some(island) = self.islands.get_mut(number) else { continue };
            // The channel has already been found able to work with the change by whoever described
            // it.
            let _ = island.network.change_medium(now, *medium, change);
            queue.set(Entity::Island(number), Some(now));
        }
    }
}
