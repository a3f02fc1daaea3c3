//! Lengths of frames: one length, or several with weights.

use std::collections::BTreeMap;
use std::sync::Arc;

use netloom_units::Size;
use netloom_units::{
    Data, DataError, DataFile, DataFormat, FileError, Framing, Stream, check_count, lines, quoted,
};
use serde::de::value::{MapAccessDeserializer, SeqAccessDeserializer};
use serde::de::{Deserializer, Error, MapAccess, SeqAccess, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};

use crate::{Emission, TrafficError};

/// Length of the longest frame, in bytes.
const LONGEST: u64 = 65_535;

/// The simple Internet mix: 60, 590 and 1514 bytes at 7 : 4 : 1, including the Ethernet header.
const IMIX: [(u32, f64); 3] = [(60, 7.0), (590, 4.0), (1514, 1.0)];

/// The lengths of frames. The notation is `1514B`, `imix`, a list like `[{bytes: 64B, weight: 3},
/// {bytes: 1514B, weight: 1}]`, or `{file: FILE}` with a length and, unless it is 1, its weight in
/// each line.
#[derive(Debug, Clone, PartialEq)]
pub enum Sizes {
    /// All frames have this many bytes.
    Constant(u32),
    /// 60, 590 and 1514 bytes at 7 : 4 : 1.
    Imix,
    /// Each length has a probability proportional to its weight.
    Weighted(Data<SizeList>),
}

/// A length and how often it comes beside others.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct WeightedSize {
    /// The frame's length.
    pub bytes: Size,
    /// How often it comes, relative to the others (default 1).
    #[serde(default = "one")]
    pub weight: f64,
}

fn one() -> f64 {
    1.0
}

/// Lengths with weights.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(try_from = "Vec<WeightedSize>", into = "Vec<WeightedSize>")]
#[cfg_attr(feature = "schema", schemars(with = "Vec<WeightedSize>"))]
pub struct SizeList(Vec<WeightedSize>);

impl SizeList {
    /// # Errors
    /// If there are no sizes or too many, one is 0 or too long, or a weight is not above 0.
    pub fn new(sizes: Vec<WeightedSize>) -> Result<Self, String> {
        check_count(sizes.len(), "a list of lengths")?;
        for WeightedSize { bytes, weight } in &sizes {
            checked_length(*bytes)?;
            if !(weight.is_finite() && *weight > 0.0) {
                return Err(format!("the weight of {bytes} is {weight}; it must be above 0"));
            }
        }
        Ok(Self(sizes))
    }
}

/// Returns the length in bytes if a frame can have it.
fn checked_length(size: Size) -> Result<u32, String> {
    match size.bytes() {
        1..=LONGEST => Ok(size.bytes() as u32),
        _ => Err(format!("`{size}` is no frame's length: from 1B to {LONGEST}B")),
    }
}

impl TryFrom<Vec<WeightedSize>> for SizeList {
    type Error = String;
    fn try_from(sizes: Vec<WeightedSize>) -> Result<Self, String> {
        Self::new(sizes)
    }
}

impl From<SizeList> for Vec<WeightedSize> {
    fn from(list: SizeList) -> Self {
        list.0
    }
}

impl DataFormat for SizeList {
    const WHAT: &'static str = "list of frame lengths";

    fn parse(text: &str) -> Result<Self, DataError> {
        let mut sizes = Vec::new();
        for (number, line) in lines(text) {
            let mut words = line.split_whitespace();
            let word = words.next().unwrap_or_default();
            let bytes = word.strip_suffix('B').unwrap_or(word).parse().map(Size::from_bytes);
            let weight = words.next().map_or(Ok(1.0), str::parse);
            match (bytes, weight, words.next()) {
                (Ok(bytes), Ok(weight), None) => sizes.push(WeightedSize { bytes, weight }),
                _ => {
                    let what = format!("{} is not a length and its weight", quoted(line));
                    return Err(DataError::at(number, what));
                }
            }
        }
        Self::new(sizes).map_err(DataError::Whole)
    }
}

impl Default for Sizes {
    /// The length of a full Ethernet frame.
    fn default() -> Self {
        Self::Constant(1514)
    }
}

impl Sizes {
    /// Loads the file that is named, if there is one. `read` returns its text.
    ///
    /// # Errors
    /// If the file cannot be read or is malformed.
    pub fn load<E>(
        &mut self,
        read: &mut dyn FnMut(&str) -> Result<String, E>,
    ) -> Result<(), Vec<FileError<E>>> {
        crate::files::load("size", self.file().into_iter().collect(), read)
    }

    /// Returns the part that may come from a file.
    pub fn file(&mut self) -> Option<&mut dyn DataFile> {
        match self {
            Self::Constant(_) | Self::Imix => None,
            Self::Weighted(data) => Some(data),
        }
    }

    /// Returns the law from which lengths are drawn.
    ///
    /// # Errors
    /// If the file has not been read.
    pub fn law(&self) -> Result<SizeLaw, TrafficError> {
        match self {
            Self::Constant(bytes) => Ok(SizeLaw::new(&[(*bytes, 1.0)])),
            Self::Imix => Ok(SizeLaw::new(&IMIX)),
            Self::Weighted(data) => {
                let list = data.values().ok_or_else(|| TrafficError::unread(data.file()))?;
                let pairs: Vec<_> =
                    list.0.iter().map(|size| (size.bytes.bytes() as u32, size.weight)).collect();
                Ok(SizeLaw::new(&pairs))
            }
        }
    }
}

