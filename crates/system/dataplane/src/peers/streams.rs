//! A worker's socket to other machines, and the streams of frames through it: one to each socket
//! that serves the other end of a link of this worker, and one from each. Not here: the network
//! that frames leave and enter (`shard`).

use std::collections::HashMap;
use std::io;
use std::net::SocketAddr;
use std::os::fd::{AsFd, BorrowedFd};
use std::sync::Arc;

use netloom_clock::{Line, Reading};
use netloom_fabric::{LinkId, PipeId, PipeSlot};
use netloom_link::Announced;
use netloom_ports::{DATAGRAMS_BYTES, DatagramSocket, HEADER_BYTES, Unsent};
use netloom_tunnel::{
    Burst, Header, Loss, Path, PipeCount, PipeCut, PipeTally, Receiver, Record, Refused, Sender,
};
use netloom_units::{Duration, Time};

use super::board::{Board, Known};
use super::kernel_clock::Since1970;
use super::translation::Translation;
use super::{Cipher, CrossedFrames, CrossedPipe, Tunnels};
use crate::DataplaneError;
use crate::pipe_frame::PipeFrame;

/// Bytes of datagrams that are sent at once although the wake-up has more.
const BURST: usize = 256 << 10;
/// Time between two reports of what was sent, on the machine's clock.
pub(crate) const TELL: Duration = Duration::from_millis(100);
/// Number of reports after the last frame: two make a loss certain, and one may be lost.
const TELLS: u32 = 3;
/// The same at the end, when it is known whether the peer has told, and this machine tells on for
/// as long as it takes.
const LAST_TELLS: u32 = 50;

/// The streams of one worker.
#[derive(Debug)]
pub(crate) struct Streams {
    tunnels: Arc<Tunnels>,
    board: Arc<Board>,
    socket: DatagramSocket,
    /// What the kernel's stamps of its datagrams mean.
    real_time: Since1970,
    /// Where a read puts datagrams. `None` while they are being taken.
    room: Option<Vec<u8>>,
    streams: Vec<Stream>,
    by_path: HashMap<Path, usize>,
    outgoing: HashMap<u32, Outgoing>,
    incoming: HashMap<u32, Incoming>,
    counts: Vec<PipeCount>,
    cuts: Vec<PipeCut>,
    /// When to report what was sent, if there is something to report.
    tell_at: Option<Time>,
    tell_every: Duration,
    /// Datagrams that belong to no stream.
    foreign: u64,
}

/// Datagrams between this socket and one of a peer, in both directions.
#[derive(Debug)]
struct Stream {
    peer: usize,
    to: SocketAddr,
    sender: Sender<Cipher>,
    receiver: Receiver<Cipher>,
    known: Known,
    /// The pipes of its frames that are sent.
    pipes: Vec<u32>,
    /// Number of reports to be sent still.
    untold: u32,
    /// Why datagrams were last not sent.
    trouble: Option<String>,
}

/// A pipe that leads to another machine.
#[derive(Debug, Default)]
struct Outgoing {
    peer: usize,
    stream: Option<usize>,
    left: u64,
    full: u64,
    unconnected: u64,
    /// Its last cut.
    cut: Option<PipeCut>,
}

/// A pipe that comes from another machine.
#[derive(Debug)]
pub(crate) struct Incoming {
    peer: usize,
    pub slot: PipeSlot,
    translation: Translation,
    refused: u64,
}

/// The way of a link to its other end.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Route {
    pub link: LinkId,
    /// The socket that serves it there.
    pub to: SocketAddr,
    /// Number of the path there and back: of both sockets among those of their machines.
    pub numbers: [u32; 2],
}

/// What the streams to and from one peer have done.
#[derive(Debug, Default)]
pub(crate) struct StreamStatus {
    pub pipes: Vec<CrossedPipe>,
    pub refused: Refused,
    pub trouble: Option<String>,
    /// What was heard by each stream.
    pub heard: Vec<Heard>,
}

/// What was heard of what a peer has sent by a stream.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heard {
    /// Number of its reports.
    pub reports: u64,
    /// Whether frames are missing that may still come.
    pub lacks: bool,
}

/// Datagrams of one read.
pub(crate) struct Batch {
    /// When the first of them reached this machine, on its clock, as far as the kernel tells.
    pub arrived: Option<u64>,
    room: Vec<u8>,
    bytes: usize,
    length: usize,
}

/// What a peer has told of a pipe that comes from it.
#[derive(Debug, Clone, Copy)]
pub(crate) enum News {
    /// Frames are lost.
    Lost(u64),
    /// It has made this cut, at this time of ours.
    Cut { number: u32, at: Option<Reading> },
}

