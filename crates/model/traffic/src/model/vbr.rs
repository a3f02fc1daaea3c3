//! Video: pictures of varying size at a fixed rate.

use netloom_units::{Data, DataError, DataFile, DataFormat, Stream, check_count, lines, quoted};
use netloom_units::{Size, Time};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

use super::{Configured, Given, TrafficError};
use crate::sizes::SizeLaw;
use crate::source::FrameSource;
use crate::{Emission, Moments};

/// Pictures of a video, over and over. Each is sent at once, in frames of at most the entry's
/// `size`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct VbrConfig {
    /// A file with the bytes of a picture in each line, or a list of sizes.
    pub file: Data<Pictures>,
    /// Pictures a second, from 0.001 to 100000.
    pub frame_rate: f64,
}

/// Sizes of pictures: at least one.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Vec<Size>", into = "Vec<Size>")]
#[cfg_attr(feature = "schema", schemars(with = "Vec<Size>"))]
pub struct Pictures(Vec<Size>);

impl Pictures {
    /// # Errors
    /// If there are no pictures, too many, or one is empty.
    pub fn new(pictures: Vec<Size>) -> Result<Self, String> {
        check_count(pictures.len(), "a list of pictures")?;
        match pictures.iter().position(|size| size.bytes() == 0) {
            Some(index) => Err(format!("picture {} has no bytes", index + 1)),
            None => Ok(Self(pictures)),
        }
    }
}

impl TryFrom<Vec<Size>> for Pictures {
    type Error = String;
    fn try_from(pictures: Vec<Size>) -> Result<Self, String> {
        Self::new(pictures)
    }
}

impl From<Pictures> for Vec<Size> {
    fn from(pictures: Pictures) -> Self {
        pictures.0
    }
}

impl DataFormat for Pictures {
    const WHAT: &'static str = "list of pictures";

    fn parse(text: &str) -> Result<Self, DataError> {
        let parsed = lines(text).map(|(number, line)| {
            let bytes = line.parse().map(Size::from_bytes);
            bytes.map_err(|_| {
                let message = format!("{} is not a whole number of bytes", quoted(line));
                DataError::at(number, message)
            })
        });
        Self::new(parsed.collect::<Result<_, _>>()?).map_err(DataError::Whole)
    }
}

impl VbrConfig {
    fn pictures(&self) -> Result<Arc<Pictures>, TrafficError> {
        self.file.values().cloned().ok_or_else(|| TrafficError::unread(self.file.file()))
    }
}

impl Configured for VbrConfig {
    fn check(&self) -> Result<(), String> {
        match (0.001..=100_000.0).contains(&self.frame_rate) {
            true => Ok(()),
            false => Err(format!("`frame_rate: {}` must be from 0.001 to 100000", self.frame_rate)),
        }
    }

    fn files(&mut self) -> Vec<&mut dyn DataFile> {
        vec![&mut self.file]
    }

    fn source(&self, given: &Given<'_>) -> Result<FrameSource, TrafficError> {
        let pictures = self.pictures()?;
        let left = pictures.0[0].bytes();
        let (sizes, lengths) = (given.sizes.law()?, given.stream.fork("sizes"));
        let frame_rate = self.frame_rate;
        Ok(Video { pictures, number: 0, left, frame_rate, sizes, lengths }.into())
    }

    fn moments(&self, _: &Given<'_>) -> Result<Moments, TrafficError> {
        let pictures = self.pictures()?;
        let bytes: f64 = pictures.0.iter().map(|size| size.bytes() as f64).sum();
        Ok(Moments::unknown(bytes * 8.0 / pictures.0.len() as f64 * self.frame_rate))
    }
}

/// The state of a video that is sent.
#[derive(Debug, Clone)]
pub(crate) struct Video {
    pictures: Arc<Pictures>,
    /// Number of the current picture, counted from 0 through all rounds.
    number: u64,
    /// Bytes of this picture that are still to be sent.
    left: u64,
    frame_rate: f64,
    sizes: SizeLaw,
    lengths: Stream,
}

impl Video {
    /// Returns the next frame, or `None` at the end of time.
    pub fn next(&mut self) -> Option<Emission> {
        let nanos = self.number as f64 * 1e9 / self.frame_rate;
        if nanos >= u64::MAX as f64 {
            return None;
        }
        let full = self.sizes.draw(&mut self.lengths);
        // The minimum with `full`, a `u32`, fits into `u32`.
        let bytes = u64::from(full).min(self.left) as u32;
        self.left -= u64::from(bytes);
        if self.left == 0 {
            self.number += 1;
            let index = self.number % self.pictures.0.len() as u64;
            self.left = self.pictures.0[index as usize].bytes();
        }
        Some(Emission { at: Time::from_nanos(libm::round(nanos) as u64), bytes })
    }
}
