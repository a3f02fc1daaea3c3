//! Whatever a capture has, its frames are read or refused, and rewritten or refused. What is
//! written holds what came in, and can be rewritten again.
#![no_main]

use std::net::IpAddr;

use libfuzzer_sys::fuzz_target;
use netloom_traffic::{Addressed, CaptureReader, LinkType, RecordedFrame, Rewriter};

/// Another address.
fn other(address: IpAddr) -> Option<IpAddr> {
    Some(match address {
        IpAddr::V4(address) => IpAddr::V4((!address.to_bits()).into()),
        IpAddr::V6(address) => IpAddr::V6((!address.to_bits()).into()),
    })
}

fuzz_target!(|bytes: &[u8]| {
    let rewriter = Rewriter::new(Addressed::Rewritten(other), [2; 6], [4; 6]);
    let (mut once, mut twice) = (Vec::new(), Vec::new());
    let Ok(mut reader) = CaptureReader::new(bytes) else { return };
    while let Ok(Some(frame)) = reader.next_frame() {
        assert!(frame.bytes.len() <= bytes.len());
        if rewriter.rewrite(&frame, &mut once).is_err() {
            continue;
        }
        let head = if frame.link == LinkType::Ip { 14 } else { 0 };
        assert_eq!(once.len(), frame.bytes.len() + head);
        let (link, length) = (LinkType::Ethernet, once.len() as u32);
        let again = RecordedFrame { link, length, bytes: &once, ..frame };
        rewriter.rewrite(&again, &mut twice).expect("what was rewritten can be");
        assert_eq!(twice.len(), once.len());
    }
});
