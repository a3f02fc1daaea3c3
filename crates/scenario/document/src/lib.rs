//! YAML documents: from text to a tree with places and comments, to typed values, and back to text.
//!
//! | module | what it does |
//! |---|---|
//! | `yaml` | text to a tree whose nodes have positions in the text |
//! | `decode` | tree to typed values, finding all errors in one pass |
//! | `encode` | typed values to plain values |
//! | `read` | values of other formats to plain values |
//! | `diagnostic` | findings with positions, formatted for people and programs |
//! | `dialect` | words of a kind of document, for suggestions in findings |
//! | `scalar` | a text that may look like another type |
//! | `span` | positions in a text |
//! | `value` | values without places, and paths to them |
//! | `write` | values to text |
//! | `places` | where values, indicators and comments are in a text |
//! | `edit` | changes of single values in a text that leave the rest as it was |
//!
//! Not here: any kind of document. What a scenario is, `scenario` says.

mod decode;
mod diagnostic;
mod dialect;
mod edit;
mod encode;
mod places;
mod read;
mod scalar;
mod span;
mod value;
mod write;
mod yaml;

pub use decode::{Decoded, Entries, Inline, Spanned, decode};
pub use diagnostic::{Diagnostic, Diagnostics, Related, Severity};
pub use dialect::{Dialect, NameOf};
pub use edit::{Comment, Document};
pub use encode::{EncodeError, encode, is_default};
pub use scalar::ScalarText;
pub use span::Span;
pub use value::{Step, Value};
pub use write::{document as write, in_line};
pub use yaml::{
    Assignments, Content, NodeId, Plain, Replaced, Setting, Tree, parse, parse_all, parse_with,
};
