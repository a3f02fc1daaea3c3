//! Simulated networks: nodes, forwarding, conservation, queues against theory, determinism.

mod common;
mod connections;
mod conservation;
mod forwarding;
mod queues;
mod repeat;
