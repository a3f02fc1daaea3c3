//! Distance, noise, movement, capture.

use netloom_link::FrameInfo;
use netloom_medium::{FrameLoss, Medium, MediumChange, MediumConfig, Phy, Receiver, StationId};
use netloom_mobility::{Point, Trajectory};
use netloom_units::{Duration, Time};

use crate::support::{IS_QUICK, config, medium, station, with};

/// Sends broadcasts from station 0 one after the other, and returns how many each station receives.
fn broadcasts(medium: &mut Medium<u64>, count: u64, bytes: u32) -> Vec<u64> {
    let mut received = vec![0; 10];
    let mut now = Time::ZERO;
    for number in 0..count {
        now += Duration::from_millis(15);
        medium.offer(now, station(0), Receiver::All, FrameInfo::single(bytes), number).unwrap();
        while let Some(reception) = medium.poll(now) {
            received[reception.station.index()] += 1;
        }
        while medium.poll_spent().is_some() || medium.poll_dropped().is_some() {}
    }
    now += Duration::from_secs(1);
    while let Some(reception) = medium.poll(now) {
        received[reception.station.index()] += 1;
    }
    received
}

fn busy(medium: &Medium<u64>, id: StationId) -> u64 {
    medium.counters(id).unwrap().busy
}

#[test]
fn wavelan_reaches_250_metres_and_is_sensed_at_550() {
    let config = MediumConfig::preset("wavelan").unwrap();
    let places = [(0.0, 0.0), (249.9, 0.0), (250.1, 0.0), (549.9, 0.0), (550.2, 0.0)];
    let mut medium = medium(config, &places, 1);
    let received = broadcasts(&mut medium, 10, 500);
    assert_eq!(received[1..5], [10, 0, 0, 0]);
    assert!(busy(&medium, station(3)) > 0);
    assert_eq!(busy(&medium, station(4)), 0);
}

