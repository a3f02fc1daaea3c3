//! Conditioners in front of the queue: meters compared with their RFCs, and the actions on packets.

use netloom_link::MeterConfig as Meter;
use netloom_link::{
    Circumstances, Condition, DropReason, FrameEvent, FrameInfo, Header, MeterConfig, Occurrence,
    Pipe, SrtcmConfig, TrtcmConfig,
};
use netloom_units::{Rate, Size};
use proptest::collection::vec;
use proptest::prelude::*;

use crate::common::packet::{Arrival, Packet, header, packet_pipe, run};
use crate::common::{change, config, ms, ns};

/// DSCPs that the tests use for the colours.
const GREEN: u8 = 10;
const YELLOW: u8 = 12;
const RED: u8 = 14;

/// The meters of the RFCs, with token counters that are updated every nanosecond as described
/// there. A token is 1/(8·10⁹) byte, and `rate` (in bit/s) tokens arrive in a nanosecond.
struct Reference {
    config: MeterConfig,
    now: u64,
    c: u128,
    /// Tokens in the excess bucket or in the peak bucket.
    other: u128,
}

const BYTE: u128 = 8_000_000_000;

fn tokens(size: Size) -> u128 {
    u128::from(size.bytes()) * BYTE
}

impl Reference {
    /// "The token buckets C and E are initially (at time 0) full."
    fn new(config: MeterConfig) -> Self {
        let (c, other) = match config {
            Meter::OneRate { burst, .. } => (burst, Size::default()),
            Meter::Srtcm(SrtcmConfig { cbs, ebs, .. }) => (cbs, ebs),
            Meter::Trtcm(TrtcmConfig { cbs, pbs, .. }) => (cbs, pbs),
        };
        Self { config, now: 0, c: tokens(c), other: tokens(other) }
    }

    fn tick(&mut self) {
        match self.config {
            Meter::OneRate { rate, burst } => {
                let come = u128::from(rate.bits_per_second());
                self.c = (self.c + come).min(tokens(burst));
            }
            // "If Tc is less than CBS, Tc is incremented by one, else if Te is less then EBS, Te is
            // incremented by one, else neither Tc nor Te is incremented."
            Meter::Srtcm(SrtcmConfig { cir, cbs, ebs, .. }) => {
                for _ in 0..cir.bits_per_second() / STEP {
                    if self.c < tokens(cbs) {
                        self.c += u128::from(STEP);
                    } else if self.other < tokens(ebs) {
                        self.other += u128::from(STEP);
                    }
                }
            }
            // "Tp is incremented by one PIR times per second up to PBS", and Tc likewise.
            Meter::Trtcm(TrtcmConfig { cir, cbs, pir, pbs, .. }) => {
                self.c = (self.c + u128::from(cir.bits_per_second())).min(tokens(cbs));
                self.other = (self.other + u128::from(pir.bits_per_second())).min(tokens(pbs));
            }
        }
    }

    /// Returns the DSCP that a packet of `bytes` bytes with DSCP `before` gets at `at`.
    fn mark(&mut self, at: u64, before: u8, bytes: u64) -> u8 {
        (self.now..at).for_each(|_| self.tick());
        self.now = at;
        let b = u128::from(bytes) * BYTE;
        match self.config {
            Meter::OneRate { .. } => {
                if self.c < b {
                    return RED;
                }
                self.c -= b;
                GREEN
            }
            Meter::Srtcm(SrtcmConfig { aware, .. }) => {
                let (green, yellow) = (before == GREEN, before == YELLOW);
                if (!aware || green) && self.c >= b {
                    self.c -= b;
                    GREEN
                } else if (!aware || green || yellow) && self.other >= b {
                    self.other -= b;
                    YELLOW
                } else {
                    RED
                }
            }
            Meter::Trtcm(TrtcmConfig { aware, .. }) => {
                if (aware && before == RED) || self.other < b {
                    RED
                } else if (aware && before == YELLOW) || self.c < b {
                    self.other -= b;
                    YELLOW
                } else {
                    self.other -= b;
                    self.c -= b;
                    GREEN
                }
            }
        }
    }
}

