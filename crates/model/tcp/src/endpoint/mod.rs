//! The connection, which joins the parts of the model. [`Endpoint`] has the public calls. Each file
//! implements one aspect of it.

mod acknowledge;
mod arrive;
mod handshake;
mod options;
mod repair;
mod send;
mod sender;
mod state;
mod timer_set;
mod timers;
mod transmit;
mod undo;
mod usage;

use std::sync::Arc;

use netloom_units::{Duration, Time};

use crate::config::Config;
use crate::congestion::{self, CongestionControl, Flow};
use crate::event::{CloseReason, Event, Events};
use crate::info::Info;
use crate::rate::RateSampler;
use crate::receiver::Receiver;
use crate::recovery::{Recovery, TailProbe};
use crate::rtt::RttEstimator;
use crate::segment::{Flags, SackBlocks, Segment, Transmit};
use crate::ticks::Ticks;
use options::Negotiated;
use sender::Sender;
pub use state::State;
use timer_set::{Timers, earlier};
use usage::Usage;

/// One end of a connection.
///
/// # Call order
/// 1. [`connect`](Self::connect) or [`listen`](Self::listen) makes one.
/// 2. After every call that takes `now`: call [`poll_event`](Self::poll_event) until it returns
///    `None`, and react with [`read`](Self::read), [`write`](Self::write) and so on. Then call
///    [`poll_transmit`](Self::poll_transmit) until it returns `None`, and ask for
///    [`next_deadline`](Self::next_deadline) again.
/// 3. At the deadline, call [`handle_timeout`](Self::handle_timeout). When a segment arrives, call
///    [`handle_segment`](Self::handle_segment).
///
/// `now` never decreases. Calls may be late; their effects are then late, too.
///
/// # Example
/// ```
/// use std::sync::Arc;
///
/// use netloom_tcp::{Config, Endpoint, State};
/// use netloom_units::Time;
///
/// let config = Arc::new(Config::default());
/// let now = Time::ZERO;
/// let mut ends = [
///     Endpoint::connect(now, config.clone(), 1),
///     Endpoint::listen(config, 2),
/// ];
/// // A network without delay: the three segments of the handshake.
/// for (from, to) in [(0, 1), (1, 0), (0, 1)] {
///     let sent = ends[from].poll_transmit(now).unwrap();
///     ends[to].handle_segment(now, &sent.segment, &sent.sack);
/// }
/// assert!(ends.iter().all(|end| end.state() == State::Established));
/// ends[0].write(now, 1000);
/// let sent = ends[0].poll_transmit(now).unwrap();
/// assert_eq!(sent.segment.packet_bytes(20), 20 + 32 + 1000);
/// ends[1].handle_segment(now, &sent.segment, &sent.sack);
/// assert_eq!(ends[1].read(now, u64::MAX), 1000);
/// ```
#[derive(Debug)]
pub struct Endpoint {
    config: Arc<Config>,
    state: State,
    negotiated: Negotiated,
    snd: Sender,
    rcv: Receiver,
    flow: Flow,
    control: Box<dyn CongestionControl>,
    recovery: Recovery,
    rtt: RttEstimator,
    rate: RateSampler,
    timers: Timers,
    ticks: Ticks,
    usage: Usage,
    /// Whether packets are paced, and the time at which the next one may be sent.
    paced: bool,
    next_at: Time,
    events: Events,
    /// A segment that is sent before all others: a reset or an answer out of turn.
    reply: Option<Segment>,
    /// Whether the application has closed both directions. Data that arrives then has no reader.
    released: bool,
    /// Time at which a segment outside the window was last answered.
    challenged: Option<Time>,
}

impl Endpoint {
    fn new(config: Arc<Config>, initial: u32, state: State) -> Self {
        let control = congestion::make(config.congestion_control, config.hystart, initial);
        let mut flow = Flow::new(config.initial_window, config.max_pacing_rate);
        flow.mss = u32::from(config.announced_mss());
        Self {
            state,
            negotiated: Negotiated::offer(&config, control.ecn()),
            snd: Sender::new(&config, initial),
            rcv: Receiver::new(&config),
            flow,
            recovery: Recovery::new(config.reordering),
            rtt: RttEstimator::new(config.rto_min, config.rto_max, config.min_rtt_window),
            rate: RateSampler::default(),
            timers: Timers::default(),
            ticks: Ticks::new(config.hz),
            usage: Usage::default(),
            paced: control.paces() || config.max_pacing_rate != u64::MAX,
            next_at: Time::ZERO,
            events: Events::default(),
            reply: None,
            released: false,
            challenged: None,
            control,
            config,
        }
    }