/// The ratios of signal to noise at which one in ten frames of 1536 bytes is lost.
#[test]
fn one_in_ten_frames_is_lost_where_the_tables_say() {
    let count = if IS_QUICK { 500 } else { 3000 };
    for (phy, rate, decibels) in [
        (Phy::B, "11Mbit/s", 7.16),
        (Phy::B, "2Mbit/s", 1.63),
        (Phy::A, "54Mbit/s", 22.63),
        (Phy::A, "6Mbit/s", 3.97),
    ] {
        let config = MediumConfig::new(phy);
        let (noise, frequency) = (config.radio.noise_floor(), config.radio.frequency.hertz());
        let loss =
            20.0 * (4.0 * std::f64::consts::PI * 10.0 * frequency as f64 / 299_792_458.0).log10();
        let power = ((noise + decibels + loss) * 1e4).round() / 1e4;
        let mac = format!(r#"{{"dcf":{{"multicast_rate":"{rate}"}}}}"#);
        let properties = format!(r#"{{"power":"{power}dBm","sensitivity":"-110dBm","mac":{mac}}}"#);
        let mut medium = medium(with(config, &properties), &[(0.0, 0.0), (10.0, 0.0)], 5);
        let received = broadcasts(&mut medium, count, 1514)[1] as f64 / count as f64;
        // Tolerance: four standard errors, and 0.02 dB.
        let error = 4.0 * (0.09 / count as f64).sqrt() + 0.01;
        assert!((received - 0.9).abs() < error, "{phy} {rate}: {received}");
        let missed = medium.counters(station(1)).unwrap().missed;
        assert_eq!(missed.of(FrameLoss::Noise).frames, missed.total().frames);
    }
}

#[test]
fn a_station_that_leaves_hears_nothing_from_the_moment_of_the_crossing() {
    let mut medium = medium(config(Phy::B, "11Mbit/s", false), &[(0.0, 0.0), (0.0, 0.0)], 1);
    let mut away = Trajectory::fixed(Point::ZERO);
    away.go(Point::flat(1000.0, 0.0), 20.0);
    medium.follow(Time::ZERO, station(1), away);
    // 250 m at 20 m/s.
    let crossing = Time::from_nanos(12_500_000_000);
    let mut last = Time::ZERO;
    for number in 0..7_500 {
        let now = Time::from_nanos(number * 2_000_000 + 60_000);
        medium.offer(now, station(0), Receiver::All, FrameInfo::single(60), number).unwrap();
        while let Some(reception) = medium.poll(now) {
            last = reception.offered;
        }
    }
    assert!(last <= crossing && crossing.since(last) < Duration::from_millis(4), "{last}");
}

#[test]
fn movements_are_changes() {
    let mut medium = medium(config(Phy::B, "11Mbit/s", false), &[(0.0, 0.0), (100.0, 0.0)], 1);
    let heard = |medium: &mut Medium<u64>, at: u64| {
        let now = Time::from_nanos(at);
        medium.offer(now, station(0), Receiver::All, FrameInfo::single(60), at).unwrap();
        let later = now + Duration::from_millis(5);
        let heard = std::iter::from_fn(|| medium.poll(later)).count();
        while medium.poll_spent().is_some() {}
        heard
    };
    assert_eq!(heard(&mut medium, 1_000_000), 1);
    let change = |text: &str| MediumChange::from_json(text).unwrap();
    let away = change(r#"{"movements":[[1,{"place":[300.0,0.0,0.0]}]]}"#);
    medium.change(Time::from_nanos(10_000_000), &away).unwrap();
    assert_eq!(heard(&mut medium, 20_000_000), 0);
    let back = change(r#"{"movements":[[1,{"go":[[0.0,0.0,0.0],"100m/s"]}]]}"#);
    medium.change(Time::from_nanos(30_000_000), &back).unwrap();
    assert_eq!(heard(&mut medium, 40_000_000), 0);
    assert_eq!(heard(&mut medium, 600_000_000), 1);
    let off = change(r#"{"stations":[[1,{"name":"n1","off":true}]]}"#);
    medium.change(Time::from_nanos(700_000_000), &off).unwrap();
    assert_eq!(heard(&mut medium, 800_000_000), 0);
    let taken = medium.offer(
        Time::from_nanos(900_000_000),
        station(1),
        Receiver::All,
        FrameInfo::single(60),
        0,
    );
    assert_eq!(taken.unwrap_err().reason, FrameLoss::Down);
}

/// The spatial index finds the same hearers for a hundred stations as the full search for two.
#[test]
fn many_stations_are_heard_as_far_as_few() {
    let places: Vec<_> =
        (0..100).map(|n| (f64::from(n % 10) * 120.0, f64::from(n / 10) * 120.0)).collect();
    let mut all = medium(config(Phy::B, "11Mbit/s", false), &places, 1);
    let info = FrameInfo::single(60);
    all.offer(Time::from_nanos(60_000), station(44), Receiver::All, info, 0).unwrap();
    let mut heard: Vec<u32> = std::iter::from_fn(|| all.poll(Time::from_nanos(10_000_000)))
        .map(|reception| reception.station.0)
        .collect();
    heard.sort_unstable();
    let (x, y) = places[44];
    let near = |(a, b): (f64, f64)| (a - x).hypot(b - y) <= 250.0;
    let expected: Vec<u32> = (0..100).filter(|n| *n != 44 && near(places[*n as usize])).collect();
    assert_eq!(heard, expected);
}

#[test]
fn a_stronger_signal_takes_over_where_it_may() {
    // Station 1 is far from 2, and station 0 is near it. They do not sense each other.
    let places = [(0.0, 0.0), (300.0, 0.0), (60.0, 0.0)];
    let received = |when: &str| {
        let capture = format!(
            r#"{{"reception":"threshold","capture":{{"when":"{when}"}},"lock":"decodable",
                "cs_threshold":"-66dBm","mac":{{"dcf":{{"rate":"2Mbit/s"}}}}}}"#
        );
        let config = with(MediumConfig::preset("wavelan").unwrap(), &capture);
        let mut medium = medium(config, &places, 1);
        let info = FrameInfo::single(1000);
        let at = |micros: u64| Time::from_nanos(micros * 1000);
        medium.offer(at(100), station(1), Receiver::All, info, 1).unwrap();
        medium.offer(at(2000), station(0), Receiver::All, info, 0).unwrap();
        std::iter::from_fn(|| medium.poll(at(50_000)))
            .filter(|reception| reception.station == station(2))
            .map(|reception| reception.from.0)
            .collect::<Vec<_>>()
    };
    assert_eq!(received("any"), [0]);
    assert_eq!(received("none"), [] as [u32; 0]);
}

/// The matrix of NET: each ordered pair has a channel of its own.
#[test]
fn listed_pairs_have_delays_and_losses_of_their_own() {
    let pairs = r#"{"mac":{"none":{"rate":"11Mbit/s","pairs":[
        {"from":"n0","to":"n1","delay":"3ms"},
        {"from":"n0","to":"n2","loss":"25%"},
        {"from":"n0","to":"n3","ber":1e-5}]}}}"#;
    let config = with(config(Phy::B, "11Mbit/s", false), pairs);
    let mut medium = medium(config, &[(0.0, 0.0); 5], 1);
    let count = 4000;
    let received = broadcasts(&mut medium, count, 1000);
    assert_eq!((received[1], received[4]), (count, 0));
    // (1 − 10⁻⁵)^8000, with four standard errors.
    for (received, expected) in [(received[2], 0.75), (received[3], 0.9231)] {
        let share = received as f64 / count as f64;
        let error = 4.0 * (expected * (1.0 - expected) / count as f64).sqrt();
        assert!((share - expected).abs() < error, "{share}, expected {expected}");
    }
}

