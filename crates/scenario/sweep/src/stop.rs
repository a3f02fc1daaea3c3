//! When a point has enough runs: looks at given numbers of runs.

use crate::interval::Interval;

/// Numbers of seeds at which intervals are looked at. Whoever looks often stops too early by chance,
/// so each look has a share of the 5 % that may be wrong (Bonferroni): the coverage of what is
/// reported is at least nominal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Looks(Vec<u32>);

impl Looks {
    /// Reads `LEAST-MOST`, and looks at each number that is √2 times the one before.
    ///
    /// # Errors
    /// Why it is no span of numbers from 2 on.
    pub fn between(text: &str) -> Result<Self, String> {
        let ends = text.split_once('-').and_then(|(least, most)| {
            Some((least.trim().parse::<u32>().ok()?, most.trim().parse::<u32>().ok()?))
        });
        let (least, most) =
            ends.ok_or_else(|| format!("`{text}` is no span of numbers of seeds"))?;
        if least < 2 || most < least || most > 100_000 {
            return Err(format!("`{text}` is no span from 2 to 100000 at most"));
        }
        let mut looks = Vec::new();
        for half_steps in 0.. {
            let look = f64::from(least) * 2f64.powf(f64::from(half_steps) / 2.0);
            if look.round() >= f64::from(most) {
                break;
            }
            // Few seeds are so close together that steps repeat.
            if looks.last() != Some(&(look.round() as u32)) {
                looks.push(look.round() as u32);
            }
        }
        looks.push(most);
        Ok(Self(looks))
    }

    /// Returns the numbers of seeds.
    pub fn iter(&self) -> impl Iterator<Item = u32> {
        self.0.iter().copied()
    }

    /// Returns the greatest number of seeds.
    pub fn most(&self) -> u32 {
        self.0.last().copied().unwrap_or(0)
    }

    /// Returns the confidence of each look.
    pub fn level(&self) -> f64 {
        1.0 - 0.05 / self.0.len() as f64
    }
}

impl crate::file::Stop {
    /// Whether the mean of these values is known well enough. What the machine may have done to
    /// them is no part of it, since more runs do not lessen it.
    pub fn is_enough(&self, values: &[f64]) -> bool {
        if values.len() < 2 {
            return false;
        }
        let interval = Interval::of(values, self.looks.level());
        let wanted = if self.relative { interval.mean.abs() } else { 1.0 } * self.half_width;
        interval.half.is_some_and(|half| half <= wanted)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn looks_are_half_a_doubling_apart() {
        let looks = Looks::between("5-50").unwrap();
        assert_eq!(looks.iter().collect::<Vec<_>>(), [5, 7, 10, 14, 20, 28, 40, 50]);
        assert_eq!(looks.level(), 1.0 - 0.05 / 8.0);
        assert_eq!(Looks::between("2-2").unwrap().iter().collect::<Vec<_>>(), [2]);
        assert_eq!(Looks::between("2-5").unwrap().iter().collect::<Vec<_>>(), [2, 3, 4, 5]);
        for wrong in ["5", "1-9", "9-5", "a-b", "5-1000000"] {
            assert!(Looks::between(wrong).is_err(), "{wrong}");
        }
    }
}
