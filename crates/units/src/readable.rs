//! Numbers for people: rounded to what an eye takes in. Not here: text that is read back, which is
//! exact (`text`).

use crate::Duration;

/// So many of something: `1 link`, `3 links`.
pub fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// A count with thin separators: `12 345 678`.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(' ');
        }
        text.push(digit);
    }
    text
}

/// A bit rate with three significant digits: `94.1 Mbit/s`.
pub fn bit_rate(bits_per_second: f64) -> String {
    let units = [(1e9, "Gbit/s"), (1e6, "Mbit/s"), (1e3, "kbit/s")];
    for (worth, unit) in units {
        if bits_per_second >= worth {
            let value = bits_per_second / worth;
            let places = if value >= 100.0 {
                0
            } else if value >= 10.0 {
                1
            } else {
                2
            };
            return format!("{value:.places$} {unit}");
        }
    }
    format!("{bits_per_second:.0} bit/s")
}

/// Microseconds in a fitting unit: `38 µs`, `1.25 ms`.
pub fn micros(micros: f64) -> String {
    if micros >= 1000.0 { format!("{:.2} ms", micros / 1000.0) } else { format!("{micros:.0} µs") }
}

/// A length of time in seconds, to the millisecond: `0.709 s`.
pub fn seconds(length: Duration) -> String {
    format!("{:.3} s", length.as_secs_f64())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(counted(1, "link"), "1 link");
        assert_eq!(counted(2, "node"), "2 nodes");
        assert_eq!(count(0), "0");
        assert_eq!(count(1234), "1 234");
        assert_eq!(count(12_345_678), "12 345 678");
        assert_eq!(bit_rate(94_123_000.0), "94.1 Mbit/s");
        assert_eq!(bit_rate(949e6), "949 Mbit/s");
        assert_eq!(bit_rate(12.0), "12 bit/s");
        assert_eq!(micros(38.2), "38 µs");
        assert_eq!(micros(1250.0), "1.25 ms");
    }
}
