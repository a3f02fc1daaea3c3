//! A lean pipe does what a pipe does, to the nanosecond: over random traffic, through random
//! changes at random times.

use netloom_link::{
    Announced, Delivery, Dropped, FrameInfo, FrameSlots, LeanPipe, Pipe, Rejected, Stream,
};
use netloom_units::{Duration, Time};
use std::sync::Arc;

use crate::common::{change, config};

/// What a pipe may begin as, and what it may become. All but the last ones keep it plain.
const CHANGES: [&str; 22] = [
    r#"{"rate":"10Mbit/s","delay":"1ms"}"#,
    r#"{"rate":"7Mbit/s"}"#,
    r#"{"rate":"1Gbit/s","delay":"3ms","queue":{"limit":"3packets"}}"#,
    r#"{"rate":"3Mbit/s","delay":"0ms","queue":{"limit":"4kB"}}"#,
    r#"{"rate":"unlimited","delay":"2ms"}"#,
    r#"{"rate":"unlimited","delay":"0ms"}"#,
    r#"{"framing":"none","queue":{"limit":"5ms"}}"#,
    r#"{"framing":"ethernet","pipe_mtu":"900B"}"#,
    r#"{"pipe_mtu":"none","queue":{"limit":"default"}}"#,
    r#"{"delay":"0.2ms","rate":"9999991bit/s"}"#,
    r#"{"burst":"0B","mac_overhead":[],"jitter":"none","loss":"0%","reorder":"none"}"#,
    r#"{"background":"none","queue":{"discipline":"fifo"},"state":"up"}"#,
    r#"{"state":"up"}"#,
    r#"{"state":"down"}"#,
    r#"{"state":"down","in_flight":"deliver"}"#,
    r#"{"burst":"3kB"}"#,
    r#"{"queue":{"discipline":{"fifo":{"drop":"head"}}}}"#,
    r#"{"delay":{"schedule":[{"at":"0s","delay":"5ms"},{"at":"20ms","delay":"1ms"}]}}"#,
    r#"{"rate":{"trace":[0,1,1,2,4]}}"#,
    r#"{"loss":{"every":3}}"#,
    r#"{"loss":"20%","jitter":"1ms"}"#,
    r#"{"background":[{"poisson":{"rate":"2Mbit/s"}}]}"#,
];
/// Changes after which a pipe may draw random numbers, and so never becomes plain again.
const RANDOM: u64 = 2;

/// A pipe in both forms.
struct Both {
    lean: LeanPipe<u64>,
    frames: FrameSlots<u64>,
    /// Another pipe, whose frames are between those of the first.
    beside: LeanPipe<u64>,
    general: Pipe<u64>,
    keeps_sent: bool,
}

fn delivered(one: Option<Delivery<u64>>) -> Option<String> {
    one.map(|Delivery { frame, info, passage, release }| {
        format!("{frame} {info:?} {passage:?} {release}")
    })
}

fn dropped(one: Option<Dropped<u64>>) -> Option<String> {
    one.map(|one| format!("{one:?}"))
}

fn sent(one: Option<Announced<u64>>) -> Option<String> {
    one.map(|one| format!("{} {} {:?}", one.sequence, one.cuts, delivered(Some(one.delivery))))
}

fn rejected(one: Result<(), Rejected<u64>>) -> Option<String> {
    one.err().map(|one| format!("{one:?}"))
}

impl Both {
    fn new(text: &str, seed: u64, keeps_sent: bool) -> Self {
        let stream = Stream::new(seed, "a/forward");
        let mut lean = LeanPipe::new(Arc::new(config(text)), stream.clone(), Time::ZERO);
        let mut general = Pipe::new(config(text), stream.clone(), Time::ZERO);
        general.keep_totals_only();
        lean.keep_sent(keeps_sent);
        general.keep_sent(keeps_sent);
        let mtu = (seed.is_multiple_of(3)).then_some(1200);
        lean.set_receiver_mtu(mtu);
        general.set_receiver_mtu(mtu);
        let beside = LeanPipe::new(Arc::new(config(CHANGES[0])), stream, Time::ZERO);
        Self { lean, frames: FrameSlots::default(), beside, general, keeps_sent }
    }

