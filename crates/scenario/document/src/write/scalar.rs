//! Texts and numbers, quoted only where they need it.

use std::fmt::Write as _;

use crate::value::Value;
use crate::yaml::Plain;

/// Place of a scalar.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Not inside of `[]` or `{}`.
    Block,
    /// Inside of `[]` or `{}`.
    Flow,
}

/// Words that readers of YAML 1.1 take for `true`, `false` or numbers.
const OLD_WORDS: [&str; 9] = ["yes", "no", "on", "off", ".inf", "-.inf", "+.inf", ".nan", "="];

/// Returns a value that is neither a list nor a mapping as YAML, on one line.
pub(crate) fn scalar(value: &Value, place: Place) -> String {
    match value {
        Value::Bool(value) => value.to_string(),
        Value::Unsigned(number) => number.to_string(),
        Value::Negative(number) => number.to_string(),
        // What is read from `1e999`.
        Value::Float(number) if number.is_infinite() => {
            if *number > 0.0 {
                "1e999".into()
            } else {
                "-1e999".into()
            }
        }
        // With a point or an exponent, so that it stays what it is.
        Value::Float(number) => format!("{number:?}"),
        Value::Text(value) => text(value, place),
        Value::Null | Value::List(_) | Value::Mapping(_) => "null".into(),
    }
}

/// Returns a text as YAML, on one line.
pub(crate) fn text(text: &str, place: Place) -> String {
    if is_plain(text, place) { text.into() } else { quoted(text) }
}

/// Whether a text needs no quotes, neither for this reader nor for those of YAML 1.1.
fn is_plain(text: &str, place: Place) -> bool {
    let is_harmless = |c: char| {
        c.is_alphanumeric()
            || " ._-+/%:=@()<>~^$*!?;&|".contains(c)
            || (place == Place::Block && c == ',')
    };
    let begins_well = text.starts_with(|c: char| c.is_alphanumeric() || "./+_($^".contains(c))
        || text.strip_prefix('-').is_some_and(|rest| rest.starts_with(char::is_alphanumeric));
    begins_well
        && text.chars().all(is_harmless)
        && text.trim() == text
        && !text.contains(": ")
        && !text.ends_with(':')
        && !text.ends_with(" -")
        && !text.starts_with("...")
        && matches!(Plain::read(text), Plain::Text(_))
        && !is_old(text)
}

/// Whether readers of YAML 1.1 take a text for something else: `yes`, `12:30`, `2026-11-28`.
fn is_old(text: &str) -> bool {
    let lower = text.to_lowercase();
    let is_number = text.starts_with(|c: char| c.is_ascii_digit() || "+-.".contains(c))
        && text.chars().all(|c| c.is_ascii_hexdigit() || "+-_.:xXoO TZ".contains(c))
        && text.contains([':', '_', '-', '+', 'x', 'o', 'X', 'O']);
    OLD_WORDS.contains(&lower.as_str()) || is_number
}

/// Returns a text in double quotes.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 2);
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            // Writing to a string cannot fail.
            c if needs_escape(c) => {
                let _ = match u32::from(c) {
                    code @ ..=0xff => write!(out, "\\x{code:02x}"),
                    code @ ..=0xffff => write!(out, "\\u{code:04x}"),
                    code => write!(out, "\\U{code:08x}"),
                };
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Returns a text in single quotes, or in double quotes if it needs escapes.
pub(crate) fn single_quoted(text: &str) -> String {
    if text.chars().any(needs_escape) {
        return quoted(text);
    }
    format!("'{}'", text.replace('\'', "''"))
}

/// Whether a character cannot be written as it is: one that no editor shows, or that ends a line.
pub(super) fn needs_escape(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{fffe}' | '\u{ffff}')
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quotes_are_only_where_they_are_needed() {
        let plain = [
            "a",
            "10Mbit/s",
            "a:eth1",
            "10.0.0.1/24",
            "fd00::1",
            "delay 10ms 2ms loss 1%",
            "./netloom",
            "-1ms",
            "a--b",
            "802.11b",
        ];
        for word in plain {
            assert_eq!(text(word, Place::Flow), word);
        }
        let quoted = [
            ("", "\"\""),
            ("1", "\"1\""),
            ("true", "\"true\""),
            ("yes", "\"yes\""),
            ("8080:80", "\"8080:80\""),
            ("2026-11-28", "\"2026-11-28\""),
            ("a: b", "\"a: b\""),
            ("a #b", "\"a #b\""),
            ("::/0", "\"::/0\""),
            (" a", "\" a\""),
            ("- a", "\"- a\""),
            ("say \"x\"\n", "\"say \\\"x\\\"\\n\""),
            ("\u{0}\u{85}\u{2028}", "\"\\x00\\x85\\u2028\""),
        ];
        for (word, written) in quoted {
            assert_eq!(text(word, Place::Block), written);
        }
        assert_eq!(text("a,b", Place::Block), "a,b");
        assert_eq!(text("a,b", Place::Flow), "\"a,b\"");
    }

    #[test]
    fn numbers_stay_what_they_are() {
        let written = |value| scalar(&value, Place::Block);
        assert_eq!(written(Value::Float(5.0)), "5.0");
        assert_eq!(written(Value::Float(1e300)), "1e300");
        assert_eq!(written(Value::Float(f64::NEG_INFINITY)), "-1e999");
        assert_eq!(written(Value::Negative(-3)), "-3");
        assert_eq!(written(Value::Unsigned(u64::MAX)), u64::MAX.to_string());
    }
}
