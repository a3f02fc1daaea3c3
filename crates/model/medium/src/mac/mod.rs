//! Medium access control: when a station sends what it has. Each protocol is a state machine that
//! sees the air through [`Io`] and changes nothing but its own station. A new one is a file below
//! this one and a line in the table of `config.rs`.
//!
//! | file | protocol |
//! |---|---|
//! | `config` | what can be written: [`Mac`] |
//! | `none` | no contention: each station has a line of its own |
//! | `dcf` | the distributed coordination function of IEEE 802.11 |
//! | `csma_cd` | Ethernet on a cable |
//! | `aloha` | sending without looking |
//! | `tdma` | slots that belong to stations |
//! | `emac` | the MAC of NET, made of `dcf` |
//! | `backoff` | contention windows |
//! | `rate` | at which rate a frame is sent |

mod aloha;
mod backoff;
mod config;
mod csma_cd;
mod dcf;
mod emac;
mod none;
mod rate;
mod tdma;

use std::fmt::Debug;

use netloom_link::Frame;
use netloom_units::{Duration, Rate, Stream, Time};

use crate::agenda::Agenda;
use crate::air::Hearer;
use crate::desk::{Desk, End, Head, Outlet};
use crate::phy::Timing;
use crate::radio::Radio;
use crate::{Receiver, StationId};
pub use aloha::AlohaConfig;
pub use backoff::Backoff;
pub use config::{DcfConfig, Mac, Retry, RtsThreshold, Window};
pub use csma_cd::{CableConfig, CableShape, CsmaCdConfig};
pub use emac::{Collisions, EmacConfig};
pub use none::{NoMacConfig, PairConfig};
pub use rate::{ArfConfig, RateControl};
pub use tdma::{SlotOrder, TdmaConfig};

/// What a transmission is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A frame that was offered.
    Data,
    /// A request to send.
    Rts,
    /// The answer to it.
    Cts,
    /// An acknowledgement.
    Ack,
    /// What is left of a frame whose sender noticed a collision.
    Jam,
}

impl Kind {
    /// All kinds; a kind's place is its code in air logs.
    pub const ALL: [Self; 5] = [Self::Data, Self::Rts, Self::Cts, Self::Ack, Self::Jam];

    /// The kind's name, as in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Data => "data",
            Self::Rts => "rts",
            Self::Cts => "cts",
            Self::Ack => "ack",
            Self::Jam => "jam",
        }
    }
}

/// Something to send.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ppdu {
    pub kind: Kind,
    pub to: Receiver,
    pub rate: Rate,
    /// How long it is on the air, from its first bit to its last.
    pub airtime: Duration,
    /// For how long after its end the medium is spoken for.
    pub nav: Duration,
    /// Bytes on the air.
    pub bytes: u32,
    /// Which try of its frame it is, from 1; 0 of an answer.
    pub attempt: u32,
    /// The contention window, and the slots drawn from it.
    pub window: u32,
    pub slots: u32,
    /// Whether it carries the frame that its station serves, and leaves nothing to serve.
    pub carries: Carries,
}

/// What becomes of the frame that a station serves when it sends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Carries {
    /// Nothing of it is sent.
    Nothing,
    /// It is sent, and stays until its MAC says what became of it.
    Stays,
    /// It is sent once: on the air it leaves its station.
    Leaves,
}

/// A reception that is over, as a MAC hears of it.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heard {
    pub kind: Kind,
    pub from: StationId,
    pub to: Receiver,
    pub rate: Rate,
    pub nav: Duration,
}

/// A station among all of its medium.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Member {
    /// Its place in the order of numbers.
    pub rank: u32,
    /// How many stations there are.
    pub count: u32,
}

/// What the end of a signal was.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ended {
    /// What came of it, if the station was receiving it.
    pub reception: Option<Result<Heard, Garbled>>,
    /// Whether the medium is idle from now on and was not before.
    pub went_idle: bool,
}

/// A reception failed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Garbled;

/// The timers that a station has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Timer {
    /// No answer has come.
    Answer,
    /// Time to send what the station has.
    Access,
    /// Time to send an answer.
    Reply,
    /// Time from which on a carrier does not keep the station from sending.
    Commit,
}

impl Timer {
    /// Places of a station in the agenda of timers: one for each timer, and [`GATE`].
    pub const PLACES: u32 = 5;
    const ALL: [Self; 4] = [Self::Answer, Self::Access, Self::Reply, Self::Commit];

    /// The timer with this place in a station's timers.
    pub fn at(place: u32) -> Self {
        Self::ALL[place as usize]
    }

    fn phase(self) -> u64 {
        match self {
            Self::Answer | Self::Commit => phase::TIMEOUT,
            Self::Access | Self::Reply => phase::START,
        }
    }
}

/// The place after those of the timers: when a queue may let a frame go that it holds back.
pub(crate) const GATE: u32 = 4;

