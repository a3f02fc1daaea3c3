//! The notations of other tools: their meaning, what is refused, and the conversion back.

use netloom_link::notation::{
    Dummynet, Netem, Notations, Tbf, TcEquivalent, WrittenChange, tc_equivalent,
};
use netloom_link::{Data, Framing, PipeChange, PipeConfig, SharedData};
use proptest::prelude::*;
use serde_json::json;

/// Returns the properties that a string sets and implies, as JSON.
fn meaning(text: &str, parse: impl Fn(&str) -> Notations) -> serde_json::Value {
    let change = parse(text).combine(&PipeChange::default()).unwrap();
    serde_json::to_value(change).unwrap()
}

fn netem(text: &str) -> Notations {
    let parsed = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    Notations { netem: Some(parsed), ..Notations::default() }
}

fn tbf(text: &str) -> Notations {
    Notations { tbf: Some(text.parse().unwrap()), ..Notations::default() }
}

fn dummynet(text: &str) -> Notations {
    let parsed = text.parse().unwrap_or_else(|error| panic!("{text}: {error}"));
    Notations { dummynet: Some(parsed), ..Notations::default() }
}

#[test]
fn netem_strings_become_properties() {
    let unordered = json!({"probability": "0%"});
    let cases = [
        ("delay 10ms", json!({"delay": "10ms"})),
        ("netem latency 100", json!({"delay": "100us"})),
        (
            "delay 10ms 2ms",
            json!({"delay": "10ms", "jitter": {"uniform": "2ms"}, "reorder": unordered}),
        ),
        (
            "del 10ms 2ms 25% dist normal",
            json!({"delay": "10ms", "jitter": {"normal": "2ms", "correlation": "25%"},
                   "reorder": unordered}),
        ),
        (
            "distribution experimental delay 1ms 500us",
            json!({"delay": "1ms", "reorder": unordered,
                   "jitter": {"table": "experimental.dist", "deviation": "500us"}}),
        ),
        ("loss 1", json!({"loss": "1%"})),
        ("drop random 0.5%", json!({"loss": "0.5%"})),
        (
            "loss gemodel 1%",
            json!({"loss": {
                "gilbert_elliott": {"p": "1%", "r": "99%", "bad": "100%", "good": "0%"}
            }}),
        ),
        (
            "loss gemodel 1% 10% 70% 0.1%",
            json!({"loss": {"gilbert_elliott":
                {"p": "1%", "r": "10%", "bad": "70%", "good": "0.1%"}}}),
        ),
        (
            "loss state 1%",
            json!({"loss": {"four_state":
                {"p13": "1%", "p31": "99%", "p32": "0%", "p23": "100%", "p14": "0%"}}}),
        ),
        (
            "loss state 1% 20% 3% 40% 0.5%",
            json!({"loss": {"four_state":
                {"p13": "1%", "p31": "20%", "p32": "3%", "p23": "40%", "p14": "0.5%"}}}),
        ),
        ("corrupt 0.1% duplicate 1% 0%", json!({"corrupt": "0.1%", "duplicate": "1%"})),
        (
            "delay 10ms reorder 25% gap 5",
            json!({"delay": "10ms", "reorder": {"probability": "25%", "gap": 5}}),
        ),
        ("delay 10ms reorder 25%", json!({"delay": "10ms", "reorder": {"probability": "25%"}})),
        (
            "rate 10mbit",
            json!({"rate": "10Mbit/s", "framing": "none", "queue": {"limit": "1000packets"}}),
        ),
        (
            "rate 100kbps 20 limit 50",
            json!({"rate": "800kbit/s", "framing": "20B", "queue": {"limit": "50packets"}}),
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(meaning(text, netem), expected, "{text}");
    }
}

#[test]
fn tbf_and_dummynet_strings_become_properties() {
    // tc (iproute2 6.1) sends 16490 bytes for this one.
    assert_eq!(
        meaning("rate 1mbit burst 10kb latency 50ms", tbf),
        json!({"rate": "1Mbit/s", "burst": "10KiB", "framing": "none",
               "queue": {"limit": "16.49kB"}}),
    );
    assert_eq!(
        meaning("tbf rate 1mbit buffer 10k/8 limit 30k overhead 4 linklayer ethernet", tbf),
        json!({"rate": "1Mbit/s", "burst": "10KiB", "framing": "4B",
               "queue": {"limit": "30KiB"}}),
    );
    let cases = [
        (
            "bw 4Mbit/s delay 7ms",
            json!({"rate": "4Mbit/s", "delay": "7ms", "framing": "none",
                   "queue": {"limit": "50packets"}}),
        ),
        ("pipe 1 config delay 20 plr 0.01", json!({"delay": "20ms", "loss": "1%"})),
        (
            "bw 500KByte/s queue 30KBytes burst 10k droptail",
            json!({"rate": "4Mbit/s", "framing": "none", "burst": "10KiB",
                   "queue": {"limit": "30KiB", "discipline": "fifo"}}),
        ),
        ("bw 0 profile wifi.profile", json!({"rate": "unlimited", "mac_overhead": "wifi.profile"})),
        (
            "bw 1Mbit/s queue 60 gred 0.002/5/15/0.1 ecn",
            json!({"rate": "1Mbit/s", "framing": "none",
                   "queue": {"limit": "60packets", "discipline": "red"}}),
        ),
        (
            "red 0.01/5000/15000/0.2 bw 1Mbit/s queue 60Kbytes",
            json!({"rate": "1Mbit/s", "framing": "none",
                   "queue": {"limit": "60KiB", "discipline": {"red": {
                       "min": "5kB", "max": "15kB", "max_p": "20%", "weight": 0.01,
                       "gentle": false, "mean_packet": "500B", "ecn": false}}}}),
        ),
        (
            "bw 1Mbit/s codel target 10 interval 200ms ecn",
            json!({"rate": "1Mbit/s", "framing": "none",
                   "queue": {"limit": "50packets", "discipline": {"codel": {
                       "target": "10ms", "interval": "200ms", "ecn": true}}}}),
        ),
        (
            "bw 300000 queue 20",
            json!({"rate": "300kbit/s", "framing": "none", "queue": {"limit": "20packets"}}),
        ),
    ];
    for (text, expected) in cases {
        assert_eq!(meaning(text, dummynet), expected, "{text}");
    }
}

#[test]
fn features_with_another_meaning_are_refused_with_an_alternative() {
    let refused = |text: &str| {
        let error = text.parse::<Netem>().expect_err(text).to_string();
        assert!(error.contains(';') || error.contains("needs"), "{text}: {error} does not help");
        error
    };
    for (text, part) in [
        ("loss 1% 25%", "gemodel"),
        ("duplicate 1% 10%", "correlation out"),
        ("corrupt 1% 10%", "correlation out"),
        ("delay 1ms reorder 25% 50%", "correlation out"),
        ("rate 1mbit 20 100 5", "cells"),
        ("rate 1mbit -14", "never shorter"),
        ("slot 1ms 2ms", "rate: {trace: FILE}"),
        ("loss 1% ecn", "queue discipline with ECN"),
        ("seed 7", "`seed` at the top"),
        ("delay 10ms distribution normal", "needs a delay with jitter"),
        ("distribution normal", "needs a delay with jitter"),
        ("delay 1ms gap 5", "`reorder 25% gap 5`"),
        ("delay 1ms delay 2ms", "given twice"),
        ("latency 1ms delay 2ms", "given twice"),
        ("delay", "needs a time"),
        ("delay 10m", "`ms`"),
        ("rate 10Mbit/s", "tc writes `mbit`"),
        ("limit 0", "1 or more"),
        ("tc qdisc add dev eth0 root netem delay 1ms", "behind `netem`"),
        ("jitter 1ms", "its words are"),
        ("loss 101%", "between 0% and 100%"),
        ("", "says nothing"),
    ] {
        let error = refused(text);
        assert!(error.contains(part), "{text}: {error} does not say {part}");
    }
    let error = "loss state 60% 20% 3% 40% 50%".parse::<Netem>().unwrap_err().to_string();
    assert!(error.contains("`p13` and `p14` are more than 100%"), "{error}");
    for (text, part) in [
        ("rate 1mbit latency 1ms", "`burst`"),
        ("rate 1mbit burst 10kb", "`limit` or `latency`"),
        ("rate 1mbit burst 10kb limit 1 latency 1ms", "keep one"),
        ("rate 1mbit burst 10kb peakrate 2mbit", "one bucket"),
        ("rate 1mbit burst 10kb limit 10kb mpu 64", "framing: ethernet"),
        ("rate 1mbit burst 10kb limit 10kb linklayer atm", "cells"),
        ("rate 1mbit brst 10kb", "not a word of tc-tbf"),
    ] {
        let error = text.parse::<Tbf>().expect_err(text).to_string();
        assert!(error.contains(part), "{text}: {error} does not say {part}");
    }
    for (text, part) in [
        ("bw tun0", "rate of its own"),
        ("bw 4Mb", "bits or bytes"),
        ("delay 1s", "milliseconds"),
        ("queue 101", "1 to 100 slots"),
        ("queue 2MBytes", "1 MByte"),
        ("plr 1%", "between 0 and 1"),
        ("plr 0.1,0.2,0.3,0.4", "gilbert_elliott"),
        ("bw 1Mbit/s mask dst-ip 0xff", "classes"),
        ("bw 1Mbit/s noerror", "leave it out"),
        ("weight 3", "not a word of ipfw"),
        ("bw 1Mbit/s red 0.002/15/5/0.1", "`max` of red is at least `min`"),
        ("red 1/0/92/0", "at least 1"),
        ("bw 1Mbit/s red 0.002/15", "`0.002/5/15/0.1`"),
        ("bw 1Mbit/s codel interval 0", "longer than 0"),
        ("bw 1Mbit/s pie", "discipline: pie"),
    ] {
        let error = text.parse::<Dummynet>().expect_err(text).to_string();
        assert!(error.contains(part), "{text}: {error} does not say {part}");
    }
}

#[test]
fn a_property_is_set_once_and_overrides_implied_ones() {
    let beside: PipeChange = serde_json::from_value(json!({"framing": "ethernet"})).unwrap();
    let combined = netem("rate 10mbit").combine(&beside).unwrap();
    assert_eq!(combined.framing, Some(Framing::Ethernet));

    let beside: PipeChange =
        serde_json::from_value(json!({"queue": {"limit": "9packets"}})).unwrap();
    let conflict = netem("rate 10mbit limit 5").combine(&beside).unwrap_err();
    assert_eq!((conflict.notation, conflict.property), ("netem", "queue.limit"));
    assert!(netem("rate 10mbit").combine(&beside).is_ok());

    let both = Notations { tbf: tbf("rate 1mbit burst 2kb limit 9kb").tbf, ..netem("rate 2mbit") };
    let conflict = both.combine(&PipeChange::default()).unwrap_err();
    assert_eq!(conflict.to_string(), "`tbf` and `netem` both say `rate`; keep one of them");
    let both = Notations { tbf: tbf("rate 1mbit burst 2kb limit 9kb").tbf, ..netem("loss 2%") };
    assert_eq!(both.saying("loss"), Some("netem"));
    assert_eq!(both.saying("burst"), Some("tbf"));
    assert!(both.combine(&PipeChange::default()).is_ok());
}

/// The format of a request to an engine.
#[test]
fn strings_stand_beside_properties_in_one_mapping() {
    let parsed = |text: &str| serde_json::from_str::<WrittenChange>(text).map(|written| written.0);
    let change = parsed(
        r#"{"pipe_mtu":1400,"netem":"delay 10ms 2ms","tbf":"rate 1mbit burst 2kb limit 9kb"}"#,
    );
    let expected = json!({
        "pipe_mtu": 1400, "delay": "10ms", "jitter": "2ms", "reorder": {"probability": "0%"},
        "rate": "1Mbit/s", "burst": "2KiB", "framing": "none", "queue": {"limit": "9KiB"},
    });
    assert_eq!(change.unwrap(), serde_json::from_value(expected).unwrap());
    assert_eq!(parsed(r#"{"dummynet":"plr 0.01"}"#).unwrap().keys(), ["loss"]);
    assert_eq!(parsed("{}").unwrap(), PipeChange::default());
    for (text, part) in [
        (r#"{"netem":"dely 10ms"}"#, "dely"),
        (r#"{"netem":"delay 10ms","delay":"5ms"}"#, "`netem` and `delay` both say `delay`"),
        (r#"{"netem":"loss 1%","netem":"loss 2%"}"#, "duplicate field `netem`"),
        (r#"{"netem":7}"#, "string"),
        (r#"{"netm":"loss 1%"}"#, "unknown field `netm`"),
        (r#"{"delay":"1ms","delay":"2ms"}"#, "duplicate field `delay`"),
        ("[]", "properties of a pipe"),
    ] {
        let error = parsed(text).unwrap_err().to_string();
        assert!(error.contains(part), "{text}: {error} does not say {part}");
    }
}

fn pipe(properties: serde_json::Value) -> PipeConfig {
    let mut config = PipeConfig::default();
    serde_json::from_value::<PipeChange>(properties).unwrap().apply_to(&mut config);
    config
}

/// Returns the configuration to which the strings lead.
fn read_back(tc: &TcEquivalent) -> PipeConfig {
    let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    let notations = Notations {
        netem: some(&tc.netem).map(|text| text.parse().unwrap()),
        tbf: some(&tc.tbf).map(|text| text.parse().unwrap()),
        dummynet: None,
    };
    let mut config = PipeConfig::default();
    notations.combine(&PipeChange::default()).unwrap().apply_to(&mut config);
    config
}

#[test]
fn a_pipe_is_exported_as_tc_commands() {
    let config = pipe(json!({
        "rate": "10Mbit/s", "framing": "none", "queue": {"limit": "100packets"}, "delay": "20ms",
        "jitter": {"normal": "2ms"}, "reorder": {"probability": "0%"}, "loss": "1%",
    }));
    let tc = tc_equivalent(&config);
    assert_eq!(
        tc.commands("eth1"),
        ["tc qdisc add dev eth1 root netem delay 20ms 2ms distribution normal loss random 1% \
          rate 10mbit limit 100"]
    );
    assert_eq!(tc.missing, [""; 0]);
    assert_eq!(read_back(&tc), config);

    let config = pipe(json!({
        "rate": "1Mbit/s", "burst": "10KiB", "framing": "4B", "queue": {"limit": "30KiB"},
        "delay": "5ms",
    }));
    let tc = tc_equivalent(&config);
    assert_eq!(
        tc.commands("eth0"),
        [
            "tc qdisc add dev eth0 root handle 1: netem delay 5ms",
            "tc qdisc add dev eth0 parent 1:1 handle 2: tbf rate 1mbit burst 10kb limit 30kb \
             overhead 4"
        ]
    );
    assert_eq!(read_back(&tc), config);
    assert!(tc_equivalent(&PipeConfig::default()).commands("x").is_empty());
}

#[test]
fn features_that_tc_lacks_are_reported_as_missing() {
    for (properties, part) in [
        (json!({"rate": {"trace": [1, 2]}}), "rate trace"),
        (json!({"rate": "1Mbit/s"}), "ethernet"),
        (json!({"rate": "1Mbit/s", "framing": "none"}), "queue limit default"),
        (json!({"delay": "1ms", "jitter": "1ms"}), "order"),
        (json!({"delay": "1ms", "jitter": {"pattern": ["1ms"]}}), "jitter pattern"),
        (json!({"loss": {"every": 10}}), "every 10th"),
        (json!({"ber": 1e-6}), "bit error rate 1e-6"),
        (json!({"pipe_mtu": 1400}), "1400B"),
        (json!({"mac_overhead": [{"probability": "100%", "time": "1ms"}]}), "MAC overhead"),
        (json!({"state": "down"}), "ip link"),
        (json!({"delay": "1ms", "reorder": {"probability": "1%", "extra_delay": "9ms"}}), "extra"),
    ] {
        let missing = tc_equivalent(&pipe(properties.clone())).missing.join("\n");
        assert!(missing.contains(part), "{properties}: {missing:?} does not say {part}");
    }
}

/// Returns percentages with a few digits, as people write them.
fn percent() -> impl Strategy<Value = String> {
    percent_up_to(100)
}

fn percent_up_to(most: u32) -> impl Strategy<Value = String> {
    (0..=most * 1000).prop_map(|thousandths| format!("{}%", f64::from(thousandths) / 1000.0))
}

fn time() -> impl Strategy<Value = String> {
    prop_oneof![
        (1u64..2000).prop_map(|ms| format!("{ms}ms")),
        (1u64..99_999_999).prop_map(|ns| format!("{ns}ns"))
    ]
}

/// Returns configurations that netem and tbf support.
fn tc_pipes() -> impl Strategy<Value = PipeConfig> {
    let jitter = prop_oneof![Just("uniform"), Just("normal"), Just("pareto"), Just("paretonormal")];
    let jitter = proptest::option::of((jitter, time(), percent()));
    let delay = (time(), jitter, proptest::option::of((1u32..100_000, 1u32..50)));
    let loss = prop_oneof![
        percent().prop_map(|p| json!(p)),
        [percent(), percent(), percent(), percent()].prop_map(|[p, r, bad, good]| {
            json!({"gilbert_elliott": {"p": p, "r": r, "bad": bad, "good": good}})
        }),
        // The probabilities of two transitions from the same state must add up to at most 100 %.
        [0, 1, 2, 3, 4]
            .map(|_| percent_up_to(50))
            .prop_map(|[p13, p31, p32, p23, p14]| json!({"four_state":
                {"p13": p13, "p31": p31, "p32": p32, "p23": p23, "p14": p14}})),
    ];
    let line =
        (1u64..20_000_000_000, 0u32..100, 1u32..100_000, proptest::option::of(1u64..1_000_000));
    (
        proptest::option::of(delay),
        proptest::option::of(loss),
        proptest::option::of(line),
        proptest::option::of([percent(), percent()]),
    )
        .prop_map(|(delay, loss, line, marks)| {
            let mut properties = serde_json::Map::new();
            if let Some((delay, jitter, reorder)) = delay {
                properties.insert("delay".into(), json!(delay));
                let is_jittered = jitter.is_some();
                if let Some((name, spread, correlation)) = jitter {
                    properties
                        .insert("jitter".into(), json!({name: spread, "correlation": correlation}));
                    properties.insert("reorder".into(), json!({"probability": "0%"}));
                }
                if let Some((share, gap)) = reorder {
                    let gap = if share == 0 && is_jittered { 1 } else { gap };
                    let share = format!("{}%", f64::from(share) / 1000.0);
                    properties.insert("reorder".into(), json!({"probability": share, "gap": gap}));
                }
            }
            if let Some(loss) = loss {
                properties.insert("loss".into(), loss);
            }
            if let Some([corrupt, duplicate]) = marks {
                properties.insert("corrupt".into(), json!(corrupt));
                properties.insert("duplicate".into(), json!(duplicate));
            }
            if let Some((rate, overhead, limit, burst)) = line {
                properties.insert("rate".into(), json!(format!("{rate}bit/s")));
                let framing = if overhead == 0 { "none".into() } else { format!("{overhead}B") };
                properties.insert("framing".into(), json!(framing));
                let limit = match burst {
                    Some(_) => format!("{limit}B"),
                    None => format!("{limit}packets"),
                };
                properties.insert("queue".into(), json!({"limit": limit}));
                if let Some(burst) = burst {
                    properties.insert("burst".into(), json!(format!("{burst}B")));
                }
            }
            pipe(properties.into())
        })
}

proptest! {
    #[test]
    fn configurations_with_an_equivalent_survive_a_round_trip(config in tc_pipes()) {
        let tc = tc_equivalent(&config);
        prop_assert_eq!(&tc.missing, &Vec::<String>::new());
        prop_assert_eq!(read_back(&tc), config, "{:?}", tc);
    }

    #[test]
    fn no_string_makes_a_parser_panic(text in "\\PC{0,80}") {
        let _ = (text.parse::<Netem>(), text.parse::<Tbf>(), text.parse::<Dummynet>());
    }

    #[test]
    fn no_sentence_makes_a_parser_panic(words in proptest::collection::vec(
        prop_oneof![
            "(netem|delay|loss|random|state|gemodel|ecn|corrupt|duplicate|reorder|gap|rate|limit|\
             slot|distribution|normal)",
            "(tbf|burst|latency|overhead|peakrate|linklayer|ethernet|pipe|config|bw|queue|plr|\
             profile|mask|red|d|l|r)",
            "-?[0-9]{1,25}(\\.[0-9]{0,3})?(ms|us|%|mbit|kbps|kb|k|b|Mbit/s|KBytes|,|)",
        ],
        0..12,
    )) {
        let text = words.join(" ");
        let notations = Notations {
            netem: text.parse().ok(),
            tbf: text.parse().ok(),
            dummynet: text.parse().ok(),
        };
        for (key, given) in notations.given() {
            // An accepted string can be expressed in NetLoom's own properties.
            let json = serde_json::to_value(&given.said).unwrap();
            let again: PipeChange = serde_json::from_value(json).unwrap();
            prop_assert_eq!(&again, &given.said, "{}: {}", key, text);
        }
    }
}

#[test]
fn a_string_of_any_length_is_bounded() {
    let long = "delay 1ms ".repeat(100_000);
    assert!(long.parse::<Netem>().unwrap_err().to_string().contains("at most 4096"));
    assert!(long.parse::<Tbf>().is_err() && long.parse::<Dummynet>().is_err());
}

#[test]
fn files_are_read_for_the_properties_that_name_them() {
    let mut change: PipeChange = serde_json::from_value(json!({
        "rate": {"trace": "lte.trace"}, "jitter": {"pattern": "late.txt"},
        "loss": {"trace": "none"},
        "delay": "1ms",
    }))
    .unwrap();
    let unread = change.unread_file().unwrap();
    assert_eq!((unread.property, unread.file), ("rate", "lte.trace".into()));
    let errors = change
        .load(
            &mut |file| match file {
                "lte.trace" => Ok("1\n5\n".into()),
                "late.txt" => Ok("1ms\nlate\n".into()),
                file => Err(format!("{file} is not there")),
            },
            &mut SharedData::default(),
        )
        .unwrap_err();
    let messages: Vec<String> = errors.iter().map(|error| format!("{error:?}")).collect();
    assert_eq!(errors.len(), 2, "{messages:?}");
    assert_eq!((errors[0].property, errors[0].file.as_str()), ("jitter", "late.txt"));
    assert!(
        messages[0].contains("line: 2") && messages[1].contains("none is not there"),
        "{messages:?}"
    );
    let Some(netloom_link::RateLimit::Trace(trace)) = &change.rate else { panic!("{change:?}") };
    assert!(matches!(trace, Data::Values { file: Some(file), .. } if file == "lte.trace"));

    let mut config = PipeConfig::default();
    assert_eq!(config.unread_file(), None);
    change.apply_to(&mut config);
    assert_eq!(config.unread_file().map(|unread| unread.property), Some("jitter"));
}
