//! Links between two networks, which may be on two machines. Each network has one end of the link;
//! the other one is away. A pipe belongs to the network where it begins: there, a frame that leaves
//! the line is handed out with the time of its release. The other network holds the frame until
//! then. Not here: the transport between them, and the far end of one pipe (`netloom-link`).

use netloom_link::{Announced, Cut, Delivery, Inlet, PipeChange};
use netloom_units::Time;

use super::{Network, Slot, occupied_mut};
use crate::{Loss, Memory, Misdirected, Observer, PipeId, PipeSlot};

impl<F: netloom_link::Frame> Slot<F> {
    /// Returns the next frame that arrives at the far end by `now`.
    #[inline]
    pub fn poll(&mut self, now: Time) -> Option<Delivery<F>> {
        match &mut self.inlet {
            None => self.pipe.poll(now),
            Some(inlet) => inlet.pop_due(now),
        }
    }

    /// Returns the time of the next poll. If the far end is away, it is the time at which the next
    /// frame leaves the line: the arrival is the other network's business, unless it is logged.
    #[inline]
    pub fn next_deadline(&self) -> Option<Time> {
        match &self.inlet {
            None if !self.target.is_away() => self.pipe.next_deadline(),
            None => {
                let logged = self.pipe.records_events().then(|| self.pipe.next_deadline());
                self.pipe.next_line_end().into_iter().chain(logged.flatten()).min()
            }
            Some(inlet) => inlet.next_release(),
        }
    }
}

impl<M: Memory + 'static, O: Observer<M::Frame>> Network<M, O> {
    /// Returns the next frame that has left the line of a pipe whose far end is away, with the
    /// pipe. It is to be announced to the network there. Call it until it returns `None` after each
    /// series of calls of [`poll`](Self::poll).
    #[inline]
    pub fn poll_sent(&mut self) -> Option<(PipeSlot, Announced<M::Frame>)> {
        self.sent.pop_front()
    }

    /// Returns the next cut of a pipe whose far end is away. It is to be announced to the network
    /// there at once, and surely: without it, frames may wait there.
    #[inline]
    pub fn poll_cut(&mut self) -> Option<(PipeSlot, Cut)> {
        self.cuts.pop_front()
    }

    /// Takes note of a cut that another network has made of `pipe`, which comes from there. It
    /// drops those frames that the account there counts as dropped. Returns the release of the next
    /// frame, which is past if it has waited for this.
    ///
    /// # Errors
    /// If no pipe with that identity comes from another network.
    pub fn announce_cut(&mut self, pipe: PipeId, cut: Cut) -> Result<Option<Time>, Misdirected> {
        let Some((slot, inlet)) = self.inlet(pipe) else { return Err(Misdirected) };
        let dropped = inlet.cut(cut);
        let next = inlet.next_release();
        dropped.into_iter().for_each(|delivery| self.memory.recycle(delivery.frame));
        next.into_iter().for_each(|release| self.pipe_timers.schedule(slot, release));
        Ok(next)
    }

    /// Drops the frames of a pipe that wait for another network to announce a cut, at the end, when
    /// none is announced any more. Returns the number of wire frames.
    pub fn give_up(&mut self, pipe: PipeId) -> u64 {
        let given_up = self.inlet(pipe).map(|(_, inlet)| inlet.give_up()).unwrap_or_default();
        let mut frames = 0;
        for Delivery { frame, info, .. } in given_up {
            frames += u64::from(info.frames());
            self.memory.recycle(frame);
        }
        frames
    }

    fn inlet(&mut self, pipe: PipeId) -> Option<(usize, &mut Inlet<Delivery<M::Frame>>)> {
        let slot = self.links.get(&pipe.link)? + pipe.direction.index();
        Some((slot, self.slots[slot].as_mut()?.inlet.as_mut()?))
    }

    /// Takes note of a frame on its way from another network through `pipe`. If its release has
    /// passed, the frame arrives at once. A frame that a cut drops, made here before, is not
    /// counted: it is in the account of the network where the pipe begins.
    ///
    /// # Errors
    /// If no pipe with that identity comes from another network. The frame is gone.
    pub fn announce(
        &mut self,
        pipe: PipeId,
        announced: Announced<M::Frame>,
    ) -> Result<(), Misdirected> {
        let Announced { delivery, sequence, cuts } = announced;
        let Some((slot, inlet)) = self.inlet(pipe) else {
            self.memory.recycle(delivery.frame);
            return Err(Misdirected);
        };
        let taken = inlet.announce(delivery.release, sequence, cuts, delivery);
        let next = inlet.next_release();
        taken.err().into_iter().for_each(|cut| self.memory.recycle(cut.frame));
        next.into_iter().for_each(|release| self.pipe_timers.schedule(slot, release));
        Ok(())
    }

    /// Counts the frames that have arrived by `now` at ends that are away. Call it before the
    /// statistics of pipes are read: nothing else happens at the times of these arrivals.
    pub fn count_arrivals(&mut self, now: Time) {
        for slot in 0..self.slots.len() {
            if self.slots[slot].as_ref().is_some_and(|slot| slot.target.is_away()) {
                self.arrive_away(slot, now);
                self.finish(slot);
            }
        }
    }

    /// Changes a pipe at `now`. Frames between two networks with a release up to `now` have
    /// arrived, in both. What a cut drops is for the network where the pipe begins to tell.
    pub(super) fn change_pipe(&mut self, slot: usize, now: Time, change: &PipeChange) {
        if self.slot(slot).target.is_away() {
            self.arrive_away(slot, now);
        }
        let Slot { id, pipe, inlet, target, .. } = occupied_mut(&mut self.slots, slot);
        let cuts = pipe.cuts();
        pipe.change(now, change);
        if target.is_away() && pipe.cuts() > cuts {
            self.cuts.push_back((*id, Cut { number: pipe.cuts(), at: now }));
        }
        let cut = inlet.as_mut().map(|inlet| inlet.change(now, change)).unwrap_or_default();
        cut.into_iter().for_each(|delivery| self.memory.recycle(delivery.frame));
    }

    /// Drops the frames on their way to a link that is removed, and counts them.
    pub(super) fn forget_coming(&mut self, first: usize) {
        for slot in [first, first + 1] {
            let Some(inlet) = &mut self.slot_mut(slot).inlet else { continue };
            for Delivery { frame, info, .. } in inlet.drain().collect::<Vec<_>>() {
                self.lose(slot, Loss::Unplugged, info.frames().into());
                self.memory.recycle(frame);
            }
        }
    }

    fn arrive_away(&mut self, slot: usize, now: Time) {
        while let Some(delivery) = self.slot_mut(slot).pipe.poll(now) {
            self.memory.recycle(delivery.frame);
        }
    }
}
