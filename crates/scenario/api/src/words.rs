//! Errors in words, also those of what failed halfway, where taking back the first half may fail
//! too.

use anyhow::{Error, Result};

/// Describes an error and its causes in one line. Many errors include their cause in their own
/// text: such a cause is not repeated.
pub fn in_words(error: &(dyn std::error::Error + 'static)) -> String {
    let mut words = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let text = error.to_string();
        if !words.contains(&text) {
            words = format!("{words}: {text}");
        }
        cause = error.source();
    }
    words
}

/// Returns the error of what failed. If what was made before it could not be taken back either, the
/// error says so as well: the second failure does not hide the first.
pub fn taken_back<T, E: Into<Error>>(error: Error, undone: Result<T, E>) -> Error {
    match undone {
        Ok(_) => error,
        Err(second) => {
            let second = in_words(second.into().as_ref());
            error.context(format!("what was made could not be taken back ({second}), after this"))
        }
    }
}

#[cfg(test)]
mod tests {
    use anyhow::anyhow;

    use super::*;

    #[test]
    fn the_first_error_is_never_lost() {
        let words = |error: Error| in_words(error.as_ref());
        let first = || anyhow!("the disk is full");
        assert_eq!(words(taken_back(first(), anyhow::Ok(()))), "the disk is full");
        assert_eq!(
            words(taken_back(first(), Err::<(), _>(anyhow!("a device is busy")))),
            "what was made could not be taken back (a device is busy), after this: the disk is full"
        );
    }
}
