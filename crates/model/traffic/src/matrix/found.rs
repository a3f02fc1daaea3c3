//! The demands of a file, found one after the other.

use std::collections::HashMap;

use netloom_units::{DataError, quoted};

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

/// The demands found so far.
#[derive(Default)]
pub(super) struct Found {
    pub demands: Vec<Demand>,
    /// Lines of all pairs, those of 0 included.
    lines: HashMap<(String, String), usize>,
}

impl Found {
    /// Adds a demand of `amount`, a number in text. Demands of 0 are left out.
    pub fn add(
        &mut self,
        line: usize,
        [from, to]: [&str; 2],
        amount: &str,
    ) -> Result<(), DataError> {
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
