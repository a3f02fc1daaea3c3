//! The time that the machine itself takes for a frame, which is subtracted from the delay of a
//! link.

use std::fmt;
use std::str::FromStr;

use netloom_units::{Duration, UnitError};

/// The time that is subtracted from a delay, because kernel and engine take time to carry a frame
/// over a link (Zheng 2003, §3.6; Maier 2011, §2.1.3.2). A delay that is not longer stays
/// unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Compensation {
    /// No compensation.
    #[default]
    None,
    /// The time measured on the machine. A pipe accepts only values, so whoever makes one resolves
    /// this.
    Calibrated,
    /// This time.
    Time(Duration),
}

impl Compensation {
    /// Replaces [`Calibrated`](Self::Calibrated) by the measured time.
    ///
    /// # Errors
    /// The measured time is needed but was not measured. The error is the reason in `measured`.
    pub fn resolved(self, measured: &Result<Duration, String>) -> Result<Self, String> {
        match self {
            Self::Calibrated => measured.clone().map(Self::Time),
            known => Ok(known),
        }
    }

    /// Returns `delay` shortened by this time.
    pub(super) fn shortens(self, delay: Duration) -> Duration {
        match self {
            Self::Time(time) if delay > time => delay.saturating_sub(time),
            _ => delay,
        }
    }

    /// Lower bound of a compensated delay, if the delay itself is at least `least`.
    pub(super) fn bound(self, least: Duration) -> Duration {
        match self {
            Self::Time(time) => least.saturating_sub(time),
            Self::None | Self::Calibrated => least,
        }
    }
}

impl FromStr for Compensation {
    type Err = UnitError;
    fn from_str(text: &str) -> Result<Self, UnitError> {
        match text.trim() {
            "none" => Ok(Self::None),
            "calibrated" => Ok(Self::Calibrated),
            time => time.parse().map(Self::Time).map_err(|error| match error {
                UnitError::NotANumber { text, .. } => UnitError::NotANumber {
                    text,
                    quantity: "compensation",
                    example: "calibrated`, `none` or `25us".into(),
                },
                error => error,
            }),
        }
    }
}

impl fmt::Display for Compensation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::None => f.pad("none"),
            Self::Calibrated => f.pad("calibrated"),
            Self::Time(time) => time.fmt(f),
        }
    }
}

netloom_units::text_quantity!(
    Compensation,
    "compensation",
    r"^(none|calibrated|[0-9]+(\.[0-9]+)? *(ns|us|µs|ms|s|min|h))$",
    "`none`, `calibrated`, or a time with its unit, like `25us`.",
    "calibrated"
);
