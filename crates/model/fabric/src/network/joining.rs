//! Inserts and removes links while others carry frames. The place of a link in a network stays the
//! same until the link is removed. The caller keeps the list of links.

use std::collections::VecDeque;
use std::mem;

use netloom_link::{InFlight, Inlet, LinkState, PipeChange, PipeConfig};
use netloom_units::{Duration, Time};

use super::attachment::{Attachment, Home, TrunkPorts};
use super::{DevicePort, Network, Slot};
use crate::segment::{Hop, new_segment};
use crate::{
    Link, LinkEnd, LinkId, Loss, Memory, Observer, PipeId, PipeSlot, PortId, SegmentKind,
    SegmentPort,
};
use netloom_link::Direction;

impl<M: Memory + 'static, O: Observer<M::Frame>> Network<M, O> {
    /// Inserts a link, which may have frames in its pipes. The caller ensures that no other link
    /// has its ports, and that each switch at its ends has the kind that the link declares.
    ///
    /// # Panics
    /// If the network already has a link with that identity, or if no end of the link is here.
    pub fn join(&mut self, id: LinkId, link: Link<M::Frame>, now: Time) {
        let Link { ends, pipes } = link;
        let first = self.free_slots();
        let before = self.links.insert(id, first);
        assert!(before.is_none(), "{id} is joined already");
        let [a, b] = ends;
        let are_media = [&a, &b]
            .map(|end| matches!(end, LinkEnd::Segment(port) if port.kind() == SegmentKind::Medium));
        let places = [self.place(a, first, now), self.place(b, first + 1, now)];
        assert!(!places.iter().all(Attachment::is_away), "{id} has no end here");
        for ((end, direction), mut pipe) in Direction::BOTH.into_iter().enumerate().zip(pipes) {
            let slot = first + end;
            let id = PipeSlot { id: PipeId { link: id, direction }, slot };
            let (source, target) = (places[end], places[1 - end]);
            let is_segment = |place: &Attachment| matches!(place, Attachment::Segment { .. });
            let is_alone = !places.iter().any(is_segment);
            let leads_to_medium = are_media[1 - end];
            pipe.keep_sent(target.is_away());
            pipe.expect_late_offers();
            let inlet = source.is_away().then(|| {
                let mut inlet = Inlet::new(pipe.config().clone(), pipe.cuts());
                inlet.follow();
                Box::new(inlet)
            });
            self.slots[slot] = Some(Slot {
                id,
                pipe,
                inlet,
                source,
                target,
                is_alone,
                leads_to_medium,
                is_source_down: false,
            });
        }
        self.notify_segments(first, now);
        for slot in [first, first + 1] {
            if let Some(deadline) = self.slot(slot).next_deadline() {
                self.pipe_timers.schedule(slot, deadline);
            }
        }
    }

    /// Removes a link with the frames in its pipes. Frames that were about to enter it are lost,
    /// and so are those that were on their way from an end that is away.
    pub fn part(&mut self, id: LinkId, now: Time) -> Option<Link<M::Frame>> {
        let first = self.links.remove(&id)?;
        let places = [first, first + 1].map(|slot| self.slot(slot).source);
        self.forget_hops(first);
        self.forget_coming(first);
        let ends = places.map(|place| self.leave(place, now));
        let mut pipes = [first, first + 1].into_iter().filter_map(|slot| {
            self.pipe_timers.forget(slot);
            self.slots[slot].take().map(|slot| slot.pipe)
        });
        let pipes = [pipes.next()?, pipes.next()?];
        self.free_slots.push(first);
        self.unsettled.retain(|(slot, _)| slot & !1 != first);
        // BPDUs that a switch sent into the link while it was removed.
        let gone = |hop: &Hop<M::Frame>| hop.slot & !1 == first;
        let (gone, kept): (VecDeque<_>, _) = mem::take(&mut self.hops).into_iter().partition(gone);
        self.hops = kept;
        gone.into_iter().for_each(|hop| self.memory.recycle(hop.frame));
        Some(Link { ends, pipes })
    }

    /// Drops the frames in a link, as when its cables are pulled out.
    pub fn empty(&mut self, id: LinkId, now: Time) {
        let Some(first) = self.links.get(&id).copied() else { return };
        for slot in [first, first + 1] {
            let PipeConfig { state, in_flight, .. } = *self.slot(slot).pipe.config();
            let set = |state, in_flight| PipeChange {
                state: Some(state),
                in_flight: Some(in_flight),
                ..PipeChange::default()
            };
            self.change_pipe(slot, now, &set(LinkState::Down, InFlight::Drop));
            self.finish(slot);
            self.change_pipe(slot, now, &set(state, in_flight));
        }
    }

    /// Drops and counts the frames that wait between pipes.
    pub fn drop_hops(&mut self) {
        while let Some(hop) = self.hops.pop_front() {
            self.lose(hop.slot, Loss::Unplugged, 1);
            self.memory.recycle(hop.frame);
        }
    }

    /// Returns whether the network has a link with that identity.
    pub fn has(&self, id: LinkId) -> bool {
        self.links.contains_key(&id)
    }

    /// Returns the links, each with its ends.
    pub fn links(&self) -> impl Iterator<Item = (LinkId, [LinkEnd; 2])> {
        let end = |slot| self.end(self.slot(slot).source);
        self.links.iter().map(move |(id, first)| (*id, [end(*first), end(*first + 1)]))
    }

    fn forget_hops(&mut self, first: usize) {
        let (gone, kept): (VecDeque<_>, _) = mem::take(&mut self.hops)
            .into_iter()
            .partition(|hop: &Hop<M::Frame>| hop.slot & !1 == first);
        self.hops = kept;
        for hop in gone {
            self.lose(hop.slot, Loss::Unplugged, 1);
            self.memory.recycle(hop.frame);
        }
    }

    /// Returns the first of two consecutive slots that belong to no link.
    fn free_slots(&mut self) -> usize {
        self.free_slots.pop().unwrap_or_else(|| {
            let first = self.slots.len();
            self.slots.extend([None, None]);
            self.pipe_timers.grow(self.slots.len());
            first
        })
    }

    /// Registers one end of a link: the end at which the pipe of `slot` begins.
    fn place(&mut self, end: LinkEnd, slot: usize, now: Time) -> Attachment {
        match end {
            LinkEnd::Port(port) => {
                self.open_port(port, DevicePort { slot, vlan: None });
                Attachment::Port(port)
            }
            LinkEnd::Trunk { untagged, vlans } => {
                self.open_port(untagged, DevicePort { slot, vlan: None });
                for (vlan, port) in &vlans {
                    self.open_port(*port, DevicePort { slot, vlan: Some(*vlan) });
                }
                let trunk = TrunkPorts { untagged, vlans };
                Attachment::Trunk(put(&mut self.trunks, &mut self.free_trunks, trunk))
            }
            LinkEnd::Segment(settings) => self.open_segment_port(settings, slot, now),
            LinkEnd::Away { is_segment } => Attachment::Away { is_segment },
        }
    }

    fn open_port(&mut self, id: PortId, port: DevicePort) {
        if self.ports.len() <= id.index() {
            self.ports.resize(id.index() + 1, None);
        }
        self.ports[id.index()] = Some(port);
    }

    /// Adds a port to a segment. Creates the segment for its first port.
    fn open_segment_port(&mut self, settings: SegmentPort, slot: usize, now: Time) -> Attachment {
        let segment = match self.homes.get(&settings.segment()) {
            Some(segment) => *segment,
            None => self.add_segment(&settings, now),
        };
        let Some(home) = self.segments[segment].as_mut() else {
            unreachable!("a segment is in `homes` as long as it is in `segments`")
        };
        let port = home.ways.iter().position(Option::is_none).unwrap_or_else(|| {
            home.ways.push(None);
            home.settings.push(None);
            home.ways.len() - 1
        });
        home.segment.add_port(now, port, &settings);
        home.ways[port] = Some(slot);
        home.settings[port] = Some(settings);
        Attachment::Segment { segment, port }
    }

    fn add_segment(&mut self, settings: &SegmentPort, now: Time) -> usize {
        let id = settings.segment();
        let segment = new_segment(settings, now);
        let home = Home { id, segment, ways: Vec::new(), settings: Vec::new() };
        let index = put(&mut self.segments, &mut self.free_segments, Some(home));
        self.segment_timers.grow(self.segments.len());
        self.homes.insert(id, index);
        index
    }

    /// Returns the end of a link at a place.
    fn end(&self, place: Attachment) -> LinkEnd {
        match place {
            Attachment::Port(port) => LinkEnd::Port(port),
            Attachment::Trunk(trunk) => {
                let TrunkPorts { untagged, vlans } = self.trunks[trunk].clone();
                LinkEnd::Trunk { untagged, vlans }
            }
            Attachment::Segment { segment, port } => {
                let settings = self.segments[segment].as_ref();
                let settings = settings.and_then(|home| home.settings[port].clone());
                LinkEnd::Segment(settings.expect("the port of a link has its settings"))
            }
            Attachment::Away { is_segment } => LinkEnd::Away { is_segment },
        }
    }

    /// Frees the place of a link that is removed. Returns the end that was there.
    fn leave(&mut self, place: Attachment, now: Time) -> LinkEnd {
        let end = self.end(place);
        match (place, &end) {
            (Attachment::Segment { segment, port }, _) => self.leave_segment(segment, port, now),
            (_, LinkEnd::Port(port)) => self.ports[port.index()] = None,
            (_, LinkEnd::Trunk { untagged, vlans }) => {
                for port in vlans.iter().map(|(_, port)| port).chain([untagged]) {
                    self.ports[port.index()] = None;
                }
                if let Attachment::Trunk(trunk) = place {
                    self.free_trunks.push(trunk);
                }
            }
            (_, LinkEnd::Segment(_) | LinkEnd::Away { .. }) => {}
        }
        end
    }

    fn leave_segment(&mut self, segment: usize, port: usize, now: Time) {
        self.with_segment(segment, (now, Duration::ZERO), |segment, out| {
            segment.remove_port(now, port, out);
        });
        let Some(home) = self.segments[segment].as_mut() else { return };
        home.ways[port] = None;
        home.settings[port] = None;
        if home.ways.iter().all(Option::is_none) {
            let id = home.id;
            self.homes.remove(&id);
            self.segments[segment] = None;
            self.segment_timers.forget(segment);
            self.free_segments.push(segment);
        }
    }
}

/// Puts `item` into a free place, or at the end. Returns its index.
fn put<T>(items: &mut Vec<T>, free: &mut Vec<usize>, item: T) -> usize {
    match free.pop() {
        Some(index) => {
            items[index] = item;
            index
        }
        None => {
            items.push(item);
            items.len() - 1
        }
    }
}
