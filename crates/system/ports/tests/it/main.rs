//! Ports in memory, and segmentation of super-frames.
//!
//! One program for all: linking takes longer than running.

mod memory;
mod segmentation;
