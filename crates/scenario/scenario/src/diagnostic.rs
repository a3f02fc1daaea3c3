//! Findings about a scenario file, with their positions: the one form in which every part of this
//! crate reports to people and to programs. Not here: detecting the problems.

mod render;
mod suggest;

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

pub(crate) use suggest::did_you_mean;
pub(crate) use suggest::in_a_mapping;
pub use suggest::similar;

use crate::span::Span;

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The scenario cannot be used.
    Error,
    /// The scenario can be used, but is probably not what the user meant.
    Warning,
}

impl fmt::Display for Severity {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Error => "error",
            Self::Warning => "warning",
        })
    }
}

/// One finding in a scenario file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Diagnostic {
    /// Severity of the finding.
    pub severity: Severity,
    /// Position in the file.
    #[serde(flatten)]
    pub span: Span,
    /// Description of the problem, with the name of the object.
    pub message: String,
    /// Suggestion what to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// Other positions that are related to the finding.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Related>,
}

/// A second position that explains a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Related {
    /// Position in the file.
    #[serde(flatten)]
    pub span: Span,
    /// Description of this position.
    pub message: String,
}

impl Diagnostic {
    /// Creates an error at `span`.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { severity: Severity::Error, span, message, help: None, related: Vec::new() }
    }

    /// Creates a warning at `span`.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(span, message) }
    }

    /// Adds a suggestion what to do.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds a suggestion what to do, if there is one.
    #[must_use]
    pub fn with_optional_help(mut self, help: Option<String>) -> Self {
        self.help = help;
        self
    }

    /// Adds another related position.
    #[must_use]
    pub fn with_related(mut self, span: Span, message: impl Into<String>) -> Self {
        self.related.push(Related { span, message: message.into() });
        self
    }
}

/// All findings of one file, ordered by position.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// Sorts the findings by position and drops exact repetitions.
    pub(crate) fn new(mut list: Vec<Diagnostic>) -> Self {
        list.sort_by_key(|a| (a.span, a.severity));
        list.dedup();
        Self(list)
    }

    /// Returns the findings, ordered by position.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.0.iter()
    }

    /// Returns the number of errors.
    pub fn error_count(&self) -> usize {
        self.iter().filter(|finding| finding.severity == Severity::Error).count()
    }

    /// Returns the number of warnings.
    pub fn warning_count(&self) -> usize {
        self.0.len() - self.error_count()
    }

    /// Whether there are no findings.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Formats the findings for people. Each has its position, the line of `text` with that
    /// position underlined, and a suggestion; the last line counts them. Empty if there are no
    /// findings. `text` is the text of the file, and `file` its name.
    pub fn render(&self, file: &str, text: &str) -> String {
        render::render(self, file, text)
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
