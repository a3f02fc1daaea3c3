//! Quantities as people write them.

use netloom_units::{Duration, Probability, Rate, Size, Time};

fn rate(text: &str) -> Result<u64, String> {
    text.parse::<Rate>().map(Rate::bits_per_second).map_err(|e| e.to_string())
}

#[test]
fn texts_are_read_exactly() {
    assert_eq!(rate("10Mbit/s"), Ok(10_000_000));
    assert_eq!(rate("1.544Mbit/s"), Ok(1_544_000));
    assert_eq!(rate("1 Gbit/s"), Ok(1_000_000_000));
    assert_eq!("0.1ms".parse::<Duration>().unwrap(), Duration::from_micros(100));
    assert_eq!("5µs".parse::<Duration>().unwrap(), Duration::from_micros(5));
    assert_eq!("0".parse::<Duration>().unwrap(), Duration::ZERO);
    assert_eq!("64KiB".parse::<Size>().unwrap().bytes(), 65_536);
    assert_eq!("0.001%".parse::<Probability>().unwrap().value(), 1e-5);
}

#[test]
fn errors_say_what_to_write() {
    let cases = [
        ("100", "`100` has no unit; write it with one, like `100Mbit/s`"),
        ("10mbit/s", "`mbit/s` is not a unit of rate; did you mean `Mbit/s`?"),
        (
            "10Mbps",
            "`Mbps` is not a unit of rate; \
             tc reads it as megabytes, others as megabits: write `Mbit/s`",
        ),
        ("fast", "`fast` is not a rate; write a number and a unit, like `10Mbit/s`"),
        ("-1Mbit/s", "`-1Mbit/s` is negative; a rate is zero or more"),
        ("1.5bit/s", "`1.5bit/s` is not a whole number of bit/s; nothing is rounded silently"),
    ];
    for (text, message) in cases {
        assert_eq!(rate(text), Err(message.to_string()));
    }
    assert!(rate("0Mbit/s").unwrap_err().contains("state: down"));
    assert!("5m".parse::<Duration>().unwrap_err().to_string().contains("`min`"));
    assert!("101%".parse::<Probability>().is_err());
    assert!("0.01".parse::<Probability>().unwrap_err().to_string().contains("0.01%"));
}

#[test]
fn printing_reads_back() {
    for text in ["10Mbit/s", "1.544Mbit/s", "1234.567kbit/s", "1Gbit/s"] {
        assert_eq!(text.parse::<Rate>().unwrap().to_string(), text);
    }
    for text in ["10ms", "20.066ms", "1min", "1.5s", "3ns", "0ns"] {
        assert_eq!(text.parse::<Duration>().unwrap().to_string(), text);
    }
    for text in ["1%", "0.001%", "33.3%", "100%", "0%"] {
        assert_eq!(text.parse::<Probability>().unwrap().to_string(), text);
    }
}

#[test]
fn serialization_time_is_exact() {
    let gigabit: Rate = "1Gbit/s".parse().unwrap();
    assert_eq!(gigabit.time_for(Size::from_bytes(1538)), Duration::from_nanos(12_304));
    assert_eq!(gigabit.bytes_in(Duration::from_millis(100)).bytes(), 12_500_000);
    assert_eq!((Time::ZERO + Duration::from_millis(1500)).to_string(), "1.500000000s");
}
