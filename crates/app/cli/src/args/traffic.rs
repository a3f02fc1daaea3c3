//! The options of `netloom traffic`.

use std::path::PathBuf;

use clap::{Args, Subcommand};
use netloom_link::Framing;
use netloom_units::{Duration, Rate};

use super::Format;

/// `netloom traffic`
#[derive(Debug, Subcommand)]
pub enum Traffic {
    /// List the models.
    Models,
    /// Write the arrivals of a model into a file.
    Generate(Generate),
    /// Estimate mean, variance and Hurst parameter of recorded arrivals, beside those of a model.
    Check(Check),
}

/// Data that a model needs beside its parameters.
#[derive(Debug, Args)]
pub struct ModelOptions {
    /// Lengths of frames, as in a scenario: `1514B` (default), `imix`, or a list with weights.
    #[arg(long, value_name = "SIZE")]
    pub size: Option<String>,
    /// The rate of the line that loads in percent are a share of.
    #[arg(long, value_name = "RATE")]
    pub line: Option<Rate>,
    /// Cost of each frame on that line beside its own bytes.
    #[arg(long, value_name = "FRAMING", default_value = "ethernet")]
    pub framing: Framing,
}

/// `netloom traffic generate`
#[derive(Debug, Args)]
pub struct Generate {
    /// The model as in a scenario, like `poisson: {rate: 1Mbit/s}`.
    #[arg(value_name = "MODEL")]
    pub model: String,
    /// For how long it sends.
    #[arg(long = "for", value_name = "TIME", default_value = "60s")]
    pub time: Duration,
    /// Where the arrivals go: a capture of headers if it ends in `.pcap`, else lines of seconds and
    /// bytes; `-` for standard output.
    #[arg(short, long, value_name = "FILE|-")]
    pub output: PathBuf,
    /// Seed of the random numbers.
    #[arg(long, default_value_t = 1)]
    pub seed: u64,
    /// Name of the stream of random numbers.
    #[arg(long, value_name = "NAME", default_value = "traffic")]
    pub stream: String,
    /// Data that the model needs beside its parameters.
    #[command(flatten)]
    pub options: ModelOptions,
}

/// `netloom traffic check`
#[derive(Debug, Args)]
pub struct Check {
    /// Lines of seconds and bytes, or a capture (pcap, pcapng), whose first frame is at 0.
    #[arg(value_name = "FILE")]
    pub file: PathBuf,
    /// The model to compare with, as in a scenario.
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// How long a bin is. A recording has at most 16777216 of them.
    #[arg(long, value_name = "TIME", default_value = "10ms")]
    pub bin: Duration,
    /// How long the recording is; by default up to its last frame.
    #[arg(long = "for", value_name = "TIME")]
    pub time: Option<Duration>,
    /// The first octave that the Hurst parameter is fitted to; octave j is 2^j bins long. It should
    /// be longer than bursts. By default, octaves are left out that are shorter than four bursts of
    /// the model, and those before which the others lie on no line.
    #[arg(long, value_name = "OCTAVE", value_parser = clap::value_parser!(u32).range(1..=30))]
    pub from: Option<u32>,
    /// Data that the model needs beside its parameters.
    #[command(flatten)]
    pub options: ModelOptions,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}
