//! The grammar of the older tool.

use netloom_shape::netconfig::{Command, HELP, parse};
use netloom_shape::{Lifetime, prefix};
use netloom_units::Duration;
use proptest::prelude::*;

fn read(line: &str) -> Result<Command, String> {
    let words: Vec<String> = line.split_whitespace().map(Into::into).collect();
    parse(&words, &mut |host| match host {
        "www.example.org" => Ok(vec![prefix("203.0.113.7")?]),
        other => Err(format!("cannot find `{other}`")),
    })
}

#[test]
fn a_line_becomes_a_claim() {
    let line = "config client 80@203.0.113.7 -t 2hours IN delay 100ms OUT bw 1Mbit/s";
    let Ok(Command::Config { name, replaces, claim }) = read(line) else { panic!("{line}") };
    assert_eq!(name, "client-80");
    assert_eq!(replaces, ["service-80"]);
    assert_eq!(claim.selector.to_string(), "client 80 to 203.0.113.7/32");
    assert_eq!(claim.lifetime, Lifetime::For(Duration::from_secs(7200)));
    let [out, inward] = claim.pipes();
    assert_eq!(out.rate.to_string(), "1Mbit/s");
    assert_eq!(inward.delay.to_string(), "100ms");
}

#[test]
fn a_claim_lasts_a_day_and_names_of_hosts_are_looked_up() {
    let line = "config SERVICE 53,80@www.example.org OUT delay 5ms";
    let Ok(Command::Config { name, replaces, claim }) = read(line) else { panic!("{line}") };
    assert_eq!(name, "service-53_80");
    assert_eq!(replaces, ["client-53_80", "server-53_80"]);
    assert_eq!(claim.lifetime, Lifetime::For(Duration::from_secs(86400)));
    assert_eq!(claim.selector.to_string(), "service 53,80 with 203.0.113.7/32");
}

#[test]
fn every_example_of_the_help_is_read() {
    let examples: Vec<&str> = HELP
        .lines()
        .filter(|line| line.starts_with("netconfig ") && !line.contains(['[', '{']))
        .collect();
    assert!(examples.len() >= 6, "{examples:?}");
    for example in examples {
        let words = example.trim_start_matches("netconfig ");
        assert!(read(words).is_ok(), "{example}: {:?}", read(words));
    }
}

#[test]
fn what_is_not_understood_is_said() {
    let cases = [
        ("configure client 80", "no command"),
        ("config klient 80", "none of `client`"),
        ("config client", "which ports?"),
        ("config client 80 -t", "lacks its time"),
        ("config client 80 -t 2moons", "no time"),
        ("config client 80 delay 5ms", "`IN` or `OUT` first"),
        ("config client 80 IN delay 5ms IN delay 6ms", "stands twice"),
        ("config client 80@nowhere IN delay 5ms", "cannot find `nowhere`"),
        ("show claims", "nothing to show"),
        ("delete client 80 81", "too much"),
    ];
    for (line, expected) in cases {
        let why = read(line).expect_err(line);
        assert!(why.contains(expected), "{line}: {why}");
    }
}

proptest! {
    #[test]
    fn no_line_is_a_panic(
        words in prop::collection::vec("(config|client|80|-t|IN|OUT|delay|5ms|@|\\PC{0,6})", 0..12)
    ) {
        let _ = parse(&words, &mut |_| Err("nowhere".into()));
    }
}