/// Step of the rates of srtcm. Buckets hold a whole number of steps, so a step of tokens never
/// straddles two buckets.
const STEP: u64 = 100_000_000;

fn size() -> impl Strategy<Value = Size> {
    (1u64..4000).prop_map(Size::from_bytes)
}

/// Returns rates that fill a bucket of some kB within some µs, so a nanosecond can be a step.
fn rate() -> impl Strategy<Value = Rate> {
    (1u64..20_000_000_000).prop_map(|bits| Rate::from_bits_per_second(bits).unwrap())
}

fn meter() -> impl Strategy<Value = MeterConfig> {
    let stepped = (1u64..200).prop_map(|steps| Rate::from_bits_per_second(steps * STEP).unwrap());
    prop_oneof![
        (rate(), size()).prop_map(|(rate, burst)| Meter::OneRate { rate, burst }),
        (stepped, size(), size(), any::<bool>()).prop_map(|(cir, cbs, ebs, aware)| {
            Meter::Srtcm(SrtcmConfig { cir, cbs, ebs, aware })
        }),
        (rate(), rate(), size(), size(), any::<bool>()).prop_map(|(a, b, cbs, pbs, aware)| {
            let (cir, pir) = (a.min(b), a.max(b));
            Meter::Trtcm(TrtcmConfig { cir, cbs, pir, pbs, aware })
        }),
    ]
}

