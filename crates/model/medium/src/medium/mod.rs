//! The medium: stations, the air, and their events in the order of time.
//!
//! | file | contents |
//! |---|---|
//! | `events` | the next due events |
//! | `sending`, `receiving` | transmissions, and signals at their hearers |
//! | `change` | changes from outside |
//! | `infrastructure` | stations that communicate through access points |
//! | `neighbours` | how well stations hear each other, and pairs that come and go |

mod change;
mod events;
mod infrastructure;
mod neighbours;
mod receiving;
mod sending;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use netloom_link::{Frame, FrameInfo};
use netloom_mobility::Trajectory;
use netloom_radio::RadioError;
use netloom_units::{Duration, Stream, Time};

use crate::agenda::Agenda;
use crate::air::{Air, Hearer, Stage};
use crate::association::{AssociationEvent, Membership};
use crate::config::{MediumConfig, Setting, StationConfig};
use crate::counters::{FrameLoss, StationCounters};
use crate::desk::{Desk, Dropped, Outlet, Reception, Rejected, Sniffed};
use crate::draw::Draws;
use crate::field::{Field, Path};
use crate::log::{AirEvent, AirOccurrence};
use crate::mac::{MacState, Member, Timer};
use crate::phy::Timing;
use crate::radio::Radio;
use crate::rules::Rules;
use crate::{Receiver, StationId, StationView};
use neighbours::NeighbourWatch;
pub use neighbours::{NeighbourChange, NeighbourView};

/// One shared channel, carrying frames of type `F`.
///
/// # Call order
/// 1. After every [`offer`](Self::offer), [`change`](Self::change), [`add`](Self::add) and
///    [`remove`](Self::remove), and whenever the time of [`next_deadline`](Self::next_deadline) has
///    come: [`poll`](Self::poll) until it returns `None`, then [`poll_dropped`](Self::poll_dropped)
///    and [`poll_spent`](Self::poll_spent) likewise, then ask for the deadline anew.
/// 2. [`counters`](Self::counters) and [`config`](Self::config) may be called at any time between.
///
/// `now` never goes back. A time before the latest one counts as the latest one. Everything between
/// two calls happens at its exact time and in order, no matter when the next call comes. A late
/// call delays only the hand-over of frames. A call at `now` takes effect after all events up to
/// `now`, so it does not matter who polls how often.
///
/// Events of the same nanosecond happen in this order: ends of signals, carriers being sensed,
/// timeouts, starts of sending, starts of arrival. Within one kind the order is that of the
/// stations or, for signals, that of the starts of their transmissions.
///
/// # Example
/// ```
/// use netloom_link::FrameInfo;
/// use netloom_medium::{Medium, MediumConfig, Phy, Receiver, Setting, StationConfig, StationId};
/// use netloom_mobility::{Point, Trajectory};
/// use netloom_units::Time;
///
/// let config = MediumConfig::new(Phy::B);
/// let mut medium = Medium::new(config, Setting::default(), Time::ZERO).unwrap();
/// for station in 0..2 {
///     // Three metres from each other: a propagation delay of ten nanoseconds.
///     let place = Trajectory::fixed(Point::flat(3.0 * f64::from(station), 0.0));
///     medium.add(Time::ZERO, StationId(station), StationConfig::default(), place);
/// }
/// let (from, to) = (StationId(0), Receiver::Station(StationId(1)));
/// medium.offer(Time::from_nanos(50_000), from, to, FrameInfo::single(1514), "hello").unwrap();
/// // Sent at once: the medium has been idle for DIFS.
/// let reception = loop {
///     let deadline = medium.next_deadline().unwrap();
///     if let Some(reception) = medium.poll(deadline) {
///         break reception;
///     }
/// };
/// assert_eq!(reception.release, Time::from_nanos(50_000 + 1_310_000 + 10));
/// assert_eq!(reception.frame, "hello");
/// ```
#[derive(Debug)]
pub struct Medium<F> {
    config: MediumConfig,
    timing: Timing,
    rules: Rules,
    draws: Draws,
    setting: Setting,
    field: Box<dyn Field>,
    /// Latest time that a caller has passed.
    now: Time,
    stations: Vec<Option<Station<F>>>,
    air: Air<F>,
    /// Number of transmissions so far.
    order: u64,
    /// Ends of transmissions at the sender (even keys) and at the next hearers (odd keys).
    ends: Agenda,
    /// Signals that arrive (even keys) and are sensed (odd keys) at the next hearers.
    signals: Agenda,
    timers: Agenda,
    /// Scans, beacons and ends of outages of an infrastructure.
    comings: Agenda,
    has_access_points: bool,
    /// Association events, if they are recorded.
    associations: Option<VecDeque<AssociationEvent>>,
    outlet: Outlet<F>,
    /// Buffer for the paths from a station.
    paths: Vec<Path>,
    /// Shortest time that a frame is on the air.
    shortest: Duration,
    /// Losses of pairs that a change has set.
    losses: BTreeMap<(StationId, StationId), f64>,
    watch: Option<NeighbourWatch>,
}

