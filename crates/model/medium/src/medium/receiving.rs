//! Signals at their hearers: they arrive, are sensed, and end.

use netloom_link::Frame;

use super::Medium;
use crate::air::{Carried, Hearer, Stage};
use crate::counters::FrameLoss;
use crate::desk::Reception;
use crate::draw::Purpose;
use crate::field::Channel;
use crate::log::AirOccurrence;
use crate::mac::{Ended, Garbled, Kind, Ppdu, ReceivedFrame};
use crate::radio::ReceptionOutcome;
use crate::rules::Bits;
use crate::{Receiver, StationId};

impl<F: Frame> Medium<F> {
    /// Processes the next hearers of a transmission that come to a stage.
    pub(super) fn stage(&mut self, slot: u32, stage: Stage) {
        let Some(transmission) = self.air.get_mut(slot) else { return };
        let together = transmission.pass(stage);
        let count = transmission.hearers.len();
        self.plan(slot, stage);
        for place in together {
            // No transmission leaves the air meanwhile.
            let transmission = self.air.get(slot);
            let hearer = transmission.and_then(|on_air| on_air.hearers.get(place).copied());
            let Some(hearer) = hearer else { return };
            match stage {
                // It was cut off at the moment at which it began.
                Stage::Arrives if self.has_ended(slot, place) => {}
                Stage::Arrives => self.arrives(slot, &hearer),
                Stage::Sensed => self.sensed(slot, hearer.station),
                Stage::Ends => self.ends(slot, &hearer, place + 1 == count),
            }
        }
        if stage == Stage::Ends {
            self.free_if_over(slot);
        }
    }

    /// Returns whether a transmission has ended at the hearer with this index.
    fn has_ended(&self, slot: u32, place: usize) -> bool {
        let transmission = self.air.get(slot);
        transmission.is_none_or(|transmission| place < transmission.passed[Stage::Ends as usize])
    }

    pub(super) fn arrives(&mut self, slot: u32, hearer: &Hearer) {
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

    pub(super) fn sensed(&mut self, slot: u32, id: StationId) {
        let Some(station) = self.stations.get_mut(id.index()).and_then(Option::as_mut) else {
            return;
        };
        if station.radio.sense(self.now, slot, &self.rules) && !station.radio.is_sending() {
            self.call(id, |mac, io| mac.busy(io));
        }
    }

    /// Ends a signal at a hearer, which is the last one if `is_last`.
    pub(super) fn ends(&mut self, slot: u32, hearer: &Hearer, is_last: bool) {
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
            None => ReceptionOutcome {
                loss: Some(FrameLoss::Down),
                was_received: false,
                went_idle: false,
            },
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
        let is_sending = station.radio.is_sending();
        let to = self.taken_as(id, StationId(sender), transmission.ppdu.to);
        let ppdu = Ppdu { to, ..transmission.ppdu };
        let is_meant = ppdu.to.includes(id);
        if let Some(sniffed) = self.air.get_mut(slot).and_then(|it| it.sniffed.as_mut()) {
            sniffed.is_damaged |= is_meant && outcome.loss == Some(FrameLoss::Collision);
        }
        if ppdu.kind == Kind::Data && ppdu.to.includes(id) {
            match outcome.loss {
                None => self.deliver(slot, id, is_last),
                Some(loss) => self.miss(slot, id, loss),
            }
        }
        if is_sending {
            return;
        }
        let Ppdu { kind, to, rate, nav, .. } = ppdu;
        let received = ReceivedFrame { kind, from: StationId(sender), to, rate, nav };
        let reception = match outcome {
            ReceptionOutcome { loss: None, was_received: true, .. } => Some(Ok(received)),
            ReceptionOutcome { was_received: true, .. } => Some(Err(Garbled)),
            ReceptionOutcome { .. } => None,
        };
        if reception.is_some() || outcome.went_idle {
            let ended = Ended { reception, went_idle: outcome.went_idle };
            self.call(id, |mac, io| mac.ended(io, ended));
        }
    }

    /// Delivers a frame to a station that is one of its receivers. All but the last hearer of a
    /// broadcast get copies.
    pub(super) fn deliver(&mut self, slot: u32, id: StationId, is_last: bool) {
        let Some(transmission) = self.air.get_mut(slot) else { return };
        let (from, to) = (transmission.sender, transmission.ppdu.to);
        let Some(Carried { number, info, offered }) = transmission.carried else { return };
        let frame = match (&transmission.frame, to) {
            (Some(frame), Receiver::All) if !is_last => Some(frame.duplicate()),
            (Some(_), _) => transmission.frame.take(),
            (None, _) => {
                let sender = self.stations.get_mut(from.index()).and_then(Option::as_mut);
                sender.and_then(|sender| sender.desk.take_frame(number))
            }
        };
        // A frame that has arrived before is only acknowledged again.
        let Some(frame) = frame else { return };
        if let Some(station) = &mut self.stations[id.index()] {
            station.desk.counters.received.add(&info);
        }
        let release = self.now;
        let reception = Reception { frame, info, from, number, station: id, offered, release };
        self.outlet.receptions.push_back(reception);
    }

    /// Records that a receiver of a frame has lost it.
    pub(super) fn miss(&mut self, slot: u32, id: StationId, loss: FrameLoss) {
        let Some(transmission) = self.air.get_mut(slot) else { return };
        transmission.loss = loss;
        let Some(carried) = transmission.carried else { return };
        if let Some(station) = &mut self.stations[id.index()] {
            station.desk.counters.missed.count(loss, carried.info);
        }
    }
}
