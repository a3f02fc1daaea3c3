//! Transmissions: their beginnings, their hearers, and their ends.

use std::sync::Arc;

use netloom_link::Frame;
use netloom_radio::milliwatts;
use netloom_units::Time;

use super::Medium;
use crate::air::{Carried, Hearer, Stage, Transmission};
use crate::counters::FrameLoss;
use crate::desk::{Dropped, Sniffed};
use crate::log::{AirOccurrence, SentRecord};
use crate::mac::phase::{self, rank};
use crate::mac::{Carries, Ppdu};
use crate::rules::Bits;
use crate::{Receiver, StationId};

impl<F: Frame> Medium<F> {
    /// Ends a transmission at `at` because it has collided. Its frame goes back to its station.
    pub(super) fn collide(&mut self, slot: u32, at: Time) {
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

    /// Ends a transmission now. Nobody receives it.
    pub(super) fn cut(&mut self, slot: u32) {
        let now = self.now;
        let Some(transmission) = self.air.get_mut(slot) else { return };
        transmission.end = now;
        transmission.cut = Some(FrameLoss::Down);
        transmission.is_sent = true;
        self.ends.clear(2 * slot);
        self.plan(slot, Stage::Ends);
        self.free_if_over(slot);
    }

    /// Begins a transmission of a station.
    pub(super) fn send(&mut self, id: StationId, ppdu: Ppdu) {
        let hearers = self.hearers(id);
        let Some(station) = &mut self.stations[id.index()] else { return };
        station.radio.begin_sending();
        let carried = station
            .desk
            .head()
            .filter(|head| ppdu.carries != Carries::Nothing && !head.is_beacon)
            .map(|head| Carried { number: head.number, info: head.info, offered: head.offered });
        let frame = match (ppdu.carries, carried) {
            (Carries::Leaves, Some(carried)) => station.desk.take_frame(carried.number),
            _ => None,
        };
        let number = station.sent;
        station.sent += 1;
        let asked = station.desk.head().filter(|head| ppdu.attempt > 0 && !head.is_beacon);
        let sent = SentRecord {
            station: id,
            kind: ppdu.kind,
            to: ppdu.to,
            number,
            frame: asked.map(|head| head.number),
            bytes: ppdu.bytes,
            rate: ppdu.rate,
            airtime: ppdu.airtime,
            attempt: ppdu.attempt,
            window: ppdu.window,
            slots: ppdu.slots,
        };
        let sniffed = self.outlet.sniffed.is_some().then(|| {
            let copy = match &frame {
                Some(frame) => Some(frame.duplicate()),
                None => carried.and_then(|_| station.desk.copy_frame()),
            };
            let (at, nav) = (self.now, ppdu.nav);
            Box::new(Sniffed { at, sent, nav, frame: copy, is_damaged: false })
        });
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
                header: self.rules.coding(self.timing.lowest()),
                header_density: self.timing.lowest().bits_per_second() as f64 / 1e9,
                payload: self.rules.coding(ppdu.rate),
                density: f64::from(ppdu.bytes) * 8.0 / payload.as_nanos() as f64,
            },
            hearers,
            passed: [0; 3],
            is_sent: false,
            cut: None,
            carried,
            frame,
            loss: FrameLoss::Weak,
            sniffed,
        });
        station.sending = Some(slot);
        self.outlet.note(self.now, || AirOccurrence::Sent(sent));
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

    /// Returns the hearers of a station that begins to send now.
    pub(super) fn hearers(&mut self, id: StationId) -> Arc<[Hearer]> {
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

    /// Plans the time at which the next hearers of a transmission come to a stage.
    pub(super) fn plan(&mut self, slot: u32, stage: Stage) {
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

    /// Ends the transmission of a station at the sender.
    pub(super) fn sent(&mut self, slot: u32) {
        self.ends.clear(2 * slot);
        let Some(transmission) = self.air.get_mut(slot) else { return };
        transmission.is_sent = true;
        let (sender, kind) = (transmission.sender, transmission.ppdu.kind);
        let airtime = transmission.end.since(transmission.start);
        if let Some(station) = &mut self.stations[sender.index()] {
            station.radio.end_sending();
            station.sending = None;
            station.desk.counters.airtime += airtime.as_nanos();
            station.desk.counters.airtime_by_kind[kind as usize] += airtime.as_nanos();
        }
        self.call(sender, |mac, io| mac.sent(io, kind));
        self.watch_gate(sender);
        self.free_if_over(slot);
    }

    /// Frees the slot of a transmission that is over.
    pub(super) fn free_if_over(&mut self, slot: u32) {
        if !self.air.get(slot).is_some_and(Transmission::is_over) {
            return;
        }
        self.ends.clear(2 * slot + 1);
        self.signals.clear(2 * slot);
        self.signals.clear(2 * slot + 1);
        let Some(mut transmission) = self.air.remove(slot) else { return };
        if let (Some(mut sniffed), Some(out)) =
            (transmission.sniffed.take(), &mut self.outlet.sniffed)
        {
            sniffed.is_damaged |= transmission.cut.is_some();
            out.push_back(*sniffed);
        }
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