#[derive(Debug)]
struct Station<F> {
    config: StationConfig,
    /// Movement of the station, counted from the beginning of a run.
    moves: Trajectory,
    radio: Radio,
    desk: Desk<F>,
    mac: Box<dyn MacState<F>>,
    stream: Stream,
    /// Number of transmissions so far.
    sent: u64,
    /// Stations that hear it, and the time until which that list is valid.
    hearers: Option<(Arc<[Hearer]>, Time)>,
    /// Slot of its current transmission.
    sending: Option<u32>,
    /// Membership at an access point, if stations communicate through access points.
    membership: Option<Membership>,
}

/// An event that is due.
#[derive(Debug, Clone, Copy)]
enum Event {
    /// The end of the transmission at this slot, at its sender.
    Sent(u32),
    /// The next hearers of the transmission at this slot come to a stage.
    Stage(u32, Stage),
    /// A timer of a station expires.
    Timer(StationId, u32),
    /// An event of an infrastructure with this key of the agenda of comings.
    Coming(u32),
}

impl<F: Frame> Medium<F> {
    /// Creates a medium without stations.
    ///
    /// # Errors
    /// A file of the channel has not been read, or does not fit the setting.
    pub fn new(config: MediumConfig, setting: Setting, now: Time) -> Result<Self, RadioError> {
        let timing = config.mac.timing(config.phy);
        let shortest = config.mac.shortest(&timing);
        Ok(Self {
            timing,
            rules: Rules::new(&config),
            draws: Draws::new(setting.seed, &setting.name),
            field: setting.field(&config)?,
            setting,
            now,
            stations: Vec::new(),
            air: Air::default(),
            order: 0,
            ends: Agenda::default(),
            signals: Agenda::default(),
            timers: Agenda::default(),
            comings: Agenda::default(),
            has_access_points: false,
            associations: None,
            outlet: Outlet::default(),
            paths: Vec::new(),
            shortest,
            losses: BTreeMap::new(),
            watch: None,
            config,
        })
    }

    /// Returns the configuration in force.
    pub fn config(&self) -> &MediumConfig {
        &self.config
    }

    /// Adds a station with the trajectory `moves`. A station that has this number already is
    /// removed first.
    pub fn add(&mut self, now: Time, id: StationId, config: StationConfig, moves: Trajectory) {
        self.remove(now, id);
        self.outlet.note(self.now, || AirOccurrence::Joined {
            station: id,
            config: config.to_json().into(),
        });
        let name = format!("{}/{}", self.setting.name, config.name);
        let stream = Stream::new(self.setting.seed, &name);
        self.field.place(self.now, id, &config, moves.clone());
        let queue = config.queue.clone().unwrap_or_else(|| self.config.queue.clone());
        let rate = config.rate.unwrap_or(self.timing.highest());
        let mut radio = Radio::default();
        radio.switch(!config.off);
        let station = Station {
            moves,
            radio,
            desk: Desk::new(queue, rate, stream.fork("queue")),
            mac: self.config.mac.build(&self.timing, &config, Member { rank: 0, count: 1 }),
            stream: stream.fork("backoff"),
            sent: 0,
            hearers: None,
            sending: None,
            membership: None,
            config,
        };
        if self.stations.len() <= id.index() {
            self.stations.resize_with(id.index() + 1, || None);
            self.timers.grow(self.stations.len() * Timer::PLACES as usize);
        }
        self.stations[id.index()] = Some(station);
        self.forget_hearers();
        self.call(id, |mac, io| mac.restart(io));
        self.count();
        self.look_for_access_points();
        self.look_around();
    }

