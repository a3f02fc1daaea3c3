//! Demand matrices: how much traffic each node sends to each other one. Not here: the nodes that
//! the names stand for, and flows (`netloom-scenario`); what links carry of them
//! ([`share`](crate::share())).
//!
//! | module | contents |
//! |---|---|
//! | `found` | the demands of a file, checked one by one: [`Demand`] |
//! | `table` | rows `from,to,rate`, and square tables |
//! | `sndlib` | the section `DEMANDS` of SNDlib's native format |

mod found;
mod sndlib;
mod table;

use netloom_units::{DataError, DataFormat, Rate};
use serde::{Deserialize, Serialize};

pub use found::Demand;
use found::Found;

/// The demands of a file, in its order. Each pair of nodes has at most one, and none is of 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DemandMatrix {
    /// The demands.
    pub demands: Vec<Demand>,
}

/// The unit of a matrix.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub enum RateUnit {
    /// Bits per second.
    #[serde(rename = "bit/s")]
    Bit,
    /// 1,000 bit/s.
    #[serde(rename = "kbit/s")]
    Kilobit,
    /// 1,000,000 bit/s.
    #[serde(rename = "Mbit/s")]
    Megabit,
    /// 1,000,000,000 bit/s.
    #[serde(rename = "Gbit/s")]
    Gigabit,
}

impl RateUnit {
    /// Returns `amount` of this unit as a rate, to the nearest bit/s. `None` if that is 0 or above
    /// [`Rate::MAX`].
    pub fn rate(self, amount: f64) -> Option<Rate> {
        let unit = match self {
            Self::Bit => 1.0,
            Self::Kilobit => 1e3,
            Self::Megabit => 1e6,
            Self::Gigabit => 1e9,
        };
        // A number beyond the range becomes its limit, which is beyond `Rate::MAX`.
        Rate::from_bits_per_second((amount * unit).round() as u64)
    }
}

impl DataFormat for DemandMatrix {
    const WHAT: &'static str = "demand matrix";

    fn parse(text: &str) -> Result<Self, DataError> {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        let mut found = Found::default();
        if sndlib::is_native(text) {
            sndlib::parse(text, &mut found)?;
        } else {
            table::parse(text, &mut found)?;
        }
        if found.demands.is_empty() {
            let message = "it has no demand above 0; write rows `from,to,rate`".to_owned();
            return Err(DataError::Whole(message));
        }
        Ok(Self { demands: found.demands })
    }
}
