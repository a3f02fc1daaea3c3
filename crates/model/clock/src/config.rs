//! What an [`Estimator`](crate::Estimator) takes for granted.

/// What is assumed of clocks, and how much is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Config {
    /// Greatest difference of the rates of two oscillators, in ppb. Crystals are within 100 ppm
    /// each; kernels may measure theirs wrongly at start.
    pub accuracy: u32,
    /// Most that this difference changes within twice `memory`, in ppb.
    pub wander: u32,
    /// How long an exchange says something of the rate, in ns.
    pub memory: u64,
    /// Greatest number of exchanges that are remembered.
    pub exchanges: usize,
}

impl Default for Config {
    fn default() -> Self {
        Self { accuracy: 500_000, wander: 10_000, memory: 15_000_000_000, exchanges: 256 }
    }
}
