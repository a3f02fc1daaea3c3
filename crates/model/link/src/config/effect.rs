//! Properties that would have no effect. They are reported as mistakes, not ignored.

use netloom_units::{Probability, Size};

use super::{PipeChange, PipeConfig, RateLimit};
use crate::channel::BitErrorRate;
use crate::flight::{Compensation, Delay, Reorder, Reordering};
use crate::queue::QueueLimit;

/// The features that a pipe has at one time or another: with its first configuration, and after
/// later changes. A property that has an effect at some time may be set at any time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Circumstances {
    /// Whether it has a constant rate or a schedule of rates.
    paced: bool,
    /// Whether its rate comes from a trace.
    traced: bool,
    /// Whether it has a MAC overhead, for which frames wait even without a rate.
    overhead: bool,
    /// Whether its queue is limited in bytes.
    byte_limit: bool,
    /// Whether a meter counts bytes in front of the queue.
    metered: bool,
    /// Whether a class of its queue has a cap, for which frames wait even without a rate.
    capped: bool,
    bit_errors: bool,
    delay: bool,
    jitter: bool,
}

/// A property that has no effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoEffect {
    /// Dotted key of the property, like `queue.limit`.
    pub property: &'static str,
    /// The reason, as a statement about the link: "has no `rate`, so no frame ever waits".
    pub why: &'static str,
    /// Advice to the user.
    pub help: &'static str,
}

impl Circumstances {
    /// The circumstances of a pipe with `config`.
    pub fn of(config: &PipeConfig) -> Self {
        let (paced, traced) = match config.rate {
            RateLimit::Unlimited => (false, false),
            RateLimit::Limited(_) | RateLimit::Schedule(_) => (true, false),
            RateLimit::Trace(_) => (false, true),
        };
        Self {
            paced,
            traced,
            overhead: !config.mac_overhead.values().is_some_and(|profile| profile.is_empty()),
            byte_limit: matches!(config.queue.limit, QueueLimit::Bytes(_)),
            metered: config.condition.has_meters(),
            capped: config.queue.discipline.has_caps(),
            bit_errors: config.ber != BitErrorRate::default(),
            delay: config.delay != Delay::ZERO,
            jitter: !config.jitter.is_none(),
        }
    }

    /// The features of either.
    #[must_use]
    pub fn or(self, others: Self) -> Self {
        Self {
            paced: self.paced || others.paced,
            traced: self.traced || others.traced,
            overhead: self.overhead || others.overhead,
            byte_limit: self.byte_limit || others.byte_limit,
            metered: self.metered || others.metered,
            capped: self.capped || others.capped,
            bit_errors: self.bit_errors || others.bit_errors,
            delay: self.delay || others.delay,
            jitter: self.jitter || others.jitter,
        }
    }

    /// Whether the pipe has a rate of any kind.
    pub fn has_rate(self) -> bool {
        self.paced || self.traced
    }
}

impl PipeChange {
    /// Returns the properties of this change that have no effect on a pipe in `circumstances`,
    /// which must include those after the change.
    pub fn without_effect(&self, circumstances: Circumstances) -> Vec<NoEffect> {
        let checks = [queue, background, burst, framing, compensate, bit_errors, reorder];
        checks.iter().filter_map(|check| check(self, circumstances)).collect()
    }
}

fn queue(change: &PipeChange, now: Circumstances) -> Option<NoEffect> {
    let queue = change.queue.as_ref()?;
    let property = queue.keys().next()?;
    if !now.has_rate() && !now.overhead && !now.capped {
        return Some(NoEffect {
            property,
            why: "has no `rate`, so no frame ever waits",
            help: "add a `rate`, or leave `queue` out",
        });
    }
    let is_time = matches!(queue.limit, Some(QueueLimit::Time(_)));
    (is_time && !now.has_rate()).then_some(NoEffect {
        property: "queue.limit",
        why: "has no `rate` at which a time would be an amount",
        help: "give the limit in packets or bytes, or add a `rate`",
    })
}

fn background(change: &PipeChange, now: Circumstances) -> Option<NoEffect> {
    let background = change.background.as_ref()?;
    (!background.is_none() && !now.has_rate()).then_some(NoEffect {
        property: "background",
        why: "has no `rate`, so no frame ever waits for another",
        help: "add a `rate`, or leave `background` out",
    })
}

fn burst(change: &PipeChange, now: Circumstances) -> Option<NoEffect> {
    if change.burst? == Size::default() || now.paced {
        return None;
    }
    Some(NoEffect {
        property: "burst",
        why: match now.traced {
            true => "takes its rate from a trace, whose opportunities cannot be saved up",
            false => "has no `rate`, so frames leave at once anyway",
        },
        help: "add a constant `rate`, or leave `burst` out",
    })
}

fn framing(change: &PipeChange, now: Circumstances) -> Option<NoEffect> {
    change.framing?;
    let counts_bytes = (now.metered || now.capped) && !now.traced;
    if now.paced || counts_bytes || (now.overhead && now.byte_limit) {
        return None;
    }
    Some(NoEffect {
        property: "framing",
        why: match now.traced {
            true => {
                "takes its rate from a trace, whose opportunities carry packets without framing"
            }
            false => "has no `rate`, so a frame takes no time on the line",
        },
        help: "add a constant `rate`, or leave `framing` out",
    })
}

fn compensate(change: &PipeChange, now: Circumstances) -> Option<NoEffect> {
    let compensate = change.compensate?;
    (compensate != Compensation::None && !now.delay).then_some(NoEffect {
        property: "compensate",
        why: "has no `delay` that anything could be taken off",
        help: "add a `delay`, or leave `compensate` out",
    })
}

fn bit_errors(change: &PipeChange, now: Circumstances) -> Option<NoEffect> {
    change.bit_errors?;
    (!now.bit_errors).then_some(NoEffect {
        property: "bit_errors",
        why: "has no `ber`, so no bit is ever wrong",
        help: "add a `ber`, like `ber: 1e-6`, or leave `bit_errors` out",
    })
}

fn reorder(change: &PipeChange, now: Circumstances) -> Option<NoEffect> {
    let Reorder::Some(reordering) = change.reorder? else { return None };
    let property = "reorder";
    match reordering {
        Reordering { probability: Probability::ZERO, .. } => (!now.jitter).then_some(NoEffect {
            property,
            why: "has no `jitter`, which alone reorders where the probability is 0%",
            help: "add a `jitter`, or give a `probability` above 0%",
        }),
        Reordering { extra_delay: Some(_), .. } => None,
        Reordering { extra_delay: None, .. } => (!now.delay && !now.jitter).then_some(NoEffect {
            property,
            why: "has neither `delay` nor `jitter`, so no frame can overtake another",
            help: "add a `delay`, or an `extra_delay` to `reorder`",
        }),
    }
}
