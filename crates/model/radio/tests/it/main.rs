//! Radio models compared with the formulas of their sources. Seeds are fixed, so that a result
//! never changes from run to run.

mod antennas;
mod common;
mod errors;
mod fading;
mod files;
mod obstacles;
mod propagation;
mod shadows;
