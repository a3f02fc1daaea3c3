//! Adds and removes links of a running data plane. All other links carry frames meanwhile, and
//! every link keeps its identity. Not here: the part of a worker (`shard`), and the choice of a
//! worker for a link (`partition`).

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use netloom_fabric::{LinkId, PipeId, SegmentId, SegmentKind};
use netloom_link::{Direction, Pipe};

use crate::answer::Unjoined;
use crate::handle::{Dataplane, JoinedSegment, LinkControl, Location};
use crate::partition;
use crate::pipe_frame::PipeFrame;
use crate::shard::Parts;
use crate::worker::Worker;
use crate::worker_id::WorkerId;
use crate::{DataplaneError, End, Limits, LinkWiring, Watch};

/// A link that was taken out, without its ends: its pipes, with their statistics.
pub struct Unwired {
    id: LinkId,
    name: String,
    pipes: Box<[Pipe<PipeFrame>; 2]>,
    mtus: [Option<u32>; 2],
}

/// A link to add.
#[derive(Debug)]
pub enum Incoming {
    /// A new link.
    New(Box<LinkWiring>),
    /// A link that was taken out, with its new ends.
    Back(Unwired, [End; 2]),
}

/// Why links were not added, and these links, as [`Incoming::Back`].
#[derive(Debug)]
pub struct NotPutIn {
    /// Reason of the failure.
    pub error: DataplaneError,
    /// The links.
    pub links: Vec<Incoming>,
}

impl Unwired {
    /// Returns the link's identity.
    pub fn id(&self) -> LinkId {
        self.id
    }

    fn of(id: LinkId, name: String, parts: Parts, mtus: [Option<u32>; 2]) -> (Self, [End; 2]) {
        // Captures of the link end.
        let Parts { ends, pipes, .. } = parts;
        (Self { id, name, pipes: Box::new(pipes), mtus }, ends)
    }
}

impl fmt::Debug for Unwired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unwired").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A link of the changed network, while it is brought to its worker.
struct Slot {
    id: LinkId,
    /// Name of a new link.
    name: Option<String>,
    segments: [Option<JoinedSegment>; 2],
    /// Worker that has the link, or will get it.
    worker: WorkerId,
    /// Parts of the link, while no worker has it.
    parts: Option<Box<Parts>>,
    /// Controls of a new link.
    control: Option<LinkControl>,
}

impl Slot {
    fn incoming(id: LinkId, name: String, parts: Parts, mtus: [Option<u32>; 2]) -> Self {
        Self {
            id,
            name: Some(name),
            segments: parts.ends.each_ref().map(JoinedSegment::of),
            worker: WorkerId(0),
            control: Some(LinkControl::of(&parts, mtus)),
            parts: Some(Box::new(parts)),
        }
    }

    fn in_place((id, at): (&LinkId, &Location)) -> Self {
        let Location { worker, segments } = *at;
        Self { id: *id, name: None, segments, worker, parts: None, control: None }
    }
}

impl Dataplane {
    /// Takes links out, each given with its name. Returns them with their ends. The frames in them
    /// are lost, as if their cables were pulled out, and their captures end.
    ///
    /// # Errors
    /// There is no such link, or a worker has ended.
    pub fn take_out(
        &mut self,
        links: &[(LinkId, String)],
    ) -> Result<Vec<(Unwired, [End; 2])>, DataplaneError> {
        let unknown =
            |link| DataplaneError::UnknownPipe(PipeId { link, direction: Direction::Forward });
        if let Some((link, _)) = links.iter().find(|(link, _)| self.location(*link).is_none()) {
            return Err(unknown(*link));
        }
        let ids: Vec<LinkId> = links.iter().map(|(link, _)| *link).collect();
        self.are_here(&ids)?;
        let mut parted = self.part(&ids, false)?;
        // The caller may close the devices, so no other descriptor may keep them open.
        let mut control = self.control();
        let mtus: BTreeMap<LinkId, _> =
            control.links.iter().map(|(link, control)| (*link, control.mtus)).collect();
        control.links.retain(|link, _| !parted.contains_key(link));
        drop(control);
        self.locations.retain(|link, _| !parted.contains_key(link));
        let taken = links.iter().map(|(link, name)| {
            let parts = parted.remove(link).ok_or_else(|| unknown(*link))?;
            let mtus = mtus.get(link).copied().unwrap_or_default();
            Ok(Unwired::of(*link, name.clone(), parts, mtus))
        });
        taken.collect()
    }

