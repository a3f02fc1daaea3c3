//! Links of a running data plane come and go, in two steps: links are taken out, and then all links there are to
//! be are said, in their order, which numbers them anew. What stays carries frames all the while. Not here: what a
//! worker does for it (`fabric/joining`).

use std::collections::BTreeMap;
use std::fmt;
use std::mem;
use std::sync::mpsc::channel;

use netloom_link::Pipe;

use crate::carried::Carried;
use crate::fabric::Parts;
use crate::handle::{LinkControl, Location, SwitchEnd};
use crate::partition;
use crate::wakeup::Pulse;
use crate::wiring::SwitchKind;
use crate::worker::{Command, Unjoined};
use crate::{Dataplane, DataplaneError, End, Limits, LinkWiring, PipeId, Watch};

/// A link that was taken out, without its ends: its pipes, with all that they have counted.
pub struct Unwired {
    name: String,
    pipes: Box<[Pipe<Carried>; 2]>,
}

/// A link of a changed network.
#[derive(Debug)]
pub enum Rewired {
    /// The one that had this number before anything was taken out.
    Kept(usize),
    /// A new one.
    New(Box<LinkWiring>),
    /// One that was taken out, and what it is to end at.
    Back(Unwired, [End; 2]),
}

/// Why links were not put in, and all links that were to be: in their order, and those that are not wired now as
/// [`Rewired::Back`].
#[derive(Debug)]
pub struct NotRewired {
    /// Why.
    pub error: DataplaneError,
    /// The links.
    pub links: Vec<Rewired>,
}

impl Unwired {
    /// The link's name, as it was given to [`Dataplane::take_out`].
    pub fn name(&self) -> &str {
        &self.name
    }

    fn of(name: String, parts: Parts) -> (Self, [End; 2]) {
        // Its captures end.
        let Parts { ends, pipes, .. } = parts;
        (Self { name, pipes: Box::new(pipes) }, ends)
    }
}

impl fmt::Debug for Unwired {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Unwired").field("name", &self.name).finish_non_exhaustive()
    }
}

/// A link of the network that is to be, while it is being made.
struct Slot {
    name: String,
    /// The number that it had, if it was not taken out.
    old: Option<usize>,
    switches: [Option<SwitchEnd>; 2],
    /// The worker that has it, or gets it.
    worker: usize,
    at: At,
    /// Of one that is new here.
    control: Option<LinkControl>,
}

/// Where a link is.
enum At {
    Lane(usize),
    Loose(Box<Parts>),
    /// On its way between the two.
    Nowhere,
}

impl Dataplane {
    /// Takes links out, by number and name; what they were, and what they ended at. The frames in them are
    /// lost, as when their cables are pulled out, and captures of them end. All others keep their numbers; they
    /// carry frames all the while. Call [`put_in`](Self::put_in) next.
    ///
    /// # Errors
    /// If there is no such link, or a worker has ended.
    pub fn take_out(
        &mut self,
        links: &[(usize, String)],
    ) -> Result<Vec<(Unwired, [End; 2])>, DataplaneError> {
        let unknown = |link| DataplaneError::UnknownPipe(PipeId { link, direction: 0 });
        if let Some((link, _)) = links.iter().find(|(link, _)| self.location(*link).is_none()) {
            return Err(unknown(*link));
        }
        let numbers: Vec<usize> = links.iter().map(|(link, _)| *link).collect();
        let mut parted = self.part(&numbers, false)?;
        // Who gets the devices may close them, and no other descriptor is to keep them.
        let mut control = self.control();
        numbers.iter().for_each(|link| control.links[*link] = LinkControl::default());
        drop(control);
        let taken = links.iter().map(|(link, name)| {
            let parts = parted.remove(link).ok_or_else(|| unknown(*link))?;
            Ok(Unwired::of(name.clone(), parts))
        });
        taken.collect()
    }

    /// Says all links that there are to be, in their order: from now on, a link's index there is its number. Every
    /// link that was not taken out must be among them. With limits, a monitor is told from now on, and the one
    /// that was told before no more.
    ///
    /// # Errors
    /// If a pipe names a file that was not read, ports of a switch differ in whether they know VLANs, the machine
    /// refuses to wait for an interface, or a worker has ended. Nothing new is wired then.
    pub fn put_in(
        &mut self,
        links: Vec<Rewired>,
        watch: Option<Limits>,
    ) -> Result<Option<Watch>, Box<NotRewired>> {
        let mut slots: Vec<Slot> = links.into_iter().map(|link| self.slot(link)).collect();
        let made = check(&slots)
            .and_then(|()| self.place(&mut slots))
            .and_then(|()| switch_carriers(&slots));
        if let Err(error) = made {
            return Err(self.undone(error, slots));
        }
        let watch = self.commit(slots, watch);
        watch.map_err(|error| Box::new(NotRewired { error, links: Vec::new() }))
    }

