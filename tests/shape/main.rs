//! `netloom shape`. The host of these tests is made up: a network namespace with a daemon, joined
//! by veth to another one.

#[path = "../common/mod.rs"]
mod common;

mod capture;
mod devices;
mod host;
mod list;
mod networks;
mod reserve;
mod shares;
mod sharing;
mod users;
