//! Blocks of pcapng. Blocks without frames are skipped, whatever they are.

use std::io::Read;

use super::input::{CaptureError, Found, Input, LONGEST, Link, u32_of};

/// Types of blocks.
const SECTION: u32 = 0x0a0d_0d0a;
const INTERFACE: u32 = 1;
const OLD_PACKET: u32 = 2;
const SIMPLE_PACKET: u32 = 3;
const ENHANCED_PACKET: u32 = 6;

/// Options of an interface.
const RESOLUTION: u16 = 9;
const CHECK_SEQUENCE: u16 = 13;
const OFFSET: u16 = 14;

/// Largest number of interfaces in a section, and largest length of a description in bytes.
const MOST_INTERFACES: usize = 1 << 16;
const LONGEST_DESCRIPTION: u32 = 1 << 20;

/// The state of a section.
#[derive(Debug)]
pub(super) struct Section {
    is_big: bool,
    /// Number of interfaces in the sections before.
    before: u64,
    interfaces: Vec<Interface>,
}

/// The description of an interface.
#[derive(Debug, Clone, Copy)]
struct Interface {
    link: u16,
    unit: Unit,
    /// Offset of its times, in seconds.
    offset: i64,
    /// Whether its frames include their check sequence.
    has_check: bool,
}

/// The unit of an interface's times.
#[derive(Debug, Clone, Copy)]
enum Unit {
    /// The unit is this many ns.
    Nanos(u32),
    /// A ns has 10 to the power of this many units.
    Fractions(u8),
    /// A second has 2 to the power of this many units.
    Binary(u8),
}

impl Unit {
    fn of_option(value: u8) -> Option<Self> {
        match value {
            0..=9 => Some(Self::Nanos(10u32.pow(9 - u32::from(value)))),
            // A count has 64 bits: at 10⁻²⁸ s all of them are less than 2 ns.
            10..=28 => Some(Self::Fractions(value - 9)),
            0x80..=0xff => Some(Self::Binary(value & 0x7f)),
            _ => None,
        }
    }

    /// Returns the duration of `count` units in ns.
    fn nanos(self, count: u64) -> i128 {
        match self {
            Self::Nanos(nanos) => i128::from(count) * i128::from(nanos),
            Self::Fractions(power) => i128::from(count) / 10i128.pow(power.into()),
            Self::Binary(power) => (i128::from(count) * 1_000_000_000) >> power,
        }
    }
}

impl Section {
    /// Reads the beginning of a section, which has `before` interfaces before it. Only the type of
    /// its first block has been read.
    pub fn begin<R: Read>(input: &mut Input<R>, before: u64) -> Result<Self, CaptureError> {
        let mut header = [0; 8];
        input.exact(&mut header)?;
        let [a, b, c, d, order @ ..] = header;
        let is_big = match order {
            [0x1a, 0x2b, 0x3c, 0x4d] => true,
            [0x4d, 0x3c, 0x2b, 0x1a] => false,
            _ => return Err(input.malformed("a section has no byte order")),
        };
        // Type, length and byte order have been read.
        let length = u32_of(is_big, [a, b, c, d]).checked_sub(12);
        let rest = length.filter(|rest| rest % 4 == 0 && *rest >= 16);
        let rest = rest.ok_or_else(|| input.malformed("a section's header has a wrong length"))?;
        input.skip(rest)?;
        Ok(Self { is_big, before, interfaces: Vec::new() })
    }

    /// Returns the next frame, or `None` at the end.
    pub fn next_packet<R: Read>(
        &mut self,
        input: &mut Input<R>,
    ) -> Result<Option<(Found, Link)>, CaptureError> {
        loop {
            let mut kind = [0; 4];
            if input.is_over(&mut kind)? {
                return Ok(None);
            }
            // This type has the same bytes in both byte orders.
            if u32_of(true, kind) == SECTION {
                *self = Self::begin(input, self.before + self.interfaces.len() as u64)?;
                continue;
            }
            let mut length = [0; 4];
            input.exact(&mut length)?;
            // The length includes the type and the lengths at both ends.
            let body = self.word(length).checked_sub(12).filter(|body| body % 4 == 0);
            let body = body.ok_or_else(|| input.malformed("a block has a wrong length"))?;
            match self.word(kind) {
                INTERFACE => self.describe(input, body)?,
                ENHANCED_PACKET => {
                    let found = self.enhanced(input, body)?;
                    self.end(input, body)?;
                    return Ok(Some(found));
                }
                SIMPLE_PACKET => return Err(input.unsupported("a frame without a time")),
                OLD_PACKET => return Err(input.unsupported("an obsolete packet block")),
                _ => input.skip(body)?,
            }
            self.end(input, body)?;
        }
    }

