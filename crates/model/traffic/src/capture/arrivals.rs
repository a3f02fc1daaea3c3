//! Arrivals from a capture: the times and lengths of its frames. Bytes of a frame that the capture
//! lacks do not matter.

use std::io::Read;

use netloom_units::Time;
use thiserror::Error;

use super::reader::{CaptureError, CaptureReader, LinkType};
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
    /// The frames of the capture are not in order.
    #[error("frame {0} is earlier than the one before: put them in order, with `reordercap`")]
    Earlier(u64),
    /// The frames are not a valid list of arrivals.
    #[error("{0}")]
    Unfit(String),
}

/// Returns the arrivals of all frames. The first one is at 0.
///
/// # Errors
/// If `from` is not a capture, or its frames are not a valid list of arrivals.
pub fn arrivals(from: impl Read) -> Result<Arrivals, NoArrivals> {
    let mut reader = CaptureReader::new(from)?;
    let mut all: Vec<Emission> = Vec::new();
    let mut first = None;
    while let Some(frame) = reader.next_frame()? {
        let since = frame.at - *first.get_or_insert(frame.at);
        let nanos = u64::try_from(since).map_err(|_| NoArrivals::Earlier(frame.number))?;
        let at = Time::from_nanos(nanos);
        if all.last().is_some_and(|last| last.at > at) {
            return Err(NoArrivals::Earlier(frame.number));
        }
        let header = if frame.link == LinkType::Ip { ETHERNET } else { 0 };
        all.push(Emission { at, bytes: frame.length.saturating_add(header) });
    }
    Arrivals::new(all).map_err(NoArrivals::Unfit)
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
        // On the line, IP packets have an Ethernet header.
        assert_eq!(texts(&capture(101, &[(5, 1500)])).unwrap(), ["0.000000000 1514"]);
    }

    #[test]
    fn frames_out_of_order_are_named() {
        let error = texts(&capture(1, &[(5, 60), (9, 60), (8, 60)])).unwrap_err();
        assert!(error.to_string().starts_with("frame 3 is earlier"), "{error}");
        let error = texts(&capture(1, &[(5, 60), (4, 60)])).unwrap_err();
        assert!(error.to_string().starts_with("frame 2 is earlier"), "{error}");
        assert!(texts(&capture(1, &[])).is_err());
    }
}
