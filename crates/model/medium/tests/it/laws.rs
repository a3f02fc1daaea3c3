//! Invariants of every medium, whatever stations do.

use std::collections::{BTreeMap, BTreeSet};

use netloom_link::FrameInfo;
use netloom_medium::arm::replay;
use netloom_medium::{
    AirEvent, AirLogHeader, AirLogReader, AirLogWriter, AirOccurrence, Medium, MediumChange,
    MediumConfig, Receiver, Setting, StationConfig, StationId,
};
use netloom_mobility::{Point, Trajectory};
use netloom_units::{Duration, Stream, Time};
use proptest::prelude::*;

use crate::support::{station, with};

/// MACs and rules to try.
const MEDIA: &[(&str, &str)] = &[
    ("802.11b", "{}"),
    ("802.11a", r#"{"mac":{"dcf":{"rate":"aarf","rts_threshold":"500B"}}}"#),
    ("802.11b", r#"{"reception":"collision","propagation":{"range":{"reach":"150m"}}}"#),
    ("802.11b", r#"{"fading":"rayleigh","mac":{"dcf":{"rate":"ideal","backoff":"eied"}}}"#),
    ("wavelan", "{}"),
    ("wavelan", r#"{"capture":{"when":"any"},"lock":"decodable"}"#),
    ("802.11b", r#"{"mac":"none"}"#),
    ("802.11b", r#"{"mac":{"aloha":{"tries":3}},"reception":"collision"}"#),
    ("802.11b", r#"{"mac":{"aloha":{"slotted":"2ms"}},"reception":"collision"}"#),
    ("802.11b", r#"{"mac":{"tdma":{"slot":"5ms","guard":"100us"}}}"#),
    ("802.11b", r#"{"mac":{"emac":{"rts":true,"collisions":"sender"}}}"#),
    ("802.11b", r#"{"mac":{"emac":{"ack":false}},"reception":"threshold"}"#),
    ("10base2", "{}"),
    ("hub", "{}"),
];

/// A medium and its inputs.
#[derive(Debug, Clone)]
struct Case {
    config: MediumConfig,
    seed: u64,
    places: Vec<(f64, f64)>,
    /// Waits in µs, senders, receivers and sizes.
    frames: Vec<(u64, u32, u32, u32)>,
    /// Whether radios are switched, stations are moved and properties are changed during the run.
    is_restless: bool,
    /// Whether the first station is the access point of all others.
    has_access_point: bool,
}

fn case() -> impl Strategy<Value = Case> {
    let place = (0.0..400.0f64, 0.0..400.0f64);
    let frame = (0..3000u64, 0..6u32, 0..8u32, 60..1514u32);
    (
        0..MEDIA.len(),
        any::<u64>(),
        prop::collection::vec(place, 2..6),
        prop::collection::vec(frame, 1..120),
        any::<bool>(),
        any::<bool>(),
    )
        .prop_map(|(medium, seed, places, frames, is_restless, has_access_point)| {
            let (preset, properties) = MEDIA[medium];
            let config = with(MediumConfig::preset(preset).unwrap(), properties);
            let has_access_point = has_access_point && !config.mac.is_on_a_cable();
            Case { config, seed, places, frames, is_restless, has_access_point }
        })
}

/// Outcome of a case.
#[derive(Debug, Default)]
struct Outcome {
    events: Vec<AirEvent>,
    delivered: u64,
    dropped: u64,
    refused: u64,
    /// Number of frames that were returned because they are no longer needed.
    spent: u64,
    offered: u64,
}

fn empty(case: &Case) -> Medium<u64> {
    let setting = Setting { seed: case.seed, name: "air".into(), ..Setting::default() };
    Medium::new(case.config.clone(), setting, Time::ZERO).unwrap()
}

fn medium(case: &Case) -> Medium<u64> {
    let mut medium = empty(case);
    medium.record(true);
    for (number, (x, y)) in (0..).zip(&case.places) {
        let access_point = case.has_access_point && number == 0;
        let name = format!("n{number}");
        let config = StationConfig { name, access_point, ..StationConfig::default() };
        let place = Trajectory::fixed(Point::flat(*x, *y));
        medium.add(Time::ZERO, station(number), config, place);
    }
    medium
}

/// Returns the trajectory of the station with the name in `config`.
fn moves(case: &Case, config: &StationConfig) -> Result<Trajectory, String> {
    let number: usize = config.name[1..].parse().map_err(|_| config.name.clone())?;
    let (x, y) = case.places[number];
    Ok(Trajectory::fixed(Point::flat(x, y)))
}

impl Outcome {
    fn collect(&mut self, medium: &mut Medium<u64>, now: Time) {
        let mut last = Time::ZERO;
        while let Some(reception) = medium.poll(now) {
            assert!(reception.release <= now && reception.release >= last);
            last = reception.release;
            self.delivered += 1;
        }
        while medium.poll_dropped().is_some() {
            self.dropped += 1;
        }
        while medium.poll_spent().is_some() {
            self.spent += 1;
        }
        self.events.extend(std::iter::from_fn(|| medium.poll_event()));
    }
}

/// Offers the frames of a case to a medium, all unicast if `is_unicast`, and polls it `polls` times
/// in between.
fn run(case: &Case, medium: &mut Medium<u64>, is_unicast: bool, polls: u64) -> Outcome {
    let mut outcome = Outcome::default();
    let mut now = Time::ZERO;
    let count = case.places.len() as u32;
    for (number, (wait, from, to, bytes)) in (0..).zip(&case.frames) {
        for _ in 0..polls {
            now += Duration::from_nanos(wait * 1000 / (polls + 1));
            outcome.collect(medium, now);
        }
        now += Duration::from_nanos(wait * 1000 - wait * 1000 / (polls + 1) * polls);
        let to = match to % 8 {
            6 if !is_unicast => Receiver::All,
            7 => Receiver::Nobody,
            to => Receiver::Station(station(to % count)),
        };
        let from = station(from % count);
        if case.is_restless && number % 10 == 9 {
            medium.change(now, &change(number, from)).unwrap();
        }
        outcome.offered += 1;
        if medium.offer(now, from, to, FrameInfo::single(*bytes), number).is_err() {
            outcome.refused += 1;
        }
        outcome.collect(medium, now);
    }
    now += Duration::from_secs(if polls > 0 { 2 } else { 0 });
    outcome.collect(medium, now);
    outcome
}

fn change(number: u64, of: StationId) -> MediumChange {
    let text = match number / 10 % 5 {
        3 => r#"{"medium":{"mac":"none"}}"#.into(),
        0 => format!(r#"{{"stations":[[{},{{"name":"n{}","off":true}}]]}}"#, of.0, of.0),
        1 => format!(r#"{{"movements":[[{},{{"go":[[300,0,0],"20m/s"]}}]]}}"#, of.0),
        2 => r#"{"medium":{"noise_figure":"9dB"}}"#.into(),
        _ => format!(r#"{{"movements":[[{},{{"place":[10,20,0]}}]]}}"#, of.0),
    };
    MediumChange::from_json(&text).unwrap()
}

fn bytes(events: &[AirEvent], start: Time) -> Vec<u8> {
    let mut bytes = Vec::new();
    let header = AirLogHeader { medium: "air".into(), seed: 7, start };
    let mut writer = AirLogWriter::new(&header, &mut bytes);
    events.iter().for_each(|event| writer.write(event, &mut bytes));
    bytes
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(if cfg!(debug_assertions) { 60 } else { 400 }))]

    #[test]
    fn every_unicast_frame_is_in_one_place(case in case()) {
        let mut medium = medium(&case);
        let outcome = run(&case, &mut medium, true, 1);
        let ids = (0..case.places.len() as u32).map(StationId);
        // A frame that has arrived may still be served if its acknowledgement was lost.
        let queued: u64 = ids.map(|id| medium.unsent(id)).sum();
        let there = outcome.delivered + outcome.dropped + outcome.refused + outcome.spent;
        prop_assert_eq!(there + queued + medium.on_the_air() as u64, outcome.offered);
        prop_assert_eq!(outcome.spent, 0);
    }

    #[test]
    fn broadcasts_come_to_all_who_received_them(case in case()) {
        // With an access point, stations drop the signals of other stations.
        prop_assume!(!case.has_access_point);
        let mut medium = medium(&case);
        let mut broadcasts = case;
        broadcasts.frames.iter_mut().for_each(|(_, _, to, _)| *to = 6);
        let outcome = run(&broadcasts, &mut medium, false, 1);
        let is_received = |event: &&AirEvent| {
            matches!(event.what, AirOccurrence::Heard { loss: None, .. })
        };
        let received = outcome.events.iter().filter(is_received).count();
        prop_assert_eq!(received as u64, outcome.delivered);
    }

    #[test]
    fn transmissions_end_once_at_each_hearer_and_nobody_sends_twice_at_once(case in case()) {
        let mut medium = medium(&case);
        let outcome = run(&case, &mut medium, false, 1);
        let mut ends = BTreeSet::new();
        let mut numbers: BTreeMap<StationId, u64> = BTreeMap::new();
        let mut busy: BTreeMap<StationId, Time> = BTreeMap::new();
        let is_cable = case.config.mac.name() == "csma_cd";
        for AirEvent { at, what } in &outcome.events {
            match what {
                AirOccurrence::Sent(sent) => {
                    let next = numbers.entry(sent.station).or_default();
                    prop_assert_eq!(*next, sent.number);
                    *next += 1;
                    let until = busy.insert(sent.station, *at + sent.airtime);
                    // A transmission that was cut off ends earlier than planned.
                    let cut = is_cable || case.is_restless;
                    prop_assert!(cut || until.is_none_or(|until| until <= *at));
                    prop_assert!(sent.slots <= sent.window);
                }
                AirOccurrence::Heard { sender, number, station, .. } => {
                    prop_assert!(ends.insert((*sender, *number, *station)));
                    prop_assert!(sender != station);
                }
                _ => {}
            }
        }
    }

    #[test]
    fn the_log_does_not_depend_on_who_polls_and_is_replayed_to_the_byte(case in case()) {
        let mut often = medium(&case);
        let mut seldom = medium(&case);
        let often = run(&case, &mut often, false, 3).events;
        let log = run(&case, &mut seldom, false, 0).events;
        prop_assert_eq!(&often[..log.len()], &log[..]);
        let bytes_written = bytes(&log, Time::ZERO);
        let reader = AirLogReader::new(&bytes_written).unwrap();
        let read: Vec<AirEvent> = reader.map(Result::unwrap).collect();
        prop_assert_eq!(&read, &log);
        let mut moves = |config: &StationConfig| moves(&case, config);
        let again = replay(&mut empty(&case), read.into_iter(), &mut moves).unwrap();
        prop_assert_eq!(bytes(&again, Time::ZERO), bytes_written);
    }

    #[test]
    fn a_log_that_begins_before_zero_has_times_before_zero(case in case(), early in 1u64..1 << 40) {
        let zero = Time::from_nanos(early);
        let log = run(&case, &mut medium(&case), false, 1).events.into_iter();
        let log: Vec<AirEvent> =
            log.map(|event| AirEvent { at: event.at.counted_from(zero), ..event }).collect();
        let start = Time::ZERO.counted_from(zero);
        let written = bytes(&log, start);
        let reader = AirLogReader::new(&written).unwrap();
        prop_assert_eq!(reader.header().start, start);
        prop_assert_eq!(reader.map(Result::unwrap).collect::<Vec<_>>(), log);
    }

    #[test]
    fn a_station_out_of_earshot_changes_nobodys_log(case in case()) {
        // A cable has no such place, and round robin gives every station a turn.
        prop_assume!(!matches!(case.config.mac.name(), "csma_cd" | "tdma"));
        let mut alone = medium(&case);
        let alone = run(&case, &mut alone, false, 1).events;
        let mut accompanied = medium(&case);
        let far = station(40);
        let config = StationConfig { name: "far".into(), ..StationConfig::default() };
        let place = Trajectory::fixed(Point::flat(1e7, 1e7));
        accompanied.add(Time::ZERO, far, config, place);
        let mut stream = Stream::new(case.seed, "far");
        for number in 0..20 {
            let info = FrameInfo::single(60 + stream.below(1000) as u32);
            let _ = accompanied.offer(Time::ZERO, far, Receiver::All, info, number);
        }
        let mut events = run(&case, &mut accompanied, false, 1).events;
        events.retain(|event| !is_of(event, far));
        prop_assert_eq!(events, alone);
    }

    #[test]
    fn anything_is_refused_or_read(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let mut log = b"NLAIRLOG\x02\x00\x00".to_vec();
        log.extend(bytes);
        for event in AirLogReader::new(&log).unwrap() {
            let _ = event;
        }
    }
}

fn is_of(event: &AirEvent, far: StationId) -> bool {
    match &event.what {
        AirOccurrence::Offered { station, .. }
        | AirOccurrence::Dropped { station, .. }
        | AirOccurrence::Joined { station, .. }
        | AirOccurrence::Left { station } => *station == far,
        AirOccurrence::Sent(sent) => sent.station == far,
        AirOccurrence::Heard { sender, .. } => *sender == far,
        AirOccurrence::Changed(_) => false,
    }
}
