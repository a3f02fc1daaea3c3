//! The near end of a path: records and messages in, sealed datagrams out. Not here: the socket.

use std::fmt;
use std::ops::Range;

use crate::header::NO_RECORD;
use crate::message::Listed;
use crate::{
    Header, Kind, MAX_FRAME, Message, Nonce, Path, PipeCount, PipeCut, RECORD_HEADER, Record, Seal,
};

/// Length of the shortest datagrams that a sender can fill, in bytes.
pub const MIN_SEGMENT: usize = 128;

/// Length of the longest ones, in bytes: what UDP over IPv4 carries.
pub const MAX_SEGMENT: usize = 65_507;

/// The near end of a path.
///
/// [`push`](Self::push) each frame that a wake-up produces, then [`finish`](Self::finish) and send
/// the burst. Buffers are reused: in the steady state nothing is allocated.
#[derive(Debug)]
pub struct Sender<S> {
    path: Path,
    /// Length of a full datagram, in bytes.
    segment: usize,
    seal: S,
    /// Number of the next datagram.
    next: u64,
    records: Datagrams,
    messages: Datagrams,
    /// The records of the burst, in order.
    marks: Vec<Mark>,
}

/// Error: no sender has datagrams of this length.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SegmentSize(pub usize);

impl fmt::Display for SegmentSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(bytes) = self;
        write!(
            f,
            "datagrams of {bytes} bytes cannot carry frames between machines: \
             they have {MIN_SEGMENT} to {MAX_SEGMENT} bytes"
        )
    }
}

impl std::error::Error for SegmentSize {}

/// Datagrams of equal length that are being filled.
#[derive(Debug, Default)]
struct Datagrams {
    bytes: Vec<u8>,
    /// Where the last datagram begins; it has room for more.
    open: Option<usize>,
    /// Whether they have been handed out, and make room for the next ones.
    is_out: bool,
}

/// A record of a burst.
#[derive(Debug, Clone, Copy)]
struct Mark {
    pipe: u32,
    frames: u16,
    /// The datagrams of the burst that have its beginning and its end, from 0.
    first: u32,
    last: u32,
}

/// Datagrams to send.
#[derive(Debug, Clone, Copy)]
pub struct Burst<'a> {
    /// The datagrams, one behind the other.
    pub bytes: &'a [u8],
    /// Length of each datagram but the last one, which may be shorter, in bytes: what `UDP_SEGMENT`
    /// takes. Chunks of `k * segment` bytes are `k` datagrams.
    pub segment: usize,
    marks: &'a [Mark],
}

impl<'a> Burst<'a> {
    /// Returns the datagrams.
    pub fn datagrams(&self) -> impl Iterator<Item = &'a [u8]> {
        self.bytes.chunks(self.segment)
    }

    /// Returns the pipe and the number of wire frames of each record that is lost if datagrams
    /// `unsent` of the burst are not sent. The receiver counts these frames as missing too.
    pub fn frames_in(&self, unsent: Range<usize>) -> impl Iterator<Item = (u32, u16)> + use<'a> {
        let is_hit = move |mark: &&Mark| {
            (mark.first as usize) < unsent.end && unsent.start <= mark.last as usize
        };
        self.marks.iter().filter(is_hit).map(|mark| (mark.pipe, mark.frames))
    }
}

impl<S: Seal> Sender<S> {
    /// Creates the near end of a path, which fills datagrams of `segment` bytes.
    ///
    /// # Errors
    /// If `segment` is less than [`MIN_SEGMENT`] or more than [`MAX_SEGMENT`].
    pub fn new(path: Path, segment: usize, seal: S) -> Result<Self, SegmentSize> {
        if !(MIN_SEGMENT..=MAX_SEGMENT).contains(&segment) {
            return Err(SegmentSize(segment));
        }
        let (records, messages) = Default::default();
        Ok(Self { path, segment, seal, next: 0, records, messages, marks: Vec::new() })
    }

    /// Number of bytes of datagrams that wait for [`finish`](Self::finish). A frame is never too
    /// many; callers finish when the sum is more than they send at once.
    pub fn pending(&self) -> usize {
        if self.records.is_out { 0 } else { self.records.bytes.len() }
    }

    /// Adds a frame, whose bytes come in two pieces.
    ///
    /// # Panics
    /// If the frame is longer than [`MAX_FRAME`] or has no wire frame.
    #[inline]
    pub fn push(&mut self, record: &Record, frame: [&[u8]; 2]) {
        let length = frame[0].len() + frame[1].len();
        assert!(length <= MAX_FRAME && record.frames > 0, "{length} bytes are no frame");
        if self.records.is_out {
            self.marks.clear();
        }
        self.records.begin();
        let layout = self.layout();
        let first = self.records.note_start(layout) / self.segment;
        self.records.write(layout, &record.encode(length));
        self.records.write(layout, frame[0]);
        self.records.write(layout, frame[1]);
        let last = (self.records.bytes.len() - 1) / self.segment;
        let Record { pipe, frames, .. } = *record;
        let mark = Mark { pipe, frames, first: first as u32, last: last as u32 };
        self.marks.push(mark);
    }

