//! Errors of what failed halfway, where taking back the first half may fail too.

use anyhow::{Error, Result};

/// Returns the error of what failed. If what was made before it could not be taken back either, the
/// error says so as well: the second failure does not hide the first.
pub fn taken_back<T, E: Into<Error>>(error: Error, undone: Result<T, E>) -> Error {
    match undone {
        Ok(_) => error,
        Err(second) => {
            let second = netloom_api::in_words(second.into().as_ref());
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
        let words = |error: Error| netloom_api::in_words(error.as_ref());
        let first = || anyhow!("the disk is full");
        assert_eq!(words(taken_back(first(), anyhow::Ok(()))), "the disk is full");
        assert_eq!(
            words(taken_back(first(), Err::<(), _>(anyhow!("a device is busy")))),
            "what was made could not be taken back (a device is busy), after this: the disk is full"
        );
    }
}
