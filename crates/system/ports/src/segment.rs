//! Cuts super-frames into wire-size frames, or into smaller super-frames, as the kernel's own
//! segmentation does. Pure. Not here: whether to cut (the link model decides) and whether the
//! super-frame is well-formed (`layout`).
//!
//! These fields of each piece change:
//!
//! - IPv4: identification (counted up), total length, header checksum
//! - IPv6: payload length
//! - TCP: sequence number; FIN and PSH are set on the last piece only, CWR on the first only (RFC
//!   3168 §6.1.2)
//! - UDP: length
//!
//! The transport checksum stays partial (the pseudo-header's sum, with its length replaced). The
//! receiving kernel finishes or trusts it.

use crate::checksum::{replace, sum};
use crate::layout::{IPV6, SuperFrame, Transport};
use crate::{Frame, Pool, VirtioHeader};

const TCP_FIN: u8 = 0x01;
const TCP_PSH: u8 = 0x08;
const TCP_CWR: u8 = 0x80;

/// The wire frames `first..first + count` of the super-frame `source`, as one frame: an ordinary
/// frame if `count` is 1, else a smaller super-frame. `None` if the pool has no memory.
///
/// `layout` must be that of `source`. A range that reaches beyond the last wire frame is cut.
pub fn split(
    source: &Frame,
    layout: &SuperFrame,
    first: u32,
    count: u32,
    pool: &mut Pool,
) -> Option<Frame> {
    let skipped = first as usize * layout.gso_size;
    let from = (layout.payload + skipped).min(layout.end);
    let to = (from + count as usize * layout.gso_size).min(layout.end);
    let mut piece = pool.frame(layout.payload + (to - from))?;
    piece.share_with(source);
    piece.write_at(0, &source.start()[..layout.payload]);
    let [start, rest] = source.range(from, to);
    piece.write_at(layout.payload, start);
    piece.write_at(layout.payload + start.len(), rest);
    piece.set_header(&virtio_header(source, layout, first == 0, to - from));
    network_header(&mut piece, layout, first);
    transport_header(&mut piece, layout, skipped, to == layout.end);
    Some(piece)
}

fn virtio_header(source: &Frame, layout: &SuperFrame, first: bool, payload: usize) -> VirtioHeader {
    let whole = source.header();
    if payload <= layout.gso_size {
        return VirtioHeader { gso: None, ecn: false, header_len: 0, gso_size: 0, ..whole };
    }
    // The headers fit into the head, so their length fits into 16 bits.
    VirtioHeader { ecn: whole.ecn && first, header_len: layout.payload as u16, ..whole }
}

fn network_header(piece: &mut Frame, layout: &SuperFrame, first: u32) {
    let length = piece.len() - layout.network;
    let header = &mut piece.start_mut()[layout.network..layout.transport_at];
    if !layout.ipv4 {
        put(header, 4, clamp(length - IPV6));
        return;
    }
    let identification = u16::from_be_bytes([header[4], header[5]]).wrapping_add(first as u16);
    put(header, 2, clamp(length));
    put(header, 4, identification);
    put(header, 10, 0);
    let checksum = !sum(header);
    put(header, 10, checksum);
}

fn transport_header(piece: &mut Frame, layout: &SuperFrame, skipped: usize, last: bool) {
    let before = clamp(layout.end - layout.transport_at);
    let now = clamp(piece.len() - layout.transport_at);
    let header = &mut piece.start_mut()[layout.transport_at..layout.payload];
    let checksum_at = match layout.transport {
        Transport::Tcp => {
            let sequence = u32::from_be_bytes([header[4], header[5], header[6], header[7]]);
            let sequence = sequence.wrapping_add(skipped as u32);
            header[4..8].copy_from_slice(&sequence.to_be_bytes());
            if !last {
                header[13] &= !(TCP_FIN | TCP_PSH);
            }
            if skipped > 0 {
                header[13] &= !TCP_CWR;
            }
            16
        }
        Transport::Udp => {
            put(header, 4, now);
            6
        }
    };
    let partial = u16::from_be_bytes([header[checksum_at], header[checksum_at + 1]]);
    put(header, checksum_at, replace(partial, before, now));
}

/// Converts a length to a header field. All lengths of a well-formed super-frame fit.
fn clamp(length: usize) -> u16 {
    u16::try_from(length).unwrap_or(u16::MAX)
}

fn put(header: &mut [u8], at: usize, value: u16) {
    header[at..at + 2].copy_from_slice(&value.to_be_bytes());
}
