//! The far end of a path: sealed datagrams in, records and messages out. Not here: the socket, and
//! which path a datagram came by ([`Header::decode`]).

use std::fmt;
use std::ops::AddAssign;

use crate::assembly::{Assembly, Joined, Piece, Place};
use crate::header::NO_RECORD;
use crate::ledger::{Entry, Ledger};
use crate::message::Listed;
use crate::replay::{Freshness, ReplayWindow};
use crate::{
    Header, Kind, Loss, Message, Nonce, Path, PipeCut, PipeTally, RECORD_HEADER, Record, Seal,
};

/// The far end of a path.
///
/// Hand it each [`datagram`](Self::datagram), then take the losses and the cuts until
/// [`next_loss`](Self::next_loss) and [`next_cut`](Self::next_cut) return `None`. At the end, when
/// nothing more comes,
/// [`settle`](Self::settle). Then each frame that the sender counted has been received once or is
/// lost: `sent = received + lost`, by pipe. Memory is bounded, whatever comes.
#[derive(Debug)]
pub struct Receiver<S> {
    path: Path,
    seal: S,
    window: ReplayWindow,
    assembly: Assembly,
    ledger: Ledger,
    refused: Refused,
}

/// What a datagram carried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Received {
    /// Records, those that became whole.
    Records,
    /// A message.
    Message(Message),
    /// Counts or cuts, which are entered.
    Entered,
}

/// Reason for which a datagram is refused. Nothing in it counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Refusal {
    /// It has another session or comes by another path.
    Foreign,
    /// It is no datagram of this version, or its payload is none of its kind. Records before the
    /// fault were handed on.
    Malformed,
    /// It has come before.
    Replayed,
    /// It comes later than 1,024 datagrams that were sent behind it.
    TooOld,
    /// Its tag does not fit.
    Unauthentic,
}

impl Refusal {
    /// Name of the reason, as in results.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Foreign => "foreign",
            Self::Malformed => "malformed",
            Self::Replayed => "replayed",
            Self::TooOld => "too_old",
            Self::Unauthentic => "unauthentic",
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Foreign => "a datagram of another session or path",
            Self::Malformed => "a datagram that is not of this version, or that contradicts itself",
            Self::Replayed => "a datagram that has come before",
            Self::TooOld => "a datagram that comes behind 1,024 later ones",
            Self::Unauthentic => "a datagram whose tag does not fit",
        })
    }
}

impl std::error::Error for Refusal {}

/// Numbers of what was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Refused {
    /// Datagrams refused as [`Refusal::Foreign`].
    pub foreign: u64,
    /// Datagrams refused as [`Refusal::Malformed`].
    pub malformed: u64,
    /// Datagrams refused as [`Refusal::Replayed`].
    pub replayed: u64,
    /// Datagrams refused as [`Refusal::TooOld`].
    pub too_old: u64,
    /// Datagrams refused as [`Refusal::Unauthentic`].
    pub unauthentic: u64,
    /// Records, counts and cuts of pipes that do not come by this path.
    pub unknown_pipe: u64,
    /// Records that came before, or after they had been given up as lost.
    pub stale: u64,
}

impl Refused {
    /// Returns the number of all.
    pub fn all(&self) -> u64 {
        let Self { foreign, malformed, replayed, too_old, unauthentic, unknown_pipe, stale } = self;
        foreign + malformed + replayed + too_old + unauthentic + unknown_pipe + stale
    }
}

impl AddAssign for Refused {
    fn add_assign(&mut self, other: Self) {
        let Self { foreign, malformed, replayed, too_old, unauthentic, unknown_pipe, stale } =
            other;
        self.foreign += foreign;
        self.malformed += malformed;
        self.replayed += replayed;
        self.too_old += too_old;
        self.unauthentic += unauthentic;
        self.unknown_pipe += unknown_pipe;
        self.stale += stale;
    }
}

impl Refused {
    fn note(&mut self, refusal: Refusal) {
        *match refusal {
            Refusal::Foreign => &mut self.foreign,
            Refusal::Malformed => &mut self.malformed,
            Refusal::Replayed => &mut self.replayed,
            Refusal::TooOld => &mut self.too_old,
            Refusal::Unauthentic => &mut self.unauthentic,
        } += 1;
    }
}

impl<S: Seal> Receiver<S> {
    /// Creates the far end of a path, by which frames of `pipes` come, and of no others.
    pub fn new(path: Path, seal: S, pipes: impl IntoIterator<Item = u32>) -> Self {
        let (window, assembly, refused) = Default::default();
        Self { path, seal, window, assembly, ledger: Ledger::new(pipes), refused }
    }

    /// Takes a datagram, which is decrypted in place. Calls `take` for each record that is whole
    /// with it, and the bytes of its frame. Records of a pipe come in any order if datagrams do.
    ///
    /// # Errors
    /// The reason for which the datagram is refused. It is counted.
    #[inline]
    pub fn datagram(
        &mut self,
        datagram: &mut [u8],
        take: impl FnMut(&Record, &[u8]),
    ) -> Result<Received, Refusal> {
        let outcome = self.open(datagram).and_then(|(header, payload)| match header.kind {
            Kind::Records => self.records(&header, payload, take),
            Kind::Counts => self.list(payload, Ledger::count),
            Kind::Cuts => self.list(payload, Ledger::cut),
            Kind::Probe | Kind::Reply => Message::decode(header.kind, payload)
                .map(Received::Message)
                .ok_or(Refusal::Malformed),
        });
        outcome.inspect_err(|refusal| self.refused.note(*refusal))
    }