    /// Removes a station. The frames that it holds are dropped, and its transmission is cut off.
    pub fn remove(&mut self, now: Time, id: StationId) {
        self.run(now);
        if self.station(id).is_none() {
            return;
        }
        self.look_around();
        self.outlet.note(self.now, || AirOccurrence::Left { station: id });
        self.silence(id);
        let now = self.now;
        if let Some(mut station) = self.stations[id.index()].take() {
            station.desk.empty(now, id, FrameLoss::Down, &mut self.outlet);
        }
        self.field.remove(id);
        self.losses.retain(|(from, to), _| *from != id && *to != id);
        self.forget_hearers();
        self.count();
        self.look_for_access_points();
        self.look_around();
    }

    /// Notifies all stations of the number of stations.
    fn count(&mut self) {
        let count = self.stations.iter().flatten().count() as u32;
        let mut rank = 0;
        for number in 0..self.stations.len() {
            if self.stations[number].is_some() {
                let member = Member { rank, count };
                self.call(StationId(number as u32), |mac, io| mac.joined(io, member));
                rank += 1;
            }
        }
    }

    /// Offers a frame to the medium for `from` to send.
    ///
    /// # Errors
    /// The frame and the reason, if the medium does not take it in.
    pub fn offer(
        &mut self,
        now: Time,
        from: StationId,
        to: Receiver,
        info: FrameInfo,
        frame: F,
    ) -> Result<(), Rejected<F>> {
        self.run(now);
        let taken = self.take_in(from, to, info, frame);
        let refused = taken.as_ref().err().map(|rejected| rejected.reason);
        self.outlet.note(self.now, || {
            let bytes = info.largest();
            AirOccurrence::Offered { station: from, to, bytes, refused }
        });
        if taken? {
            self.call(from, |mac, io| mac.queued(io));
        }
        self.watch_gate(from);
        Ok(())
    }

    /// Whether no station has a frame to send or is sending one.
    pub fn is_empty(&self) -> bool {
        self.stations.iter().flatten().all(|station| {
            let desk = &station.desk;
            desk.waiting() == 0 && desk.head().is_none() && station.sending.is_none()
        })
    }

    /// Passes a frame to a station. Returns whether the station has something to send now and did
    /// not before.
    fn take_in(
        &mut self,
        from: StationId,
        to: Receiver,
        info: FrameInfo,
        frame: F,
    ) -> Result<bool, Rejected<F>> {
        let refusal = self.refusal(from, to);
        let Some(station) = self.stations.get_mut(from.index()).and_then(Option::as_mut) else {
            return Err(Rejected { frame, number: 0, reason: FrameLoss::Down });
        };
        if let Some(reason) = refusal {
            let number = station.desk.refuse(reason, info);
            return Err(Rejected { frame, number, reason });
        }
        station.desk.offer(self.now, from, to, info, frame, &mut self.outlet)
    }

    /// Returns the next frame that a station has received by `now`, in the order of (release,
    /// transmission, station).
    pub fn poll(&mut self, now: Time) -> Option<Reception<F>> {
        self.run(now);
        self.outlet.receptions.pop_front()
    }

    /// Returns the next frame that was dropped after the medium had accepted it.
    pub fn poll_dropped(&mut self) -> Option<Dropped<F>> {
        self.outlet.dropped.pop_front()
    }

    /// Returns the next frame that is no longer needed: a broadcast that all hearers have copied,
    /// or that nobody received.
    pub fn poll_spent(&mut self) -> Option<F> {
        self.outlet.spent.pop_front()
    }

    /// Turns the recording of events for [`poll_event`](Self::poll_event) on or off (default: off).
    pub fn record(&mut self, wanted: bool) {
        match wanted {
            true => _ = self.outlet.events.get_or_insert_default(),
            false => self.outlet.events = None,
        }
    }

