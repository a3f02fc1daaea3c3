//! Two endpoints and a small network between them, in virtual time.

mod common;
mod handshake;
mod laws;
mod pauses;
mod properties;
mod receiver;
mod recovery;
mod sender;
mod states;
