//! A shared medium as a segment: stations at ports, frames between addresses and stations. Not
//! here: what happens on the medium (`netloom-medium`).

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt::Debug;

use netloom_link::{Frame as _, MacKey};
use netloom_medium::{
    AirLogHeader, AirLogWriter, AssociationChange, AssociationEvent, Medium, MediumChange,
    MediumSetup, RadioError, Receiver, Reception, Sniffed, StationId, StationProperties,
};
use netloom_units::Time;

use super::distribution::layer_2_update;
use super::{
    AirLogPart, Arrival, LinkView, MediumView, Outputs, PortStatus, Segment, Sniffer, addresses,
    dot11,
};
use crate::{Frame as _, Memory, SegmentId, SegmentPort, StationPort};

/// A medium and the ports at which its stations are.
#[derive(Debug)]
pub(super) struct SharedMedium<M: Memory> {
    id: SegmentId,
    name: String,
    medium: Medium<M::Frame>,
    /// The station at each port.
    stations: Vec<Option<StationId>>,
    /// The port of each station.
    ports: HashMap<StationId, usize>,
    /// Stations whose links are cut.
    cut: HashSet<StationId>,
    /// The stations of addresses.
    own: HashMap<MacKey, StationId>,
    /// Behind which station another sender was seen last: one can be a bridge.
    learned: HashMap<MacKey, StationId>,
    /// Who came to an access point or left one, and has not been asked for.
    associations: VecDeque<AssociationEvent>,
    /// What happens on it, if that is logged.
    log: Option<AirLog>,
    sniffers: Vec<Box<dyn Sniffer<M::Frame>>>,
}

/// An air log as it is written.
#[derive(Debug)]
struct AirLog {
    writer: AirLogWriter,
    /// Written and not taken yet.
    bytes: Vec<u8>,
}

impl AirLog {
    fn new(setup: &MediumSetup) -> Self {
        let header = AirLogHeader { medium: setup.setting.name.clone(), seed: setup.setting.seed };
        let mut bytes = Vec::new();
        Self { writer: AirLogWriter::new(&header, &mut bytes), bytes }
    }

    fn take<F: netloom_link::Frame>(&mut self, medium: &mut Medium<F>) {
        while let Some(event) = medium.poll_event() {
            self.writer.write(&event, &mut self.bytes);
        }
    }
}

impl<M: Memory> SharedMedium<M> {
    /// The medium that `port` is on, without stations.
    ///
    /// # Panics
    /// If no such medium can be. Whoever describes one has built it before.
    pub fn new(port: &StationPort, now: Time) -> Self {
        let mut medium: Medium<_> = port.setup.build(now).expect("a described medium can be built");
        medium.watch_associations(true);
        let log = port.setup.logged.then(|| AirLog::new(&port.setup));
        medium.record(log.is_some());
        Self {
            id: port.medium,
            name: port.setup.setting.name.clone(),
            medium,
            stations: Vec::new(),
            ports: HashMap::new(),
            cut: HashSet::new(),
            own: HashMap::new(),
            learned: HashMap::new(),
            associations: VecDeque::new(),
            log,
            sniffers: Vec::new(),
        }
    }

    /// Passes on what has been received, and takes back what nobody needs any more.
    fn settle(&mut self, now: Time, out: &mut Outputs<'_, M>) {
        while let Some(reception) = self.medium.poll(now) {
            self.hand_on(reception, out);
        }
        while let Some(event) = self.medium.poll_association() {
            self.announce(&event, out);
            self.associations.push_back(event);
        }
        while let Some(dropped) = self.medium.poll_dropped() {
            out.memory.recycle(dropped.frame);
        }
        while let Some(frame) = self.medium.poll_spent() {
            out.memory.recycle(frame);
        }
        if let Some(log) = &mut self.log {
            log.take(&mut self.medium);
        }
        while let Some(sniffed) = self.medium.poll_sniffed() {
            self.show(&sniffed);
        }
    }

