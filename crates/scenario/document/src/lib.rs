//! YAML documents: from text to a tree with places and comments, to typed values, and back to text.
//!
//! | module | what it does |
//! |---|---|
//! | `yaml` | text to a tree whose nodes have positions in the text |
//! | `decode` | tree to typed values, finding all errors in one pass |
//! | `diagnostic` | findings with positions, formatted for people and programs |
//! | `dialect` | words of a kind of document, for suggestions in findings |
//! | `span` | positions in a text |
//!
//! Not here: any kind of document. What a scenario is, `scenario` says.

mod decode;
mod diagnostic;
mod dialect;
mod span;
mod yaml;

pub use decode::{Decoded, Entries, Inline, Spanned, decode};
pub use diagnostic::{Diagnostic, Diagnostics, Related, Severity};
pub use dialect::Dialect;
pub use span::Span;
pub use yaml::{Content, NodeId, Plain, Tree, parse};
