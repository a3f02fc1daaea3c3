//! The distributed coordination function of IEEE 802.11 (2007, clause 9): carrier sense with a
//! random backoff, acknowledgements, and requests to send.
//!
//! There is no event for each slot: the end of a backoff is computed, and recomputed when the
//! carrier changes.

use netloom_link::Frame;
use netloom_units::{Duration, Rate, Time};

use super::backoff::Contention;
use super::config::{DcfConfig, Retry, RtsThreshold};
use super::rate::{RateControl, Rates};
use super::{Carries, Ended, Io, Kind, MacState, Ppdu, ReceivedFrame, Timer};
use crate::desk::{End, Head};
use crate::phy::{ACK_BYTES, RTS_BYTES, Timing, air_bytes};
use crate::{FrameLoss, Receiver, StationConfig, StationId};

#[derive(Debug)]
pub(super) struct Dcf {
    rates: Rates,
    has_acks: bool,
    multicast_rate: Rate,
    rts_threshold: RtsThreshold,
    retry: Retry,
    contention: Contention,
    /// Number of whole slots left to wait.
    backoff: u32,
    /// Number of slots drawn, and the window from which they were drawn.
    drawn: (u32, u32),
    /// Failures of requests and of frames without a request.
    short: u32,
    /// Failures of frames with a request.
    long: u32,
    /// Time at which the medium last became idle, or the station last stopped sending or waiting.
    idle: Time,
    /// Whether the last reception failed.
    garbled: bool,
    nav: Nav,
    wait: Wait,
    reply: Option<Ppdu>,
}

/// The event that the station awaits after a transmission.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wait {
    Nothing,
    /// An answer to a request or to a frame.
    Answer {
        to: Kind,
        asked: bool,
    },
    /// The end of a signal that began early enough to be the answer.
    End {
        to: Kind,
        asked: bool,
    },
}

/// The network allocation vector: the time until which overheard frames reserve the medium.
#[derive(Debug, Clone, Copy)]
struct Nav {
    until: Time,
    /// Time at which a reservation by a request becomes void, unless a signal arrives before.
    void: Option<Time>,
}

impl Nav {
    /// Returns the time at which the reservation ends if no signal arrives.
    fn end(self) -> Time {
        self.void.map_or(self.until, |void| void.min(self.until))
    }

    /// Records the arrival of a signal, which confirms the reservation.
    fn confirm(&mut self, now: Time) {
        if let Some(void) = self.void.take()
            && now >= void
        {
            self.until = self.until.min(void);
        }
    }
}

impl Dcf {
    pub fn new(config: &DcfConfig, timing: &Timing, station: &StationConfig) -> Self {
        let fixed = station.rate.map(RateControl::Fixed).or(config.rate);
        let control = fixed.unwrap_or(RateControl::Fixed(timing.highest()));
        let window = station.cw.or(config.cw).map_or(timing.table.cw, |cw| [cw.0, cw.1]);
        Self {
            rates: Rates::new(control, timing.rates()),
            has_acks: true,
            multicast_rate: config.multicast_rate.unwrap_or(timing.lowest()),
            rts_threshold: config.rts_threshold,
            retry: config.retry,
            contention: Contention::new(config.backoff.clone(), window),
            backoff: 0,
            drawn: (0, 0),
            short: 0,
            long: 0,
            idle: Time::ZERO,
            garbled: false,
            nav: Nav { until: Time::ZERO, void: None },
            wait: Wait::Nothing,
            reply: None,
        }
    }

    /// Returns this MAC with or without acknowledgements.
    pub fn with_acknowledgements(self, has_acks: bool) -> Self {
        Self { has_acks, ..self }
    }

    /// Returns the time at which slots begin to count, if the medium stays idle.
    fn slots_begin(&self, timing: &Timing) -> Time {
        let space = if self.garbled { timing.eifs } else { timing.difs };
        self.idle.max(self.nav.end()) + space
    }

    fn is_blocked<F: Frame>(&self, io: &Io<'_, F>) -> bool {
        io.is_busy() || io.is_sending() || self.wait != Wait::Nothing || self.reply.is_some()
    }

