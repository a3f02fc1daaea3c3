//! A shared medium as a segment: maps ports to stations, and addresses of frames to stations.
//! `netloom-medium` implements the medium itself.

use std::collections::{HashMap, HashSet, VecDeque};
use std::fmt::Debug;

use netloom_link::{Frame as _, MacKey};
use netloom_medium::{
    AirLogHeader, AirLogWriter, AssociationChange, AssociationEvent, Medium, MediumChange,
    MediumSetup, RadioError, Receiver, Reception, Sniffed, StationId, StationProperties,
};
use netloom_units::{Duration, Time};

use super::distribution::layer_2_update;
use super::late_frames::LateFrames;
use super::{
    AirLogPart, Arrival, LinkView, MediumView, Outputs, PortStatus, Segment, Sniffer, addresses,
    dot11,
};
use crate::{Frame as _, Memory, SegmentId, SegmentPort, StationPort};

/// A medium and the ports of its stations.
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
    /// The station of each address.
    own: HashMap<MacKey, StationId>,
    /// The station behind which another sender was last observed. A station can be a bridge.
    learned: HashMap<MacKey, StationId>,
    /// Association events that have not been queried yet.
    associations: VecDeque<AssociationEvent>,
    /// Air log, if it is enabled.
    log: Option<AirLog>,
    sniffers: Vec<Box<dyn Sniffer<M::Frame>>>,
    /// Frames that may have been here before they were offered.
    late: LateFrames,
}

/// An air log that is being written.
#[derive(Debug)]
struct AirLog {
    header: AirLogHeader,
    writer: AirLogWriter,
    /// Bytes that are written and not yet taken.
    bytes: Vec<u8>,
    /// Length of the header that they begin with, until it is taken.
    header_length: Option<usize>,
}

impl AirLog {
    fn new(setup: &MediumSetup) -> Self {
        let (medium, seed) = (setup.setting.name.clone(), setup.setting.seed);
        let header = AirLogHeader { medium, seed, start: Time::ZERO };
        let mut bytes = Vec::new();
        let writer = AirLogWriter::new(&header, &mut bytes);
        Self { header, writer, header_length: Some(bytes.len()), bytes }
    }

    /// Makes its times count from `zero`. Has no effect once a part of it is taken.
    fn begin(&mut self, zero: Time) {
        let Some(length) = &mut self.header_length else { return };
        self.header.start = Time::ZERO.counted_from(zero);
        let mut header = Vec::new();
        // Later events have differences of times only.
        let _ = AirLogWriter::new(&self.header, &mut header);
        let old = std::mem::replace(length, header.len());
        self.bytes.splice(..old, header);
    }

    fn take_bytes(&mut self) -> Vec<u8> {
        self.header_length = None;
        std::mem::take(&mut self.bytes)
    }

    fn take<F: netloom_link::Frame>(&mut self, medium: &mut Medium<F>) {
        while let Some(event) = medium.poll_event() {
            self.writer.write(&event, &mut self.bytes);
        }
    }
}