/// No pair is a list, too: nobody hears anybody. Without `pairs`, all in reach do.
#[test]
fn an_empty_list_of_pairs_joins_nobody() {
    let received = |mac: &str| {
        let config = with(config(Phy::B, "11Mbit/s", false), &format!(r#"{{"mac":{mac}}}"#));
        // A configuration that was written and read again means the same.
        let text = serde_json::to_string(&config).unwrap();
        assert_eq!(serde_json::from_str::<MediumConfig>(&text).unwrap(), config);
        assert_eq!(config.reach(None).is_some(), config.mac == with_all().mac, "{text}");
        let mut medium = medium(config, &[(0.0, 0.0); 3], 1);
        broadcasts(&mut medium, 10, 500)[..3].to_vec()
    };
    assert_eq!(received(r#"{"none":{"rate":"11Mbit/s","pairs":[]}}"#), [0, 0, 0]);
    assert_eq!(received(r#"{"none":{"rate":"11Mbit/s"}}"#), [0, 10, 10]);
}

fn with_all() -> MediumConfig {
    with(config(Phy::B, "11Mbit/s", false), r#"{"mac":{"none":{"rate":"11Mbit/s"}}}"#)
}

/// The largest distance at which a signal of the medium's power can be decoded.
#[test]
fn media_have_a_reach() {
    let reach = |config: &MediumConfig| config.reach(None);
    let wavelan = MediumConfig::preset("wavelan").unwrap();
    let two_ray = with(wavelan.clone(), r#"{"propagation":"two_ray_ground"}"#);
    assert!((reach(&two_ray).unwrap() - 250.0).abs() < 0.1, "{:?}", reach(&two_ray));
    let disk =
        with(wavelan.clone(), r#"{"propagation":{"range":{"reach":"120m","sense":"300m"}}}"#);
    assert!((reach(&disk).unwrap() - 120.0).abs() < 0.01);
    // 6 dB more double the distance in free space.
    let free = with(wavelan, r#"{"propagation":"free_space"}"#);
    let stronger = free.reach(Some("30.5206dBm".parse().unwrap())).unwrap();
    assert!((stronger / reach(&free).unwrap() - 2.0).abs() < 0.001);
    assert_eq!(
        reach(&MediumConfig::preset("802.11b").map(|radio| with(radio, CABLE)).unwrap()),
        None
    );
}

const CABLE: &str = r#"{"mac":{"csma_cd":{}}}"#;
