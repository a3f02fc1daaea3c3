//! Ports in memory, and segmentation of super-frames.
//!
//! All tests are in one program, because linking takes longer than running.

mod memory;
mod segmentation;
