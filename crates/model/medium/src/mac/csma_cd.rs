//! Carrier sense with collision detection: the half-duplex Ethernet of IEEE 802.3 (2005, clause 4).
//! A waiting station sends as soon as it may. A station that collides jams, and waits for a random
//! number of slots.

use netloom_link::Frame;
use netloom_units::{Duration, Length, Rate, Time};
use serde::{Deserialize, Serialize};

use super::config::Built;
use super::{Carries, Ended, Io, Kind, MacState, Member, Ppdu, Timer};
use crate::desk::End;
use crate::phy::{Phy, Timing};
use crate::{FrameLoss, StationConfig};

/// Times, in bits (IEEE 802.3-2005, 4.4.2).
const SLOT: u64 = 512;
const GAP: u64 = 96;
/// First part of the gap, during which a carrier restarts it.
const GAP_THAT_LISTENS: u64 = 64;
const JAM: u64 = 32;
const PREAMBLE: u64 = 64;
/// Bytes of the shortest frame, and of a frame check sequence.
const SHORTEST: u32 = 64;
const FCS: u32 = 4;
/// Attempt from which on the window no longer grows.
const LARGEST_EXPONENT: u32 = 10;

/// Parameters of `csma_cd`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct CsmaCdConfig {
    /// Bit rate (default `10Mbit/s`).
    pub rate: Rate,
    /// Cable that joins the stations.
    pub cable: CableConfig,
    /// How often a frame is sent (default 16).
    pub attempts: u32,
}

impl Default for CsmaCdConfig {
    fn default() -> Self {
        let rate = Rate::from_bits_per_second(10_000_000).expect("a rate in range");
        Self { rate, cable: CableConfig::default(), attempts: 16 }
    }
}

/// A cable, or several that end in a hub.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct CableConfig {
    /// Length from one end to the other; of a hub, that between any two stations (default `185m`).
    pub length: Length,
    /// Speed of signals as a share of that of light (default 0.65).
    pub velocity: f64,
    /// `bus` (default): stations are on one cable, evenly from end to end, or where each says with
    /// `at`. `hub`: any two have `length` between them.
    pub shape: CableShape,
}

impl Default for CableConfig {
    fn default() -> Self {
        Self { length: Length::from_metres(185), velocity: 0.65, shape: CableShape::Bus }
    }
}

/// How cables join stations.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum CableShape {
    /// One cable.
    #[default]
    Bus,
    /// A hub, which repeats to all what one sends.
    Hub,
}

impl Built for CsmaCdConfig {
    fn check(&self) -> Result<(), String> {
        let velocity = self.cable.velocity;
        if !(velocity > 0.0 && velocity <= 1.0) {
            return Err(format!(
                "`velocity: {velocity}` has to be a share of the speed of light, above 0, at most 1"
            ));
        }
        if self.attempts == 0 {
            return Err("`attempts` counts the first one: at least 1".into());
        }
        let bits = |bits: u64| bits as f64 / self.rate.bits_per_second() as f64;
        let around = 2.0 * self.cable.length.metres() / (velocity * netloom_radio::LIGHT);
        if around > bits(SLOT) {
            return Err(format!(
                "a signal takes {:.1} us from end to end of `length: {}` and back, longer than a \
                 slot of {:.1} us, so that collisions would not be noticed; shorten it",
                around * 1e6,
                self.cable.length,
                bits(SLOT) * 1e6,
            ));
        }
        Ok(())
    }

    fn build<F: Frame>(&self, _: &Timing, _: &StationConfig, _: Member) -> Box<dyn MacState<F>> {
        Box::new(CsmaCd::new(self))
    }

    fn timing(&self, _: Phy) -> Timing {
        let bit = bits(self.rate, 1);
        // A carrier is sensed a nanosecond after its first bit arrives, because sensing comes after
        // the arrival.
        Timing::of_cable(self.rate, bits(self.rate, SLOT), Duration::from_nanos(1), bit)
    }

    fn shortest(&self, _: &Timing) -> Duration {
        // A frame that a collision cuts off at its very beginning.
        bits(self.rate, PREAMBLE + JAM)
    }

    fn cable(&self) -> Option<&CableConfig> {
        Some(&self.cable)
    }
}

fn bits(rate: Rate, bits: u64) -> Duration {
    Duration::from_nanos(bits * 1_000_000_000 / rate.bits_per_second())
}

/// State of one station.
#[derive(Debug)]
struct CsmaCd {
    rate: Rate,
    attempts: u32,
    /// Number of collisions of the frame that is served.
    collisions: u32,
    /// Time at which the last carrier left the cable here.
    free: Time,
    /// Time until which the station waits after a collision.
    waits: Time,
    /// Whether a gap has progressed so far that a carrier does not stop it.
    is_committed: bool,
    /// Time at which the current transmission began.
    began: Time,
    is_jamming: bool,
    slots: u32,
}

