//! The traffic models: their notation, and the sources made of them.
//!
//! | file | model |
//! |---|---|
//! | `cbr` | frames at a constant pace |
//! | `poisson` | independent frames |
//! | `on_off` | senders that are on and off by turns |
//! | `ppbp` | bursts that begin as a Poisson process and last by a Pareto distribution |
//! | `trace` | arrivals that were recorded |
//! | `flows`, `flow_list` | transfers that begin independently, drawn or recorded |
//! | `rates` | a rate that changes at given times |
//! | `vbr` | pictures of a video |
//! | `bulk`, `http` | traffic that TCP paces: descriptions only |
//! | `ping` | requests at a constant interval |
//! | `replay` | frames of a capture: a description only |

mod bulk;
mod cbr;
mod error;
mod flow_list;
mod flows;
mod http;
mod http_head;
mod on_off;
mod ping;
mod poisson;
mod ppbp;
mod rates;
mod replay;
mod trace;
mod vbr;

use netloom_units::{DataFile, FileError, Stream, variants};
use serde::{Deserialize, Serialize};

use crate::distribution::Law;
use crate::files;
use crate::source::{Bursts, Fluid, FrameSource};
use crate::{Line, Moments, Pace, Sizes};
pub use bulk::BulkConfig;
pub use cbr::CbrConfig;
pub use error::TrafficError;
pub use flow_list::{Flow, FlowList};
pub use flows::{ArrivalsConfig, Flows, FlowsConfig};
pub use http::{Exchange, Exchanges, HttpConfig};
pub use http_head::HttpHead;
pub(crate) use on_off::OnOffBursts;
pub use on_off::OnOffConfig;
pub use ping::PingConfig;
pub(crate) use ping::Requests;
pub use poisson::PoissonConfig;
pub(crate) use poisson::PoissonFrames;
pub(crate) use ppbp::PpbpBursts;
pub use ppbp::PpbpConfig;
pub use rates::{RateList, RatesConfig};
pub(crate) use rates::{Steps, Varying};
pub use replay::ReplayConfig;
pub(crate) use trace::Recorded;
pub use trace::TraceConfig;
pub(crate) use vbr::Video;
pub use vbr::{Pictures, VbrConfig};

/// How a model begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema), schemars(rename = "ModelStart"))]
#[serde(rename_all = "snake_case")]
pub enum Start {
    /// As if it had run for ever: the first second is like any other.
    #[default]
    Stationary,
    /// With nothing on. A heavy-tailed model takes long to reach its mean.
    Empty,
}

