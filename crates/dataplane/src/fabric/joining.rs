//! Links come and go while others carry frames. A link's place among lanes, ports and switches stays where it
//! is until the link goes, and is then another's: what was looked up before holds. Not here: which worker gets
//! a link (`partition`), and in which order workers are told (`rewiring`).

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::mem;
use std::os::fd::{BorrowedFd, OwnedFd};

use netloom_link::{InFlight, LinkState, Pipe, PipeChange, PipeConfig, Stream, Vid};
use netloom_ports::{Carrier, Frame, FrameBuffer, FrameDevice, SendError};
use netloom_spanning_tree::BridgeId;
use netloom_units::Time;

use super::{Fabric, Hop, Lane, Place, Port, Shown};
use crate::carried::Carried;
use crate::switch::Switch;
use crate::tree::TreeSwitch;
use crate::vlan::{Interfaces, Tagged, VlanSwitch};
use crate::waiter::Waiter;
use crate::watch::Loss;
use crate::{End, PipeId, SwitchPort, TreeWorth};

/// Of a link that has no number yet.
const UNNUMBERED: usize = usize::MAX / 4;

/// A link that no worker has: its ends, and its pipes with what is in them.
pub(crate) struct Parts {
    pub ends: [End; 2],
    pub pipes: [Pipe<Carried>; 2],
    /// Who sees its frames.
    pub shown: [Shown; 2],
}

/// A link that could not be joined.
pub(crate) struct Refused {
    pub parts: Parts,
    pub end: usize,
    pub source: io::Error,
}

/// Places that links have left, for others; and where switches are.
#[derive(Debug, Default)]
pub(super) struct Places {
    /// The first of two.
    lanes: Vec<usize>,
    ports: Vec<usize>,
    interfaces: Vec<usize>,
    switches: Vec<usize>,
    vlan_switches: Vec<usize>,
    /// Where the wiring's switches are, in `switches` or `vlan_switches`; of those that have a link.
    homes: BTreeMap<usize, usize>,
}

impl Fabric {
    /// Joins a link, which has no number yet; its first lane.
    ///
    /// # Errors
    /// If a device cannot be waited for; then nothing has changed.
    pub fn join(&mut self, parts: Parts, waiter: &Waiter) -> Result<usize, Box<Refused>> {
        let Parts { ends, pipes, shown } = parts;
        let first = self.free_lanes();
        let mut places = Vec::with_capacity(2);
        for (end, what) in ends.into_iter().enumerate() {
            places.push(self.place(what, first + end));
        }
        let [place, other] = [places[0], places[1]];
        let both = [(place, other), (other, place)];
        let pipes = pipes.into_iter().zip(shown);
        for (direction, ((source, target), (pipe, shown))) in
            both.into_iter().zip(pipes).enumerate()
        {
            let id = PipeId { link: UNNUMBERED, direction };
            self.lanes[first + direction] =
                Lane { id, live: true, pipe, source, target, shown, entered: 0 };
        }
        if let Err((end, source)) = self.watch_ends(first, waiter) {
            return Err(Box::new(Refused { parts: self.part(first, waiter), end, source }));
        }
        self.tell_trees(first, self.clock.now());
        // It may come with frames.
        for lane in [first, first + 1] {
            if let Some(deadline) = self.lanes[lane].pipe.next_deadline() {
                self.timers.schedule(lane, deadline);
            }
        }
        Ok(first)
    }

    /// Lets the link at lane `first` go, with the frames that are in its pipes and its captures.
    pub fn part(&mut self, first: usize, waiter: &Waiter) -> Parts {
        let places = [self.lanes[first].source, self.lanes[first].target];
        let ends = places.map(|place| self.leave_place(place, waiter));
        let lanes = [first, first + 1].map(|lane| {
            self.timers.forget(lane);
            mem::replace(&mut self.lanes[lane], Lane::vacant())
        });
        self.places.lanes.push(first);
        self.forget_hops(first);
        let [forward, reverse] = lanes;
        Parts { ends, pipes: [forward.pipe, reverse.pipe], shown: [forward.shown, reverse.shown] }
    }

    /// The frames in the link at lane `first` are lost, as when its cables are pulled out.
    pub fn empty(&mut self, first: usize, now: Time) {
        for lane in [first, first + 1] {
            let PipeConfig { state, in_flight, .. } = *self.lanes[lane].pipe.config();
            let told = |state, in_flight| PipeChange {
                state: Some(state),
                in_flight: Some(in_flight),
                ..PipeChange::default()
            };
            self.lanes[lane].pipe.change(now, &told(LinkState::Down, InFlight::Drop));
            self.settle(lane, now);
            self.lanes[lane].pipe.change(now, &told(state, in_flight));
        }
    }

