//! What is wrong with a scenario file, and where: the one shape in which every part of this crate
//! reports to people and to programs. Not here: finding the faults.

mod render;
mod suggest;

use std::fmt;

use schemars::JsonSchema;
use serde::Serialize;

pub(crate) use suggest::did_you_mean;
pub use suggest::similar;

use crate::span::Span;

/// How bad it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The scenario cannot be used.
    Error,
    /// The scenario can be used, but is probably not what was meant.
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
    /// How bad it is.
    pub severity: Severity,
    /// Where.
    #[serde(flatten)]
    pub span: Span,
    /// What is wrong, naming the object.
    pub message: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub help: Option<String>,
    /// Other places that have to do with it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub related: Vec<Related>,
}

/// A second place that explains a finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Related {
    /// Where.
    #[serde(flatten)]
    pub span: Span,
    /// What is there.
    pub message: String,
}

impl Diagnostic {
    /// An error at `span`.
    pub fn error(span: Span, message: impl Into<String>) -> Self {
        let message = message.into();
        Self { severity: Severity::Error, span, message, help: None, related: Vec::new() }
    }

    /// A warning at `span`.
    pub fn warning(span: Span, message: impl Into<String>) -> Self {
        Self { severity: Severity::Warning, ..Self::error(span, message) }
    }

    /// Says what to do about it.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Says what to do about it, if that is known.
    #[must_use]
    pub fn with_optional_help(mut self, help: Option<String>) -> Self {
        self.help = help;
        self
    }

    /// Names another place that has to do with it.
    #[must_use]
    pub fn with_related(mut self, span: Span, message: impl Into<String>) -> Self {
        self.related.push(Related { span, message: message.into() });
        self
    }
}

/// All findings in one file, in the order of their places.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, JsonSchema)]
#[serde(transparent)]
pub struct Diagnostics(Vec<Diagnostic>);

impl Diagnostics {
    /// Sorts by place and drops exact repetitions.
    pub(crate) fn new(mut list: Vec<Diagnostic>) -> Self {
        list.sort_by_key(|a| (a.span, a.severity));
        list.dedup();
        Self(list)
    }

    /// The findings, in the order of their places.
    pub fn iter(&self) -> std::slice::Iter<'_, Diagnostic> {
        self.0.iter()
    }

    /// How many findings are errors.
    pub fn error_count(&self) -> usize {
        self.iter().filter(|finding| finding.severity == Severity::Error).count()
    }

    /// How many findings are warnings.
    pub fn warning_count(&self) -> usize {
        self.0.len() - self.error_count()
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The findings as people read them: each with its place, the line of `text` it is in with the
    /// place underlined, and what to do; at the end their number. Empty if nothing was found.
    /// `text` is the text that was loaded, and `file` its name.
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
    /// One line each: `12:7: error: …; help`.
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
