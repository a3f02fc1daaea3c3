//! Bridges of the Rapid Spanning Tree Protocol, alone and in whole networks, in virtual time.
//!
//! All tests are in one program, because linking takes longer than running.

mod common;

mod flush;
mod legacy;
mod ports;
mod times;
mod trees;
mod wire;
