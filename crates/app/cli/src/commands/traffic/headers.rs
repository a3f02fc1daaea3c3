//! Headers of a made-up UDP packet, for captures of generated traffic.

/// Length of Ethernet, IPv4 and UDP headers.
pub const BYTES: usize = 14 + 20 + 8;

/// Addresses of sender and receiver, from the block for documentation (RFC 5737).
const SOURCE: [u8; 4] = [192, 0, 2, 1];
const DESTINATION: [u8; 4] = [192, 0, 2, 2];
/// The port `discard` (RFC 863), for both.
const PORT: u16 = 9;

/// Returns the headers of a frame of `bytes` bytes.
pub fn of(bytes: u32) -> [u8; BYTES] {
    let mut headers = [0; BYTES];
    // Locally administered addresses.
    headers[..6].copy_from_slice(&[2, 0, 0, 0, 0, 2]);
    headers[6..12].copy_from_slice(&[2, 0, 0, 0, 0, 1]);
    headers[12..14].copy_from_slice(&[8, 0]);
    let packet = length(bytes, 14);
    let ip = &mut headers[14..34];
    ip[0] = 0x45;
    ip[2..4].copy_from_slice(&packet.to_be_bytes());
    ip[8..10].copy_from_slice(&[64, 17]);
    ip[12..16].copy_from_slice(&SOURCE);
    ip[16..20].copy_from_slice(&DESTINATION);
    let sum = checksum(ip);
    ip[10..12].copy_from_slice(&sum.to_be_bytes());
    let udp = &mut headers[34..];
    udp[..2].copy_from_slice(&PORT.to_be_bytes());
    udp[2..4].copy_from_slice(&PORT.to_be_bytes());
    // No checksum (RFC 768): the payload does not exist.
    udp[4..6].copy_from_slice(&length(bytes, 34).to_be_bytes());
    headers
}

/// Returns the value of a length field of a header that has `before` bytes of the frame before it.
fn length(bytes: u32, before: u32) -> u16 {
    u16::try_from(bytes.saturating_sub(before)).unwrap_or(u16::MAX)
}

/// Computes the Internet checksum (RFC 1071).
fn checksum(header: &[u8]) -> u16 {
    let words =
        header.chunks_exact(2).map(|pair| u32::from(u16::from_be_bytes([pair[0], pair[1]])));
    let sum: u32 = words.sum();
    let folded = (sum & 0xffff) + (sum >> 16);
    !((folded & 0xffff) + (folded >> 16)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_are_right() {
        let headers = of(1514);
        assert_eq!(headers[16..18], 1500u16.to_be_bytes());
        assert_eq!(headers[38..40], 1480u16.to_be_bytes());
        // A header with its checksum sums to zero.
        assert_eq!(checksum(&headers[14..34]), 0);
    }
}
