//! The medium: stations, the air, and what happens between them, in the order of time.

use std::sync::Arc;

use netloom_link::{Frame, FrameInfo};
use netloom_mobility::{Point, Trajectory};
use netloom_radio::{RadioError, milliwatts};
use netloom_units::{Duration, Stream, Time};

use crate::agenda::{Agenda, Due};
use crate::air::{Air, Carried, Hearer, Stage, Transmission};
use crate::config::{MediumChange, MediumConfig, Movement, Setting, StationConfig};
use crate::counters::{FrameLoss, StationCounters};
use crate::desk::{Desk, Dropped, Outlet, Reception, Rejected};
use crate::draw::{Draws, Purpose};
use crate::field::{Channel, Field, Path};
use crate::log::{AirEvent, AirOccurrence, SentRecord};
use crate::mac::phase::{self, rank};
use crate::mac::{
    Carries, Ended, GATE, Garbled, Heard, Io, Kind, MacState, Member, Ppdu, Timer, Wish,
};
use crate::phy::Timing;
use crate::radio::{Outcome, Radio};
use crate::rules::{Bits, Rules};
use crate::{Receiver, StationId};

/// One shared channel, carrying frames of type `F`.
///
/// # Call order
/// 1. After every [`offer`](Self::offer), [`change`](Self::change), [`add`](Self::add) and
///    [`remove`](Self::remove), and whenever the time of [`next_deadline`](Self::next_deadline) has
///    come: [`poll`](Self::poll) until it returns `None`, then [`poll_dropped`](Self::poll_dropped)
///    and [`poll_spent`](Self::poll_spent) likewise, then ask for the deadline anew.
/// 2. [`counters`](Self::counters) and [`config`](Self::config) may be called at any time between.
///
/// `now` never goes back; an earlier time than one already given counts as the latest one given.
/// What happens between two calls happens at its exact time, in order, whenever the next call
/// comes: late calls change nothing but the time of the hand-over. What a call does at `now` comes
/// after all that happens by itself until then, so that it does not matter who polls how often.
///
/// What happens in the same nanosecond happens in this order: ends of signals, carriers being
/// sensed, timeouts, starts of sending, starts of arrival; among these by station or, of signals,
/// by when they began to be sent.
///
/// # Example
/// ```
/// use netloom_link::FrameInfo;
/// use netloom_medium::{Medium, MediumConfig, Phy, Receiver, Setting, StationConfig, StationId};
/// use netloom_mobility::{Point, Trajectory};
/// use netloom_units::Time;
///
/// let config = MediumConfig::new(Phy::B);
/// let mut medium = Medium::new(config, Setting::default(), Time::ZERO).unwrap();
/// for station in 0..2 {
///     // Three metres from each other: ten nanoseconds.
///     let place = Trajectory::fixed(Point::flat(3.0 * f64::from(station), 0.0));
///     medium.add(Time::ZERO, StationId(station), StationConfig::default(), place);
/// }
/// let (from, to) = (StationId(0), Receiver::Station(StationId(1)));
/// medium.offer(Time::from_nanos(50_000), from, to, FrameInfo::single(1514), "hello").unwrap();
/// // Sent at once: the medium has been idle for DIFS.
/// let reception = loop {
///     let deadline = medium.next_deadline().unwrap();
///     if let Some(reception) = medium.poll(deadline) {
///         break reception;
///     }
/// };
/// assert_eq!(reception.release, Time::from_nanos(50_000 + 1_310_000 + 10));
/// assert_eq!(reception.frame, "hello");
/// ```
#[derive(Debug)]
pub struct Medium<F> {
    config: MediumConfig,
    timing: Timing,
    rules: Rules,
    draws: Draws,
    setting: Setting,
    field: Box<dyn Field>,
    /// The latest time given.
    now: Time,
    stations: Vec<Option<Station<F>>>,
    air: Air<F>,
    /// Transmissions so far.
    order: u64,
    /// Ends of transmissions: at the sender (even keys), at the next hearers (odd ones).
    ends: Agenda,
    /// Signals that arrive (even keys) and are sensed (odd ones) at the next hearers.
    signals: Agenda,
    timers: Agenda,
    outlet: Outlet<F>,
    /// Ways from a station, while they are asked for.
    paths: Vec<Path>,
    /// Shortest time that a frame is on the air.
    shortest: Duration,
}