impl CsmaCd {
    fn new(config: &CsmaCdConfig) -> Self {
        Self {
            rate: config.rate,
            attempts: config.attempts,
            collisions: 0,
            free: Time::ZERO,
            waits: Time::ZERO,
            is_committed: false,
            began: Time::ZERO,
            is_jamming: false,
            slots: 0,
        }
    }

    fn bits(&self, count: u64) -> Duration {
        bits(self.rate, count)
    }

    /// Plans the next access: after the gap that follows the last carrier, and after the wait that
    /// follows a collision.
    fn plan<F: Frame>(&mut self, io: &mut Io<'_, F>) {
        if io.head().is_none() || io.is_sending() {
            io.clear(Timer::Access);
            io.clear(Timer::Commit);
            return;
        }
        if io.is_busy() {
            // The end of the carrier plans anew. A gap that is committed continues.
            if !self.is_committed {
                io.clear(Timer::Access);
            }
            io.clear(Timer::Commit);
            return;
        }
        let gap_end = self.free + self.bits(GAP);
        let access = gap_end.max(self.waits).max(io.now);
        io.set(Timer::Access, access);
        let commit = self.free + self.bits(GAP_THAT_LISTENS);
        self.is_committed = self.waits <= gap_end && commit <= io.now;
        if self.waits <= gap_end && commit > io.now {
            io.set(Timer::Commit, commit);
        } else {
            io.clear(Timer::Commit);
        }
    }

    /// Handles a collision: another station sends, too.
    fn jam<F: Frame>(&mut self, io: &mut Io<'_, F>) {
        if self.is_jamming {
            return;
        }
        self.is_jamming = true;
        let preamble = self.began + self.bits(PREAMBLE);
        io.cut(io.now.max(preamble) + self.bits(JAM));
    }
}

impl<F: Frame> MacState<F> for CsmaCd {
    fn queued(&mut self, io: &mut Io<'_, F>) {
        self.plan(io);
    }

    fn arriving(&mut self, io: &mut Io<'_, F>) {
        if io.is_sending() {
            self.jam(io);
        }
    }

    fn busy(&mut self, io: &mut Io<'_, F>) {
        self.plan(io);
    }

    fn ended(&mut self, io: &mut Io<'_, F>, ended: Ended) {
        if ended.went_idle {
            self.free = io.now;
            self.is_committed = false;
            self.plan(io);
        }
    }

    fn sent(&mut self, io: &mut Io<'_, F>, _: Kind) {
        self.free = io.now;
        self.is_committed = false;
        if !std::mem::take(&mut self.is_jamming) {
            (self.collisions, self.slots) = (0, 0);
            io.finish(End::Sent);
            self.plan(io);
            return;
        }
        self.collisions += 1;
        if self.collisions >= self.attempts {
            (self.collisions, self.slots) = (0, 0);
            io.finish(End::Dropped(FrameLoss::RetryLimit));
        } else {
            let exponent = self.collisions.min(LARGEST_EXPONENT);
            // Below 2^10.
            self.slots = io.stream.below(1 << exponent) as u32;
            self.waits = io.now + self.bits(SLOT * u64::from(self.slots));
        }
        self.plan(io);
    }

    fn due(&mut self, io: &mut Io<'_, F>, timer: Timer) {
        match timer {
            Timer::Commit => self.is_committed = true,
            Timer::Access => {
                let Some(head) = io.head().copied() else { return };
                // A station whose wait ends during a carrier defers to it.
                if io.is_busy() && !self.is_committed {
                    return;
                }
                io.clear(Timer::Commit);
                self.is_committed = false;
                self.began = io.now;
                io.desk.attempt();
                let bytes = (head.info.largest() + FCS).max(SHORTEST);
                io.send(Ppdu {
                    kind: Kind::Data,
                    to: head.to,
                    rate: self.rate,
                    airtime: self.bits(PREAMBLE + u64::from(bytes) * 8),
                    nav: Duration::ZERO,
                    bytes,
                    attempt: head.attempts + 1,
                    window: (1 << self.collisions.min(LARGEST_EXPONENT)) - 1,
                    slots: self.slots,
                    carries: Carries::Leaves,
                });
                if io.is_busy() {
                    io.set(Timer::Answer, io.now);
                }
            }
            // The station began to send while a carrier was present.
            Timer::Answer => self.jam(io),
            Timer::Reply => {}
        }
    }

    fn restart(&mut self, io: &mut Io<'_, F>) {
        (self.collisions, self.is_committed, self.is_jamming) = (0, false, false);
        (self.free, self.waits) = (io.now, io.now);
        self.plan(io);
    }

    fn window(&self) -> u32 {
        (1 << self.collisions.min(LARGEST_EXPONENT)) - 1
    }
}
