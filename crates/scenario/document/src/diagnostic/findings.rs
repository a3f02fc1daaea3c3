//! All findings of one document.

use std::fmt;

use serde::Serialize;

use super::finding::{Diagnostic, Severity};
use super::render;
use crate::dialect::Dialect;

/// The findings of one file, ordered by position, or the likeliest cause of the others first.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct Diagnostics {
    list: Vec<Diagnostic>,
    /// Where all of them are listed, if there are too many to show.
    #[serde(skip)]
    lists_all: &'static str,
    /// Whether other checks come once these findings are mended.
    #[serde(skip)]
    hides_others: bool,
}

/// Largest number of findings about the shape of a document.
const MOST_OF_SHAPE: usize = 3;

impl Diagnostics {
    /// Sorts the findings of a document of this kind by position and drops exact repetitions.
    pub fn new(mut list: Vec<Diagnostic>, dialect: &Dialect) -> Self {
        list.sort_by_key(|a| (a.span, a.severity));
        list.dedup();
        Self { list, lists_all: dialect.lists_all, hides_others: false }
    }

    /// Takes the first findings about the shape of a document, in this order. Nothing else is said
    /// about it until they are mended.
    pub fn of_shape(mut list: Vec<Diagnostic>) -> Self {
        list.truncate(MOST_OF_SHAPE);
        Self { list, lists_all: "", hides_others: true }
    }

    /// Returns the findings in their order.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.list.iter()
    }

    /// Returns the number of errors.
    pub fn error_count(&self) -> usize {
        self.iter().filter(|finding| finding.severity == Severity::Error).count()
    }

    /// Returns the number of warnings.
    pub fn warning_count(&self) -> usize {
        self.list.len() - self.error_count()
    }

    /// Whether there are no findings.
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Formats the findings for people. Each has its position, the line of `text` with that
    /// position underlined, and a suggestion; the last line counts them. Empty if there are no
    /// findings. `text` is the text of the file, and `file` its name.
    pub fn render(&self, file: &str, text: &str) -> String {
        self.render_all(&[(file, text)])
    }

    /// Formats the findings of a document that several texts make up, each with the name of its
    /// file. See [`parse_all`](crate::parse_all).
    pub fn render_all(&self, files: &[(&str, &str)]) -> String {
        let mut text = render::render(&self.list, self.lists_all, files);
        if self.hides_others {
            text += "other checks come once this is mended\n";
        }
        text
    }
}

impl From<Vec<Diagnostic>> for Diagnostics {
    /// Findings of a document of no special kind.
    fn from(list: Vec<Diagnostic>) -> Self {
        Self::new(list, &Dialect::PLAIN)
    }
}

impl<'a> IntoIterator for &'a Diagnostics {
    type Item = &'a Diagnostic;
    type IntoIter = std::slice::Iter<'a, Diagnostic>;
    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl fmt::Display for Diagnostics {
    /// One line for each finding: `12:7: error: …; help`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, finding) in self.iter().enumerate() {
            let Diagnostic { severity, span, message, help, .. } = finding;
            let separator = if index == 0 { "" } else { "\n" };
            write!(f, "{separator}{}:{}: {severity}: {message}", span.line, span.column)?;
            if let Some(help) = help {
                write!(f, "; {help}")?;
            }
        }
        Ok(())
    }
}

impl std::error::Error for Diagnostics {}
