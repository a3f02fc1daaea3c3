//! Views of shared media for users: air logs, neighbours, losses of pairs, events, samples.

mod common;

use std::fs;
use std::process::{Child, Command, Stdio};

use common::Lab;
use serde_json::Value;

const HIDDEN: &str = "\
duration: 3s
topology:
  media:
    air:
      preset: 802.11b
      mac: { dcf: { rate: 2Mbit/s, rts_threshold: 500B } }
      propagation: { range: { reach: 250m } }
      reception: collision
      members: [a, b, c]
  nodes:
    a: { position: [0m, 0m] }
    b: { position: [200m, 0m] }
    c: { position: [400m, 0m] }
timeline:
  - { at: 1500ms, media: { air: { mac: { dcf: { rate: 2Mbit/s } } } } }
  - { at: 2s, node: c, move: { to: [300m, 0m], speed: 200m/s } }
traffic:
  - { name: left, from: a, to: b, udp: {}, cbr: { rate: 4Mbit/s }, start: 700ms }
  - { name: right, from: c, to: b, udp: {}, cbr: { rate: 4Mbit/s }, start: 700ms }
measure: { frames: [air], interval: 500ms }
";

/// Each sender learns the address of the receiver before there are collisions: broadcasts that
/// collide are not sent again.
const LEARNING: &str = "\
processes:
  - { name: first, node: a, command: ping -4 -c 1 b || true }
  - { name: second, node: c, command: ping -4 -c 1 b || true, start: 300ms }
";

/// The network without what happens in a run.
fn quiet() -> String {
    let (network, _) = HIDDEN.split_once("timeline:").expect("there is a timeline");
    network.replace("duration: 3s\n", "")
}

/// Something that wants a CPU for itself, and dies with the test.
struct Busy(Child);

