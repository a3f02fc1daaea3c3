//! Addresses of a frame.

use netloom_link::MacKey;

/// Returns source and destination of the frame whose Ethernet header is at the start of `bytes`.
#[inline]
pub(super) fn addresses(bytes: &[u8]) -> (MacKey, MacKey) {
    let address = |at: usize| {
        let address = bytes[at..at + 6].try_into().expect("an address has six bytes");
        MacKey::new(address)
    };
    (address(6), address(0))
}
