//! Decoding of events from bytes.

use netloom_units::{Duration, Rate, Time};

use super::{
    AIR_LOG_VERSION, AirEvent, AirLogHeader, AirOccurrence, CHANGED, DROPPED, EARLY_VERSION, HEARD,
    JOINED, KIND, LEFT, MAGIC, OFFERED, REST, SENT, SentRecord,
};
use crate::{FrameLoss, Kind, Receiver, StationId};

/// Reads an air log: an iterator over its events, which ends at the first error.
#[derive(Debug)]
pub struct AirLogReader<'a> {
    header: AirLogHeader,
    bytes: Bytes<'a>,
    at: Time,
}

/// Reason for which bytes are not an air log.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AirLogError {
    /// The first bytes are not those of an air log.
    #[error("this is not an air log: it does not begin with `NLAIRLOG`")]
    Magic,
    /// The version is unknown.
    #[error(
        "this air log has version {0}; this program reads {AIR_LOG_VERSION} and {EARLY_VERSION}"
    )]
    Version(u8),
    /// A value that no writer produces.
    #[error("the air log is damaged before byte {at}: {what}")]
    Damaged {
        /// Offset in bytes.
        at: usize,
        /// The fault.
        what: &'static str,
    },
}

impl<'a> AirLogReader<'a> {
    /// Creates a reader of `bytes`, a whole log.
    ///
    /// # Errors
    /// The bytes do not begin as an air log does.
    pub fn new(bytes: &'a [u8]) -> Result<Self, AirLogError> {
        let mut bytes = Bytes { all: bytes, next: 0 };
        if bytes.take(MAGIC.len()).is_ok_and(|magic| magic == MAGIC) {
            let version = bytes.byte()?;
            if ![AIR_LOG_VERSION, EARLY_VERSION].contains(&version) {
                return Err(AirLogError::Version(version));
            }
            let (medium, seed) = (bytes.text()?.into(), bytes.varint()?);
            let before_zero = if version == EARLY_VERSION { bytes.varint()? } else { 0 };
            let start = Time::ZERO - Duration::from_nanos(before_zero);
            return Ok(Self { header: AirLogHeader { medium, seed, start }, bytes, at: start });
        }
        Err(AirLogError::Magic)
    }

    /// Returns the header of the log.
    pub fn header(&self) -> &AirLogHeader {
        &self.header
    }

    fn event(&mut self) -> Result<AirEvent, AirLogError> {
        let bytes = &mut self.bytes;
        let first = bytes.byte()?;
        let at = self.at + Duration::from_nanos(bytes.varint()?);
        let (kind, rest) = (first & KIND, first >> REST);
        let what = match kind {
            OFFERED => AirOccurrence::Offered {
                refused: bytes.loss(rest)?,
                station: bytes.station()?,
                to: bytes.receiver()?,
                bytes: bytes.number()?,
            },
            SENT => AirOccurrence::Sent(bytes.sent(rest)?),
            HEARD => AirOccurrence::Heard {
                loss: bytes.loss(rest)?,
                sender: bytes.station()?,
                number: bytes.varint()?,
                station: bytes.station()?,
            },
            DROPPED => AirOccurrence::Dropped {
                reason: bytes.loss(rest)?.ok_or_else(|| bytes.damaged("a drop has no reason"))?,
                station: bytes.station()?,
                number: bytes.varint()?,
            },
            CHANGED if rest == 0 => AirOccurrence::Changed(bytes.text()?.into()),
            JOINED if rest == 0 => {
                AirOccurrence::Joined { station: bytes.station()?, config: bytes.text()?.into() }
            }
            LEFT if rest == 0 => AirOccurrence::Left { station: bytes.station()? },
            _ => return Err(bytes.damaged("there is no such event")),
        };
        self.at = at;
        Ok(AirEvent { at, what })
    }
}

impl Iterator for AirLogReader<'_> {
    type Item = Result<AirEvent, AirLogError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.bytes.next >= self.bytes.all.len() {
            return None;
        }
        let event = self.event();
        if event.is_err() {
            self.bytes.next = self.bytes.all.len();
        }
        Some(event)
    }
}

/// Bytes that are read in sequence.
#[derive(Debug)]
struct Bytes<'a> {
    all: &'a [u8],
    next: usize,
}

impl<'a> Bytes<'a> {
    fn damaged(&self, what: &'static str) -> AirLogError {
        AirLogError::Damaged { at: self.next, what }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], AirLogError> {
        let end = self.next.checked_add(count);
        let bytes = end.and_then(|end| self.all.get(self.next..end));
        let bytes = bytes.ok_or_else(|| self.damaged("it ends within an event"))?;
        self.next += count;
        Ok(bytes)
    }

    fn byte(&mut self) -> Result<u8, AirLogError> {
        Ok(self.take(1)?[0])
    }

    fn varint(&mut self) -> Result<u64, AirLogError> {
        let mut value = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            let bits = u64::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                break;
            }
            value |= bits << shift;
            if byte < 0x80 {
                return Ok(value);
            }
        }
        Err(self.damaged("a number has more than 64 bits"))
    }

    fn number(&mut self) -> Result<u32, AirLogError> {
        let value = self.varint()?;
        u32::try_from(value).map_err(|_| self.damaged("a number has more than 32 bits"))
    }

    fn text(&mut self) -> Result<&'a str, AirLogError> {
        let length = self.varint()?;
        let length = usize::try_from(length).map_err(|_| self.damaged("a text is too long"))?;
        let bytes = self.take(length)?;
        std::str::from_utf8(bytes).map_err(|_| self.damaged("a text is not UTF-8"))
    }

    fn station(&mut self) -> Result<StationId, AirLogError> {
        self.number().map(StationId)
    }

    fn receiver(&mut self) -> Result<Receiver, AirLogError> {
        Ok(match self.varint()? {
            0 => Receiver::All,
            1 => Receiver::Nobody,
            code => {
                let number = u32::try_from(code - 2);
                let number = number.map_err(|_| self.damaged("there is no such receiver"))?;
                Receiver::Station(StationId(number))
            }
        })
    }

    fn loss(&self, code: u8) -> Result<Option<FrameLoss>, AirLogError> {
        let Some(place) = usize::from(code).checked_sub(1) else { return Ok(None) };
        let loss = FrameLoss::ALL.get(place).copied();
        loss.map(Some).ok_or_else(|| self.damaged("there is no such reason"))
    }

    fn sent(&mut self, kind: u8) -> Result<SentRecord, AirLogError> {
        let kind = Kind::ALL.get(usize::from(kind)).copied();
        let kind = kind.ok_or_else(|| self.damaged("there is no such frame"))?;
        Ok(SentRecord {
            kind,
            station: self.station()?,
            to: self.receiver()?,
            number: self.varint()?,
            frame: self.varint()?.checked_sub(1),
            bytes: self.number()?,
            rate: {
                let rate = Rate::from_bits_per_second(self.varint()?);
                rate.ok_or_else(|| self.damaged("a rate is out of range"))?
            },
            airtime: Duration::from_nanos(self.varint()?),
            attempt: self.number()?,
            window: self.number()?,
            slots: self.number()?,
        })
    }
}