/// Lengths of frames with their probabilities.
#[derive(Debug, Clone)]
pub struct SizeLaw {
    /// The lengths with their cumulative probabilities, by frames and by bytes.
    steps: Arc<[Step]>,
    mean: f64,
    mean_square: f64,
}

#[derive(Debug)]
struct Step {
    bytes: u32,
    probability: f64,
    /// The probability that a frame has this length or one before it.
    frames: f64,
    /// The probability that a byte is in a frame of this length or one before it.
    volume: f64,
}

impl SizeLaw {
    /// Returns the law of lengths with weights, of which there must be at least one.
    fn new(sizes: &[(u32, f64)]) -> Self {
        let weights: f64 = sizes.iter().map(|(_, weight)| weight).sum();
        let average = |of: fn(f64) -> f64| {
            let terms = sizes.iter().map(|(bytes, weight)| weight * of(f64::from(*bytes)));
            terms.sum::<f64>() / weights
        };
        let (mean, mean_square) = (average(|bytes| bytes), average(|bytes| bytes * bytes));
        let (mut frames, mut volume) = (0.0, 0.0);
        let steps = sizes.iter().map(|(bytes, weight)| {
            let probability = weight / weights;
            frames += probability;
            volume += probability * f64::from(*bytes) / mean;
            Step { bytes: *bytes, probability, frames, volume }
        });
        Self { steps: steps.collect(), mean, mean_square }
    }

    /// Returns the law of the lengths of these frames, of which there must be at least one.
    pub(crate) fn of_frames(frames: &[Emission]) -> Self {
        let mut counts = BTreeMap::new();
        for frame in frames {
            *counts.entry(frame.bytes).or_insert(0.0) += 1.0;
        }
        Self::new(&counts.into_iter().collect::<Vec<_>>())
    }

    /// Returns the shortest and the longest length in bytes.
    pub fn range(&self) -> (u32, u32) {
        let lengths = || self.steps.iter().map(|step| step.bytes);
        // There is at least one length.
        (lengths().min().unwrap_or(0), lengths().max().unwrap_or(0))
    }

    /// Returns the mean length in bytes.
    pub fn mean(&self) -> f64 {
        self.mean
    }

    /// Returns the mean of the squared length, in bytes².
    pub fn mean_square(&self) -> f64 {
        self.mean_square
    }

    /// Returns the mean length of a frame on a line, in bytes.
    pub fn mean_on_line(&self, framing: Framing) -> f64 {
        let on_line = |step: &Step| f64::from(framing.line_bytes(step.bytes)) * step.probability;
        self.steps.iter().map(on_line).sum()
    }

    /// Draws the length of the next frame. If there is only one length, no random number is used.
    pub fn draw(&self, stream: &mut Stream) -> u32 {
        self.pick(stream, |step| step.frames)
    }

    /// Draws the length of the frame that a random byte is in.
    pub(crate) fn draw_by_volume(&self, stream: &mut Stream) -> u32 {
        self.pick(stream, |step| step.volume)
    }

    fn pick(&self, stream: &mut Stream, sum: impl Fn(&Step) -> f64) -> u32 {
        let last = self.steps.len() - 1;
        if last == 0 {
            return self.steps[0].bytes;
        }
        let u = stream.uniform();
        self.steps[self.steps.partition_point(|step| sum(step) <= u).min(last)].bytes
    }
}

/// Lengths that come from a file.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
struct SizesTable {
    /// A file with a length in bytes and, if not 1, its weight in each line.
    file: Data<SizeList>,
}

impl Serialize for Sizes {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Constant(bytes) => Size::from_bytes(u64::from(*bytes)).serialize(serializer),
            Self::Imix => serializer.serialize_str("imix"),
            Self::Weighted(data) if data.file().is_none() => data.serialize(serializer),
            Self::Weighted(data) => SizesTable { file: data.clone() }.serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Sizes {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct SizesVisitor;
        impl<'de> Visitor<'de> for SizesVisitor {
            type Value = Sizes;
            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a size like `1514B`, `imix`, a list of sizes, or `{file: FILE}`")
            }
            fn visit_str<E: Error>(self, text: &str) -> Result<Sizes, E> {
                if text == "imix" {
                    return Ok(Sizes::Imix);
                }
                let size: Size = text.parse().map_err(E::custom)?;
                checked_length(size).map(Sizes::Constant).map_err(E::custom)
            }
            netloom_units::visit_numbers_as_text!();
            fn visit_seq<A: SeqAccess<'de>>(self, list: A) -> Result<Sizes, A::Error> {
                let list = SizeList::deserialize(SeqAccessDeserializer::new(list))?;
                Ok(Sizes::Weighted(Data::inline(list)))
            }
            fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Sizes, A::Error> {
                let table = SizesTable::deserialize(MapAccessDeserializer::new(map))?;
                Ok(Sizes::Weighted(table.file))
            }
        }
        deserializer.deserialize_any(SizesVisitor)
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Sizes {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Sizes".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let list = generator.subschema_for::<SizeList>();
        let table = generator.subschema_for::<SizesTable>();
        schemars::json_schema!({
            "description": "A length like `1514B`, `imix`, a list of lengths, or a file of them.",
            "anyOf": [{ "type": ["string", "number"] }, list, table],
        })
    }
}
