//! The binary encoding of everything that the processes of one simulation exchange: the fields of
//! each value, one after the other, without names. Not here: the exchange of messages
//! (`netloom-simulate`).
//!
//! Integers are varints (LEB128: seven bits a byte, the least significant first, the high bit set
//! on all but the last byte), except single bytes, which are written as they are. A float is its
//! eight bytes, the least significant first. An optional value is preceded by a byte, 0 or 1. A
//! list begins with its length. An address is preceded by a byte with its length, 4 or 16. A choice
//! among several is a byte: its place among them.
//!
//! | file | what |
//! |---|---|
//! | `packet` | announcements of packets |
//! | `sample` | samples of pipes and flows, for results |

mod packet;
mod sample;

use std::net::IpAddr;

use netloom_units::{Duration, Time};

/// Version of this encoding. Processes with different versions cannot understand each other.
pub const VERSION: u16 = 2;

/// A type that can be written as bytes and read from them.
pub trait Binary: Sized {
    /// Appends the value to `out`.
    fn encode(&self, out: &mut Vec<u8>);

    /// Reads a value from the beginning of the remaining input.
    ///
    /// # Errors
    /// If [`encode`](Self::encode) could not have written the bytes.
    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError>;
}

/// The bytes are not a valid encoding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DecodeError {
    /// The bytes end too early.
    #[error("it ends too early")]
    Short,
    /// Bytes follow where the value should end.
    #[error("it goes on where it should end")]
    Long,
    /// A value is out of range.
    #[error("there is no such {0}")]
    Value(&'static str),
}

/// Bytes that have not been read yet.
#[derive(Debug, Clone, Copy)]
pub struct Input<'a>(&'a [u8]);

impl<'a> Input<'a> {
    /// Returns an input that holds all of `bytes`.
    pub const fn new(bytes: &'a [u8]) -> Self {
        Self(bytes)
    }

    /// Reads one value, which must take up all the remaining bytes.
    ///
    /// # Errors
    /// If the bytes are invalid, or more of them follow.
    pub fn only<T: Binary>(mut self) -> Result<T, DecodeError> {
        let thing = T::decode(&mut self)?;
        if self.0.is_empty() { Ok(thing) } else { Err(DecodeError::Long) }
    }

    /// Takes the next `count` bytes.
    ///
    /// # Errors
    /// If fewer bytes are left.
    pub fn bytes(&mut self, count: usize) -> Result<&'a [u8], DecodeError> {
        let (bytes, rest) = self.0.split_at_checked(count).ok_or(DecodeError::Short)?;
        self.0 = rest;
        Ok(bytes)
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], DecodeError> {
        let bytes = self.bytes(N)?;
        bytes.try_into().map_err(|_| DecodeError::Short)
    }

    /// Reads the number of items that follow, each of which takes at least one byte.
    fn count(&mut self) -> Result<usize, DecodeError> {
        let count = usize::try_from(u64::decode(self)?).map_err(|_| DecodeError::Short)?;
        if count <= self.0.len() { Ok(count) } else { Err(DecodeError::Short) }
    }
}

/// Implements [`Binary`] for structs: their fields, in the order given.
macro_rules! fields {
    ($($thing:ident { $($field:ident),* $(,)? })*) => {$(
        impl $crate::binary::Binary for $thing {
            fn encode(&self, out: &mut Vec<u8>) {
                let Self { $($field),* } = self;
                $($crate::binary::Binary::encode($field, out);)*
            }

            fn decode(
                input: &mut $crate::binary::Input<'_>,
            ) -> Result<Self, $crate::binary::DecodeError> {
                $(let $field = $crate::binary::Binary::decode(input)?;)*
                Ok(Self { $($field),* })
            }
        }
    )*};
}
pub(crate) use fields;

/// Implements [`Binary`] for types with a few values: one byte, the place of the value in a list.
macro_rules! places {
    ($($kind:ty, $what:literal: $all:expr;)*) => {$(
        impl $crate::binary::Binary for $kind {
            fn encode(&self, out: &mut Vec<u8>) {
                // The list is complete and short.
                let place = $all.iter().position(|one| one == self);
                out.push(place.expect("one of the list") as u8);
            }

            fn decode(
                input: &mut $crate::binary::Input<'_>,
            ) -> Result<Self, $crate::binary::DecodeError> {
                let place = usize::from(<u8 as $crate::binary::Binary>::decode(input)?);
                $all.get(place).copied().ok_or($crate::binary::DecodeError::Value($what))
            }
        }
    )*};
}
pub(crate) use places;

impl Binary for u8 {
    fn encode(&self, out: &mut Vec<u8>) {
        out.push(*self);
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        let [byte] = input.array()?;
        Ok(byte)
    }
}

