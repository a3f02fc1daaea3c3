//! Bit errors of OFDM with the convolutional code of length K = 7. The functions compute the bit
//! errors before decoding, and the union bound of the errors after decoding (Frenger, Orten &
//! Ottosson 1999).

/// A punctured code, with the first terms of its weight spectrum.
pub(super) struct Code {
    /// Divisor of the sum: two times the number of bits that enter the code in one step.
    divisor: f64,
    /// Hamming weight of the first term.
    first: i32,
    /// Difference between the weights of one term and the next.
    step: i32,
    /// Number of wrong bits on all paths of each weight together.
    weights: [f64; 10],
}

/// The code of rate ½. All its paths have even weights.
pub(super) const HALF: Code = Code {
    divisor: 2.0,
    first: 10,
    step: 2,
    weights: [
        36.0,
        211.0,
        1404.0,
        11_633.0,
        77_433.0,
        502_690.0,
        3_322_763.0,
        21_292_910.0,
        134_365_911.0,
        0.0,
    ],
};

/// The code of rate ⅔.
pub(super) const TWO_THIRDS: Code = Code {
    divisor: 4.0,
    first: 6,
    step: 1,
    weights: [
        3.0,
        70.0,
        285.0,
        1276.0,
        6160.0,
        27_128.0,
        117_019.0,
        498_860.0,
        2_103_891.0,
        8_784_123.0,
    ],
};

/// The code of rate ¾.
pub(super) const THREE_QUARTERS: Code = Code {
    divisor: 6.0,
    first: 5,
    step: 1,
    weights: [
        42.0,
        201.0,
        1492.0,
        10_469.0,
        62_935.0,
        379_644.0,
        2_253_373.0,
        13_073_811.0,
        75_152_755.0,
        428_005_675.0,
    ],
};

/// Returns the bit error rate of BPSK without a code.
pub(super) fn bpsk(sinr: f64) -> f64 {
    0.5 * libm::erfc(libm::sqrt(sinr))
}

/// Returns the bit error rate of QPSK without a code.
pub(super) fn qpsk(sinr: f64) -> f64 {
    0.5 * libm::erfc(libm::sqrt(sinr / 2.0))
}

/// Returns the bit error rate of 16-QAM without a code.
pub(super) fn qam16(sinr: f64) -> f64 {
    0.375 * libm::erfc(libm::sqrt(sinr / 10.0))
}

/// Returns the bit error rate of 64-QAM without a code.
pub(super) fn qam64(sinr: f64) -> f64 {
    7.0 / 24.0 * libm::erfc(libm::sqrt(sinr / 42.0))
}

/// Returns the logarithm of the probability that a bit survives decoding. `error` is the bit error
/// rate before the decoder.
pub(super) fn log_success(error: f64, code: &Code) -> f64 {
    // Chernoff's bound for a wrong path: a factor of √(4p(1−p)) for each bit in which it differs.
    let chernoff = 2.0 * libm::sqrt(error * (1.0 - error));
    let ratio = if code.step == 2 { chernoff * chernoff } else { chernoff };
    let sum = code.weights.iter().rev().fold(0.0, |sum, weight| sum * ratio + weight);
    let first = (0..code.first).fold(1.0, |power, _| power * chernoff);
    libm::log1p(-(sum * first / code.divisor).min(1.0))
}
