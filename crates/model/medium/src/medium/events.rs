//! Processes due events in the order of time, and calls the MACs of the stations.

use netloom_link::Frame;
use netloom_units::Time;

use super::{Event, Medium};
use crate::StationId;
use crate::agenda::Due;
use crate::air::Stage;
use crate::mac::phase::{self, rank};
use crate::mac::{GATE, Io, MacState, Timer, Wish};

impl<F: Frame> Medium<F> {
    /// Processes all events that are due at `now` or before.
    pub(super) fn run(&mut self, now: Time) {
        while let Some((at, event)) = self.next_event()
            && at <= now
        {
            self.look_until(at);
            self.now = at;
            match event {
                Event::Sent(slot) => self.sent(slot),
                Event::Stage(slot, stage) => self.stage(slot, stage),
                Event::Timer(id, place) => self.timer(id, place),
                Event::Coming(key) => self.come(key),
            }
        }
        self.now = self.now.max(now);
        self.look_until(self.now);
    }

    pub(super) fn next_event(&self) -> Option<(Time, Event)> {
        let (end, signal, timer) = (self.ends.first(), self.signals.first(), self.timers.first());
        let due = |first: Option<(Due, u32)>| first.map(|(due, _)| due);
        let coming = self.next_coming();
        let dues = [due(end), due(signal), due(timer), due(coming)];
        let first = dues.into_iter().flatten().min()?;
        let event = if due(end) == Some(first) {
            let key = end?.1;
            if key % 2 == 0 { Event::Sent(key / 2) } else { Event::Stage(key / 2, Stage::Ends) }
        } else if due(signal) == Some(first) {
            let key = signal?.1;
            let stage = if key % 2 == 0 { Stage::Arrives } else { Stage::Sensed };
            Event::Stage(key / 2, stage)
        } else if due(timer) == Some(first) {
            let key = timer?.1;
            Event::Timer(StationId(key / Timer::PLACES), key % Timer::PLACES)
        } else {
            Event::Coming(coming?.1)
        };
        Some((first.0, event))
    }

    pub(super) fn timer(&mut self, id: StationId, place: u32) {
        self.timers.clear(id.0 * Timer::PLACES + place);
        if place != GATE {
            let station = self.station(id);
            if station.is_some_and(|station| station.mac.asks_for_snr()) {
                // The MAC reads the current hearers.
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

    /// Plans the time at which a queue releases the frame that it holds back.
    pub(super) fn watch_gate(&mut self, id: StationId) {
        let Some(station) = &self.stations[id.index()] else { return };
        if let Some(opens) = station.desk.opens() {
            let due = (opens.max(self.now), rank(phase::START, u64::from(id.0)));
            self.timers.set(id.0 * Timer::PLACES + GATE, due);
        }
    }

    /// Calls a station's MAC, and begins the transmission that the MAC requests.
    #[inline]
    pub(super) fn call(
        &mut self,
        id: StationId,
        act: impl FnOnce(&mut dyn MacState<F>, &mut Io<'_, F>),
    ) {
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
}
