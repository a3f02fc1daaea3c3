//! Whatever a capture has, its frames are read or refused, and rewritten or refused. What is
//! written holds what came in, and can be rewritten again. Arrivals are in order, and counted in
//! bounded memory.
#![no_main]

use std::net::IpAddr;

use libfuzzer_sys::fuzz_target;
use netloom_traffic::{
    Addressed, CaptureReader, LinkType, MOST_BINS, RecordedFrame, Rewriter, Series,
};
use netloom_units::{Duration, Time};

/// Another address.
fn other(address: IpAddr) -> Option<IpAddr> {
    Some(match address {
        IpAddr::V4(address) => IpAddr::V4((!address.to_bits()).into()),
        IpAddr::V6(address) => IpAddr::V6((!address.to_bits()).into()),
    })
}

/// Counts the arrivals, whenever they say that they came.
fn count(bytes: &[u8]) {
    let Ok(arrivals) = netloom_traffic::arrivals(bytes) else { return };
    let frames = arrivals.as_slice();
    assert!(frames[0].at == Time::ZERO && frames.is_sorted_by_key(|frame| frame.at));
    let time = frames[frames.len() - 1].at.since(Time::ZERO);
    // The fuzzer has no time for the largest series.
    let bin = Duration::from_nanos((time.as_nanos() / 1000).max(1));
    let series = Series::new(frames.iter().copied(), bin, time);
    assert_eq!(series.is_ok(), time > Duration::ZERO);
    let fine = Series::new([], Duration::from_nanos(1), time);
    assert!(fine.is_ok() || time == Duration::ZERO || time.as_nanos() > MOST_BINS);
}

fuzz_target!(|bytes: &[u8]| {
    count(bytes);
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