    /// Adds links. With limits, a new watch over all links replaces the previous one.
    ///
    /// # Errors
    /// A pipe names a file that was not read, ports of a switch differ in their kind, a link has
    /// the identity of another, the machine refuses to wait for an interface, or a worker has
    /// ended. Then no link is added.
    pub fn put_in(
        &mut self,
        links: Vec<Incoming>,
        watch: Option<Limits>,
    ) -> Result<Option<Watch>, Box<NotPutIn>> {
        let mut slots: Vec<Slot> = self.locations.iter().map(Slot::in_place).collect();
        let here = slots.len();
        slots.extend(links.into_iter().map(|link| self.slot(link)));
        let before: Vec<WorkerId> = slots.iter().map(|slot| slot.worker).collect();
        let made = check(&slots)
            .and_then(|()| self.place(&mut slots, here))
            .and_then(|()| switch_carriers(&slots));
        if let Err(error) = made {
            return Err(self.undone(error, slots, &before));
        }
        self.commit(slots);
        let none_left = |error| Box::new(NotPutIn { error, links: Vec::new() });
        watch.map(|limits| self.watch(limits)).transpose().map_err(none_left)
    }

    fn slot(&self, link: Incoming) -> Slot {
        match link {
            Incoming::New(link) => {
                let (id, name, mtus) = (link.id, link.name.clone(), link.mtus);
                Slot::incoming(id, name, Parts::of(*link, self.seed, self.clock), mtus)
            }
            Incoming::Back(Unwired { id, name, pipes, mtus }, ends) => {
                let parts = Parts { ends, pipes: *pipes, taps: Default::default(), parted: None };
                Slot::incoming(id, name, parts, mtus)
            }
        }
    }

    /// Places every link on a worker; the first `here` links have one already.
    fn place(&mut self, slots: &mut [Slot], here: usize) -> Result<(), DataplaneError> {
        let index = |end: JoinedSegment| end.id.index();
        let segments: Vec<_> =
            slots.iter().map(|slot| slot.segments.map(|end| end.map(index))).collect();
        let homes = slots.iter().enumerate();
        let homes: Vec<_> = homes.map(|(at, slot)| (at < here).then_some(slot.worker)).collect();
        let assignment = partition::assign(&segments, &homes, self.regular_workers());
        self.bring(slots, &assignment)
    }

    /// Moves every link to its worker in `assignment`.
    fn bring(&mut self, slots: &mut [Slot], assignment: &[WorkerId]) -> Result<(), DataplaneError> {
        let moves = |(slot, worker): (&Slot, &WorkerId)| {
            (slot.parts.is_none() && slot.worker != *worker).then_some(slot.id)
        };
        let moving: Vec<LinkId> = slots.iter().zip(assignment).filter_map(moves).collect();
        self.are_here(&moving)?;
        // Frames in them move too, because the experiment has one clock.
        let mut moved = self.part(&moving, true)?;
        let mut joining = vec![Vec::new(); self.workers.len()];
        for (index, (slot, worker)) in slots.iter_mut().zip(assignment).enumerate() {
            slot.worker = *worker;
            if let Some(parts) = moved.remove(&slot.id) {
                slot.parts = Some(Box::new(parts));
            }
            if slot.parts.is_some() {
                joining[worker.index()].push(index);
            }
        }
        let joining = WorkerId::first(joining.len()).zip(joining);
        let mut joining = joining.filter(|(_, indices)| !indices.is_empty());
        joining.try_for_each(|(worker, indices)| self.join(worker, &indices, slots))
    }

    /// Makes a worker join the links at these indices, all or none.
    fn join(
        &mut self,
        worker: WorkerId,
        indices: &[usize],
        slots: &mut [Slot],
    ) -> Result<(), DataplaneError> {
        let take = |index: &usize| Some((slots[*index].id, *slots[*index].parts.take()?));
        let links: Vec<(LinkId, Parts)> = indices.iter().filter_map(take).collect();
        let joined = self.ask(worker, move |worker| worker.join(links))?;
        let Err(Unjoined { links, failed, end, source }) = joined else { return Ok(()) };
        let mut links: BTreeMap<LinkId, Parts> = links.into_iter().collect();
        let mut link = failed.to_string();
        for index in indices {
            let slot = &mut slots[*index];
            slot.parts = links.remove(&slot.id).map(Box::new);
            if let (true, Some(name)) = (slot.id == failed, &slot.name) {
                link.clone_from(name);
            }
        }
        Err(DataplaneError::Watch { link, end, source })
    }

