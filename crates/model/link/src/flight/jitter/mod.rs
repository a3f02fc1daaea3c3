//! Jitter, the variation of a delay from frame to frame: notation and draws.
//!
//! | file | what |
//! |---|---|
//! | `shapes` | the distributions with formulas |
//! | `offsets`, `table` | the distributions that are lists |
//! | `noise` | correlated random numbers |
//! | `notation` | the notation of a jitter |

mod noise;
mod notation;
mod offsets;
mod shapes;
mod table;

use std::sync::Arc;

use netloom_units::{Data, Duration, Offset, Probability};

use crate::Stream;
use noise::Noise;
pub use offsets::Offsets;
pub use table::DistributionTable;

/// The variation that is added to the delay of each frame. The sum is never negative.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Jitter {
    /// Source of the values.
    pub distribution: JitterDistribution,
    /// Correlation of each value with the one before it: first-order autoregression, which does not
    /// change the distribution itself.
    pub correlation: Probability,
}

/// The source of the values of a jitter.
#[derive(Debug, Clone, PartialEq, Default)]
pub enum JitterDistribution {
    /// No jitter.
    #[default]
    None,
    /// Uniform between minus and plus this much.
    Uniform(Duration),
    /// Normal with mean zero and this standard deviation.
    Normal(Duration),
    /// tc-netem's `pareto` at this deviation: rare large values.
    Pareto(Duration),
    /// tc-netem's `paretonormal` at this deviation: a quarter normal, three quarters Pareto.
    ParetoNormal(Duration),
    /// Samples from which values are drawn, each with the same probability.
    Empirical(Data<Offsets>),
    /// A tc distribution table from which values are drawn, scaled to a deviation.
    Table(Data<DistributionTable>, Duration),
    /// A pattern of values in order, which repeats.
    Pattern(Data<Offsets>),
}

impl Jitter {
    /// Whether there is no jitter.
    pub fn is_none(&self) -> bool {
        self.distribution == JitterDistribution::None
    }
}

/// The jitter of one pipe.
#[derive(Debug)]
pub(super) struct JitterProcess {
    source: JitterSource,
    noise: Noise,
}

/// The source of a pipe's values. Deviations are in ns.
#[derive(Debug)]
enum JitterSource {
    None,
    Uniform(f64),
    Normal(f64),
    Pareto(f64),
    ParetoNormal(f64),
    Empirical(Arc<Offsets>),
    Table(Arc<DistributionTable>, Duration),
    /// The values and the index of the next one.
    Pattern(Arc<Offsets>, usize),
}

impl JitterProcess {
    pub fn new(jitter: &Jitter, stream: &Stream) -> Self {
        let noise = Noise::new(jitter.correlation, stream.fork("jitter"));
        Self { source: JitterSource::new(&jitter.distribution), noise }
    }

    /// Sets another jitter. The noise behind it continues.
    pub fn configure(&mut self, jitter: &Jitter) {
        self.source = JitterSource::new(&jitter.distribution);
        self.noise.correlate(jitter.correlation);
    }

    /// Whether the delay varies.
    pub fn is_some(&self) -> bool {
        !matches!(self.source, JitterSource::None)
    }

    /// Returns the offset to add to the delay of the next frame.
    pub fn next(&mut self) -> Offset {
        let noise = &mut self.noise;
        match &mut self.source {
            JitterSource::None => Offset::ZERO,
            JitterSource::Uniform(spread) => rounded(*spread * shapes::uniform(noise.uniform())),
            JitterSource::Normal(deviation) => {
                rounded(*deviation * shapes::normal(noise.gaussian()))
            }
            JitterSource::Pareto(deviation) => {
                rounded(*deviation * shapes::pareto(noise.uniform()))
            }
            JitterSource::ParetoNormal(deviation) => {
                rounded(*deviation * shapes::paretonormal(noise.gaussian()))
            }
            JitterSource::Empirical(samples) => samples.quantile(noise.uniform()),
            JitterSource::Table(table, deviation) => table.quantile(noise.uniform(), *deviation),
            JitterSource::Pattern(pattern, next) => {
                let offset = pattern.as_slice()[*next];
                *next = (*next + 1) % pattern.as_slice().len();
                offset
            }
        }
    }

    /// The smallest offset that can occur.
    pub fn shortest(&self) -> Offset {
        match &self.source {
            JitterSource::None => Offset::ZERO,
            JitterSource::Uniform(spread) => rounded(*spread * shapes::uniform(0.0)),
            JitterSource::Normal(deviation) => rounded(*deviation * -shapes::CLIP),
            JitterSource::Pareto(deviation) => rounded(*deviation * shapes::pareto(0.0)),
            JitterSource::ParetoNormal(deviation) => {
                rounded(*deviation * shapes::paretonormal(f64::NEG_INFINITY))
            }
            JitterSource::Empirical(samples) | JitterSource::Pattern(samples, _) => {
                samples.shortest()
            }
            JitterSource::Table(table, deviation) => table.shortest(*deviation),
        }
    }
}

impl JitterSource {
    fn new(distribution: &JitterDistribution) -> Self {
        use JitterDistribution as Kind;
        let nanos = |deviation: &Duration| deviation.as_nanos() as f64;
        // Whoever builds a pipe has checked that its files were read.
        let read = |samples: &Data<Offsets>| samples.values().cloned();
        match distribution {
            Kind::None => Self::None,
            Kind::Uniform(spread) => Self::Uniform(nanos(spread)),
            Kind::Normal(deviation) => Self::Normal(nanos(deviation)),
            Kind::Pareto(deviation) => Self::Pareto(nanos(deviation)),
            Kind::ParetoNormal(deviation) => Self::ParetoNormal(nanos(deviation)),
            Kind::Empirical(samples) => read(samples).map_or(Self::None, Self::Empirical),
            Kind::Table(table, deviation) => match table.values() {
                Some(table) => Self::Table(table.clone(), *deviation),
                None => Self::None,
            },
            Kind::Pattern(pattern) => {
                read(pattern).map_or(Self::None, |pattern| Self::Pattern(pattern, 0))
            }
        }
    }
}

/// Rounds to the nearest whole nanosecond.
fn rounded(nanos: f64) -> Offset {
    Offset::from_nanos(libm::round(nanos) as i64)
}
