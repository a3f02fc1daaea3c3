//! Bridges of the Rapid Spanning Tree Protocol, alone and in whole networks, in virtual time.
//!
//! One program for all: linking takes longer than running.

mod common;

mod flush;
mod legacy;
mod ports;
mod trees;
mod wire;
