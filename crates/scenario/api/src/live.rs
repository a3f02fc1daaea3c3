//! `GET /v1/live`: what the network does now, as binary frames over a WebSocket. This is the one
//! definition of their layout; the decoder of the web UI is generated from it.
//!
//! The client sends a [`LiveRequest`] as text whenever it wants something else. The engine answers
//! with a [`LiveNotice`] as text and then, each interval, with frames. All numbers are
//! little-endian. A frame is a [`Header`] of [`HEADER`] bytes, then one column after the other,
//! each with as many values as the header says. Columns of four bytes come first, so that a
//! program may look at them where they are. A row is sent only if it differs from what was sent of
//! it before.
//!
//! Rates are over the header's interval, from counters that exist anyway. A client that does not
//! read is skipped, never waited for: its next frame is over a longer interval.

use serde::{Deserialize, Serialize};

/// Version of the layout.
pub const VERSION: u8 = 1;

/// Length of a header, in bytes.
pub const HEADER: usize = 32;

/// Flag of a frame: it has all rows, and what was known before is to be forgotten.
pub const WHOLE: u16 = 1;

/// Flag of a frame: it is the last one of its tick.
pub const LAST: u16 = 2;

/// Shortest and longest interval between ticks, in ms.
pub const INTERVALS_MS: std::ops::RangeInclusive<u32> = 100..=10_000;

/// What a client wants to have sent.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct LiveRequest {
    /// Time between ticks, in ms of the machine's time, from 100 to 10000.
    pub interval_ms: u32,
    /// The links whose pipes are wanted.
    #[serde(default)]
    pub links: LiveLinks,
    /// So many of the other links are wanted, too: those that deliver most, at each tick.
    #[serde(default)]
    pub busiest: u32,
    /// Whether stations on shared media are wanted.
    #[serde(default)]
    pub stations: bool,
    /// Whether positions of stations are wanted.
    #[serde(default)]
    pub positions: bool,
}

/// Links that a client wants.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(untagged)]
pub enum LiveLinks {
    /// No links, or all.
    Word(LiveWord),
    /// Those at these places in `GET /v1/links`.
    These(Vec<u32>),
}

impl Default for LiveLinks {
    fn default() -> Self {
        Self::Word(LiveWord::None)
    }
}

/// A word in place of links.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LiveWord {
    /// All links.
    All,
    /// No link.
    None,
}

/// A message in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum LiveNotice {
    /// The network, at first and whenever it is another one. Places of links and stations are
    /// those of its `revision`.
    Network(LiveNetwork),
    /// The interval is not the one that was asked for.
    Slowed(LiveSlowed),
    /// The request cannot be understood, or the network is gone.
    Failed(crate::ApiError),
}

/// The network that indices of frames are of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LiveNetwork {
    /// Number of the network: another one after each change to another scenario.
    pub revision: u32,
    /// Number of links: those of `GET /v1/links`, in their order. Pipe `2 * link` leads from the
    /// first end to the second, and pipe `2 * link + 1` back.
    pub links: u32,
    /// Number of stations: those of all media of `GET /v1/media`, in their order.
    pub stations: u32,
}

/// A longer interval.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct LiveSlowed {
    /// The interval in force, in ms.
    pub interval_ms: u32,
    /// The reason, for people; empty if the interval is the wanted one again.
    pub why: String,
}

/// The beginning of a frame.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Header {
    /// The kind of the rows: [`Row::KIND`].
    pub kind: u8,
    /// [`WHOLE`] and [`LAST`].
    pub flags: u16,
    /// Number of rows.
    pub count: u32,
    /// End of the interval, in seconds of the experiment since zero.
    pub time: f64,
    /// Length of the interval, in seconds of the experiment.
    pub interval: f32,
    /// Number of the network.
    pub revision: u32,
    /// Number of the tick on this connection, from 0.
    pub tick: u32,
}

impl Header {
    /// Appends the header.
    fn write(&self, out: &mut Vec<u8>) {
        out.push(VERSION);
        out.push(self.kind);
        out.extend(self.flags.to_le_bytes());
        out.extend(self.count.to_le_bytes());
        out.extend(self.time.to_le_bytes());
        out.extend(self.interval.to_le_bytes());
        out.extend(self.revision.to_le_bytes());
        out.extend(self.tick.to_le_bytes());
        out.extend([0; 4]);
    }

    /// Reads a header of this version.
    pub fn read(frame: &[u8]) -> Option<Self> {
        let bytes: &[u8; HEADER] = frame.first_chunk()?;
        let four = |at: usize| [bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]];
        let mut eight = [0; 8];
        eight.copy_from_slice(&bytes[8..16]);
        (bytes[0] == VERSION).then(|| Self {
            kind: bytes[1],
            flags: u16::from_le_bytes([bytes[2], bytes[3]]),
            count: u32::from_le_bytes(four(4)),
            time: f64::from_le_bytes(eight),
            interval: f32::from_le_bytes(four(16)),
            revision: u32::from_le_bytes(four(20)),
            tick: u32::from_le_bytes(four(24)),
        })
    }
}

