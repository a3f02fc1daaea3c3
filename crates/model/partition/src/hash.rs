//! A hash that breaks ties.

/// Returns a number that looks random, from two others (SplitMix64: Steele, Lea, Flood 2014).
pub(crate) const fn hash(seed: u64, value: u32) -> u64 {
    let mut bits = (seed ^ (value as u64) << 17).wrapping_add(0x9E37_79B9_7F4A_7C15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    bits ^ (bits >> 31)
}
