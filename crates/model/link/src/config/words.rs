//! A configuration in a few words, for drawings and tables.

use std::fmt;

use netloom_units::{Framing, Probability, Size};

use super::{InFlight, LinkState, MtuLimit, PipeConfig, RateLimit};
use crate::channel::{BitErrorRate, BitErrors, Loss};
use crate::flight::{Delay, Reorder};
use crate::queue::Discipline;

impl PipeConfig {
    /// Describes what the pipe does to frames, in a few words for each property that is not at its
    /// default.
    pub fn in_words(&self) -> Vec<String> {
        let mut words = Vec::new();
        let mut say = |when: bool, text: &dyn Fn() -> String| {
            if when {
                words.push(text());
            }
        };
        say(self.state == LinkState::Down, &|| "down".into());
        say(self.rate != RateLimit::Unlimited, &|| self.rate.to_string());
        say(self.burst != Size::default(), &|| format!("burst {}", self.burst));
        say(!self.condition.is_none(), &|| self.condition.to_string());
        say(self.queue.discipline != Discipline::default(), &|| self.queue.discipline.to_string());
        say(!self.mac_overhead.values().is_some_and(|profile| profile.is_empty()), &|| {
            format!("MAC overhead {}", self.mac_overhead.file().unwrap_or("(inline)"))
        });
        say(!self.background.is_none(), &|| format!("background {}", self.background));
        say(self.delay != Delay::ZERO, &|| match &self.delay {
            Delay::Constant(delay) => delay.to_string(),
            varying @ Delay::Schedule(_) => format!("delay by a {varying}"),
        });
        say(!self.jitter.is_none(), &|| format!("jitter {}", self.jitter));
        say(!self.loss.is_none(), &|| format!("loss {}", self.loss));
        say(self.ber != BitErrorRate::default(), &|| match self.bit_errors {
            BitErrors::Drop => format!("ber {}", self.ber),
            BitErrors::Flip => format!("ber {} (flip)", self.ber),
        });
        say(self.corrupt != Probability::ZERO, &|| format!("corrupt {}", self.corrupt));
        say(self.duplicate != Probability::ZERO, &|| format!("duplicate {}", self.duplicate));
        say(self.reorder != Reorder::None, &|| format!("reorder {}", self.reorder));
        say(self.pipe_mtu != MtuLimit::None, &|| format!("MTU {}", self.pipe_mtu));
        words
    }

    /// Like [`in_words`](Self::in_words), but complete: every property that is not at its default.
    /// The queue's limit has [words of its own](Self::queue_limit_in_words).
    pub fn in_full(&self) -> Vec<String> {
        let mut words = self.in_words();
        if self.framing != Framing::default() {
            words.push(format!("framing {}", self.framing));
        }
        if self.in_flight == InFlight::Deliver {
            words.push("in flight delivered".into());
        }
        words
    }
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bernoulli(probability) => probability.fmt(f),
            Self::GilbertElliott(model) => {
                write!(f, "Gilbert-Elliott p {} r {}", model.p, model.r)
            }
            Self::FourState(model) => write!(f, "four-state p13 {} p31 {}", model.p13, model.p31),
            Self::Pattern(pattern) => {
                let lost = pattern.lost().iter().filter(|lost| **lost).count();
                write!(f, "pattern of {lost} in {}", pattern.lost().len())
            }
            Self::Every(n) => write!(f, "every {n}th"),
            Self::Trace(trace) => write!(f, "trace {}", trace.file().unwrap_or("(inline)")),
        }
    }
}