    /// Moves links to another worker, with the frames in them and their captures. With limits, a
    /// new watch replaces the previous one. If the machine refuses to wait for an interface there,
    /// the links return to their previous worker, and the error is returned too.
    ///
    /// # Errors
    /// The previous worker cannot take them back, the machine refuses what a monitor needs, or a
    /// worker has ended.
    pub(crate) fn bring_to(
        &mut self,
        worker: WorkerId,
        links: &[LinkId],
        watch: Option<Limits>,
    ) -> Result<(Option<Watch>, Option<DataplaneError>), DataplaneError> {
        let mut slots: Vec<Slot> = self.locations.iter().map(Slot::in_place).collect();
        let before: Vec<WorkerId> = slots.iter().map(|slot| slot.worker).collect();
        let moving: BTreeSet<LinkId> = links.iter().copied().collect();
        let after = slots.iter().map(|slot| match moving.contains(&slot.id) {
            true => worker,
            false => slot.worker,
        });
        let after: Vec<WorkerId> = after.collect();
        let refused = self.bring(&mut slots, &after).err();
        if refused.is_some() {
            self.bring(&mut slots, &before)?;
        }
        self.commit(slots);
        Ok((watch.map(|limits| self.watch(limits)).transpose()?, refused))
    }

    /// Takes out the links that were added, and moves others back.
    fn undone(
        &mut self,
        error: DataplaneError,
        mut slots: Vec<Slot>,
        before: &[WorkerId],
    ) -> Box<NotPutIn> {
        let mut links = Vec::new();
        for slot in &mut slots {
            let Some(name) = slot.name.clone() else { continue };
            let parts = slot.parts.take().map(|parts| *parts).or_else(|| {
                let links = vec![slot.id];
                let part = move |worker: &mut Worker| worker.part(links, true);
                // Nothing can be recovered from a worker that has ended.
                self.ask(slot.worker, part).ok()?.pop().map(|(_, parts)| parts)
            });
            links.extend(parts.map(|parts| {
                let mtus = slot.control.as_ref().map(|control| control.mtus).unwrap_or_default();
                let (link, ends) = Unwired::of(slot.id, name, parts, mtus);
                Incoming::Back(link, ends)
            }));
        }
        let here: (Vec<Slot>, Vec<WorkerId>) =
            slots.into_iter().zip(before).filter(|(slot, _)| slot.name.is_none()).unzip();
        let (mut slots, before) = here;
        // A link that cannot return is lost with its worker.
        let error = self.bring(&mut slots, &before).err().unwrap_or(error);
        self.commit(slots);
        Box::new(NotPutIn { error, links })
    }

    /// Stores the locations of all links.
    fn commit(&mut self, slots: Vec<Slot>) {
        let mut control = self.control();
        let mut locations = BTreeMap::new();
        for Slot { id, segments, worker, control: new, parts, .. } in slots {
            if parts.is_none() {
                locations.insert(id, Location { worker, segments });
            }
            if let Some(new) = new {
                control.links.insert(id, new);
            }
        }
        drop(control);
        self.locations = locations;
        self.note_places();
    }

    /// Makes workers part with links, and returns their parts.
    fn part(
        &mut self,
        links: &[LinkId],
        with_frames: bool,
    ) -> Result<BTreeMap<LinkId, Parts>, DataplaneError> {
        let mut by_worker: BTreeMap<WorkerId, Vec<LinkId>> = BTreeMap::new();
        for link in links {
            if let Some(Location { worker, .. }) = self.location(*link) {
                by_worker.entry(*worker).or_default().push(*link);
            }
        }
        let mut parted = BTreeMap::new();
        for (worker, links) in by_worker {
            parted.extend(self.ask(worker, move |worker| worker.part(links, with_frames))?);
        }
        Ok(parted)
    }
}

/// Checks that identities differ, that every pipe has its values, and that all ports of each switch
/// are of the same kind.
fn check(slots: &[Slot]) -> Result<(), DataplaneError> {
    let mut kinds: BTreeMap<SegmentId, SegmentKind> = BTreeMap::new();
    let mut known = BTreeSet::new();
    for Slot { id, name, segments, parts, .. } in slots {
        let name = || name.clone().unwrap_or_else(|| id.to_string());
        if !known.insert(*id) {
            return Err(DataplaneError::KnownLink { link: name(), id: *id });
        }
        let mut ends = parts.iter().flat_map(|parts| &parts.ends);
        if ends.any(|end| matches!(end, End::Away { .. })) {
            return Err(DataplaneError::Pinned { link: *id });
        }
        let pipes = parts.iter().flat_map(|parts| &parts.pipes);
        if let Some(unread) = pipes.into_iter().find_map(|pipe| pipe.config().unread_file()) {
            return Err(DataplaneError::unread(*id, unread));
        }
        for JoinedSegment { id: switch, kind } in segments.iter().flatten() {
            if *kinds.entry(*switch).or_insert(*kind) != *kind {
                return Err(DataplaneError::MixedSwitch { link: name(), switch: *switch });
            }
        }
    }
    Ok(())
}

/// Sets the carriers of new links' interfaces, which may be as another link left them.
fn switch_carriers(slots: &[Slot]) -> Result<(), DataplaneError> {
    let mut incoming = slots.iter().filter_map(|slot| Some((slot.id, slot.control.as_ref()?)));
    incoming.try_for_each(|(id, link)| link.switch_carriers(id))
}
