//! Medium access control: when a station sends its frames. Each protocol is a state machine that
//! reads the air through [`Io`] and changes nothing but its own station. A new protocol needs one
//! file in this directory and one line in the table of `config.rs`.
//!
//! | file | protocol |
//! |---|---|
//! | `config` | the configuration of MACs: [`Mac`] |
//! | `none` | no contention: each station has a line of its own |
//! | `dcf` | the distributed coordination function of IEEE 802.11 |
//! | `csma_cd` | Ethernet on a cable |
//! | `aloha` | sending without carrier sense |
//! | `tdma` | slots that belong to stations |
//! | `emac` | the MAC of EMPOWER, made of `dcf` |
//! | `backoff` | contention windows |
//! | `rate` | choice of the rate of a frame |

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

/// Kind of a transmission.
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
    /// Jam: the remainder of a frame whose sender noticed a collision.
    Jam,
}

impl Kind {
    /// All kinds. The index of a kind is its code in air logs.
    pub const ALL: [Self; 5] = [Self::Data, Self::Rts, Self::Cts, Self::Ack, Self::Jam];

    /// Returns the name of the kind, as in tables.
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

/// A transmission that a MAC requests.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ppdu {
    pub kind: Kind,
    pub to: Receiver,
    pub rate: Rate,
    /// Time on the air, from its first bit to its last.
    pub airtime: Duration,
    /// Duration after its end for which it reserves the medium.
    pub nav: Duration,
    /// Bytes on the air.
    pub bytes: u32,
    /// Number of the attempt of its frame, from 1; 0 for an answer.
    pub attempt: u32,
    /// Contention window, and the slots drawn from it.
    pub window: u32,
    pub slots: u32,
    /// How it carries the frame that its station serves.
    pub carries: Carries,
}

/// Effect of a transmission on the frame that a station serves.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Carries {
    /// The transmission carries no frame.
    Nothing,
    /// The frame is sent, and stays until the MAC decides its outcome.
    Stays,
    /// The frame is sent once and leaves its station with this transmission.
    Leaves,
}

/// A frame that was received without errors, as reported to a MAC.
#[derive(Debug, Clone, Copy)]
pub(crate) struct ReceivedFrame {
    pub kind: Kind,
    pub from: StationId,
    pub to: Receiver,
    pub rate: Rate,
    pub nav: Duration,
}

/// A station among all stations of its medium.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Member {
    /// Rank in the order of numbers.
    pub rank: u32,
    /// Number of stations.
    pub count: u32,
}

/// The end of a signal, as reported to a MAC.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ended {
    /// Result of the reception, if the station was receiving the signal.
    pub reception: Option<Result<ReceivedFrame, Garbled>>,
    /// Whether the medium is idle now and was not before.
    pub went_idle: bool,
}

/// Error: a reception failed.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Garbled;

/// The timers of a station.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Timer {
    /// No answer has arrived.
    Answer,
    /// The station may send its frame.
    Access,
    /// The station sends an answer.
    Reply,
    /// From this time a carrier does not keep the station from sending.
    Commit,
}

impl Timer {
    /// Number of places of a station in the agenda of timers: one for each timer, and [`GATE`].
    pub const PLACES: u32 = 5;
    const ALL: [Self; 4] = [Self::Answer, Self::Access, Self::Reply, Self::Commit];

    /// Returns the timer at this place.
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

/// The place after those of the timers: the time at which a queue may release a frame that it holds
/// back.
pub(crate) const GATE: u32 = 4;

/// The order of events in the same nanosecond.
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

    /// Returns the rank of an event with `order` within its phase.
    pub const fn rank(phase: u64, order: u64) -> u64 {
        phase << 56 | order
    }
}

/// The interface through which a MAC reads and acts.
pub(crate) struct Io<'a, F> {
    pub now: Time,
    pub me: StationId,
    pub timing: &'a Timing,
    pub radio: &'a Radio,
    pub desk: &'a mut Desk<F>,
    pub stream: &'a mut Stream,
    pub timers: &'a mut Agenda,
    pub outlet: &'a mut Outlet<F>,
    /// Actions to take when the MAC returns.
    pub wish: &'a mut Wish,
    /// The hearers of the station, as far as known. Their powers and `noise` give the ratio of
    /// signal to noise at each.
    pub hearers: &'a [Hearer],
    pub noise: f64,
}

