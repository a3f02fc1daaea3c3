//! Random numbers by name. They are the same for the same seed and name, on any machine, for ever.
//! Not here: any ambient source of randomness.

use std::fmt::Display;

use rand_core::Rng;
use rand_pcg::Pcg64;

/// One stream of random numbers (PCG XSL RR 128/64; O'Neill 2014).
///
/// State and increment are both derived from the experiment's seed and the stream's name. Adding a
/// pipe therefore never changes another pipe's random numbers.
///
/// Most pipes have more streams than they use, so the generator's state is not made before the
/// first number is drawn.
#[derive(Debug, Clone)]
pub struct Stream {
    /// The seed of the generator.
    origin: u64,
    generator: Option<Box<Pcg64>>,
}

impl Stream {
    /// Returns the stream called `name` of the experiment with `seed`.
    pub fn new(seed: u64, name: &str) -> Self {
        Self::from_origin(fnv1a(name.as_bytes()) ^ SplitMix(seed).next())
    }

    /// Returns the stream of one pipe of the link called `link`. A simulation and the data plane
    /// draw the same numbers for it.
    pub fn of_pipe(seed: u64, link: &str, direction: impl Display) -> Self {
        Self::new(seed, &format!("{link}/{direction}"))
    }

    /// Returns a stream for `purpose` that is independent of the numbers drawn from this one. Each
    /// stage of a pipe has its own, so that turning a model on changes no other model's numbers.
    #[must_use]
    pub fn fork(&self, purpose: &str) -> Self {
        Self::from_origin(fnv1a(purpose.as_bytes()) ^ SplitMix(self.origin).next())
    }

    const fn from_origin(origin: u64) -> Self {
        Self { origin, generator: None }
    }

    /// Draws the next number, uniform in [0, 1), a multiple of 2⁻⁵³.
    #[inline]
    pub fn uniform(&mut self) -> f64 {
        (self.bits() >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// Returns `true` with `probability`. A certain result draws no number.
    #[inline]
    pub fn chance(&mut self, probability: f64) -> bool {
        probability > 0.0 && (probability >= 1.0 || self.uniform() < probability)
    }

    /// Draws the next whole number, uniform below `bound`, which must not be zero (Lemire 2019:
    /// exact).
    pub fn below(&mut self, bound: u64) -> u64 {
        let unbiased = bound.wrapping_neg() % bound;
        loop {
            let wide = u128::from(self.bits()) * u128::from(bound);
            if wide as u64 >= unbiased {
                return (wide >> 64) as u64;
            }
        }
    }

    /// Draws the next number of the standard normal distribution (Box and Muller 1958).
    pub fn gaussian(&mut self) -> f64 {
        let radius = libm::sqrt(-2.0 * libm::log(1.0 - self.uniform()));
        radius * libm::cos(std::f64::consts::TAU * self.uniform())
    }

    /// Draws the next 64 random bits.
    #[inline]
    pub fn bits(&mut self) -> u64 {
        let origin = self.origin;
        self.generator.get_or_insert_with(|| seeded(origin)).next_u64()
    }
}

/// Returns a generator whose state and increment are derived from `origin`.
#[cold]
fn seeded(origin: u64) -> Box<Pcg64> {
    let mut mixer = SplitMix(origin);
    let mut wide = || u128::from(mixer.next()) << 64 | u128::from(mixer.next());
    let (state, increment) = (wide(), wide());
    Box::new(Pcg64::new(state, increment))
}

/// FNV-1a with 64 bits (Fowler, Noll, Vo). It is fixed for ever, unlike the standard library's
/// hashers.
fn fnv1a(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3)
    })
}

/// SplitMix64 (Steele, Lea, Flood 2014), which spreads a seed over many bits.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        mix(self.0)
    }
}

/// The finalizer of SplitMix64: every bit of `z` changes about half of the bits of the result.
#[inline]
pub const fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn draws(seed: u64, name: &str) -> Vec<f64> {
        let mut stream = Stream::new(seed, name);
        (0..4).map(|_| stream.uniform()).collect()
    }

    #[test]
    fn streams_depend_on_seed_and_name_only() {
        assert_eq!(draws(1, "a/forward"), draws(1, "a/forward"));
        assert_ne!(draws(1, "a/forward"), draws(1, "a/reverse"));
        assert_ne!(draws(1, "a/forward"), draws(2, "a/forward"));
    }

    /// These values are pinned. A change here would change every stored experiment.
    #[test]
    fn streams_never_change() {
        assert_eq!(fnv1a(b"foobar"), 0x8594_4171_f739_67e8);
        let mut stream = Stream::new(1, "a/forward");
        let first: Vec<u64> = (0..3).map(|_| (stream.uniform() * 1e9) as u64).collect();
        assert_eq!(first, [924_087_665, 612_537_646, 250_425_684]);
    }

    #[test]
    fn numbers_below_a_bound_are_equally_likely() {
        let mut stream = Stream::new(3, "below");
        let mut counts = [0.0f64; 7];
        for _ in 0..70_000 {
            counts[stream.below(7) as usize] += 1.0;
        }
        let chi_square: f64 = counts.iter().map(|n| (n - 1e4).powi(2) / 1e4).sum();
        assert!(chi_square < 16.81, "{chi_square}"); // 99 %, 6 degrees of freedom
        assert_eq!(stream.below(1), 0);
    }

    #[test]
    fn certain_chances_take_no_draw() {
        let (mut asked, mut untouched) = (Stream::new(4, "c"), Stream::new(4, "c"));
        assert!(asked.chance(1.0) && !asked.chance(0.0));
        assert_eq!(asked.bits(), untouched.bits());
    }

    #[test]
    fn mean_is_one_half() {
        let mut stream = Stream::new(7, "mean");
        let mean = (0..100_000).map(|_| stream.uniform()).sum::<f64>() / 1e5;
        // The standard error is 1/√(12·10⁵) = 0.0009; the bound is four of them.
        assert!((mean - 0.5).abs() < 0.0037, "{mean}");
    }
}