    /// Plans the next access, if there is a frame to send and the medium appears idle.
    fn plan<F: Frame>(&self, io: &mut Io<'_, F>) {
        if io.head().is_none() || self.is_blocked(io) {
            io.clear(Timer::Access);
            return;
        }
        let begin = self.slots_begin(io.timing);
        let access = begin + times(io.timing.slot, self.backoff);
        io.set(Timer::Access, access.max(io.now));
    }

    fn draw<F: Frame>(&mut self, io: &mut Io<'_, F>) {
        let window = self.contention.window();
        // The draw is below a bound that fits in 32 bits.
        self.backoff = io.stream.below(u64::from(window) + 1) as u32;
        self.drawn = (self.backoff, window);
    }

    /// Subtracts the whole slots that have passed when the medium becomes busy.
    fn freeze(&mut self, now: Time, timing: &Timing) {
        let passed = now.since(self.slots_begin(timing)).as_nanos() / timing.slot.as_nanos();
        self.backoff = self.backoff.saturating_sub(u32::try_from(passed).unwrap_or(u32::MAX));
    }

    /// Sends the frame, or a request for it.
    fn access<F: Frame>(&mut self, io: &mut Io<'_, F>) {
        let Some(head) = io.head().copied() else { return };
        self.backoff = 0;
        io.desk.attempt();
        let data = self.data(&head, io);
        let ppdu = if self.needs_answer(head.to) && self.rts_threshold.asks(data.bytes) {
            io.desk.counters.requests += 1;
            request(&data, io.timing)
        } else {
            data
        };
        io.send(ppdu);
    }

    /// Returns the transmission of the frame.
    fn data<F: Frame>(&mut self, head: &Head, io: &Io<'_, F>) -> Ppdu {
        let timing = io.timing;
        let bytes = air_bytes(head.info.largest());
        let rate = match head.to {
            Receiver::All => self.multicast_rate,
            Receiver::Nobody => self.rates.rate(None, bytes, None),
            Receiver::Station(to) => {
                let snr = if self.rates.asks_for_snr() { io.snr(to) } else { None };
                self.rates.rate(Some(to), bytes, snr)
            }
        };
        let is_once = !self.needs_answer(head.to);
        Ppdu {
            kind: Kind::Data,
            to: head.to,
            rate,
            airtime: timing.airtime(bytes, rate),
            nav: if is_once { Duration::ZERO } else { timing.sifs + answer_time(rate, timing) },
            bytes,
            attempt: head.attempts + 1,
            window: self.drawn.1,
            slots: self.drawn.0,
            carries: if is_once { Carries::Leaves } else { Carries::Stays },
        }
    }

    /// Returns whether a frame is sent until it is acknowledged.
    fn needs_answer(&self, to: Receiver) -> bool {
        self.has_acks && to != Receiver::All
    }

    fn answer<F: Frame>(&mut self, io: &mut Io<'_, F>, ppdu: Ppdu) {
        self.reply = Some(ppdu);
        io.set(Timer::Reply, io.now + io.timing.sifs);
    }

    /// Handles a frame that was received without errors.
    fn receive<F: Frame>(&mut self, io: &mut Io<'_, F>, received: ReceivedFrame) {
        if received.to != Receiver::Station(io.me) {
            self.overhear(io, received);
            return;
        }
        match received.kind {
            Kind::Data if self.has_acks => {
                let ack = answer_to(&received, Kind::Ack, io.timing);
                self.answer(io, ack);
            }
            Kind::Rts if self.nav.end() <= io.now => {
                let cts = answer_to(&received, Kind::Cts, io.timing);
                self.answer(io, cts);
            }
            Kind::Cts => self.cleared(io),
            Kind::Ack => self.acknowledged(io),
            Kind::Rts | Kind::Data | Kind::Jam => {}
        }
    }