/// A frame that has come, with what its network needs.
pub(crate) struct Came<'a> {
    pub incoming: &'a mut Incoming,
    pub record: &'a Record,
    pub bytes: &'a [u8],
    pub line: Option<Line>,
}

impl Streams {
    /// Opens the socket. Reports are `tell_every` apart.
    pub fn open(
        tunnels: Arc<Tunnels>,
        board: Arc<Board>,
        tell_every: Duration,
    ) -> Result<Self, DataplaneError> {
        let socket = tunnels.bind().map_err(DataplaneError::system("open a socket for frames"))?;
        // Without stamps of the kernel, nobody is named for late frames but who sent them.
        let _ = socket.stamp();
        Ok(Self {
            socket,
            tunnels,
            board,
            real_time: Since1970::kept(),
            room: Some(vec![0; DATAGRAMS_BYTES]),
            streams: Vec::new(),
            by_path: HashMap::new(),
            outgoing: HashMap::new(),
            incoming: HashMap::new(),
            counts: Vec::new(),
            cuts: Vec::new(),
            tell_at: None,
            tell_every,
            foreign: 0,
        })
    }

    /// Returns the address of the socket.
    pub fn address(&self) -> SocketAddr {
        self.socket.address()
    }

    /// Adds the pipes of a link: the one that leads to the peer, and the one that comes from it.
    pub fn add(&mut self, peer: usize, to: PipeSlot, from: PipeSlot) {
        self.outgoing.insert(number(to.id), Outgoing { peer, ..Outgoing::default() });
        let (translation, refused) = Default::default();
        self.incoming.insert(number(from.id), Incoming { peer, slot: from, translation, refused });
    }

    /// Connects the links of a peer with the sockets that serve them there.
    pub fn connect(&mut self, peer: usize, routes: &[Route]) -> Result<(), DataplaneError> {
        let session = self.tunnels.session_with(self.tunnels.peers[peer]);
        let mut by_socket: HashMap<SocketAddr, Vec<&Route>> = HashMap::new();
        routes.iter().for_each(|route| by_socket.entry(route.to).or_default().push(route));
        for (to, routes) in by_socket {
            let [sealing, opening] = self.tunnels.ciphers(self.tunnels.peers[peer]);
            let [there, back] = routes[0].numbers.map(|number| Path { session, number });
            let links: Vec<LinkId> = routes.iter().map(|route| route.link).collect();
            let is_here = |pipe: &u32| links.contains(&PipeId::from_index(*pipe).link);
            let pipes: Vec<u32> = self.outgoing.keys().copied().filter(is_here).collect();
            let coming = self.incoming.keys().copied().filter(is_here);
            let stream = Stream {
                peer,
                to,
                sender: Sender::new(there, self.tunnels.datagram, sealing)?,
                receiver: Receiver::new(back, opening, coming),
                known: Known::default(),
                pipes,
                // What was lost before is to be known soon.
                untold: TELLS,
                trouble: None,
            };
            for pipe in &stream.pipes {
                let outgoing = self.outgoing.get_mut(pipe);
                outgoing.into_iter().for_each(|pipe| pipe.stream = Some(self.streams.len()));
            }
            self.by_path.insert(back, self.streams.len());
            self.streams.push(stream);
        }
        Ok(())
    }

    /// Adds a frame to the stream of its pipe. Its release is `release` on this machine's clock.
    #[inline]
    pub fn push(&mut self, pipe: PipeId, release: i64, announced: &Announced<PipeFrame>) {
        let Announced { delivery, sequence, cuts } = announced;
        let (frames, pipe) = (delivery.info.frames(), number(pipe));
        let Some(outgoing) = self.outgoing.get_mut(&pipe) else { return };
        outgoing.left = sequence + u64::from(frames);
        let Some(index) = outgoing.stream else {
            outgoing.unconnected += u64::from(frames);
            return;
        };
        let (start, rest) = delivery.frame.0.raw_parts();
        let Some((virtio, start)) = start.split_first_chunk::<HEADER_BYTES>() else { return };
        let record = Record {
            pipe,
            sequence: *sequence,
            // A super-frame has 64 KiB, and its wire frames some bytes each.
            frames: u16::try_from(frames).unwrap_or(u16::MAX),
            number: delivery.passage.number,
            release,
            shift: u32::try_from(delivery.passage.shift.as_nanos()).unwrap_or(u32::MAX),
            cuts: *cuts,
            marked: delivery.passage.marked,
            virtio: *virtio,
        };
        let stream = &mut self.streams[index];
        stream.sender.push(&record, [start, rest]);
        stream.untold = stream.untold.max(TELLS);
        if stream.sender.pending() > BURST {
            stream.flush(&mut self.socket, &mut self.outgoing);
        }
    }

