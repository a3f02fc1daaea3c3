//! Neighbours, hidden stations, and pairs that come and go.

use netloom_medium::{
    Medium, MediumChange, MediumConfig, MediumProperties, NeighbourChange, Setting, StationConfig,
    StationId, Trajectory,
};
use netloom_mobility::Point;
use netloom_units::{Duration, Time};

use crate::support::station;

fn config(text: &str) -> MediumConfig {
    let mut config = MediumConfig::preset("802.11b").unwrap();
    let properties: MediumProperties = serde_json::from_str(text).unwrap();
    properties.apply_to(&mut config);
    config
}

fn medium(config: MediumConfig, moves: Vec<Trajectory>) -> Medium<u64> {
    let mut medium = Medium::new(config, Setting::default(), Time::ZERO).unwrap();
    for (number, moves) in (0..).zip(moves) {
        let config = StationConfig { name: format!("n{number}"), ..StationConfig::default() };
        medium.add(Time::ZERO, station(number), config, moves);
    }
    medium
}

fn fixed(x: f64) -> Trajectory {
    Trajectory::fixed(Point::flat(x, 0.0))
}

fn second(second: f64) -> Time {
    Time::from_nanos((second * 1e9) as u64)
}

const DISK: &str = r#"{"propagation": {"range": {"reach": "250m"}}}"#;

#[test]
fn the_outer_two_of_three_are_hidden_from_each_other() {
    let mut medium = medium(config(DISK), [0.0, 200.0, 400.0].map(fixed).into());
    let of_a = medium.neighbours(Time::ZERO, station(0));
    assert_eq!(of_a.len(), 1);
    assert_eq!((of_a[0].station, of_a[0].distance), (station(1), 200.0));
    assert_eq!(of_a[0].hidden, [station(2)]);
    assert!(of_a[0].decodes && of_a[0].delivery == 1.0);
    let of_b = medium.neighbours(Time::ZERO, station(1));
    assert_eq!(of_b.iter().map(|view| view.station).collect::<Vec<_>>(), [station(0), station(2)]);
    assert!(of_b.iter().all(|view| view.hidden.is_empty()));
}

#[test]
fn delivery_follows_from_power_and_noise() {
    let text = r#"{"propagation": "two_ray_ground", "mac": {"dcf": {"rate": "11Mbit/s"}}}"#;
    let mut medium = medium(config(text), [0.0, 100.0, 600.0, 900.0].map(fixed).into());
    let views = medium.neighbours(Time::ZERO, station(0));
    assert!(views.iter().all(|view| view.rate.to_string() == "11Mbit/s"));
    let deliveries: Vec<f64> = views.iter().map(|view| view.delivery).collect();
    assert!(deliveries[0] > 0.999, "{views:?}");
    assert!(deliveries.is_sorted_by(|a, b| a >= b), "{deliveries:?}");
    assert!(views.iter().all(|view| (view.snr - view.power - 93.99).abs() < 0.6), "{views:?}");
}

fn changes(medium: &mut Medium<u64>, now: Time) -> Vec<NeighbourChange> {
    std::iter::from_fn(|| medium.poll_neighbour(now)).collect()
}

#[test]
fn pairs_come_and_go_at_exact_times() {
    let mut moving = fixed(0.0);
    moving.rest(Duration::from_secs(1));
    moving.go(Point::flat(1000.0, 0.0), 10.0);
    let mut medium = medium(config(DISK), vec![fixed(0.0), moving]);
    medium.watch_neighbours(Time::ZERO);
    let pair = (station(0), station(1));
    let at_first = NeighbourChange { at: Time::ZERO, pair, up: true };
    assert_eq!(changes(&mut medium, second(25.9)), [at_first]);
    let gone = changes(&mut medium, second(30.0));
    assert_eq!(gone.len(), 1);
    // The station reaches 250 m and passes them in the next nanosecond.
    let after = gone[0].at.since(second(26.0));
    assert!(!gone[0].up && after <= Duration::from_nanos(2), "{gone:?}");

    let back = r#"{"movements": [[1, {"place": [0, 0, 0]}]]}"#;
    medium.change(second(40.0), &MediumChange::from_json(back).unwrap()).unwrap();
    let off = r#"{"properties": [[0, {"on": false}]]}"#;
    medium.change(second(41.05), &MediumChange::from_json(off).unwrap()).unwrap();
    let seen: Vec<_> = changes(&mut medium, second(42.0)).iter().map(|it| (it.at, it.up)).collect();
    assert_eq!(seen, [(second(40.0), true), (second(41.05), false)]);
}

#[test]
fn it_does_not_matter_how_often_pairs_are_asked_for() {
    let moves = || {
        (0..4).map(|number| {
            let mut moves = fixed(100.0 * f64::from(number));
            moves.go(Point::flat(600.0 - 200.0 * f64::from(number), 40.0), 20.0);
            moves
        })
    };
    let mut often = medium(config(DISK), moves().collect());
    let mut seldom = medium(config(DISK), moves().collect());
    often.watch_neighbours(Time::ZERO);
    seldom.watch_neighbours(Time::ZERO);
    let times = (1..1000).map(|tick| Time::from_nanos(tick * 37_000_000));
    let mut seen: Vec<_> = times.flat_map(|now| changes(&mut often, now)).collect();
    seen.extend(changes(&mut often, second(37.0)));
    assert_eq!(seen, changes(&mut seldom, second(37.0)));
    assert!(seen.len() > 4);
}

#[test]
fn losses_of_pairs_hold_one_way_until_they_are_set_anew() {
    let mut medium =
        medium(config(r#"{"propagation": "free_space"}"#), vec![fixed(0.0), fixed(50.0)]);
    let reaches = |medium: &mut Medium<u64>, from: u32| {
        let views = medium.neighbours(second(1.0), StationId(from));
        views.first().map(|view| view.power)
    };
    let before = reaches(&mut medium, 0).unwrap();
    let set = |loss: f64| format!(r#"{{"losses": [[0, 1, {loss}]]}}"#);
    medium.change(second(1.0), &MediumChange::from_json(&set(90.0)).unwrap()).unwrap();
    assert_eq!(reaches(&mut medium, 0), Some(16.0 - 90.0));
    assert_eq!(reaches(&mut medium, 1), Some(before));
    // The pairs persist when the medium is reconfigured.
    let noise = r#"{"medium": {"noise_figure": "8dB"}}"#;
    medium.change(second(1.0), &MediumChange::from_json(noise).unwrap()).unwrap();
    assert_eq!(reaches(&mut medium, 0), Some(16.0 - 90.0));
    medium.change(second(1.0), &MediumChange::from_json(&set(200.0)).unwrap()).unwrap();
    assert_eq!(reaches(&mut medium, 0), None);
}

#[test]
fn a_cable_refuses_losses_of_pairs() {
    let config = MediumConfig::preset("10base2").unwrap();
    let mut medium = medium(config, vec![fixed(0.0), fixed(50.0)]);
    let change = MediumChange::from_json(r#"{"losses": [[0, 1, 3]]}"#).unwrap();
    let error = medium.change(second(1.0), &change).unwrap_err();
    assert!(error.to_string().contains("cable"), "{error}");
}