    /// Moves on what waits between pipes, so that a link can go. Nothing waits for long: loops of switches
    /// are no scenario; what does is lost, and counted.
    pub fn hop_all(&mut self, now: Time) {
        for _ in 0..64 {
            if self.hops.is_empty() {
                return;
            }
            self.release(now);
        }
        while let Some(hop) = self.hops.pop_front() {
            self.lost(hop.lane, Loss::DeviceGone, 1);
            self.pool.recycle(hop.frame);
        }
    }

    /// What a switch wanted to send by the link at lane `first`, which has gone, is not sent: BPDUs that say so.
    fn forget_hops(&mut self, first: usize) {
        let (gone, kept) =
            mem::take(&mut self.hops).into_iter().partition(|hop| hop.lane & !1 == first);
        self.hops = kept;
        let gone: VecDeque<Hop> = gone;
        gone.into_iter().for_each(|hop| self.pool.recycle(hop.frame));
    }

    /// From now on, each link at one of these first lanes has that number. What failed of others is nobody's.
    pub fn number(&mut self, numbers: &[(usize, usize)]) {
        let mut renamed = BTreeMap::new();
        for (first, link) in numbers {
            renamed.insert(self.lanes[*first].id.link, *link);
            for lane in [*first, first + 1] {
                self.lanes[lane].id.link = *link;
            }
        }
        for failure in &mut self.counters.failures {
            failure.link = renamed.get(&failure.link).copied().unwrap_or(UNNUMBERED);
        }
    }

    /// Two lanes that are no link's; the first.
    fn free_lanes(&mut self) -> usize {
        self.places.lanes.pop().unwrap_or_else(|| {
            let first = self.lanes.len();
            self.lanes.extend([Lane::vacant(), Lane::vacant()]);
            self.timers.grow(self.lanes.len());
            first
        })
    }

    /// Finds a place for the end of a link out of which `lane` leads into the link.
    fn place(&mut self, end: End, lane: usize) -> Place {
        match end {
            End::Device(device) => Place::Device(self.add_device(device, None, lane)),
            End::Interfaces { untagged, vlans } => {
                let untagged = self.add_device(untagged, None, lane);
                let vlans = vlans.into_iter().map(|(vlan, device)| {
                    (vlan.number(), self.add_device(device, Some(vlan), lane))
                });
                let interfaces = Interfaces { untagged, vlans: vlans.collect() };
                let index = put(&mut self.interfaces, &mut self.places.interfaces, interfaces);
                Place::Tagged(Tagged::Interfaces(index))
            }
            End::Switch(port) => self.add_switch_port(port, lane),
        }
    }

    /// Adds a port out of which `lane` leads to its switch, which is made for its first one.
    fn add_switch_port(&mut self, port: SwitchPort, lane: usize) -> Place {
        let SwitchPort { switch, vlans, bridge, worth } = port;
        let Places { switches, vlan_switches, homes, .. } = &mut self.places;
        match vlans {
            None => {
                let home = *homes.entry(switch).or_insert_with(|| {
                    let home = put(&mut self.switches, switches, Switch::new(switch));
                    let tree = bridge.map(|id| self.trees.add(id, TreeSwitch::Plain(home)));
                    self.switches[home].tree = tree;
                    home
                });
                let port = self.switches[home].add_port(lane);
                if let Some(tree) = self.switches[home].tree {
                    self.trees.set_worth(tree, port, worth);
                }
                Place::Switch { switch: home, port }
            }
            Some(vlans) => {
                let home = *homes.entry(switch).or_insert_with(|| {
                    let home = put(&mut self.vlan_switches, vlan_switches, VlanSwitch::new(switch));
                    let tree = bridge.map(|id| self.trees.add(id, TreeSwitch::Vlan(home)));
                    self.vlan_switches[home].tree = tree;
                    home
                });
                let port = self.vlan_switches[home].add_port(vlans, lane);
                if let Some(tree) = self.vlan_switches[home].tree {
                    self.trees.set_worth(tree, port, worth);
                }
                Place::Tagged(Tagged::Port { switch: home, port })
            }
        }
    }

    /// Adds a device whose frames enter `lane` with the tag of `vlan`; its port.
    fn add_device(
        &mut self,
        device: Box<dyn FrameDevice>,
        vlan: Option<Vid>,
        lane: usize,
    ) -> usize {
        let port = Port { device, lane, vlan, alive: true };
        put(&mut self.ports, &mut self.places.ports, port)
    }