    fn overhear<F: Frame>(&mut self, io: &Io<'_, F>, received: ReceivedFrame) {
        let until = io.now + received.nav;
        if received.to == Receiver::All || until <= self.nav.end() {
            return;
        }
        let void = (received.kind == Kind::Rts).then(|| {
            let timing = io.timing;
            let cts = timing.airtime(ACK_BYTES, timing.answer_rate(received.rate));
            let header = timing.header(received.rate);
            io.now + times(timing.sifs, 2) + cts + header + times(timing.slot, 2)
        });
        self.nav = Nav { until, void };
    }

    /// Handles a CTS: sends the frame.
    fn cleared<F: Frame>(&mut self, io: &mut Io<'_, F>) {
        let (Wait::Answer { to: Kind::Rts, .. } | Wait::End { to: Kind::Rts, .. }) = self.wait
        else {
            return;
        };
        let Some(head) = io.head().copied() else { return };
        self.wait = Wait::Nothing;
        self.short = 0;
        io.clear(Timer::Answer);
        let mut data = self.data(&head, io);
        data.attempt = head.attempts;
        self.answer(io, data);
    }

    /// Handles an acknowledgement.
    fn acknowledged<F: Frame>(&mut self, io: &mut Io<'_, F>) {
        let (Wait::Answer { to: Kind::Data, .. } | Wait::End { to: Kind::Data, .. }) = self.wait
        else {
            return;
        };
        self.wait = Wait::Nothing;
        io.clear(Timer::Answer);
        self.contention.succeeded();
        if let Some(to) = neighbour(io) {
            self.rates.succeeded(to);
        }
        self.done(io, End::Sent);
    }

    /// Handles a missing answer.
    fn failed<F: Frame>(&mut self, io: &mut Io<'_, F>, to: Kind, asked: bool) {
        self.wait = Wait::Nothing;
        if to == Kind::Data
            && let Some(to) = neighbour(io)
        {
            self.rates.failed(to);
        }
        if !io.is_busy() {
            self.idle = io.now;
        }
        let is_last = if asked {
            self.long += 1;
            self.long >= self.retry.long
        } else {
            self.short += 1;
            self.short >= self.retry.short
        };
        if is_last {
            self.contention.given_up();
            self.done(io, End::Dropped(FrameLoss::RetryLimit));
            return;
        }
        self.contention.failed();
        self.draw(io);
        self.plan(io);
    }

    /// Completes a frame. A backoff follows, whether or not there is another frame.
    fn done<F: Frame>(&mut self, io: &mut Io<'_, F>, end: End) {
        (self.short, self.long) = (0, 0);
        io.finish(end);
        self.draw(io);
        self.plan(io);
    }
}

impl<F: Frame> MacState<F> for Dcf {
    fn queued(&mut self, io: &mut Io<'_, F>) {
        let is_free = !self.is_blocked(io) && io.now >= self.slots_begin(io.timing);
        if self.backoff == 0 && !is_free {
            self.draw(io);
        }
        self.plan(io);
    }

    fn arriving(&mut self, io: &mut Io<'_, F>) {
        self.nav.confirm(io.now);
    }

    fn busy(&mut self, io: &mut Io<'_, F>) {
        self.freeze(io.now, io.timing);
        io.clear(Timer::Access);
    }

    fn ended(&mut self, io: &mut Io<'_, F>, ended: Ended) {
        if ended.went_idle {
            self.idle = io.now;
        }
        match ended.reception {
            Some(Ok(received)) => {
                self.garbled = false;
                self.receive(io, received);
            }
            Some(Err(_)) => self.garbled = true,
            None => {}
        }
        if let Wait::End { to, asked } = self.wait
            && ended.reception.is_some()
            && !io.radio.is_locked()
        {
            self.failed(io, to, asked);
            return;
        }
        self.plan(io);
    }

