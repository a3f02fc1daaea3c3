//! Commits: a subject `crate: do something` in at most 72 characters, and a body that says why.

/// Longest subject, in characters.
const LONGEST: usize = 72;
/// Changed lines from which on a commit has a body. Fewer may speak for themselves.
const LARGE: usize = 20;

/// A commit.
#[derive(Debug, Default)]
pub struct Commit {
    /// The shortened hash.
    pub id: String,
    /// The first line of the message.
    pub subject: String,
    /// The rest of the message, without lines like `Fixes: …` at the end.
    pub body: String,
    /// Number of lines that it adds and removes.
    pub changed: usize,
}

impl Commit {
    /// The complaints about it.
    pub fn faults(&self) -> Vec<String> {
        let faults = [subject_fault(&self.subject), self.body_fault()];
        let named = |fault| format!("commit {}: {fault}: {}", self.id, self.subject);
        faults.into_iter().flatten().map(named).collect()
    }

    fn body_fault(&self) -> Option<String> {
        let is_of_documents = areas(&self.subject)
            .is_some_and(|areas| areas.iter().all(|area| area.split('/').next() == Some("docs")));
        let lacks = self.body.is_empty() && self.changed >= LARGE && !is_of_documents;
        lacks.then(|| format!("{} changed lines, and no body that says why", self.changed))
    }
}

/// The complaint about a subject, if there is one.
fn subject_fault(subject: &str) -> Option<String> {
    let length = subject.chars().count();
    if length > LONGEST {
        return Some(format!("the subject has {length} characters of {LONGEST}"));
    }
    match areas(subject) {
        Some(_) => None,
        None => Some("the subject begins with no crate or area, like `link: `".into()),
    }
}

/// The crates and areas in front of a subject.
fn areas(subject: &str) -> Option<Vec<&str>> {
    let (areas, what) = subject.split_once(": ")?;
    let areas: Vec<&str> = areas.split(", ").collect();
    (areas.iter().all(|area| is_area(area)) && !what.trim().is_empty()).then_some(areas)
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
        assert_eq!(subject_fault("link: drop frames above the MTU"), None);
        assert_eq!(subject_fault("engine, report-page: show what was lost"), None);
        assert_eq!(subject_fault("docs/links: say what a trace is"), None);
        for subject in ["Drop frames", "Fix: all", "link:drop", "link: ", "a long story: told"] {
            let fault = subject_fault(subject).expect(subject);
            assert!(fault.contains("no crate or area"), "{subject}: {fault}");
        }
    }

    #[test]
    fn subjects_are_short_in_characters_not_in_bytes() {
        let of = |length: usize| format!("link: {}", "ü".repeat(length - 6));
        assert_eq!(subject_fault(&of(72)), None);
        assert_eq!(subject_fault(&of(73)).unwrap(), "the subject has 73 characters of 72");
    }

    #[test]
    fn large_changes_of_code_have_a_body() {
        let commit = |subject: &str, changed, body: &str| Commit {
            id: "abc".into(),
            subject: subject.into(),
            body: body.into(),
            changed,
        };
        let faults = commit("link: rename all", 20, "").faults();
        assert_eq!(
            faults,
            ["commit abc: 20 changed lines, and no body that says why: link: rename all"]
        );
        assert!(commit("link: rename one", 19, "").faults().is_empty());
        assert!(commit("link: rename all", 20, "It was wrong.").faults().is_empty());
        assert!(commit("docs/links, docs: more", 200, "").faults().is_empty());
    }
}
