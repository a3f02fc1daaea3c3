//! Authentication and encryption of datagrams, as the two ends of a path see it. Not here: keys and
//! ciphers, which callers bring.

use std::fmt;

/// Seals datagrams, or opens them. Each direction between two machines has a key of its own, and
/// no two datagrams under one key have the same [`Nonce`].
pub trait Seal: fmt::Debug {
    /// Bytes of the tag behind each payload.
    fn tag_bytes(&self) -> usize;

    /// Encrypts the payload in place, and writes the tag behind it: `sealed` is the payload and
    /// room for the tag. The header is authenticated, and stays as it is.
    fn seal(&self, nonce: Nonce, header: &[u8], sealed: &mut [u8]);

    /// Decrypts the payload in place. `sealed` is the payload and the tag, and has at least the
    /// bytes of the tag.
    ///
    /// # Errors
    /// If the tag does not fit. The payload is then undefined.
    fn open(&self, nonce: Nonce, header: &[u8], sealed: &mut [u8]) -> Result<(), Unauthentic>;
}

/// What is different for each datagram under one key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Nonce {
    /// Number of the path ([`Path::number`](crate::Path)).
    pub path: u32,
    /// Number of the datagram on it.
    pub sequence: u64,
}

impl Nonce {
    /// Returns the 96 bits of a nonce of AES-GCM: path ‖ sequence.
    pub fn to_bytes(self) -> [u8; 12] {
        let mut bytes = [0; 12];
        bytes[..4].copy_from_slice(&self.path.to_be_bytes());
        bytes[4..].copy_from_slice(&self.sequence.to_be_bytes());
        bytes
    }
}

/// Error: the datagram does not come from who has the key, or was changed on its way.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unauthentic;

impl fmt::Display for Unauthentic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the tag of a datagram does not fit")
    }
}

impl std::error::Error for Unauthentic {}

/// Neither authentication nor encryption: the session is all that keeps strangers out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Clear;

impl Seal for Clear {
    fn tag_bytes(&self) -> usize {
        0
    }

    fn seal(&self, _: Nonce, _: &[u8], _: &mut [u8]) {}

    fn open(&self, _: Nonce, _: &[u8], _: &mut [u8]) -> Result<(), Unauthentic> {
        Ok(())
    }
}

impl<S: Seal + ?Sized> Seal for Box<S> {
    fn tag_bytes(&self) -> usize {
        (**self).tag_bytes()
    }

    fn seal(&self, nonce: Nonce, header: &[u8], sealed: &mut [u8]) {
        (**self).seal(nonce, header, sealed);
    }

    fn open(&self, nonce: Nonce, header: &[u8], sealed: &mut [u8]) -> Result<(), Unauthentic> {
        (**self).open(nonce, header, sealed)
    }
}
