//! Stations that move past access points, and satellites, in virtual time.

use std::fs;

use serde_json::Value;

use super::{Folder, ended, example, simulate, summary};

#[test]
fn a_station_loses_exactly_what_comes_for_it_while_it_is_handed_over() {
    let folder = Folder::new("handover");
    let results = folder.path("results");
    ended(&simulate(&example("handover"), &results, &["--without-commands"]));
    let flow = &summary(&results)["flows"][0];
    let [sent, received] = ["sent", "received"].map(|key| flow[key]["frames"].as_u64().unwrap());
    // One each 10 ms, in two outages of 50 ms.
    assert_eq!(sent - received, 10, "{flow}");
    let events = fs::read_to_string(results.join("events.jsonl")).unwrap();
    let events = events.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let changes: Vec<Value> = events.filter(|event| event["event"] == "handed_over").collect();
    // 10^(6/10) · ((100 − x)² + 10²) = x² + 10² at 67.37 m, at 10 m/s from 10 m on; scans are at
    // whole tenths of seconds.
    let times: Vec<_> = changes.iter().map(|change| change["since"].as_u64().unwrap()).collect();
    assert_eq!(times, [SCAN_AFTER_CROSSING, SCAN_AFTER_CROSSING + 10_000_000_000]);
    let until: Vec<_> = changes.iter().map(|change| change["time"].as_u64().unwrap()).collect();
    assert_eq!(until, times.iter().map(|since| since + 50_000_000).collect::<Vec<_>>());
}

/// The scan after the walker of `handover` has crossed from the first access point to the second.
const SCAN_AFTER_CROSSING: u64 = 5_800_000_000;

#[test]
fn satellites_carry_what_ground_stations_send() {
    let folder = Folder::new("satellites");
    let results = folder.path("results");
    let file = example("leo").with_file_name("simulated.yaml");
    ended(&simulate(&file, &results, &[]));
    let flow = &summary(&results)["flows"][0];
    // Ten minutes of a ping a second; while a ground station changes, its frames are lost.
    let (sent, received) = (&flow["sent"]["frames"], &flow["received"]["frames"]);
    let (sent, received) = (sent.as_u64().unwrap(), received.as_u64().unwrap());
    assert!(sent == 601 && (590..601).contains(&received), "{received} of {sent}");
    // No round trip is shorter than twice 16,600 km at the speed of light.
    assert!(flow["delay"]["min_ns"].as_u64().unwrap() > 110_700_000, "{flow}");
    let events = fs::read_to_string(results.join("events.jsonl")).unwrap();
    let changes = events.matches("\"rerouted\"").count();
    assert!((2..20).contains(&changes), "{events}");
}

/// Kuiper's first shell as in Hypatia (Kassing et al., IMC 2020), for the first seconds: with all
/// satellites in sight to choose from, and routes that follow, round trips from Manila to Dalian
/// are those of the shortest path: 25.4 ms at best, and 41.2 ms after a quarter of a minute.
#[test]
fn the_shortest_path_decides_among_all_satellites_in_sight() {
    let folder = Folder::new("kuiper");
    let file = folder.scenario(
        "name: kuiper
duration: 20s
simulation: { reroute: 1ms }
topology:
  defaults: { node: { ipv6: none } }
  nodes: {}
  constellations:
    kuiper:
      walker:
        { inclination: 51.9deg, planes: 34, satellites: 1156, phasing: 17, altitude: 630km }
      meridian: 99.9678deg
      link: { in_flight: deliver }
      ground:
        manila: { lat: 14.6042, lon: 120.9822, elevation: 25.2deg, choose: path }
        dalian: { lat: 38.9228, lon: 121.6298, elevation: 25.2deg, choose: path }
traffic:
  - { name: ping, from: manila, to: dalian, ping: { interval: 500ms } }
",
    );
    let results = folder.path("results");
    ended(&simulate(&file, &results, &[]));
    let flow = &summary(&results)["flows"][0];
    let (sent, received) = (&flow["sent"]["frames"], &flow["received"]["frames"]);
    assert!(received.as_u64().unwrap() + 1 >= sent.as_u64().unwrap(), "{flow}");
    let millis = |key: &str| flow["delay"][key].as_f64().unwrap() / 1e6;
    let (least, most) = (millis("min_ns"), millis("max_ns"));
    assert!((least - 25.4).abs() < 0.1 && (most - 41.2).abs() < 0.3, "{least} to {most} ms");
}
