//! Output for people: rounded numbers, and text of others without characters that a terminal
//! interprets. Not here: text that is parsed again, which is exact (`text`).

use std::borrow::Cow;
use std::fmt::Write;

use crate::Duration;

/// Returns a number of things: `1 link`, `3 links`.
pub fn counted(number: usize, what: &str) -> String {
    format!("{number} {what}{}", if number == 1 { "" } else { "s" })
}

/// Returns the first names of a list, at most three, and how many more there are: `a, b, c and 4
/// more`.
///
/// ```
/// # use netloom_units::readable::first_of;
/// let names = ["a", "b", "c", "d"].map(String::from);
/// assert_eq!(first_of(&names[..3]), "a, b, c");
/// assert_eq!(first_of(&names), "a, b, c and 1 more");
/// ```
pub fn first_of(names: &[String]) -> String {
    let (named, others) = names.split_at(names.len().min(3));
    let named = named.join(", ");
    if others.is_empty() { named } else { format!("{named} and {} more", others.len()) }
}

/// Returns a count with thin separators: `12 345 678`.
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

/// Returns a bit rate with three significant digits: `94.1 Mbit/s`.
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

/// Returns microseconds in a fitting unit: `38 µs`, `1.25 ms`.
pub fn micros(micros: f64) -> String {
    if micros >= 1000.0 { format!("{:.2} ms", micros / 1000.0) } else { format!("{micros:.0} µs") }
}

/// Returns a length of time in seconds, to the millisecond: `0.709 s`.
pub fn seconds(length: Duration) -> String {
    format!("{:.3} s", length.as_secs_f64())
}

/// Returns `text` with every character that a terminal interprets written as `\u001b`. These are
/// control characters, except the ends of lines and tabs, and characters that change the direction
/// of writing. In a JSON string, the result stands for the same character.
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_obeyed) {
        return Cow::Borrowed(text);
    }
    let mut harmless = String::with_capacity(text.len() + 16);
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        match character {
            // The end of a line in text of other systems.
            '\r' if characters.peek() == Some(&'\n') => {}
            // Writing to a string cannot fail.
            _ if is_obeyed(character) => _ = write!(harmless, "\\u{:04x}", u32::from(character)),
            _ => harmless.push(character),
        }
    }
    Cow::Owned(harmless)
}

fn is_obeyed(character: char) -> bool {
    match character {
        '\n' | '\t' => false,
        '\u{061c}'
        | '\u{200e}'
        | '\u{200f}'
        | '\u{202a}'..='\u{202e}'
        | '\u{2066}'..='\u{2069}' => true,
        _ => character.is_control(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_obeys_nothing_of_a_plain_text() {
        assert_eq!(plain("näh\t1\n"), "näh\t1\n");
        assert_eq!(plain("\u{1b}]0;title\u{7}"), "\\u001b]0;title\\u0007");
        assert_eq!(plain("a\u{7f}b\u{9b}31m"), "a\\u007fb\\u009b31m");
        assert_eq!(plain("\u{202e}txt.exe\u{2069}"), "\\u202etxt.exe\\u2069");
        assert_eq!(plain("one\r\ntwo\rthree"), "one\ntwo\\u000dthree");
    }

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
