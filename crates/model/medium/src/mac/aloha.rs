//! ALOHA: a station sends a frame as soon as it has one (Abramson 1970), or at the beginning of the
//! next slot (Roberts 1972).

use netloom_link::Frame;
use netloom_units::{Duration, Probability, Rate, Time};
use serde::{Deserialize, Serialize};

use super::config::Built;
use super::{Carries, Ended, Io, Kind, MacState, Member, Ppdu, Timer};
use crate::desk::End;
use crate::phy::{ACK_BYTES, Phy, Preamble, Timing, air_bytes};
use crate::{FrameLoss, MediumConfig, Receiver, StationConfig, StationId};

/// Parameters of `aloha`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct AlohaConfig {
    /// Length of slots, at whose beginnings frames are sent (default: none, pure ALOHA).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slotted: Option<Duration>,
    /// The probability with which a station that has something to send sends it in a slot (default
    /// `100%`). Without slots it has no effect.
    pub persistence: Probability,
    /// Rate of frames, one of the PHY's (default: its highest).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rate: Option<Rate>,
    /// How often a frame is sent until it is acknowledged; `1` (default) asks for no
    /// acknowledgement.
    pub tries: u32,
    /// Longest random wait before the second try, which doubles with each further one, up to ten
    /// times (default `10ms`).
    pub wait: Duration,
}

impl Default for AlohaConfig {
    fn default() -> Self {
        Self {
            slotted: None,
            persistence: Probability::new(1.0).expect("one is a probability"),
            rate: None,
            tries: 1,
            wait: Duration::from_millis(10),
        }
    }
}

impl Built for AlohaConfig {
    fn check(&self) -> Result<(), String> {
        if self.slotted == Some(Duration::ZERO) {
            return Err("`slotted` is the length of a slot, more than 0s".into());
        }
        if self.tries == 0 {
            return Err("`tries` counts the first one: at least 1".into());
        }
        if self.persistence == Probability::ZERO {
            return Err("with `persistence: 0%` nothing is ever sent".into());
        }
        Ok(())
    }

    fn fits(&self, medium: &MediumConfig) -> Result<(), String> {
        medium.phy.has_rate("rate", self.rate)
    }

    fn build<F: Frame>(
        &self,
        timing: &Timing,
        station: &StationConfig,
        _: Member,
    ) -> Box<dyn MacState<F>> {
        let rate = station.rate.or(self.rate).unwrap_or(timing.highest());
        Box::new(Aloha { config: self.clone(), rate, tries: 0, is_waiting: false, reply: None })
    }

    fn timing(&self, phy: Phy) -> Timing {
        Timing::new(phy, Preamble::Long, None)
    }
}

/// State of one station.
#[derive(Debug)]
struct Aloha {
    config: AlohaConfig,
    rate: Rate,
    /// Number of attempts of the frame that is served.
    tries: u32,
    /// Whether the station waits for an acknowledgement.
    is_waiting: bool,
    reply: Option<Ppdu>,
}

/// Number of times that the longest wait doubles.
const DOUBLINGS: u32 = 10;

impl Aloha {
    /// Plans to send at `from`, or at the beginning of the next slot.
    fn plan<F: Frame>(&self, io: &mut Io<'_, F>, from: Time) {
        if io.head().is_none() || io.is_sending() || self.is_waiting {
            return;
        }
        let at = match self.config.slotted {
            None => from,
            Some(slot) => {
                let slot = slot.as_nanos();
                Time::from_nanos(from.as_nanos().div_ceil(slot) * slot)
            }
        };
        io.set(Timer::Access, at.max(io.now));
    }

    fn needs_answer(&self, to: Receiver) -> bool {
        self.config.tries > 1 && to != Receiver::All
    }

    fn failed<F: Frame>(&mut self, io: &mut Io<'_, F>) {
        self.is_waiting = false;
        if self.tries >= self.config.tries {
            self.tries = 0;
            io.finish(End::Dropped(FrameLoss::RetryLimit));
            self.plan(io, io.now);
            return;
        }
        let doublings = (self.tries - 1).min(DOUBLINGS);
        let longest = self.config.wait.as_nanos() << doublings;
        let wait = Duration::from_nanos(io.stream.below(longest.max(1)));
        self.plan(io, io.now + wait);
    }
}

impl<F: Frame> MacState<F> for Aloha {
    fn queued(&mut self, io: &mut Io<'_, F>) {
        self.plan(io, io.now);
    }

    fn ended(&mut self, io: &mut Io<'_, F>, ended: Ended) {
        let Some(Ok(received)) = ended.reception else { return };
        if received.to != Receiver::Station(io.me) {
            return;
        }
        match received.kind {
            Kind::Data if self.config.tries > 1 => {
                let rate = io.timing.answer_rate(received.rate);
                self.reply = Some(Ppdu {
                    kind: Kind::Ack,
                    to: Receiver::Station(received.from),
                    rate,
                    airtime: io.timing.airtime(ACK_BYTES, rate),
                    nav: Duration::ZERO,
                    bytes: ACK_BYTES,
                    attempt: 0,
                    window: 0,
                    slots: 0,
                    carries: Carries::Nothing,
                });
                io.set(Timer::Reply, io.now + io.timing.sifs);
            }
            Kind::Ack if self.is_waiting => {
                (self.is_waiting, self.tries) = (false, 0);
                io.clear(Timer::Answer);
                io.finish(End::Sent);
                self.plan(io, io.now);
            }
            _ => {}
        }
    }

    fn sent(&mut self, io: &mut Io<'_, F>, kind: Kind) {
        let to = io.head().map(|head| head.to);
        if kind != Kind::Data {
            self.plan(io, io.now);
        } else if to.is_some_and(|to| self.needs_answer(to)) {
            self.is_waiting = true;
            let ack = io.timing.airtime(ACK_BYTES, io.timing.answer_rate(self.rate));
            io.set(Timer::Answer, io.now + io.timing.answer + ack);
        } else {
            self.tries = 0;
            io.finish(End::Sent);
            self.plan(io, io.now);
        }
    }

    fn due(&mut self, io: &mut Io<'_, F>, timer: Timer) {
        match timer {
            Timer::Access => {
                let Some(head) = io.head().copied() else { return };
                if io.is_sending() {
                    // The end of the current transmission plans anew.
                    return;
                }
                let persists = self.config.persistence.value();
                if let Some(slot) = self.config.slotted
                    && !io.stream.chance(persists)
                {
                    self.plan(io, io.now + slot);
                    return;
                }
                self.tries += 1;
                io.desk.attempt();
                let bytes = air_bytes(head.info.largest());
                let needs_answer = self.needs_answer(head.to);
                io.send(Ppdu {
                    kind: Kind::Data,
                    to: head.to,
                    rate: self.rate,
                    airtime: io.timing.airtime(bytes, self.rate),
                    nav: Duration::ZERO,
                    bytes,
                    attempt: self.tries,
                    window: 0,
                    slots: 0,
                    carries: if needs_answer { Carries::Stays } else { Carries::Leaves },
                });
            }
            Timer::Answer => self.failed(io),
            Timer::Reply => {
                if let Some(reply) = self.reply.take()
                    && !io.is_sending()
                {
                    io.send(reply);
                }
            }
            Timer::Commit => {}
        }
    }

    fn rate_to(&self, _: StationId, _: u32, _: f64) -> Option<Rate> {
        Some(self.rate)
    }

    fn restart(&mut self, io: &mut Io<'_, F>) {
        (self.tries, self.is_waiting, self.reply) = (0, false, None);
        self.plan(io, io.now);
    }
}
