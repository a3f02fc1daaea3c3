//! Simulated networks: nodes, forwarding, conservation, queues against theory, determinism.

mod border;
mod common;
mod connections;
mod conservation;
mod diffserv;
mod failures;
mod foreign;
mod forwarding;
mod queues;
mod repeat;
mod rerouting;
mod sockets;
mod twins;
