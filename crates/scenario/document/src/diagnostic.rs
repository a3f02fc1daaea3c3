//! Findings about a document, with their positions: the one form in which problems are reported to
//! people and to programs. Not here: detecting the problems.
//!
//! | module | contents |
//! |---|---|
//! | `finding` | one finding |
//! | `findings` | all findings of one document |
//! | `render` | findings as text for a terminal |

mod finding;
mod findings;
mod render;

pub use finding::{Diagnostic, Related, Severity};
pub use findings::Diagnostics;
