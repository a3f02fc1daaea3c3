//! Simulated networks: nodes, forwarding, conservation, queues against theory, determinism.

mod common;
mod conservation;
mod forwarding;
mod queues;
mod repeat;
