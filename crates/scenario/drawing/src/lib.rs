//! Scenarios as drawings. The output is text, and the same scenario gives the same text on every
//! machine.
//!
//! | module | what |
//! |---|---|
//! | `text` | DOT for Graphviz, Mermaid for Markdown |
//! | `svg` | SVG of the whole network, also with what its links carried |
//! | `machines` | frames around the nodes of each machine |
//! | `paper` | how large that is, and room for names |
//! | `places` | where nodes are: at positions of the scenario, or by a layout |
//! | `at` | the network at a given time, on a plane or on a map |
//! | [`layout`] | points for nodes that have none, in networks of any size |
//!
//! Not here: where nodes are at a time, and which of them hear each other
//! (`netloom_scenario::snapshot`).

mod at;
pub mod layout;
mod machines;
mod paper;
mod places;
mod svg;
mod text;
mod xml;

pub use at::{dot_at, svg_at};
pub use places::{Places, edges};
pub use svg::{Carried, svg, svg_of_run};
pub use text::{dot, mermaid};