    /// Seals the records that were pushed since the last call, and returns their datagrams.
    pub fn finish(&mut self) -> Burst<'_> {
        if self.records.is_out {
            self.marks.clear();
        }
        self.records.begin();
        self.records.close(self.seal.tag_bytes());
        seal(&self.seal, Kind::Records, self.path, &mut self.next, self.segment, &mut self.records);
        Burst { bytes: &self.records.bytes, segment: self.segment, marks: &self.marks }
    }

    /// Returns a datagram with a message. It has the length of full datagrams, so that what does
    /// not let them pass does not let it pass either.
    pub fn message(&mut self, message: &Message) -> Burst<'_> {
        self.messages.restart();
        self.messages.bytes.resize(Header::BYTES, 0);
        message.encode(&mut self.messages.bytes);
        self.messages.bytes.resize(self.segment, 0);
        self.seal_messages(message.kind(), self.segment)
    }

    /// Returns datagrams that say how many frames were sent so far. Empty if there are no counts.
    pub fn counts(&mut self, counts: &[PipeCount]) -> Burst<'_> {
        self.list(counts)
    }

    /// Returns datagrams that tell of cuts. Empty if there are none.
    pub fn cuts(&mut self, cuts: &[PipeCut]) -> Burst<'_> {
        self.list(cuts)
    }

    fn list<T: Listed>(&mut self, parts: &[T]) -> Burst<'_> {
        self.messages.restart();
        let (room, tag) = (self.layout().room(), self.seal.tag_bytes());
        let most = room / T::BYTES;
        for parts in parts.chunks(most) {
            let begin = self.messages.bytes.len();
            self.messages.bytes.resize(begin + Header::BYTES, 0);
            parts.iter().for_each(|part| part.encode(&mut self.messages.bytes));
            self.messages.bytes.resize(self.messages.bytes.len() + tag, 0);
        }
        self.seal_messages(T::KIND, Header::BYTES + most * T::BYTES + tag)
    }

    fn layout(&self) -> Layout {
        Layout { segment: self.segment, tag: self.seal.tag_bytes() }
    }

    fn seal_messages(&mut self, kind: Kind, segment: usize) -> Burst<'_> {
        seal(&self.seal, kind, self.path, &mut self.next, segment, &mut self.messages);
        Burst { bytes: &self.messages.bytes, segment, marks: &[] }
    }
}

/// How a datagram is divided.
#[derive(Debug, Clone, Copy)]
struct Layout {
    segment: usize,
    tag: usize,
}

impl Layout {
    /// Bytes of a full payload.
    fn room(self) -> usize {
        self.segment - Header::BYTES - self.tag
    }
}

/// Gives each datagram its header, whose field `first` is there already, and its tag.
fn seal(
    seal: &impl Seal,
    kind: Kind,
    path: Path,
    next: &mut u64,
    segment: usize,
    datagrams: &mut Datagrams,
) {
    datagrams.is_out = true;
    for datagram in datagrams.bytes.chunks_mut(segment) {
        let (head, sealed) = datagram.split_at_mut(Header::BYTES);
        let first = if kind == Kind::Records { [head[2], head[3]] } else { [0xff; 2] };
        let first = u16::from_be_bytes(first);
        let sequence = *next;
        *next += 1;
        head.copy_from_slice(&Header { kind, first, path, sequence }.encode());
        seal.seal(Nonce { path: path.number, sequence }, head, sealed);
    }
}

impl Datagrams {
    /// Forgets the datagrams that have been handed out.
    fn begin(&mut self) {
        if self.is_out {
            self.restart();
        }
    }

    fn restart(&mut self) {
        self.bytes.clear();
        (self.open, self.is_out) = (None, false);
    }

    /// Notes that a record begins here, if none does so far in this datagram. Returns where.
    fn note_start(&mut self, layout: Layout) -> usize {
        let begin = self.open(layout);
        let first = self.bytes.len() - begin - Header::BYTES;
        let field = &mut self.bytes[begin + 2..begin + 4];
        if *field == NO_RECORD.to_be_bytes() {
            field.copy_from_slice(&(first as u16).to_be_bytes());
        }
        self.bytes.len()
    }

    /// Returns where the datagram begins that has room.
    #[inline]
    fn open(&mut self, layout: Layout) -> usize {
        let end = layout.segment - layout.tag;
        match self.open {
            Some(begin) if self.bytes.len() - begin < end => begin,
            _ => self.next_datagram(layout),
        }
    }

    fn next_datagram(&mut self, layout: Layout) -> usize {
        self.close(layout.tag);
        let begin = self.bytes.len();
        self.bytes.resize(begin + Header::BYTES, 0);
        self.bytes[begin + 2..begin + 4].copy_from_slice(&NO_RECORD.to_be_bytes());
        self.open = Some(begin);
        begin
    }

    /// Ends the datagram that is being filled with room for its tag.
    fn close(&mut self, tag: usize) {
        if self.open.take().is_some() {
            self.bytes.resize(self.bytes.len() + tag, 0);
        }
    }

    #[inline]
    fn write(&mut self, layout: Layout, mut piece: &[u8]) {
        while !piece.is_empty() {
            let begin = self.open(layout);
            let room = layout.segment - layout.tag - (self.bytes.len() - begin);
            let (here, rest) = piece.split_at(piece.len().min(room));
            self.bytes.extend_from_slice(here);
            piece = rest;
        }
    }
}

const _: () = assert!(MIN_SEGMENT >= Header::BYTES + Message::MOST_BYTES + RECORD_HEADER);
