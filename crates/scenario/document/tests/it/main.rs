//! Laws of documents: what is written reads back, and an edit leaves everything else as it was.

mod edits;
mod refusals;
mod styles;
mod support;
mod writing;