/// The type of the values of a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// `u32`
    U32,
    /// `f32`
    F32,
    /// `u8`
    U8,
}

impl ColumnType {
    /// Length of a value, in bytes.
    pub fn bytes(self) -> usize {
        match self {
            Self::U32 | Self::F32 => 4,
            Self::U8 => 1,
        }
    }
}

/// A value.
trait Value: Copy + PartialEq {
    const TYPE: ColumnType;
    fn write(self, out: &mut Vec<u8>);
    fn read(bytes: &[u8]) -> Option<Self>;
    /// Whether both are the same value; unknown values are.
    fn is(self, other: Self) -> bool {
        self == other
    }
}

impl Value for u32 {
    const TYPE: ColumnType = ColumnType::U32;
    fn write(self, out: &mut Vec<u8>) {
        out.extend(self.to_le_bytes());
    }
    fn read(bytes: &[u8]) -> Option<Self> {
        Some(Self::from_le_bytes(*bytes.first_chunk()?))
    }
}

impl Value for f32 {
    const TYPE: ColumnType = ColumnType::F32;
    fn write(self, out: &mut Vec<u8>) {
        out.extend(self.to_le_bytes());
    }
    fn read(bytes: &[u8]) -> Option<Self> {
        Some(Self::from_le_bytes(*bytes.first_chunk()?))
    }
    fn is(self, other: Self) -> bool {
        self.to_bits() == other.to_bits()
    }
}

impl Value for u8 {
    const TYPE: ColumnType = ColumnType::U8;
    fn write(self, out: &mut Vec<u8>) {
        out.push(self);
    }
    fn read(bytes: &[u8]) -> Option<Self> {
        bytes.first().copied()
    }
}

/// A row of a frame.
pub trait Row: Copy {
    /// The kind of frames of such rows.
    const KIND: u8;
    /// The word for the kind.
    const NAME: &'static str;
    /// Name, type and meaning of each column.
    const COLUMNS: &'static [(&'static str, ColumnType, &'static str)];

    /// Appends the columns of all rows.
    fn write(rows: &[Self], out: &mut Vec<u8>);
    /// Reads the columns of `count` rows.
    fn read(count: usize, bytes: &[u8]) -> Option<Vec<Self>>;
    /// Whether nothing has changed.
    fn is(&self, other: &Self) -> bool;
}

