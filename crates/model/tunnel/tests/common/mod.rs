//! A seal for tests: it shows every change, and hides nothing from who looks closely.

use netloom_tunnel::{Nonce, Seal, Unauthentic};

/// A key, and the bytes of the tag.
#[derive(Debug, Clone, Copy)]
pub struct Keyed(pub u64);

const TAG: usize = 16;

impl Keyed {
    /// FNV-1a over key, nonce, header and payload.
    fn sum(self, nonce: Nonce, header: &[u8], payload: &[u8]) -> [u8; TAG] {
        let key = self.0.to_be_bytes();
        let all = key.iter().chain(&nonce.to_bytes()).chain(header).chain(payload).copied().fold(
            0x6c62_272e_07bb_0142_62b8_2175_6295_c58d,
            |sum: u128, byte| {
                (sum ^ u128::from(byte)).wrapping_mul(0x0000_0000_0100_0000_0000_0000_0000_013b)
            },
        );
        all.to_be_bytes()
    }

    fn mask(self, nonce: Nonce, payload: &mut [u8]) {
        let mask = (self.0 ^ nonce.sequence) as u8 | 1;
        payload.iter_mut().for_each(|byte| *byte ^= mask);
    }
}

impl Seal for Keyed {
    fn tag_bytes(&self) -> usize {
        TAG
    }

    fn seal(&self, nonce: Nonce, header: &[u8], sealed: &mut [u8]) {
        let (payload, tag) = sealed.split_at_mut(sealed.len() - TAG);
        self.mask(nonce, payload);
        tag.copy_from_slice(&self.sum(nonce, header, payload));
    }

    fn open(&self, nonce: Nonce, header: &[u8], sealed: &mut [u8]) -> Result<(), Unauthentic> {
        let (payload, tag) = sealed.split_at_mut(sealed.len() - TAG);
        if *tag != self.sum(nonce, header, payload) {
            return Err(Unauthentic);
        }
        self.mask(nonce, payload);
        Ok(())
    }
}
