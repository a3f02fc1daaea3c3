//! `netloom traffic`: models without a network.

mod common;

use std::fs;

use common::{Lab, text};

/// Lines of `netloom traffic generate`, without the title.
fn generated(lab: &Lab, arguments: &[&str]) -> Vec<String> {
    let lines = lab.ok(&[&["traffic", "generate", "-o", "-"], arguments].concat());
    lines.lines().skip(1).map(Into::into).collect()
}

#[test]
fn models_are_listed() {
    let models = Lab::pair("").ok(&["traffic", "models"]);
    for model in ["cbr", "ppbp", "trace", "http"] {
        assert!(models.contains(&format!("\n{model} ")), "{models}");
    }
}

#[test]
fn arrivals_are_the_same_for_the_same_seed() {
    let lab = Lab::pair("");
    let model = "poisson: {rate: 1Mbit/s}";
    let first = generated(&lab, &[model, "--for", "2s"]);
    assert_eq!(first, generated(&lab, &[model, "--for", "2s"]));
    assert_ne!(first, generated(&lab, &[model, "--for", "2s", "--seed", "2"]));
    assert_ne!(first, generated(&lab, &[model, "--for", "2s", "--stream", "b"]));
    // Two seconds hold 165 ± 2.576 · √165 frames.
    assert!((132..=198).contains(&first.len()), "{}", first.len());
}

/// Generated traffic is read back unchanged from a capture and from lines, and the trace that
/// repeats it sends it again.
#[test]
fn captures_and_lines_are_read_back() {
    let lab = Lab::pair("");
    let model = "on_off: {on: {exponential: 1s}, off: {exponential: 1s}, rate: 2Mbit/s}";
    let check = |file: &str| {
        let arguments = ["traffic", "check", file, "--bin", "100ms", "--for", "60s"];
        let json = lab.ok(&[&arguments[..], &["--format", "json"]].concat());
        serde_json::from_str::<serde_json::Value>(&json).unwrap()
    };
    for file in ["a.txt", "a.pcap"] {
        lab.ok(&["traffic", "generate", model, "--size", "imix", "-o", file]);
    }
    let trace = "trace: {file: a.txt}";
    let lines = fs::read_to_string(lab.path("a.txt")).unwrap();
    let again = generated(&lab, &[trace]);
    assert_eq!(again, lines.lines().skip(1).collect::<Vec<_>>());
    let (of_lines, of_capture) = (check("a.txt"), check("a.pcap"));
    assert_eq!(of_lines["frames"].as_u64(), Some(again.len() as u64));
    assert_eq!(of_lines["frames"], of_capture["frames"]);
    // A capture begins with its first frame: bins are others, and the sum of all is nearly so.
    let mean = |checked: &serde_json::Value| checked["mean_bits_per_second"].as_f64().unwrap();
    assert!((mean(&of_lines) / mean(&of_capture) - 1.0).abs() < 0.01);
}

#[test]
fn a_recording_is_compared_with_its_model() {
    let lab = Lab::pair("");
    let model = "ppbp: {load: 50%, bursts: 100, burst: 1s, hurst: 0.8}";
    lab.ok(&["traffic", "generate", model, "--line", "10Mbit/s", "-o", "a.txt"]);
    let table = lab.ok(&["traffic", "check", "a.txt", "--model", model, "--line", "10Mbit/s"]);
    for part in ["the model's is 4.92 Mbit/s", "by wavelets", "H 0.800 of the model", "10ms "] {
        assert!(table.contains(part), "{part}: {table}");
    }
}

#[test]
fn what_is_wrong_is_said() {
    let lab = Lab::pair("");
    fs::write(lab.path("bad.txt"), "0.5 60\n0.4 60\n").unwrap();
    fs::write(lab.path("cut.pcap"), [0xa1, 0xb2, 0xc3, 0xd4, 0, 2]).unwrap();
    let generate = |model| vec!["traffic", "generate", model, "-o", "-"];
    for (arguments, code, words) in [
        (generate("poison: {rate: 1Mbit/s}"), 2, "did you mean `poisson`?"),
        (generate("on_off: {on: {pareto: {mean: 1s, shape: 0.9}}, off: 1s}"), 2, "has no mean"),
        (generate("cbr: {load: 40%}"), 2, "is a share of a line's rate, and there is none here"),
        (generate("bulk: {}"), 2, "sends when TCP lets it"),
        (generate("trace: {file: bad.txt}"), 2, "arrival 2 is earlier than the one before"),
        (generate("trace: {file: bat.txt}"), 2, "did you mean `bad.txt`?"),
        (vec!["traffic", "check", "bad.txt"], 1, "arrival 2 is earlier"),
        (vec!["traffic", "check", "cut.pcap"], 1, "cannot read cut.pcap"),
    ] {
        let (found, error) = lab.fails(&arguments);
        assert!(error.contains(words), "{arguments:?}: {error}");
        assert_eq!(found, code, "{arguments:?}: {error}");
    }
}

/// A capture whose frames were cut has their whole lengths.
#[test]
fn frames_that_were_cut_count_whole() {
    let lab = Lab::pair("");
    lab.ok(&["traffic", "generate", "cbr: {rate: 12112kbit/s}", "--for", "1s", "-o", "a.pcap"]);
    let output = lab.netloom(&["traffic", "check", "a.pcap"]);
    // 1000 frames of 1514 bytes, one a millisecond, counted in whole bins from the first one.
    assert!(text(&output.stdout).contains("mean rate 12.1 Mbit/s"), "{output:?}");
}