#[derive(Debug)]
struct Station<F> {
    config: StationConfig,
    radio: Radio,
    desk: Desk<F>,
    mac: Box<dyn MacState<F>>,
    stream: Stream,
    /// Transmissions so far.
    sent: u64,
    /// Who hears it, and until when that holds.
    hearers: Option<(Arc<[Hearer]>, Time)>,
    /// The slot of what it sends.
    sending: Option<u32>,
}

/// Something that is due.
#[derive(Debug, Clone, Copy)]
enum Event {
    /// The end of the transmission at this slot, at its sender.
    Sent(u32),
    /// The signal of the transmission at this slot comes to a stage at the next hearers.
    Stage(u32, Stage),
    /// A timer of a station.
    Timer(StationId, u32),
}

impl<F: Frame> Medium<F> {
    /// A medium without stations.
    ///
    /// # Errors
    /// A file of the channel has not been read, or does not fit the setting.
    pub fn new(config: MediumConfig, setting: Setting, now: Time) -> Result<Self, RadioError> {
        let timing = config.mac.timing(config.phy);
        let shortest = config.mac.shortest(&timing);
        Ok(Self {
            timing,
            rules: Rules::new(&config),
            draws: Draws::new(setting.seed, &setting.name),
            field: setting.field(&config)?,
            setting,
            now,
            stations: Vec::new(),
            air: Air::default(),
            order: 0,
            ends: Agenda::default(),
            signals: Agenda::default(),
            timers: Agenda::default(),
            outlet: Outlet::default(),
            paths: Vec::new(),
            shortest,
            config,
        })
    }

    /// The configuration in force.
    pub fn config(&self) -> &MediumConfig {
        &self.config
    }

    /// Adds a station that moves as `moves` says. One that has this number already is removed first.
    pub fn add(&mut self, now: Time, id: StationId, config: StationConfig, moves: Trajectory) {
        self.remove(now, id);
        let name = format!("{}/{}", self.setting.name, config.name);
        let stream = Stream::new(self.setting.seed, &name);
        self.field.place(self.now, id, &config, moves);
        let queue = config.queue.clone().unwrap_or_else(|| self.config.queue.clone());
        let rate = config.rate.unwrap_or(self.timing.highest());
        let mut radio = Radio::default();
        radio.switch(!config.off);
        let station = Station {
            radio,
            desk: Desk::new(queue, rate, stream.fork("queue")),
            mac: self.config.mac.build(&self.timing, &config, Member { rank: 0, count: 1 }),
            stream: stream.fork("backoff"),
            sent: 0,
            hearers: None,
            sending: None,
            config,
        };
        if self.stations.len() <= id.index() {
            self.stations.resize_with(id.index() + 1, || None);
            self.timers.grow(self.stations.len() * Timer::PLACES as usize);
        }
        self.stations[id.index()] = Some(station);
        self.forget_hearers();
        self.call(id, |mac, io| mac.restart(io));
        self.count();
    }

    /// Removes a station. What it had to send is dropped; what it is sending is cut off.
    pub fn remove(&mut self, now: Time, id: StationId) {
        self.run(now);
        if self.station(id).is_none() {
            return;
        }
        self.silence(id);
        let now = self.now;
        if let Some(mut station) = self.stations[id.index()].take() {
            station.desk.empty(now, id, FrameLoss::Down, &mut self.outlet);
        }
        self.field.remove(id);
        self.forget_hearers();
        self.count();
    }

    /// Says to all stations how many there are.
    fn count(&mut self) {
        for number in 0..self.stations.len() {
            let id = StationId(number as u32);
            let member = member(&self.stations, id);
            self.call(id, |mac, io| mac.joined(io, member));
        }
    }