    /// Returns the next event, in the order in which they happened.
    pub fn poll_event(&mut self) -> Option<AirEvent> {
        self.outlet.events.as_mut()?.pop_front()
    }

    /// Turns the recording of transmissions for [`poll_sniffed`](Self::poll_sniffed) on or off
    /// (default: off).
    pub fn sniff(&mut self, wanted: bool) {
        match wanted {
            true => _ = self.outlet.sniffed.get_or_insert_default(),
            false => self.outlet.sniffed = None,
        }
    }

    /// Returns the next transmission that has ended, in the order of their ends.
    pub fn poll_sniffed(&mut self) -> Option<Sniffed<F>> {
        self.outlet.sniffed.as_mut()?.pop_front()
    }

    /// Returns the time at which the medium has to be polled next. No frame is received before that
    /// time. There may be none at that time, either.
    pub fn next_deadline(&self) -> Option<Time> {
        if let Some(reception) = self.outlet.receptions.front() {
            return Some(reception.release);
        }
        if !self.outlet.dropped.is_empty() || !self.outlet.spent.is_empty() {
            return Some(self.now);
        }
        let end = self.ends.first().map(|((at, _), _)| at);
        let timer = self.timers.first().map(|((at, _), _)| at + self.shortest);
        let coming = self.next_coming().map(|((at, _), _)| at);
        [end, timer, coming].into_iter().flatten().min()
    }

    /// Returns the number of stations.
    pub fn count_stations(&self) -> usize {
        self.stations.iter().flatten().count()
    }

    /// Returns the configuration of a station, or `None` if there is no such station.
    pub fn station_config(&self, id: StationId) -> Option<&StationConfig> {
        self.station(id).map(|station| &station.config)
    }

    /// Returns the state of all stations at `now`, in the order of their numbers.
    pub fn stations(&mut self, now: Time) -> Vec<StationView> {
        self.run(now);
        let mut views = Vec::new();
        for number in 0..self.stations.len() {
            let id = StationId(number as u32);
            let queued = self.queued(id);
            let position = self.field.position(self.now, id);
            let Some(station) = self.station(id) else { continue };
            views.push(StationView {
                id,
                config: station.config.clone(),
                on: !station.config.off,
                access_point: self.access_point(id),
                position,
                queued,
                window: station.mac.window(),
                counters: station.desk.counters.clone(),
            });
        }
        views
    }

    /// Returns the counters of a station, or `None` if there is no such station.
    pub fn counters(&self, id: StationId) -> Option<&StationCounters> {
        self.station(id).map(|station| &station.desk.counters)
    }

    /// Returns the number of frames that wait at a station, including the one that it serves.
    pub fn queued(&self, id: StationId) -> u64 {
        let Some(station) = self.station(id) else { return 0 };
        station.desk.waiting() + u64::from(station.desk.head().is_some())
    }

    /// Returns the number of frames that have not left a station: those that wait, and the one that
    /// it serves unless that one has arrived already.
    pub fn unsent(&self, id: StationId) -> u64 {
        let Some(station) = self.station(id) else { return 0 };
        station.desk.waiting() + u64::from(station.desk.has_frame())
    }

    /// Returns the contention window from which a station draws its next backoff.
    pub fn window(&self, id: StationId) -> u32 {
        self.station(id).map_or(0, |station| station.mac.window())
    }

    /// Returns the number of frames that are on the air for the last time and have left their
    /// stations.
    pub fn on_the_air(&self) -> usize {
        self.air.iter().filter(|transmission| transmission.frame.is_some()).count()
    }

    fn station(&self, id: StationId) -> Option<&Station<F>> {
        self.stations.get(id.index())?.as_ref()
    }

    fn forget_hearers(&mut self) {
        for station in self.stations.iter_mut().flatten() {
            station.hearers = None;
        }
    }
}

/// Returns the rank of a station among all stations.
fn member<F>(stations: &[Option<Station<F>>], id: StationId) -> Member {
    let count = |stations: &[Option<Station<F>>]| stations.iter().flatten().count() as u32;
    Member { rank: count(&stations[..id.index()]), count: count(stations) }
}