/// In which order things happen that happen in the same nanosecond, and what keeps them apart
/// within a phase.
pub(crate) mod phase {
    /// Ends of signals and of sending.
    pub const END: u64 = 0;
    /// Carriers are sensed.
    pub const SENSE: u64 = 1;
    pub const TIMEOUT: u64 = 2;
    /// Stations begin to send.
    pub const START: u64 = 3;
    /// Signals begin to arrive.
    pub const ARRIVE: u64 = 4;

    /// The place of what has `order` within its phase.
    pub const fn rank(phase: u64, order: u64) -> u64 {
        phase << 56 | order
    }
}

/// What a MAC sees and does.
pub(crate) struct Io<'a, F> {
    pub now: Time,
    pub me: StationId,
    pub timing: &'a Timing,
    pub radio: &'a Radio,
    pub desk: &'a mut Desk<F>,
    pub stream: &'a mut Stream,
    pub timers: &'a mut Agenda,
    pub outlet: &'a mut Outlet<F>,
    /// What to do when the MAC returns.
    pub wish: &'a mut Wish,
    /// The ratio of signal to noise with which each hearer hears the station, as far as known.
    pub hearers: &'a [Hearer],
    pub noise: f64,
}

/// What a MAC wants to be done.
#[derive(Debug, Default)]
pub(crate) struct Wish {
    /// Begin to send this.
    pub send: Option<Ppdu>,
    /// End what is being sent at this time: it has collided.
    pub cut: Option<Time>,
}

impl<F: Frame> Io<'_, F> {
    /// Makes `timer` due at `at`, and at no other time.
    pub fn set(&mut self, timer: Timer, at: Time) {
        let due = (at, phase::rank(timer.phase(), u64::from(self.me.0)));
        self.timers.set(self.key(timer), due);
    }

    /// Makes `timer` due at no time.
    pub fn clear(&mut self, timer: Timer) {
        self.timers.clear(self.key(timer));
    }

    fn key(&self, timer: Timer) -> u32 {
        self.me.0 * Timer::PLACES + timer as u32
    }

    /// The frame that the station serves.
    pub fn head(&self) -> Option<&Head> {
        self.desk.head()
    }

    /// Whether the medium is busy, apart from the station's own sending.
    pub fn is_busy(&self) -> bool {
        self.radio.is_busy()
    }

    /// Whether the station sends.
    pub fn is_sending(&self) -> bool {
        self.radio.is_sending()
    }

    /// Begins to send.
    pub fn send(&mut self, ppdu: Ppdu) {
        self.wish.send = Some(ppdu);
    }

    /// Ends what is being sent at `at`: it has collided.
    pub fn cut(&mut self, at: Time) {
        self.wish.cut = Some(at);
    }

    /// The ratio of signal to noise with which a station hears this one, if it does.
    pub fn snr(&self, to: StationId) -> Option<f64> {
        let hearer = self.hearers.iter().find(|hearer| hearer.station == to)?;
        Some(hearer.power / self.noise)
    }

    /// Is done with the frame that the station serves; the next one takes its place.
    pub fn finish(&mut self, end: End) {
        self.desk.finish(self.now, self.me, end, self.outlet);
    }
}

/// When a station sends.
///
/// A MAC is called for what happens at its own station, in the order of time, and says what it does
/// through [`Io`]. The medium takes care that nothing begins while the station sends already.
pub(crate) trait MacState<F: Frame>: Debug + Send {
    /// There is a frame to serve where there was none.
    fn queued(&mut self, io: &mut Io<'_, F>);

    /// A signal begins to arrive.
    fn arriving(&mut self, _io: &mut Io<'_, F>) {}

    /// The medium is busy from now on; the station does not send.
    fn busy(&mut self, _io: &mut Io<'_, F>) {}

    /// A signal ends; the station does not send.
    fn ended(&mut self, _io: &mut Io<'_, F>, _ended: Ended) {}

    /// The station has sent what it sent.
    fn sent(&mut self, io: &mut Io<'_, F>, kind: Kind);

    /// A timer is due.
    fn due(&mut self, io: &mut Io<'_, F>, timer: Timer);

    /// Forgets what it was doing: the radio was off, and is on from now on.
    fn restart(&mut self, io: &mut Io<'_, F>);

    /// The rate at which it would send a frame of `bytes` on the air to a station that hears it at
    /// a ratio of `snr`; `None` if it has one for all.
    fn rate_to(&self, _to: StationId, _bytes: u32, _snr: f64) -> Option<Rate> {
        None
    }

    /// There are other stations from now on.
    fn joined(&mut self, _io: &mut Io<'_, F>, _member: Member) {}

    /// Whether the MAC asks how strongly others hear the station.
    fn asks_for_snr(&self) -> bool {
        false
    }

    /// The contention window from which the next backoff is drawn.
    fn window(&self) -> u32 {
        0
    }
}
