//! Findings about files that cannot be used.

use netloom_document::{Diagnostic, Span};
use netloom_link::{DataError, FileError, FileFault};

use crate::files::Unreadable;

/// Converts an error of a file to a finding.
pub(super) fn bad_file(error: FileError<Unreadable>, span: Span) -> Diagnostic {
    let FileError { file, what, cause, .. } = error;
    match cause {
        FileFault::Unreadable(Unreadable { reason, help }) => {
            let message = format!("cannot read the {what} `{file}`: {reason}");
            Diagnostic::error(span, message).with_optional_help(help)
        }
        FileFault::Malformed(error) => {
            let (place, fault) = match error {
                DataError::Line { line, message } => (format!(", line {line}"), message),
                DataError::Whole(message) => (String::new(), message),
            };
            // Messages about values have the form `problem; suggestion`.
            let (fault, help) = match fault.split_once("; ") {
                Some((fault, help)) => (fault.to_owned(), help.to_owned()),
                None => (fault, format!("the file is to be a {what}")),
            };
            Diagnostic::error(span, format!("`{file}`{place}: {fault}")).with_help(help)
        }
    }
}
