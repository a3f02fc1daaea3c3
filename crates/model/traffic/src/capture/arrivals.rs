//! Arrivals from a capture: the times and lengths of its frames. Bytes of a frame that the capture
//! lacks do not matter.

use std::collections::HashMap;
use std::io::Read;

use netloom_units::{MAX_VALUES, Time};
use thiserror::Error;

use super::input::{CaptureError, LinkType};
use super::reader::CaptureReader;
use crate::Emission;
use crate::recorded::Arrivals;

/// Bytes of an Ethernet header, which captures of IP packets lack.
const ETHERNET: u32 = 14;

/// The reason why a capture gives no arrivals.
#[derive(Debug, Error)]
pub enum NoArrivals {
    /// The capture cannot be read.
    #[error(transparent)]
    Unread(#[from] CaptureError),
    /// The frames of an interface are not in order.
    #[error(
        "frame {0} is earlier than the one before it of the same interface, whose clock was set \
         back or which was written out of order: put them in order, with `reordercap`"
    )]
    Earlier(u64),
    /// The time of a frame cannot be that of the others.
    #[error("frame {0} is more than 292 years from the first one: its time cannot be right")]
    Far(u64),
    /// A frame has no length.
    #[error("frame {0} has a length of 0 bytes")]
    Empty(u64),
    /// The capture has more frames than can be held.
    #[error(
        "it has more than {MAX_VALUES} frames: take a part of it, with `editcap -c {MAX_VALUES}`"
    )]
    TooMany,
    /// The frames are not a valid list of arrivals.
    #[error("{0}")]
    Unfit(String),
}

/// Returns the arrivals of all frames, in order of time. The first one is at 0.
///
/// Frames of one interface must be in order. Those of several interfaces are merged: programs write
/// each interface's frames when they get them.
///
/// # Errors
/// If `from` is not a capture, or its frames are not a valid list of arrivals.
pub fn arrivals(from: impl Read) -> Result<Arrivals, NoArrivals> {
    let mut reader = CaptureReader::new(from)?;
    // Times are in ns since the first frame of the file, which need not be the earliest.
    let mut all: Vec<(i64, u32)> = Vec::new();
    let mut first = None;
    let mut last_of: HashMap<u64, i64> = HashMap::new();
    while let Some(frame) = reader.next_frame()? {
        let since = frame.at - *first.get_or_insert(frame.at);
        let at = i64::try_from(since).map_err(|_| NoArrivals::Far(frame.number))?;
        if last_of.insert(frame.interface, at).is_some_and(|last| last > at) {
            return Err(NoArrivals::Earlier(frame.number));
        }
        let header = if frame.link == LinkType::Ip { ETHERNET } else { 0 };
        match (frame.length, all.len() < MAX_VALUES) {
            (0, _) => return Err(NoArrivals::Empty(frame.number)),
            (_, false) => return Err(NoArrivals::TooMany),
            (length, true) => all.push((at, length.saturating_add(header))),
        }
    }
    all.sort_by_key(|(at, _)| *at);
    let earliest = all.first().map_or(0, |(at, _)| *at);
    let arrival =
        |(at, bytes): (i64, u32)| Emission { at: Time::from_nanos(at.abs_diff(earliest)), bytes };
    Arrivals::new(all.into_iter().map(arrival).collect()).map_err(NoArrivals::Unfit)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns a capture of packets with these times in ns and lengths in bytes. It holds at most
    /// 20 bytes of each.
    fn capture(link: u32, frames: &[(u32, u32)]) -> Vec<u8> {
        let mut file = Vec::new();
        file.extend(0xa1b2_3c4d_u32.to_le_bytes());
        file.extend([2, 0, 4, 0]);
        [0, 0, 65_535, link].iter().for_each(|word: &u32| file.extend(word.to_le_bytes()));
        for (nanos, length) in frames {
            let captured = length.min(&20);
            let head = [7, *nanos, *captured, *length];
            head.iter().for_each(|word| file.extend(word.to_le_bytes()));
            file.extend(vec![0x45; *captured as usize]);
        }
        file
    }

    fn texts(file: &[u8]) -> Result<Vec<String>, NoArrivals> {
        arrivals(file).map(Into::into)
    }

    #[test]
    fn frames_are_arrivals_to_the_nanosecond_and_as_long_as_they_were() {
        let file = capture(1, &[(5, 1514), (1006, 60), (1006, 61)]);
        let expected = ["0.000000000 1514", "0.000001001 60", "0.000001001 61"];
        assert_eq!(texts(&file).unwrap(), expected);
    }

    /// On the line, a packet has an Ethernet header, and no header that was made up for the file.
    #[test]
    fn packets_have_the_header_of_the_line() {
        for (link, made_up) in [(101, 0), (0, 4), (108, 4), (113, 16), (276, 20)] {
            let file = capture(link, &[(5, 1500 + made_up)]);
            assert_eq!(texts(&file).unwrap(), ["0.000000000 1514"], "link type {link}");
        }
        assert!(texts(&capture(127, &[(5, 1500)])).is_err());
    }

    #[test]
    fn frames_out_of_order_are_named() {
        let error = texts(&capture(1, &[(5, 60), (9, 60), (8, 60)])).unwrap_err();
        assert!(error.to_string().starts_with("frame 3 is earlier"), "{error}");
        let error = texts(&capture(1, &[(5, 60), (4, 60)])).unwrap_err();
        assert!(error.to_string().starts_with("frame 2 is earlier"), "{error}");
        assert!(texts(&capture(1, &[])).is_err());
    }

    #[test]
    fn a_frame_without_bytes_is_named() {
        let error = texts(&capture(1, &[(5, 60), (9, 0)])).unwrap_err();
        assert_eq!(error.to_string(), "frame 2 has a length of 0 bytes");
    }
}
