//! Requests, their words in errors, and the API's document.
//!
//! One program for all: linking takes longer than running.

mod change;
mod openapi;
mod words;
