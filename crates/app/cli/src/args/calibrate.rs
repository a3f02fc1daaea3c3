//! Arguments of `netloom calibrate`.

use std::path::PathBuf;

use clap::Args;

use super::Format;

/// `netloom calibrate`
#[derive(Debug, Args)]
pub struct Calibrate {
    /// Measure a few networks only, and for a moment each.
    #[arg(long, conflicts_with = "show")]
    pub quick: bool,
    /// Measure what claims of `netloom shape` bear, too; that alone if there is a profile that
    /// holds.
    #[arg(long, conflicts_with = "show")]
    pub shape: bool,
    /// Show what was measured, and whether it still holds.
    #[arg(long)]
    pub show: bool,
    /// The profile's file, written or shown; by default the one that runs use: `$NETLOOM_PROFILE`,
    /// or `/var/lib/netloom/profile.json` for root, or the user's `netloom/profile.json` in
    /// `$XDG_DATA_HOME`.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Output format.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
}