    fn word(&self, bytes: [u8; 4]) -> u32 {
        u32_of(self.is_big, bytes)
    }

    fn word_at(&self, bytes: &[u8], at: usize) -> Option<u32> {
        Some(self.word(*bytes.get(at..)?.first_chunk()?))
    }

    fn short(&self, bytes: [u8; 2]) -> u16 {
        if self.is_big { u16::from_be_bytes(bytes) } else { u16::from_le_bytes(bytes) }
    }

    /// Reads the length at the end of a block, and checks it.
    fn end<R: Read>(&self, input: &mut Input<R>, body: u32) -> Result<(), CaptureError> {
        let mut length = [0; 4];
        input.exact(&mut length)?;
        match self.word(length).checked_sub(12) == Some(body) {
            true => Ok(()),
            false => Err(input.malformed("a block ends with another length than it begins with")),
        }
    }

    fn describe<R: Read>(&mut self, input: &mut Input<R>, body: u32) -> Result<(), CaptureError> {
        if body > LONGEST_DESCRIPTION || self.interfaces.len() == MOST_INTERFACES {
            return Err(input.malformed("its interfaces are too many or too long"));
        }
        input.fill(body)?;
        match self.interface(&input.buffer) {
            Some(interface) => self.interfaces.push(interface),
            None => return Err(input.malformed("an interface is not described as it should be")),
        }
        Ok(())
    }

    fn interface(&self, body: &[u8]) -> Option<Interface> {
        let link = self.short(*body.first_chunk()?);
        let mut found = Interface { link, unit: Unit::Nanos(1000), offset: 0, has_check: false };
        let mut options = body.get(8..)?;
        while let Some((head, rest)) = options.split_first_chunk::<4>() {
            let code = self.short([head[0], head[1]]);
            let length = usize::from(self.short([head[2], head[3]]));
            let value = rest.get(..length)?;
            match (code, value) {
                (0, _) => break,
                (RESOLUTION, [value, ..]) => found.unit = Unit::of_option(*value)?,
                (CHECK_SEQUENCE, [value, ..]) => found.has_check = *value > 0,
                (OFFSET, value) => {
                    let bytes = *value.first_chunk()?;
                    found.offset = match self.is_big {
                        true => i64::from_be_bytes(bytes),
                        false => i64::from_le_bytes(bytes),
                    };
                }
                _ => {}
            }
            options = rest.get(length.next_multiple_of(4)..).unwrap_or_default();
        }
        Some(found)
    }

    fn enhanced<R: Read>(
        &self,
        input: &mut Input<R>,
        body: u32,
    ) -> Result<(Found, Link), CaptureError> {
        // Options may follow the frame.
        if body > 2 * LONGEST {
            return Err(input.malformed("a frame is longer than 262144 bytes"));
        }
        input.fill(body)?;
        let word = |at| self.word_at(&input.buffer, at);
        let head = (|| Some((word(0)?, word(4)?, word(8)?, word(12)?, word(16)?)))();
        let Some((interface, high, low, captured, length)) = head else {
            return Err(input.malformed("a frame has no header"));
        };
        let place = 20..20 + captured as usize;
        if captured > LONGEST || place.end > input.buffer.len() {
            return Err(input.malformed("a frame is longer than its block"));
        }
        let number = self.before + u64::from(interface);
        let Some(interface) = self.interfaces.get(interface as usize) else {
            return Err(input.malformed("a frame is of no interface"));
        };
        if interface.has_check {
            return Err(input.unsupported("frames with their check sequence"));
        }
        let count = u64::from(high) << 32 | u64::from(low);
        let at = interface.unit.nanos(count) + i128::from(interface.offset) * 1_000_000_000;
        Ok((
            Found { interface: number, at, length, place },
            Link::of_number(interface.link.into())?,
        ))
    }
}