    /// Offers a frame to the medium for `from` to send.
    ///
    /// # Errors
    /// The frame and the reason, if the medium does not take it in.
    pub fn offer(
        &mut self,
        now: Time,
        from: StationId,
        to: Receiver,
        info: FrameInfo,
        frame: F,
    ) -> Result<(), Rejected<F>> {
        self.run(now);
        let taken = self.take_in(from, to, info, frame);
        let refused = taken.as_ref().err().map(|rejected| rejected.reason);
        self.outlet.note(self.now, || {
            let bytes = info.largest();
            AirOccurrence::Offered { station: from, to, bytes, refused }
        });
        if taken? {
            self.call(from, |mac, io| mac.queued(io));
        }
        self.watch_gate(from);
        Ok(())
    }

    /// Gives a frame to a station. Whether it has something to send from now on and had not before.
    fn take_in(
        &mut self,
        from: StationId,
        to: Receiver,
        info: FrameInfo,
        frame: F,
    ) -> Result<bool, Rejected<F>> {
        let Some(station) = self.stations.get_mut(from.index()).and_then(Option::as_mut) else {
            return Err(Rejected { frame, number: 0, reason: FrameLoss::Down });
        };
        if !station.radio.is_on() {
            let number = station.desk.refuse(FrameLoss::Down, info);
            return Err(Rejected { frame, number, reason: FrameLoss::Down });
        }
        station.desk.offer(self.now, from, to, info, frame, &mut self.outlet)
    }

    /// The next frame that a station has received by `now`, in the order of (release,
    /// transmission, station).
    pub fn poll(&mut self, now: Time) -> Option<Reception<F>> {
        self.run(now);
        self.outlet.receptions.pop_front()
    }

    /// The next frame that was dropped after it had been taken in.
    pub fn poll_dropped(&mut self) -> Option<Dropped<F>> {
        self.outlet.dropped.pop_front()
    }

    /// The next frame of which nothing is needed any more: a broadcast that all hearers have made
    /// copies of, or that nobody received.
    pub fn poll_spent(&mut self) -> Option<F> {
        self.outlet.spent.pop_front()
    }

    /// Keeps events for [`poll_event`](Self::poll_event), or does not (default).
    pub fn record(&mut self, wanted: bool) {
        match wanted {
            true => _ = self.outlet.events.get_or_insert_default(),
            false => self.outlet.events = None,
        }
    }

    /// The next thing that happened, in the order in which it did.
    pub fn poll_event(&mut self) -> Option<AirEvent> {
        self.outlet.events.as_mut()?.pop_front()
    }

    /// When the medium has to be polled next. No frame is received before; there may be none then.
    pub fn next_deadline(&self) -> Option<Time> {
        if let Some(reception) = self.outlet.receptions.front() {
            return Some(reception.release);
        }
        if !self.outlet.dropped.is_empty() || !self.outlet.spent.is_empty() {
            return Some(self.now);
        }
        let end = self.ends.first().map(|((at, _), _)| at);
        let timer = self.timers.first().map(|((at, _), _)| at + self.shortest);
        [end, timer].into_iter().flatten().min()
    }

    /// Changes the medium: all of it at one time. Receptions that go on are judged by the rules in
    /// force at their end.
    ///
    /// # Errors
    /// The channel cannot work as it is changed; nothing is changed then.
    pub fn change(&mut self, now: Time, change: &MediumChange) -> Result<(), RadioError> {
        self.run(now);
        let mut config = self.config.clone();
        change.medium.apply_to(&mut config);
        if config != self.config {
            self.configure(config)?;
        }
        self.outlet.note(self.now, || AirOccurrence::Changed(change.to_json().into()));
        for (id, station) in &change.stations {
            self.reconfigure(*id, station);
        }
        for (id, movement) in &change.movements {
            self.redirect(*id, movement);
        }
        self.forget_hearers();
        Ok(())
    }

    /// Takes over another configuration.
    fn configure(&mut self, config: MediumConfig) -> Result<(), RadioError> {
        let mut field = self.setting.field(&config)?;
        for (id, station) in (0..).map(StationId).zip(&self.stations) {
            if let (Some(station), Some(moves)) = (station, self.field.remove(id)) {
                field.place(self.now, id, &station.config, moves);
            }
        }
        self.field = field;
        self.timing = config.mac.timing(config.phy);
        self.shortest = config.mac.shortest(&self.timing);
        self.rules = Rules::new(&config);
        let before = std::mem::replace(&mut self.config, config);
        for number in 0..self.stations.len() {
            let id = StationId(number as u32);
            if let Some(station) = &self.stations[number] {
                let config = station.config.clone();
                self.refit(id, config, self.config.mac != before.mac);
            }
        }
        Ok(())
    }

