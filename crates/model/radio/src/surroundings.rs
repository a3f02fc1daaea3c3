//! What a channel needs beside its own configuration.

use netloom_mobility::Plane;

use crate::LossGrid;

/// Everything that a channel needs in addition to its own configuration.
#[derive(Debug, Clone, Copy, Default)]
pub struct Surroundings<'a> {
    /// Seed of the shadowing.
    pub seed: u64,
    /// Names of the stations, in the order of their numbers. Loss matrices refer to these names.
    pub names: &'a [&'a str],
    /// The plane that converts degrees to metres.
    pub plane: Option<&'a Plane>,
    /// Content of the file of `grid`.
    pub grid: Option<&'a LossGrid>,
}
