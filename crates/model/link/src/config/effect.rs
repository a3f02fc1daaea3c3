//! Properties that would have no effect: they are told as mistakes, not ignored.

use netloom_units::{Probability, Size};

use super::{PipeChange, PipeConfig, RateLimit};
use crate::channel::BitErrorRate;
use crate::flight::{Compensation, Delay, Reorder, Reordering};
use crate::queue::QueueLimit;

/// What a pipe is at one time or another: with its first configuration, and after changes that are
/// to come. What has an effect at some time may be said at any time.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Circumstances {
    /// It has a constant rate or a schedule of them.
    paced: bool,
    /// Its rate comes from a trace.
    traced: bool,
    /// It has a MAC overhead, for which frames wait without a rate too.
    overhead: bool,
    /// Its queue is limited in bytes.
    byte_limit: bool,
    /// A meter counts bytes in front of the queue.
    metered: bool,
    /// A class of its queue has a cap, for which frames wait without a rate too.
    capped: bool,
    bit_errors: bool,
    delay: bool,
    jitter: bool,
}

/// A property that has no effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoEffect {
    /// Its key, dotted: `queue.limit`.
    pub property: &'static str,
    /// Why, as what the link has or has not: "has no `rate`, so no frame ever waits".
    pub why: &'static str,
    /// What to do.
    pub help: &'static str,
}

impl Circumstances {
    /// Those of a pipe with `config`.
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

    /// These or `others`.
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

    /// Whether it has a rate, of whatever kind.
    pub fn has_rate(self) -> bool {
        self.paced || self.traced
    }
}

impl PipeChange {
    /// What this change says without effect on a pipe in `circumstances`, the change included.
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
