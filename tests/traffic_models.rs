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
    let check = ["traffic", "check", "a.txt", "--model", model, "--line", "10Mbit/s"];
    let table = lab.ok(&check);
    for part in ["the model's is 4.92 Mbit/s", "H 0.800 of the model", "10ms "] {
        assert!(table.contains(part), "{part}: {table}");
    }
    // Too few octaves are longer than four bursts in a minute, which is not hidden.
    let unknown = "H unknown: octaves 9 to 9 are too few for a line, which needs 3, and octave 9 \
                   is 5.12 s long";
    assert!(table.contains(unknown), "{table}");
    let json: serde_json::Value =
        serde_json::from_str(&lab.ok(&[&check[..], &["--format", "json"]].concat())).unwrap();
    assert!(json["hurst"].is_null() && json["hurst_by_variance"].is_null(), "{json}");
    assert!(json["hurst_unknown"].as_str().unwrap().starts_with("octaves 9 to 9"), "{json}");
    // Whoever says where to begin gets the line from there, if it is one of a Hurst parameter.
    let table = lab.ok(&[&check[..], &["--from", "3"]].concat());
    assert!(table.contains(" by wavelets, from 0.08 to 5.12 s"), "{table}");
    let table = lab.ok(&[&check[..], &["--from", "6"]].concat());
    assert!(table.contains("H unknown: octaves 6 to 9 give 1."), "{table}");
}

/// Returns a pcap file with frames at these times in ns, each of 60 bytes.
fn capture(times: &[u64]) -> Vec<u8> {
    let mut file = 0xa1b2_3c4d_u32.to_le_bytes().to_vec();
    file.extend([2, 0, 4, 0]);
    [0, 0, 65_535, 1].iter().for_each(|word: &u32| file.extend(word.to_le_bytes()));
    for time in times {
        let head = [(time / 1_000_000_000) as u32, (time % 1_000_000_000) as u32, 4, 60];
        head.iter().for_each(|word| file.extend(word.to_le_bytes()));
        file.extend([9; 4]);
    }
    file
}

/// Two lines, or a capture of two frames, may be centuries apart: no time of a file is a length of
/// memory.
#[test]
fn times_far_apart_are_refused_with_a_bin_that_fits() {
    let lab = Lab::pair("");
    fs::write(lab.path("far.txt"), "0 60\n1000000000 60\n").unwrap();
    fs::write(lab.path("far.pcap"), capture(&[5, 4_000_000_000_000_000_005])).unwrap();
    for (file, bin) in [("far.txt", "100s"), ("far.pcap", "500s")] {
        let (code, error) = lab.fails(&["traffic", "check", file]);
        let words = format!("take a larger --bin, like {bin}, or a shorter --for");
        assert!(error.contains(&words), "{error}");
        assert_eq!(code, 1, "{error}");
        lab.ok(&["traffic", "check", file, "--bin", bin]);
        // Nothing but the first frame is within this time.
        lab.ok(&["traffic", "check", file, "--for", "1s"]);
    }
    fs::write(lab.path("one.txt"), "5 60\n5 60\n").unwrap();
    fs::write(lab.path("zero.pcap"), capture(&[0, 0])).unwrap();
    fs::write(lab.path("late.txt"), "5 60\n").unwrap();
    for (arguments, words) in [
        (vec!["zero.pcap"], "all arrivals are at one time; say with --for"),
        (vec!["late.txt", "--for", "1s"], "nothing arrives in the first 1s"),
        (vec!["one.txt", "--bin", "0s"], "take a smaller --bin"),
    ] {
        let (_, error) = lab.fails(&[&["traffic", "check"], &arguments[..]].concat());
        assert!(error.contains(words), "{arguments:?}: {error}");
    }
}

/// `trace` and `check` read a file in the same way: both take it, with as many frames, or both
/// refuse it for the same reason.
#[test]
fn a_trace_and_a_check_agree_on_every_file() {
    let lab = Lab::pair("");
    let whole = capture(&[1_000_000_000, 1_000_000_007, 9_000_000_000]);
    let radio = [&whole[..20], &127u32.to_le_bytes(), &whole[24..]].concat();
    for (name, bytes) in [
        ("whole.pcap", whole.clone()),
        ("unsorted.pcap", capture(&[7_000_000_000, 9_000_000_000, 8_999_999_999])),
        ("truncated.pcap", whole[..whole.len() - 3].to_vec()),
        ("headless.pcap", whole[..12].to_vec()),
        ("empty.pcap", capture(&[])),
        ("radio.pcap", radio),
        ("lines.txt", b"0 60\n3.5 1514\n".to_vec()),
        ("back.txt", b"3 60\n2 60\n".to_vec()),
        ("binary.dat", vec![0xff; 40]),
    ] {
        fs::write(lab.path(name), bytes).unwrap();
        let trace = format!("trace: {{file: {name}}}");
        let sent = lab.netloom(&["traffic", "generate", &trace, "-o", "-"]);
        let check = ["traffic", "check", name, "--for", "10s", "--format", "json"];
        let checked = lab.netloom(&check);
        assert_eq!(sent.status.success(), checked.status.success(), "{name}: {checked:?}");
        if sent.status.success() {
            let json: serde_json::Value = serde_json::from_slice(&checked.stdout).unwrap();
            let lines = text(&sent.stdout).lines().count() as u64 - 1;
            assert_eq!(json["frames"].as_u64(), Some(lines), "{name}");
            continue;
        }
        // Both end with the same words.
        let reason = |output: &std::process::Output| {
            let all = text(&output.stderr).trim().to_owned();
            all.lines().last().and_then(|line| line.rsplit(": ").next()).unwrap().to_owned()
        };
        assert_eq!(reason(&sent), reason(&checked), "{name}");
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