impl Busy {
    fn new() -> Self {
        let mut shell = Command::new("sh");
        shell.args(["-c", "while :; do :; done"]).stdin(Stdio::null());
        Self(shell.spawn().expect("a shell is there"))
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a line of JSON")).collect()
}

/// The log is replayed, and its events in JSON and in words are as many.
fn replayed(lab: &Lab, results: &str) -> (Vec<Value>, String) {
    let log = format!("{results}/air/air.nlf");
    let said = lab.ok(&["frames", &log, "--replay"]);
    assert!(said.contains("replayed byte for byte"), "{said}");
    let events = lines(&lab.ok(&["frames", &log, "--format", "json"]));
    let words = lab.ok(&["frames", &log]);
    assert_eq!(words.lines().count(), events.len());
    let count = |event: &str| events.iter().filter(|it| it["event"] == event).count();
    assert_eq!(count("joined"), 3);
    assert!(count("offered") > 0 && count("sent") > 0 && count("changed") >= 2);
    (events, words)
}

/// What the senders' rates bring about, in virtual time: how much a loaded machine sends before
/// the timeline changes the medium is open.
fn check_contents((events, words): &(Vec<Value>, String)) {
    let count = |key: &str, value: &str| events.iter().filter(|it| it[key] == value).count();
    assert!(count("event", "offered") > 100);
    for kind in ["rts", "cts", "data", "ack"] {
        assert!(count("kind", kind) > 10, "{kind}");
    }
    assert!(count("reason", "collision") > 0);
    let tries =
        events.iter().filter(|it| it["event"] == "sent" && it["attempt"].as_u64() > Some(1));
    assert!(tries.into_iter().any(|it| it["window"].as_u64() > Some(31)));
    assert!(words.contains("sent station=a kind=rts to=b"), "{}", &words[..2000]);
}

#[test]
fn an_air_log_is_replayed_to_the_byte_however_late_the_run_was() {
    let lab = Lab::new(&format!("{HIDDEN}{LEARNING}"));
    let busy = [Busy::new(), Busy::new(), Busy::new()];
    lab.ok(&["run", "-o", "results"]);
    drop(busy);
    replayed(&lab, "results");
    for file in ["radio", "positions", "neighbours"] {
        assert!(lab.path(&format!("results/{file}.parquet")).is_file());
    }
    let events = lines(&fs::read_to_string(lab.path("results/events.jsonl")).unwrap());
    let of = |event: &str| events.iter().filter(|it| it["event"] == event).collect::<Vec<_>>();
    assert_eq!(of("medium_changed").len(), 2);
    assert!(!of("neighbour").is_empty() && !of("positions").is_empty());
    // With another seed something else happens: it stands behind the magic, the version and the
    // name of the medium with its length.
    let log = lab.path("results/air/air.nlf");
    let mut bytes = fs::read(&log).unwrap();
    bytes[8 + 1 + 1 + "air".len()] ^= 1;
    fs::write(&log, bytes).unwrap();
    let (code, _) = lab.fails(&["frames", "results/air/air.nlf", "--replay"]);
    assert_eq!(code, 1);
}

#[test]
fn a_simulated_run_has_the_same_files() {
    let lab = Lab::new(HIDDEN);
    lab.ok(&["run", "--simulate", "-o", "one"]);
    lab.ok(&["run", "--simulate", "-o", "two", "--cells", "2", "--threads", "2"]);
    check_contents(&replayed(&lab, "one"));
    for file in ["air/air.nlf", "radio.parquet", "positions.parquet", "neighbours.parquet"] {
        let [one, two] = ["one", "two"].map(|run| fs::read(lab.path(&format!("{run}/{file}"))));
        assert_eq!(one.unwrap(), two.unwrap(), "{file}");
    }
    let events = lines(&fs::read_to_string(lab.path("one/events.jsonl")).unwrap());
    let pairs: Vec<_> = events.iter().filter(|it| it["event"] == "neighbour").collect();
    assert_eq!(pairs.len(), 2, "{pairs:?}");
}

#[test]
fn neighbours_are_shown_and_losses_of_pairs_set() {
    let lab = Lab::deployed(&quiet());
    let neighbours = |node: &str| {
        let name = lab.name.as_str();
        let text = lab.ok(&["inspect", name, "--neighbours", node, "--format", "json"]);
        serde_json::from_str::<Value>(&text).unwrap()
    };
    let of_a = neighbours("a");
    assert_eq!(of_a[0]["medium"], "air");
    assert_eq!(of_a[0]["neighbours"].as_array().unwrap().len(), 1);
    let b = &of_a[0]["neighbours"][0];
    assert_eq!((&b["node"], &b["hidden_from"][0]), (&"b".into(), &"c".into()));
    assert_eq!((b["decodes"].as_bool(), b["delivery"].as_f64()), (Some(true), Some(1.0)));
    let shown = lab.ok(&["inspect", &lab.name, "--neighbours", "b"]);
    assert!(shown.contains("hidden from") && shown.contains("200.00 m"), "{shown}");
    let (_, error) = lab.fails(&["inspect", &lab.name, "--neighbours", "d"]);
    assert!(error.contains("there is no node `d`"), "{error}");

    let losses = r#"{"from": ["a", "b"], "to": ["b", "a"], "loss": [300, 300]}"#;
    let answer = lab.request("PATCH", "/v1/media/air/losses", losses);
    assert!(answer.contains("\"at\""), "{answer}");
    assert_eq!(neighbours("a")[0]["neighbours"], serde_json::json!([]));
    for (wrong, why) in [
        (r#"{"from": ["a"], "to": ["b"], "loss": []}"#, "as many"),
        (r#"{"from": ["a"], "to": ["x"], "loss": [1]}"#, "there is no member `x`"),
        (r#"{"from": ["a"], "to": ["b"]}"#, "LossesRequest"),
    ] {
        let answer = lab.request("PATCH", "/v1/media/air/losses", wrong);
        assert!(answer.contains(why), "{answer}");
    }
}

#[test]
fn media_are_counted_apart_from_nodes() {
    let lab = Lab::new(HIDDEN);
    let said = lab.ok(&["validate"]);
    assert!(said.contains("3 nodes and 1 medium)"), "{said}");
}

/// The packets of a pcapng file of one interface: bytes, by enhanced packet block.
fn packets(file: &[u8]) -> (u16, Vec<Vec<u8>>) {
    let word = |at: usize| u32::from_le_bytes(file[at..at + 4].try_into().unwrap()) as usize;
    let (mut at, mut linktype, mut all) = (0, 0, Vec::new());
    while at + 12 <= file.len() && at + word(at + 4) <= file.len() {
        match word(at) {
            1 => linktype = word(at + 8) as u16,
            6 => all.push(file[at + 28..at + 28 + word(at + 20)].to_vec()),
            _ => {}
        }
        at += word(at + 4);
    }
    (linktype, all)
}

#[test]
fn the_air_and_interfaces_on_it_are_captured() {
    let lab = Lab::deployed(&quiet());
    let name = &lab.name;
    let capture = |what: &str, file: &str| {
        let what = format!("{what}@{name}");
        lab.command(&["capture", &what, "-w", file]).stderr(Stdio::null()).spawn().unwrap()
    };
    let captures = [("medium:air", "air.pcapng"), ("a:wlan1", "a.pcapng")];
    let mut readers = captures.map(|(what, file)| capture(what, file));
    let is_begun =
        |(_, file): &(&str, &str)| fs::metadata(lab.path(file)).is_ok_and(|f| f.len() > 0);
    common::eventually("the captures begin", || captures.iter().all(is_begun));
    // Collides with nobody, and then with the other.
    lab.sh("a", "ping -4 -c 3 -i 0.2 b");
    let both = ["a", "c"].map(|node| {
        let from = format!("{node}@{name}");
        let flood = "ping -4 -f -s 1400 -w 1 b >/dev/null || true";
        lab.command(&["exec", &from, "--", "sh", "-c", flood]).spawn().unwrap()
    });
    both.into_iter().for_each(|mut one| _ = one.wait());
    let read = |file: &str| packets(&fs::read(lab.path(file)).unwrap());
    common::eventually("the air has been captured", || {
        let (linktype, air) = read("air.pcapng");
        let (ethernet, at_a) = read("a.pcapng");
        let kind = |control: u8| air.iter().filter(|packet| packet[22] == control).count();
        let damaged = air.iter().filter(|packet| packet[16] & 0x40 != 0).count();
        let icmp = at_a.iter().filter(|packet| packet[12..14] == [8, 0]).count();
        (linktype, ethernet) == (127, 1)
            && [0x08, 0xb4, 0xc4, 0xd4].iter().all(|control| kind(*control) >= 2)
            && damaged > 0
            && damaged < air.len()
            && icmp >= 6
    });
    readers.iter_mut().for_each(|reader| {
        let _ = reader.kill();
        let _ = reader.wait();
    });
    let (_, error) = lab.fails(&["capture", &format!("medium:ether@{name}"), "-w", "-"]);
    assert!(error.contains("there is no medium `ether`"), "{error}");
}
