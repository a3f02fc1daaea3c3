//! What a command prints before the member that it starts greets: banners, and the words of chatty
//! files of a shell.

use anyhow::{Result, anyhow, bail};
use netloom_api::member::is_greeting;

/// Most bytes that may come before a greeting.
const MOST: usize = 64 << 10;

/// The lines before the greeting of a member that was given a word.
#[derive(Debug)]
pub struct Preamble<'w> {
    word: &'w str,
    left: usize,
    last: String,
}

impl<'w> Preamble<'w> {
    /// Nothing has come yet.
    pub fn of(word: &'w str) -> Self {
        Self { word, left: MOST, last: String::new() }
    }

    /// Reads the next line. Returns whether it is the greeting.
    ///
    /// # Errors
    /// The member cannot be led, or it is none: too much came before.
    pub fn read(&mut self, line: &str) -> Result<bool> {
        if let Some(greeting) = is_greeting(line, self.word) {
            return greeting.map(|()| true).map_err(anyhow::Error::msg);
        }
        line.clone_into(&mut self.last);
        match self.left.checked_sub(line.len() + 1) {
            Some(left) => self.left = left,
            None => bail!("it prints much, and is no member of NetLoom: {}", line.trim()),
        }
        Ok(false)
    }

    /// Returns the error if nothing more comes.
    pub fn ended(&self) -> anyhow::Error {
        match self.last.trim() {
            "" => anyhow!("it started no member of NetLoom, and says nothing"),
            said => {
                anyhow!("it started no member of NetLoom; the last that it said is: {said}")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use netloom_api::member::greeting;

    use super::*;

    #[test]
    fn a_greeting_is_found_behind_other_lines() {
        let mut preamble = Preamble::of("7");
        for line in ["Welcome", "NETLOOM 8 0.0.0 x86_64", ""] {
            assert!(!preamble.read(line).unwrap(), "{line}");
        }
        assert!(preamble.read(&greeting("7")).unwrap());
    }

    #[test]
    fn another_version_much_text_and_an_end_have_their_words() {
        let error = Preamble::of("7").read("NETLOOM 7 0.0.0 x86_64").unwrap_err().to_string();
        assert!(error.contains("version 0.0.0"), "{error}");
        let mut preamble = Preamble::of("7");
        assert!(preamble.ended().to_string().contains("says nothing"));
        preamble.read("ssh: no route to host").unwrap();
        assert!(preamble.ended().to_string().ends_with("no route to host"));
        let much = (0..MOST).find_map(|_| preamble.read("yes").err()).unwrap().to_string();
        assert!(much.contains("prints much"), "{much}");
    }
}
