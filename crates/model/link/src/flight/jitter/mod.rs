//! What varies a delay from frame to frame: what can be written, and the draws.
//!
//! | file | what |
//! |---|---|
//! | `shapes` | the distributions that have formulas |
//! | `offsets`, `table` | the ones that are lists |
//! | `noise` | random numbers with a correlation |
//! | `notation` | how a jitter is written |

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

/// What is added to the delay of each frame. The sum never goes below zero.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Jitter {
    /// Where the values come from.
    pub distribution: JitterDistribution,
    /// Correlation of each value with the one before it: first-order autoregression, which leaves
    /// the distribution itself as it is.
    pub correlation: Probability,
}

/// Where the values of a jitter come from.
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
    /// Drawn from these samples, each as likely as the others.
    Empirical(Data<Offsets>),
    /// Drawn from a tc distribution table, scaled to a deviation.
    Table(Data<DistributionTable>, Duration),
    /// These values in this order, over and over.
    Pattern(Data<Offsets>),
}

impl Jitter {
    /// Whether nothing varies.
    pub fn is_none(&self) -> bool {
        self.distribution == JitterDistribution::None
    }
}

/// The jitter of one pipe.
#[derive(Debug)]
pub(super) struct JitterProcess {
    source: Source,
    noise: Noise,
}

/// Where a pipe's values come from; deviations in ns.
#[derive(Debug)]
enum Source {
    None,
    Uniform(f64),
    Normal(f64),
    Pareto(f64),
    ParetoNormal(f64),
    Empirical(Arc<Offsets>),
    Table(Arc<DistributionTable>, Duration),
    /// The values and which one is next.
    Pattern(Arc<Offsets>, usize),
}

impl JitterProcess {
    pub fn new(jitter: &Jitter, stream: &Stream) -> Self {
        let noise = Noise::new(jitter.correlation, stream.fork("jitter"));
        Self { source: Source::new(&jitter.distribution), noise }
    }

    /// Another jitter. The noise behind it goes on.
    pub fn configure(&mut self, jitter: &Jitter) {
        self.source = Source::new(&jitter.distribution);
        self.noise.correlate(jitter.correlation);
    }

    /// Whether the delay varies.
    pub fn is_some(&self) -> bool {
        !matches!(self.source, Source::None)
    }

    /// What to add to the delay of the next frame.
    pub fn next(&mut self) -> Offset {
        let noise = &mut self.noise;
        match &mut self.source {
            Source::None => Offset::ZERO,
            Source::Uniform(spread) => rounded(*spread * shapes::uniform(noise.uniform())),
            Source::Normal(deviation) => rounded(*deviation * shapes::normal(noise.gaussian())),
            Source::Pareto(deviation) => rounded(*deviation * shapes::pareto(noise.uniform())),
            Source::ParetoNormal(deviation) => {
                rounded(*deviation * shapes::paretonormal(noise.gaussian()))
            }
            Source::Empirical(samples) => samples.quantile(noise.uniform()),
            Source::Table(table, deviation) => table.quantile(noise.uniform(), *deviation),
            Source::Pattern(pattern, next) => {
                let offset = pattern.as_slice()[*next];
                *next = (*next + 1) % pattern.as_slice().len();
                offset
            }
        }
    }

    /// The least that can come.
    pub fn shortest(&self) -> Offset {
        match &self.source {
            Source::None => Offset::ZERO,
            Source::Uniform(spread) => rounded(*spread * shapes::uniform(0.0)),
            Source::Normal(deviation) => rounded(*deviation * -shapes::CLIP),
            Source::Pareto(deviation) => rounded(*deviation * shapes::pareto(0.0)),
            Source::ParetoNormal(deviation) => {
                rounded(*deviation * shapes::paretonormal(f64::NEG_INFINITY))
            }
            Source::Empirical(samples) | Source::Pattern(samples, _) => samples.shortest(),
            Source::Table(table, deviation) => table.shortest(*deviation),
        }
    }
}

impl Source {
    fn new(distribution: &JitterDistribution) -> Self {
        use JitterDistribution as Kind;
        let nanos = |deviation: &Duration| deviation.as_nanos() as f64;
        // Whoever builds a pipe checks that its files were read.
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

/// The nearest whole number of nanoseconds.
fn rounded(nanos: f64) -> Offset {
    Offset::from_nanos(libm::round(nanos) as i64)
}
