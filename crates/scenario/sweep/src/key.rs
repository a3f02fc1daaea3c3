//! Keys of runs: what a result depends on.

use sha2::{Digest, Sha256};

use crate::file::Mode;

/// The keys of the runs of a point.
#[derive(Debug, Clone)]
pub struct RunKeys(Sha256);

impl RunKeys {
    /// Makes keys of a resolved scenario, as JSON without its seed, of how it is run, of the version
    /// of NetLoom, and of the contents of files that the result depends on, each with its name.
    pub fn new<'f>(
        scenario: &[u8],
        mode: Mode,
        version: &str,
        files: impl IntoIterator<Item = (&'f str, [u8; 32])>,
    ) -> Self {
        let mut hash = Sha256::new();
        let mut part = |bytes: &[u8]| {
            // Lengths keep parts apart.
            hash.update((bytes.len() as u64).to_le_bytes());
            hash.update(bytes);
        };
        part(scenario);
        part(if mode == Mode::Simulate { b"simulate" } else { b"emulate" });
        part(version.as_bytes());
        for (name, contents) in files {
            part(name.as_bytes());
            part(&contents);
        }
        Self(hash)
    }

    /// Returns the key of the run with a seed: 64 hexadecimal digits.
    pub fn key(&self, seed: u64) -> String {
        let digest = self.0.clone().chain_update(seed.to_le_bytes()).finalize();
        digest.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Returns the digest of a file's contents.
    pub fn contents(bytes: &[u8]) -> [u8; 32] {
        Sha256::digest(bytes).into()
    }
}
