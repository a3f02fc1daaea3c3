//! A simulated run that is watched: it is found like an experiment, shows the same, refuses what
//! changes something, and has the results that it has alone.

use std::fs;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use netloom_api::live::{self, PipeRow, state};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;
use serde_json::{Value, json};

use crate::common::eventually;
use crate::page::{Page, hear, say};

/// Two nodes that send to each other until the end, and a link that is cut for a while.
const SIMULATED: &str = "topology:
  nodes: { a: , b: }
  links: [ { endpoints: [\"a:eth1\", \"b:eth1\"], rate: 10Mbit/s, delay: 5ms } ]
traffic:
  - { name: x, from: a, to: b, udp: {}, cbr: { rate: 4Mbit/s } }
timeline:
  - { at: 20ms, link: a--b, set: { delay: 6ms } }
measure: { interval: 10ms }
";

/// A simulation, which ends with the test.
struct Run(Child);

impl Drop for Run {
    fn drop(&mut self) {
        // It may have ended.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

impl Run {
    fn signal(&self, signal: Signal) {
        kill(Pid::from_raw(i32::try_from(self.0.id()).unwrap()), signal).unwrap();
    }
}

/// Starts a simulation whose results are in `folder`.
fn simulate(page: &Page, folder: &str) -> Run {
    let words = ["run", "--simulate", "--ui", "--format", "json", "--output", folder];
    let mut command = page.lab.command(&words);
    command.env("NETLOOM_STATE_DIR", &page.state).stdout(Stdio::null()).stderr(Stdio::null());
    Run(command.spawn().unwrap())
}

fn of_simulation(page: &Page) -> Option<Value> {
    let listed = page.get("/api/experiments").json();
    listed.as_array().unwrap().iter().find(|one| one["simulated"] == true).cloned()
}

#[test]
fn a_simulation_is_watched_like_an_experiment_and_changed_by_nobody() {
    let page = Page::new(&format!("{SIMULATED}duration: 1000000s\n"), &[]);
    let mut run = simulate(&page, "watched");
    let name = format!("{}-sim", page.lab.name);
    eventually("it is found", || of_simulation(&page).is_some());
    let found = of_simulation(&page).unwrap();
    assert_eq!((&found["name"], &found["alive"]), (&json!(name), &json!(true)), "{found}");
    let api = format!("/api/experiments/{name}/v1");
    let get = |path: &str| page.get(&format!("{api}/{path}")).json();
    let status = get("experiment");
    assert_eq!((&status["links"], &status["phase"]), (&json!(1), &json!("running")), "{status}");
    assert_eq!(get("nodes")[0]["interfaces"][0]["peer"]["node"], "b");
    assert_eq!(get("scenario")["scenario"]["name"], page.lab.name.as_str());
    assert_eq!(get("verdict")["judgement"], "valid");
    assert_eq!((get("processes"), get("media")), (json!([]), json!([])));
    eventually("links are as they are now", || {
        let link = &get("links")[0]["forward"];
        link["config"]["delay"] == "6ms" && link["statistics"]["delivered"]["frames"] != 0
    });
    assert_eq!(get("flows")[0]["from"], "a");

    let origin = page.origin();
    let path = format!("{api}/live");
    let ticketed = format!("{path}?ticket={}", page.ticket(&path));
    let mut socket = page.websocket(&ticketed, &[&origin]).unwrap();
    say(&mut socket, "{\"interval_ms\": 100, \"links\": \"all\"}");
    assert_eq!(hear(&mut socket).0, 1, "the network");
    let mut time = 0.0;
    let is_seen = (0..600).any(|_| {
        let (2, frame) = hear(&mut socket) else { return false };
        let (header, rows) = live::read::<PipeRow>(&frame).unwrap();
        assert!(header.time >= time && header.revision == 0, "{header:?}");
        time = header.time;
        let known = state::SIMULATED;
        // Each interval is whole samples, so a rate is known to a frame of the shortest.
        rows.iter().any(|row| row.state == known && (3.5e6..4.5e6).contains(&row.offered))
    });
    assert!(is_seen, "what is sent is seen");

    for (method, of) in [("PATCH", "links"), ("POST", "apply"), ("PATCH", "positions")] {
        let refused = page.own(method, &format!("{api}/{of}"), &json!({}));
        assert_eq!(refused.status, 409, "{refused:?}");
        let said = refused.json();
        assert!(said["error"].as_str().unwrap().contains("its timeline only"), "{said}");
    }
    let capture = page.get(&format!("{api}/capture"));
    assert_eq!((capture.status, capture.body.contains("deploy")), (409, true), "{capture:?}");
    assert_eq!(page.get(&format!("{api}/none")).status, 404);

    // It ends in order, and events end with it.
    page.own("POST", &format!("{api}/shutdown"), &json!({}));
    let events = page.get(&format!("{api}/events"));
    assert!(run.0.wait().is_ok());
    if events.status == 200 {
        assert!(events.body.contains("\"event\":\"timeline\""), "{events:?}");
    }
    let summary = fs::read_to_string(page.lab.path("watched/summary.json")).unwrap();
    assert!(summary.contains("\"interrupted\""), "{summary}");
    assert!(of_simulation(&page).is_none());
}

/// The bytes of all files of results that say nothing of real time.
fn bytes(folder: &Path) -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<(String, Vec<u8>)> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| (path.file_name().unwrap().to_str().unwrap().into(), fs::read(&path).unwrap()))
        .filter(|(name, _): &(String, _)| !matches!(&**name, "summary.json" | "report.html"))
        .collect();
    files.sort();
    files
}

#[test]
fn a_watched_simulation_has_the_results_of_one_that_is_not() {
    let page = Page::new(&format!("{SIMULATED}duration: 60s\n"), &[]);
    let alone = page.lab.command(&["run", "--simulate", "--output", "alone"]).output().unwrap();
    assert!(alone.status.success(), "{alone:?}");
    let mut run = simulate(&page, "watched");
    eventually("it is found", || {
        let found = of_simulation(&page);
        found.is_some() || run.0.try_wait().unwrap().is_some()
    });
    // One who watches, and one who asks for all that there is, unless it has ended already.
    let api = format!("/api/experiments/{}-sim/v1", page.lab.name);
    let live = format!("{api}/live");
    let ticketed = format!("{live}?ticket={}", page.ticket(&live));
    let viewer = page.websocket(&ticketed, &[&page.origin()]).map(|mut viewer| {
        say(&mut viewer, "{\"interval_ms\": 100, \"links\": \"all\"}");
        viewer
    });
    for what in ["links", "nodes", "flows", "media", "neighbours", "verdict", "scenario"] {
        page.get(&format!("{api}/{what}"));
    }
    assert!(run.0.wait().unwrap().success());
    drop(viewer);
    let (alone, watched) = (page.lab.path("alone"), page.lab.path("watched"));
    let (alone, watched) = (bytes(&alone), bytes(&watched));
    let names: Vec<&String> = alone.iter().map(|(name, _)| name).collect();
    assert!(names.iter().any(|name| *name == "pipes.parquet"), "{names:?}");
    for (one, other) in alone.iter().zip(&watched) {
        assert!(one == other, "{} is not {}", one.0, other.0);
    }
    assert_eq!(alone.len(), watched.len());
}

#[test]
fn what_a_killed_simulation_leaves_is_known_as_dead_and_taken_over() {
    let page = Page::new(&format!("{SIMULATED}duration: 1000000s\n"), &[]);
    let mut run = simulate(&page, "first");
    let name = format!("{}-sim", page.lab.name);
    eventually("it is found", || of_simulation(&page).is_some());
    run.signal(Signal::SIGKILL);
    run.0.wait().unwrap();
    let left = page.get("/api/experiments").json();
    assert_eq!((&left[0]["name"], &left[0]["alive"]), (&json!(name), &json!(false)), "{left}");
    let gone = page.get(&format!("/api/experiments/{name}/v1/links"));
    assert_eq!((gone.status, gone.body.contains("has died")), (502, true), "{gone:?}");
    let mut next = simulate(&page, "second");
    eventually("the next one has its name", || of_simulation(&page).is_some());
    assert_eq!(of_simulation(&page).unwrap()["name"], name.as_str());
    next.signal(Signal::SIGKILL);
    next.0.wait().unwrap();
    let mut clean: Command = page.lab.command(&["cleanup", &name]);
    let cleaned = clean.env("NETLOOM_STATE_DIR", &page.state).output().unwrap();
    assert!(cleaned.status.success(), "{cleaned:?}");
    assert_eq!(page.get("/api/experiments").json(), json!([]));
}
