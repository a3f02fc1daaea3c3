//! The data plane between real kernels, in namespaces that the tests create.

#[path = "../common/mod.rs"]
mod common;
#[path = "../lab/mod.rs"]
mod lab;
#[path = "../machines/mod.rs"]
mod machines;

mod peers_tap;
mod replay;
mod super_frames;
mod tap;