    /// Shows a transmission that is over to those who listen.
    #[cold]
    fn show(&mut self, sniffed: &Sniffed<M::Frame>) {
        let (own, medium) = (&self.own, &self.medium);
        let address = |id: StationId| {
            let found = own.iter().find(|(_, station)| **station == id);
            // A switch that is an access point has no address of its own.
            let [_, _, high, low] = id.0.to_be_bytes();
            found.map_or([0x06, 0, 0, 0, high, low], |(address, _)| address.bytes())
        };
        let cast = dot11::Cast {
            name: &self.name,
            config: medium.config(),
            address: &address,
            is_point: &|id| medium.is_access_point(id),
        };
        let heard = dot11::heard(sniffed, &cast);
        let frame = sniffed.frame.as_ref();
        self.sniffers.retain_mut(|sniffer| sniffer.hear(heard.clone(), frame));
        if self.sniffers.is_empty() {
            self.medium.sniff(false);
        }
    }

    /// A station has received a frame.
    fn hand_on(&mut self, reception: Reception<M::Frame>, out: &mut Outputs<'_, M>) {
        let Reception { station, from, release, frame, .. } = reception;
        if self.medium.has_access_points() {
            let (source, destination) = addresses(frame.start());
            if !self.medium.is_access_point(station) {
                // What a station sent to everybody comes back from its access point.
                if self.own.get(&source) == Some(&station) {
                    return out.memory.recycle(frame);
                }
            } else if !self.medium.is_access_point(from) {
                return self.distribute(station, destination, release, frame, out);
            }
        }
        self.leave(station, release, frame, out);
    }

    /// A frame that a station has received leaves the medium.
    fn leave(&self, station: StationId, at: Time, frame: M::Frame, out: &mut Outputs<'_, M>) {
        match self.ports.get(&station) {
            Some(port) => out.originate(*port, at, frame),
            None => out.memory.recycle(frame),
        }
    }

    /// An access point has received a frame of one of its stations: it is for another one of them,
    /// for what is beyond it, or for all.
    fn distribute(
        &mut self,
        point: StationId,
        destination: MacKey,
        at: Time,
        frame: M::Frame,
        out: &mut Outputs<'_, M>,
    ) {
        match self.receiver(destination) {
            Receiver::All => {
                let copy = frame.duplicate();
                self.send(point, Receiver::All, at, copy, out);
            }
            Receiver::Station(to) if self.medium.access_point(to) == Some(point) => {
                return self.send(point, Receiver::Station(to), at, frame, out);
            }
            Receiver::Station(_) | Receiver::Nobody => {}
        }
        self.leave(point, at, frame, out);
    }

    /// A station has a frame to send.
    fn send(
        &mut self,
        from: StationId,
        to: Receiver,
        at: Time,
        frame: M::Frame,
        out: &mut Outputs<'_, M>,
    ) {
        // What came in here was well-formed.
        let Ok(info) = frame.info() else { return out.memory.recycle(frame) };
        if let Err(rejected) = self.medium.offer(at, from, to, info, frame) {
            out.memory.recycle(rejected.frame);
        }
    }

    /// The access point that a station has come to makes that known to the wire.
    fn announce(&self, event: &AssociationEvent, out: &mut Outputs<'_, M>) {
        let (AssociationChange::Associated { to, .. } | AssociationChange::HandedOver { to, .. }) =
            event.what
        else {
            return;
        };
        let address = self.own.iter().find(|(_, station)| **station == event.station);
        let (Some((address, _)), Some(port)) = (address, self.ports.get(&to)) else { return };
        match out.memory.frame_of(&layer_2_update(*address)) {
            Some(frame) => out.originate(*port, event.at, frame),
            None => out.lose(*port),
        }
    }

    /// Whom a frame of an access point is for, if for anybody here: what it does not know is not
    /// for its stations.
    fn receiver_beyond(&self, destination: MacKey) -> Option<Receiver> {
        match self.receiver(destination) {
            Receiver::Nobody => None,
            Receiver::Station(to) if self.medium.is_access_point(to) => None,
            to => Some(to),
        }
    }

    /// Whom a frame is for.
    fn receiver(&self, destination: MacKey) -> Receiver {
        if destination.is_group() {
            return Receiver::All;
        }
        let known = self.own.get(&destination).or_else(|| self.learned.get(&destination));
        known.map_or(Receiver::Nobody, |id| Receiver::Station(*id))
    }
}

