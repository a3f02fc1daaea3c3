//! The radio of a station: selects the signal that it receives, and senses carriers.

use netloom_units::Time;

use crate::air::Hearer;
use crate::counters::FrameLoss;
use crate::rules::{Bits, Captures, Judgement, Rules};

/// A signal that reaches a station now.
#[derive(Debug, Clone, Copy)]
struct Signal {
    /// Slot of the transmission.
    slot: u32,
    /// Power in mW.
    power: f64,
    can_decode: bool,
    is_carrier: bool,
    /// Whether it makes the medium busy.
    sensed: bool,
    /// Reason for which this station loses it, if it is not being received.
    fate: Option<FrameLoss>,
}

/// The signal that is being received.
#[derive(Debug, Clone, Copy)]
struct Lock {
    slot: u32,
    power: f64,
    bits: Bits,
    judgement: Judgement,
}

/// ReceptionOutcome of a signal at its end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReceptionOutcome {
    /// Reason for the loss, if it was not received.
    pub loss: Option<FrameLoss>,
    /// Whether the station was receiving it, or would have been if it could have decoded it.
    pub was_received: bool,
    /// Whether the medium is idle now and was not before.
    pub went_idle: bool,
}

/// The radio of one station.
#[derive(Debug, Default)]
pub(crate) struct Radio {
    is_on: bool,
    is_sending: bool,
    signals: Vec<Signal>,
    lock: Option<Lock>,
    /// Number of signals that make the medium busy by themselves.
    carriers: u32,
    /// Whether the sum of all signals makes the medium busy.
    has_energy: bool,
    /// Whether the radio receives all present signals, whatever else is on the air.
    is_undisturbed: bool,
    /// Time since which the medium is busy.
    busy_since: Option<Time>,
}

impl Radio {
    pub fn is_on(&self) -> bool {
        self.is_on
    }

    /// Returns whether others make the medium busy.
    #[inline]
    pub fn is_busy(&self) -> bool {
        self.carriers > 0 || self.has_energy
    }

    #[inline]
    pub fn is_sending(&self) -> bool {
        self.is_sending
    }

    /// Returns whether a signal is being received.
    #[inline]
    pub fn is_locked(&self) -> bool {
        self.lock.is_some() || (self.is_undisturbed && !self.signals.is_empty())
    }

    /// Switches the radio on or off. Signals that reach it at that time are lost.
    pub fn switch(&mut self, on: bool) {
        *self = Self { is_on: on, ..Self::default() };
    }

    /// Begins to send. The signal that it was receiving is lost.
    pub fn begin_sending(&mut self) {
        self.is_sending = true;
        if let Some(lock) = self.lock.take() {
            self.lose(lock.slot, FrameLoss::Busy);
        }
    }

    pub fn end_sending(&mut self) {
        self.is_sending = false;
    }

    fn lose(&mut self, slot: u32, loss: FrameLoss) {
        if let Some(signal) = self.signals.iter_mut().find(|signal| signal.slot == slot) {
            signal.fate = Some(loss);
        }
    }

    /// Returns the power of all signals but one, in mW.
    fn interference(&self, but: u32) -> f64 {
        let others = self.signals.iter().filter(|signal| signal.slot != but);
        others.map(|signal| signal.power).sum()
    }