    fn sent(&mut self, io: &mut Io<'_, F>, kind: Kind) {
        if !io.is_busy() {
            self.idle = io.now;
        }
        self.garbled = false;
        match kind {
            Kind::Data if io.head().is_some_and(|head| !self.needs_answer(head.to)) => {
                self.done(io, End::Sent);
            }
            Kind::Rts | Kind::Data => {
                let asked = kind == Kind::Data
                    && io.head().is_some_and(|head| {
                        self.rts_threshold.asks(air_bytes(head.info.largest()))
                    });
                self.wait = Wait::Answer { to: kind, asked };
                io.set(Timer::Answer, io.now + io.timing.answer);
            }
            Kind::Cts | Kind::Ack | Kind::Jam => {
                // The signal that began in time was lost when the station answered another station.
                if let Wait::End { to, asked } = self.wait {
                    self.failed(io, to, asked);
                }
                self.plan(io);
            }
        }
    }

    fn due(&mut self, io: &mut Io<'_, F>, timer: Timer) {
        match timer {
            Timer::Access => self.access(io),
            Timer::Reply => {
                if let Some(reply) = self.reply.take()
                    && !io.is_sending()
                {
                    if !io.is_busy() && self.wait == Wait::Nothing {
                        self.freeze(io.now, io.timing);
                    }
                    io.clear(Timer::Access);
                    io.send(reply);
                }
            }
            Timer::Answer => match self.wait {
                Wait::Answer { to, asked } if io.radio.is_locked() => {
                    self.wait = Wait::End { to, asked };
                }
                Wait::Answer { to, asked } => self.failed(io, to, asked),
                Wait::Nothing | Wait::End { .. } => {}
            },
            Timer::Commit => {}
        }
    }

    fn restart(&mut self, io: &mut Io<'_, F>) {
        (self.short, self.long, self.wait, self.reply) = (0, 0, Wait::Nothing, None);
        self.garbled = false;
        self.nav = Nav { until: io.now, void: None };
        self.idle = io.now;
        self.contention.given_up();
        self.backoff = 0;
        if io.head().is_some() {
            self.draw(io);
        }
        self.plan(io);
    }

    fn asks_for_snr(&self) -> bool {
        self.rates.asks_for_snr()
    }

    fn rate_to(&self, to: StationId, bytes: u32, snr: f64) -> Option<Rate> {
        Some(self.rates.known(to, bytes, snr))
    }

    fn window(&self) -> u32 {
        self.contention.window()
    }
}

/// Returns the station that the served frame is for.
fn neighbour<F: Frame>(io: &Io<'_, F>) -> Option<StationId> {
    match io.head()?.to {
        Receiver::Station(to) => Some(to),
        Receiver::All | Receiver::Nobody => None,
    }
}

/// Returns the request for `data`.
fn request(data: &Ppdu, timing: &Timing) -> Ppdu {
    let rate = timing.answer_rate(data.rate);
    let cts = timing.airtime(ACK_BYTES, rate);
    Ppdu {
        kind: Kind::Rts,
        rate,
        airtime: timing.airtime(RTS_BYTES, rate),
        nav: times(timing.sifs, 2) + cts + data.airtime + data.nav,
        bytes: RTS_BYTES,
        carries: Carries::Nothing,
        ..*data
    }
}

/// Returns the CTS or ACK to a frame.
fn answer_to(received: &ReceivedFrame, kind: Kind, timing: &Timing) -> Ppdu {
    let rate = timing.answer_rate(received.rate);
    let airtime = timing.airtime(ACK_BYTES, rate);
    let nav = received.nav.saturating_sub(timing.sifs).saturating_sub(airtime);
    Ppdu {
        kind,
        to: Receiver::Station(received.from),
        rate,
        airtime,
        nav: if kind == Kind::Cts { nav } else { Duration::ZERO },
        bytes: ACK_BYTES,
        attempt: 0,
        window: 0,
        slots: 0,
        carries: Carries::Nothing,
    }
}

/// Returns the duration of the acknowledgement of a frame at `rate`.
fn answer_time(rate: Rate, timing: &Timing) -> Duration {
    timing.airtime(ACK_BYTES, timing.answer_rate(rate))
}

fn times(duration: Duration, count: u32) -> Duration {
    Duration::from_nanos(duration.as_nanos() * u64::from(count))
}
