//! Calibration: the settings of a small pipe that follow from reports. Tests of means, missing
//! data, losses, and backlogs.

use netloom_link::{EarlyLoss, FrameInfo, Pipe, Stream};
use netloom_symbiosis::{Calibration, Calibrator, LossMethod, PipeReport, formula};
use netloom_units::{Duration, Probability, Time};

const SECOND: Duration = Duration::from_secs(1);

fn ms(millis: u64) -> Duration {
    Duration::from_millis(millis)
}

fn calibrator() -> Calibrator {
    Calibrator::new(SECOND, ms(30), LossMethod::Positions)
}

/// Returns the report of a link that served `served` frames of twins, each in the time `each`, and
/// lost the frames `lost`.
fn link(served: u32, each: Duration, lost: &[u32]) -> PipeReport {
    PipeReport {
        offered: served + lost.len() as u32,
        lost: lost.to_vec(),
        left: served,
        served,
        time: Duration::from_nanos(each.as_nanos() * u64::from(served)),
        transmission: ms(10),
        ..PipeReport::default()
    }
}

/// Computed by hand: 50 frames/s that take 15 ms, 10 on the first link and 5 on the second, are
/// those of a line of 100 frames/s.
#[test]
fn times_of_a_chain_add_up() {
    let chain = [link(50, ms(10), &[]), link(50, ms(5), &[])];
    let calibration = calibrator().calibrate(&chain, ms(7));
    assert!((calibration.rate - 100.0).abs() < 1e-9, "{}", calibration.rate);
    let Calibration { departures, loss, backlog, delay, ref losses, .. } = calibration;
    assert_eq!((departures, loss, backlog, delay), (50.0, 0.0, ms(7), ms(30)));
    assert_eq!(*losses, EarlyLoss::NONE);
}

/// The departures of a chain are those of its last link, whatever entered.
#[test]
fn departures_are_those_of_the_last_link() {
    let last = PipeReport { left: 20, ..link(45, ms(5), &[]) };
    assert_eq!(calibrator().calibrate(&[link(50, ms(5), &[]), last], ms(0)).departures, 20.0);
}

#[test]
fn without_enough_frames_the_time_is_what_one_would_have_taken() {
    let few = PipeReport { mean_unfinished: ms(6), ..link(4, ms(500), &[]) };
    let calibration = calibrator().calibrate(&[few.clone(), link(5, ms(4), &[])], ms(0));
    assert!((calibration.time - 0.020).abs() < 1e-12, "6 + 10 and 4 ms: {}", calibration.time);
    let none = PipeReport { mean_unfinished: ms(6), ..link(0, ms(0), &[]) };
    let calibration = calibrator().calibrate(&[none], ms(0));
    assert_eq!(calibration.departures, 0.0);
    assert!((calibration.rate - 1.0 / 0.016).abs() < 1e-9, "one over the time");
}

#[test]
fn without_enough_frames_losses_are_those_of_five_seconds() {
    let mut calibrator = calibrator();
    let mut next = |report: PipeReport| {
        let calibration = calibrator.calibrate(&[report], ms(0));
        (calibration.loss, calibration.losses)
    };
    let numbers = vec![0, 1, 2, 3, 4, 5, 6, 7, 8, 9];
    let enough = next(link(30, ms(1), &numbers));
    assert_eq!(enough, (0.25, EarlyLoss::Positions(numbers)));
    let quarter = EarlyLoss::Systematic(Probability::new(0.25).unwrap());
    for _ in 0..4 {
        assert_eq!(next(link(0, ms(0), &[])), (0.25, quarter.clone()));
    }
    assert_eq!(next(link(0, ms(0), &[])), (0.0, EarlyLoss::NONE), "that is long ago");
    // One of 4 frames is lost, then none of 2.
    assert_eq!(next(link(3, ms(1), &[2])).0, 0.25);
    let sixth = next(link(2, ms(1), &[])).0;
    assert!((sixth - 1.0 / 6.0).abs() < 1e-15, "{sixth}");
}

/// A burst after a minute of silence finds the idle network's line, and loses nothing.
#[test]
fn silence_leaves_the_idle_network() {
    let mut calibrator = calibrator();
    calibrator.calibrate(&[link(30, ms(900), &[0, 1, 2])], ms(500));
    let silent = [link(0, ms(0), &[])];
    let last = (0..60).map(|_| calibrator.calibrate(&silent, ms(0))).last().unwrap();
    assert_eq!(last, calibrator.idle(ms(10)));
}

