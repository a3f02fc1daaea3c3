//! The options of `netloom mobility`.

use std::path::PathBuf;

use clap::Args;
use netloom_mobility::{Geographic, TraceFormat};
use netloom_units::{Duration, Length};

use super::Format;

/// `netloom mobility`
#[derive(Debug, Args)]
pub struct Mobility {
    /// Recorded movements: ns-2, BonnMotion, SUMO's FCD, GPX or CSV.
    #[arg(value_name = "FILE", required_unless_present = "model")]
    pub file: Option<PathBuf>,
    /// The file's format, if it is not to be guessed from its text: ns2, bonnmotion, fcd, gpx, csv.
    #[arg(long, value_name = "FORMAT", requires = "file")]
    pub from: Option<TraceFormat>,
    /// Instead of a file: a model as in a scenario, like
    /// `random_waypoint: {area: [1500m, 300m], speed: [1m/s, 20m/s]}`.
    #[arg(long, value_name = "MODEL", conflicts_with = "file")]
    pub model: Option<String>,
    /// How many nodes move by the model: n1, n2, ….
    #[arg(long, value_name = "N", default_value_t = 50, requires = "model")]
    pub nodes: u32,
    /// Seed of the model's random numbers.
    #[arg(long, default_value_t = 1, requires = "model")]
    pub seed: u64,
    /// Up to when; by default up to the file's last place, or 900 s of a model.
    #[arg(long = "for", value_name = "TIME")]
    pub time: Option<Duration>,
    /// Write the movements in this format: ns2, bonnmotion, fcd, gpx, csv.
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<TraceFormat>,
    /// Where they are written; by default to standard output.
    #[arg(short, long, value_name = "FILE", requires = "to")]
    pub output: Option<PathBuf>,
    /// The file's places are degrees, x the longitude and y the latitude, though its format does
    /// not say so, as FCD that SUMO wrote with `--fcd-output.geo`.
    #[arg(long, requires = "file")]
    pub degrees: bool,
    /// Where places in degrees have the origin of the plane; by default the first place of the
    /// file.
    #[arg(long, value_name = "LAT,LON", value_parser = place)]
    pub origin: Option<Geographic>,
    /// Show what the movements mean for radios of this reach: link changes, neighbours, paths.
    #[arg(long, value_name = "REACH", conflicts_with = "to")]
    pub stats: Option<Length>,
    /// Output format of what is shown.
    #[arg(long, value_enum, default_value = "table")]
    pub format: Format,
}

/// Parses a place like `48.78,9.18`.
fn place(text: &str) -> Result<Geographic, String> {
    let parts = text.split_once(',').ok_or("write latitude and longitude, like `48.78,9.18`")?;
    let degrees = |part: &str| {
        part.trim().parse::<f64>().map_err(|_| format!("`{part}` is no number of degrees"))
    };
    let place = Geographic { lat: degrees(parts.0)?, lon: degrees(parts.1)?, alt: 0.0 };
    place.check().map(|()| place)
}
