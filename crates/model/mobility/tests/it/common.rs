//! Helpers that the tests share.

use netloom_mobility::{Mobility, MobilityError, Surroundings, Trajectory};
use netloom_units::{Duration, Stream, Time};

/// Returns a time in milliseconds.
pub fn at(millis: u64) -> Time {
    Time::ZERO + Duration::from_millis(millis)
}

/// Returns a time in seconds.
pub fn second(seconds: u64) -> Time {
    at(seconds * 1000)
}

/// Parses a model.
pub fn model(json: &str) -> Mobility {
    serde_json::from_str(json).unwrap_or_else(|error| panic!("{json}: {error}"))
}

/// Returns the error for a model that cannot be parsed.
pub fn refused(json: &str) -> String {
    serde_json::from_str::<Mobility>(json).unwrap_err().to_string()
}

/// Returns the trajectory of a node of a group.
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

/// Returns the trajectory of a node, drawn up to a time.
pub fn node(model: &Mobility, seed: u64, name: &str, until: Time) -> Trajectory {
    let mut path = try_node(model, seed, name).unwrap();
    path.extend(until);
    path
}

/// Returns the trajectories of many nodes.
pub fn nodes(model: &Mobility, seed: u64, count: usize, until: Time) -> Vec<Trajectory> {
    (0..count).map(|number| node(model, seed, &format!("n{number}"), until)).collect()
}

/// Returns the mean of some numbers.
pub fn mean(values: impl Iterator<Item = f64>) -> f64 {
    let (sum, count) = values.fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    sum / count
}
