//! Tables as files: written at once, and growing.
//!
//! All tests are in one program, because linking takes longer than running.

mod growing;
mod stored;