/// Returns a pipe without delay whose only conditioner marks packets by the colours of `meter`.
fn marking(meter: &MeterConfig) -> Pipe<Packet> {
    let actions = match meter {
        Meter::OneRate { .. } => r#""conform":{"dscp":10},"exceed":{"dscp":14}"#,
        _ => r#""green":{"dscp":"af11"},"yellow":{"dscp":"af12"},"red":{"dscp":"af13"}"#,
    };
    let meter = serde_json::to_string(meter).unwrap();
    packet_pipe(&format!(r#"{{"framing":"none","condition":[{{"meter":{meter},{actions}}}]}}"#))
}

fn packet(number: u64, dscp: u8) -> Packet {
    Packet { number, flow: 0, header: Some(Header { dscp, ..header(0) }) }
}

fn colour() -> impl Strategy<Value = u8> {
    prop::sample::select(vec![GREEN, YELLOW, RED])
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    /// RFC 2697 and 2698, section 3, and a bucket of one rate: every packet of a random trace gets
    /// the colour that the RFC's procedure gives.
    #[test]
    fn meters_follow_their_rfcs_exactly(
        meter in meter(),
        trace in vec((0u64..1500, 1u32..2500, colour()), 1..60),
    ) {
        let mut pipe = marking(&meter);
        let mut reference = Reference::new(meter);
        let mut now = 0;
        for (number, (wait, bytes, before)) in (0..).zip(trace) {
            now += wait;
            let expected = reference.mark(now, before, bytes.into());
            pipe.offer(ns(now), FrameInfo::single(bytes), packet(number, before)).unwrap();
            let marked = pipe.poll(ns(now)).expect("no delay").frame.header.unwrap().dscp;
            prop_assert_eq!(marked, expected, "packet {} at {} ns", number, now);
        }
    }

    /// A super-frame that may stay together gets the colour that each of its wire frames would get.
    /// Other super-frames are split. Either way the result is the same as for single frames.
    #[test]
    fn super_frames_are_as_their_wire_frames(
        meter in meter(),
        trace in vec((0u64..3000, 1u32..12, 60u32..1500, 60u32..1500), 1..30),
    ) {
        let (mut whole, mut single) = (marking(&meter), marking(&meter));
        let mut now = ns(0);
        for (number, (wait, frames, full, last)) in (0..).zip(trace) {
            now = ns(now.as_nanos() + wait);
            let last = last.min(full);
            let packet = packet(number, 0);
            let offer = |pipe: &mut Pipe<Packet>, frames: u32, last| {
                let info = FrameInfo::coalesced(frames, full, last);
                pipe.offer(now, info, packet).unwrap();
                let marked = pipe.poll(now).unwrap().frame.header.unwrap().dscp;
                vec![marked; frames as usize]
            };
            let info = FrameInfo::coalesced(frames, full, last);
            let together = whole.coalesce(now, &info, &packet);
            let colours: Vec<u8> = match together {
                1 => (1..=frames)
                    .flat_map(|at| offer(&mut whole, 1, if at == frames { last } else { full }))
                    .collect(),
                all => {
                    prop_assert_eq!(all, frames);
                    offer(&mut whole, frames, last)
                }
            };
            let each: Vec<u8> = (1..=frames)
                .flat_map(|at| offer(&mut single, 1, if at == frames { last } else { full }))
                .collect();
            prop_assert_eq!(together == 1 && frames > 1, !each.iter().all(|one| *one == each[0]));
            prop_assert_eq!(colours, each);
        }
    }

    /// For any rate, a packet conforms exactly from the nanosecond on at which its tokens have
    /// arrived, over hundreds of packets.
    #[test]
    fn nothing_is_rounded(bits in 1u64..1_000_000_007, bytes in 64u32..1500) {
        for count in [1, 7, 100, 300] {
            let (mut pipe, due) = spent(bits, bytes, count);
            // If the exact time is below a nanosecond, the nanosecond before does not exist.
            if let Some(early) = due.checked_sub(1) {
                prop_assert_eq!(dscp_at(&mut pipe, early, bytes), RED, "packet {}", count);
            }
            prop_assert_eq!(dscp_at(&mut pipe, due, bytes), GREEN, "packet {}", count);
        }
    }
}

/// Returns the DSCP that a packet gets at `nanos`.
fn dscp_at(pipe: &mut Pipe<Packet>, nanos: u64, bytes: u32) -> u8 {
    pipe.offer(ns(nanos), FrameInfo::single(bytes), packet(0, 0)).unwrap();
    pipe.poll(ns(nanos)).expect("no delay").frame.header.unwrap().dscp
}

/// Returns a pipe with a meter of this rate with room for two packets. Both have passed, and then
/// `count - 1` more, each when its tokens had arrived. Also returns the time at which the tokens of
/// the next packet will have arrived.
fn spent(bits: u64, bytes: u32, count: u64) -> (Pipe<Packet>, u64) {
    let mut pipe = marking(&Meter::OneRate {
        rate: Rate::from_bits_per_second(bits).unwrap(),
        burst: Size::from_bytes(2 * u64::from(bytes)),
    });
    let due = |number: u64| {
        let tokens = u128::from(number) * u128::from(bytes) * BYTE;
        tokens.div_ceil(u128::from(bits)) as u64
    };
    for number in std::iter::once(0).chain(0..count) {
        assert_eq!(dscp_at(&mut pipe, due(number), bytes), GREEN, "packet {number}");
    }
    (pipe, due(count))
}

/// Returns the DSCPs of the `arrivals` that a pipe delivers, and the numbers of those that it
/// polices.
fn fates(condition: &str, arrivals: &[Arrival]) -> (Vec<u8>, Vec<u64>) {
    let text = format!(r#"{{"framing":"none","condition":{condition}}}"#);
    let outcome = run(&mut packet_pipe(&text), arrivals.iter().copied());
    assert!(outcome.lost.iter().all(|lost| lost.reason == DropReason::Policed));
    let policed = outcome.statistics.dropped.policed.frames;
    assert_eq!(policed, outcome.lost.len() as u64);
    assert_eq!(outcome.statistics.dropped.total().frames, policed);
    let dscp = |packet: Packet| packet.header.map_or(255, |header| header.dscp);
    let delivered = outcome.delivered.iter().map(|delivered| dscp(delivered.packet)).collect();
    (delivered, outcome.lost.iter().map(|lost| lost.packet.number).collect())
}

fn burst(count: u64, dscp: u8) -> Vec<Arrival> {
    (0..count).map(|_| Arrival::new(ms(1), 7, 1000).dscp(dscp)).collect()
}

#[test]
fn conforming_packets_are_marked_and_others_dropped() {
    let condition =
        r#"[{"meter":{"rate":"8Mbit/s","burst":"3kB"},"conform":{"dscp":"ef"},"exceed":"drop"}]"#;
    assert_eq!(fates(condition, &burst(5, 0)), (vec![46; 3], vec![3, 4]));
    // Dropped packets took no tokens: a millisecond later there is room for one more.
    let later = Arrival::new(ms(2), 7, 1000);
    let all: Vec<_> = burst(5, 0).into_iter().chain([later, later]).collect();
    assert_eq!(fates(condition, &all), (vec![46; 4], vec![3, 4, 6]));
}

#[test]
fn the_first_conditioner_that_matches_has_the_packet() {
    let condition = r#"[{"match":{"dscp":"ef"},"conform":"pass"},
        {"match":{"protocol":"udp","source_port":7},"conform":{"dscp":1}},
        {"match":{"source":"10.0.0.0/8"},"conform":{"dscp":2}}, {"conform":"drop"}]"#;
    let of = |flow, dscp| Arrival::new(ms(1), flow, 100).dscp(dscp);
    let foreign = of(9, 0).with(|header| header.source = "11.0.0.1".parse().unwrap());
    let arrivals = [of(7, 46), of(7, 0), of(8, 0), foreign];
    assert_eq!(fates(condition, &arrivals), (vec![46, 1, 2], vec![3]));
}

#[test]
fn packets_that_none_matches_pass() {
    let condition = r#"[{"match":{"dscp":1},"conform":"drop"}]"#;
    assert_eq!(fates(condition, &[burst(1, 1), burst(1, 2)].concat()), (vec![2], vec![0]));
}

/// A router that polices must not lose its neighbours.
#[test]
fn frames_that_are_no_ip_packets_pass() {
    let arp = Arrival { header: None, ..Arrival::new(ms(1), 1, 60) };
    let condition = r#"[{"conform":"drop"}]"#;
    assert_eq!(fates(condition, &[arp, burst(1, 0)[0]]), (vec![255], vec![1]));
}

#[test]
fn meters_count_bytes_on_the_line() {
    // 1000 bytes and 24 of framing: two frames are 2048.
    for (framing, bursts) in
        [("ethernet", [2047, 2048]), ("none", [1999, 2000]), ("100B", [2199, 2200])]
    {
        let conforming = bursts.map(|bytes| {
            let text = format!(
                r#"{{"framing":"{framing}","condition":[
                    {{"meter":{{"rate":"1bit/s","burst":"{bytes}B"}},"exceed":"drop"}}]}}"#
            );
            run(&mut packet_pipe(&text), burst(3, 0)).delivered.len()
        });
        assert_eq!(conforming, [1, 2], "{framing}");
    }
}

