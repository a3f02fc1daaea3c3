//! Loading scenarios from text: valid and invalid ones, errors, the schema and the documents.
//!
//! All tests are one program, because linking takes longer than running.

mod bad;
mod congestion;
mod constellations;
mod dilation;
mod docs;
mod examples;
mod good;
mod happenings;
mod propagation;
mod purposes;
mod rewritten;
mod robust;
#[cfg(feature = "schema")]
mod schema;
mod shape;
mod together;
