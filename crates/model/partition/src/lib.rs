//! Divides a graph into parts of about equal weight, with edges of little weight between them.
//!
//! The division is multilevel (Hendrickson and Leland 1995; Karypis and Kumar 1998): vertices that
//! are joined by heavy edges are merged, level by level, until few are left; these are divided
//! several times, and the best division is carried back, level by level, and improved at each by
//! the moves of Fiduccia and Mattheyses (1982).
//!
//! | module | contents |
//! |---|---|
//! | `graph` | vertices, edges, and their weights: [`Graph`] |
//! | `divide` | the levels, down and up: [`Wanted`], [`Graph::divide`] |
//! | `coarsen` | a graph with pairs of vertices merged |
//! | `growth` | a first division, by parts that grow |
//! | `refine` | moves of single vertices |
//! | `hash` | ties are broken by a hash of the seed |
//!
//! Not here: what vertices and edges are, and which of them must stay together. Callers merge those
//! first.

mod coarsen;
mod divide;
mod graph;
mod growth;
mod hash;
mod refine;

pub use divide::Wanted;
pub use graph::{Graph, GraphError};