/// A colour-aware meter never improves the colour of a packet, and only assured forwarding has
/// colours.
#[test]
fn aware_meters_read_the_drop_precedence() {
    let condition = r#"[{"meter":{"trtcm":{"cir":"1Gbit/s","cbs":"9kB","pir":"1Gbit/s","pbs":"9kB",
        "aware":true}},"green":{"dscp":1},"yellow":{"dscp":2},"red":{"dscp":3}}]"#;
    let all: Vec<_> = (0..64)
        .flat_map(|dscp| {
            let at = ms(u64::from(dscp) + 1);
            [Arrival { at, ..burst(1, dscp)[0] }]
        })
        .collect();
    let (marked, _) = fates(condition, &all);
    for (dscp, marked) in (0u8..).zip(marked) {
        let expected = match dscp {
            12 | 20 | 28 | 36 => 2,
            14 | 22 | 30 | 38 => 3,
            _ => 1,
        };
        assert_eq!(marked, expected, "DSCP {dscp}");
    }
}

/// The queue uses the DSCP that a conditioner set.
#[test]
fn conditioners_are_in_front_of_the_queue() {
    let text = r#"{"rate":"8Mbit/s","framing":"none",
        "condition":[{"match":{"source_port":2},"conform":{"dscp":"ef"}}],
        "queue":{"discipline":"prio","limit":"100packets"}}"#;
    let arrivals = [1, 1, 1, 2].map(|flow| Arrival::new(ms(0), flow, 1000));
    let outcome = run(&mut packet_pipe(text), arrivals);
    let flows: Vec<_> = outcome.delivered.iter().map(|one| one.packet.flow).collect();
    assert_eq!(flows, [1, 2, 1, 1]);
}