    /// Begins the arrival of the signal of the transmission at `slot` with `power`.
    pub fn arrive(
        &mut self,
        now: Time,
        slot: u32,
        hearer: &Hearer,
        power: f64,
        bits: Bits,
        rules: &Rules,
    ) {
        let can_decode = hearer.can_decode && power >= rules.sensitivity;
        let is_carrier = power >= rules.carrier_threshold;
        let fate = if self.is_sending || self.lock.is_some() {
            Some(FrameLoss::Busy)
        } else {
            Some(FrameLoss::Weak)
        };
        let signal = Signal { slot, power, can_decode, is_carrier, sensed: false, fate };
        if !rules.has_contention || !rules.disturbs {
            self.is_undisturbed = true;
            let fate = (!can_decode).then_some(FrameLoss::Weak);
            self.signals.push(Signal { fate, ..signal });
            return;
        }
        let new = Lock { slot, power, bits, judgement: Judgement::new(now, can_decode) };
        // A radio that locks onto every signal that it senses is not free while any signal is
        // present.
        let may_lock = match rules.lock_any {
            true => is_carrier && self.signals.is_empty(),
            false => can_decode,
        };
        let before = self.interference(slot);
        self.signals.push(signal);
        match &mut self.lock {
            _ if self.is_sending => {}
            None if may_lock => self.lock_onto(new, before, rules),
            None => {}
            Some(lock) => {
                let captures = match rules.captures {
                    Captures::Never => false,
                    Captures::InPreamble => now < lock.bits.header_end,
                    Captures::Always => true,
                };
                if captures && can_decode && power >= rules.margin * lock.power {
                    let lost = lock.slot;
                    self.lose(lost, FrameLoss::Collision);
                    self.lock_onto(new, before, rules);
                } else {
                    let interference = before - lock.power + power;
                    let signal = (lock.power, &lock.bits);
                    lock.judgement.interfere(now, signal, interference, rules);
                }
            }
        }
    }

    /// Begins to receive a signal among `interference`.
    fn lock_onto(&mut self, mut lock: Lock, interference: f64, rules: &Rules) {
        if lock.judgement.begin(lock.power, interference, rules) {
            self.lock = Some(lock);
        } else {
            self.lock = None;
            self.lose(lock.slot, FrameLoss::Collision);
        }
    }

    /// Marks a signal as sensed, once it has been present long enough. Returns whether the medium
    /// is busy now and was not before.
    pub fn sense(&mut self, now: Time, slot: u32, rules: &Rules) -> bool {
        let was_busy = self.is_busy();
        let locked = self.lock.is_some_and(|lock| lock.slot == slot);
        let Some(signal) = self.signals.iter_mut().find(|signal| signal.slot == slot) else {
            return false;
        };
        signal.sensed = true;
        if signal.is_carrier || locked {
            signal.is_carrier = true;
            self.carriers += 1;
        } else {
            self.has_energy = self.energy() >= rules.energy_threshold;
        }
        let went_busy = !was_busy && self.is_busy();
        if went_busy {
            self.busy_since = Some(now);
        }
        went_busy
    }

    fn energy(&self) -> f64 {
        self.signals.iter().filter(|signal| signal.sensed).map(|signal| signal.power).sum()
    }

    /// Ends a signal. Returns `None` if the radio was off when it began. Adds the time that the
    /// medium was busy to `busy`. Calls `draw` where chance decides.
    pub fn end(
        &mut self,
        now: Time,
        slot: u32,
        rules: &Rules,
        busy: &mut u64,
        draw: impl FnOnce() -> f64,
    ) -> Option<ReceptionOutcome> {
        let place = self.signals.iter().position(|signal| signal.slot == slot)?;
        let was_busy = self.is_busy();
        let signal = self.signals.swap_remove(place);
        if signal.sensed {
            if signal.is_carrier {
                self.carriers -= 1;
            }
            self.has_energy = self.has_energy && self.energy() >= rules.energy_threshold;
        }
        let went_idle = was_busy && !self.is_busy();
        if went_idle && let Some(since) = self.busy_since.take() {
            *busy += now.since(since).as_nanos();
        }
        let received = self.lock.take_if(|lock| lock.slot == slot);
        if let Some(lock) = &mut self.lock {
            let others = self.signals.iter().filter(|signal| signal.slot != lock.slot);
            let interference = others.map(|signal| signal.power).sum();
            lock.judgement.interfere(now, (lock.power, &lock.bits), interference, rules);
        }
        let loss = match received {
            Some(lock) if signal.can_decode => lock.judgement.verdict(now, &lock.bits, rules, draw),
            Some(_) => Some(FrameLoss::Weak),
            None => signal.fate,
        };
        // A signal that a free radio senses and cannot decode is a failed reception, too.
        let was_missed = loss == Some(FrameLoss::Weak) && signal.sensed && signal.is_carrier;
        Some(ReceptionOutcome {
            loss,
            was_received: received.is_some() || was_missed || self.is_undisturbed,
            went_idle,
        })
    }
}
