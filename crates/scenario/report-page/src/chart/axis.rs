//! Axes with round ticks, in a unit that fits the values. Not here: drawing them.

/// Units, the largest first: the value from which one is used, its size, and its name. The last one
/// is also for all smaller values.
pub type Units = &'static [(f64, f64, &'static str)];

/// Units of values in bit/s.
pub const RATES: Units =
    &[(1e9, 1e9, "Gbit/s"), (1e6, 1e6, "Mbit/s"), (1e3, 1e3, "kbit/s"), (1.0, 1.0, "bit/s")];

/// Units of values in ns.
pub const DELAYS: Units = &[(1e9, 1e9, "s"), (1e6, 1e6, "ms"), (1e3, 1e3, "µs"), (1.0, 1.0, "ns")];

/// Unit of queue lengths.
pub const COUNTS: Units = &[(1.0, 1.0, "frames")];

/// Unit of congestion windows.
pub const PACKETS: Units = &[(1.0, 1.0, "packets")];

/// Unit of values in frames/s.
pub const DROPS: Units = &[(1.0, 1.0, "frames/s")];

/// Prefixes for values in an unknown unit.
pub const PLAIN: Units = &[(1e9, 1e9, "× 10⁹"), (1e6, 1e6, "× 10⁶"), (1.0, 1.0, "")];

/// Units of times since the network was ready, in ns: minutes from ten on, hours from six.
pub(super) const TIMES: Units =
    &[(2.16e13, 3.6e12, "h"), (6e11, 6e10, "min"), (1e9, 1e9, "s"), (1e6, 1e6, "ms")];

/// An axis that begins at 0.
pub struct Axis {
    /// Name of the unit.
    pub unit: &'static str,
    worth: f64,
    step: f64,
    decimals: usize,
    ticks: u32,
}

impl Axis {
    /// Creates an axis for values up to `most`, which must be above 0, with at most `ticks` ticks
    /// above zero.
    pub fn new(most: f64, units: Units, ticks: u32) -> Self {
        let fits = |(least, _, _): &&(f64, f64, &str)| most >= *least;
        let (_, worth, unit) = *units.iter().find(fits).unwrap_or(&units[units.len() - 1]);
        let span = most / worth;
        let (step, decimals) = round_step(span / f64::from(ticks));
        // At most `ticks`, regardless of rounding errors.
        let ticks = ((span / step).ceil() as u32).clamp(1, ticks);
        Self { unit, worth, step, decimals, ticks }
    }

    /// Returns the value of the highest tick.
    pub fn top(&self) -> f64 {
        f64::from(self.ticks) * self.step * self.worth
    }

    /// Returns the values and labels of the ticks, 0 included.
    pub fn ticks(&self) -> impl Iterator<Item = (f64, String)> {
        (0..=self.ticks).map(|index| {
            let value = f64::from(index) * self.step;
            (value * self.worth, format!("{value:.*}", self.decimals))
        })
    }
}

/// Returns the smallest of 1, 2 and 5 times a power of ten that is not below `least`, and its
/// number of decimals.
fn round_step(least: f64) -> (f64, usize) {
    let (mut decade, mut decimals) = (1.0, 0);
    while decade * 10.0 <= least {
        decade *= 10.0;
    }
    while decade > least && decimals < 12 {
        decade /= 10.0;
        decimals += 1;
    }
    match [1.0, 2.0, 5.0].map(|factor| factor * decade).into_iter().find(|step| *step >= least) {
        Some(step) => (step, decimals),
        None => (10.0 * decade, decimals.saturating_sub(1)),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ticks_are_round() {
        let texts = |most, units| {
            let axis = Axis::new(most, units, 3);
            let ticks: Vec<String> = axis.ticks().map(|(_, text)| text).collect();
            format!("{} {}", ticks.join(" "), axis.unit)
        };
        assert_eq!(texts(9.7e6, RATES), "0 5 10 Mbit/s");
        assert_eq!(texts(1.2e9, RATES), "0.0 0.5 1.0 1.5 Gbit/s");
        assert_eq!(texts(300.0, RATES), "0 100 200 300 bit/s");
        assert_eq!(texts(0.02, COUNTS), "0.00 0.01 0.02 frames");
        assert_eq!(texts(4.2e4, DELAYS), "0 20 40 60 µs");
    }

    proptest! {
        /// The highest tick is not below the highest value, and not far above.
        #[test]
        fn all_values_are_on_the_axis(most in 1e-6f64..1e18, ticks in 2u32..12) {
            let axis = Axis::new(most, RATES, ticks);
            prop_assert!(axis.top() >= most * (1.0 - 1e-9), "{} < {most}", axis.top());
            prop_assert!(axis.ticks().count() <= ticks as usize + 1);
            // The step is at most 2.5 times the smallest sufficient one, and the top at most one
            // step higher.
            prop_assert!(axis.top() <= most * 3.5 * (1.0 + 1e-9));
        }
    }
}
