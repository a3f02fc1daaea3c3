//! Media against the models and the reference machine of the literature.

mod cell;
mod chain;
mod support;
mod terminals;
