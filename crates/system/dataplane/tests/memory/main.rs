//! The data plane with devices in memory: one program, since each of these would build the way of
//! a frame again.

#[path = "../common/mod.rs"]
mod common;
#[path = "../machines/mod.rs"]
mod machines;

mod control;
mod frame_log;
mod frames;
mod networks;
mod peers;
mod rewiring;
mod switches;
mod trees;
mod vlans;
mod watch;
