//! Media against the models and the reference machine of the literature.

mod cell;
mod support;
mod terminals;