    /// Opens a connection at `now`. The SYN waits in [`poll_transmit`](Self::poll_transmit).
    /// `initial` is the initial sequence number, and also the seed of congestion controls that draw
    /// random numbers.
    pub fn connect(now: Time, config: Arc<Config>, initial: u32) -> Self {
        let mut endpoint = Self::new(config, initial, State::SynSent);
        endpoint.flow.now = now;
        endpoint.open(now);
        endpoint
    }

    /// Waits for a SYN. `initial` has the same meaning as in [`connect`](Self::connect).
    pub fn listen(config: Arc<Config>, initial: u32) -> Self {
        Self::new(config, initial, State::Listen)
    }

    /// Handles a segment that has arrived, with its SACK blocks.
    pub fn handle_segment(&mut self, now: Time, segment: &Segment, sack: &SackBlocks) {
        self.flow.now = now;
        self.segment_arrives(now, segment, sack);
    }

    /// Handles the expiry of timers. Call it at the time of [`next_deadline`](Self::next_deadline).
    pub fn handle_timeout(&mut self, now: Time) {
        self.flow.now = now;
        self.timers_expire(now);
    }

    /// Returns the time at which [`handle_timeout`](Self::handle_timeout) or
    /// [`poll_transmit`](Self::poll_transmit) must be called next, even if no segment arrives.
    #[inline]
    pub fn next_deadline(&self) -> Option<Time> {
        let acks = &self.rcv.acks;
        earlier(self.timers.next(), earlier(acks.delayed, acks.compressed))
    }

    /// Returns the next segment to send at `now`.
    pub fn poll_transmit(&mut self, now: Time) -> Option<Transmit> {
        self.flow.now = now;
        self.next_segment(now)
    }

    /// Returns the next event.
    pub fn poll_event(&mut self) -> Option<Event> {
        self.events.poll()
    }

    /// Appends up to `bytes` bytes to the data to be sent. Returns how many of them the send buffer
    /// took; [`Event::Writable`] follows when there is room again. Returns zero once the sending
    /// direction is closed.
    pub fn write(&mut self, now: Time, bytes: u64) -> u64 {
        self.flow.now = now;
        let open = matches!(self.state, State::SynSent | State::SynReceived)
            || matches!(self.state, State::Established | State::CloseWait);
        if !open || self.snd.closing {
            return 0;
        }
        let taken = self.snd.write(&self.config, bytes);
        if taken > 0 && self.state.sends() {
            self.restart_after_idle(now);
        }
        taken
    }

    /// Takes up to `most` readable bytes. Returns their number.
    pub fn read(&mut self, now: Time, most: u64) -> u64 {
        self.flow.now = now;
        let segment = self.rcv.acks.segment.max(1);
        let taken = self.rcv.read(now, most, &self.config, segment);
        if taken > 0 && self.rcv.readable() == 0 {
            self.rcv.acks.drained();
        }
        if taken > 0 && self.state.synchronized() {
            let buffered = self.rcv.buffered();
            let (next, window) = (self.rcv.next, &self.rcv.window);
            if self.state.receives() && window.worth_update(&self.config, next, buffered, segment) {
                self.rcv.acks.now = true;
            }
        }
        taken
    }

    /// Returns the number of bytes that can be read now.
    pub fn readable(&self) -> u64 {
        self.rcv.readable()
    }

    /// Returns the number of bytes that the send buffer can take now.
    pub fn writable(&self) -> u64 {
        self.snd.room(&self.config)
    }

