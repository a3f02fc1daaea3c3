//! Traffic models, which decide what is sent when. A model and a named random stream give the same
//! arrivals on every machine. Virtual frames of a pipe, processes in nodes and a simulation
//! therefore draw the same values.
//!
//! A [`Model`] is the description in a scenario. A [`FrameSource`] runs it: a state machine that
//! yields one [`Emission`] after the other, in virtual time from 0. Models that send while
//! something is on consist of [`Burst`]s: a TCP sender needs [`Bursts`], and [`Fluid`] is the total
//! rate of all bursts, in steps. All three have the same bursts for the same stream.
//!
//! ```
//! use netloom_traffic::{Model, Sizes};
//! use netloom_units::Stream;
//!
//! // Full frames at 1.2112 Mbit/s: one every 10 ms.
//! let model: Model = serde_json::from_str(r#"{"cbr": {"rate": "1211200bit/s"}}"#)?;
//! let frames = model.source(&Sizes::default(), None, &Stream::new(7, "example"))?;
//! let times: Vec<u64> = frames.take(3).map(|frame| frame.at.as_nanos()).collect();
//! assert_eq!((times[1] - times[0], times[2] - times[1]), (10_000_000, 10_000_000));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | module | contents |
//! |---|---|
//! | `emission` | the values that a source yields: [`Emission`], [`Burst`], [`RateStep`] |
//! | `source` | the state machines: [`FrameSource`], [`Bursts`], [`Fluid`] |
//! | `model` | the models, one file each, and their notation: [`Model`] |
//! | `distribution` | durations and sizes, one file per distribution: [`Distribution`], [`Law`] |
//! | `sizes` | lengths of frames: [`Sizes`] |
//! | `load` | rates, absolute or as a share of a line: [`Load`], [`Line`] |
//! | `pace` | exact times of bits at a rate: [`Pace`] |
//! | `train`, `fluid` | the frames of the active bursts, and their rate |
//! | `transfer` | transfers over TCP, each with its own connection: [`Transfers`] |
//! | `receivers` | the receiver, if there is a group of them: [`Receivers`] |
//! | `files` | loads the files that models name |
//! | `recorded` | arrivals from files: [`Arrivals`] |
//! | `capture` | frames of captures, with other addresses: [`CaptureReader`], [`Rewriter`] |
//! | `estimate` | statistics of a measured series: [`Series`], [`wavelet_hurst`] |
//! | `matrix` | demand matrices: [`DemandMatrix`] |
//! | `share` | what links carry of constant rates along paths: [`share`] |
//! | `moments` | mean and variance of a model: [`Moments`] |
//!
//! Not here: sockets, clocks, and access to files, whose text or bytes the caller provides.

mod capture;
mod distribution;
mod emission;
mod estimate;
mod files;
mod fluid;
mod load;
mod matrix;
mod model;
mod moments;
mod pace;
mod receivers;
mod recorded;
mod share;
mod sizes;
mod source;
mod train;
mod transfer;

pub use capture::{
    Addressed, CaptureError, CaptureReader, FrameFault, LinkType, NoArrivals, RecordedFrame,
    Rewriter, Survey, Unsendable, arrivals, is_capture, packet_bytes,
};
pub use distribution::{
    Amount, Distribution, DurationDistribution, Law, Lognormal, Pareto, Samples, SizeDistribution,
    Uniform, Weibull,
};
pub use emission::{Burst, Emission, RateStep};
pub use estimate::{
    BinCount, FirstOctave, HurstEstimate, MOST_BINS, NoHurst, Series, VariancePoint,
    variance_time_hurst, wavelet_hurst,
};
pub use load::{Line, Load};
pub use matrix::{Demand, DemandMatrix, RateUnit};
pub use model::{
    ArrivalsConfig, BulkConfig, CbrConfig, Exchange, Exchanges, Flow, FlowList, Flows, FlowsConfig,
    HttpConfig, HttpHead, Model, ModelKeys, OnOffConfig, Pictures, PingConfig, PoissonConfig,
    PpbpConfig, RateList, RatesConfig, ReplayConfig, Start, TraceConfig, TrafficError, VbrConfig,
};
pub use moments::Moments;
pub use pace::Pace;
pub use receivers::Receivers;
pub use recorded::Arrivals;
pub use share::{PathDemand, Shares, share};
pub use sizes::{SizeLaw, SizeList, Sizes, WeightedSize};
pub use source::{Bursts, Fluid, FrameSource};
pub use transfer::{Extent, Transfer, Transfers};