impl<M: Memory> SharedMedium<M> {
    /// Creates the medium of `port`, without stations.
    ///
    /// # Panics
    /// If the medium cannot be built. Callers build it once before, to check the description.
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
            late: LateFrames::default(),
        }
    }

    /// Passes on received frames, and takes back frames that are no longer needed.
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

    /// Passes a transmission that is over to all sniffers.
    #[cold]
    fn show(&mut self, sniffed: &Sniffed<M::Frame>) {
        let (own, medium) = (&self.own, &self.medium);
        let address = |id: StationId| {
            let found = own.iter().find(|(_, station)| **station == id);
            // A switch that is an access point has no address of its own, so one is made up.
            let [_, _, high, low] = id.0.to_be_bytes();
            found.map_or([0x06, 0, 0, 0, high, low], |(address, _)| address.bytes())
        };
        let directory = dot11::Directory {
            name: &self.name,
            config: medium.config(),
            address: &address,
            is_access_point: &|id| medium.is_access_point(id),
        };
        let whole = dot11::encapsulate(sniffed, &directory);
        let frame = sniffed.frame.as_ref();
        self.sniffers.retain_mut(|sniffer| sniffer.receive(whole.clone(), frame));
        if self.sniffers.is_empty() {
            self.medium.sniff(false);
        }
    }

    /// Handles a frame that a station has received.
    fn hand_on(&mut self, reception: Reception<M::Frame>, out: &mut Outputs<'_, M>) {
        let Reception { station, from, offered, release, frame, .. } = reception;
        let shift = self.late.shift(offered, release);
        if self.medium.has_access_points() {
            let (source, destination) = addresses(frame.start());
            if !self.medium.is_access_point(station) {
                // An access point repeats broadcasts of a station, and the station hears its own.
                if self.own.get(&source) == Some(&station) {
                    return out.memory.recycle(frame);
                }
            } else if !self.medium.is_access_point(from) {
                return self.distribute(station, destination, (release, shift), frame, out);
            }
        }
        self.leave(station, (release, shift), frame, out);
    }

    /// Sends a received frame out of the medium by the port of its station. It may have left
    /// earlier by the given shift.
    fn leave(
        &self,
        station: StationId,
        (at, shift): (Time, Duration),
        frame: M::Frame,
        out: &mut Outputs<'_, M>,
    ) {
        match self.ports.get(&station) {
            Some(port) => out.pass_on(*port, at, shift, frame),
            None => out.memory.recycle(frame),
        }
    }

    /// Distributes a frame that an access point has received from one of its stations: to another
    /// one of them, to the wire, or to both.
    fn distribute(
        &mut self,
        point: StationId,
        destination: MacKey,
        (at, shift): (Time, Duration),
        frame: M::Frame,
        out: &mut Outputs<'_, M>,
    ) {
        match self.receiver(destination) {
            Receiver::All => {
                let copy = frame.duplicate();
                self.send(point, Receiver::All, (at, shift), copy, out);
            }
            Receiver::Station(to) if self.medium.access_point(to) == Some(point) => {
                return self.send(point, Receiver::Station(to), (at, shift), frame, out);
            }
            Receiver::Station(_) | Receiver::Nobody => {}
        }
        self.leave(point, (at, shift), frame, out);
    }

    /// Offers a frame for a station to send.
    fn send(
        &mut self,
        from: StationId,
        to: Receiver,
        (at, shift): (Time, Duration),
        frame: M::Frame,
        out: &mut Outputs<'_, M>,
    ) {
        // Frames that reached this point were well-formed.
        let Ok(info) = frame.info() else { return out.memory.recycle(frame) };
        self.late.offered(at, shift, &self.medium);
        if let Err(rejected) = self.medium.offer(at, from, to, info, frame) {
            out.memory.recycle(rejected.frame);
        }
    }

    /// Announces a station to the wire at its new access point.
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

    /// Returns the receiver of a frame from an access point, if there is one here. A frame for an
    /// unknown address is for none of its stations.
    fn receiver_beyond(&self, destination: MacKey) -> Option<Receiver> {
        match self.receiver(destination) {
            Receiver::Nobody => None,
            Receiver::Station(to) if self.medium.is_access_point(to) => None,
            to => Some(to),
        }
    }

    /// Returns the receiver of a frame.
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
        self.late.offered(at, out.uncertainty(), &self.medium);
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
        // A channel can refuse a change, but movements do not concern the channel.
        let _ = self.medium.change(now, &change);
        self.settle(now, out);
        if let Some(log) = &mut self.log {
            log.begin(now);
        }
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

    /// Turns the radio of a station off while its link is cut.
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
        // A channel can refuse a change, but the switch of a radio does not concern the channel.
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
        Some(AirLogPart { medium: self.id, bytes: log.take_bytes() })
    }
}
