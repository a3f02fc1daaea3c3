//! SHA-256 digests of files.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::ImageError;

/// The digest of a file, in hexadecimal digits.
pub(crate) fn of_file(path: &Path) -> Result<String, ImageError> {
    let read = || -> io::Result<String> {
        let mut file = File::open(path)?;
        let mut hash = Sha256::new();
        let mut buffer = vec![0; 1 << 16];
        loop {
            match file.read(&mut buffer)? {
                0 => return Ok(hex(&hash.finalize())),
                count => hash.update(&buffer[..count]),
            }
        }
    };
    read().map_err(|error| ImageError::file("read", path, error))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