#[test]
fn a_policed_frame_is_rejected_and_logged_as_such() {
    let mut pipe = packet_pipe(r#"{"condition":[{"conform":"drop"}]}"#);
    pipe.record_events(true);
    let rejected = pipe.offer(ns(5), FrameInfo::single(100), packet(0, 9)).unwrap_err();
    assert_eq!((rejected.reason, rejected.reason.name()), (DropReason::Policed, "policed"));
    let events: Vec<FrameEvent> = std::iter::from_fn(|| pipe.poll_event()).collect();
    let reason = DropReason::Policed;
    assert_eq!(events[1].what, Occurrence::Rejected { reason });
    // A pipe that is down accepts nothing, and takes no tokens.
    pipe.change(ns(6), &change(r#"{"state":"down"}"#));
    let rejected = pipe.offer(ns(7), FrameInfo::single(100), packet(1, 9)).unwrap_err();
    assert_eq!(rejected.reason, DropReason::Down);
}

/// A change that does not set the condition leaves its buckets as they are. Setting another
/// condition fills them.
#[test]
fn meters_go_on_over_other_changes() {
    let condition = |exceed| {
        format!(
            r#"{{"condition":[{{"meter":{{"rate":"1bit/s","burst":"1kB"}},"exceed":"{exceed}",
                "conform":{{"dscp":1}}}}]}}"#
        )
    };
    let mut pipe = packet_pipe(&condition("drop"));
    pipe.change(ns(0), &change(r#"{"framing":"none"}"#));
    let offer = |pipe: &mut Pipe<Packet>| pipe.offer(ns(1), FrameInfo::single(1000), packet(0, 0));
    assert!(offer(&mut pipe).is_ok() && offer(&mut pipe).is_err());
    pipe.change(ns(1), &change(r#"{"delay":"1ms","rate":"1Gbit/s"}"#));
    pipe.change(ns(1), &change(&condition("drop")));
    assert!(offer(&mut pipe).is_err());
    pipe.change(ns(1), &change(&condition("pass")));
    assert!(offer(&mut pipe).is_ok());
    pipe.change(ns(1), &change(r#"{"condition":"none"}"#));
    assert!(offer(&mut pipe).is_ok() && offer(&mut pipe).is_ok());
    assert!(pipe.config().condition.is_none());
}

/// Conditions are serialized as they are parsed, and are described in words.
#[test]
fn conditions_are_written_as_they_are_read() {
    for text in [
        r#""none""#,
        r#"[{"conform":"pass"}]"#,
        r#"[{"match":{"dscp":46},"meter":{"rate":"5Mbit/s","burst":"20kB"},
            "conform":{"dscp":46},"exceed":"drop"}]"#,
        r#"[{"meter":{"srtcm":{"cir":"3Mbit/s","cbs":"20kB","ebs":"0B","aware":true}},
            "red":"drop"}]"#,
        r#"[{"meter":{"trtcm":{"cir":"3Mbit/s","cbs":"20kB","pir":"5Mbit/s","pbs":"20kB"}},
            "green":{"dscp":10},"yellow":{"dscp":12},"red":{"dscp":14}}]"#,
    ] {
        let text: String = text.split_whitespace().collect();
        let condition: Condition = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&condition).unwrap(), text);
    }
    let config = config(r#"{"condition":[{"conform":"drop"}]}"#);
    assert_eq!(config.in_words(), ["1 conditioner"]);
    assert!(!config.is_random());
    assert_eq!(change(r#"{"condition":"none"}"#).keys(), ["condition"]);
}

#[test]
fn errors_say_what_to_write_instead() {
    let error = |text: &str| {
        let result: Result<Condition, _> = serde_json::from_str(text);
        result.expect_err(text).to_string()
    };
    for (text, hint) in [
        (r#""some""#, "`none`, or a list"),
        (r#"[{}]"#, "add `conform`"),
        (r#"[{"match":{},"conform":"drop"}]"#, "`match` says nothing"),
        (r#"[{"exceed":"drop"}]"#, "without a `meter`"),
        (r#"[{"meter":{"rate":"5Mbit/s"},"exceed":"drop"}]"#, "needs a `burst` too"),
        (r#"[{"meter":{"burst":"5kB"},"exceed":"drop"}]"#, "needs a `rate` too"),
        (r#"[{"meter":{},"exceed":"drop"}]"#, "one of three"),
        (r#"[{"meter":{"rate":"1Mbit/s","burst":"0B"},"exceed":"drop"}]"#, "lets nothing conform"),
        (r#"[{"meter":{"rate":"1Mbit/s","burst":"1kB"}}]"#, "does nothing"),
        (r#"[{"meter":{"rate":"1Mbit/s","burst":"1kB"},"red":"drop"}]"#, "write `conform`"),
        (
            r#"[{"meter":{"srtcm":{"cir":"1Mbit/s","cbs":"1kB","ebs":"1kB"}},"exceed":"drop"}]"#,
            "write `green`",
        ),
        (
            r#"[{"meter":{"srtcm":{"cir":"1Mbit/s","cbs":"0B","ebs":"0B"}},"red":"drop"}]"#,
            "not both 0B",
        ),
        (
            r#"[{"meter":{"trtcm":{"cir":"2Mbit/s","cbs":"1kB","pir":"1Mbit/s","pbs":"1kB"}}}]"#,
            "at least `cir`",
        ),
        (
            r#"[{"meter":{"trtcm":{"cir":"1Mbit/s","cbs":"1kB","pir":"1Mbit/s","pbs":"0B"}}}]"#,
            "above 0B",
        ),
        (r#"[{"conform":"mark"}]"#, "`pass`, `drop` or `{dscp: af11}`"),
        (r#"[{"conform":{"dscp":64}}]"#, "0 to 63"),
        (r#"[{"conform":"pass"},{"conform":"drop"}]"#, "2 is never reached"),
    ] {
        assert!(error(text).contains(hint), "{text}: {}", error(text));
    }
    let many = vec![r#"{"match":{"dscp":1},"conform":"drop"}"#; 65].join(",");
    assert!(error(&format!("[{many}]")).contains("at most 64"));
}

/// `framing` has an effect if a meter counts bytes on the line, even without a rate.
#[test]
fn framing_has_an_effect_on_meters() {
    let metered = r#"{"framing":"none","condition":[
        {"meter":{"rate":"1Mbit/s","burst":"1kB"},"exceed":"drop"}]}"#;
    let unmetered = r#"{"framing":"none","condition":[{"conform":"drop"}]}"#;
    let findings = |text| change(text).without_effect(Circumstances::of(&config(text)));
    assert_eq!(findings(metered), []);
    assert_eq!(findings(unmetered)[0].property, "framing");
}
