//! Parts of all cases: links that serve whole frames, and flows.

use netloom_link::{Emission, Framing, PipeConfig, QueueLimit, RateLimit, Stream};
use netloom_symbiosis::rehearsal::{Lag, Method, Scene, SceneLink};
use netloom_traffic::{CbrConfig, Model, PoissonConfig, Sizes};
use netloom_units::{Duration, Rate, Time};

/// Bytes of each frame.
pub const FRAME: u32 = 1500;

/// Bits of each frame.
pub const BITS: f64 = 12_000.0;

/// The small networks that are compared, with their names.
pub const FOLLOWERS: [(&str, Method, Lag); 4] = [
    ("md1, lag 0", Method::MD1, Lag::None),
    ("md1, lag 1", Method::MD1, Lag::Period),
    ("cross, lag 0", Method::CrossTraffic, Lag::None),
    ("cross, lag 1", Method::CrossTraffic, Lag::Period),
];

/// How frames of a flow arrive.
#[derive(Clone, Copy, PartialEq)]
pub enum Arrivals {
    Poisson,
    Constant,
}

/// A line of so many bit/s with room for so many frames.
pub fn line(bits: f64, frames: u32) -> PipeConfig {
    let mut config = PipeConfig { framing: Framing::None, ..PipeConfig::default() };
    config.rate = RateLimit::Limited(rate(bits));
    config.queue.limit = QueueLimit::Packets(frames);
    config
}

/// A path of `links` for `real`, with a period of a second.
pub fn scene(links: Vec<(PipeConfig, Vec<Emission>)>, real: Vec<Emission>, seed: u64) -> Scene {
    let links = links.into_iter().map(|(config, cross)| SceneLink { config, cross }).collect();
    Scene { links, real, full: FRAME, period: Duration::from_secs(1), seed }
}

/// Frames at so many bit/s between two seconds.
pub fn flow(
    arrivals: Arrivals,
    bits: f64,
    seconds: (u64, u64),
    seed: u64,
    name: &str,
) -> Vec<Emission> {
    let rate = Some(rate(bits));
    let model = match arrivals {
        Arrivals::Poisson => Model::Poisson(PoissonConfig { rate, load: None }),
        Arrivals::Constant => Model::Cbr(CbrConfig { rate, load: None }),
    };
    frames(&model, &Sizes::Constant(FRAME), seconds, seed, name)
}

/// Frames of a model between two seconds.
pub fn frames(
    model: &Model,
    sizes: &Sizes,
    (from, to): (u64, u64),
    seed: u64,
    name: &str,
) -> Vec<Emission> {
    let mut source = model.source(sizes, None, &Stream::new(seed, name)).expect("a model");
    let from = Duration::from_secs(from);
    let moved = move |frame: Emission| Emission { at: frame.at + from, ..frame };
    let end = Time::ZERO + Duration::from_secs(to);
    let all = std::iter::from_fn(move || source.next()).map(moved);
    all.take_while(|frame| frame.at < end).collect()
}

pub fn rate(bits: f64) -> Rate {
    Rate::from_bits_per_second(bits.round() as u64).expect("a rate")
}
