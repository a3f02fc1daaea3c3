//! Admission: the capacity of a host for claims, and the needs of a claim.

use netloom_link::{JitterDistribution, PipeConfig, QueueLimit};
use netloom_units::{Duration, Rate, Size};
use serde::{Deserialize, Serialize};

use crate::{Claim, Policy, Refusal};

/// Largest number of claims of a host.
pub(crate) const MAX_CLAIMS: usize = 4096;

/// Bytes of a whole frame on the line.
const FRAME: u64 = 1538;

/// Limits of all claims together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capacity {
    /// Sum of all rates in both directions, in bits per second.
    pub bits: u64,
    /// Bytes that their pipes may hold.
    pub bytes: u64,
}

/// Largest use of resources by a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Need {
    /// Sum of its rates, in bits per second. A direction without a rate counts as 0.
    pub bits: u64,
    /// Bytes that its pipes may hold.
    pub bytes: u64,
}

impl Capacity {
    /// Returns half of the rate that a machine can bear in frames of 1514 bytes, and the buffers of
    /// its policy. Without a measurement, the rate of the machine is assumed to be 1 Gbit/s.
    pub fn of(borne: Option<Rate>, policy: &Policy) -> Self {
        let borne = borne.map_or(1_000_000_000, Rate::bits_per_second);
        Self { bits: borne / 2, bytes: policy.buffer.bytes() }
    }

    /// Returns the part of it that one ordinary user may take.
    #[must_use]
    pub fn of_user(self, policy: &Policy) -> Self {
        Self {
            bits: self.bits.min(policy.rate_per_user.bits_per_second()),
            bytes: self.bytes.min(policy.buffer_per_user.bytes()),
        }
    }

    /// Checks that there is room for `need` in addition to `given`.
    ///
    /// # Errors
    /// The resource that is too scarce.
    pub(crate) fn admit(self, need: Need, given: Need) -> Result<(), Refusal> {
        if given.bits.saturating_add(need.bits) > self.bits {
            return Err(Refusal::TooFast {
                asked: rate(need.bits),
                given: given_rate(given.bits, rate(self.bits)),
                all: rate(self.bits),
            });
        }
        if given.bytes.saturating_add(need.bytes) > self.bytes {
            return Err(Refusal::TooLarge {
                asked: Size::from_bytes(need.bytes),
                given: Size::from_bytes(given.bytes),
                all: Size::from_bytes(self.bytes),
            });
        }
        Ok(())
    }
}

/// Returns a rate of `bits` per second. 0 becomes the lowest rate.
fn rate(bits: u64) -> Rate {
    Rate::from_bits_per_second(bits.max(1)).unwrap_or(Rate::MAX)
}

/// Formats the number without its unit if that is the unit of `all`, as in `412 of 480 Mbit/s`.
fn given_rate(bits: u64, all: Rate) -> String {
    if bits == 0 {
        return "none".into();
    }
    let (given, all) = (rate(bits).to_string(), all.to_string());
    let unit = all.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    given.strip_suffix(unit).map_or_else(|| given.clone(), Into::into)
}

impl Need {
    /// Returns the need of a claim's pipes.
    pub fn of(claim: &Claim) -> Self {
        claim.pipes().iter().map(Self::of_pipe).fold(Self::default(), Self::and)
    }

    fn of_pipe(pipe: &PipeConfig) -> Self {
        let Some(rate) = pipe.rate.nominal() else { return Self::default() };
        let held = pipe.delay.most() + most_jitter(pipe);
        let flight = rate.bytes_in(held).bytes();
        let bits = rate.bits_per_second();
        Self { bits, bytes: flight.saturating_add(queue(pipe.queue.limit, rate)) }
    }

    /// Returns the sum of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            bits: self.bits.saturating_add(other.bits),
            bytes: self.bytes.saturating_add(other.bytes),
        }
    }
}

/// Returns the jitter that is exceeded in rare cases only: four deviations of a normal
/// distribution, eight of those with long tails.
fn most_jitter(pipe: &PipeConfig) -> Duration {
    let times = |time: Duration, count: u64| Duration::from_nanos(time.as_nanos() * count);
    match &pipe.jitter.distribution {
        JitterDistribution::None => Duration::ZERO,
        JitterDistribution::Uniform(most) => *most,
        JitterDistribution::Normal(deviation) => times(*deviation, 4),
        JitterDistribution::Pareto(deviation)
        | JitterDistribution::ParetoNormal(deviation)
        | JitterDistribution::Table(_, deviation) => times(*deviation, 8),
        JitterDistribution::Empirical(samples) | JitterDistribution::Pattern(samples) => {
            let longest = samples.values().and_then(|all| all.as_slice().iter().max().copied());
            let nanos = longest.map_or(0, |offset| offset.as_nanos().max(0));
            Duration::from_nanos(nanos.unsigned_abs())
        }
    }
}

fn queue(limit: QueueLimit, rate: Rate) -> u64 {
    let in_time = |time| rate.bytes_in(time).bytes();
    match limit {
        QueueLimit::Default => in_time(Duration::from_millis(100)).max(50 * FRAME),
        QueueLimit::Packets(packets) => u64::from(packets) * FRAME,
        QueueLimit::Bytes(size) => size.bytes(),
        QueueLimit::Time(time) => in_time(time),
    }
}