    fn slot(&self, link: Rewired) -> Slot {
        let loose = |name, parts: Parts| Slot {
            name,
            old: None,
            switches: parts.ends.each_ref().map(SwitchEnd::of),
            worker: 0,
            control: Some(LinkControl::of(&parts)),
            at: At::Loose(Box::new(parts)),
        };
        match link {
            Rewired::New(link) => loose(link.name.clone(), Parts::of(*link, self.seed, self.clock)),
            Rewired::Back(Unwired { name, pipes }, ends) => {
                loose(name, Parts { ends, pipes: *pipes, shown: Default::default() })
            }
            Rewired::Kept(number) => {
                let location = self.location(number).copied();
                Slot {
                    name: format!("number {number}"),
                    old: Some(number),
                    switches: location.map_or([None; 2], |at| at.switches),
                    worker: location.map_or(0, |at| at.worker),
                    at: location.map_or(At::Nowhere, |at| At::Lane(at.lane)),
                    control: None,
                }
            }
        }
    }

    /// Brings every link to its worker.
    fn place(&mut self, slots: &mut [Slot]) -> Result<(), DataplaneError> {
        let number = |end: SwitchEnd| end.number;
        let switches: Vec<_> =
            slots.iter().map(|slot| slot.switches.map(|end| end.map(number))).collect();
        let home = |slot: &Slot| matches!(slot.at, At::Lane(_)).then_some(slot.worker);
        let homes: Vec<_> = slots.iter().map(home).collect();
        let assignment = partition::assign(&switches, &homes, self.regular_workers());
        self.bring(slots, assignment)
    }

    /// Brings every link to the worker that `assignment` says, by its place in `slots`.
    fn bring(&mut self, slots: &mut [Slot], assignment: Vec<usize>) -> Result<(), DataplaneError> {
        let moving = |(slot, worker): (&Slot, &usize)| slot.old.filter(|_| slot.worker != *worker);
        let moving: Vec<usize> = slots.iter().zip(&assignment).filter_map(moving).collect();
        // Frames in them come along: the experiment has one clock.
        let mut moved = self.part(&moving, true)?;
        let mut joining = vec![Vec::new(); self.workers.len()];
        for (index, (slot, worker)) in slots.iter_mut().zip(assignment).enumerate() {
            slot.worker = worker;
            if let Some(parts) = slot.old.and_then(|old| moved.remove(&old)) {
                slot.at = At::Loose(Box::new(parts));
            }
            if matches!(slot.at, At::Loose(_)) {
                joining[worker].push(index);
            }
        }
        joining
            .into_iter()
            .enumerate()
            .try_for_each(|(worker, indices)| self.join(worker, &indices, slots))
    }

    /// Has a worker join the links at these indices, all or none.
    fn join(
        &mut self,
        worker: usize,
        indices: &[usize],
        slots: &mut [Slot],
    ) -> Result<(), DataplaneError> {
        let take = |index: &usize| match mem::replace(&mut slots[*index].at, At::Nowhere) {
            At::Loose(parts) => Some(*parts),
            At::Lane(_) | At::Nowhere => None,
        };
        let links: Vec<Parts> = indices.iter().filter_map(take).collect();
        if links.is_empty() {
            return Ok(());
        }
        let joined = self.ask(worker, |reply| Command::Join { links, reply })?;
        match joined {
            Ok(lanes) => {
                for (index, lane) in indices.iter().zip(lanes) {
                    slots[*index].at = At::Lane(lane);
                }
                Ok(())
            }
            Err(Unjoined { links, failed, end, source }) => {
                for (index, parts) in indices.iter().zip(links) {
                    slots[*index].at = At::Loose(Box::new(parts));
                }
                let link = indices.get(failed).map(|index| slots[*index].name.clone());
                Err(DataplaneError::Watch { link: link.unwrap_or_default(), end, source })
            }
        }
    }

    /// Brings links to another worker, with the frames in them and their captures; all keep their numbers. With limits,
    /// a monitor is told from now on, and the one that was told before no more. If the machine refuses to wait for an
    /// interface there, the links are back where they were, and that is returned, too.
    ///
    /// # Errors
    /// If the machine refuses to have them back, or what a monitor needs, or a worker has ended.
    pub(crate) fn bring_to(
        &mut self,
        worker: usize,
        links: &[usize],
        watch: Option<Limits>,
    ) -> Result<(Option<Watch>, Option<DataplaneError>), DataplaneError> {
        let all = (0..self.locations.len()).map(Rewired::Kept);
        let mut slots: Vec<Slot> = all.map(|link| self.slot(link)).collect();
        let before: Vec<usize> = slots.iter().map(|slot| slot.worker).collect();
        let mut after = before.clone();
        links.iter().for_each(|link| after[*link] = worker);
        let refused = self.bring(&mut slots, after).err();
        if refused.is_some() {
            self.bring(&mut slots, before)?;
        }
        Ok((self.commit(slots, watch)?, refused))
    }

