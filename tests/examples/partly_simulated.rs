//! Examples of networks that are simulated in part.

use std::fs;
use std::process::{self, Command};

use super::common::NETLOOM;
use super::{Results, folder, round_trips, run, run_in, shows};

#[test]
fn hybrid() {
    shows(
        || run("hybrid"),
        |results| {
            let summary = results.summary();
            assert_eq!(summary["mode"], "hybrid");
            // Four hops away, over 17 ms of delays each way.
            let ping = results.read("ping@client.stdout");
            assert!(ping.contains("ttl=61"), "{ping}");
            let times = round_trips(&ping);
            assert!(!times.is_empty() && times.iter().all(|time| *time >= 34.0), "{ping}");
            // Real and simulated connections have shared the narrow link, which is one pipe for
            // both.
            let flows = summary["flows"].as_array().unwrap();
            let flows: Vec<_> = flows
                .iter()
                .filter(|flow| flow["name"].as_str().unwrap().starts_with("crowd"))
                .collect();
            assert_eq!(flows.len(), 3, "{flows:?}");
            // A simulated server has served a real client.
            assert!(results.read("page@client.stdout").starts_with("1000000 bytes in "));
            let links = summary["links"].as_array().unwrap();
            let narrow = links.iter().find(|link| link["name"] == "narrow").unwrap();
            let delivered = narrow["forward"]["statistics"]["delivered"]["bytes"].as_u64().unwrap();
            let simulated: u64 =
                flows.iter().map(|flow| flow["received"]["bytes"].as_u64().unwrap()).sum();
            assert!(
                simulated > 100_000 && delivered > simulated + 1_000_000,
                "{delivered} {flows:?}"
            );
        },
    );
}

#[test]
fn parking_lot() {
    shows(
        || run("parking-lot"),
        |results| {
            let summary = results.summary();
            assert_eq!(summary["mode"], "symbiosis");
            // The way goes over all five routers, and each takes a hop; links take 100 ms there and
            // back.
            let way = results.read("way@h1.stdout");
            assert_eq!(way.lines().filter(|line| line.contains(" ms")).count(), 6, "{way}");
            let ping = results.read("ping@h1.stdout");
            assert!(ping.contains("ttl=59"), "{ping}");
            let times = round_trips(&ping);
            assert!(!times.is_empty() && times.iter().all(|time| *time >= 100.0), "{ping}");
            // What the simulated hosts had to send has come, beside what iperf3 sends; of the last
            // ones, which begin 10 s before the end, how much depends on what iperf3 has left them.
            let flows = summary["flows"].as_array().unwrap();
            let received = flows.iter().map(|flow| flow["received"]["bytes"].as_u64().unwrap());
            let received: Vec<_> = received.collect();
            assert_eq!(received[..3], [2_500_000, 10_000_000, 10_000_000]);
            assert!((1_000_000..=5_000_000).contains(&received[3]), "{received:?}");
            // Real frames and their twins have crossed each bottleneck, and some were lost.
            let symbiosis = &summary["simulation"]["symbiosis"];
            assert!(symbiosis["periods"].as_u64().unwrap() > 100, "{symbiosis}");
            let pipes = symbiosis["pipes"].as_array().unwrap();
            for name in ["first", "second", "third", "fourth"] {
                let name = format!("{name}/forward");
                let pipe = pipes.iter().find(|pipe| pipe["pipe"] == name.as_str()).unwrap();
                assert!(pipe["twins"][0].as_u64().unwrap() > 1000, "{pipe}");
                assert!(pipe["real"][2].as_u64().unwrap() > 1000, "{pipe}");
            }
            let lost: u64 = pipes.iter().map(|pipe| pipe["real"][1].as_u64().unwrap()).sum();
            assert!(lost > 10, "{pipes:?}");
        },
    );
}

/// Less than half of it: others come after 8 s instead of 20.
#[test]
fn multipath() {
    let short = Results(std::env::temp_dir().join(format!("netloom-multipath-{}", process::id())));
    fs::create_dir(&short.0).unwrap();
    let text = fs::read_to_string(folder("multipath").join("netloom.yaml")).unwrap();
    let changes = [
        ("duration: 60s", "duration: 28s"),
        ("--seconds 58", "--seconds 16"),
        ("start: 20s, for: 39s", "start: 8s, for: 9s"),
    ];
    let text = changes.iter().fold(text, |text, (long, short)| {
        assert!(text.contains(long), "{long}");
        text.replace(long, short)
    });
    fs::write(short.0.join("netloom.yaml"), text).unwrap();
    fs::copy(folder("multipath").join("multipath.py"), short.0.join("multipath.py")).unwrap();
    shows(
        || run_in(&short.0, "multipath", Command::new(NETLOOM)),
        |results| {
            let sender: serde_json::Value =
                serde_json::from_str(&results.read("sender@sender.stdout")).unwrap();
            let used = sender["used"].as_array().unwrap();
            // It begins with the two shortest paths, and takes the third one once others are on
            // these.
            assert_eq!(used[0][1], serde_json::json!(["receiver1", "receiver2"]));
            let has_third = |one: &serde_json::Value| one[1].to_string().contains("receiver3");
            assert!(used.iter().skip(4).any(has_third), "{sender}");
            assert!(sender["switches"].as_u64().unwrap() >= 1, "{sender}");
            for receiver in 1..=3 {
                let lines = results.read(&format!("sink{receiver}@receiver{receiver}.stdout"));
                let bytes: u64 = lines
                    .lines()
                    .map(|line| line.split(' ').nth(1).unwrap().parse::<u64>().unwrap())
                    .sum();
                assert!(bytes > 100_000, "receiver{receiver}: {lines}");
            }
            // Ten links, each with a pipe both ways.
            let pipes =
                results.summary()["simulation"]["symbiosis"]["pipes"].as_array().unwrap().len();
            assert_eq!(pipes, 20);
        },
    );
}