    /// Returns the next loss that has become certain.
    #[inline]
    pub fn next_loss(&mut self) -> Option<Loss> {
        self.ledger.next_loss()
    }

    /// Returns the next cut that was not known.
    #[inline]
    pub fn next_cut(&mut self) -> Option<PipeCut> {
        self.ledger.next_cut()
    }

    /// Makes all frames lost that are missing. They are not taken any more if they come.
    pub fn settle(&mut self) {
        self.ledger.settle();
    }

    /// Returns each pipe with what has come of it, in order.
    pub fn tallies(&self) -> impl Iterator<Item = (u32, PipeTally)> {
        self.ledger.tallies()
    }

    /// Returns the numbers of what was refused.
    pub fn refused(&self) -> Refused {
        self.refused
    }

    /// Returns the header and the payload of a datagram that is authentic and new.
    #[inline]
    fn open<'a>(&mut self, datagram: &'a mut [u8]) -> Result<(Header, &'a [u8]), Refusal> {
        let header = Header::decode(datagram).ok_or(Refusal::Malformed)?;
        if header.path != self.path {
            return Err(Refusal::Foreign);
        }
        match self.window.check(header.sequence) {
            Freshness::New => {}
            Freshness::Replayed => return Err(Refusal::Replayed),
            Freshness::TooOld => return Err(Refusal::TooOld),
        }
        let (head, sealed) = datagram.split_at_mut(Header::BYTES);
        let payload = sealed.len().checked_sub(self.seal.tag_bytes()).ok_or(Refusal::Malformed)?;
        let nonce = Nonce { path: header.path.number, sequence: header.sequence };
        self.seal.open(nonce, head, sealed).map_err(|_| Refusal::Unauthentic)?;
        self.window.take(header.sequence);
        Ok((header, &sealed[..payload]))
    }

    /// Takes a piece of the stream of records.
    #[inline]
    fn records(
        &mut self,
        header: &Header,
        payload: &[u8],
        mut take: impl FnMut(&Record, &[u8]),
    ) -> Result<Received, Refusal> {
        let at = header.sequence;
        let begins = header.first != NO_RECORD;
        let first = if begins { usize::from(header.first) } else { payload.len() };
        let (before, mut rest) = payload.split_at_checked(first).ok_or(Refusal::Malformed)?;
        if payload.is_empty() || (begins && rest.is_empty()) {
            return Err(Refusal::Malformed);
        }
        if !before.is_empty() {
            let place = if begins { Place::Tail } else { Place::Middle };
            // A record that is spoilt does not spoil those behind it.
            let is_sound = self.join(Piece { at, bytes: before, place }, &mut take);
            self.refused.malformed += u64::from(!is_sound && begins);
            if !is_sound && !begins {
                return Err(Refusal::Malformed);
            }
        }
        while let Some((head, behind)) = rest.split_first_chunk::<RECORD_HEADER>() {
            let (record, length) = Record::decode(head).map_err(|_| Refusal::Malformed)?;
            let Some((frame, behind)) = behind.split_at_checked(length) else { break };
            enter(&mut self.ledger, &mut self.refused, &record, frame, &mut take);
            rest = behind;
        }
        let head = Piece { at, bytes: rest, place: Place::Head };
        let is_sound = rest.is_empty() || self.join(head, &mut take);
        if is_sound { Ok(Received::Records) } else { Err(Refusal::Malformed) }
    }

    /// Joins a piece of a record. Returns `false` if what is joined is no record.
    #[inline]
    fn join(&mut self, piece: Piece<'_>, take: &mut impl FnMut(&Record, &[u8])) -> bool {
        match self.assembly.join(piece) {
            Joined::Waits => true,
            Joined::Malformed => false,
            Joined::Whole(record, frame) => {
                enter(&mut self.ledger, &mut self.refused, &record, frame, take);
                true
            }
        }
    }

    /// Enters the parts of a list.
    fn list<T: Listed>(
        &mut self,
        payload: &[u8],
        enter: impl Fn(&mut Ledger, T) -> bool,
    ) -> Result<Received, Refusal> {
        for part in T::decode_all(payload).ok_or(Refusal::Malformed)? {
            self.refused.unknown_pipe += u64::from(!enter(&mut self.ledger, part));
        }
        Ok(Received::Entered)
    }
}

/// Enters a record, and hands it on if it is new.
#[inline]
fn enter(
    ledger: &mut Ledger,
    refused: &mut Refused,
    record: &Record,
    frame: &[u8],
    take: &mut impl FnMut(&Record, &[u8]),
) {
    match ledger.enter(record) {
        Entry::New => take(record, frame),
        Entry::Stale => refused.stale += 1,
        Entry::Unknown => refused.unknown_pipe += 1,
    }
}