    /// Takes out again what was put in, and what was moved.
    fn undone(&mut self, error: DataplaneError, slots: Vec<Slot>) -> Box<NotRewired> {
        let mut links = Vec::with_capacity(slots.len());
        for Slot { name, old, worker, at, .. } in slots {
            let kept = old.filter(|old| self.location(*old).is_some());
            let parts = match (kept, at) {
                (Some(old), _) => {
                    links.push(Rewired::Kept(old));
                    continue;
                }
                (None, At::Loose(parts)) => Some(*parts),
                (None, At::Lane(lane)) => {
                    let part = |reply| Command::Part { lanes: vec![lane], frames: true, reply };
                    // Of a worker that has ended nothing comes back.
                    self.ask(worker, part).ok().and_then(|mut parts| parts.pop())
                }
                (None, At::Nowhere) => None,
            };
            links.extend(parts.map(|parts| {
                let (link, ends) = Unwired::of(name, parts);
                Rewired::Back(link, ends)
            }));
        }
        Box::new(NotRewired { error, links })
    }

    /// Everything is where it is to be: numbers it.
    fn commit(
        &mut self,
        slots: Vec<Slot>,
        limits: Option<Limits>,
    ) -> Result<Option<Watch>, DataplaneError> {
        let mut numbers = vec![Vec::new(); self.workers.len()];
        let mut locations = Vec::with_capacity(slots.len());
        let mut before = mem::take(&mut self.control().links);
        let mut control = Vec::with_capacity(slots.len());
        for (number, slot) in slots.into_iter().enumerate() {
            let Slot { old, switches, worker, at, control: new, .. } = slot;
            let lane = match at {
                At::Lane(lane) => Some(lane),
                At::Loose(_) | At::Nowhere => None,
            };
            numbers[worker].extend(lane.map(|lane| (lane, number)));
            locations.push(lane.map(|lane| Location { worker, lane, switches }));
            let kept = || old.and_then(|old| before.get_mut(old)).map(mem::take);
            control.push(new.or_else(kept).unwrap_or_default());
        }
        self.control().links = control;
        self.locations = locations;
        self.note_places();
        let mut replies = Vec::with_capacity(numbers.len());
        for (worker, numbers) in numbers.into_iter().enumerate() {
            let (reply, answer) = channel();
            self.send(worker, Command::Number { numbers, watch: limits, reply })?;
            replies.push(answer);
        }
        let ends = replies.iter().map(|answer| self.receive(answer));
        let ends = ends.collect::<Result<Vec<_>, _>>()?;
        let Some(limits) = limits else { return Ok(None) };
        let pulse = Pulse::start(self.clock, self.scheduling, limits.pause)?;
        Ok(Some(Watch::new(limits, ends.into_iter().flatten().collect(), pulse, self.now())))
    }

    /// Lets workers part with links, by number; what they were.
    fn part(
        &mut self,
        links: &[usize],
        frames: bool,
    ) -> Result<BTreeMap<usize, Parts>, DataplaneError> {
        let mut of_worker: BTreeMap<usize, (Vec<usize>, Vec<usize>)> = BTreeMap::new();
        for link in links {
            if let Some(Location { worker, lane, .. }) = self.location(*link) {
                let (links, lanes) = of_worker.entry(*worker).or_default();
                links.push(*link);
                lanes.push(*lane);
            }
        }
        let mut parted = BTreeMap::new();
        for (worker, (links, lanes)) in of_worker {
            let parts = self.ask(worker, |reply| Command::Part { lanes, frames, reply })?;
            links.iter().for_each(|link| self.locations[*link] = None);
            parted.extend(links.into_iter().zip(parts));
        }
        Ok(parted)
    }
}

/// Checks that every pipe has its values, and that switches are of the same kind at all ports.
fn check(slots: &[Slot]) -> Result<(), DataplaneError> {
    let mut known: BTreeMap<usize, SwitchKind> = BTreeMap::new();
    for (index, Slot { name, switches, at, .. }) in slots.iter().enumerate() {
        if let At::Loose(parts) = at
            && let Some(unread) = parts.pipes.iter().find_map(|pipe| pipe.config().unread_file())
        {
            return Err(DataplaneError::unread(index, unread));
        }
        for SwitchEnd { number, kind } in switches.iter().flatten() {
            if *known.entry(*number).or_insert(*kind) != *kind {
                return Err(DataplaneError::MixedSwitch { link: name.clone(), switch: *number });
            }
        }
    }
    Ok(())
}

/// An interface's carrier may be as another link left it.
fn switch_carriers(slots: &[Slot]) -> Result<(), DataplaneError> {
    let new = slots
        .iter()
        .enumerate()
        .filter_map(|(number, slot)| Some((number, slot.control.as_ref()?)));
    new.into_iter().try_for_each(|(number, link)| link.switch_carriers(number, !link.is_cut()))
}