    fn offer(&mut self, now: Time, bytes: u32, number: u64) {
        let info = FrameInfo::single(bytes);
        let lean = rejected(self.lean.offer(&mut self.frames, now, info, number));
        assert_eq!(lean, rejected(self.general.offer(now, info, number)), "at {now}");
        let _ = self.beside.offer(&mut self.frames, now, info, number);
        while self.beside.poll(&mut self.frames, now).is_some() {}
    }

    fn poll(&mut self, now: Time) {
        loop {
            let lean = delivered(self.lean.poll(&mut self.frames, now));
            assert_eq!(lean, delivered(self.general.poll(now)), "at {now}");
            if lean.is_none() {
                break;
            }
        }
    }

    fn announce(&mut self, now: Time) {
        self.lean.reach(&mut self.frames, now);
        self.general.reach(now);
        while self.keeps_sent {
            let lean = sent(self.lean.poll_sent(&mut self.frames));
            assert_eq!(lean, sent(self.general.poll_sent()), "at {now}");
            if lean.is_none() {
                let lean = self.lean.next_line_end(&self.frames);
                assert_eq!(lean, self.general.next_line_end(), "at {now}");
                break;
            }
        }
    }

    /// Compares what anyone can see after each step.
    fn compare(&mut self, now: Time) {
        loop {
            let lean = dropped(self.lean.poll_dropped());
            assert_eq!(lean, dropped(self.general.poll_dropped()), "at {now}");
            if lean.is_none() {
                break;
            }
        }
        assert_eq!(self.lean.next_deadline(), self.general.next_deadline(), "at {now}");
        assert_eq!(self.lean.config(), self.general.config());
    }

    fn count(&mut self, now: Time) {
        let lean = self.lean.statistics(&mut self.frames, now);
        assert_eq!(lean, self.general.statistics(now), "at {now}");
    }
}

/// Runs one pipe for a while. Returns how many frames it carried in plain form, and how often it
/// became plain again.
fn run(seed: u64) -> [u64; 2] {
    let mut draws = Stream::new(seed, "law");
    let all = CHANGES.len() as u64;
    // Two of three never draw random numbers.
    let some = if seed.is_multiple_of(3) { all } else { all - RANDOM };
    let text = CHANGES[draws.below(some) as usize];
    let keeps_sent = draws.chance(0.5);
    let mut both = Both::new(text, seed, keeps_sent);
    let (mut now, mut seen) = (Time::ZERO, [0; 2]);
    for number in 0..400 {
        let pause = [0, 1_000, 90_000, 900_000, 9_000_000][draws.below(5) as usize];
        now += Duration::from_nanos(draws.below(pause + 1));
        let was_plain = both.lean.is_plain();
        match draws.below(20) {
            0..10 => {
                for _ in 0..=draws.below(4) {
                    both.offer(now, 60 + draws.below(1455) as u32, number);
                    seen[0] += u64::from(both.lean.is_plain());
                }
            }
            10..15 => {
                let next = both.general.next_deadline();
                now = now.max(next.unwrap_or(now));
                if keeps_sent && draws.chance(0.8) {
                    both.announce(now);
                }
                both.poll(now);
            }
            15 => both.count(now),
            16 => both.announce(now),
            17 => both.poll(now),
            _ => {
                // Mostly back to a plain one.
                let of = if draws.chance(0.5) { 13 } else { some };
                let change = change(CHANGES[draws.below(of) as usize]);
                both.lean.change(&mut both.frames, now, &change);
                both.general.change(now, &change);
            }
        }
        both.compare(now);
        seen[1] += u64::from(!was_plain && both.lean.is_plain());
    }
    both.count(now);
    while let Some(deadline) = both.general.next_deadline().filter(|at| at.as_nanos() < 1 << 40) {
        both.announce(deadline);
        both.poll(deadline);
        both.compare(deadline);
        if both.general.config().background != config("{}").background {
            break;
        }
    }
    both.count(now);
    seen
}

#[test]
fn a_lean_pipe_does_what_a_pipe_does() {
    let seen = (0..600).map(run).reduce(|[a, b], [c, d]| [a + c, b + d]).expect("some");
    assert!(seen[0] > 15_000 && seen[1] > 1_000, "the runs showed little: {seen:?}");
}

/// Without the memory of other properties, few bytes are left. Half a million pipes are a usual
/// size.
#[test]
fn a_lean_pipe_is_small() {
    assert!(size_of::<LeanPipe<u64>>() <= 320, "{}", size_of::<LeanPipe<u64>>());
}
