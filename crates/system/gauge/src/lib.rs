//! Gauges of a machine, with which `netloom calibrate` measures; and the traffic of runs.
//!
//! | module | contents |
//! |---|---|
//! | [`traffic`] | senders that keep a pace and receivers that count, as processes in nodes |
//! | [`generator`] | traffic of a scenario in its nodes, as processes of a run |
//! | [`wake_ups`] | how late sleeping threads wake |
//! | [`disk`] | how fast a file system takes data |
//! | [`memory`] | how much memory there is, and how much nodes and links use |
//! | [`ways`] | the ways to other machines: delays, sizes, clocks |
//! | [`load`] | how busy the CPUs are |
//!
//! Not here: networks and runs (the engine), and conclusions from the figures (`netloom-profile`).

pub mod disk;
pub mod generator;
pub mod load;
pub mod memory;
pub mod traffic;
pub mod wake_ups;
pub mod ways;

/// The value at `share` (0 to 1) of all values, which are in ascending order, by nearest rank. Zero
/// if there are none.
fn percentile(sorted: &[f64], share: f64) -> f64 {
    let rank = (sorted.len() as f64 * share).ceil() as usize;
    sorted.get(rank.clamp(1, sorted.len().max(1)) - 1).copied().unwrap_or(0.0)
}

#[cfg(test)]
mod tests {
    use super::percentile;

    #[test]
    fn percentiles_are_by_nearest_rank() {
        let values: Vec<f64> = (1..=100).map(f64::from).collect();
        assert_eq!(
            [0.0, 0.5, 0.99, 1.0].map(|share| percentile(&values, share)),
            [1.0, 50.0, 99.0, 100.0]
        );
        assert_eq!(percentile(&[], 0.5), 0.0);
    }
}
