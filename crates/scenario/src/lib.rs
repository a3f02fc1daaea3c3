//! Scenario files: what the user types, and what NetLoom runs on.
//!
//! | module | what it does |
//! |---|---|
//! | `yaml` | text to a tree whose nodes know their places |
//! | `decode` | tree to typed values, all errors in one pass |
//! | `raw` | the keys of a scenario file; the source of the JSON Schema |
//! | `resolve` | defaults, precedence, references, checks |
//! | [`Scenario`] and its parts | the resolved scenario |
//! | `diagnostic` | findings with places, rendered for people and programs |
//! | [`graph`] | a scenario as a drawing: DOT, Mermaid, SVG |
//!
//! Text in, result out. Not here: files, clocks, threads; automatic addresses and routes (`plan`).

mod address;
mod decode;
mod diagnostic;
mod ends;
mod load;
mod raw;
mod resolve;
mod span;
mod spec;
mod yaml;

pub use address::*;
pub use diagnostic::similar;
pub use diagnostic::{Diagnostic, Diagnostics, Related, Severity};
pub use ends::LinkEnds;
pub use load::{Loaded, load};
pub use resolve::check_experiment_name;
pub use span::Span;
pub use spec::*;
