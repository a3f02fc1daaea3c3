//! Warnings on standard error, where repetitions of one kind are counted instead of printed.

use std::collections::HashMap;

/// Number of warnings of one kind that are printed.
const SHOWN: usize = 3;
/// Number of words by which kinds are distinguished.
const WORDS: usize = 6;

/// Warnings, of which those of a kind that has come often enough are only counted.
#[derive(Debug, Default)]
pub struct Warnings {
    /// Those that are to be printed later. `None` if each is printed at once.
    later: Option<Vec<String>>,
    /// Kinds in the order of their first warnings.
    kinds: Vec<Kind>,
    places: HashMap<String, usize>,
}

#[derive(Debug)]
struct Kind {
    first: String,
    count: usize,
}

impl Warnings {
    /// Keeps warnings for a later time.
    pub fn for_later() -> Self {
        Self { later: Some(Vec::new()), ..Self::default() }
    }

    /// Prints a warning, or keeps it, unless there were several of its kind.
    pub fn show(&mut self, message: &str) {
        if self.counts(message) > SHOWN {
            return;
        }
        match &mut self.later {
            None => eprintln!("warning: {message}"),
            Some(later) => later.push(format!("warning: {message}")),
        }
    }

    /// Prints how many warnings of each kind were not printed, below those that were kept.
    pub fn finish(&self) {
        self.lines().for_each(|line| eprintln!("{line}"));
    }

    /// Returns the warnings that were kept, and how many of each kind were not.
    pub fn lines(&self) -> impl Iterator<Item = String> {
        self.later.iter().flatten().cloned().chain(self.rest())
    }

    /// Counts a warning. Returns the number of its kind so far.
    fn counts(&mut self, message: &str) -> usize {
        let place = *self.places.entry(kind(message)).or_insert_with(|| {
            self.kinds.push(Kind { first: message.to_owned(), count: 0 });
            self.kinds.len() - 1
        });
        self.kinds[place].count += 1;
        self.kinds[place].count
    }

    fn rest(&self) -> impl Iterator<Item = String> {
        self.kinds.iter().filter(|kind| kind.count > SHOWN).map(|kind| {
            let first = kind.first.lines().next().unwrap_or_default();
            format!("warning: … and {} more of this kind: {first}", kind.count - SHOWN)
        })
    }
}

/// Returns the first words of a warning without names, numbers, and the time before a colon.
fn kind(message: &str) -> String {
    let is_time = |start: &str| start.strip_suffix(" s").is_some_and(|s| s.parse::<f64>().is_ok());
    let message = match message.split_once(": ") {
        Some((start, rest)) if is_time(start) => rest,
        _ => message,
    };
    let words = message.split_whitespace().take(WORDS).map(|word| {
        let is_name = word.contains(|c: char| c.is_ascii_digit() || "`/".contains(c));
        if is_name { "#" } else { word }
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repetitions_of_a_kind_are_counted() {
        let mut warnings = Warnings::default();
        let shown = (0..40).filter(|number| {
            let message = format!("{number}.5 s: lateness of l{number}/forward: {number} ms");
            warnings.counts(&message) <= SHOWN
        });
        assert_eq!(shown.count(), 3);
        assert_eq!(warnings.counts("`p` in `a` could not be kept: no such file"), 1);
        assert_eq!(warnings.counts("`q` in `b` could not be kept: it is a directory"), 2);
        let rest: Vec<String> = warnings.rest().collect();
        assert_eq!(
            rest,
            ["warning: … and 37 more of this kind: 0.5 s: lateness of l0/forward: 0 ms"]
        );
    }
}
