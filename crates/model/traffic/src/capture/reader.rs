//! Reads a capture. Sources: draft-ietf-opsawg-pcap (pcap), draft-ietf-opsawg-pcapng (pcapng).

use std::io::{self, Read};

use super::input::{CaptureError, Found, Input, LONGEST, Link, RecordedFrame, u32_of};
use super::pcapng::Section;

/// Whether a file that begins with `start` is a capture in the format pcap or pcapng.
pub fn is_capture(start: &[u8]) -> bool {
    const MAGICS: [[u8; 4]; 5] = [
        [0x0a, 0x0d, 0x0d, 0x0a],
        [0xa1, 0xb2, 0xc3, 0xd4],
        [0xa1, 0xb2, 0x3c, 0x4d],
        [0xd4, 0xc3, 0xb2, 0xa1],
        [0x4d, 0x3c, 0xb2, 0xa1],
    ];
    MAGICS.iter().any(|magic| start.starts_with(magic))
}

/// Reads a capture from its beginning, one frame after the other. It holds only one frame at a
/// time.
#[derive(Debug)]
pub struct CaptureReader<R> {
    input: Input<R>,
    format: Format,
}

#[derive(Debug)]
enum Format {
    Pcap { is_big: bool, nanos: u32, link: Link },
    PcapNg(Section),
}

impl<R: Read> CaptureReader<R> {
    /// Reads the beginning of a capture. `from` should be buffered.
    ///
    /// # Errors
    /// If `from` is not a capture, or has frames of an unsupported kind.
    pub fn new(from: R) -> Result<Self, CaptureError> {
        let mut input = Input { from, buffer: Vec::new(), frames: 0 };
        let mut magic = [0; 4];
        match input.from.read_exact(&mut magic) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                return Err(CaptureError::Other);
            }
            read => read?,
        }
        let format = match magic {
            [0x0a, 0x0d, 0x0d, 0x0a] => Format::PcapNg(Section::begin(&mut input, 0)?),
            [0xa1, 0xb2, 0xc3, 0xd4] => pcap(&mut input, true, 1000)?,
            [0xa1, 0xb2, 0x3c, 0x4d] => pcap(&mut input, true, 1)?,
            [0xd4, 0xc3, 0xb2, 0xa1] => pcap(&mut input, false, 1000)?,
            [0x4d, 0x3c, 0xb2, 0xa1] => pcap(&mut input, false, 1)?,
            _ => return Err(CaptureError::Other),
        };
        Ok(Self { input, format })
    }

    /// Returns the next frame, or `None` at the end.
    ///
    /// # Errors
    /// If the rest cannot be read.
    pub fn next_frame(&mut self) -> Result<Option<RecordedFrame<'_>>, CaptureError> {
        let found = match &mut self.format {
            Format::Pcap { is_big, nanos, link } => {
                record(&mut self.input, *is_big, *nanos)?.map(|found| (found, *link))
            }
            Format::PcapNg(section) => section.next_packet(&mut self.input)?,
        };
        let Some((Found { interface, at, length, place }, link)) = found else { return Ok(None) };
        self.input.frames += 1;
        let number = self.input.frames;
        let bytes = self.input.buffer.get(place).unwrap_or_default();
        let bytes = bytes.get(link.made_up as usize..).unwrap_or_default();
        let length = length.saturating_sub(link.made_up);
        Ok(Some(RecordedFrame { number, interface, at, link: link.kind, length, bytes }))
    }
}

/// Reads the rest of the header of a pcap file, behind its magic number.
fn pcap<R: Read>(input: &mut Input<R>, is_big: bool, nanos: u32) -> Result<Format, CaptureError> {
    let mut header = [0; 20];
    input.exact(&mut header)?;
    let word = u32_of(is_big, [header[16], header[17], header[18], header[19]]);
    // If bit 26 is set, the upper four bits are the length of the check sequence behind each frame.
    if word >> 26 & 1 == 1 && word >> 28 != 0 {
        return Err(input.unsupported("frames with their check sequence"));
    }
    Ok(Format::Pcap { is_big, nanos, link: Link::of_number(word & 0xffff)? })
}

/// Reads the next record of a pcap file.
fn record<R: Read>(
    input: &mut Input<R>,
    is_big: bool,
    nanos: u32,
) -> Result<Option<Found>, CaptureError> {
    let mut header = [0; 16];
    if input.is_over(&mut header)? {
        return Ok(None);
    }
    let word =
        |at: usize| u32_of(is_big, [header[at], header[at + 1], header[at + 2], header[at + 3]]);
    let (captured, length) = (word(8), word(12));
    if captured > LONGEST {
        return Err(input.malformed("a frame is longer than 262144 bytes"));
    }
    input.fill(captured)?;
    let at = i128::from(word(0)) * 1_000_000_000 + i128::from(word(4)) * i128::from(nanos);
    Ok(Some(Found { interface: 0, at, length, place: 0..captured as usize }))
}
