use netloom_fabric::LinkId;
use netloom_link::{Direction, FrameInfo, Passage};

use super::tally::Origin;
use super::*;
use crate::{Clock, Scheduling};

const LIMITS: Limits = Limits {
    tolerance: Duration::from_millis(1),
    needed: Duration::from_millis(1),
    pause: Duration::from_secs(1000),
};
const PIPE: PipeId = PipeId { link: LinkId(3), direction: Direction::Reverse };

/// Passage of a frame that was read immediately.
const PROMPT: Passage = Passage {
    number: 0,
    offered: Time::ZERO,
    started: Time::ZERO,
    serialized: Time::ZERO,
    marked: false,
    shift: Duration::ZERO,
};

const OTHER: PipeId = PipeId { link: LinkId(3), direction: Direction::Forward };

fn ends() -> (Watch, WatchWriter) {
    let clock = Clock::since(std::time::Instant::now());
    let pulse = Pulse::start(clock, Scheduling::Normal, LIMITS.pause).unwrap();
    let (end, writer) = super::ends(LIMITS, vec![Some(OTHER), Some(PIPE)]);
    (Watch::new(LIMITS, vec![end], pulse, Time::ZERO), writer)
}

fn ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

fn seen(watch: &mut Watch, now: Time, last: bool) -> (Vec<AnomalyKind>, Common) {
    let mut seen = Vec::new();
    let common = watch.look(now, last, |anomaly| seen.push(anomaly.what));
    (seen, common)
}

#[test]
fn late_frames_are_reported_one_by_one_and_punctual_ones_counted() {
    let (mut watch, mut writer) = ends();
    let two = FrameInfo::coalesced(2, 1000, 500);
    writer.left(
        (1, PIPE),
        ms(7),
        (Duration::from_micros(30), PROMPT.shift),
        Origin::Line(&PROMPT),
        &FrameInfo::single(60),
    );
    writer.left((1, PIPE), ms(7), (LIMITS.tolerance, PROMPT.shift), Origin::Line(&PROMPT), &two);
    let by = LIMITS.tolerance + Duration::from_nanos(1);
    writer.left((1, PIPE), ms(7), (by, PROMPT.shift), Origin::Line(&PROMPT), &two);
    let (rare, common) = seen(&mut watch, ms(10), false);
    assert_eq!(rare, [AnomalyKind::Late { pipe: PIPE, by, frames: 2, by_tunnel: false }]);
    let over = Duration::from_millis(10);
    assert_eq!(common.traffic, [Traffic { until: ms(10), over, bytes: 60 + 1500 + 1500 }]);
    let frames: Vec<u64> = common.punctual.iter().map(|(_, frames)| *frames).collect();
    assert_eq!(frames, [1, 2]);
    assert_eq!(common.punctual[1].0, LIMITS.tolerance);
    assert_eq!(seen(&mut watch, ms(20), false), (vec![], Common::default()));
}

#[test]
fn traffic_is_reported_by_slots_and_none_is_missing() {
    let (mut watch, mut writer) = ends();
    let mut left = |at, bytes| {
        writer.left(
            (0, PIPE),
            at,
            (Duration::ZERO, PROMPT.shift),
            Origin::Line(&PROMPT),
            &FrameInfo::single(bytes),
        );
    };
    let read = |common: Common| -> Vec<(Time, u64, u64)> {
        let traffic = common.traffic.into_iter();
        traffic.map(|t| (t.until, t.over.as_nanos() / 1_000_000, t.bytes)).collect()
    };
    left(ms(9), 100);
    left(ms(10), 200);
    left(ms(35), 300);
    left(ms(41), 400);
    assert_eq!(
        read(seen(&mut watch, ms(45), false).1),
        [(ms(10), 10, 100), (ms(20), 10, 200), (ms(40), 10, 300)]
    );
    left(ms(49), 60);
    assert_eq!(read(seen(&mut watch, ms(60), false).1), [(ms(50), 10, 460)]);
    // Nobody looked for longer than all slots: the exact time is unknown.
    left(ms(70), 100);
    left(ms(600), 100);
    assert_eq!(read(seen(&mut watch, ms(605), false).1), [(ms(605), 545, 200)]);
    left(ms(607), 70);
    left(ms(611), 80);
    assert_eq!(read(seen(&mut watch, ms(615), true).1), [(ms(610), 10, 70), (ms(615), 5, 80)]);
}

