//! Helpers that the tests share.

use netloom_mobility::{Mobility, MobilityError, Surroundings, Trajectory};
use netloom_units::{Duration, Stream, Time};

/// A time in milliseconds.
pub fn at(millis: u64) -> Time {
    Time::ZERO + Duration::from_millis(millis)
}

/// A time in seconds.
pub fn second(seconds: u64) -> Time {
    at(seconds * 1000)
}

/// A model as it is written.
pub fn model(json: &str) -> Mobility {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"))
}

/// Why a model cannot be written so.
pub fn refused(json: &str) -> String {
    serde_json::from_str::<Mobility>(json).unwrap_err().to_string()
}

/// The trajectory of a node of a group.
pub fn try_node(model: &Mobility, seed: u64, node: &str) -> Result<Trajectory, MobilityError> {
    let stream = Stream::new(seed, &format!("{node}/mobility"));
    let group = Stream::new(seed, "group/mobility");
    model.trajectory(&Surroundings {
        node,
        position: None,
        stream: &stream,
        group: &group,
        plane: None,
    })
}

/// The trajectory of a node, drawn up to a time.
pub fn node(model: &Mobility, seed: u64, name: &str, until: Time) -> Trajectory {
    let mut path = try_node(model, seed, name).unwrap();
    path.extend(until);
    path
}

/// The trajectories of many nodes.
pub fn nodes(model: &Mobility, seed: u64, count: usize, until: Time) -> Vec<Trajectory> {
    (0..count).map(|number| node(model, seed, &format!("n{number}"), until)).collect()
}

/// The mean of some numbers.
pub fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}
