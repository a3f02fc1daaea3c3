//! Parsing of the kernel's texts: bytes in, numbers out, without allocation.

/// The lines of a text.
pub fn lines(text: &[u8]) -> impl Iterator<Item = &[u8]> {
    text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty())
}

/// The words of a line.
pub fn words(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(|byte| byte.is_ascii_whitespace()).filter(|word| !word.is_empty())
}

/// Parses a word as a decimal number.
pub fn number(word: &[u8]) -> Option<u64> {
    str::from_utf8(word).ok()?.parse().ok()
}

/// Converts a name to text. Processes choose their names, so control characters become `?`, as in
/// the output of `ps`.
pub fn text(word: &[u8]) -> String {
    let text = String::from_utf8_lossy(word);
    match text.chars().any(char::is_control) {
        false => text.into_owned(),
        true => text.replace(char::is_control, "?"),
    }
}

/// The number after a key, in lines like `key 17` or `key: 17`.
pub fn value(text: &[u8], key: &str) -> Option<u64> {
    lines(text).find_map(|line| {
        let mut words = words(line);
        let name = words.next()?;
        let name = name.strip_suffix(b":").unwrap_or(name);
        if name == key.as_bytes() { number(words.next()?) } else { None }
    })
}

/// A counter of the kernel. [`Counter::grew`] returns its growth since the last look; `None` at the
/// first look, or if the counter was reset.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counter(Option<u64>);

impl Counter {
    /// A counter that began at zero when it was not being read yet.
    pub fn from_zero() -> Self {
        Self(Some(0))
    }

    /// Whether it was zero at the last look.
    pub fn is_zero(self) -> bool {
        self.0 == Some(0)
    }

    pub fn grew(&mut self, now: u64) -> Option<u64> {
        let before = self.0.replace(now)?;
        now.checked_sub(before)
    }
}

#[cfg(test)]
mod tests {
    use super::text;

    #[test]
    fn a_name_obeys_no_terminal_and_no_line() {
        assert_eq!(text(b"\x1b]0;title\x07"), "?]0;title?");
        assert_eq!(text("ng\u{9b}nx\n(1)".as_bytes()), "ng?nx?(1)");
        assert_eq!(text("läuft".as_bytes()), "läuft");
    }
}
