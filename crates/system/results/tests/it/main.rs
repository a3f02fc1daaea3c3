//! Results of several machines become one directory.
//!
//! All tests are in one program, because linking takes longer than running.

mod made;
mod merge;
