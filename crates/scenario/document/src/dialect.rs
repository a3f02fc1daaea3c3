//! Words of a kind of document: what its users probably meant, and help that only makes sense for
//! it. All functions that report something take a [`Dialect`], so that this crate knows no kind.

/// Words of a kind of document.
#[derive(Debug)]
pub struct Dialect {
    /// Help for a text with more than one document.
    pub one_document: &'static str,
    /// Help for a text without a document.
    pub empty: &'static str,
    /// End of the sentence `and 7 more…` behind findings that are too many to show, like `, which
    /// my-tool lists`.
    pub lists_all: &'static str,
    /// Words that people use, in small letters, each with the word of this kind of document.
    pub synonyms: &'static [(&'static str, &'static str)],
    /// Keys that people often put one level too high, each with the key that they belong under.
    pub misplaced: &'static [(&'static str, &'static str)],
    /// Names of large parts, each with the key that it is under, or `""` at the top.
    pub sections: &'static [(&'static str, &'static str)],
    /// Keys of mappings whose keys are names of things that paths refer to.
    pub names: &'static [&'static str],
    /// Keys of mappings whose keys are names that may be new, and may have dots.
    pub free: &'static [&'static str],
    /// A key of members of lists without a `name`, and what makes a name of the texts that it has.
    pub unnamed: (&'static str, NameOf),
    /// Returns another spelling of a word, which means the same.
    pub other_spelling: fn(&str) -> Option<String>,
    /// Returns help for a single value of a key that takes a mapping: how it is written. The
    /// arguments are the key and the value.
    pub in_a_mapping: fn(&str, &str) -> Option<String>,
}

/// Makes a name of the texts of a list.
pub type NameOf = fn(&[&str]) -> Option<String>;

impl Dialect {
    /// Documents of no special kind.
    pub const PLAIN: Self = Self {
        one_document: "write one document: one file each",
        empty: "write a value",
        lists_all: "",
        synonyms: &[],
        misplaced: &[],
        sections: &[],
        names: &[],
        free: &[],
        unnamed: ("", |_| None),
        other_spelling: |_| None,
        in_a_mapping: |_, _| None,
    };

    /// Returns the candidate that `word` was probably meant to be: a synonym, another spelling, or
    /// the candidate that differs least from it, if that is little.
    pub fn similar<'a>(
        &self,
        word: &str,
        candidates: impl IntoIterator<Item = &'a str>,
    ) -> Option<&'a str> {
        let lower = word.to_lowercase();
        let meant = self.synonyms.iter().find(|(other, _)| *other == lower).map(|(_, ours)| *ours);
        let other_spelling = (self.other_spelling)(word);
        let scored = candidates.into_iter().filter_map(|candidate| {
            if Some(candidate) == meant || Some(candidate) == other_spelling.as_deref() {
                return Some((0, candidate));
            }
            let distance = strsim::damerau_levenshtein(&lower, &candidate.to_lowercase());
            let allowed = word.chars().count().max(candidate.chars().count()).div_ceil(4).max(1);
            (distance <= allowed && distance < candidate.chars().count())
                .then_some((distance, candidate))
        });
        scored.min_by_key(|(distance, _)| *distance).map(|(_, candidate)| candidate)
    }

    /// Returns help for a `word` that is not one of `candidates`: the candidate that was probably
    /// meant, or else all of them if they are few. `what` introduces the list.
    pub fn did_you_mean<'a>(
        &self,
        word: &str,
        what: &str,
        candidates: impl IntoIterator<Item = &'a str>,
    ) -> Option<String> {
        let mut candidates: Vec<&str> = candidates.into_iter().collect();
        candidates.dedup();
        let misplaced =
            self.misplaced.iter().find(|(key, place)| *key == word && candidates.contains(place));
        if let Some((_, place)) = misplaced {
            return Some(format!("`{word}` belongs under `{place}`"));
        }
        if let Some(candidate) = self.similar(word, candidates.iter().copied()) {
            return Some(format!("did you mean `{candidate}`?"));
        }
        list(&candidates).map(|list| format!("{what}: {list}"))
    }
}

/// Formats a list of words like `` `a`, `b`, `c` ``, shortened if there are many.
fn list(words: &[&str]) -> Option<String> {
    const MOST: usize = 32;
    let quoted: Vec<String> = words.iter().take(MOST).map(|word| format!("`{word}`")).collect();
    match words.len() {
        0 => None,
        length if length > MOST => {
            Some(format!("{} and {} more", quoted.join(", "), length - MOST))
        }
        _ => Some(quoted.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn synonyms_and_other_spellings_come_before_similar_words() {
        let reversed = |word: &str| Some(word.chars().rev().collect());
        let dialect = Dialect {
            synonyms: &[("bandwidth", "rate")],
            misplaced: &[("limit", "queue")],
            other_spelling: reversed,
            ..Dialect::PLAIN
        };
        let keys = ["rate", "delay", "queue"];
        assert_eq!(dialect.similar("Bandwidth", keys), Some("rate"));
        assert_eq!(dialect.similar("yaled", keys), Some("delay"));
        assert_eq!(dialect.similar("dealy", keys), Some("delay"));
        assert_eq!(dialect.similar("loss", keys), None);
        let help = |word| dialect.did_you_mean(word, "the keys are", keys).unwrap();
        assert_eq!(help("limit"), "`limit` belongs under `queue`");
        assert_eq!(help("quee"), "did you mean `queue`?");
        assert_eq!(help("x"), "the keys are: `rate`, `delay`, `queue`");
    }
}
