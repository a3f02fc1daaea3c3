//! Two things measured by turns, so that a slow moment of the machine meets both, and the ratios
//! of neighbours.

/// Times that each side is measured.
const ROUNDS: usize = 5;

/// Results of a measurement.
#[derive(Debug)]
pub struct Pairs {
    ours: Vec<f64>,
    theirs: Vec<f64>,
}

impl Pairs {
    /// Measures `ours` and `theirs` by turns.
    pub fn measure(mut ours: impl FnMut() -> f64, mut theirs: impl FnMut() -> f64) -> Self {
        let mut pairs = Self { ours: Vec::new(), theirs: Vec::new() };
        for _ in 0..ROUNDS {
            pairs.theirs.push(theirs());
            pairs.ours.push(ours());
        }
        pairs
    }

    /// What was measured otherwise, by turns.
    pub fn of(ours: Vec<f64>, theirs: Vec<f64>) -> Self {
        Self { ours, theirs }
    }

    /// The median of `ours ÷ theirs`.
    pub fn ratio(&self) -> f64 {
        median(&self.ratios())
    }

    fn ratios(&self) -> Vec<f64> {
        self.ours.iter().zip(&self.theirs).map(|(ours, theirs)| ours / theirs).collect()
    }

    /// A line: the median ratio, its range, and the medians behind it.
    pub fn print(&self, what: &str, unit: &str, goal: &str) {
        let mut ratios = self.ratios();
        ratios.sort_unstable_by(f64::total_cmp);
        let (ours, theirs) = (median(&self.ours), median(&self.theirs));
        println!(
            "  {:5.2} ({:.2}–{:.2})  {what}: {ours:.0} ÷ {theirs:.0} {unit}; goal {goal}",
            self.ratio(),
            ratios[0],
            ratios[ratios.len() - 1],
        );
    }
}

/// The middle of `values`.
pub fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}