impl Binary for u64 {
    #[inline]
    fn encode(&self, out: &mut Vec<u8>) {
        let mut value = *self;
        while value >= 0x80 {
            out.push(value as u8 | 0x80);
            value >>= 7;
        }
        out.push(value as u8);
    }

    #[inline]
    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        let mut value = 0;
        for shift in (0..Self::BITS).step_by(7) {
            let byte = u8::decode(input)?;
            let bits = Self::from(byte & 0x7f);
            if bits << shift >> shift != bits {
                break;
            }
            value |= bits << shift;
            if byte & 0x80 == 0 {
                return Ok(value);
            }
        }
        Err(DecodeError::Value("number of 64 bits"))
    }
}

impl Binary for u128 {
    fn encode(&self, out: &mut Vec<u8>) {
        // The upper half comes first.
        [(*self >> 64) as u64, *self as u64].iter().for_each(|half| half.encode(out));
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        let [upper, lower] = [u64::decode(input)?, u64::decode(input)?];
        Ok(Self::from(upper) << 64 | Self::from(lower))
    }
}

/// Implements [`Binary`] for numbers that are encoded as `u64`.
macro_rules! numbers {
    ($($number:ty)*) => {$(
        impl Binary for $number {
            #[inline]
            fn encode(&self, out: &mut Vec<u8>) {
                u64::from(*self).encode(out);
            }

            #[inline]
            fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
                let error = DecodeError::Value(concat!("number of ", stringify!($number)));
                Self::try_from(u64::decode(input)?).map_err(|_| error)
            }
        }
    )*};
}
numbers! { u16 u32 }

impl Binary for bool {
    fn encode(&self, out: &mut Vec<u8>) {
        out.push((*self).into());
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        match u8::decode(input)? {
            0 => Ok(false),
            1 => Ok(true),
            _ => Err(DecodeError::Value("choice of two")),
        }
    }
}

impl Binary for f64 {
    fn encode(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.to_bits().to_le_bytes());
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        Ok(Self::from_bits(u64::from_le_bytes(input.array()?)))
    }
}

impl Binary for Time {
    fn encode(&self, out: &mut Vec<u8>) {
        self.as_nanos().encode(out);
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        Ok(Self::from_nanos(u64::decode(input)?))
    }
}

impl Binary for Duration {
    fn encode(&self, out: &mut Vec<u8>) {
        self.as_nanos().encode(out);
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        Ok(Self::from_nanos(u64::decode(input)?))
    }
}

impl Binary for IpAddr {
    fn encode(&self, out: &mut Vec<u8>) {
        match self {
            Self::V4(address) => {
                out.push(4);
                out.extend_from_slice(&address.octets());
            }
            Self::V6(address) => {
                out.push(16);
                out.extend_from_slice(&address.octets());
            }
        }
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        match u8::decode(input)? {
            4 => Ok(input.array::<4>()?.into()),
            16 => Ok(input.array::<16>()?.into()),
            _ => Err(DecodeError::Value("kind of address")),
        }
    }
}

impl Binary for String {
    fn encode(&self, out: &mut Vec<u8>) {
        (self.len() as u64).encode(out);
        out.extend_from_slice(self.as_bytes());
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        let count = input.count()?;
        let text = Self::from_utf8(input.bytes(count)?.to_vec());
        text.map_err(|_| DecodeError::Value("text"))
    }
}

impl<T: Binary> Binary for Option<T> {
    fn encode(&self, out: &mut Vec<u8>) {
        self.is_some().encode(out);
        if let Some(thing) = self {
            thing.encode(out);
        }
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        bool::decode(input)?.then(|| T::decode(input)).transpose()
    }
}

impl<T: Binary> Binary for Vec<T> {
    fn encode(&self, out: &mut Vec<u8>) {
        (self.len() as u64).encode(out);
        self.iter().for_each(|thing| thing.encode(out));
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        // Memory is reserved for items that have arrived, not for the length that the bytes claim.
        (0..input.count()?).map(|_| T::decode(input)).collect()
    }
}

impl<A: Binary, B: Binary> Binary for (A, B) {
    fn encode(&self, out: &mut Vec<u8>) {
        self.0.encode(out);
        self.1.encode(out);
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        Ok((A::decode(input)?, B::decode(input)?))
    }
}

impl<A: Binary, B: Binary> Binary for Result<A, B> {
    fn encode(&self, out: &mut Vec<u8>) {
        self.is_ok().encode(out);
        match self {
            Ok(good) => good.encode(out),
            Err(bad) => bad.encode(out),
        }
    }

    fn decode(input: &mut Input<'_>) -> Result<Self, DecodeError> {
        Ok(if bool::decode(input)? { Ok(A::decode(input)?) } else { Err(B::decode(input)?) })
    }
}

#[cfg(test)]
mod tests;
