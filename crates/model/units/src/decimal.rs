//! Exact decimal numbers with a unit. All arithmetic is on integers: `1.5` × 1,000,000 is
//! 1,500,000, never 1,499,999.

use crate::UnitError;

/// The notation of a quantity: its units and their values in base units, largest first.
///
/// The quantities of this crate use this notation. So can those of other tools, whose units have
/// other names.
#[derive(Debug, Clone, Copy)]
pub struct Quantity {
    /// Name of the quantity in messages.
    pub name: &'static str,
    /// Name of the base units in messages, in plural.
    pub base: &'static str,
    /// An example of a valid text.
    pub example: &'static str,
    /// The units and their values, largest first. The last one is the base unit.
    pub units: &'static [(&'static str, u64)],
    /// Other spellings of units. They are accepted, and printed as the standard spelling.
    pub aliases: &'static [(&'static str, &'static str)],
    /// Units that mean different things in different tools, with the unit to write instead.
    pub ambiguous: &'static [(&'static str, &'static str)],
}

impl Quantity {
    /// Parses `text` as a whole number of base units.
    ///
    /// # Errors
    /// If the text is not a valid quantity. Nothing is rounded.
    pub fn parse(&self, text: &str) -> Result<u64, UnitError> {
        let text = text.trim();
        if text.starts_with('-') {
            return Err(UnitError::Negative { text: text.into(), quantity: self.name });
        }
        let (number, unit) = split(text);
        let (digits, fraction) = parse_number(number).ok_or_else(|| self.not_a_number(text))?;
        if unit.is_empty() {
            if digits == 0 && fraction == 0 {
                return Ok(0);
            }
            let example = format!(
                "{number}{}",
                self.example.trim_start_matches(|c: char| { c.is_ascii_digit() || c == '.' })
            );
            return Err(UnitError::NoUnit { text: text.into(), example });
        }
        let worth = self.worth(unit)?;
        let scale = 10u128.pow(fraction);
        let scaled = digits.checked_mul(u128::from(worth)).ok_or_else(|| self.too_large(text))?;
        if scaled % scale != 0 {
            return Err(UnitError::TooFine { text: text.into(), base: self.base });
        }
        u64::try_from(scaled / scale).map_err(|_| self.too_large(text))
    }

    /// Prints `value` in the largest unit that gives a short exact decimal.
    pub fn print(&self, value: u64) -> String {
        let (base_name, _) = self.units[self.units.len() - 1];
        if value == 0 {
            return format!("0{base_name}");
        }
        for (unit, worth) in self.units {
            if value < *worth {
                continue;
            }
            if let Some(number) = short_decimal(value, *worth) {
                return format!("{number}{unit}");
            }
        }
        format!("{value}{base_name}")
    }

    fn worth(&self, unit: &str) -> Result<u64, UnitError> {
        let standard =
            self.aliases.iter().find(|(alias, _)| *alias == unit).map_or(unit, |(_, unit)| unit);
        if let Some((_, worth)) = self.units.iter().find(|(name, _)| *name == standard) {
            return Ok(*worth);
        }
        Err(UnitError::UnknownUnit {
            unit: unit.into(),
            quantity: self.name,
            hint: self.hint(unit),
        })
    }

    fn hint(&self, unit: &str) -> String {
        if let Some((_, meaning)) = self.ambiguous.iter().find(|(name, _)| *name == unit) {
            return (*meaning).into();
        }
        let same = |name: &str| name.eq_ignore_ascii_case(unit);
        if let Some((name, _)) = self.units.iter().find(|(name, _)| same(name)) {
            return format!("did you mean `{name}`?");
        }
        let names: Vec<_> = self.units.iter().rev().map(|(name, _)| format!("`{name}`")).collect();
        format!("the units are {}", names.join(", "))
    }

    fn not_a_number(&self, text: &str) -> UnitError {
        UnitError::NotANumber {
            text: text.into(),
            quantity: self.name,
            example: self.example.into(),
        }
    }

    fn too_large(&self, text: &str) -> UnitError {
        UnitError::OutOfRange { text: text.into(), range: "the number is too large" }
    }
}

/// Splits a text into its leading number and the unit behind it.
pub(crate) fn split(text: &str) -> (&str, &str) {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    (&text[..end], text[end..].trim_start())
}

/// Returns the digits of a plain decimal as one integer, and the number of digits behind the point.
pub(crate) fn parse_number(number: &str) -> Option<(u128, u32)> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    if whole.is_empty() || fraction.contains('.') || number.ends_with('.') {
        return None;
    }
    if whole.len() + fraction.len() > 30 {
        return None;
    }
    let digits = format!("{whole}{fraction}").parse().ok()?;
    Some((digits, u32::try_from(fraction.len()).ok()?))
}

/// Returns `value / worth` as an exact decimal of at most three places, if it has one.
fn short_decimal(value: u64, worth: u64) -> Option<String> {
    let thousandths = u128::from(value) * 1000;
    let worth = u128::from(worth);
    if thousandths % worth != 0 {
        return None;
    }
    let thousandths = thousandths / worth;
    let (whole, rest) = (thousandths / 1000, thousandths % 1000);
    if rest == 0 {
        return Some(whole.to_string());
    }
    Some(format!("{whole}.{rest:03}").trim_end_matches('0').to_string())
}
