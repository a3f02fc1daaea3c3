//! Configurations of pipes, as text and overlaid with each other.

use crate::common::{change, config};
use netloom_link::{Framing, InFlight, LinkState, PipeChange, PipeConfig, QueueLimit, RateLimit};
use netloom_units::{Duration, Size};

#[test]
fn every_value_is_printed_as_it_is_read() {
    for text in ["unlimited", "10Mbit/s", "1.5Gbit/s"] {
        assert_eq!(text.parse::<RateLimit>().unwrap().to_string(), text);
    }
    for text in ["ethernet", "none", "38B"] {
        assert_eq!(text.parse::<Framing>().unwrap().to_string(), text);
    }
    for text in ["default", "100packets", "64KiB", "50ms"] {
        assert_eq!(text.parse::<QueueLimit>().unwrap().to_string(), text);
    }
    assert_eq!("1 packet".parse::<QueueLimit>().unwrap(), QueueLimit::Packets(1));
    let bytes = QueueLimit::Bytes(Size::from_bytes(1500));
    assert_eq!("1500 bytes".parse::<QueueLimit>().unwrap(), bytes);
}

#[test]
fn errors_say_what_to_write_instead() {
    let error = |text: &str| text.parse::<QueueLimit>().unwrap_err().to_string();
    assert!(error("0packets").contains("1 to 4294967295"));
    assert!(error("100").contains("100packets"), "{}", error("100"));
    assert!(error("5parsecs").contains("`100packets`"), "{}", error("5parsecs"));
    assert!("70000B".parse::<Framing>().unwrap_err().to_string().contains("65535B"));
    assert!("atm".parse::<Framing>().unwrap_err().to_string().contains("`ethernet`"));
    assert!("10Mbps".parse::<RateLimit>().unwrap_err().to_string().contains("Mbit/s"));
    let unknown = serde_json::from_str::<PipeChange>(r#"{"dealy":"10ms"}"#);
    assert!(unknown.unwrap_err().to_string().contains("dealy"));
}

#[test]
fn a_change_affects_only_the_properties_that_it_sets() {
    let before = config(r#"{"rate":"10Mbit/s","delay":"5ms","queue":{"limit":"10packets"}}"#);
    let mut after = before.clone();
    change(r#"{"delay":"7ms","queue":{"discipline":"fifo"}}"#).apply_to(&mut after);
    assert_eq!(after, PipeConfig { delay: Duration::from_millis(7).into(), ..before });
    assert!(change("{}").is_empty() && !change(r#"{"state":"up"}"#).is_empty());
}

#[test]
fn the_later_of_two_changes_wins() {
    let first = change(r#"{"rate":"1Mbit/s","loss":"1%","queue":{"limit":"5ms"}}"#);
    let second = change(
        r#"{"rate":"2Mbit/s","state":"down","in_flight":"deliver","queue":{"discipline":"fifo"}}"#,
    );
    let both = first.overlaid(&second);
    let mut one_by_one = PipeConfig::default();
    first.apply_to(&mut one_by_one);
    second.apply_to(&mut one_by_one);
    let mut at_once = PipeConfig::default();
    both.apply_to(&mut at_once);
    assert_eq!(at_once, one_by_one);
    assert_eq!((at_once.state, at_once.in_flight), (LinkState::Down, InFlight::Deliver));
    assert_eq!(at_once.queue.limit, QueueLimit::Time(Duration::from_millis(5)));
}

#[test]
fn configurations_survive_json() {
    let config = config(r#"{"rate":"10Mbit/s","loss":"0.1%","framing":"38B","delay":"1.5ms"}"#);
    let text = serde_json::to_string(&config).unwrap();
    assert_eq!(serde_json::from_str::<PipeConfig>(&text).unwrap(), config);
}

#[test]
fn framing_counts_bytes_on_the_line() {
    assert_eq!(Framing::Ethernet.line_bytes(1514), 1538);
    assert_eq!(Framing::Ethernet.line_bytes(42), 84);
    assert_eq!(Framing::None.line_bytes(42), 42);
    assert_eq!(Framing::Bytes(38).line_bytes(42), 80);
    assert_eq!(Framing::Ethernet.line_bytes(u32::MAX), u32::MAX);
}
