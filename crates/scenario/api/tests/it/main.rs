//! Requests, descriptions of errors, and the API's document.
//!
//! All tests are one program, because linking takes longer than running.

mod change;
#[cfg(feature = "schema")]
mod openapi;
mod words;
