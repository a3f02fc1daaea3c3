//! Traffic models: what is sent when. A model and a named random stream give the same arrivals on
//! every machine, so that virtual frames of a pipe, processes in nodes and a simulation draw alike.
//!
//! A [`Model`] is what a scenario says; a [`Source`] is that model at work: a state machine that
//! gives one [`Emission`] after the other, in virtual time from 0. Models that send while something
//! is on are made of [`Burst`]s: [`Bursts`] are what a TCP sender needs, and [`Fluid`] is the rate
//! of all of them together, in steps. All three have the same bursts for the same stream.
//!
//! | module | what lives there |
//! |---|---|
//! | `emission` | what a source gives: [`Emission`], [`Burst`], [`RateStep`] |
//! | `source` | the state machines: [`Source`], [`Bursts`], [`Fluid`] |
//! | `model` | the models, one file each, and what can be written: [`Model`] |
//! | `distribution` | durations and sizes, one file a distribution: [`Distribution`], [`Law`] |
//! | `sizes` | lengths of frames: [`Sizes`] |
//! | `load` | rates, absolute or as a share of a line: [`Load`], [`Line`] |
//! | `pace` | times of bits at a rate, exact: [`Pace`] |
//! | `train`, `fluid` | frames, and the rate, of the bursts that are on |
//! | `transfer` | what is sent over TCP, a connection each: [`Transfers`] |
//! | `receivers` | who receives, where a group does: [`Receivers`] |
//! | `files` | reading in the files that models name |
//! | `recorded` | arrivals from files: [`Arrivals`] |
//! | `capture` | frames of captures, with other addresses: [`CaptureReader`], [`Rewriter`] |
//! | `estimate` | what a measured series says: [`Series`], [`wavelet_hurst`] |
//! | `moments` | mean and variance of a model: [`Moments`] |
//!
//! Not here: sockets, clocks, files (whoever holds them gives their text or bytes).

mod capture;
mod distribution;
mod emission;
mod estimate;
mod files;
mod fluid;
mod load;
mod model;
mod moments;
mod pace;
mod receivers;
mod recorded;
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
pub use estimate::{HurstEstimate, Series, VariancePoint, variance_time_hurst, wavelet_hurst};
pub use load::{Line, Load};
pub use model::{
    ArrivalsConfig, BulkConfig, CbrConfig, Exchange, Exchanges, Flow, FlowList, Flows, FlowsConfig,
    HttpConfig, HttpHead, Model, ModelKeys, OnOffConfig, Pictures, PingConfig, PoissonConfig,
    PpbpConfig, RateList, RatesConfig, ReplayConfig, Start, TraceConfig, TrafficError, VbrConfig,
};
pub use moments::Moments;
pub use pace::Pace;
pub use receivers::Receivers;
pub use recorded::Arrivals;
pub use sizes::{SizeLaw, SizeList, Sizes, WeightedSize};
pub use source::{Bursts, Fluid, Source};
pub use transfer::{Extent, Transfer, Transfers};
