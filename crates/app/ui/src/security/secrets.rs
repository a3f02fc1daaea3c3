//! Random words that nobody can guess, and comparing them without telling how far they agree.

use std::fs::File;
use std::io::Read;

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};

/// Returns a word of 256 random bits, in 64 hexadecimal digits.
///
/// # Errors
/// The kernel gives no random bits.
pub fn word() -> Result<String> {
    let mut bits = [0; 32];
    let read = File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bits));
    read.context("cannot read random bits from /dev/urandom")?;
    Ok(hex(&bits))
}

/// Returns bytes in hexadecimal digits.
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A secret, by its digest. Comparing digests takes the same time wherever the words differ.
#[derive(Debug, Clone, Copy)]
pub struct Secret([u8; 32]);

impl Secret {
    /// Returns the secret of a word.
    pub fn of(word: &str) -> Self {
        Self(Sha256::digest(word.as_bytes()).into())
    }

    /// Whether both are the same.
    pub fn is(&self, other: &Self) -> bool {
        let differences = self.0.iter().zip(&other.0).map(|(a, b)| a ^ b);
        differences.fold(0, |all, one| all | one) == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_long_and_differ() {
        let (a, b) = (word().unwrap(), word().unwrap());
        assert_eq!((a.len(), b.len()), (64, 64));
        assert_ne!(a, b);
        assert!(Secret::of(&a).is(&Secret::of(&a)));
        assert!(!Secret::of(&a).is(&Secret::of(&b)));
    }
}
