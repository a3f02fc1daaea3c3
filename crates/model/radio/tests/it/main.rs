//! Radio models against the formulas of their sources.

mod errors;
mod propagation;
