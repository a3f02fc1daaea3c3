//! Subjects of commits: `crate: do something`, in at most 72 characters.

/// Longest subject, in characters.
const LONGEST: usize = 72;

/// The complaint about a subject, if there is one.
pub fn fault(subject: &str) -> Option<String> {
    let length = subject.chars().count();
    if length > LONGEST {
        return Some(format!("the subject has {length} characters of {LONGEST}"));
    }
    let named = subject.split_once(": ").filter(|(areas, _)| areas.split(", ").all(is_area));
    match named {
        Some((_, what)) if !what.trim().is_empty() => None,
        _ => Some("the subject begins with no crate or area, like `link: `".into()),
    }
}

/// Whether a word can be the name of a crate or of an area of the repository.
fn is_area(word: &str) -> bool {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || "-_./".contains(c);
    word.starts_with(|c: char| c.is_ascii_lowercase()) && word.chars().all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn subjects_name_a_crate_or_an_area() {
        assert_eq!(fault("link: drop frames above the MTU"), None);
        assert_eq!(fault("engine, report-page: show what was lost"), None);
        assert_eq!(fault("docs/links: say what a trace is"), None);
        for subject in ["Drop frames", "Fix: all", "link:drop", "link: ", "a long story: told"] {
            let fault = fault(subject).expect(subject);
            assert!(fault.contains("no crate or area"), "{subject}: {fault}");
        }
    }

    #[test]
    fn subjects_are_short_in_characters_not_in_bytes() {
        let of = |length: usize| format!("link: {}", "ü".repeat(length - 6));
        assert_eq!(fault(&of(72)), None);
        assert_eq!(fault(&of(73)).unwrap(), "the subject has 73 characters of 72");
    }
}
