//! The time that the machine itself takes for a frame, taken off the delay of a link.

use std::fmt;
use std::str::FromStr;

use netloom_units::{Duration, UnitError};

/// What is taken off a delay, for the time that kernel and engine take to carry a frame over a link
/// (Zheng 2003, §3.6; Maier 2011, §2.1.3.2). A delay that is no longer stays as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Compensation {
    /// Nothing.
    #[default]
    None,
    /// What was measured on the machine. A pipe takes only values, so whoever makes one resolves
    /// this.
    Calibrated,
    /// So much.
    Time(Duration),
}

impl Compensation {
    /// This, or the time that was measured in the place of [`Calibrated`](Self::Calibrated).
    ///
    /// # Errors
    /// Why nothing was measured, if that is asked for.
    pub fn resolved(self, measured: &Result<Duration, String>) -> Result<Self, String> {
        match self {
            Self::Calibrated => measured.clone().map(Self::Time),
            known => Ok(known),
        }
    }

    /// `delay`, less this.
    pub(super) fn shortens(self, delay: Duration) -> Duration {
        match self {
            Self::Time(time) if delay > time => delay.saturating_sub(time),
            _ => delay,
        }
    }

    /// The least that a delay of at least `least` can be then.
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
