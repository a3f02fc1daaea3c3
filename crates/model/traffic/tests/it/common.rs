//! Code that the tests share.

use netloom_traffic::{Emission, FrameSource, Model, Sizes};
use netloom_units::Stream;

/// Returns the model that `json` describes.
pub fn model(json: &str) -> Model {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"))
}

/// Returns the reason why `json` is not a model.
pub fn refused(json: &str) -> String {
    serde_json::from_str::<Model>(json).expect_err(json).to_string()
}

/// Returns a source that runs the model `json`, with full frames.
pub fn source(json: &str, seed: u64) -> FrameSource {
    sized(json, Sizes::default(), seed)
}

/// Returns a source that runs the model `json`, with frames of `sizes`.
pub fn sized(json: &str, sizes: Sizes, seed: u64) -> FrameSource {
    model(json).source(&sizes, None, &Stream::new(seed, "test")).unwrap()
}

/// Returns the frames of the first `seconds`.
pub fn first(source: FrameSource, seconds: f64) -> impl Iterator<Item = Emission> {
    let end = (seconds * 1e9) as u64;
    source.take_while(move |frame| frame.at.as_nanos() < end)
}

/// Returns the number of bits in the first `seconds`.
pub fn bits(source: FrameSource, seconds: f64) -> f64 {
    first(source, seconds).map(|frame| f64::from(frame.bytes) * 8.0).sum()
}
