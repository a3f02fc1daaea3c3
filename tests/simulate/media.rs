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
