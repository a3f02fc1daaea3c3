//! Numbers of the standard normal distribution, made from uniform numbers and from hashes.

use netloom_units::mix;

/// Returns the quantile of the standard normal distribution: the number below which a share `p` of
/// all numbers lies. `p` is between 0 and 1, both excluded. This is PPND16 of algorithm AS 241
/// (Wichura 1988), with a relative error of some 10⁻¹⁶.
pub(crate) fn quantile(p: f64) -> f64 {
    let q = p - 0.5;
    if q.abs() <= 0.425 {
        let r = 0.180_625 - q * q;
        return q * ratio(r, &CENTRE);
    }
    let tail = if q < 0.0 { p } else { 1.0 - p };
    let r = libm::sqrt(-libm::log(tail));
    let value = if r <= 5.0 { ratio(r - 1.6, &TAIL) } else { ratio(r - 5.0, &FAR_TAIL) };
    libm::copysign(value, q)
}

/// Returns a normal number that depends only on a seed and three numbers.
pub(crate) fn hashed(seed: u64, a: u64, b: u64, c: u64) -> f64 {
    // Odd constants spread neighbouring numbers before each is mixed in.
    let hash = [a, b, c].into_iter().fold(seed, |hash, value| {
        mix(hash.wrapping_add(value.wrapping_mul(0x9e37_79b9_7f4a_7c15)) ^ 0x6a09_e667_f3bc_c909)
    });
    // Use the middles of 2⁵² equal intervals, so that the share is never 0 or 1.
    quantile(((hash >> 12) as f64 + 0.5) * (1.0 / (1u64 << 52) as f64))
}

/// Coefficients of the numerator and the denominator of a rational function, constant terms first.
type Rational = [[f64; 8]; 2];

fn ratio(r: f64, rational: &Rational) -> f64 {
    let [numerator, denominator] = rational.map(|coefficients| {
        coefficients.iter().rev().fold(0.0, |sum, coefficient| sum * r + coefficient)
    });
    numerator / denominator
}

const CENTRE: Rational = [
    [
        3.387_132_872_796_366_5e0,
        1.331_416_678_917_843_8e2,
        1.971_590_950_306_551_3e3,
        1.373_169_376_550_946e4,
        4.592_195_393_154_987e4,
        6.726_577_092_700_87e4,
        3.343_057_558_358_813e4,
        2.509_080_928_730_122_7e3,
    ],
    [
        1.0,
        4.231_333_070_160_091e1,
        6.871_870_074_920_579e2,
        5.394_196_021_424_751e3,
        2.121_379_430_158_66e4,
        3.930_789_580_009_271e4,
        2.872_908_573_572_194_3e4,
        5.226_495_278_852_854e3,
    ],
];

const TAIL: Rational = [
    [
        1.423_437_110_749_683_5e0,
        4.630_337_846_156_546e0,
        5.769_497_221_460_691e0,
        3.647_848_324_763_204_5e0,
        1.270_458_252_452_368_4e0,
        2.417_807_251_774_506e-1,
        2.272_384_498_926_918_4e-2,
        7.745_450_142_783_414e-4,
    ],
    [
        1.0,
        2.053_191_626_637_759e0,
        1.676_384_830_183_803_8e0,
        6.897_673_349_851e-1,
        1.481_039_764_274_800_8e-1,
        1.519_866_656_361_645_7e-2,
        5.475_938_084_995_345e-4,
        1.050_750_071_644_416_9e-9,
    ],
];

const FAR_TAIL: Rational = [
    [
        6.657_904_643_501_103e0,
        5.463_784_911_164_114e0,
        1.784_826_539_917_291_3e0,
        2.965_605_718_285_048_7e-1,
        2.653_218_952_657_612_4e-2,
        1.242_660_947_388_078_4e-3,
        2.711_555_568_743_487_6e-5,
        2.010_334_399_292_288_1e-7,
    ],
    [
        1.0,
        5.998_322_065_558_879e-1,
        1.369_298_809_227_358e-1,
        1.487_536_129_085_061_5e-2,
        7.868_691_311_456_133e-4,
        1.846_318_317_510_054_8e-5,
        1.421_511_758_316_446e-7,
        2.044_263_103_389_939_8e-15,
    ],
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_normal_distribution() {
        for p in [1e-12, 1e-6, 0.01, 0.07, 0.3, 0.5, 0.65, 0.93, 0.9999] {
            let back = 0.5 * libm::erfc(-quantile(p) / std::f64::consts::SQRT_2);
            assert!((back / p - 1.0).abs() < 1e-12, "{p}: {back}");
        }
        assert_eq!(quantile(0.5), 0.0);
    }

    #[test]
    fn hashed_numbers_are_normal_and_independent() {
        let value = |a: u64, b: u64| hashed(7, a, b, 0);
        let all: Vec<_> = (0..100).flat_map(|a| (0..100).map(move |b| value(a, b))).collect();
        let mean = all.iter().sum::<f64>() / 1e4;
        let variance = all.iter().map(|z| z * z).sum::<f64>() / 1e4;
        let neighbours: f64 = all.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>() / 1e4;
        // The standard errors are 0.01, 0.014 and 0.01. The bounds are three and a half of them.
        assert!(mean.abs() < 0.035 && (variance - 1.0).abs() < 0.05, "{mean}, {variance}");
        assert!(neighbours.abs() < 0.035, "{neighbours}");
    }
}
