//! Demand matrices: how much traffic each node sends to each other one. Not here: the nodes that
//! the names stand for, and flows (`netloom-scenario`); what links carry of them ([`crate::share`]).
//!
//! | module | contents |
//! |---|---|
//! | `table` | rows `from,to,rate`, and square tables |
//! | `sndlib` | the section `DEMANDS` of SNDlib's native format |

mod sndlib;
mod table;

use std::collections::HashMap;

use netloom_units::{DataError, DataFormat, Rate, quoted};
use serde::{Deserialize, Serialize};

/// The demands of a file, in its order. Each pair of nodes has at most one, and none is of 0.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct DemandMatrix {
    /// The demands.
    pub demands: Vec<Demand>,
}

/// One demand.
#[derive(Debug, Clone, PartialEq)]
pub struct Demand {
    /// Name of the node that sends.
    pub from: String,
    /// Name of the node that receives.
    pub to: String,
    /// Amount in the unit of the matrix: finite and above 0.
    pub amount: f64,
    /// Line of the file, from 1 on.
    pub line: usize,
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

/// The demands found so far.
#[derive(Default)]
struct Found {
    demands: Vec<Demand>,
    /// Lines of all pairs, those of 0 included.
    lines: HashMap<(String, String), usize>,
}

impl Found {
    /// Adds a demand of `amount`, a number in text. Demands of 0 are left out.
    fn add(&mut self, line: usize, [from, to]: [&str; 2], amount: &str) -> Result<(), DataError> {
        let fault = |message: String| Err(DataError::at(line, message));
        let amount = match amount.parse::<f64>() {
            Ok(amount) if amount.is_finite() && amount >= 0.0 => amount,
            Ok(_) => {
                let what = quoted(amount);
                return fault(format!("{what} is no rate; write a number from 0 on"));
            }
            Err(_) => {
                let what = quoted(amount);
                return fault(format!(
                    "{what} is no number; write rates without a unit, like `12.5`"
                ));
            }
        };
        if from.is_empty() || to.is_empty() {
            return fault("a name is missing; write `from,to,rate`".into());
        }
        if from == to && amount > 0.0 {
            return fault(format!("`{from}` would send to itself; leave it out, or write 0"));
        }
        if let Some(first) = self.lines.insert((from.into(), to.into()), line) {
            return fault(format!(
                "line {first} has a demand from `{from}` to `{to}` already; write their sum once"
            ));
        }
        if amount > 0.0 {
            self.demands.push(Demand { from: from.into(), to: to.into(), amount, line });
        }
        Ok(())
    }
}
