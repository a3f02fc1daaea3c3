//! Media against the models and the reference machine of the literature.

mod aloha;
mod cell;
mod chain;
mod ethernet;
mod infrastructure;
mod laws;
mod neighbours;
mod space;
mod support;
mod tdma;
mod terminals;
