//! The reason why the kernel refuses something.

use std::error::Error;

/// The reason why the kernel refuses something. It may be reported to people.
pub type Why = Box<dyn Error + Send + Sync>;

/// An error and its causes, on one line. The verifier's log is left out.
pub fn in_words(error: &Why) -> String {
    let mut words = String::new();
    let mut next: Option<&(dyn Error + 'static)> = Some(&**error);
    while let Some(error) = next {
        let text = error.to_string();
        let line = text.lines().next().unwrap_or_default();
        if !words.contains(line) {
            let colon = if words.is_empty() { "" } else { ": " };
            words = format!("{words}{colon}{line}");
        }
        next = error.source();
    }
    words
}
