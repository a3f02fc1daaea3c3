//! Encryption of datagrams between machines: AES-256-GCM, with a key for each direction between two
//! of them.

use std::fmt;

use netloom_tunnel::{Clear, Nonce, Seal, Unauthentic};
use ring::aead::{AES_256_GCM, Aad, LessSafeKey, MAX_TAG_LEN, Nonce as Bytes, UnboundKey};
use ring::hkdf::{HKDF_SHA256, KeyType, Salt};

use crate::peer_id::PeerId;

/// Length of a key in bytes.
const KEY_BYTES: usize = 32;

/// A secret of all machines of an experiment, of which the keys are made. Nobody sees it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret([u8; KEY_BYTES]);

impl Secret {
    /// A secret of random bytes.
    pub fn new(bytes: [u8; KEY_BYTES]) -> Self {
        Self(bytes)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret")
    }
}

/// What seals the datagrams of one direction between two machines.
pub(super) type Cipher = Box<dyn Seal + Send>;

/// Returns what seals the datagrams from one machine to another. Without a secret, nothing is
/// encrypted.
pub(super) fn cipher(secret: Option<&Secret>, session: u64, from: PeerId, to: PeerId) -> Cipher {
    let Some(secret) = secret else { return Box::new(Clear) };
    Box::new(Sealed(key(secret, session, from, to)))
}

/// Derives the key of a direction by HKDF (RFC 5869).
fn key(Secret(secret): &Secret, session: u64, from: PeerId, to: PeerId) -> LessSafeKey {
    struct Length;
    impl KeyType for Length {
        fn len(&self) -> usize {
            KEY_BYTES
        }
    }
    let salt = Salt::new(HKDF_SHA256, &session.to_be_bytes());
    let (from, to) = (from.0.to_be_bytes(), to.0.to_be_bytes());
    let info: [&[u8]; 3] = [b"netloom frames", &from, &to];
    let mut bytes = [0; KEY_BYTES];
    let secret = salt.extract(secret);
    let filled = secret.expand(&info, Length).and_then(|key| key.fill(&mut bytes));
    let key = filled.and_then(|()| UnboundKey::new(&AES_256_GCM, &bytes));
    // Both lengths are those of the algorithms.
    LessSafeKey::new(key.unwrap_or_else(|_| unreachable!("a key of AES-256 has 32 bytes")))
}

/// AES-256-GCM with one key.
struct Sealed(LessSafeKey);

impl fmt::Debug for Sealed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AES-256-GCM")
    }
}

impl Seal for Sealed {
    fn tag_bytes(&self) -> usize {
        MAX_TAG_LEN
    }

    fn seal(&self, nonce: Nonce, header: &[u8], sealed: &mut [u8]) {
        let (payload, room) = sealed.split_at_mut(sealed.len() - MAX_TAG_LEN);
        let nonce = Bytes::assume_unique_for_key(nonce.to_bytes());
        // It fails for payloads of 64 GiB and more.
        if let Ok(tag) = self.0.seal_in_place_separate_tag(nonce, Aad::from(header), payload) {
            room.copy_from_slice(tag.as_ref());
        }
    }

    fn open(&self, nonce: Nonce, header: &[u8], sealed: &mut [u8]) -> Result<(), Unauthentic> {
        let nonce = Bytes::assume_unique_for_key(nonce.to_bytes());
        let opened = self.0.open_in_place(nonce, Aad::from(header), sealed);
        opened.map(drop).map_err(|_| Unauthentic)
    }
}

#[cfg(test)]
mod tests {
    use netloom_tunnel::{Header, Path, Receiver, Record, Refusal, Refused, Sender};

    use super::*;

    const NONCE: Nonce = Nonce { path: 3, sequence: 7 };

    fn sealed(cipher: &Cipher, header: &[u8]) -> Vec<u8> {
        let mut bytes = b"a frame".to_vec();
        bytes.resize(bytes.len() + cipher.tag_bytes(), 0);
        cipher.seal(NONCE, header, &mut bytes);
        bytes
    }