    /// Makes a station another one.
    fn reconfigure(&mut self, id: StationId, config: &StationConfig) {
        let Some(station) = self.station(id) else { return };
        let (on, was_on) = (!config.off, station.radio.is_on());
        let has_other_mac = station.config.rate != config.rate || station.config.cw != config.cw;
        self.refit(id, config.clone(), has_other_mac);
        if on != was_on {
            self.switch(id, on);
        }
    }

    /// Fits a station to its configuration and the medium's, with another MAC if that is another.
    fn refit(&mut self, id: StationId, config: StationConfig, has_other_mac: bool) {
        let Some(station) = &mut self.stations[id.index()] else { return };
        self.field.refit(id, &config);
        let queue = config.queue.as_ref().unwrap_or(&self.config.queue);
        station.desk.configure(self.now, queue, config.rate.unwrap_or(self.timing.highest()));
        station.config = config;
        if has_other_mac {
            let member = member(&self.stations, id);
            let Some(station) = &mut self.stations[id.index()] else { return };
            station.mac = self.config.mac.build(&self.timing, &station.config, member);
            self.call(id, |mac, io| mac.restart(io));
        }
    }

    /// Makes a station follow another trajectory. No air log holds it.
    pub fn follow(&mut self, now: Time, id: StationId, moves: Trajectory) {
        self.run(now);
        if let Some(trajectory) = self.field.trajectory_mut(id) {
            *trajectory = moves;
            self.field.moved(self.now, id);
            self.forget_hearers();
        }
    }

    fn redirect(&mut self, id: StationId, movement: &Movement) {
        let now = self.now;
        let point = |[x, y, z]: [f64; 3]| Point::new(x, y, z);
        if let Some(trajectory) = self.field.trajectory_mut(id) {
            match movement {
                Movement::Place(at) => trajectory.place(now, point(*at)),
                Movement::Go(to, speed) => trajectory.redirect(now, point(*to), *speed),
            }
            self.field.moved(now, id);
        }
    }

    /// What a station has done and met. `None` if there is no such station.
    pub fn counters(&self, id: StationId) -> Option<&StationCounters> {
        self.station(id).map(|station| &station.desk.counters)
    }

    /// Frames that wait at a station, with the one that it serves.
    pub fn queued(&self, id: StationId) -> u64 {
        let Some(station) = self.station(id) else { return 0 };
        station.desk.waiting() + u64::from(station.desk.head().is_some())
    }

    /// Frames at a station that have not left it: those that wait, and the one that is served
    /// unless it has arrived already.
    pub fn unsent(&self, id: StationId) -> u64 {
        let Some(station) = self.station(id) else { return 0 };
        station.desk.waiting() + u64::from(station.desk.has_frame())
    }

    /// The contention window from which a station draws its next backoff.
    pub fn window(&self, id: StationId) -> u32 {
        self.station(id).map_or(0, |station| station.mac.window())
    }

    /// Frames that are on the air for the last time and have left their stations.
    pub fn on_the_air(&self) -> usize {
        self.air.iter().filter(|transmission| transmission.frame.is_some()).count()
    }

    fn station(&self, id: StationId) -> Option<&Station<F>> {
        self.stations.get(id.index())?.as_ref()
    }

    fn forget_hearers(&mut self) {
        for station in self.stations.iter_mut().flatten() {
            station.hearers = None;
        }
    }

    /// Switches a radio on or off.
    fn switch(&mut self, id: StationId, on: bool) {
        let Some(station) = self.stations.get_mut(id.index()).and_then(Option::as_mut) else {
            return;
        };
        if station.radio.is_on() == on {
            return;
        }
        station.config.off = !on;
        if on {
            station.radio.switch(true);
            self.call(id, |mac, io| mac.restart(io));
        } else {
            self.silence(id);
            let now = self.now;
            if let Some(station) = &mut self.stations[id.index()] {
                station.desk.empty(now, id, FrameLoss::Down, &mut self.outlet);
            }
        }
    }

