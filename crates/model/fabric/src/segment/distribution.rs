//! The announcement of an access point to the wire after a station has joined it.

use netloom_link::MacKey;

/// Bytes of the shortest Ethernet frame, without FCS.
const SHORTEST: usize = 60;

/// Returns a frame from a station to everybody, from which switches learn the location of the
/// station: the Layer 2 Update Frame of IEEE 802.11F-2003 §6.4, an XID response (IEEE 802.2
/// §5.4.1.1.2) of three bytes of information.
pub(super) fn layer_2_update(station: MacKey) -> [u8; SHORTEST] {
    let mut frame = [0; SHORTEST];
    frame[..6].fill(0xff);
    frame[6..12].copy_from_slice(&station.bytes());
    // Length of the rest: DSAP null, SSAP null with the bit of a response, control XID; the basic
    // format, class 1, a window of one.
    frame[12..14].copy_from_slice(&6u16.to_be_bytes());
    frame[14..20].copy_from_slice(&[0x00, 0x01, 0xaf, 0x81, 0x01, 0x02]);
    frame
}
