//! What the tests share.

use netloom_traffic::{Emission, Model, Sizes, Source};
use netloom_units::Stream;

/// The model that is written as `json`.
pub fn model(json: &str) -> Model {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"))
}

/// Why `json` is no model.
pub fn refused(json: &str) -> String {
    serde_json::from_str::<Model>(json).expect_err(json).to_string()
}

/// The model `json` at work, with full frames.
pub fn source(json: &str, seed: u64) -> Source {
    sized(json, Sizes::default(), seed)
}

/// The model `json` at work, with frames of `sizes`.
pub fn sized(json: &str, sizes: Sizes, seed: u64) -> Source {
    model(json).source(&sizes, None, &Stream::new(seed, "test")).unwrap()
}

/// The frames of the first `seconds`.
pub fn first(source: Source, seconds: f64) -> impl Iterator<Item = Emission> {
    let end = (seconds * 1e9) as u64;
    source.take_while(move |frame| frame.at.as_nanos() < end)
}

/// Bits in the first `seconds`.
pub fn bits(source: Source, seconds: f64) -> f64 {
    first(source, seconds).map(|frame| f64::from(frame.bytes) * 8.0).sum()
}