#[test]
fn a_link_that_is_down_loses_all() {
    let down = PipeReport { is_down: true, ..link(20, ms(1), &[]) };
    let calibration = calibrator().calibrate(&[link(20, ms(1), &[]), down], ms(0));
    assert_eq!(calibration.loss, 1.0);
    assert_eq!(calibration.losses, EarlyLoss::Systematic(Probability::new(1.0).unwrap()));
}

#[test]
fn losses_of_links_multiply() {
    let chain = [link(75, ms(1), &Vec::from_iter(0..25)), link(60, ms(1), &Vec::from_iter(0..15))];
    let calibration = calibrator().calibrate(&chain, ms(0));
    assert_eq!(calibration.loss, formula::path_loss([0.25, 0.2]));
}

/// Three of four frames are lost: the numbers become a pattern, which applies to any number of
/// frames.
#[test]
fn where_most_are_lost_the_numbers_go_on() {
    let calibration = calibrator().calibrate(&[link(2, ms(1), &[0, 1, 2, 4, 5, 6])], ms(0));
    assert_eq!(calibration.losses, EarlyLoss::Pattern("11101110".parse().unwrap()));
}

#[test]
fn shares_can_be_lost_otherwise() {
    let report = [link(15, ms(1), &[0, 1, 2, 3, 4])];
    let quarter = Probability::new(0.25).unwrap();
    for (method, expected) in [
        (LossMethod::Bernoulli, EarlyLoss::Bernoulli(quarter)),
        (LossMethod::Systematic, EarlyLoss::Systematic(quarter)),
    ] {
        let mut calibrator = Calibrator::new(SECOND, ms(0), method);
        assert_eq!(calibrator.calibrate(&report, ms(0)).losses, expected);
    }
}

/// Returns a small pipe with `frames` frames, on a line of 100 frames/s.
fn small(frames: u64) -> Pipe<u64> {
    let config = calibrator().idle(ms(10)).config();
    let mut pipe = Pipe::new(config, Stream::new(1, "small"), Time::ZERO);
    for number in 0..frames {
        let bytes = 60 + 700 * (number % 3) as u32;
        pipe.offer(Time::ZERO, FrameInfo::single(bytes), number).unwrap();
    }
    pipe
}

/// Returns the calibration for 50 frames/s that take 15 ms: a line of 100 frames/s.
fn steady(backlog: Duration) -> Calibration {
    calibrator().calibrate(&[link(50, ms(15), &[])], backlog)
}

/// Returns the time at which the next frame arrives, in ms.
fn next(pipe: &mut Pipe<u64>) -> u64 {
    loop {
        let due = pipe.next_deadline().unwrap();
        if let Some(delivery) = pipe.poll(due) {
            return delivery.release.as_nanos() / 1_000_000;
        }
    }
}

#[test]
fn a_backlog_that_is_too_small_holds_the_line_once() {
    let mut pipe = small(3);
    let setting = steady(ms(50)).apply(&mut pipe, Time::ZERO);
    assert_eq!((setting.backlog, setting.hold), (ms(30), ms(20)));
    assert_eq!(pipe.unfinished(Time::ZERO), ms(50));
    assert_eq!(
        [0; 3].map(|_| next(&mut pipe)),
        [40, 70, 80],
        "30 ms of delay, 20 behind the first"
    );
}

/// Computed by hand: 200 ms instead of 50 ms are 15 frames, so 15 more per second are needed.
#[test]
fn a_backlog_that_is_too_large_drains_in_a_period() {
    let mut pipe = small(20);
    let setting = steady(ms(50)).apply(&mut pipe, Time::ZERO);
    assert_eq!((setting.backlog, setting.hold), (ms(200), Duration::ZERO));
    assert!((setting.rate - 115.0).abs() < 1e-9, "{}", setting.rate);
    let last = [0; 20].map(|_| next(&mut pipe))[19];
    assert_eq!(last, 30 + 10 + 19 * 1000 / 115, "the first was on the line");
}

#[test]
fn a_small_pipe_has_room_for_any_backlog() {
    let mut pipe = small(10_000);
    assert_eq!(pipe.unfinished(Time::ZERO), Duration::from_secs(100));
}

#[test]
fn a_network_without_lines_takes_no_time() {
    let free = PipeReport { transmission: Duration::ZERO, ..link(50, ms(0), &[]) };
    let calibration = calibrator().calibrate(&[free], ms(0));
    let mut pipe = small(0);
    assert_eq!(calibration.apply(&mut pipe, Time::ZERO).rate, f64::INFINITY);
    pipe.offer(Time::ZERO, FrameInfo::single(60), 0).unwrap();
    assert_eq!(next(&mut pipe), 30);
}
