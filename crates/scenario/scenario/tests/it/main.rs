//! Scenarios from text: what is accepted, what is refused and how, the schema and the documents.
//!
//! One program for all: linking takes longer than running.

mod bad;
mod constellations;
mod dilation;
mod docs;
mod examples;
mod good;
mod graph;
mod happenings;
mod robust;
mod schema;