    fn of(session: u64, from: u32, to: u32) -> Cipher {
        let secret = Secret::new([9; KEY_BYTES]);
        cipher(Some(&secret), session, PeerId(from), PeerId(to))
    }

    #[test]
    fn what_one_machine_seals_the_other_opens_and_nobody_reads() {
        let mut bytes = sealed(&of(1, 0, 1), b"header");
        assert!(!bytes.starts_with(b"a frame"));
        of(1, 0, 1).open(NONCE, b"header", &mut bytes).unwrap();
        assert!(bytes.starts_with(b"a frame"));
    }

    /// Number of datagrams of each kind that somebody between two machines sends.
    const HOSTILE: u64 = 100_000;

    /// What is changed, comes again, or belongs to another experiment brings no frame, and is
    /// counted to the last datagram.
    #[test]
    fn of_a_hundred_thousand_hostile_datagrams_none_brings_a_frame() {
        let path = |session| Path { session, number: 1 };
        let mut sender = Sender::new(path(1), 400, of(1, 0, 1)).unwrap();
        let mut foreign = Sender::new(path(2), 400, of(2, 0, 1)).unwrap();
        let mut receiver = Receiver::new(path(1), of(1, 0, 1), [0]);
        let datagram = |sender: &mut Sender<Cipher>, sequence| {
            let record = Record {
                pipe: 0,
                sequence,
                frames: 1,
                number: sequence,
                release: 0,
                shift: 0,
                cuts: 0,
                marked: false,
                virtio: [0; 10],
            };
            sender.push(&record, [&b"a frame"[..], &[0; 200]]);
            let burst = sender.finish();
            assert_eq!(burst.datagrams().count(), 1);
            burst.bytes.to_vec()
        };
        let (mut brought, mut came) = (0, 0);
        for sequence in 0..HOSTILE {
            let good = datagram(&mut sender, sequence);
            let mut take = |bytes: &[u8]| {
                receiver.datagram(&mut bytes.to_vec(), |_, _| brought += 1).map(drop)
            };
            // Any bit of the payload and the tag; a header leads elsewhere, or is refused before.
            let mut flipped = good.clone();
            let bits = (flipped.len() - Header::BYTES) * 8;
            let bit = Header::BYTES * 8 + usize::try_from(sequence).unwrap() * 7919 % bits;
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(take(&flipped), Err(Refusal::Unauthentic));
            assert_eq!(take(&datagram(&mut foreign, sequence)), Err(Refusal::Foreign));
            take(&good).unwrap();
            assert_eq!(take(&good), Err(Refusal::Replayed));
            came += 1;
        }
        assert_eq!((brought, came), (HOSTILE, HOSTILE), "only good ones bring frames, once each");
        let (unauthentic, foreign, replayed) = (HOSTILE, HOSTILE, HOSTILE);
        let expected = Refused { unauthentic, foreign, replayed, ..Refused::default() };
        assert_eq!(receiver.refused(), expected);
    }

    #[test]
    fn a_flipped_bit_another_number_and_another_key_are_refused() {
        let good = sealed(&of(1, 0, 1), b"header");
        let opens = |cipher: &Cipher, nonce: Nonce, header: &[u8], bytes: &[u8]| {
            cipher.open(nonce, header, &mut bytes.to_vec()).is_ok()
        };
        assert!(opens(&of(1, 0, 1), NONCE, b"header", &good));
        for bit in 0..good.len() * 8 {
            let mut flipped = good.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            assert!(!opens(&of(1, 0, 1), NONCE, b"header", &flipped), "bit {bit}");
        }
        let again = Nonce { sequence: 8, ..NONCE };
        assert!(!opens(&of(1, 0, 1), again, b"header", &good));
        assert!(!opens(&of(1, 0, 1), NONCE, b"Header", &good));
        for (session, from, to) in [(2, 0, 1), (1, 1, 0), (1, 0, 2)] {
            assert!(!opens(&of(session, from, to), NONCE, b"header", &good));
        }
    }
}