    /// Closes the sending direction: a FIN follows the data written so far (RFC 9293 §3.10.4;
    /// shutdown(2) with `SHUT_WR`). Reading goes on.
    pub fn shutdown(&mut self, now: Time) {
        self.flow.now = now;
        match self.state {
            State::Closed | State::Listen | State::SynSent => self.end(CloseReason::Finished),
            State::SynReceived | State::Established => {
                self.snd.closing = true;
                if self.state == State::Established {
                    self.state = State::FinWait1;
                }
            }
            State::CloseWait => {
                self.snd.closing = true;
                self.state = State::LastAck;
            }
            _ => {}
        }
    }

    /// Closes both directions, as close(2) does: like [`shutdown`](Self::shutdown), but without
    /// reading any more. If data is unread or arrives later, the connection is reset (RFC 2525
    /// §2.17).
    pub fn close(&mut self, now: Time) {
        self.flow.now = now;
        if self.rcv.readable() > 0 {
            self.abort(now);
            return;
        }
        self.released = true;
        self.shutdown(now);
        if self.state == State::FinWait2 {
            self.timers.lifetime = Some(self.ticks.expiry(now, self.config.fin_timeout));
        }
    }

    /// Ends the connection at once, with a reset if the other end has state for it (RFC 9293
    /// §3.10.5).
    pub fn abort(&mut self, now: Time) {
        self.flow.now = now;
        let known = self.state.synchronized() || self.state == State::SynReceived;
        let over = matches!(self.state, State::TimeWait | State::Closed);
        self.end(CloseReason::Aborted);
        if known && !over {
            let seq = self.snd.sequence.wire(self.snd.nxt);
            let ack = self.rcv.sequence.wire(self.rcv.next);
            let flags = Flags::RST | Flags::ACK;
            self.reply = Some(Segment { seq, ack, flags, ..Segment::EMPTY });
        }
    }

    /// Handles an ICMP message: the path takes packets of at most `mtu` bytes. Longer packets count
    /// as lost and are sent again as smaller ones (RFC 1191, RFC 8201).
    pub fn handle_mtu(&mut self, now: Time, mtu: u16) {
        self.flow.now = now;
        self.shrink_packets(mtu);
    }

    /// State of the connection.
    pub const fn state(&self) -> State {
        self.state
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Returns the fields of TCP_INFO.
    pub fn info(&self) -> Info {
        let flow = &self.flow;
        let unlimited = flow.pacing_rate == u64::MAX;
        Info {
            state: self.state,
            recovery: flow.state,
            cwnd: flow.cwnd,
            ssthresh: (flow.ssthresh != u32::MAX).then_some(flow.ssthresh),
            in_flight: self.in_flight(),
            unacked: self.snd.sent.len(),
            sacked: self.snd.sacked(),
            lost_now: self.snd.sent.lost(),
            mss: self.snd.mss,
            srtt: self.rtt.smoothed(),
            rttvar: self.rtt.deviation(),
            rto: self.rtt.timeout(self.recovery.backoff),
            min_rtt: self.rtt.least().unwrap_or(Duration::ZERO),
            pacing_rate: (!unlimited).then_some(flow.pacing_rate),
            delivery_rate: self.rate.bytes_per_second(self.snd.mss),
            bytes_acked: self.snd.bytes_acknowledged(),
            bytes_received: self.rcv.read + self.rcv.readable() - (crate::sequence::SYN_AT + 1),
            packets_sent: self.snd.packets_sent,
            delivered: self.rate.delivered,
            delivered_ce: self.rate.delivered_ce,
            retransmitted: self.recovery.resent_total,
            lost: self.rate.lost,
            reordering: self.recovery.reordering,
            backoff: self.recovery.backoff,
            peer_window: self.snd.window,
            send_buffer: self.snd.buffer,
            receive_buffer: self.rcv.window.buffer(),
            unsent: self.snd.unsent(),
        }
    }

    /// Ends the connection, without TIME-WAIT.
    fn end(&mut self, reason: CloseReason) {
        if self.state != State::Closed && self.state != State::TimeWait {
            self.events.push(Event::Closed(reason));
        }
        self.state = State::Closed;
        self.timers = Timers::default();
        self.rcv.acks = Default::default();
        self.snd.forget();
    }

    fn in_flight(&self) -> u32 {
        self.snd.in_flight()
    }
}