    /// Cuts off what a station does; its radio is off.
    fn silence(&mut self, id: StationId) {
        (0..Timer::PLACES).for_each(|place| self.timers.clear(id.0 * Timer::PLACES + place));
        let Some(station) = &mut self.stations[id.index()] else { return };
        station.radio.switch(false);
        if let Some(slot) = station.sending.take() {
            self.cut(slot);
        }
    }

    /// Ends a transmission at `at`, since it has collided; its frame goes back to its station.
    fn collide(&mut self, slot: u32, at: Time) {
        let Some(transmission) = self.air.get_mut(slot) else { return };
        transmission.end = at;
        transmission.cut = Some(FrameLoss::Collision);
        let order = transmission.order;
        if let (Some(frame), Some(sender)) =
            (transmission.frame.take(), &mut self.stations[transmission.sender.index()])
        {
            sender.desk.put_back(frame);
        }
        self.ends.set(2 * slot, (at, rank(phase::END, order)));
        self.plan(slot, Stage::Ends);
    }

    /// Ends a transmission now: nobody receives it.
    fn cut(&mut self, slot: u32) {
        let now = self.now;
        let Some(transmission) = self.air.get_mut(slot) else { return };
        transmission.end = now;
        transmission.cut = Some(FrameLoss::Down);
        transmission.is_sent = true;
        self.ends.clear(2 * slot);
        self.plan(slot, Stage::Ends);
        self.free_if_over(slot);
    }

    /// Lets everything happen that is due at `now` or before.
    fn run(&mut self, now: Time) {
        while let Some((at, event)) = self.next_event()
            && at <= now
        {
            self.now = at;
            match event {
                Event::Sent(slot) => self.sent(slot),
                Event::Stage(slot, stage) => self.stage(slot, stage),
                Event::Timer(id, place) => self.timer(id, place),
            }
        }
        self.now = self.now.max(now);
    }

    fn next_event(&self) -> Option<(Time, Event)> {
        let (end, signal, timer) = (self.ends.first(), self.signals.first(), self.timers.first());
        let due = |first: Option<(Due, u32)>| first.map(|(due, _)| due);
        let first = [due(end), due(signal), due(timer)].into_iter().flatten().min()?;
        let event = if due(end) == Some(first) {
            let key = end?.1;
            if key % 2 == 0 { Event::Sent(key / 2) } else { Event::Stage(key / 2, Stage::Ends) }
        } else if due(signal) == Some(first) {
            let key = signal?.1;
            let stage = if key % 2 == 0 { Stage::Arrives } else { Stage::Sensed };
            Event::Stage(key / 2, stage)
        } else {
            let key = timer?.1;
            Event::Timer(StationId(key / Timer::PLACES), key % Timer::PLACES)
        };
        Some((first.0, event))
    }

    fn timer(&mut self, id: StationId, place: u32) {
        self.timers.clear(id.0 * Timer::PLACES + place);
        if place != GATE {
            let station = self.station(id);
            if station.is_some_and(|station| station.mac.asks_for_snr()) {
                // The MAC finds them as they are now.
                self.hearers(id);
            }
            self.call(id, |mac, io| mac.due(io, Timer::at(place)));
            return;
        }
        let now = self.now;
        let station = self.stations[id.index()].as_mut();
        if station.is_some_and(|station| station.desk.next(now, id, &mut self.outlet)) {
            self.call(id, |mac, io| mac.queued(io));
        }
        self.watch_gate(id);
    }

    /// Looks when a queue lets a frame go that it holds back.
    fn watch_gate(&mut self, id: StationId) {
        let Some(station) = &self.stations[id.index()] else { return };
        if let Some(opens) = station.desk.opens() {
            let due = (opens.max(self.now), rank(phase::START, u64::from(id.0)));
            self.timers.set(id.0 * Timer::PLACES + GATE, due);
        }
    }

