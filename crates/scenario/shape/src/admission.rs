//! Admission: the capacity of a host for claims, and the needs of a claim.

use std::collections::BTreeMap;

use netloom_link::{JitterDistribution, PipeChange, PipeConfig, QueueLimit};
use netloom_units::{Duration, Rate, Size};
use serde::{Deserialize, Serialize};

use crate::{Claim, Policy, Refusal};

/// Largest number of claims of a host.
pub(crate) const MAX_CLAIMS: usize = 4096;

/// Bytes on the line beside the longest packet: header, check sequence, preamble and gap.
const AROUND_PACKET: u64 = 38;
/// Longest packet whose frame has no tail in memory, and the memory of a frame without and with
/// one, with its place in the queues (`netloom-ports`).
const SHORT_PACKET: u64 = 2000;
const SHORT_FRAME: u64 = 2048 + 256;
const LONG_FRAME: u64 = SHORT_FRAME + 65_536;
/// Memory that a claim may always have, so that small frames, which take as much as larger ones,
/// fit as well. It is charged for as soon as it is held.
const LEAST: u64 = 1 << 20;
/// Memory of a claim of root that has a pipe without a rate, and so no bound of its own.
const UNBOUNDED: u64 = 32 << 20;
/// Memory for each character of the values of traces, tables and schedules: in the book, its file,
/// and pipes.
const PER_CHARACTER: u64 = 8;
/// Length of the properties of a pipe, without such values.
const PLAIN: usize = 4096;
/// Descriptors of a claim: two TAPs with two programs each. Those of the programs at a device are
/// counted for the first claim there.
const OF_CLAIM: u64 = 6;
const OF_DEVICE: u64 = 32;
/// Descriptors that claims leave for connections, captures and the daemon itself.
const RESERVED: u64 = 1024;

/// Memory that the frames of claims really take, in bytes, by the number of the claim, with its
/// owner. Links of claims that have ended are there until they are empty.
pub type Held = BTreeMap<u64, (u32, u64)>;

/// Limits of all claims together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Capacity {
    /// Sum of all rates in both directions, in bits per second.
    pub bits: u64,
    /// Bytes that their pipes may hold.
    pub bytes: u64,
    /// Open files of the daemon.
    #[serde(default)]
    pub descriptors: u64,
}

/// Largest use of resources by a claim.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Need {
    /// Sum of its largest rates, in bits per second. A direction without a rate counts as 0.
    pub bits: u64,
    /// Memory of the frames that its pipes may hold, and of its values, in bytes.
    pub bytes: u64,
    /// Open files of the daemon.
    #[serde(default)]
    pub descriptors: u64,
}

impl Capacity {
    /// Returns half of the rate that a machine can bear in frames of 1514 bytes, the buffers of its
    /// policy, and what is left of the open files that the daemon may have. Without a measurement,
    /// the rate of the machine is assumed to be 1 Gbit/s.
    pub fn of(borne: Option<Rate>, policy: &Policy, files: u64) -> Self {
        let borne = borne.map_or(1_000_000_000, Rate::bits_per_second);
        let descriptors = files.saturating_sub(RESERVED).max(files / 2);
        Self { bits: borne / 2, bytes: policy.buffer.bytes(), descriptors }
    }

    /// Returns the part of it that one ordinary user may take.
    #[must_use]
    pub fn of_user(self, policy: &Policy) -> Self {
        Self {
            bits: self.bits.min(policy.rate_per_user.bits_per_second()),
            bytes: self.bytes.min(policy.buffer_per_user.bytes()),
            descriptors: self.descriptors / 4,
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
        if given.descriptors.saturating_add(need.descriptors) > self.descriptors {
            return Err(Refusal::TooManyFiles(self.descriptors));
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
    /// Returns the need of a claim at a device whose longest packet is `mtu`. `is_first` is whether
    /// the daemon has no programs there yet.
    pub fn of(claim: &Claim, mtu: u32, is_first: bool) -> Self {
        let pipes = claim.pipes();
        let of_pipes = pipes.iter().map(|pipe| Self::of_pipe(pipe, mtu));
        let all = of_pipes.fold(Self::default(), Self::and);
        let values = [&claim.out, &claim.inward].map(values).into_iter().sum();
        let descriptors = OF_CLAIM + if is_first { OF_DEVICE } else { 0 };
        Self { bits: all.bits, bytes: all.bytes.saturating_add(values), descriptors }
    }

    /// Returns the most memory that the frames of a claim may take, in bytes: what it is charged
    /// for, or a little, or some more for pipes without a rate, whose need is not known.
    pub fn frames(&self, claim: &Claim) -> u64 {
        let is_bounded = claim.pipes().iter().all(|pipe| pipe.rate.largest().is_some());
        self.bytes.max(if is_bounded { LEAST } else { UNBOUNDED })
    }

    fn of_pipe(pipe: &PipeConfig, mtu: u32) -> Self {
        let Some(rate) = pipe.rate.largest() else { return Self::default() };
        let packet = u64::from(mtu);
        let held = pipe.delay.most() + most_jitter(pipe);
        let frames = rate.bytes_in(held).bytes() / (packet + AROUND_PACKET) + 1;
        let queued = queue(pipe.queue.limit, rate, packet + AROUND_PACKET);
        let memory = if packet > SHORT_PACKET { LONG_FRAME } else { SHORT_FRAME };
        let bytes = frames.saturating_add(queued).saturating_mul(memory);
        Self { bits: rate.bits_per_second(), bytes, descriptors: 0 }
    }

    /// Returns the sum of both.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            bits: self.bits.saturating_add(other.bits),
            bytes: self.bytes.saturating_add(other.bytes),
            descriptors: self.descriptors.saturating_add(other.descriptors),
        }
    }
}

/// Returns the memory of the values of traces, tables and schedules of a pipe, in bytes.
fn values(change: &PipeChange) -> u64 {
    let length = serde_json::to_string(change).map_or(0, |text| text.len());
    (length.saturating_sub(PLAIN) as u64).saturating_mul(PER_CHARACTER)
}

/// Returns the jitter that is exceeded in rare cases only: four deviations of a normal
/// distribution, eight of those with long tails.
fn most_jitter(pipe: &PipeConfig) -> Duration {
    let times =
        |time: Duration, count: u64| Duration::from_nanos(time.as_nanos().saturating_mul(count));
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

/// Returns the number of frames of `frame` bytes that wait in a full queue.
fn queue(limit: QueueLimit, rate: Rate, frame: u64) -> u64 {
    const DEFAULT: u64 = 50;
    let in_bytes = |size: Size| size.bytes() / frame + 1;
    let in_time = |time| in_bytes(rate.bytes_in(time));
    match limit {
        QueueLimit::Default => in_time(Duration::from_millis(100)).max(DEFAULT),
        QueueLimit::Packets(packets) => u64::from(packets),
        QueueLimit::Bytes(size) => in_bytes(size),
        QueueLimit::Time(time) => in_time(time),
    }
}
