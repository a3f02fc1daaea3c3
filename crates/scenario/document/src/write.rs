//! Values as YAML. Reading what is written gives the same value.
//!
//! | module | contents |
//! |---|---|
//! | `scalar` | texts and numbers, quoted only where they need it |
//! | `block` | values on lines of their own, and whole documents |
//! | `flow` | values within a line: `[a, {b: c}]` |

mod block;
mod flow;
mod scalar;

pub use block::document;
pub(crate) use block::{entry, fits, item, lines, value};
pub(crate) use flow::flow;
pub(crate) use scalar::{Place, quoted, single_quoted, text};

/// Returns a value on one line, as it can stand behind a key.
pub fn in_line(value: &crate::Value) -> String {
    flow(value, Place::Block)
}
