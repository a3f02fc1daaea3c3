//! One finding, with its position and what to do about it.

use std::fmt;

use serde::Serialize;

use crate::span::Span;

/// Severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The document cannot be used.
    Error,
    /// The document can be used, but is probably not what the user meant.
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

/// One finding in a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Related {
    /// Position in the file.
    #[serde(flatten)]
    pub span: Span,
    /// Description of this position.
    pub message: String,
}

impl Diagnostic {
    /// Returns this finding in a text behind `lines` other lines.
    #[must_use]
    pub(crate) fn below(mut self, lines: usize) -> Self {
        self.span = self.span.below(lines);
        self.related.iter_mut().for_each(|related| related.span = related.span.below(lines));
        self
    }

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