    /// Tells the peer that a pipe was cut, at `at` on this machine's clock: at once, and again with
    /// each report, since frames wait there until it is known.
    #[cold]
    pub fn cut(&mut self, pipe: PipeId, number: u32, at: i64) {
        let pipe = self::number(pipe);
        let cut = PipeCut { pipe, number, at };
        let Some(outgoing) = self.outgoing.get_mut(&pipe) else { return };
        outgoing.cut = Some(cut);
        let Some(stream) = outgoing.stream.map(|stream| &mut self.streams[stream]) else { return };
        stream.untold = stream.untold.max(TELLS);
        stream.tell_cuts(&mut self.socket, &[cut]);
    }

    /// Sends what was pushed, and reports what was sent so far if that is due at `now`.
    #[inline]
    pub fn flush(&mut self, now: Time) {
        for stream in &mut self.streams {
            if stream.sender.pending() > 0 {
                stream.flush(&mut self.socket, &mut self.outgoing);
            }
        }
        match self.tell_at {
            Some(at) if at <= now => self.tell(now),
            None if self.streams.iter().any(|stream| stream.untold > 0) => {
                self.tell_at = Some(now + self.tell_every);
            }
            _ => {}
        }
    }

    /// Returns when something is to be reported to a peer.
    #[inline]
    pub fn tell_at(&self) -> Option<Time> {
        self.tell_at
    }

    /// Reports from now on what was sent, whether it has changed or not.
    pub fn tell_to_the_end(&mut self, now: Time) {
        self.streams.iter_mut().for_each(|stream| stream.untold = LAST_TELLS);
        self.tell(now);
    }

    #[cold]
    fn tell(&mut self, now: Time) {
        for stream in self.streams.iter_mut().filter(|stream| stream.untold > 0) {
            stream.untold -= 1;
            self.counts.clear();
            let sent = |pipe: &u32| self.outgoing.get(pipe).map_or(0, |outgoing| outgoing.left);
            self.counts.extend(
                stream.pipes.iter().map(|pipe| PipeCount { pipe: *pipe, sent: sent(pipe) }),
            );
            for datagram in stream.sender.counts(&self.counts).datagrams() {
                // The next report says the same.
                if let Err(Unsent { source, .. }) = self.socket.send(datagram, stream.to) {
                    stream.trouble = Some(source.to_string());
                }
            }
            self.cuts.clear();
            let cut = |pipe: &u32| self.outgoing.get(pipe)?.cut;
            self.cuts.extend(stream.pipes.iter().filter_map(cut));
            stream.tell_cuts(&mut self.socket, &self.cuts);
        }
        let is_untold = self.streams.iter().any(|stream| stream.untold > 0);
        self.tell_at = is_untold.then(|| now + self.tell_every);
    }

    /// Reads datagrams, to be [taken](Self::take). `None` if none wait.
    ///
    /// # Errors
    /// If the kernel refuses.
    #[inline]
    pub fn read(&mut self) -> io::Result<Option<Batch>> {
        let mut room = self.room.take().unwrap_or_else(|| vec![0; DATAGRAMS_BYTES]);
        match self.socket.receive(&mut room) {
            Ok(Some(read)) => {
                let arrived = self.real_time.stamped(read.unix_ns);
                if arrived.is_none() {
                    self.real_time = Since1970::kept();
                }
                Ok(Some(Batch { arrived, room, bytes: read.bytes, length: read.length.max(1) }))
            }
            other => {
                self.room = Some(room);
                other.map(|_| None)
            }
        }
    }

