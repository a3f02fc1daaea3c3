//! The rules of reception: a medium's configuration in numbers.

use netloom_radio::{Modulation, milliwatts};
use netloom_units::{Rate, Time};

use crate::config::{CaptureWhen, Lock, MediumConfig, ReceptionRule};
use crate::counters::FrameLoss;
use crate::phy::Phy;

/// When a signal takes over from the one that is being received.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Captures {
    Never,
    InPreamble,
    Always,
}

/// The rules of every reception of a medium. Powers are in mW.
#[derive(Debug, Clone)]
pub(crate) struct Rules {
    phy: Phy,
    pub has_contention: bool,
    /// Whether signals that overlap at a receiver disturb each other there.
    pub disturbs: bool,
    pub reception: ReceptionRule,
    /// Ratio by which a signal has to be stronger than all others.
    pub margin: f64,
    pub captures: Captures,
    /// Whether a radio also receives signals that it can only sense.
    pub lock_any: bool,
    pub sensitivity: f64,
    pub carrier_threshold: f64,
    pub energy_threshold: f64,
    /// Power of noise.
    pub noise: f64,
    /// Coding of the bits at each of the PHY's rates.
    codings: Vec<(Rate, Coding)>,
}

impl Rules {
    pub fn new(config: &MediumConfig) -> Self {
        Self {
            phy: config.phy,
            has_contention: config.mac.has_contention(),
            disturbs: config.mac.disturbs(),
            reception: config.reception,
            margin: milliwatts(config.capture.margin.decibels()),
            captures: match (config.reception, config.capture.when) {
                (ReceptionRule::Collision, _) | (_, CaptureWhen::None) => Captures::Never,
                (_, CaptureWhen::Preamble) => Captures::InPreamble,
                (_, CaptureWhen::Any) => Captures::Always,
            },
            lock_any: config.lock == Lock::Any,
            sensitivity: milliwatts(config.sensitivity()),
            carrier_threshold: milliwatts(config.cs_threshold.dbm()),
            energy_threshold: milliwatts(config.ed_threshold.dbm()),
            noise: milliwatts(config.radio.noise_floor()),
            codings: {
                let coding = |rate| (rate, Coding::new(config.phy, rate));
                config.phy.rates().map(coding).collect()
            },
        }
    }

    /// Returns the coding of bits at `rate`.
    pub fn coding(&self, rate: Rate) -> Coding {
        let known = self.codings.iter().find(|(known, _)| *known == rate);
        known.map_or_else(|| Coding::new(self.phy, rate), |(_, coding)| *coding)
    }
}

/// The coding of bits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Coding {
    modulation: Modulation,
    /// Ratio above which no frame is lost, within the resolution of a draw.
    certain: f64,
    /// Ratio up to which [`MANY_BITS`] bits never survive.
    hopeless: f64,
}

/// More bits than any frame has.
const MOST_BITS: f64 = 1e6;

/// A frame with fewer bits than this is short.
const MANY_BITS: f64 = 1000.0;

impl Coding {
    fn new(phy: Phy, rate: Rate) -> Self {
        let modulation = match (phy, Modulation::of(rate)) {
            (Phy::Fhss, _) | (_, None) => Modulation::Fsk1,
            (_, Some(modulation)) => modulation,
        };
        // In steps of a dB, up to where no frame is lost.
        let ratios = (0..60).map(|decibels| milliwatts(f64::from(decibels)));
        let is_certain = |ratio: &f64| {
            // A draw is a multiple of 2^-53.
            modulation.log_success(*ratio) * MOST_BITS > -1.0 / (1u64 << 54) as f64
        };
        let certain = ratios.into_iter().find(is_certain).unwrap_or(f64::INFINITY);
        let is_hopeless = |ratio: &f64| modulation.log_success(*ratio) * MANY_BITS < 2.0 * NOTHING;
        let ratios = (-40..60).map(|decibels| milliwatts(f64::from(decibels)));
        let hopeless = ratios.take_while(is_hopeless).last().unwrap_or(0.0);
        Self { modulation, certain, hopeless }
    }

    /// Returns whether this many bits at this ratio cannot survive.
    #[inline]
    fn is_hopeless(self, bits: f64, ratio: f64) -> bool {
        ratio <= self.hopeless && bits >= MANY_BITS
    }

