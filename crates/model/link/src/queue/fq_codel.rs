//! Flow queue CoDel (RFC 8290): a queue and a CoDel for each flow, served by deficit round robin,
//! with precedence for flows that have just begun.
//!
//! RFC 8290 leaves some choices to implementations. Here:
//! - The limit is the queue's own, as for every discipline (Linux: 10,240 packets and 32 MiB).
//! - Turns and backlogs are counted in bytes on the line, framing included.
//! - A drop from the fattest flow does not change the flow's CoDel (Linux adds it to CoDel's count
//!   of drops).
//! - Flows are distinguished only by their 5-tuple.

use std::collections::VecDeque;
use std::num::NonZeroU32;

use netloom_units::{Rate, Size, Time};
use serde::{Deserialize, Serialize};

use super::class_queue::InClass;
use super::classes::{QUANTUM, check_flows, check_quantum};
use super::codel::{CodelConfig, Control, LargestSeen};
use super::config::Discipline;
use super::discipline::{Backlog, Effects, QueueDiscipline, Queued, Rejection};
use super::flow::FlowHash;
use super::limit::Room;
use super::store::Store;
use crate::statistics::AqmState;
use crate::{DropReason, Frame, FrameInfo, Stream};

/// Parameters of `fq_codel`. The defaults are those of RFC 8290, section 5.2, and RFC 8289.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(default, deny_unknown_fields)]
pub struct FqCodelConfig {
    /// Number of queues into which flows are hashed (default 1024, at most 65536).
    pub flows: NonZeroU32,
    /// Bytes on the line that a flow may send in its turn (default `1514B`, at least `256B`).
    pub quantum: Size,
    /// Waiting time that is acceptable indefinitely (default `5ms`).
    pub target: netloom_units::Duration,
    /// Time for which a flow's waiting time may stay above the target before the first drop
    /// (default `100ms`).
    pub interval: netloom_units::Duration,
    /// Whether ECN-capable packets are marked instead of dropped (default `true`).
    pub ecn: bool,
    /// Waiting time above which every ECN-capable packet is marked on its way out, beside what
    /// CoDel does and whatever `ecn` is (default none). A step mark for DCTCP and the like.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ce_threshold: Option<netloom_units::Duration>,
}

impl Default for FqCodelConfig {
    fn default() -> Self {
        let CodelConfig { target, interval, ecn, ce_threshold } = CodelConfig::default();
        let flows = NonZeroU32::new(1024).expect("1024 is not zero");
        Self { flows, quantum: QUANTUM, target, interval, ecn, ce_threshold }
    }
}

impl FqCodelConfig {
    /// Checks the parameters.
    pub(super) fn check(&self) -> Result<(), String> {
        check_flows(self.flows)?;
        check_quantum(self.quantum)?;
        self.codel().check()
    }

    pub(crate) fn codel(&self) -> CodelConfig {
        let Self { target, interval, ecn, ce_threshold, .. } = *self;
        CodelConfig { target, interval, ecn, ce_threshold }
    }
}

/// Largest number of frames dropped at once from the fattest flow. Dropping also stops when at most
/// half of its bytes are left (section 4.1).
const DROP_BATCH: u32 = 64;

/// The queue of the discipline.
#[derive(Debug)]
pub(super) struct FqCodel<F> {
    config: FqCodelConfig,
    hash: FlowHash,
    /// One for each bucket; empty before the first arrival, so idle pipes stay small.
    flows: Vec<Flow<F>>,
    /// Buckets of the flows that have just begun.
    new: VecDeque<u32>,
    /// Buckets of the flows that have had a turn.
    old: VecDeque<u32>,
    backlog: Backlog,
    largest: LargestSeen,
}

/// The queue of the flows of one bucket.
#[derive(Debug)]
struct Flow<F> {
    store: Store<F>,
    control: Control,
    /// Bytes on the line that the flow may still send in this turn. The last frame may overdraw
    /// them.
    deficit: i64,
    /// Whether the flow is in `new` or `old`.
    listed: bool,
}

impl<F> Default for Flow<F> {
    fn default() -> Self {
        Self { store: Store::default(), control: Control::default(), deficit: 0, listed: false }
    }
}

impl<F: Frame> FqCodel<F> {
    pub fn new(config: FqCodelConfig, stream: &Stream) -> Self {
        Self {
            config,
            hash: FlowHash::new(stream),
            flows: Vec::new(),
            new: VecDeque::new(),
            old: VecDeque::new(),
            backlog: Backlog::default(),
            largest: LargestSeen::default(),
        }
    }

    fn quantum(&self) -> i64 {
        // At most 16 MiB, which `check` ensures. At least one byte, so every turn makes progress.
        self.config.quantum.bytes().clamp(1, 1 << 24) as i64
    }

    /// Appends a frame to its flow's queue. A flow that was not active becomes a new one.
    fn push(&mut self, waiting: Queued<F>) {
        if self.flows.is_empty() {
            self.flows.resize_with(self.config.flows.get() as usize, Flow::default);
        }
        let bucket = self.hash.bucket(waiting.frame.header().as_ref(), self.flows.len());
        let quantum = self.quantum();
        let flow = &mut self.flows[bucket];
        if !flow.listed {
            flow.listed = true;
            flow.deficit = quantum;
            self.new.push_back(bucket as u32);
        }
        self.largest.see(waiting.line_bytes);
        self.backlog.add(&waiting);
        flow.store.push(waiting);
    }