    /// Takes the datagrams of a read: calls `take` for each frame, which returns whether its
    /// network has taken it, and `other` for what else there is to know of pipes.
    #[inline]
    pub fn take(
        &mut self,
        mut batch: Batch,
        mut take: impl FnMut(Came<'_>) -> bool,
        mut other: impl FnMut(PipeSlot, News),
    ) {
        for datagram in batch.room[..batch.bytes].chunks_mut(batch.length) {
            let path = Header::decode(datagram).map(|header| header.path);
            let stream = path.and_then(|path| self.by_path.get(&path));
            let Some(stream) = stream.map(|index| &mut self.streams[*index]) else {
                self.foreign += 1;
                continue;
            };
            self.board.read(stream.peer, &mut stream.known);
            let (line, all) = (stream.known.line(), &mut self.incoming);
            // What is refused is counted there.
            let _ = stream.receiver.datagram(datagram, |record, bytes| {
                let Some(incoming) = all.get_mut(&record.pipe) else { return };
                if !take(Came { incoming, record, bytes, line }) {
                    incoming.refused += u64::from(record.frames);
                }
            });
            while let Some(Loss { pipe, frames, .. }) = stream.receiver.next_loss() {
                let incoming = self.incoming.get(&pipe).into_iter();
                incoming.for_each(|pipe| other(pipe.slot, News::Lost(frames)));
            }
            while let Some(PipeCut { pipe, number, at }) = stream.receiver.next_cut() {
                let Some(incoming) = self.incoming.get_mut(&pipe) else { continue };
                // While the clock is not known, no frame is taken, and none is on its way.
                let at = line.map(|line| incoming.convert(at, line));
                other(incoming.slot, News::Cut { number, at });
            }
        }
        self.room = Some(batch.room);
    }

    /// Counts as lost what has not come. It is not taken any more if it comes. Returns the pipes
    /// that come from other machines.
    pub fn settle(&mut self, mut lost: impl FnMut(PipeSlot, u64)) -> Vec<PipeSlot> {
        for stream in &mut self.streams {
            stream.receiver.settle();
            while let Some(Loss { pipe, frames, .. }) = stream.receiver.next_loss() {
                self.incoming.get(&pipe).into_iter().for_each(|pipe| lost(pipe.slot, frames));
            }
        }
        self.incoming.values().map(|incoming| incoming.slot).collect()
    }

    /// Returns what crossed between this worker and a peer.
    pub fn status(&self, peer: usize) -> StreamStatus {
        let mut status = StreamStatus::default();
        let outgoing = self.outgoing.iter().filter(|(_, pipe)| pipe.peer == peer);
        status.pipes.extend(outgoing.map(|(pipe, outgoing)| {
            let Outgoing { left, full, unconnected, .. } = *outgoing;
            let counts = CrossedFrames::Sent { left, full, unconnected };
            CrossedPipe { pipe: PipeId::from_index(*pipe), counts }
        }));
        let mut tallies = HashMap::new();
        for stream in self.streams.iter().filter(|stream| stream.peer == peer) {
            let of_stream = stream.receiver.tallies();
            // A report may need several datagrams, of which each has other pipes.
            let mut heard = Heard { reports: u64::MAX, lacks: false };
            for (pipe, tally) in of_stream {
                tallies.insert(pipe, tally);
                heard.reports = heard.reports.min(tally.counts);
                heard.lacks |= tally.missing > 0;
            }
            status.heard.push(heard);
            status.refused += stream.receiver.refused();
            status.trouble = status.trouble.take().or_else(|| stream.trouble.clone());
        }
        let incoming = self.incoming.iter().filter(|(_, pipe)| pipe.peer == peer);
        status.pipes.extend(incoming.map(|(pipe, Incoming { refused, .. })| {
            let tally: PipeTally = tallies.get(pipe).copied().unwrap_or_default();
            let (came, refused, lost) = (tally.received, *refused, tally.lost);
            let sent = came + lost + tally.missing;
            let counts = CrossedFrames::Received { sent, came, refused, lost };
            CrossedPipe { pipe: PipeId::from_index(*pipe), counts }
        }));
        status
    }

    /// Returns the number of datagrams that belonged to no stream.
    pub fn foreign(&self) -> u64 {
        self.foreign
    }
}

impl AsFd for Streams {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

impl Stream {
    /// Tells of cuts.
    fn tell_cuts(&mut self, socket: &mut DatagramSocket, cuts: &[PipeCut]) {
        for datagram in self.sender.cuts(cuts).datagrams() {
            if let Err(Unsent { source, .. }) = socket.send(datagram, self.to) {
                self.trouble = Some(source.to_string());
            }
        }
    }

    /// Sends the frames that were pushed.
    #[inline]
    fn flush(&mut self, socket: &mut DatagramSocket, outgoing: &mut HashMap<u32, Outgoing>) {
        let burst = self.sender.finish();
        if let Err(unsent) = socket.send(burst.bytes, self.to) {
            self.trouble = Some(unsent.source.to_string());
            count_unsent(&burst, &unsent, outgoing);
        }
    }
}

/// Counts the frames of a burst that the socket did not take. Nobody waits until it does.
#[cold]
fn count_unsent(burst: &Burst<'_>, unsent: &Unsent, outgoing: &mut HashMap<u32, Outgoing>) {
    let first = unsent.sent / burst.segment;
    for (pipe, frames) in burst.frames_in(first..usize::MAX) {
        outgoing.get_mut(&pipe).into_iter().for_each(|pipe| pipe.full += u64::from(frames));
    }
}

impl Incoming {
    /// Returns a time of the other machine by this machine's clock, on which `line` is what is
    /// known of the other one.
    #[inline]
    pub fn convert(&mut self, theirs: i64, line: Line) -> Reading {
        self.translation.convert(theirs, line)
    }
}

/// Returns the number that machines call a pipe.
fn number(pipe: PipeId) -> u32 {
    // Links have 32 bits for their numbers, and no network has half of them.
    u32::try_from(pipe.index()).unwrap_or(u32::MAX)
}