#[test]
fn losses_and_pauses_are_reported_and_short_pauses_are_not() {
    let (mut watch, mut writer) = ends();
    writer.lost(PIPE, Time::ZERO, Loss::NoMemory, 9);
    writer.unattended(Time::ZERO, LIMITS.pause);
    let lasted = LIMITS.pause + Duration::from_nanos(1);
    writer.unattended(Time::ZERO, lasted);
    let lost = AnomalyKind::Lost { pipe: PIPE, loss: Loss::NoMemory, frames: 9 };
    assert_eq!(seen(&mut watch, ms(1), false).0, [lost, AnomalyKind::Pause { lasted }]);
}

#[test]
fn anomalies_without_room_in_the_ring_are_counted() {
    let (mut watch, mut writer) = ends();
    for _ in 0..BACKLOG {
        writer.lost(PIPE, Time::ZERO, Loss::Rejected, 1);
    }
    let (late, paused) = (Duration::from_millis(5), Duration::from_secs(2000));
    writer.lost(PIPE, Time::ZERO, Loss::NoMemory, 3);
    writer.left(
        (1, PIPE),
        Time::ZERO,
        (late, PROMPT.shift),
        Origin::Line(&PROMPT),
        &FrameInfo::coalesced(4, 100, 100),
    );
    writer.unattended(Time::ZERO, paused);
    let (rare, common) = seen(&mut watch, ms(1), false);
    assert_eq!((rare.len(), rare[BACKLOG]), (BACKLOG + 1, AnomalyKind::Pause { lasted: paused }));
    assert_eq!(common.lost, [(Loss::NoMemory, 3)]);
    let [(at_least, 4)] = common.late[..] else { panic!("{:?}", common.late) };
    assert!(at_least <= late && at_least.as_nanos() * 5 >= late.as_nanos() * 4, "{at_least}");
    assert_eq!(seen(&mut watch, ms(2), false), (vec![], Common::default()));
}

#[test]
fn work_is_reported_by_pipe() {
    let (mut watch, mut writer) = ends();
    writer.begin();
    writer.handled(0);
    writer.handled(1);
    writer.handled(1);
    writer.passed(0, &FrameInfo::single(60));
    writer.left(
        (1, PIPE),
        ms(1),
        (Duration::ZERO, PROMPT.shift),
        Origin::Line(&PROMPT),
        &FrameInfo::single(100),
    );
    let work: Vec<Work> = watch.work().collect();
    let pipe = |pipe, frames, bytes| PipeWork { pipe, frames, bytes };
    assert_eq!(work[0].pipes, [pipe(OTHER, 1, 60), pipe(PIPE, 2, 100)]);
    assert!(work[0].cpu_time > Duration::ZERO);
    writer.handled(0);
    let work: Vec<Work> = watch.work().collect();
    assert_eq!(work[0].pipes, [pipe(OTHER, 1, 0)]);
}

/// Of a pipe between two machines, the one where it begins counts the line, and the other one the
/// lateness.
#[test]
fn each_machine_counts_its_part_of_a_pipe_between_them() {
    let at = |micros| Time::ZERO + Duration::from_micros(micros);
    let passage = |shift| Passage {
        number: 0,
        offered: at(0),
        started: at(10),
        serialized: at(30),
        marked: false,
        shift: Duration::from_micros(shift),
    };
    let (two, late, early) =
        (FrameInfo::coalesced(2, 100, 100), ms(3).since(ms(0)), ms(1).since(ms(0)));
    let all = |counts: &FrameCounts| counts.by.iter().map(|(_, frames)| frames).sum::<u64>();
    let parts = |watch: &mut Watch| {
        let seen: Vec<PipeLateness> = watch.lateness().collect();
        let [PipeLateness { late, at_most, busy, lost, .. }] = &seen[..] else {
            panic!("{seen:?}")
        };
        (all(late), all(at_most), *busy, *lost)
    };
    let (mut watch, mut writer) = ends();
    writer.sent(1, &passage(0), &two);
    writer.sent(1, &passage(4), &two);
    let line = (0, 0, Duration::from_micros(40), Duration::from_micros(4));
    assert_eq!(parts(&mut watch), line);
    let (mut watch, mut writer) = ends();
    writer.came((1, PIPE), ms(5), (late, early), true, 2);
    writer.left((1, PIPE), ms(5), (late, early), Origin::Tunnel { in_time: true }, &two);
    assert_eq!(parts(&mut watch), (4, 4, Duration::ZERO, Duration::ZERO));
    assert_eq!(watch.lateness().count(), 0);
}