    /// Returns the bucket of the flow with the most bytes.
    fn fattest(&self) -> Option<u32> {
        let bytes = |bucket: &u32| self.flows[*bucket as usize].store.backlog().line_bytes;
        self.new.iter().chain(&self.old).copied().max_by_key(bytes)
    }

    /// Drops frames from the head of the flow with the most bytes: up to half of its bytes, and at
    /// most 64 frames. So this search is rare.
    #[cold]
    fn drop_from_fattest(&mut self, now: Time, effects: &mut Effects<F>) {
        let Some(fattest) = self.fattest() else { return };
        let store = &mut self.flows[fattest as usize].store;
        let half = store.backlog().line_bytes / 2;
        for _ in 0..DROP_BATCH {
            let Some(oldest) = store.pop() else { break };
            self.backlog.remove(&oldest);
            effects.drop(now, oldest, DropReason::QueueFull);
            if store.backlog().line_bytes <= half {
                break;
            }
        }
    }

    /// Returns the bucket of the flow whose turn it is, and whether it is a new flow. A flow that
    /// has used up its deficit gets another quantum and goes behind all old flows.
    fn next_flow(&mut self) -> Option<(u32, bool)> {
        loop {
            let (bucket, is_new) = match self.new.front() {
                Some(bucket) => (*bucket, true),
                None => (*self.old.front()?, false),
            };
            let quantum = self.quantum();
            let flow = &mut self.flows[bucket as usize];
            if flow.deficit > 0 {
                return Some((bucket, is_new));
            }
            flow.deficit += quantum;
            self.leave_front(is_new);
            self.old.push_back(bucket);
        }
    }

    fn leave_front(&mut self, is_new: bool) {
        if is_new {
            self.new.pop_front()
        } else {
            self.old.pop_front()
        };
    }
}

impl<F: Frame> QueueDiscipline<F> for FqCodel<F> {
    fn enqueue(
        &mut self,
        now: Time,
        waiting: Queued<F>,
        room: Room,
        effects: &mut Effects<F>,
    ) -> Result<(), Rejection<F>> {
        let backlog = self.backlog;
        if room.admits(backlog, &waiting) {
            self.push(waiting);
            return Ok(());
        }
        if !room.can_be_made(backlog, &waiting) {
            return Err((waiting, DropReason::QueueFull));
        }
        self.push(waiting);
        while room.is_exceeded(self.backlog) {
            self.drop_from_fattest(now, effects);
        }
        Ok(())
    }

    fn dequeue(&mut self, now: Time, effects: &mut Effects<F>) -> Option<Queued<F>> {
        let config = self.config.codel();
        while let Some((bucket, is_new)) = self.next_flow() {
            let Self { flows, backlog, largest, .. } = self;
            let Flow { store, control, deficit, .. } = &mut flows[bucket as usize];
            let next = control.dequeue(now, &config, *largest, effects, || {
                let waiting = store.pop()?;
                backlog.remove(&waiting);
                Some((waiting, backlog.line_bytes))
            });
            if let Some(waiting) = next {
                *deficit -= waiting.line_bytes as i64;
                return Some(waiting);
            }
            // An empty new flow waits for one round among the old ones, so it cannot return at once
            // as a new one and starve them (section 4.2).
            self.leave_front(is_new);
            if is_new && !self.old.is_empty() {
                self.old.push_back(bucket);
            } else {
                self.flows[bucket as usize].listed = false;
            }
        }
        None
    }

    fn backlog(&self) -> Backlog {
        self.backlog
    }

    fn state(&self, _now: Time, _rate: Option<Rate>) -> Option<AqmState> {
        let count = self.flows.iter().map(|flow| flow.control.drops()).max().unwrap_or(0);
        Some(AqmState { count: Some(count), ..AqmState::default() })
    }

    fn drain(&mut self, into: &mut Vec<Queued<F>>) {
        self.flows.iter_mut().for_each(|flow| flow.store.drain(into));
        self.backlog = Backlog::default();
    }

    fn adopt(&mut self, _now: Time, waiting: Queued<F>) {
        self.push(waiting);
    }

    fn configure(&mut self, _now: Time, discipline: &Discipline) -> bool {
        let Discipline::FqCodel(config) = discipline else { return false };
        if config.flows != self.config.flows {
            return false;
        }
        self.config = *config;
        true
    }

    fn reframe(&mut self, line_bytes: &dyn Fn(&FrameInfo) -> u64) {
        self.backlog.line_bytes = 0;
        for flow in &mut self.flows {
            flow.store.reframe(line_bytes);
            self.backlog.line_bytes += flow.store.backlog().line_bytes;
        }
    }
}

impl<F: Frame> InClass<F> for FqCodel<F> {
    /// The value for the flow that is now in front. Another flow may be served first because of its
    /// deficit.
    fn head_line_bytes(&self) -> Option<u64> {
        let mut listed = self.new.iter().chain(&self.old);
        listed.find_map(|bucket| self.flows[*bucket as usize].store.head_line_bytes())
    }

    /// Removes from the head of the flow with the most bytes.
    fn give_up(&mut self) -> Option<Queued<F>> {
        let fattest = self.fattest()?;
        let oldest = self.flows[fattest as usize].store.pop()?;
        self.backlog.remove(&oldest);
        Some(oldest)
    }
}