    /// Calls a station's MAC, and begins to send what it wants to.
    #[inline]
    fn call(&mut self, id: StationId, act: impl FnOnce(&mut dyn MacState<F>, &mut Io<'_, F>)) {
        let Some(station) = &mut self.stations[id.index()] else { return };
        if !station.radio.is_on() {
            return;
        }
        let mut wish = Wish::default();
        let hearers = station.hearers.as_ref().map_or(&[][..], |(hearers, _)| hearers);
        let mut io = Io {
            now: self.now,
            me: id,
            timing: &self.timing,
            radio: &station.radio,
            desk: &mut station.desk,
            stream: &mut station.stream,
            timers: &mut self.timers,
            outlet: &mut self.outlet,
            wish: &mut wish,
            hearers,
            noise: self.rules.noise,
        };
        act(&mut *station.mac, &mut io);
        let sending = station.sending;
        if let Some(ppdu) = wish.send {
            self.send(id, ppdu);
        }
        if let (Some(at), Some(slot)) = (wish.cut, sending) {
            self.collide(slot, at);
        }
    }

    /// A station begins to send.
    fn send(&mut self, id: StationId, ppdu: Ppdu) {
        let hearers = self.hearers(id);
        let Some(station) = &mut self.stations[id.index()] else { return };
        station.radio.begin_sending();
        let carried = station
            .desk
            .head()
            .filter(|_| ppdu.carries != Carries::Nothing)
            .map(|head| Carried { number: head.number, info: head.info, offered: head.offered });
        let frame = match (ppdu.carries, carried) {
            (Carries::Leaves, Some(carried)) => station.desk.take_frame(carried.number),
            _ => None,
        };
        let number = station.sent;
        station.sent += 1;
        let header = self.timing.header(ppdu.rate);
        let payload = self.timing.payload(ppdu.bytes, ppdu.rate);
        let slot = self.air.add(Transmission {
            order: self.order,
            sender: id,
            number,
            ppdu,
            start: self.now,
            end: self.now + ppdu.airtime,
            header,
            bits: Bits {
                header_end: self.now,
                header_rate: self.timing.lowest(),
                rate: ppdu.rate,
                density: f64::from(ppdu.bytes) * 8.0 / payload.as_nanos() as f64,
            },
            hearers,
            passed: [0; 3],
            is_sent: false,
            cut: None,
            carried,
            frame,
            loss: FrameLoss::Weak,
        });
        station.sending = Some(slot);
        let asked = station.desk.head().filter(|_| ppdu.attempt > 0);
        let frame = asked.map(|head| head.number);
        self.outlet.note(self.now, || {
            AirOccurrence::Sent(SentRecord {
                station: id,
                kind: ppdu.kind,
                to: ppdu.to,
                number,
                frame,
                bytes: ppdu.bytes,
                rate: ppdu.rate,
                airtime: ppdu.airtime,
                attempt: ppdu.attempt,
                window: ppdu.window,
                slots: ppdu.slots,
            })
        });
        let end = (self.now + ppdu.airtime, rank(phase::END, self.order));
        self.order += 1;
        let keys = 2 * self.air.slots();
        self.ends.grow(keys);
        self.signals.grow(keys);
        self.ends.set(2 * slot, end);
        for stage in [Stage::Arrives, Stage::Sensed, Stage::Ends] {
            self.plan(slot, stage);
        }
    }

    /// Who hears a station that begins to send now.
    fn hearers(&mut self, id: StationId) -> Arc<[Hearer]> {
        let now = self.now;
        let known = self.station(id).and_then(|station| station.hearers.as_ref());
        if let Some((hearers, until)) = known
            && now < *until
        {
            return hearers.clone();
        }
        self.paths.clear();
        let until = self.field.paths(now, id, &mut self.paths);
        self.paths.sort_unstable_by_key(|path| (path.delay, path.to));
        let hearers: Arc<[Hearer]> = self
            .paths
            .iter()
            .map(|path| Hearer {
                station: path.to,
                delay: path.delay,
                power: milliwatts(path.power),
                distance: path.distance,
                can_decode: path.can_decode,
                channel: path.channel,
            })
            .collect();
        if let Some(station) = &mut self.stations[id.index()] {
            station.hearers = Some((hearers.clone(), until));
        }
        hearers
    }

    /// Plans when the next hearers of a transmission come to a stage.
    fn plan(&mut self, slot: u32, stage: Stage) {
        let Some(transmission) = self.air.get(slot) else { return };
        let (agenda, key, phase) = match stage {
            Stage::Arrives => (&mut self.signals, 2 * slot, phase::ARRIVE),
            Stage::Sensed => (&mut self.signals, 2 * slot + 1, phase::SENSE),
            Stage::Ends => (&mut self.ends, 2 * slot + 1, phase::END),
        };
        match transmission.next(stage, self.timing.cca) {
            Some(at) => agenda.set(key, (at, rank(phase, transmission.order))),
            None => agenda.clear(key),
        }
    }

    /// A station has sent what it sent.
    fn sent(&mut self, slot: u32) {
        self.ends.clear(2 * slot);
        let Some(transmission) = self.air.get_mut(slot) else { return };
        transmission.is_sent = true;
        let (sender, kind) = (transmission.sender, transmission.ppdu.kind);
        let airtime = transmission.end.since(transmission.start);
        if let Some(station) = &mut self.stations[sender.index()] {
            station.radio.end_sending();
            station.sending = None;
            station.desk.counters.airtime += airtime.as_nanos();
        }
        self.call(sender, |mac, io| mac.sent(io, kind));
        self.watch_gate(sender);
        self.free_if_over(slot);
    }

    /// The next hearers of a transmission come to a stage.
    fn stage(&mut self, slot: u32, stage: Stage) {
        let Some(transmission) = self.air.get_mut(slot) else { return };
        let together = transmission.pass(stage);
        let hearers = transmission.hearers.clone();
        self.plan(slot, stage);
        for hearer in &hearers[together] {
            match stage {
                Stage::Arrives => self.arrives(slot, hearer),
                Stage::Sensed => self.sensed(slot, hearer.station),
                Stage::Ends => self.ends(slot, hearer),
            }
        }
        if stage == Stage::Ends {
            self.free_if_over(slot);
        }
    }

    fn arrives(&mut self, slot: u32, hearer: &Hearer) {
        let Some(transmission) = self.air.get(slot) else { return };
        let place = self.stations.get_mut(hearer.station.index());
        let Some(station) = place.and_then(Option::as_mut) else { return };
        if !station.radio.is_on() {
            return;
        }
        let bits = Bits { header_end: self.now + transmission.header, ..transmission.bits };
        let (sender, number) = (transmission.sender.0, transmission.number);
        let mut draw = self.draws.many(Purpose::Fading, sender, number, hearer.station.0);
        let power = hearer.power * self.field.fading(hearer.distance, &mut draw);
        station.radio.arrive(self.now, slot, hearer, power, bits, &self.rules);
        self.call(hearer.station, |mac, io| mac.arriving(io));
    }

    fn sensed(&mut self, slot: u32, id: StationId) {
        let Some(station) = self.stations.get_mut(id.index()).and_then(Option::as_mut) else {
            return;
        };
        if station.radio.sense(self.now, slot, &self.rules) && !station.radio.is_sending() {
            self.call(id, |mac, io| mac.busy(io));
        }
    }

    /// A signal ends at a hearer.
    fn ends(&mut self, slot: u32, hearer: &Hearer) {
        let (now, id) = (self.now, hearer.station);
        let Some(transmission) = self.air.get(slot) else { return };
        let Some(station) = self.stations.get_mut(id.index()).and_then(Option::as_mut) else {
            return;
        };
        let busy = &mut station.desk.counters.busy;
        let (sender, number) = (transmission.sender.0, transmission.number);
        let draw = || self.draws.uniform(Purpose::Reception, sender, number, id.0);
        let outcome = match station.radio.end(now, slot, &self.rules, busy, draw) {
            Some(mut outcome) => {
                outcome.loss = transmission.cut.or(outcome.loss);
                if outcome.loss.is_none() && hearer.channel != Channel::default() {
                    let lost = hearer.channel.loses(transmission.ppdu.bytes);
                    let drawn = self.draws.uniform(Purpose::Channel, sender, number, id.0);
                    outcome.loss = (drawn < lost).then_some(FrameLoss::Noise);
                }
                outcome
            }
            None => Outcome { loss: Some(FrameLoss::Down), was_received: false, went_idle: false },
        };
        if outcome.was_received && outcome.loss == Some(FrameLoss::Collision) {
            station.desk.counters.collisions += 1;
        }
        self.outlet.note(now, || AirOccurrence::Heard {
            sender: StationId(sender),
            number,
            station: id,
            loss: outcome.loss,
        });
        let ppdu = transmission.ppdu;
        let is_sending = station.radio.is_sending();
        if ppdu.kind == Kind::Data && ppdu.to.includes(id) {
            match outcome.loss {
                None => self.deliver(slot, id),
                Some(loss) => self.miss(slot, id, loss),
            }
        }
        if is_sending {
            return;
        }
        let Ppdu { kind, to, rate, nav, .. } = ppdu;
        let heard = Heard { kind, from: StationId(sender), to, rate, nav };
        let reception = match outcome {
            Outcome { loss: None, was_received: true, .. } => Some(Ok(heard)),
            Outcome { was_received: true, .. } => Some(Err(Garbled)),
            Outcome { .. } => None,
        };
        if reception.is_some() || outcome.went_idle {
            let ended = Ended { reception, went_idle: outcome.went_idle };
            self.call(id, |mac, io| mac.ended(io, ended));
        }
    }

    /// A station that a frame is for has received it.
    fn deliver(&mut self, slot: u32, id: StationId) {
        let Some(transmission) = self.air.get_mut(slot) else { return };
        let (from, to) = (transmission.sender, transmission.ppdu.to);
        let Some(Carried { number, info, offered }) = transmission.carried else { return };
        let is_last = transmission.passed[Stage::Ends as usize] == transmission.hearers.len();
        let frame = match (&transmission.frame, to) {
            (Some(frame), Receiver::All) if !is_last => Some(frame.duplicate()),
            (Some(_), _) => transmission.frame.take(),
            (None, _) => {
                let sender = self.stations.get_mut(from.index()).and_then(Option::as_mut);
                sender.and_then(|sender| sender.desk.take_frame(number))
            }
        };
        // Nothing is left of a frame that has arrived before: it is only acknowledged once more.
        let Some(frame) = frame else { return };
        if let Some(station) = &mut self.stations[id.index()] {
            station.desk.counters.received.add(&info);
        }
        let release = self.now;
        let reception = Reception { frame, info, from, number, station: id, offered, release };
        self.outlet.receptions.push_back(reception);
    }

    /// A station that a frame is for has not received it.
    fn miss(&mut self, slot: u32, id: StationId, loss: FrameLoss) {
        let Some(transmission) = self.air.get_mut(slot) else { return };
        transmission.loss = loss;
        let Some(carried) = transmission.carried else { return };
        if let Some(station) = &mut self.stations[id.index()] {
            station.desk.counters.missed.count(loss, carried.info);
        }
    }

    /// Takes a transmission off the air that is over.
    fn free_if_over(&mut self, slot: u32) {
        if !self.air.get(slot).is_some_and(Transmission::is_over) {
            return;
        }
        self.ends.clear(2 * slot + 1);
        self.signals.clear(2 * slot);
        self.signals.clear(2 * slot + 1);
        let Some(transmission) = self.air.remove(slot) else { return };
        let (Some(frame), Some(carried)) = (transmission.frame, transmission.carried) else {
            return;
        };
        if transmission.ppdu.to == Receiver::All {
            self.outlet.spent.push_back(frame);
            return;
        }
        let Carried { number, info, offered } = carried;
        let (from, reason, at) = (transmission.sender, transmission.loss, self.now);
        if let Some(station) = &mut self.stations[from.index()] {
            station.desk.counters.drops.count(reason, info);
        }
        self.outlet.drop(Dropped { frame, info, from, number, offered, reason, at });
    }
}

/// The place of a station among all.
fn member<F>(stations: &[Option<Station<F>>], id: StationId) -> Member {
    let count = |stations: &[Option<Station<F>>]| stations.iter().flatten().count() as u32;
    Member { rank: count(&stations[..id.index()]), count: count(stations) }
}