impl<M: Memory> Segment<M> for SharedMedium<M> {
    fn receive(&mut self, port: usize, arrival: Arrival<M::Frame>, out: &mut Outputs<'_, M>) {
        let Arrival { at, frame, info } = arrival;
        let Some(from) = self.stations.get(port).copied().flatten() else {
            return out.memory.recycle(frame);
        };
        let (source, destination) = addresses(frame.start());
        let to = if !self.medium.has_access_points() {
            if !self.own.contains_key(&source) {
                self.learned.insert(source, from);
            }
            self.receiver(destination)
        } else if self.medium.is_access_point(from) {
            let Some(to) = self.receiver_beyond(destination) else {
                return out.memory.recycle(frame);
            };
            to
        } else {
            self.medium.access_point(from).map_or(Receiver::Nobody, Receiver::Station)
        };
        if let Err(rejected) = self.medium.offer(at, from, to, info, frame) {
            out.memory.recycle(rejected.frame);
        }
        self.settle(at, out);
    }

    fn handle_timeout(&mut self, now: Time, out: &mut Outputs<'_, M>) {
        self.settle(now, out);
    }

    fn begin(&mut self, now: Time, out: &mut Outputs<'_, M>) {
        let change = MediumChange { begins: true, ..MediumChange::default() };
        // How stations move has nothing to do with the channel, which could refuse a change.
        let _ = self.medium.change(now, &change);
        self.settle(now, out);
    }

    fn next_deadline(&self) -> Option<Time> {
        self.medium.next_deadline()
    }

    fn add_port(&mut self, now: Time, port: usize, settings: &SegmentPort) {
        let SegmentPort::Station(settings) = settings else { return };
        if self.stations.len() <= port {
            self.stations.resize(port + 1, None);
        }
        let id = settings.station;
        self.stations[port] = Some(id);
        self.ports.insert(id, port);
        if let Some(address) = settings.address {
            self.own.insert(address, id);
        }
        self.medium.add(now, id, settings.config.clone(), settings.moves.clone());
    }

    /// A station whose link is cut has its radio off.
    fn link_changed(&mut self, now: Time, port: usize, link: LinkView, out: &mut Outputs<'_, M>) {
        let Some(station) = self.stations.get(port).copied().flatten() else { return };
        if self.cut.contains(&station) == link.is_cut {
            return;
        }
        match link.is_cut {
            true => self.cut.insert(station),
            false => self.cut.remove(&station),
        };
        let on = StationProperties { on: Some(!link.is_cut), ..StationProperties::default() };
        let change = MediumChange { properties: vec![(station, on)], ..MediumChange::default() };
        // A radio's switch has nothing to do with the channel, which could refuse a change.
        let _ = self.medium.change(now, &change);
        self.settle(now, out);
    }

    fn remove_port(&mut self, now: Time, port: usize, out: &mut Outputs<'_, M>) {
        let Some(station) = self.stations.get_mut(port).and_then(Option::take) else { return };
        self.ports.remove(&station);
        self.cut.remove(&station);
        self.own.retain(|_, at| *at != station);
        self.learned.retain(|_, at| *at != station);
        self.medium.remove(now, station);
        self.settle(now, out);
    }

    fn port_status(&self, _: usize) -> PortStatus {
        PortStatus::default()
    }

    fn change_medium(
        &mut self,
        now: Time,
        change: &MediumChange,
        out: &mut Outputs<'_, M>,
    ) -> Result<(), RadioError> {
        let changed = self.medium.change(now, change);
        self.settle(now, out);
        changed
    }

    fn poll_association(&mut self) -> Option<AssociationEvent> {
        self.associations.pop_front()
    }

    fn medium(&mut self, now: Time) -> Option<MediumView> {
        let (config, stations) = (self.medium.config().clone(), self.medium.stations(now));
        Some(MediumView { id: self.id, config, stations })
    }

    fn shared_medium(&mut self) -> Option<(SegmentId, &mut Medium<M::Frame>)> {
        Some((self.id, &mut self.medium))
    }

    fn sniff(&mut self, sniffer: Box<dyn Sniffer<M::Frame>>) {
        self.sniffers.push(sniffer);
        self.medium.sniff(true);
    }

    fn take_air_log(&mut self, now: Time, out: &mut Outputs<'_, M>) -> Option<AirLogPart> {
        self.settle(now, out);
        let log = self.log.as_mut()?;
        Some(AirLogPart { medium: self.id, bytes: std::mem::take(&mut log.bytes) })
    }
}
