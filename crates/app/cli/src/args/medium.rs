//! The options of `netloom medium`.

use clap::Args;
use netloom_units::{Duration, Rate};

use super::{Format, ScenarioFile};

/// `netloom medium`
#[derive(Debug, Args)]
pub struct Medium {
    /// The medium, one of `topology.media`.
    #[arg(value_name = "MEDIUM")]
    pub medium: String,
    /// The scenario.
    #[command(flatten)]
    pub scenario: ScenarioFile,
    /// Senders always have something to send: packets of 1500 bytes.
    #[arg(long, required_unless_present = "poisson")]
    pub saturate: bool,
    /// Senders send packets of 1500 bytes at random times, each at this rate, like `200kbit/s`.
    #[arg(long, value_name = "RATE", conflicts_with = "saturate")]
    pub poisson: Option<Rate>,
    /// Length of IP packets in bytes.
    #[arg(long, value_name = "BYTES", default_value_t = 1500,
          value_parser = clap::value_parser!(u32).range(28..=2304))]
    pub size: u32,
    /// How long each trial is, in the medium's own time.
    #[arg(long = "for", value_name = "TIME", default_value = "60s")]
    pub time: Duration,
    /// How many trials, each with another seed.
    #[arg(long, value_name = "N", default_value_t = 5,
          value_parser = clap::value_parser!(u64).range(1..=1000))]
    pub seeds: u64,
    /// How many of the senders send, like `1,2,5,10`; by default all.
    #[arg(long, value_name = "N,…", value_delimiter = ',')]
    pub stations: Vec<usize>,
    /// Stations pass on what they receive to the next one, in the order of the medium's members;
    /// only the first one sends. `--stations 3` has three of them, and two hops. What comes
    /// through is counted from 2 s on, when the chain has filled.
    #[arg(long, requires = "saturate")]
    pub chain: bool,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}
