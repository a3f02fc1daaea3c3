//! The units of tc(8), parsed and printed. They differ from NetLoom's: `kbps` is 1000 bytes per
//! second, `kb` is 1024 bytes, and a number alone has a default unit.

use netloom_units::{Duration, Probability, Quantity, Rate, Size, UnitError};

const RATE: Quantity = Quantity {
    name: "tc rate",
    base: "bits per second",
    example: "10mbit",
    units: &[
        ("tibps", 8 << 40),
        ("tbps", 8_000_000_000_000),
        ("tibit", 1 << 40),
        ("tbit", 1_000_000_000_000),
        ("gibps", 8 << 30),
        ("gbps", 8_000_000_000),
        ("gibit", 1 << 30),
        ("gbit", 1_000_000_000),
        ("mibps", 8 << 20),
        ("mbps", 8_000_000),
        ("mibit", 1 << 20),
        ("mbit", 1_000_000),
        ("kibps", 8 << 10),
        ("kbps", 8000),
        ("kibit", 1 << 10),
        ("kbit", 1000),
        ("bps", 8),
        ("bit", 1),
    ],
    aliases: &[],
    ambiguous: &[
        ("mbit/s", "tc writes `mbit`"),
        ("kbit/s", "tc writes `kbit`"),
        ("gbit/s", "tc writes `gbit`"),
        ("bit/s", "tc writes `bit`"),
        ("mb", "write `mbit` for megabits or `mbps` for megabytes per second"),
        ("kb", "write `kbit` for kilobits or `kbps` for kilobytes per second"),
        ("%", "NetLoom's interfaces have no speed of their own: write a rate, like `10mbit`"),
    ],
};

