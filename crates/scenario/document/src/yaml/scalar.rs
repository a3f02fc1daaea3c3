//! Types of plain scalars, by the core schema of YAML 1.2 (section 10.3.2). In it, `yes`, `no`,
//! `on` and `12:30` are texts.

/// The value of a plain scalar.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Plain<'a> {
    /// An empty scalar, `~` or `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A whole number of zero or more.
    Unsigned(u64),
    /// A whole number below zero.
    Negative(i64),
    /// Any other number.
    Float(f64),
    /// Anything else.
    Text(&'a str),
}

impl<'a> Plain<'a> {
    /// Parses `text`.
    pub fn read(text: &'a str) -> Self {
        match text {
            "" | "~" | "null" | "Null" | "NULL" => Self::Null,
            "true" | "True" | "TRUE" => Self::Bool(true),
            "false" | "False" | "FALSE" => Self::Bool(false),
            _ => number(text).unwrap_or(Self::Text(text)),
        }
    }
}

fn number<'a>(text: &str) -> Option<Plain<'a>> {
    let radix = |digits: &str, radix| u64::from_str_radix(digits, radix).ok().map(Plain::Unsigned);
    if let Some(digits) = text.strip_prefix("0x") {
        return radix(digits, 16);
    }
    if let Some(digits) = text.strip_prefix("0o") {
        return radix(digits, 8);
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !unsigned.starts_with(|c: char| c.is_ascii_digit() || c == '.') {
        return None;
    }
    if unsigned.bytes().all(|byte| byte.is_ascii_digit()) {
        if let Ok(number) = text.parse() {
            return Some(Plain::Unsigned(number));
        }
        if let Ok(number) = text.parse() {
            return Some(Plain::Negative(number));
        }
    }
    // Floats in Rust are a superset of YAML's only because of letters (`inf`, `nan`).
    let letters = |c: char| c.is_ascii_alphabetic() && !matches!(c, 'e' | 'E');
    if unsigned.contains(letters) {
        return None;
    }
    text.parse().ok().map(Plain::Float)
}

#[cfg(test)]
mod tests {
    use super::Plain;

    #[test]
    fn the_core_schema_decides() {
        let cases = [
            ("", Plain::Null),
            ("~", Plain::Null),
            ("true", Plain::Bool(true)),
            ("0", Plain::Unsigned(0)),
            ("+7", Plain::Unsigned(7)),
            ("0x1F", Plain::Unsigned(31)),
            ("-3", Plain::Negative(-3)),
            ("0.5", Plain::Float(0.5)),
            (".5", Plain::Float(0.5)),
            ("1e3", Plain::Float(1000.0)),
            ("yes", Plain::Text("yes")),
            ("12:30", Plain::Text("12:30")),
            ("inf", Plain::Text("inf")),
            ("10ms", Plain::Text("10ms")),
            ("1.2.3", Plain::Text("1.2.3")),
            ("-", Plain::Text("-")),
            (".", Plain::Text(".")),
        ];
        for (text, value) in cases {
            assert_eq!(Plain::read(text), value, "{text}");
        }
    }
}
