//! Which bits of a frame are wrong, given that at least one is. Each bit is wrong with the same
//! probability, independently: the number of wrong bits is binomial and their positions are
//! uniform.
//!
//! Where wrong bits are rare, the distance from one to the next is drawn, with one draw for each
//! wrong bit (geometric skipping; Devroye 1986, ch. X.2). Where they are frequent, 64 bits are
//! decided together, by comparing 64 random numbers with the probability digit by digit. This takes
//! some eight draws of 64 bits.

use crate::Stream;

/// From this probability on, deciding 64 bits together costs less than skipping.
const DENSE: f64 = 1.0 / 32.0;

/// Draws the positions of wrong bits.
#[derive(Debug, Clone, Copy)]
pub(super) struct Flips {
    probability: f64,
    /// Logarithm of the probability that a bit is right.
    log_right: f64,
}

impl Flips {
    /// Creates a source in which each bit is wrong with `probability`.
    pub fn new(probability: f64) -> Self {
        Self { probability, log_right: libm::log1p(-probability) }
    }

    /// Appends the positions of the wrong bits of a frame of `bits` bits to `out`, in order. At
    /// least one bit is wrong. `draw` is uniform below the probability of that, `1 - (1 - p)^bits`,
    /// and decides the first position.
    pub fn draw(&self, bits: u64, draw: f64, stream: &mut Stream, out: &mut Vec<u64>) {
        // Rounding must not put the first wrong bit behind the end.
        let first = self.right_bits_before(draw).min(bits - 1);
        out.push(first);
        if self.probability < DENSE {
            self.sparse(first, bits, stream, out);
        } else {
            self.dense(first + 1, bits, stream, out);
        }
    }

    /// Returns the number of right bits before a wrong one: the inverse of the geometric
    /// distribution function at `u`.
    fn right_bits_before(&self, u: f64) -> u64 {
        (libm::log1p(-u) / self.log_right) as u64
    }

    fn sparse(&self, first: u64, bits: u64, stream: &mut Stream, out: &mut Vec<u64>) {
        let mut wrong = first;
        loop {
            wrong =
                wrong.saturating_add(self.right_bits_before(stream.uniform())).saturating_add(1);
            if wrong >= bits {
                return;
            }
            out.push(wrong);
        }
    }

    fn dense(&self, from: u64, bits: u64, stream: &mut Stream, out: &mut Vec<u64>) {
        for start in (from..bits).step_by(64) {
            let mut word = wrong_of_64(self.probability, stream);
            while word != 0 {
                let wrong = start + u64::from(word.trailing_zeros());
                if wrong >= bits {
                    return;
                }
                out.push(wrong);
                word &= word - 1;
            }
        }
    }
}

/// Returns 64 bits, each set with `probability`. The probability is at least 2⁻¹¹, so 64 binary
/// digits represent it exactly.
fn wrong_of_64(probability: f64, stream: &mut Stream) -> u64 {
    if probability >= 1.0 {
        return u64::MAX;
    }
    let mut digits = (probability * 18_446_744_073_709_551_616.0) as u64;
    // A bit is set if its random number is below the probability. That is the case if the first
    // digit in which they differ is 1 in the probability.
    let (mut set, mut undecided) = (0, u64::MAX);
    while undecided != 0 && digits != 0 {
        let random = stream.bits();
        if digits >> 63 == 1 {
            set |= undecided & !random;
            undecided &= random;
        } else {
            undecided &= !random;
        }
        digits <<= 1;
    }
    set
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Draws the wrong bits of `frames` frames of `bits` bits. Returns how often each number of
    /// wrong bits and each position occurred.
    fn sample(probability: f64, bits: u64, frames: u32) -> (Vec<f64>, Vec<f64>) {
        let (flips, mut stream) = (Flips::new(probability), Stream::new(5, "flips"));
        let hit = -libm::expm1(bits as f64 * libm::log1p(-probability));
        let (mut numbers, mut positions) = (vec![0.0; 9], vec![0.0; bits as usize]);
        for _ in 0..frames {
            let (mut out, draw) = (Vec::new(), stream.uniform() * hit);
            flips.draw(bits, draw, &mut stream, &mut out);
            assert!(out.windows(2).all(|pair| pair[0] < pair[1]) && out[out.len() - 1] < bits);
            numbers[out.len().min(8)] += 1.0;
            out.iter().for_each(|wrong| positions[*wrong as usize] += 1.0);
        }
        (numbers, positions)
    }

    /// Returns the binomial law of `bits` bits given at least one wrong bit, for 1 to 7 wrong bits
    /// and for more.
    fn law(probability: f64, bits: u64) -> Vec<f64> {
        let right = 1.0 - probability;
        let mut law = vec![right.powi(bits as i32)];
        for k in 1..8 {
            law.push(law[k - 1] * (bits - k as u64 + 1) as f64 / k as f64 * probability / right);
        }
        law.push(1.0 - law.iter().sum::<f64>());
        let some = 1.0 - std::mem::take(&mut law[0]);
        law.iter().map(|share| share / some).collect()
    }

    fn chi_square(counts: &[f64], expected: &[f64]) -> f64 {
        let pairs = counts.iter().zip(expected);
        pairs.filter(|(_, e)| **e > 0.0).map(|(n, e)| (n - e).powi(2) / e).sum()
    }

    /// Frames of 480 bits use skipping, with about 2 wrong bits each; frames of 64 bits use whole
    /// words. The numbers are compared with the binomial law (99 % at 7 degrees of freedom: 18.48),
    /// and the positions with the uniform law (479 degrees: 555.0).
    #[test]
    fn numbers_are_binomial_and_positions_uniform() {
        for (probability, bits) in [(0.004, 480), (DENSE, 64)] {
            let (numbers, positions) = sample(probability, bits, 100_000);
            let expected: Vec<f64> = law(probability, bits).iter().map(|p| p * 1e5).collect();
            let statistic = chi_square(&numbers, &expected);
            assert!(statistic < 18.48, "{probability}: {statistic} {numbers:?} {expected:?}");
            let each = positions.iter().sum::<f64>() / bits as f64;
            let statistic = chi_square(&positions, &vec![each; bits as usize]);
            let bound = if bits == 480 { 555.0 } else { 92.01 };
            assert!(statistic < bound, "{probability}: {statistic}");
        }
    }

    #[test]
    fn certain_errors_hit_every_bit() {
        let (mut out, mut stream) = (Vec::new(), Stream::new(1, "all"));
        Flips::new(1.0).draw(1000, 0.5, &mut stream, &mut out);
        assert_eq!(out, (0..1000).collect::<Vec<_>>());
    }

    #[test]
    fn words_hold_the_probability() {
        let mut stream = Stream::new(2, "words");
        for probability in [DENSE, 0.1, 0.5, 0.75, 0.999] {
            let words = 20_000u32;
            let set: u32 =
                (0..words).map(|_| wrong_of_64(probability, &mut stream).count_ones()).sum();
            let bits = f64::from(64 * words);
            let bound = 2.576 * (bits * probability * (1.0 - probability)).sqrt();
            assert!((f64::from(set) - bits * probability).abs() < bound, "{probability}: {set}");
        }
    }
}
