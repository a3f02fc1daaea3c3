//! Quantities in the notation that people write.

use netloom_units::{
    Angle, Coordinate, Duration, Frequency, Gain, Length, Loss, Power, Probability, Rate, Size,
    Speed, Time,
};

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

#[test]
fn quantities_of_space_and_radio_are_read_and_printed() {
    for text in ["250m", "1.5km", "5cm", "7.62m", "0um"] {
        assert_eq!(text.parse::<Length>().unwrap().to_string(), text);
    }
    for text in ["-12.5m", "0um", "3km"] {
        assert_eq!(text.parse::<Coordinate>().unwrap().to_string(), text);
    }
    for text in ["5m/s", "13.889m/s", "1mm/s"] {
        assert_eq!(text.parse::<Speed>().unwrap().to_string(), text);
    }
    for text in ["2.412GHz", "914MHz", "22MHz"] {
        assert_eq!(text.parse::<Frequency>().unwrap().to_string(), text);
    }
    for text in ["-64.374771dBm", "16dBm", "0dBm", "-0.5dBm"] {
        assert_eq!(text.parse::<Power>().unwrap().to_string(), text);
    }
    for text in ["-3dB", "0.4dB", "0dB"] {
        assert_eq!(text.parse::<Gain>().unwrap().to_string(), text);
    }
    assert_eq!("2.15dBi".parse::<Gain>().unwrap().decibels(), 2.15);
    assert_eq!("9 dB".parse::<Loss>().unwrap().decibels(), 9.0);
    assert_eq!("-90deg".parse::<Angle>().unwrap().to_string(), "-90deg");
    assert_eq!("52.5°".parse::<Angle>().unwrap().degrees(), 52.5);
}

#[test]
fn what_space_and_radio_are_written_in_is_said() {
    fn error<T: std::str::FromStr<Err = netloom_units::UnitError>>(text: &str) -> String {
        text.parse::<T>().err().unwrap_or_else(|| panic!("{text} was read")).to_string()
    }
    let cases = [
        (error::<Power>("20mW"), "powers are in `dBm`: 20mW is `13.01dBm`"),
        (error::<Power>("1 mW"), "powers are in `dBm`: 1 mW is `0dBm`"),
        (error::<Power>("0.1W"), "is `20dBm`"),
        (error::<Power>("0mW"), "`radio: off`"),
        (error::<Power>("0"), "like `0dBm`"),
        (error::<Power>("16dB"), "a power is in `dBm`"),
        (error::<Loss>("-1dB"), "negative"),
        (error::<Gain>("2000dB"), "at most 1000 dB"),
        (error::<Length>("25ft"), "0.3048m"),
        (error::<Speed>("36km/h"), "3.6 km/h are `1m/s`"),
        (error::<Coordinate>("2000000km"), "at most 1000000km"),
        (error::<Frequency>("0Hz"), "at least 1Hz"),
        (error::<Angle>("400deg"), "at most 360deg"),
    ];
    for (message, part) in cases {
        assert!(message.contains(part), "{message}");
    }
}