    /// Waits for what the devices at both ends have to say; or the end at which that fails.
    fn watch_ends(&self, first: usize, waiter: &Waiter) -> Result<(), (usize, io::Error)> {
        let places = [self.lanes[first].source, self.lanes[first].target];
        for (end, place) in places.into_iter().enumerate() {
            for port in self.ports_at(place) {
                if let Some(fd) = self.ports[port].device.fd() {
                    waiter.watch(fd, port).map_err(|error| (end, error))?;
                }
            }
        }
        Ok(())
    }

    fn ports_at(&self, place: Place) -> Vec<usize> {
        match place {
            Place::Device(port) => vec![port],
            Place::Tagged(Tagged::Interfaces(index)) => {
                let Interfaces { untagged, vlans } = &self.interfaces[index];
                [*untagged].into_iter().chain(vlans.iter().map(|(_, port)| *port)).collect()
            }
            Place::Switch { .. } | Place::Tagged(Tagged::Port { .. }) => Vec::new(),
        }
    }

    /// Takes what was placed, for the end of a link.
    fn leave_place(&mut self, place: Place, waiter: &Waiter) -> End {
        match place {
            Place::Device(port) => End::Device(self.remove_device(port, waiter)),
            Place::Tagged(Tagged::Interfaces(index)) => {
                let left = Interfaces { untagged: 0, vlans: Vec::new() };
                let Interfaces { untagged, vlans } =
                    mem::replace(&mut self.interfaces[index], left);
                self.places.interfaces.push(index);
                let untagged = self.remove_device(untagged, waiter);
                let vlans = vlans.into_iter().filter_map(|(_, port)| {
                    let vlan = self.ports[port].vlan?;
                    Some((vlan, self.remove_device(port, waiter)))
                });
                End::Interfaces { untagged, vlans: vlans.collect() }
            }
            Place::Switch { switch, port } => {
                let (number, tree) = (self.switches[switch].number(), self.switches[switch].tree);
                let others = self.switches[switch].remove_port(port);
                let (bridge, worth) = self.leave_any_tree(tree, port, others);
                if !others {
                    self.places.homes.remove(&number);
                    self.places.switches.push(switch);
                }
                End::Switch(SwitchPort { switch: number, vlans: None, bridge, worth })
            }
            Place::Tagged(Tagged::Port { switch, port }) => {
                let VlanSwitch { tree, .. } = self.vlan_switches[switch];
                let number = self.vlan_switches[switch].number();
                let (vlans, others) = self.vlan_switches[switch].remove_port(port);
                let (bridge, worth) = self.leave_any_tree(tree, port, others);
                if !others {
                    self.places.homes.remove(&number);
                    self.places.vlan_switches.push(switch);
                }
                End::Switch(SwitchPort { switch: number, vlans: Some(vlans), bridge, worth })
            }
        }
    }

    fn leave_any_tree(
        &mut self,
        tree: Option<usize>,
        port: usize,
        others: bool,
    ) -> (Option<BridgeId>, TreeWorth) {
        match tree.map(|tree| self.leave_tree(tree, port, others)) {
            Some((bridge, worth)) => (Some(bridge), worth),
            None => (None, TreeWorth::default()),
        }
    }

    fn remove_device(&mut self, port: usize, waiter: &Waiter) -> Box<dyn FrameDevice> {
        if let Some(fd) = self.ports[port].device.fd() {
            // One that has failed is not waited for any more.
            let _ = waiter.forget(fd);
        }
        self.places.ports.push(port);
        self.ports[port].alive = false;
        mem::replace(&mut self.ports[port].device, Box::new(NoDevice))
    }
}

impl Lane {
    /// No link's.
    fn vacant() -> Self {
        let (id, place) = (PipeId { link: UNNUMBERED, direction: 0 }, Place::Device(usize::MAX));
        Self {
            id,
            live: false,
            pipe: Pipe::new(PipeConfig::default(), Stream::new(0, ""), Time::ZERO),
            source: place,
            target: place,
            shown: Shown::default(),
            entered: 0,
        }
    }
}

/// What is at a port that no device has.
struct NoDevice;

impl FrameDevice for NoDevice {
    fn fd(&self) -> Option<BorrowedFd<'_>> {
        None
    }

    fn receive(&mut self, _: &mut FrameBuffer) -> io::Result<bool> {
        Ok(false)
    }

    fn send(&mut self, _: &Frame) -> Result<(), SendError> {
        Err(SendError::Gone(io::ErrorKind::NotConnected.into()))
    }

    fn carrier(&self) -> Option<Box<dyn Carrier>> {
        None
    }

    fn into_fd(self: Box<Self>) -> Option<OwnedFd> {
        None
    }
}

/// Puts `item` where one has left, or behind all; where that is.
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
