//! The TCP segments of real nodes. Not here: segments of simulated nodes, which are values
//! (`packet`).

use etherparse::{TcpHeader, TcpOptionElement};
use netloom_tcp::{Flags, SackBlock, SackBlocks, Segment, SynOptions, Timestamps};

use crate::packet::RawBody;

/// Parses the bytes behind an IP header as a segment. Returns it with its payload.
pub(crate) fn segment_of(raw: &RawBody) -> Option<(Segment, SackBlocks, Vec<u8>)> {
    let (header, payload) = TcpHeader::from_slice(raw.all()).ok()?;
    let mut sack = SackBlocks::NONE;
    let mut syn = SynOptions { mss: 536, window_scale: None, sack_permitted: false };
    let mut timestamps = None;
    // An invalid option ends the list. The options before it count.
    for option in header.options_iterator().map_while(Result::ok) {
        match option {
            TcpOptionElement::MaximumSegmentSize(mss) => syn.mss = mss,
            TcpOptionElement::WindowScale(shift) => syn.window_scale = Some(shift),
            TcpOptionElement::SelectiveAcknowledgementPermitted => syn.sack_permitted = true,
            TcpOptionElement::Timestamp(value, echo) => {
                timestamps = Some(Timestamps { value, echo });
            }
            TcpOptionElement::SelectiveAcknowledgement(first, rest) => {
                for (start, end) in [Some(first)].into_iter().chain(rest).flatten() {
                    sack.push(SackBlock { start, end });
                }
            }
            TcpOptionElement::Noop => {}
        }
    }
    let segment = Segment {
        seq: header.sequence_number,
        ack: header.acknowledgment_number,
        len: payload.len() as u32,
        timestamps,
        window: header.window_size,
        syn: header.syn.then_some(syn),
        flags: flags_of(&header),
        sack_blocks: sack.count(),
        ..Segment::EMPTY
    };
    Some((segment, sack, payload.to_vec()))
}

fn flags_of(header: &TcpHeader) -> Flags {
    let all = [
        (header.fin, Flags::FIN),
        (header.syn, Flags::SYN),
        (header.rst, Flags::RST),
        (header.psh, Flags::PSH),
        (header.ack, Flags::ACK),
        (header.ece, Flags::ECE),
        (header.cwr, Flags::CWR),
    ];
    all.into_iter().filter(|(is_set, _)| *is_set).fold(Flags::NONE, |flags, (_, flag)| flags | flag)
}