macro_rules! rows {
    ($(
        #[doc = $doc:literal]
        $row:ident: $kind:literal $name:literal {
            $(#[doc = $meaning:literal] $column:ident: $type:ty,)*
        }
    )*) => {$(
        #[doc = $doc]
        #[derive(Debug, Clone, Copy, PartialEq, Default)]
        pub struct $row {
            $(#[doc = $meaning] pub $column: $type,)*
        }

        impl Row for $row {
            const KIND: u8 = $kind;
            const NAME: &'static str = $name;
            const COLUMNS: &'static [(&'static str, ColumnType, &'static str)] =
                &[$((stringify!($column), <$type as Value>::TYPE, $meaning),)*];

            fn write(rows: &[Self], out: &mut Vec<u8>) {
                $(rows.iter().for_each(|row| row.$column.write(out));)*
            }

            fn read(count: usize, mut bytes: &[u8]) -> Option<Vec<Self>> {
                let mut rows = vec![Self::default(); count];
                $(for row in &mut rows {
                    row.$column = Value::read(bytes)?;
                    bytes = &bytes[<$type as Value>::TYPE.bytes()..];
                })*
                bytes.is_empty().then_some(rows)
            }

            fn is(&self, other: &Self) -> bool {
                true $(&& self.$column.is(other.$column))*
            }
        }
    )*};
}

rows! {
    /// A pipe.
    PipeRow: 1 "pipes" {
        /// Place of its link, times two; one more for the way back.
        index: u32,
        /// Traffic that the sending interface offered, in bit/s.
        offered: f32,
        /// Traffic that arrived, background included, in bit/s.
        delivered: f32,
        /// Frames that were dropped on the way, a second.
        drops: f32,
        /// Length of the queue at the end of the interval, in bytes.
        queued: u32,
        /// The same as a share of the queue's limit, from 0 to 1; 0 if it has none.
        fill: f32,
        /// Share of the interval in which the line was sending.
        busy: f32,
        /// Bits of [`state`].
        state: u8,
    }
    /// A station on a shared medium.
    StationRow: 2 "stations" {
        /// Its place among the stations of all media.
        index: u32,
        /// Share of the interval in which it was sending.
        sent: f32,
        /// Share of the interval in which it sensed others.
        sensed: f32,
        /// Attempts that were not the first for their frame, a second.
        retries: f32,
        /// Frames that it gave up, a second.
        failed: f32,
        /// Frames that wait in it.
        queued: u32,
        /// Bits: 1 if its radio is on, 2 if it is present.
        state: u8,
    }
    /// The position of a station on a shared medium.
    PositionRow: 3 "positions" {
        /// Its place among the stations of all media.
        index: u32,
        /// Position, in m to the east.
        x: f32,
        /// Position, in m to the north.
        y: f32,
        /// Height, in m.
        z: f32,
        /// 1 if it is there, 0 while it is away.
        present: u8,
    }
}

/// Bits of the state of a pipe.
pub mod state {
    /// It is down.
    pub const DOWN: u8 = 1;
    /// The kernel carries it, and counts only what is offered, delivered and dropped.
    pub const DIRECT: u8 = 2;
    /// It is part of a simulation.
    pub const SIMULATED: u8 = 4;
    /// It carries background traffic.
    pub const BACKGROUND: u8 = 8;
    /// Frames were lost in the interval that no model asked for.
    pub const UNMODELLED: u8 = 16;
    /// Its queue is at its limit.
    pub const FULL: u8 = 64;
    /// Nothing is known about it in this interval.
    pub const UNKNOWN: u8 = 128;

    /// All bits with their names.
    pub const ALL: [(&str, u8); 7] = [
        ("DOWN", DOWN),
        ("DIRECT", DIRECT),
        ("SIMULATED", SIMULATED),
        ("BACKGROUND", BACKGROUND),
        ("UNMODELLED", UNMODELLED),
        ("FULL", FULL),
        ("UNKNOWN", UNKNOWN),
    ];
}

/// Returns a frame of these rows. Kind and count of the header follow from them.
pub fn frame<R: Row>(header: Header, rows: &[R]) -> Vec<u8> {
    let width: usize = R::COLUMNS.iter().map(|(_, of, _)| of.bytes()).sum();
    let mut out = Vec::with_capacity(HEADER + rows.len() * width);
    // There are no more rows than indices.
    let count = u32::try_from(rows.len()).unwrap_or(u32::MAX);
    Header { kind: R::KIND, count, ..header }.write(&mut out);
    R::write(rows, &mut out);
    out
}

/// Reads a frame of such rows. `None` if it is no whole frame of them.
pub fn read<R: Row>(frame: &[u8]) -> Option<(Header, Vec<R>)> {
    let header = Header::read(frame).filter(|header| header.kind == R::KIND)?;
    Some((header, R::read(usize::try_from(header.count).ok()?, &frame[HEADER..])?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOLDEN: Header = Header {
        kind: 0,
        flags: WHOLE | LAST,
        count: 0,
        time: 1.5,
        interval: 0.25,
        revision: 7,
        tick: 3,
    };

    #[test]
    fn frames_are_read_as_they_were_written() {
        let rows = [
            PipeRow { index: 5, offered: 1e9, fill: 0.5, state: state::FULL, ..PipeRow::default() },
            PipeRow { index: 6, queued: u32::MAX, ..PipeRow::default() },
        ];
        let bytes = frame(GOLDEN, &rows);
        assert_eq!(bytes.len(), HEADER + 2 * 29);
        let (header, read) = read::<PipeRow>(&bytes).unwrap();
        assert_eq!(header, Header { kind: 1, count: 2, ..GOLDEN });
        assert_eq!(read, rows);
        assert!(super::read::<StationRow>(&bytes).is_none());
        assert!(super::read::<PipeRow>(&bytes[..bytes.len() - 1]).is_none());
        assert!(super::read::<PipeRow>(&[]).is_none());
    }

    #[test]
    fn columns_of_four_bytes_come_first() {
        fn check<R: Row>() {
            let widths: Vec<usize> = R::COLUMNS.iter().map(|(_, of, _)| of.bytes()).collect();
            assert!(widths.is_sorted_by(|a, b| a >= b), "{}", R::NAME);
            assert_eq!(R::COLUMNS[0].0, "index");
        }
        check::<PipeRow>();
        check::<StationRow>();
        check::<PositionRow>();
    }

    #[test]
    fn links_are_a_word_or_places() {
        let read = |links: &str| -> LiveRequest {
            serde_json::from_str(&format!("{{\"interval_ms\": 250, \"links\": {links}}}")).unwrap()
        };
        assert_eq!(read("\"all\"").links, LiveLinks::Word(LiveWord::All));
        assert_eq!(read("[1, 5]").links, LiveLinks::These(vec![1, 5]));
        assert_eq!(read("\"none\"").links, LiveLinks::Word(LiveWord::None));
    }
}