impl Start {
    /// Whether this is the default.
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

/// The operations of every model's configuration.
trait Configured {
    /// Rejects invalid values, independently of the line and the sizes.
    fn check(&self) -> Result<(), String>;
    /// Returns the parts that may come from files.
    fn files(&mut self) -> Vec<&mut dyn DataFile> {
        Vec::new()
    }
    /// Returns the source of the frames that the model sends.
    fn source(&self, given: &Given<'_>) -> Result<FrameSource, TrafficError>;
    /// Returns the bursts in which the model sends, if it does.
    fn bursts(&self, _: &Given<'_>) -> Result<Option<Sending>, TrafficError> {
        Ok(None)
    }
    /// Returns the rate of the model, if it changes in steps for other reasons than its bursts.
    fn fluid(&self, _: &Given<'_>) -> Result<Option<Fluid>, TrafficError> {
        Ok(None)
    }
    /// Returns the mean number of changes per second of the rate as a fluid.
    fn changes(&self, _: &Given<'_>) -> Result<f64, TrafficError> {
        Ok(0.0)
    }
    /// Returns the mean and the variance of the model.
    fn moments(&self, given: &Given<'_>) -> Result<Moments, TrafficError>;
}

/// Bursts, and the rate of each, if it has one.
struct Sending {
    bursts: Bursts,
    pace: Option<Pace>,
}

/// The inputs of a model, in addition to its own parameters.
struct Given<'a> {
    sizes: &'a Sizes,
    line: Option<&'a Line>,
    stream: &'a Stream,
}

/// Declares the models from one table: the enum, and their keys among others in a mapping.
macro_rules! models {
    ($($(#[doc = $doc:literal])* $variant:ident($config:ty) = $key:ident $name:literal;)*) => {
        variants! {
            /// A traffic model and its parameters, written as `{cbr: {rate: 1Mbit/s}}`.
            #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
            #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
            #[serde(try_from = "ModelTable", into = "ModelTable")]
            #[cfg_attr(feature = "schema", schemars(with = "ModelTable"))]
            pub enum Model, written as ModelTable ("Model", "A traffic model."),
                matched by each_model;
            $($(#[doc = $doc])* $variant($config) = $name;)*
        }

        /// Models as keys of a mapping that has others, too; of which one is written.
        #[derive(Debug, Clone, PartialEq, Default, Deserialize)]
        #[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
        #[serde(deny_unknown_fields)]
        pub struct ModelKeys {
            $(
                $(#[doc = $doc])*
                #[serde(rename = $name, default, deserialize_with = "checked")]
                pub $key: Option<$config>,
            )*
        }

        impl ModelKeys {
            /// Returns the models whose keys are present.
            pub fn written(&self) -> Vec<Model> {
                let mut all = Vec::new();
                $(all.extend(self.$key.clone().map(Model::$variant));)*
                all
            }
        }
    };
}

models! {
    /// Frames at a constant rate, with a random phase.
    Cbr(CbrConfig) = cbr "cbr";
    /// Independent frames: gaps are exponential.
    Poisson(PoissonConfig) = poisson "poisson";
    /// Senders that are on and off by turns.
    OnOff(OnOffConfig) = on_off "on_off";
    /// Poisson Pareto burst process (Zukerman, Neame & Addie 2003).
    Ppbp(PpbpConfig) = ppbp "ppbp";
    /// Arrivals as they were recorded.
    Trace(TraceConfig) = trace "trace";
    /// Transfers that begin by themselves.
    Flows(FlowsConfig) = flows "flows";
    /// A rate that changes at given times.
    Rates(RatesConfig) = rates "rates";
    /// Pictures of a video.
    Vbr(VbrConfig) = vbr "vbr";
    /// As much as TCP can send.
    Bulk(BulkConfig) = bulk "bulk";
    /// Requests and responses over TCP.
    Http(HttpConfig) = http "http";
    /// Echo requests at a constant interval.
    Ping(PingConfig) = ping "ping";
    /// Frames of a capture, with their bytes.
    Replay(ReplayConfig) = replay "replay";
}

impl Model {
    fn configured(&self) -> &dyn Configured {
        each_model!(self, config => config)
    }

    fn configured_mut(&mut self) -> &mut dyn Configured {
        each_model!(self, config => config)
    }

    /// Returns the model if its parameters are valid, independently of the line and the sizes.
    ///
    /// # Errors
    /// A description of the fault.
    pub fn checked(self) -> Result<Self, String> {
        self.configured().check().map(|()| self)
    }

    /// Returns all parts that may come from files.
    pub fn files(&mut self) -> Vec<&mut dyn DataFile> {
        self.configured_mut().files()
    }

    /// Loads every file that the model names. `read` returns a file's text.
    ///
    /// # Errors
    /// One for each file that cannot be read or is malformed.
    pub fn load<E>(
        &mut self,
        read: &mut dyn FnMut(&str) -> Result<String, E>,
    ) -> Result<(), Vec<FileError<E>>> {
        let property = self.name();
        files::load(property, self.files(), read)
    }

    /// Whether the model ends by itself.
    pub fn ends(&self) -> bool {
        match self {
            Self::Trace(trace) => trace.repeat.is_none(),
            Self::Flows(flows) => flows.file.is_some(),
            Self::Rates(rates) => rates.file.is_some() && rates.repeat.is_none(),
            Self::Bulk(bulk) => bulk.bytes.is_some(),
            Self::Http(http) => http.requests.is_some(),
            Self::Ping(ping) => ping.count.is_some(),
            Self::Replay(_) => true,
            Self::Cbr(_) | Self::Poisson(_) | Self::OnOff(_) | Self::Ppbp(_) | Self::Vbr(_) => {
                false
            }
        }
    }

    /// Whether what it sends depends on its random numbers, with frames of `sizes`.
    pub fn is_random(&self, sizes: &Sizes) -> bool {
        match self {
            Self::Trace(_) | Self::Bulk(_) | Self::Replay(_) => false,
            Self::Vbr(_) | Self::Ping(_) => !matches!(sizes, Sizes::Constant(_)),
            Self::Flows(FlowsConfig { file: Some(_), .. }) => !matches!(sizes, Sizes::Constant(_)),
            _ => true,
        }
    }

    /// Returns a source that runs the model: frames of `sizes`, with the random numbers of
    /// `stream`, from time 0. A load in percent is a share of `line`.
    ///
    /// # Errors
    /// If a load is a share and there is no line, or if the model has no rate or one that is out of
    /// range.
    pub fn source(
        &self,
        sizes: &Sizes,
        line: Option<&Line>,
        stream: &Stream,
    ) -> Result<FrameSource, TrafficError> {
        self.configured().source(&Given { sizes, line, stream })
    }

    /// Returns the periods in which the model's senders are on, for callers that send in their own
    /// way. The bursts are those of [`Model::source`].
    ///
    /// # Errors
    /// As for [`Model::source`], except that a rate is not needed; and if the model has no bursts.
    pub fn bursts(
        &self,
        sizes: &Sizes,
        line: Option<&Line>,
        stream: &Stream,
    ) -> Result<Bursts, TrafficError> {
        Ok(self.sending(&Given { sizes, line, stream })?.bursts)
    }

    /// Returns the rate of the model, in steps. The bursts are those of [`Model::source`].
    ///
    /// # Errors
    /// As for [`Model::source`], and if the model's rate has no steps.
    pub fn fluid(
        &self,
        sizes: &Sizes,
        line: Option<&Line>,
        stream: &Stream,
    ) -> Result<Fluid, TrafficError> {
        let given = Given { sizes, line, stream };
        if let Some(fluid) = self.configured().fluid(&given)? {
            return Ok(fluid);
        }
        let Sending { bursts, pace } = self.sending(&given)?;
        let pace = pace.ok_or(TrafficError::NoRate { model: self.name() })?;
        Ok(Fluid::of_bursts(bursts, pace))
    }

    /// Returns the mean number of steps of [`Model::fluid`] per second.
    ///
    /// # Errors
    /// As for [`Model::fluid`].
    pub fn rate_changes(&self, sizes: &Sizes, line: Option<&Line>) -> Result<f64, TrafficError> {
        let stream = &Stream::new(0, "");
        self.fluid(sizes, line, stream)?;
        self.configured().changes(&Given { sizes, line, stream })
    }

    /// Returns the bursts of the model, and the rate of each, if it has one.
    pub(crate) fn paced_bursts(
        &self,
        sizes: &Sizes,
        stream: &Stream,
    ) -> Result<(Bursts, Option<Pace>), TrafficError> {
        let Sending { bursts, pace } = self.sending(&Given { sizes, line: None, stream })?;
        Ok((bursts, pace))
    }

    fn sending(&self, given: &Given<'_>) -> Result<Sending, TrafficError> {
        let sending = self.configured().bursts(given)?;
        sending.ok_or(TrafficError::NoBursts { model: self.name() })
    }

    /// Returns the model's mean and variance.
    ///
    /// # Errors
    /// As for [`Model::source`].
    pub fn moments(&self, sizes: &Sizes, line: Option<&Line>) -> Result<Moments, TrafficError> {
        let stream = &Stream::new(0, "");
        self.configured().moments(&Given { sizes, line, stream })
    }
}

/// Decodes a model's parameters and checks them.
fn checked<'de, D, T>(deserializer: D) -> Result<Option<T>, D::Error>
where
    D: serde::Deserializer<'de>,
    T: Configured + Deserialize<'de>,
{
    let config = T::deserialize(deserializer)?;
    config.check().map_err(serde::de::Error::custom)?;
    Ok(Some(config))
}

/// Returns the mean rate in bit/s of a model with `rate` or `load`.
fn mean_rate(
    rate: Option<netloom_units::Rate>,
    load: Option<crate::Load>,
    given: &Given<'_>,
) -> Result<f64, TrafficError> {
    match (rate, load) {
        (Some(rate), _) => Ok(rate.bits_per_second() as f64),
        // The check of the configuration requires one of them.
        (None, None) => Err(TrafficError::NoRate { model: "the model" }),
        (None, Some(load)) => load.bits_per_second(&given.sizes.law()?, given.line),
    }
}

/// Requires exactly one of `rate` and `load`.
fn one_of_rate_and_load(has_rate: bool, has_load: bool) -> Result<(), String> {
    match (has_rate, has_load) {
        (true, true) => Err("one of `rate` and `load`, not both".into()),
        (false, false) => Err("one of `rate` and `load` is needed".into()),
        _ => Ok(()),
    }
}

/// Returns the pace of `rate` bit/s.
fn pace(rate: f64) -> Result<Pace, TrafficError> {
    Pace::from_bits_per_second(rate).ok_or(TrafficError::Extreme { rate })
}

/// Rejects bursts of which less than one in ten thousand holds a frame: a caller would wait long
/// for the next frame.
fn enough(lengths: &Law, pace: Pace, sizes: &Sizes) -> Result<(), TrafficError> {
    const LEAST: f64 = 1e-4;
    let gap = sizes.law()?.mean() * 8e9 / pace.bits_per_second();
    match share_with_frame(lengths, gap) {
        share if share >= LEAST => Ok(()),
        share => Err(TrafficError::TooLittle { share }),
    }
}

/// Returns a lower bound of the share of bursts that hold a frame. A burst of length L holds one
/// with the probability min(1, L/gap), whose mean is ∫₀^gap P(L > x) dx / gap. Lengths are in ns.
fn share_with_frame(lengths: &Law, gap: f64) -> f64 {
    // Steps of 5 %, starting at a billionth of the gap.
    const STEP: f64 = 1.05;
    let (mut from, mut share) = (gap * 1e-9, 0.0);
    while from < gap {
        let to = (from * STEP).min(gap);
        share += (to - from) / gap * (1.0 - lengths.at_most(to));
        from = to;
    }
    share
}
