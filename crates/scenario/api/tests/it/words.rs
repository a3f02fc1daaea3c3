//! Descriptions of errors.

use std::error::Error;
use std::fmt;

use netloom_api::in_words;

#[derive(Debug)]
struct Because(&'static str, Option<Box<Because>>);

impl fmt::Display for Because {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.0)
    }
}

impl Error for Because {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        self.1.as_deref().map(|cause| cause as &(dyn Error + 'static))
    }
}

#[test]
fn a_cause_is_not_repeated() {
    let root = || Box::new(Because("no such file", None));
    let silent = Because("cannot open x", Some(root()));
    assert_eq!(in_words(&silent), "cannot open x: no such file");
    let telling = Because("cannot open x: no such file; make it", Some(root()));
    assert_eq!(in_words(&telling), "cannot open x: no such file; make it");
}
