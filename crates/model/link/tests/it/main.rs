//! Tests of the link model against its documents, its laws and the statistics of its draws, in
//! virtual time.
//!
//! They are one program, because each program compiles the whole model anew.

mod common;

mod background;
mod bit_errors;
mod changes;
mod conditions;
mod config;
mod conservation;
mod delay;
mod determinism;
mod first_change;
mod fluid;
mod formats;
mod frame_log;
mod golden;
mod late_offers;
mod lean;
mod loss;
mod notation;
mod observed;
mod queues;
mod rates;
mod receiver;
mod statistical;
mod steered;
mod tc_children;
mod timing;
mod vlans;
mod windows;