const TIME: Quantity = Quantity {
    name: "tc time",
    base: "nanoseconds",
    example: "10ms",
    units: &[("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1000), ("ns", 1)],
    aliases: &[
        ("sec", "s"),
        ("secs", "s"),
        ("msec", "ms"),
        ("msecs", "ms"),
        ("usec", "us"),
        ("usecs", "us"),
        ("nsec", "ns"),
        ("nsecs", "ns"),
    ],
    ambiguous: &[("m", "tc knows `s`, `ms`, `us` and `ns`")],
};

const SIZE: Quantity = Quantity {
    name: "tc size",
    base: "bytes",
    example: "10kb",
    units: &[
        ("gb", 1 << 30),
        ("gbit", 1 << 27),
        ("mb", 1 << 20),
        ("mbit", 1 << 17),
        ("kb", 1 << 10),
        ("kbit", 1 << 7),
        ("b", 1),
    ],
    aliases: &[("k", "kb"), ("m", "mb"), ("g", "gb")],
    ambiguous: &[("kib", "tc's `kb` is 1024 bytes"), ("mib", "tc's `mb` is 1024² bytes")],
};

/// Parses a rate. A number alone is in bit/s.
pub(super) fn rate(text: &str) -> Result<Rate, UnitError> {
    let bits = quantity(RATE, text, "bit")?;
    Rate::from_bits_per_second(bits).ok_or_else(|| UnitError::OutOfRange {
        text: text.into(),
        range: "a rate is at least 1bit and at most 10tbit",
    })
}

/// Parses a time. A number alone is in microseconds.
pub(super) fn time(text: &str) -> Result<Duration, UnitError> {
    quantity(TIME, text, "us").map(Duration::from_nanos)
}

/// Parses a size. A number alone is in bytes.
pub(super) fn size(text: &str) -> Result<Size, UnitError> {
    quantity(SIZE, text, "b").map(Size::from_bytes)
}

/// Parses a percentage, with or without `%`.
pub(super) fn percent(text: &str) -> Result<Probability, UnitError> {
    match text.strip_suffix('%') {
        Some(_) => text.parse(),
        None => format!("{text}%").parse(),
    }
}

/// Parses a count. tc parses counts as sizes, so `1k` is 1024.
pub(super) fn count(text: &str) -> Result<u32, UnitError> {
    let count = quantity(SIZE, text, "b")?;
    u32::try_from(count)
        .map_err(|_| UnitError::OutOfRange { text: text.into(), range: "tc counts to 4294967295" })
}

/// Parses a quantity; `unit` is the unit of a number alone. As in tc, units are not case-sensitive.
fn quantity(quantity: Quantity, text: &str, unit: &str) -> Result<u64, UnitError> {
    let lower = text.to_ascii_lowercase();
    let is_bare = lower.ends_with(|c: char| c.is_ascii_digit());
    if is_bare { quantity.parse(&format!("{lower}{unit}")) } else { quantity.parse(&lower) }
}

/// Prints a rate that tc can parse, without a fraction.
pub(super) fn print_rate(rate: Rate) -> String {
    whole(
        rate.bits_per_second(),
        &[("gbit", 1_000_000_000), ("mbit", 1_000_000), ("kbit", 1000), ("bit", 1)],
    )
}

/// Prints a time that tc can parse. Not every tc knows nanoseconds, so it prints fractions of
/// microseconds instead.
pub(super) fn print_time(time: Duration) -> String {
    let nanos = time.as_nanos();
    match nanos % 1000 {
        0 => whole(nanos / 1000, &[("s", 1_000_000), ("ms", 1000), ("us", 1)]),
        rest => {
            let micros = format!("{}.{rest:03}", nanos / 1000);
            format!("{}us", micros.trim_end_matches('0'))
        }
    }
}

/// Prints a size that tc can parse, without a fraction.
pub(super) fn print_size(size: Size) -> String {
    whole(size.bytes(), &[("mb", 1 << 20), ("kb", 1 << 10), ("b", 1)])
}

/// Prints `value` in the largest unit of which it is a whole multiple.
fn whole(value: u64, units: &[(&str, u64)]) -> String {
    let fits = |(_, worth): &&(&str, u64)| value > 0 && value.is_multiple_of(*worth);
    match units.iter().find(fits) {
        Some((unit, worth)) => format!("{}{unit}", value / worth),
        // No unit fits zero, so the last one is used, whose factor is 1.
        None => format!("{value}{}", units.last().map_or("", |(unit, _)| unit)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected values are those that `tc` from iproute2 6.1 sends to the kernel.
    #[test]
    fn units_have_the_same_values_as_in_tc() {
        let rates = [
            ("1000", 1000),
            ("1mbit", 1_000_000),
            ("1.5MBit", 1_500_000),
            ("8kbps", 64_000),
            ("1Kibit", 1024),
            ("1bps", 8),
        ];
        for (text, bits) in rates {
            assert_eq!(rate(text).unwrap().bits_per_second(), bits, "{text}");
        }
        let times = [("100", 100_000), ("1MS", 1_000_000), ("2secs", 2_000_000_000), ("7ns", 7)];
        for (text, nanos) in times {
            assert_eq!(time(text).unwrap().as_nanos(), nanos, "{text}");
        }
        for (text, bytes) in [("10", 10), ("10kb", 10_240), ("1k", 1024), ("8kbit", 1024)] {
            assert_eq!(size(text).unwrap().bytes(), bytes, "{text}");
        }
        assert_eq!(percent("1").unwrap(), percent("1%").unwrap());
        assert!(rate("1mb").unwrap_err().to_string().contains("`mbit` for megabits"));
        assert!(rate("1Mbit/s").unwrap_err().to_string().contains("tc writes `mbit`"));
        assert!(rate("0").is_err() && time("-1ms").is_err() && percent("101").is_err());
    }

    #[test]
    fn printed_quantities_survive_a_round_trip() {
        for bits in [1, 999, 1000, 1_544_000, 10_000_000, 25_000_000_000, 1_000_001] {
            let given = Rate::from_bits_per_second(bits).unwrap();
            assert_eq!(rate(&print_rate(given)).unwrap(), given);
        }
        for nanos in [0, 1, 1500, 1_500_000, 20_000_000, 3_000_000_000] {
            let given = Duration::from_nanos(nanos);
            assert_eq!(time(&print_time(given)).unwrap(), given);
        }
        assert_eq!(print_size(Size::from_bytes(10_240)), "10kb");
        assert_eq!(print_time(Duration::from_nanos(1_020)), "1.02us");
        assert_eq!(print_time(Duration::from_nanos(7)), "0.007us");
    }
}