    /// Returns the probability that this many bits survive.
    pub fn success(self, ratio: f64, bits: f64) -> f64 {
        libm::exp(self.log_success(ratio) * bits)
    }

    /// Returns the logarithm of the probability that a bit survives.
    #[inline]
    fn log_success(self, ratio: f64) -> f64 {
        if ratio >= self.certain { 0.0 } else { self.modulation.log_success(ratio) }
    }
}

/// The bits of a frame: the times at which they are on the air, and their codings.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bits {
    /// Time at which the header ends at the receiver.
    pub header_end: Time,
    /// Coding of the header's bits, and their number in each ns.
    pub header: Coding,
    pub header_density: f64,
    /// Coding of the bits after the header, and their number in each ns.
    pub payload: Coding,
    pub density: f64,
}

/// State of a reception in progress.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Judgement {
    is_intact: bool,
    /// Whether there has been interference.
    was_disturbed: bool,
    /// Logarithm of the probability that all bits up to `since` survive.
    log_success: f64,
    since: Time,
    /// Ratio of signal to interference and noise from `since` on.
    ratio: f64,
}

/// Logarithm of a probability below which nothing survives: a draw cannot resolve less than 2⁻⁵³.
const NOTHING: f64 = -40.0;

impl Judgement {
    pub fn new(now: Time, can_decode: bool) -> Self {
        Self {
            is_intact: can_decode,
            was_disturbed: false,
            log_success: 0.0,
            since: now,
            ratio: 0.0,
        }
    }

    /// Begins the reception of a signal of `power` among `interference`. Returns `false` if it does
    /// not begin.
    pub fn begin(&mut self, power: f64, interference: f64, rules: &Rules) -> bool {
        self.was_disturbed = interference > 0.0;
        match rules.reception {
            ReceptionRule::Collision => {
                self.is_intact &= !self.was_disturbed;
                true
            }
            ReceptionRule::Threshold => !self.was_disturbed || power >= rules.margin * interference,
            ReceptionRule::Sinr => {
                self.ratio = power / (interference + rules.noise);
                true
            }
        }
    }

    /// Sets the interference with the signal of `power` from `now` on.
    pub fn interfere(
        &mut self,
        now: Time,
        (power, bits): (f64, &Bits),
        interference: f64,
        rules: &Rules,
    ) {
        self.was_disturbed |= interference > 0.0;
        match rules.reception {
            ReceptionRule::Collision => self.is_intact &= interference <= 0.0,
            ReceptionRule::Threshold => self.is_intact &= power >= rules.margin * interference,
            ReceptionRule::Sinr => {
                self.pass(now, bits);
                self.ratio = power / (interference + rules.noise);
            }
        }
    }

    /// Accounts for the bits that were on the air up to `now`.
    fn pass(&mut self, now: Time, bits: &Bits) {
        if !self.is_intact || self.log_success < NOTHING {
            return;
        }
        let header = bits.header_end.min(now).since(self.since).as_nanos() as f64;
        let payload = now.since(bits.header_end.max(self.since)).as_nanos() as f64;
        // Most collisions end this way, and this test is much cheaper than the computation.
        if bits.payload.is_hopeless(payload * bits.density, self.ratio) {
            self.log_success = 2.0 * NOTHING;
            self.since = now;
            return;
        }
        if header > 0.0 {
            let count = header * bits.header_density;
            self.log_success += count * bits.header.log_success(self.ratio);
        }
        if payload > 0.0 {
            let count = payload * bits.density;
            self.log_success += count * bits.payload.log_success(self.ratio);
        }
        self.since = now;
    }

    /// Returns the reason for the loss, if the signal was not received. `draw` gives a uniform
    /// number.
    pub fn verdict(
        mut self,
        now: Time,
        bits: &Bits,
        rules: &Rules,
        draw: impl FnOnce() -> f64,
    ) -> Option<FrameLoss> {
        let survives = self.is_intact
            && (rules.reception != ReceptionRule::Sinr || {
                self.pass(now, bits);
                // Draws are below 1.
                self.log_success == 0.0 || draw() < libm::exp(self.log_success)
            });
        match survives {
            true => None,
            false if self.was_disturbed => Some(FrameLoss::Collision),
            false => Some(FrameLoss::Noise),
        }
    }
}