/// Actions that a MAC requests.
#[derive(Debug, Default)]
pub(crate) struct Wish {
    /// Begin to send this.
    pub send: Option<Ppdu>,
    /// End the current transmission at this time because it has collided.
    pub cut: Option<Time>,
}

impl<F: Frame> Io<'_, F> {
    /// Sets `timer` to expire at `at`, and at no other time.
    pub fn set(&mut self, timer: Timer, at: Time) {
        let due = (at, phase::rank(timer.phase(), u64::from(self.me.0)));
        self.timers.set(self.key(timer), due);
    }

    /// Clears `timer`.
    pub fn clear(&mut self, timer: Timer) {
        self.timers.clear(self.key(timer));
    }

    fn key(&self, timer: Timer) -> u32 {
        self.me.0 * Timer::PLACES + timer as u32
    }

    /// Returns the frame that the station serves.
    pub fn head(&self) -> Option<&Head> {
        self.desk.head()
    }

    /// Returns whether the medium is busy, apart from the station's own transmission.
    pub fn is_busy(&self) -> bool {
        self.radio.is_busy()
    }

    /// Returns whether the station sends.
    pub fn is_sending(&self) -> bool {
        self.radio.is_sending()
    }

    /// Begins a transmission.
    pub fn send(&mut self, ppdu: Ppdu) {
        self.wish.send = Some(ppdu);
    }

    /// Ends the current transmission at `at` because it has collided.
    pub fn cut(&mut self, at: Time) {
        self.wish.cut = Some(at);
    }

    /// Returns the ratio of signal to noise with which a station hears this one, if it does.
    pub fn snr(&self, to: StationId) -> Option<f64> {
        let hearer = self.hearers.iter().find(|hearer| hearer.station == to)?;
        Some(hearer.power / self.noise)
    }

    /// Completes the frame that the station serves. The next one takes its place.
    pub fn finish(&mut self, end: End) {
        self.desk.finish(self.now, self.me, end, self.outlet);
    }
}

/// The state machine of a station's MAC.
///
/// A MAC is called for events at its own station, in the order of time, and requests actions
/// through [`Io`]. The medium ensures that no transmission begins while the station is sending.
pub(crate) trait MacState<F: Frame>: Debug + Send {
    /// A frame is served now, and none was before.
    fn queued(&mut self, io: &mut Io<'_, F>);

    /// A signal begins to arrive.
    fn arriving(&mut self, _io: &mut Io<'_, F>) {}

    /// The medium becomes busy. The station is not sending.
    fn busy(&mut self, _io: &mut Io<'_, F>) {}

    /// A signal ends. The station is not sending.
    fn ended(&mut self, _io: &mut Io<'_, F>, _ended: Ended) {}

    /// The station has completed a transmission.
    fn sent(&mut self, io: &mut Io<'_, F>, kind: Kind);

    /// A timer expires.
    fn due(&mut self, io: &mut Io<'_, F>, timer: Timer);

    /// Resets the state, because the radio was off and is now on.
    fn restart(&mut self, io: &mut Io<'_, F>);

    /// Returns the rate of a frame of `bytes` on the air to a station that hears it at a ratio of
    /// `snr`, or `None` if all stations have the same rate.
    fn rate_to(&self, _to: StationId, _bytes: u32, _snr: f64) -> Option<Rate> {
        None
    }

    /// The set of stations has changed.
    fn joined(&mut self, _io: &mut Io<'_, F>, _member: Member) {}

    /// Returns whether the MAC needs to know how strongly others hear the station.
    fn asks_for_snr(&self) -> bool {
        false
    }

    /// Returns the contention window from which the next backoff is drawn.
    fn window(&self) -> u32 {
        0
    }
}
